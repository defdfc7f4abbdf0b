//! Requests that are answered in this process: through all routes of an edge, without a connection.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use edge::Server;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use net::request_head::RequestHead;
use warp::Filter as _;

use crate::snapshots::HOST;

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
    /// Whether it was computed in a pool.
    pub pooled: bool,
}

/// Answers a GET.
#[must_use]
pub fn get(server: &Arc<Server>, target: &str) -> Reply {
    send(server, "GET", target, &[])
}

/// Answers a request with some headers and no body.
#[must_use]
pub fn send(server: &Arc<Server>, method: &str, target: &str, headers: &[(HeaderName, &str)]) -> Reply {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    ask(server, request.body(Bytes::new()).expect("the request is valid"))
}

/// Calls the tool endpoint with a JSON message.
#[must_use]
pub fn post(server: &Arc<Server>, message: impl Into<Bytes>) -> Reply {
    const JSON: &str = "application/json";
    let request = Request::post("/mcp").header(header::CONTENT_TYPE, JSON).header(header::ACCEPT, JSON);
    ask(server, request.body(message.into()).expect("the request is valid"))
}

/// Answers a request, which need not name the host.
#[must_use]
pub fn ask(server: &Arc<Server>, request: Request<Bytes>) -> Reply {
    ask_measured(server, request, |answer| answer())
}

/// The same; `measure` calls the step that answers, unless that is done in a pool.
pub fn ask_measured(
    server: &Arc<Server>,
    request: Request<Bytes>,
    measure: impl FnOnce(&mut dyn FnMut()),
) -> Reply {
    thread_local!(static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts"));
    let (mut parts, body) = request.into_parts();
    parts.headers.entry(header::HOST).or_insert(HeaderValue::from_static(HOST));
    let mut request = Request::new(Full::new(body));
    request.method_mut().clone_from(&parts.method);
    request.uri_mut().clone_from(&parts.uri);
    request.extensions_mut().insert(Arc::new(RequestHead::from(parts)));
    let server = Arc::clone(server);
    let routes = edge::routes(move || Some(Arc::clone(&server))).recover(edge::error_response).unify();
    let service = TowerToHyperService::new(warp::service(routes));
    RUNTIME.with(|runtime| {
        let _entered = runtime.enter();
        let mut response = pin!(service.call(request));
        let mut first = Poll::Pending;
        measure(&mut || first = response.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        runtime.block_on(async {
            let (pooled, response) = match first {
                Poll::Ready(response) => (false, response),
                Poll::Pending => (true, response.await),
            };
            let (parts, body) = response.expect("answers are infallible").into_parts();
            let body = body.collect().await.expect("bodies are in memory").to_bytes();
            Reply { status: parts.status, headers: parts.headers, body, pooled }
        })
    })
}
