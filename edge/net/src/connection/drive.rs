//! Drives one connection: hyper's protocol machine beside the connection's timer and the signal to drain.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{Join, Map, Ready, join, ready};
use http::{HeaderValue, Request, Response, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1::Parts;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::backpressure::InFlight;
use super::detect::{Protocol, detect};
use super::outgoing::Outgoing;
use super::socket::{Activity, Socket, Wire};
use super::streams::Streams;
use super::timeouts::{Step, Timeouts};
use super::{CloseReason, Counters, HttpService, Limits};
use crate::request_head::RequestHead;

/// HTTP/2 flow control: what a client may send unread on one stream, on the whole connection, and what we hold
/// for one stream, in bytes. Requests are small.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
const STREAM_SEND_BUFFER: usize = 64 * 1024;
/// HTTP/2: resets by the client (rapid reset, CVE-2023-44487), and resets for errors of the client, after which the
/// connection is closed.
const CLIENT_RESETS: usize = 20;
const LOCAL_RESETS: usize = 64;
/// The least buffer hyper accepts for HTTP/1.
const LEAST_BUFFER: u32 = 8192;

/// Signals every connection that the server shuts down.
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
    pub(super) peer: SocketAddr,
    pub(super) service: S,
    pub(super) limits: Limits,
    /// [`Limits::max_age`] as spread for this connection.
    pub(super) max_age: Duration,
    pub(super) counters: Arc<Counters>,
    pub(super) drain: Arc<Drain>,
}

impl<S> Connection<S>
where
    S: HttpService<Future: Send> + Clone + Unpin + Send + 'static,
{
    /// Serves the connection to its end and returns why it ended.
    pub(super) async fn run(self, mut stream: impl Wire) -> CloseReason {
        let (protocol, prefix) = match timeout(self.limits.detect, detect(&mut stream)).await {
            Err(_) => return CloseReason::Detect,
            Ok(Err(_)) => return CloseReason::Broken,
            Ok(Ok(None)) => return CloseReason::Done,
            Ok(Ok(Some(found))) => found,
        };
        match protocol {
            Protocol::Http1 => self.http1(stream, prefix).await,
            // Apart, so that a connection of HTTP/1 takes no memory for the other's state.
            Protocol::Http2 => Box::pin(self.http2(stream, prefix)).await,
        }
    }

    async fn http1(self, stream: impl Wire, prefix: Bytes) -> CloseReason {
        let mut timeouts = Timeouts::new(Protocol::Http1, self.limits, self.max_age);
        let mut io = Socket::new(stream, Protocol::Http1, prefix, timeouts.activity.clone());
        let mut service = self.tagged(Protocol::Http1, &timeouts);
        let mut step = Step::Wait;
        loop {
            // Boxed, so that a parked connection takes no memory for hyper's state and a request's future.
            let mut connection = Box::new(
                http1::Builder::new()
                    .header_read_timeout(None)
                    .half_close(false)
                    .keep_alive(true)
                    .max_buf_size(self.limits.head_bytes.max(LEAST_BUFFER) as usize)
                    .serve_connection(TokioIo::new(io), service),
            );
            let wind_down = http1::Connection::graceful_shutdown;
            let ended = drive(Pin::new(&mut *connection), wind_down, &mut timeouts, &self.drain, step).await;
            if let Some(reason) = ended {
                return reason;
            }
            let Parts { io: guarded, read_buf, service: tagged, .. } = connection.into_parts();
            (io, service) = (guarded.into_inner(), tagged);
            io.give_back(&read_buf);
            drop(read_buf);
            step = parked(&mut io, &mut timeouts, &self.drain).await;
        }
    }

    async fn http2(self, stream: impl Wire, prefix: Bytes) -> CloseReason {
        let mut timeouts = Timeouts::new(Protocol::Http2, self.limits, self.max_age);
        let io = Socket::new(stream, Protocol::Http2, prefix, timeouts.activity.clone());
        let service = self.tagged(Protocol::Http2, &timeouts);
        let streams = Streams { stall: self.limits.stream_stall, counters: self.counters };
        let connection = http2::Builder::new(streams)
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
        let wind_down = http2::Connection::graceful_shutdown;
        let ended = drive(pin!(connection), wind_down, &mut timeouts, &self.drain, Step::Wait).await;
        // Only HTTP/1 is ever parked.
        ended.unwrap_or(CloseReason::Done)
    }

    fn tagged(&self, protocol: Protocol, timeouts: &Timeouts) -> Tagged<S> {
        let in_flight = InFlight::new(self.limits, self.counters.clone());
        let activity = timeouts.activity.clone();
        Tagged { service: self.service.clone(), peer: self.peer, in_flight, protocol, activity }
    }
}

/// Waits, without hyper's buffers and whatever else only requests need, until the client sends something, the
/// server shuts down, or the timer has something to do, which it returns.
async fn parked(io: &mut Socket<impl Wire>, timeouts: &mut Timeouts, drain: &Drain) -> Step {
    let mut alarm = pin!(sleep_until(timeouts.next(Instant::now())));
    let mut woken = pin!(drain.woken());
    poll_fn(|cx| {
        let drains = woken.as_mut().poll(cx).is_ready() || drain.has_started();
        if drains || io.poll_readable(cx).is_ready() {
            timeouts.unpark(Instant::now());
            return Poll::Ready(Step::Wait);
        }
        while alarm.as_mut().poll(cx).is_ready() {
            let step = timeouts.look(Instant::now());
            if !matches!(step, Step::Wait | Step::Park) {
                return Poll::Ready(step);
            }
            alarm.as_mut().reset(timeouts.next(Instant::now()));
        }
        Poll::Pending
    })
    .await
}

/// Polls `connection` until it ends, and returns why, or until it may be parked; `wind_down` makes it finish its
/// requests and accept no more. `step` is what was due before.
async fn drive<C>(
    connection: Pin<&mut C>,
    wind_down: fn(Pin<&mut C>),
    timeouts: &mut Timeouts,
    drain: &Drain,
    step: Step,
) -> Option<CloseReason>
where
    C: Future<Output = hyper::Result<()>>,
{
    let mut driven = Driven {
        connection,
        wind_down,
        alarm: pin!(sleep_until(timeouts.next(Instant::now()))),
        // Made before the first look at `drain`, so that no start is missed between the two.
        woken: pin!(drain.woken()),
        listening: false,
        drain,
        timeouts,
    };
    if let Step::Cut(reason) = step {
        return Some(reason);
    }
    driven.act(&step);
    driven.await
}

/// A connection, its timer and the signal to drain, as one future. `None` when the connection may be parked.
struct Driven<'a, C> {
    connection: Pin<&'a mut C>,
    wind_down: fn(Pin<&mut C>),
    alarm: Pin<&'a mut Sleep>,
    woken: Pin<&'a mut OwnedNotified>,
    listening: bool,
    drain: &'a Drain,
    timeouts: &'a mut Timeouts,
}

impl<C> Future for Driven<'_, C>
where
    C: Future<Output = hyper::Result<()>>,
{
    type Output = Option<CloseReason>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<CloseReason>> {
        let this = self.get_mut();
        loop {
            // HTTP/1 before it reads on, so that the next answer has `Connection: close`. HTTP/2 after that: a
            // shutdown of a connection that has read nothing yet closes it at once.
            if this.timeouts.protocol == Protocol::Http1 && this.drain_begins(cx) {
                let step = this.timeouts.drain(Instant::now());
                this.act(&step);
            }
            if let Poll::Ready(outcome) = this.connection.as_mut().poll(cx) {
                return Poll::Ready(Some(this.timeouts.reason(&outcome)));
            }
            let step = if this.drain_begins(cx) {
                this.timeouts.drain(Instant::now())
            } else if this.alarm.as_mut().poll(cx).is_ready() {
                this.timeouts.look(Instant::now())
            } else {
                return Poll::Pending;
            };
            match step {
                Step::Cut(reason) => return Poll::Ready(Some(reason)),
                Step::Park => return Poll::Ready(None),
                Step::Wait | Step::WindDown => this.act(&step),
            }
        }
    }
}

impl<C> Driven<'_, C> {
    /// Carries out the timer's decision, and sets the timer again.
    fn act(&mut self, step: &Step) {
        if *step == Step::WindDown {
            (self.wind_down)(self.connection.as_mut());
        }
        self.alarm.as_mut().reset(self.timeouts.next(Instant::now()));
    }

    /// Whether the drain has begun and this connection has not yet acted on it. The notification, which takes a
    /// lock shared by all connections, is polled once to leave the waker; after that the flag is read.
    fn drain_begins(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.listening {
            self.listening = true;
            let _ = self.woken.as_mut().poll(cx);
        }
        self.drain.has_started() && !self.timeouts.draining
    }
}

/// The service of one connection: adds the peer and the bytes in flight to each request, and notes the request for
/// the timer.
struct Tagged<S> {
    service: S,
    peer: SocketAddr,
    in_flight: InFlight,
    protocol: Protocol,
    activity: Arc<Activity>,
}

/// Finishes an answer before it is sent: see [`Leaving::finish`].
type Finish<S> = fn(
    (Result<<S as Service<Request<Incoming>>>::Response, Infallible>, Leaving),
) -> Result<Response<Outgoing<<S as HttpService>::Payload>>, Infallible>;

impl<S: HttpService> Service<Request<Incoming>> for Tagged<S> {
    type Response = Response<Outgoing<S::Payload>>;
    type Error = Infallible;
    /// Joined with what finishes the answer, so that the type has a name.
    type Future = Map<Join<S::Future, Ready<Leaving>>, Finish<S>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.activity.called(!request.body().is_end_stream());
        let request = with_head(request, self.peer, self.in_flight.clone());
        let last = self.activity.is_leaving();
        let leaving = Leaving { last, protocol: self.protocol, activity: self.activity.clone() };
        let finish: Finish<S> = |(response, leaving)| Ok(leaving.finish(response?));
        join(self.service.call(request), ready(leaving)).map(finish)
    }
}

/// Moves the head of a request into an extension, an `Arc<RequestHead>`; what is left besides are method and target,
/// for routing.
fn with_head(request: Request<Incoming>, peer: SocketAddr, in_flight: InFlight) -> Request<Incoming> {
    let (parts, body) = request.into_parts();
    let head = RequestHead { peer: Some(peer), in_flight: Some(in_flight), ..parts.into() };
    let mut request = Request::new(body);
    request.method_mut().clone_from(&head.method);
    // CONNECT names no path, and the filters of warp panic without one.
    if head.uri.path_and_query().is_some() {
        request.uri_mut().clone_from(&head.uri);
    }
    request.extensions_mut().insert(Arc::new(head));
    request
}

/// The state of the connection that finishes an answer.
struct Leaving {
    /// Whether the answer is the connection's last.
    last: bool,
    protocol: Protocol,
    activity: Arc<Activity>,
}

impl Leaving {
    fn finish<B>(self, response: Response<B>) -> Response<Outgoing<B>> {
        let mut response = response.map(|body| Outgoing::new(body, self.protocol, self.activity));
        if self.last {
            // hyper ends the connection then.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
