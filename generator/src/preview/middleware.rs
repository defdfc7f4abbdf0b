//! What a preview puts before the edge: its own paths, a page while there is no snapshot, and a script in every page.

use std::convert::Infallible;
use std::future::ready;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use edge::{HTML, POLICY, Server};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use net::connection::HttpService;
use net::precheck::{Hosts, HttpError, check};
use net::request_head::RequestHead;
use warp::filters::path::FullPath;
use warp::reject::not_found;
use warp::{Filter, Rejection};

use super::status::Status;

const SCRIPT: &str = include_str!("preview.js");
const STYLE: &str = include_str!("preview.css");
/// Where the script goes.
const HEAD_END: &[u8] = b"</head>";

/// The answer to API and MCP requests while there is no snapshot.
const NO_SNAPSHOT: HttpError = HttpError::new(
    StatusCode::SERVICE_UNAVAILABLE,
    "No snapshot could be built yet; the start page shows why.",
);

/// Serves the preview's own paths and then those of the server, once there is one. Other hosts than `hosts` are refused.
pub(super) fn service(
    status: Arc<Status>,
    hosts: Hosts,
    server: Arc<OnceLock<Arc<Server>>>,
) -> impl HttpService<Future: Send> + Clone + Send + Unpin + 'static {
    let inner = edge::service(routes(status, hosts, server));
    service_fn(move |mut request: Request<Incoming>| {
        // Pages are changed, so they are needed as they are.
        if let Some(head) = request.extensions_mut().get_mut::<Arc<RequestHead>>() {
            Arc::make_mut(head).headers.remove(header::ACCEPT_ENCODING);
        }
        inner.call(request)
    })
}

fn routes(
    status: Arc<Status>,
    hosts: Hosts,
    server: Arc<OnceLock<Arc<Server>>>,
) -> impl Filter<Extract = (Response<Bytes>,), Error = Infallible> + Clone + Send + Sync + 'static {
    let own = reload(Arc::clone(&status)).or(waiting(Arc::clone(&status))).unify();
    let site = edge::routes(move || server.get().cloned())
        .and(head())
        .map(move |response, head: Arc<RequestHead>| with_script(response, &head.method, &status.script()));
    known_host(hosts).and(own).or(site).unify().recover(edge::error_response).unify()
}

fn head() -> impl Filter<Extract = (Arc<RequestHead>,), Error = Rejection> + Copy {
    warp::ext::get()
}

/// Refuses requests to other hosts.
fn known_host(hosts: Hosts) -> impl Filter<Extract = (), Error = Rejection> + Clone {
    let check = move |head: Arc<RequestHead>| ready(check(&head, &hosts, true).map_err(edge::refuse));
    head().and_then(check).untuple_one()
}

/// `/__opdir/…`: the script of pages, its style, and the status that it follows.
fn reload(status: Arc<Status>) -> impl Filter<Extract = (Response<Bytes>,), Error = Rejection> + Clone {
    let script = warp::path!("__opdir" / "preview.js")
        .map(|| answer(StatusCode::OK, "text/javascript; charset=utf-8", SCRIPT));
    let style = warp::path!("__opdir" / "preview.css")
        .map(|| answer(StatusCode::OK, "text/css; charset=utf-8", STYLE));
    let news = warp::path!("__opdir" / "status").and(head()).then(move |head: Arc<RequestHead>| {
        let status = Arc::clone(&status);
        async move { answer(StatusCode::OK, "application/json", status.news(head.query()).await) }
    });
    script.or(style).unify().or(news).unify()
}

/// While there is no snapshot: a page that shows the problems or, for API and MCP paths, an error.
fn waiting(status: Arc<Status>) -> impl Filter<Extract = (Response<Bytes>,), Error = Rejection> + Clone {
    warp::path::full().and_then(move |path: FullPath| {
        let page = status.waiting_page().ok_or_else(not_found);
        let is_program = path.as_str().starts_with("/api/") || path.as_str() == "/mcp";
        ready(page.and_then(|page| {
            if is_program {
                return Err(edge::refuse(NO_SNAPSHOT));
            }
            let mut response = answer(StatusCode::SERVICE_UNAVAILABLE, "text/html; charset=utf-8", page);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            Ok(response)
        }))
    })
}

/// An answer that no browser keeps.
fn answer(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A response of the server, which no browser keeps, and no other website reads: it may be a draft. A page gets the
/// script at the end of its head.
fn with_script(mut response: Response<Bytes>, method: &Method, script: &str) -> Response<Bytes> {
    let is_whole = !matches!(response.status(), StatusCode::PARTIAL_CONTENT | StatusCode::NOT_MODIFIED);
    let is_page = is_whole && response.headers().get(header::CONTENT_TYPE) == Some(&HTML);
    let lifetime = HeaderValue::from_static(if is_page { "no-store" } else { "no-cache" });
    response.headers_mut().insert(header::CACHE_CONTROL, lifetime);
    response.headers_mut().remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    if !is_page {
        return response;
    }
    response.headers_mut().remove(header::CONTENT_LENGTH);
    let body = response.body();
    let end = body.windows(HEAD_END.len()).position(|bytes| bytes == HEAD_END);
    if let Some(end) = end.filter(|_| *method != Method::HEAD) {
        *response.body_mut() = [&body[..end], script.as_bytes(), &body[end..]].concat().into();
    }
    response
}
