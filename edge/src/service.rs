//! From HTTP requests to answers and back: one flat warp filter that hands head, peer and body to
//! our own match. The only file that names warp.

use std::cell::Cell;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bytes::{Buf, Bytes};
use futures_util::future::ready;
use futures_util::{Stream, StreamExt as _};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::StreamBody;
use hyper::body::{Frame, Incoming};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use warp::Filter as _;
use warp::path::FullPath;

use crate::answer::{Asked, Attempt, Place, answer, attempt, near_body, program_body};
use crate::reload::Live;
use crate::reply::{CONGESTED, Reply};
use crate::route::{Route, route};
use crate::serving_state::Epoch;
use mcp::{self, Mcp, Pending};
use net::blocking_pool::{Busy, Outcome, Searches};
use net::client::Proxies;
use net::connection::{Answer, Arrival};
use net::precheck::{Refusal, check};
use net::request_head::Head;

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
    let query = warp::query::raw().map(Some).or_else(|_| ready(Ok::<_, Infallible>((None,))));
    let filter = warp::method()
        .and(warp::ext::optional())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(move |method, arrival: Option<Arrival>, path: FullPath, query, mut headers: HeaderMap, body| {
            if method != Method::GET {
                // A part is of what GET transfers; elsewhere the header says nothing (RFC 9110, section 14.2).
                headers.remove(header::RANGE);
            }
            let (server, path) = (Arc::clone(&server), path.as_str().to_owned());
            let head = Head { method, path, query, headers, arrival: arrival.unwrap_or_default() };
            async move { server.observed(head, body).await }
        })
        .or_else(|_| ready(Ok::<_, Infallible>((unreadable(),))));
    let inner = TowerToHyperService::new(warp::service(filter));
    hyper::service::service_fn(move |mut request: Request<Incoming>| {
        if request.uri().path_and_query().is_none() {
            // CONNECT names no path, and the filter for paths panics without one.
            *request.uri_mut() = Uri::from_static("/");
        }
        inner.call(request)
    })
}

fn unreadable() -> warp::reply::Response {
    let message = "The request could not be read.";
    Reply::refusal(StatusCode::BAD_REQUEST, message).into_response().map(Into::into)
}

impl Server {
    /// Answers a request, counts it and, if that is wanted, logs it.
    async fn observed<S, D>(&self, head: Head, body: S) -> warp::reply::Response
    where
        S: Stream<Item = Result<D, warp::Error>> + Send,
        D: Buf,
    {
        let began = Instant::now();
        let route = route(&head.path);
        let response = match route {
            Route::Mcp => self.called(&head, body).await,
            _ => self.read(&head).await.into_response(),
        };
        let (took, status, live) = (began.elapsed(), response.status(), &self.live);
        live.metrics.request(route.template(), &head.method, status, took);
        if status == StatusCode::NOT_MODIFIED {
            live.metrics.not_modified.add();
        }
        if live.serving.access_log {
            crate::log::access(&head, status, response.body().len(), took);
        }
        response.map(Into::into)
    }

    /// Answers a request to anything but the tool endpoint, if the client takes its answers.
    async fn read(&self, head: &Head) -> Reply {
        let in_flight = head.arrival.in_flight.as_ref();
        if in_flight.is_some_and(|in_flight| !in_flight.has_room()) {
            return Reply::congested();
        }
        let mut reply = respond(&self.live, head).await;
        if reply.body.is_empty() {
            return reply;
        }
        if head.method == Method::HEAD {
            let body = std::mem::take(&mut reply.body);
            return reply.with(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        let Some(in_flight) = in_flight else { return reply };
        let (whole, lent) =
            reply.lent.take().map_or((reply.body.len(), None), |(whole, lent)| (whole, Some(lent)));
        match in_flight.hold(std::mem::take(&mut reply.body), whole, lent) {
            Some(body) => Reply { body, ..reply },
            None => Reply::congested(),
        }
    }

    /// Answers a request to the tool endpoint, if the client takes its answers.
    async fn called<S, D>(&self, head: &Head, body: S) -> Response<Bytes>
    where
        S: Stream<Item = Result<D, warp::Error>> + Send,
        D: Buf,
    {
        const FULL: Refusal =
            Refusal { status: StatusCode::SERVICE_UNAVAILABLE, message: CONGESTED, close: false };
        let Some(in_flight) = &head.arrival.in_flight else { return self.mcp(head, body).await };
        if !in_flight.has_room() {
            return Mcp::refused(head, FULL);
        }
        let (response, body) = self.mcp(head, body).await.into_parts();
        if body.is_empty() {
            return Response::from_parts(response, body);
        }
        let length = body.len();
        match in_flight.hold(body, length, None) {
            Some(body) => Response::from_parts(response, body),
            None => Mcp::refused(head, FULL),
        }
    }

    async fn mcp<S, D>(&self, head: &Head, body: S) -> Response<Bytes>
    where
        S: Stream<Item = Result<D, warp::Error>> + Send,
        D: Buf,
    {
        let epoch = Arc::clone(&self.live.epoch());
        if let Err(refusal) = check(head, &epoch.hosts, true) {
            return Mcp::refused(head, refusal);
        }
        let frames = body.map(|part| part.map(|mut part| Frame::data(part.copy_to_bytes(part.remaining()))));
        let body = Box::pin(StreamBody::new(frames));
        let peer = head.arrival.peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        let client = self.proxies.client(peer, &head.headers);
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let far = AtomicBool::new(false);
        let detail = |slug: &str, locale| near_body((&self.live, &epoch), &far, slug, locale);
        let begun = self.mcp.begin_near(head, body, (&scope(&epoch, detail), &far), client, now_ms).await;
        let (threads, call) = match begun {
            Outcome::Ready(response) => return closing(head, response),
            Outcome::Heavy(call) => (&self.live.searches, call),
            Outcome::Far(call) => (&self.live.fetches, call),
        };
        closing(head, call_aside(&self.live, threads, epoch, call).await)
    }
}

/// Ends the connection of a request after which nothing is trusted: a length may have been named besides its coding,
/// and where two framings met the next request may begin anywhere (RFC 9112, section 6.1). hyper has dropped the
/// length, so that it cannot be told.
fn closing(head: &Head, mut response: Response<Bytes>) -> Response<Bytes> {
    if head.headers.contains_key(header::TRANSFER_ENCODING) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Answers a tool call that is much work on a thread of its own.
async fn call_aside(
    live: &Arc<Live>,
    threads: &Searches,
    epoch: Arc<Epoch>,
    call: Pending,
) -> Response<Bytes> {
    let call = Arc::new(call);
    let work = {
        let (live, call) = (Arc::clone(live), Arc::clone(&call));
        move || {
            let detail = |slug: &str, locale| program_body(&live, &epoch, slug, locale);
            call.finish(&scope(&epoch, detail))
        }
    };
    threads.run(work).await.unwrap_or_else(|Busy| {
        if std::ptr::eq(threads, &live.searches) {
            live.metrics.overloads.add();
        }
        call.refused()
    })
}

/// What tool calls are answered from.
fn scope<D>(epoch: &Epoch, detail: D) -> mcp::Epoch<'_, D> {
    let base_url = &epoch.generation().manifest().base_url;
    mcp::Epoch { base_url, site: epoch.site(), dated: &epoch.dated, detail }
}

/// Answers a request here or, when that would hold others up, on a thread of its own.
async fn respond(live: &Arc<Live>, head: &Head) -> Reply {
    let epoch = Arc::clone(&live.epoch());
    let is_far = match guarded(live, || attempted(live, &epoch, head)) {
        Outcome::Ready(reply) => return reply,
        Outcome::Heavy(_) => false,
        Outcome::Far(_) => true,
    };
    let (shared, head) = (Arc::clone(live), head.clone());
    let work = move || guarded(&shared, || checked(&shared, &epoch, &head, Place::Aside));
    match is_far {
        true => live.fetches.run(work).await.unwrap_or_else(|Busy| Reply::unreadable_now()),
        false => live.searches.run(work).await.unwrap_or_else(|Busy| {
            live.metrics.overloads.add();
            Reply::overloaded()
        }),
    }
}

/// Answers a request; a panic costs it a 500 and nothing else.
fn guarded<R: From<Reply>>(live: &Live, answer: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
        live.metrics.panics.add();
        let message = "The server could not complete the request.";
        Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, message).into()
    })
}

/// Answers a request on any path but `/mcp` among others, if it may be answered and is little work.
fn attempted(live: &Live, epoch: &Epoch, head: &Head) -> Attempt {
    let route = route(&head.path);
    match check(head, &epoch.hosts, route == Route::Mcp) {
        Err(refusal) => refused(refusal).into(),
        Ok(()) => {
            let now = crate::clock::now();
            attempt(&Asked { live, epoch, head, now, place: Place::Here, far: Cell::default() }, &route)
        }
    }
}

/// Answers a request on any path but `/mcp`, on this thread, if it may be answered.
#[must_use]
pub fn checked(live: &Live, epoch: &Epoch, head: &Head, place: Place) -> Reply {
    let route = route(&head.path);
    if let Err(refusal) = check(head, &epoch.hosts, route == Route::Mcp) {
        return refused(refusal);
    }
    answer(&Asked { live, epoch, head, now: crate::clock::now(), place, far: Cell::default() }, &route)
}

/// What a refused request is answered.
pub(crate) fn refused(refusal: Refusal) -> Reply {
    let reply = match refusal.status {
        StatusCode::METHOD_NOT_ALLOWED => Reply::method_not_allowed(),
        status => Reply::refusal(status, refusal.message),
    };
    if refusal.close { reply.with(header::CONNECTION, HeaderValue::from_static("close")) } else { reply }
}

impl Reply {
    /// As HTTP has it.
    pub(crate) fn into_response(self) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
