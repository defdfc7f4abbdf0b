//! The routes, as warp filters.
//!
//! A request is routed by its path, checked and answered once: `/mcp` takes calls with a body, everything else reads.
//! A refusal is a rejection, which [`error_response`] turns into the response. warp routes only: its server has no limits for
//! slow clients and answers in flight, its files are paths made from requests, its compression would compress again what
//! the snapshot holds compressed, and CORS is one header that all answers have.

use std::convert::Infallible;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _};
use http::{Method, Response};
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper_util::service::TowerToHyperService;
use net::connection::HttpService;
use net::precheck::HttpError;
use net::request_head::RequestHead;
use snapshot::page::changes;
use warp::path::{FullPath, Tail};
use warp::reject::{Reject, custom, not_found};
use warp::{Filter, Rejection};

use crate::admin;
use crate::reply::{METHOD_NOT_ALLOWED, Reply};
use crate::request::Request;
use crate::route::Route;
use crate::server::Server;

/// Everything that clients may request, once there is a server. To be followed by `recover(error_response)`.
pub fn routes(
    server: impl Fn() -> Option<Arc<Server>> + Clone + Send + Sync + 'static,
) -> impl Filter<Extract = (Response<Bytes>,), Error = Rejection> + Clone + Send + Sync + 'static {
    let server = warp::any().and_then(move || ready(server().ok_or_else(not_found)));
    let head = warp::ext::get::<Arc<RequestHead>>;
    let calls = warp::path!("mcp").and(server.clone()).and(head()).and(warp::body::stream()).then(call_tool);
    let reads =
        api().or(others()).unify().and(server).and(head()).and_then(admit_read).then(Request::respond);
    calls.or(reads).unify()
}

/// `/api/v1/…`: records, search, lists, facets, exports.
fn api() -> impl Filter<Extract = (Route,), Error = Rejection> + Copy {
    warp::path("api").and(warp::path::tail()).map(|rest: Tail| Route::api(rest.as_str()))
}

/// Which records changed, and every other path: pages and downloads.
fn others() -> impl Filter<Extract = (Route,), Error = Infallible> + Copy {
    warp::path::full().map(|path: FullPath| match path.as_str() {
        changes::LINES => Route::Changes,
        changes::FEED => Route::ChangesFeed,
        _ => Route::Page,
    })
}

/// The admin listener: its paths take any method.
pub(crate) fn admin(
    server: Arc<Server>,
) -> impl Filter<Extract = (Response<Bytes>,), Error = Infallible> + Clone + Send + Sync + 'static {
    warp::path::full().map(move |path: FullPath| {
        let path = path.as_str();
        match path.strip_suffix('/').unwrap_or(path) {
            "/healthz" => admin::health(),
            "/readyz" => admin::readiness(&server),
            "/metrics" => admin::metrics(&server),
            "/snapshot" => admin::snapshot(&server),
            _ => admin::unknown_path(),
        }
    })
}

/// What hyper serves.
pub fn service<F>(filter: F) -> impl HttpService<Future: Send> + Clone + Send + 'static
where
    F: Filter<Extract = (Response<Bytes>,), Error = Infallible> + Clone + Send + Sync + 'static,
{
    TowerToHyperService::new(warp::service(filter))
}

/// Admits GET, HEAD and OPTIONS without a body, in their client's turn. A request exists before that, so that one whose
/// client leaves is counted.
async fn admit_read(route: Route, server: Arc<Server>, head: Arc<RequestHead>) -> Result<Request, Rejection> {
    let mut request = Request::new(server, head, route);
    request.turn = request.head.turn().await;
    let reads = matches!(request.head.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let checked = request.check().and(if reads { Ok(()) } else { Err(METHOD_NOT_ALLOWED) });
    match checked {
        Ok(()) => Ok(request),
        Err(error) => Err(custom(Refused { request: Some(request), error })),
    }
}

/// Calls a tool. Its refusals are JSON-RPC errors, and so no rejections.
async fn call_tool(
    server: Arc<Server>,
    head: Arc<RequestHead>,
    body: impl Stream<Item = Result<impl Buf, warp::Error>> + Send,
) -> Response<Bytes> {
    let frames = body.map(|part| part.map(|mut part| Frame::data(part.copy_to_bytes(part.remaining()))));
    let body = Box::pin(StreamBody::new(frames));
    Request::new(server, head, Route::Tools).call_tool(body).await
}

/// A request that is not answered, and why.
struct Refused {
    /// The request, where it is to be counted.
    request: Option<Request>,
    error: HttpError,
}

impl Reject for Refused {}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Rejects a request with an error, of which [`error_response`] makes the answer.
pub fn refuse(error: HttpError) -> Rejection {
    custom(Refused { request: None, error })
}

/// The answer to a refused request: the error envelope of the REST interface.
///
/// # Errors
///
/// Never.
pub async fn error_response(rejection: Rejection) -> Result<Response<Bytes>, Infallible> {
    Ok(match rejection.find::<Refused>() {
        Some(Refused { request: Some(request), error }) => request.finish(Reply::from(*error)),
        Some(Refused { request: None, error }) => Reply::from(*error).into(),
        None => Reply::not_found("There is nothing at this path.").into(),
    })
}
