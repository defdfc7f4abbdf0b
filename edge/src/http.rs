//! From HTTP messages to answers and back: one flat warp filter that hands head, peer and body to
//! our own match. The only file that names warp.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use warp::Filter as _;

use crate::answer::{Asked, Place, answer};
use crate::connection::{self, Answer};
use crate::epoch::Epoch;
use crate::guard::check;
use crate::live::Live;
use crate::reply::Reply;
use crate::route::{Route, route};
use crate::searches::Busy;

/// A service that answers every request from the live state.
pub fn service(live: Arc<Live>) -> impl Answer<Future: Send> + Clone + Send + 'static {
    let filter = warp::ext::get::<Arc<Parts>>()
        .then(move |head: Arc<Parts>| {
            let live = Arc::clone(&live);
            async move { observed(live, head).await.into_response() }
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

/// Answers a request, counts it and, if that is wanted, logs it.
async fn observed(live: Arc<Live>, head: Arc<Parts>) -> Reply {
    let began = Instant::now();
    let reply = respond(&live, &head).await;
    let took = began.elapsed();
    live.metrics.request(route(head.uri.path()).template(), &head.method, reply.status, took);
    if reply.status == StatusCode::NOT_MODIFIED {
        live.metrics.not_modified.add();
    }
    if live.serving.access_log {
        crate::log::access(&head, reply.status, reply.body.len(), took);
    }
    reply
}

/// Answers a request here or, when that would hold others up, on a thread of its own.
async fn respond(live: &Arc<Live>, head: &Arc<Parts>) -> Reply {
    let epoch = live.epoch().clone();
    let reply = guarded(live, &epoch, head, Place::Here);
    if reply.status != StatusCode::SERVICE_UNAVAILABLE {
        return reply;
    }
    let search = {
        let (live, head) = (Arc::clone(live), Arc::clone(head));
        move || guarded(&live, &epoch, &head, Place::Aside)
    };
    live.searches.run(search).await.unwrap_or_else(|Busy| {
        live.metrics.overloads.add();
        reply
    })
}

/// Answers a request; a panic costs it a 500 and nothing else.
fn guarded(live: &Live, epoch: &Epoch, head: &Parts, place: Place) -> Reply {
    catch_unwind(AssertUnwindSafe(|| checked(live, epoch, head, place))).unwrap_or_else(|_| {
        live.metrics.panics.add();
        Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "The server could not complete the request.")
    })
}

fn checked(live: &Live, epoch: &Epoch, head: &Parts, place: Place) -> Reply {
    let route = route(head.uri.path());
    if let Err(refusal) = check(head, &epoch.hosts, route == Route::Mcp) {
        let mut reply = Reply::refusal(refusal.status, refusal.message);
        if refusal.close {
            reply = reply.with(header::CONNECTION, HeaderValue::from_static("close"));
        }
        return reply;
    }
    answer(&Asked { live, epoch, head, now: crate::clock::now(), place }, &route)
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
