//! Drives one connection: hyper's protocol machine beside the connection's timer and the signal to drain.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::TryFutureExt as _;
use futures_util::future::MapOk;
use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use tokio::time::{Sleep, sleep_until, timeout};

use super::detect::{Prefix, Protocol, detect};
use super::guard::{Activity, GuardIo};
use super::watch::{Step, Watch};
use super::{Answer, Limits, Peer, Reason};

/// HTTP/2 flow control: what a client may send unread on one stream, on the whole connection, and what we hold
/// for one stream, in bytes. Requests are small.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
const STREAM_SEND_BUFFER: usize = 64 * 1024;
/// HTTP/2: streams a client may open and reset before it is sent away (rapid reset, CVE-2023-44487), and errors
/// of its own making after which it is.
const CLIENT_RESETS: usize = 20;
const LOCAL_RESETS: usize = 64;
/// The least buffer hyper accepts for HTTP/1.
const LEAST_BUFFER: u32 = 8192;

/// Tells every connection that the server shuts down.
#[derive(Debug, Default)]
pub(super) struct Drain {
    started: AtomicBool,
    wake: Arc<Notify>,
}

impl Drain {
    pub(super) fn start(&self) {
        self.started.store(true, SeqCst);
        self.wake.notify_waiters();
    }

    fn has_started(&self) -> bool {
        self.started.load(SeqCst)
    }

    fn woken(&self) -> OwnedNotified {
        self.wake.clone().notified_owned()
    }
}

/// One accepted connection before its protocol is known.
pub(super) struct Connection<S> {
    pub(super) peer: Peer,
    pub(super) service: S,
    pub(super) limits: Limits,
    /// [`Limits::max_age`] as spread for this connection.
    pub(super) max_age: Duration,
    pub(super) drain: Arc<Drain>,
}

impl<S> Connection<S>
where
    S: Answer<Future: Send> + Send + 'static,
{
    /// Serves the connection to its end and says why it ended.
    pub(super) async fn run(self, mut stream: TcpStream) -> Reason {
        let (protocol, prefix) = match timeout(self.limits.detect, detect(&mut stream)).await {
            Err(_) => return Reason::Detect,
            Ok(Err(_)) => return Reason::Broken,
            Ok(Ok(None)) => return Reason::Done,
            Ok(Ok(Some(found))) => found,
        };
        match protocol {
            Protocol::Http1 => self.http1(stream, prefix).await,
            Protocol::Http2 => self.http2(stream, prefix).await,
        }
    }

    async fn http1(self, stream: TcpStream, prefix: Prefix) -> Reason {
        let watch = Watch::new(Protocol::Http1, self.limits, self.max_age);
        let io = GuardIo::new(stream, Protocol::Http1, prefix, watch.activity.clone());
        let service = Tagged { service: self.service, peer: self.peer, activity: watch.activity.clone() };
        let connection = http1::Builder::new()
            .header_read_timeout(None)
            .half_close(false)
            .keep_alive(true)
            .max_buf_size(self.limits.head_bytes.max(LEAST_BUFFER) as usize)
            .serve_connection(TokioIo::new(io), service);
        drive(connection, http1::Connection::graceful_shutdown, watch, &self.drain).await
    }

    async fn http2(self, stream: TcpStream, prefix: Prefix) -> Reason {
        let watch = Watch::new(Protocol::Http2, self.limits, self.max_age);
        let io = GuardIo::new(stream, Protocol::Http2, prefix, watch.activity.clone());
        let service = Tagged { service: self.service, peer: self.peer, activity: watch.activity.clone() };
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(self.limits.h2_ping)
            .keep_alive_timeout(self.limits.h2_pong)
            .max_concurrent_streams(self.limits.h2_streams)
            .max_header_list_size(self.limits.head_bytes)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(STREAM_SEND_BUFFER)
            .max_pending_accept_reset_streams(CLIENT_RESETS)
            .max_local_error_reset_streams(LOCAL_RESETS)
            .serve_connection(TokioIo::new(io), service);
        drive(connection, http2::Connection::graceful_shutdown, watch, &self.drain).await
    }
}

/// Polls `connection` to its end; `wind_down` makes it finish what it has and take nothing more.
async fn drive<C>(connection: C, wind_down: fn(Pin<&mut C>), watch: Watch, drain: &Drain) -> Reason
where
    C: Future<Output = hyper::Result<()>>,
{
    let driven = Driven {
        connection: pin!(connection),
        wind_down,
        alarm: pin!(sleep_until(watch.next(watch.began).into())),
        // Made before the first look at `drain`, so that no start is missed between the two.
        woken: pin!(drain.woken()),
        listening: false,
        drain,
        watch,
    };
    driven.await
}

/// A connection, its timer and the signal to drain, as one future.
struct Driven<'a, C> {
    connection: Pin<&'a mut C>,
    wind_down: fn(Pin<&mut C>),
    alarm: Pin<&'a mut Sleep>,
    woken: Pin<&'a mut OwnedNotified>,
    listening: bool,
    drain: &'a Drain,
    watch: Watch,
}

impl<C> Future for Driven<'_, C>
where
    C: Future<Output = hyper::Result<()>>,
{
    type Output = Reason;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reason> {
        let this = self.get_mut();
        loop {
            // HTTP/1 before it reads on: what it answers from here is to say that it is the last. HTTP/2 after
            // that: a shutdown asked of a connection that has read nothing yet closes it at once.
            if this.watch.protocol == Protocol::Http1 && this.drain_begins(cx) {
                let step = this.watch.drain(Instant::now());
                this.act(&step);
            }
            if let Poll::Ready(outcome) = this.connection.as_mut().poll(cx) {
                return Poll::Ready(this.watch.reason(&outcome));
            }
            let step = if this.drain_begins(cx) {
                this.watch.drain(Instant::now())
            } else if this.alarm.as_mut().poll(cx).is_ready() {
                this.watch.look(Instant::now())
            } else {
                return Poll::Pending;
            };
            if let Step::Cut(reason) = step {
                return Poll::Ready(reason);
            }
            this.act(&step);
        }
    }
}

impl<C> Driven<'_, C> {
    /// Does what the timer decided, and sets it anew.
    fn act(&mut self, step: &Step) {
        if *step == Step::WindDown {
            (self.wind_down)(self.connection.as_mut());
        }
        self.alarm.as_mut().reset(self.watch.next(Instant::now()).into());
    }

    /// Whether the drain has begun and this connection has not yet acted on it. The notification, which takes a
    /// lock shared by all connections, is polled once to leave the waker; after that the flag tells.
    fn drain_begins(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.listening {
            self.listening = true;
            let _ = self.woken.as_mut().poll(cx);
        }
        self.drain.has_started() && !self.watch.draining
    }
}

/// The service of one connection: tells it the peer, and the timer that there was a request.
struct Tagged<S> {
    service: S,
    peer: Peer,
    activity: Arc<Activity>,
}

/// What is done with an answer before it is sent.
type Finish<B> = fn(Response<B>) -> Response<B>;

impl<S: Answer> Service<Request<Incoming>> for Tagged<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = MapOk<S::Future, Finish<S::Payload>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        self.activity.called();
        request.extensions_mut().insert(self.peer);
        let finish = if self.activity.is_leaving() { closing } else { std::convert::identity };
        self.service.call(request).map_ok(finish)
    }
}

/// Says that an answer is the connection's last; hyper ends it then.
fn closing<B>(mut response: Response<B>) -> Response<B> {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
