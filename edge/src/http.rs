//! From HTTP messages to answers and back: one flat warp filter that hands head, peer and body to
//! our own match. The only file that names warp.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::StreamBody;
use hyper::body::{Frame, Incoming};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use warp::Filter as _;

use crate::answer::{Asked, answer, program_body};
use crate::client::Proxies;
use crate::connection::{self, Answer};
use crate::guard::{Refusal, check};
use crate::live::Live;
use crate::mcp::{self, Mcp};
use crate::reply::Reply;
use crate::route::{Route, route};

/// What answers requests: the live state, and the tool endpoint, which outlives it.
pub struct Server {
    /// The live state.
    pub live: Arc<Live>,
    /// The tool endpoint.
    pub mcp: Mcp,
    /// Who is taken at their word about clients.
    pub proxies: Proxies,
    /// Zero of the clock that rates are counted by.
    pub started: Instant,
}

/// A service that answers every request.
pub fn service(server: Arc<Server>) -> impl Answer<Future: Send> + Clone + Send + 'static {
    let filter = warp::ext::get::<Arc<Parts>>()
        .and(warp::body::stream())
        .then(move |head: Arc<Parts>, body| {
            let server = Arc::clone(&server);
            async move {
                if route(head.uri.path()) == Route::Mcp {
                    server.mcp(&head, body).await.map(Into::into)
                } else {
                    respond(&server.live, &head).into_response()
                }
            }
        })
        .or_else(|_| async {
            let message = "The request could not be read.";
            Ok::<_, Infallible>((Reply::refusal(StatusCode::BAD_REQUEST, message).into_response(),))
        });
    let inner = TowerToHyperService::new(warp::service(filter));
    hyper::service::service_fn(move |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        let mut request = Request::new(body);
        request.extensions_mut().insert(Arc::new(head));
        inner.call(request)
    })
}

impl Server {
    /// Answers a request to the tool endpoint.
    async fn mcp<S, D>(&self, head: &Parts, body: S) -> Response<Bytes>
    where
        S: Stream<Item = Result<D, warp::Error>> + Send,
        D: Buf,
    {
        let epoch = Arc::clone(&self.live.epoch());
        if let Err(refusal) = check(head, &epoch.hosts, true) {
            let reply = refused(refusal);
            let mut response = Response::new(reply.body);
            *response.status_mut() = reply.status;
            *response.headers_mut() = reply.headers;
            return response;
        }
        let frames = body.map(|part| part.map(|mut part| Frame::data(part.copy_to_bytes(part.remaining()))));
        let mut request = Request::new(Box::pin(StreamBody::new(frames)));
        *request.method_mut() = head.method.clone();
        *request.version_mut() = head.version;
        *request.headers_mut() = head.headers.clone();
        let peer = peer(head).map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        let client = self.proxies.client(peer, &head.headers);
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let detail = |slug: &str, locale| program_body(&epoch, slug, locale);
        let scope = mcp::Epoch { site: epoch.site(), dated: &epoch.dated, detail };
        self.mcp.handle(request, &scope, client, now_ms).await
    }
}

/// Answers a request; a panic costs it a 500 and nothing else.
fn respond(live: &Live, head: &Parts) -> Reply {
    catch_unwind(AssertUnwindSafe(|| guarded(live, head))).unwrap_or_else(|_| {
        live.panics.fetch_add(1, Ordering::Relaxed);
        Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "The server could not complete the request.")
    })
}

fn guarded(live: &Live, head: &Parts) -> Reply {
    let route = route(head.uri.path());
    let epoch = live.epoch();
    if let Err(refusal) = check(head, &epoch.hosts, route == Route::Mcp) {
        return refused(refusal);
    }
    answer(&Asked { epoch: &epoch, head, now: crate::clock::now() }, &route)
}

fn refused(refusal: Refusal) -> Reply {
    let reply = Reply::refusal(refusal.status, refusal.message);
    if refusal.close { reply.with(header::CONNECTION, HeaderValue::from_static("close")) } else { reply }
}

impl Reply {
    fn into_response(self) -> warp::reply::Response {
        let mut response = Response::new(self.body.into());
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// Where a request came from.
#[must_use]
pub fn peer(head: &Parts) -> Option<connection::Peer> {
    head.extensions.get().copied()
}
