//! A request in the server: checked and routed once, answered on this thread or in a pool, then logged and counted.

use std::net::{IpAddr, Ipv4Addr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Body;
use mcp::{Endpoint, ReadDetail};
use net::blocking_pool::{BlockingPool, Outcome, PoolFull, is_heavy};
use net::precheck::{HttpError, check};
use net::request_head::RequestHead;
use snapshot::record::EntityType;
use tokio::sync::OwnedSemaphorePermit;

use crate::metrics::ABANDONED;
use crate::reply::{CONGESTED, FAILED, OVERLOADED, Reply};
use crate::route::Route;
use crate::server::Server;
use crate::serving_state::ServingState;

/// A request with its route and the state that answers it.
pub(crate) struct Request {
    pub(crate) server: Arc<Server>,
    pub(crate) state: Arc<ServingState>,
    pub(crate) head: Arc<RequestHead>,
    pub(crate) route: Route,
    /// Time of the request, in seconds since 1970.
    pub(crate) now: u64,
    began: Instant,
    /// Whether it is counted and logged.
    is_counted: AtomicBool,
    /// Its client's turn, until the work for it has ended, also where nobody waits for that.
    pub(crate) turn: Option<OwnedSemaphorePermit>,
}

/// What remains to be done for a reply, on a thread that may block, and the pool of such threads.
pub(crate) type Work = (fn(&Server) -> &BlockingPool, Box<dyn FnOnce(&Request) -> Reply + Send>);

/// A reply, or the work that leads to one.
pub(crate) type Answer = Outcome<Reply, Work>;

impl Request {
    /// A request that has just been received.
    pub(crate) fn new(server: Arc<Server>, head: Arc<RequestHead>, route: Route) -> Self {
        let (state, now) = (Arc::clone(&server.state()), (server.options.clock)());
        let (began, is_counted, turn) = (Instant::now(), AtomicBool::new(false), None);
        Self { server, state, head, route, now, began, is_counted, turn }
    }

    /// Whether the request may be answered, and there is room for its response.
    pub(crate) fn check(&self) -> Result<(), HttpError> {
        if !self.head.has_room() {
            return Err(CONGESTED);
        }
        check(&self.head, &self.state.hosts, self.route == Route::Tools).inspect_err(|error| {
            if error.status == StatusCode::MISDIRECTED_REQUEST {
                crate::log::misdirected(&self.head);
            }
        })
    }

    /// Answers a request to any route but the tools.
    pub(crate) async fn respond(self) -> Response<Bytes> {
        let (pool, work) = match self.guarded(|| self.answer()) {
            Outcome::Ready(reply) => return self.finish(reply),
            Outcome::Heavy(work) => work,
        };
        self.run(pool, work, |_| OVERLOADED.into()).await
    }

    /// Does work in a pool; `refused` is the reply when that is full.
    async fn run(
        self,
        pool: fn(&Server) -> &BlockingPool,
        work: impl FnOnce(&Self) -> Reply + Send + 'static,
        refused: impl FnOnce(&Self) -> Reply,
    ) -> Response<Bytes> {
        let request = Arc::new(self);
        let shared = Arc::clone(&request);
        let reply = pool(&request.server).run(move || shared.guarded(|| work(&shared))).await;
        request.finish(reply.unwrap_or_else(|PoolFull| {
            request.server.metrics.overloads.add();
            refused(&request)
        }))
    }

    /// Does work of this price at once, or returns it for a pool.
    pub(crate) fn weighed(
        &self,
        price: u64,
        pool: fn(&Server) -> &BlockingPool,
        work: impl FnOnce(&Self) -> Reply + Send + 'static,
    ) -> Answer {
        if is_heavy(price) { Answer::Heavy((pool, Box::new(work))) } else { work(self).into() }
    }

    /// Answers a request to the tools.
    pub(crate) async fn call_tool(self, body: impl Body<Data = Bytes> + Send + Unpin) -> Response<Bytes> {
        if let Err(error) = self.check() {
            return self.finish(self.refusal(error));
        }
        let peer = self.head.peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        let client = self.server.options.proxies.client(peer, &self.head.headers);
        let now_ms = u64::try_from(self.server.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let detail = |slug: &str, locale| self.detail(slug, locale);
        let context = self.context(&detail);
        let call = self.server.mcp.call(Arc::clone(&self.head), body, &context, client, now_ms).await;
        let call = match call {
            Outcome::Ready(response) => return self.finish(self.closing(response)),
            Outcome::Heavy(call) => Arc::new(call),
        };
        let refused = Arc::clone(&call);
        let work = move |request: &Self| {
            let detail = |slug: &str, locale| request.detail(slug, locale);
            request.closing(call.respond(&request.context(&detail)))
        };
        let refused = move |request: &Self| request.closing(refused.refused());
        self.run(|server| &server.searches, work, refused).await
    }

    /// Ends the connection of a request whose framing cannot be trusted: a length may have been sent besides the
    /// coding, and where two framings meet the next request may begin anywhere (RFC 9112, section 6.1). hyper has
    /// dropped the length, so both cases are treated alike.
    fn closing(&self, response: Response<Bytes>) -> Reply {
        let reply = Reply::from(response);
        match self.head.headers.contains_key(header::TRANSFER_ENCODING) {
            true => reply.with(header::CONNECTION, HeaderValue::from_static("close")),
            false => reply,
        }
    }

    /// The data that the tools answer from.
    fn context<'a>(&'a self, detail: &'a ReadDetail<'a>) -> mcp::Context<'a> {
        let state = &self.state;
        mcp::Context { base_url: state.base_url(), site: state.site(), dated: &state.dated, detail }
    }

    /// Whether the query has a parameter that is going to leave: `field` of searches, and `lang`.
    fn is_deprecated(&self) -> bool {
        let names = |pair: &str| {
            pair.starts_with("lang=") || self.route == Route::Search && pair.starts_with("field=")
        };
        matches!(self.route, Route::Search | Route::Record(EntityType::Program) | Route::Details)
            && self.head.query().split('&').any(names)
    }

    /// Answers; a panic costs the request a 500 and nothing else.
    fn guarded<R: From<Reply>>(&self, answer: impl FnOnce() -> R) -> R {
        catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| {
            self.server.metrics.panics.add();
            self.refusal(FAILED).into()
        })
    }

    /// An error: of JSON-RPC, where a tool was called.
    fn refusal(&self, error: HttpError) -> Reply {
        if self.route == Route::Tools { Endpoint::refused(error).into() } else { error.into() }
    }

    /// The response, counted and logged. Its body counts as in flight until the client has taken it.
    pub(crate) fn finish(&self, mut reply: Reply) -> Response<Bytes> {
        if reply.status.is_server_error() {
            reply = self.error_for_people(reply);
        } else if reply.status == StatusCode::OK && self.is_deprecated() {
            reply = reply.deprecated();
        }
        if self.head.method == Method::HEAD && !reply.body.is_empty() {
            let length = HeaderValue::from(std::mem::take(&mut reply.body).len());
            reply.headers.insert(header::CONTENT_LENGTH, length);
        } else if !reply.body.is_empty() {
            let (whole, shared) =
                reply.shared.take().map_or((reply.body.len(), None), |(n, it)| (n, Some(it)));
            match self.head.hold(reply.body, whole, shared) {
                Some(body) => reply.body = body,
                None => reply = self.refusal(CONGESTED),
            }
        }
        if reply.status == StatusCode::NOT_MODIFIED {
            self.server.metrics.not_modified.add();
        }
        self.count(reply.status.as_u16(), reply.body.len());
        reply.into()
    }

    fn count(&self, status: u16, bytes: usize) {
        let took = self.began.elapsed();
        self.is_counted.store(true, Relaxed);
        self.server.metrics.request(self.route, &self.head.method, status, took);
        if self.server.options.access_log {
            crate::log::access(&self.head, status, bytes, took);
        }
    }
}

/// A request that was not answered: its client left, or its connection was cut. Where work was under way for it, that has
/// ended.
impl Drop for Request {
    fn drop(&mut self) {
        if !*self.is_counted.get_mut() {
            self.server.metrics.abandoned.add();
            self.count(ABANDONED, 0);
        }
    }
}
