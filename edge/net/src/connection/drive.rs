//! Drives one connection: hyper's protocol machine beside the connection's timer and the signal to drain.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use http::{HeaderValue, Request, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::Limits;
use super::counters::CloseReason;
use super::deadlines::{Deadlines, Step};
use super::http_service::HttpService;
use super::socket::{Socket, Wire};
use crate::in_flight::{Client, Reader};
use crate::request_head::RequestHead;

/// Most bytes of a request line and headers.
const HEAD_MOST: usize = 16_384;
/// Answers the preface of HTTP/2, to which hyper says nothing.
const NOT_HTTP2: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// One accepted connection.
pub(super) struct Connection<S> {
    pub(super) peer: SocketAddr,
    pub(super) service: S,
    pub(super) limits: Limits,
    pub(super) reader: Arc<Reader>,
    pub(super) draining: watch::Receiver<bool>,
}

impl<S: HttpService> Connection<S> {
    /// Serves the connection to its end and returns why it ended.
    pub(super) async fn run(self, stream: impl Wire) -> CloseReason {
        let Self { peer, service, limits, reader, mut draining } = self;
        let waiting = &reader.waiting;
        let (is_leaving, of_requests) = (&AtomicBool::new(false), Arc::clone(&reader));
        let service = service_fn(move |request: Request<Incoming>| {
            let client = of_requests.client_of(request.headers());
            let answer = service.call(with_head(request, peer, (Arc::clone(&of_requests), client)));
            // Boxed, so that an unused connection takes no memory for it.
            Box::pin(async move {
                let mut response = answer.await?;
                if is_leaving.load(Relaxed) {
                    // hyper ends the connection then.
                    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            })
        });
        let mut connection = http1::Builder::new()
            .header_read_timeout(None)
            .max_buf_size(HEAD_MOST)
            .serve_connection(TokioIo::new(Socket::new(stream, waiting.clone())), service);
        let mut deadlines = Deadlines::new(limits, Instant::now());
        let mut alarm = pin!(sleep_until(deadlines.next(waiting.get(), Instant::now())));
        let mut drains = pin!(async { drop(draining.wait_for(|draining| *draining).await) });
        let (mut has_drained, mut cut) = (false, pin!(reader.cut.notified()));
        loop {
            let step = tokio::select! {
                biased;
                // Before hyper reads on, so that the next answer announces the end.
                () = &mut drains, if !has_drained => {
                    has_drained = true;
                    deadlines.drain(Instant::now())
                }
                ended = &mut connection => match ended {
                    Ok(()) => return deadlines.reason().unwrap_or(CloseReason::Done),
                    Err(error) if error.is_parse_version_h2() => {
                        Box::pin(refuse_http2(connection.into_parts().io.into_inner(), limits)).await;
                        return CloseReason::Malformed;
                    }
                    Err(it) => return if it.is_parse() { CloseReason::Malformed } else { CloseReason::Broken },
                },
                () = &mut cut => Step::Cut(CloseReason::Room),
                () = &mut alarm => deadlines.look(waiting.get(), Instant::now()),
            };
            match step {
                Step::Nothing => {}
                Step::Announce => is_leaving.store(true, Relaxed),
                Step::Close => Pin::new(&mut connection).graceful_shutdown(),
                Step::Cut(CloseReason::Idle) => return CloseReason::Idle,
                Step::Cut(reason) => {
                    connection.into_parts().io.inner().stream.forget_unsent();
                    return reason;
                }
            }
            alarm.as_mut().reset(deadlines.next(waiting.get(), Instant::now()));
        }
    }
}

async fn refuse_http2(mut socket: Socket<impl Wire>, limits: Limits) {
    let refuse = async {
        socket.write_all(NOT_HTTP2).await?;
        socket.shutdown().await
    };
    // It is closed in any case.
    let _ = timeout(limits.write_stall, refuse).await;
}

/// Moves the head of a request into an extension, an `Arc<RequestHead>`; what is left besides are method and target,
/// for routing.
fn with_head(
    request: Request<Incoming>,
    peer: SocketAddr,
    taker: (Arc<Reader>, Arc<Client>),
) -> Request<Incoming> {
    let (parts, body) = request.into_parts();
    let head = RequestHead { peer: Some(peer), taker: Some(taker), ..parts.into() };
    let mut request = Request::new(body);
    request.method_mut().clone_from(&head.method);
    // CONNECT names no path, and the filters of warp panic without one.
    if head.uri.path_and_query().is_some() {
        request.uri_mut().clone_from(&head.uri);
    }
    request.extensions_mut().insert(Arc::new(head));
    request
}
