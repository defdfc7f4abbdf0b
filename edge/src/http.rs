//! From HTTP messages to answers and back: one flat warp filter that hands head, peer and body to
//! our own match. The only file that names warp.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use warp::Filter as _;

use crate::answer::{Asked, answer};
use crate::connection::{self, Answer};
use crate::guard::check;
use crate::live::Live;
use crate::reply::Reply;
use crate::route::{Route, route};

/// A service that answers every request from the live state.
pub fn service(live: Arc<Live>) -> impl Answer<Future: Send> + Clone + Send + 'static {
    let filter = warp::ext::get::<Arc<Parts>>()
        .then(move |head: Arc<Parts>| {
            let live = Arc::clone(&live);
            async move { respond(&live, &head).into_response() }
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
        let mut reply = Reply::refusal(refusal.status, refusal.message);
        if refusal.close {
            reply = reply.with(header::CONNECTION, HeaderValue::from_static("close"));
        }
        return reply;
    }
    answer(&Asked { epoch: &epoch, head, now: crate::clock::now() }, &route)
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
