//! The tool endpoint at `/mcp`: MCP over Streamable HTTP without sessions, streams or batches, for 2025-11-25 (with its
//! handshake) and 2026-07-28 (stateless). One request, one JSON answer.
//!
//! The order of refusals is part of the contract: origin 403, method 405, rate 429, content type 415, accept 406, body
//! 413 and 408, JSON and message 400, version and envelope 400, then the method. The host is checked before.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Body;
use ipnet::IpNet;
use net::blocking_pool::{Outcome, is_heavy};
use net::precheck::HttpError;
use net::rate_limit::{Quota, RateLimiter};
use net::request_head::RequestHead;

use crate::arguments::{ArgumentError, ToolError};
use crate::context::Context;
use crate::contract::{self, Contract, File};
use crate::dispatch;
use crate::envelope::Message;
use crate::origin::{Forbidden, Origins};
use crate::protocol_version;
use crate::reply::{self, Caller, Reply, RpcError};
use crate::request_body;

/// A refused request's body is read for its id when it is no longer than this.
const SMALL_BODY: u64 = 4096;

/// Configuration of the endpoint.
#[derive(Clone, Debug)]
pub struct Config {
    /// Browser origins that are allowed, besides that of the base URL.
    pub origins: Vec<String>,
    /// Requests a minute and client; 0 is no limit.
    pub rate_per_minute: u32,
    /// Networks with addresses that many clients share, and the limit for each such address.
    pub shared_egress: Vec<(IpNet, u32)>,
    /// Time for a request body to arrive.
    pub body_deadline: Duration,
}

impl Default for Config {
    /// 60 requests a minute, 10 seconds for a body, no origin but the server's own.
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            rate_per_minute: 60,
            shared_egress: Vec::new(),
            body_deadline: Duration::from_secs(10),
        }
    }
}

/// The endpoint. It outlives generations: a new one does not reset the rate limit.
pub struct Endpoint {
    file: File<'static>,
    config: Config,
    limiter: RateLimiter,
    /// The contract for the directory of the last request.
    site: ArcSwapOption<SiteContract>,
}

/// The contract for the name, title and base URL of a directory; rebuilt when they change.
struct SiteContract {
    base_url: String,
    name: String,
    title: String,
    contract: Contract,
    origins: Origins,
}

/// A request that was read and admitted, ready to be answered on any thread.
pub struct PendingCall {
    site: Arc<SiteContract>,
    head: Arc<RequestHead>,
    body: Bytes,
    caller: Caller,
}

impl PendingCall {
    /// Whether answering on this thread would delay other requests.
    fn is_heavy(&self, context: &Context<'_>) -> bool {
        is_heavy(Message::parse(&self.body).map_or(0, |message| dispatch::price(context, &message)))
    }

    /// The answer.
    pub fn respond(&self, context: &Context<'_>) -> Response<Bytes> {
        let reply = match Message::parse(&self.body) {
            Ok(message) => self.site.answer(&self.head.headers, &message, context),
            Err((id, error)) => error.reply(id),
        };
        let response = reply.response(&self.caller);
        reply::coded(&self.head.headers, response)
    }

    /// The answer when the pool is full.
    pub fn refused(&self) -> Response<Bytes> {
        let id = Message::parse(&self.body).ok().and_then(|message| message.id);
        RpcError::busy().reply(id).response(&self.caller)
    }
}

impl Endpoint {
    /// An endpoint.
    ///
    /// # Errors
    ///
    /// If the embedded contract cannot be read, which its tests rule out.
    pub fn new(config: Config) -> Result<Self, serde_json::Error> {
        Ok(Self {
            file: contract::file()?,
            limiter: RateLimiter::new(config.rate_per_minute, config.shared_egress.clone()),
            config,
            site: ArcSwapOption::empty(),
        })
    }

    fn site(&self, context: &Context<'_>) -> Arc<SiteContract> {
        let about = &context.site.lists.about;
        let now = (context.base_url, about.name.as_str(), about.title.as_str());
        let last = self.site.load_full();
        if let Some(site) = last.filter(|site| (&*site.base_url, &*site.name, &*site.title) == now) {
            return site;
        }
        let (base_url, name, title) = now;
        let allowed = self.config.origins.iter().map(String::as_str);
        let rate = self.config.rate_per_minute;
        let site = Arc::new(SiteContract {
            contract: Contract::new(&self.file, rate, base_url, (name, title)),
            origins: Origins::new(std::iter::once(base_url).chain(allowed)),
            base_url: base_url.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
        });
        self.site.store(Some(Arc::clone(&site)));
        site
    }

    /// Answers a request to `/mcp`, unless that has to be done in a pool. The rate is counted for `client`; `now_ms` is
    /// monotonic. Never fails: every request gets a status of the contract.
    pub async fn call<B>(
        &self,
        head: Arc<RequestHead>,
        mut body: B,
        context: &Context<'_>,
        client: IpAddr,
        now_ms: u64,
    ) -> Outcome<Response<Bytes>, PendingCall>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let site = self.site(context);
        let mut caller = Caller::default();
        caller.origin = match site.origins.check(&head.headers) {
            Ok(origin) => origin,
            Err(Forbidden) => {
                let error = RpcError::transport(StatusCode::FORBIDDEN, "Origin not allowed");
                return Outcome::Ready(error.reply(None).response(&caller));
            }
        };
        let reply = match self.admit(&head, client, now_ms, &mut caller.quota) {
            _ if head.method == Method::OPTIONS => Reply::new(StatusCode::NO_CONTENT, Bytes::new()),
            Ok(()) => match request_body::read(&head.headers, &mut body, self.config.body_deadline).await {
                Ok(body) => {
                    let call = PendingCall { site, head, body, caller };
                    return match call.is_heavy(context) {
                        true => Outcome::Heavy(call),
                        false => Outcome::Ready(call.respond(context)),
                    };
                }
                Err(error) => error.reply(None),
            },
            Err(error) => self.refuse(&head.headers, &mut body, &error).await,
        };
        Outcome::Ready(reply.response(&caller))
    }

    /// The answer to a request that was refused before [`Self::call`], for its host for example.
    pub fn refused(error: HttpError) -> Response<Bytes> {
        let error = RpcError::transport(error.status, error.message).closing(error.close);
        error.reply(None).response(&Caller::default())
    }

    /// The checks before the body is read.
    fn admit(
        &self,
        head: &RequestHead,
        client: IpAddr,
        now_ms: u64,
        quota: &mut Option<Quota>,
    ) -> Result<(), RpcError> {
        let refuse = |status, message| Err(RpcError::transport(status, message));
        if head.method != Method::POST {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "MCP endpoint, POST only");
        }
        match self.limiter.admit(client, now_ms) {
            Ok(left) => *quota = left,
            Err(none) => {
                *quota = Some(none);
                return Err(RpcError::rate(none));
            }
        }
        if !is_json(&head.headers) {
            let message = "Content-Type must be application/json, without a Content-Encoding";
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        }
        if !accepts_json(&head.headers) {
            return refuse(StatusCode::NOT_ACCEPTABLE, "Accept must allow application/json");
        }
        Ok(())
    }

    /// Refuses a request. Clients match responses by id: over the rate limit a small body is read for it.
    async fn refuse<B>(&self, headers: &HeaderMap, body: &mut B, error: &RpcError) -> Reply
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let is_small = request_body::declared(headers).is_some_and(|length| length <= SMALL_BODY);
        if error.status != StatusCode::TOO_MANY_REQUESTS || !is_small {
            return error.reply(None);
        }
        let Ok(body) = request_body::read(headers, body, self.config.body_deadline).await else {
            return error.reply(None);
        };
        let id = match Message::parse(&body) {
            Ok(message) => message.id,
            Err((id, _)) => id,
        };
        error.reply(id)
    }
}

impl SiteContract {
    fn answer(&self, headers: &HeaderMap, message: &Message<'_>, context: &Context<'_>) -> Reply {
        let Some(id) = message.id else { return notified(headers, message) };
        let result = protocol_version::of(headers, message).map_err(ToolError::Rpc);
        let result = result.and_then(|protocol| {
            let call = dispatch::Call { contract: &self.contract, context, protocol, message };
            // A panic in one answer must not cost the connection's other answers.
            catch_unwind(AssertUnwindSafe(|| call.answer(id)))
                .unwrap_or_else(|_| Err(RpcError::internal().into()))
        });
        match result {
            Ok(body) => Reply::new(StatusCode::OK, body),
            Err(ToolError::Rpc(error)) => error.reply(Some(id)),
            Err(ToolError::Argument(ArgumentError(text))) => RpcError::params(text).reply(Some(id)),
        }
    }
}

fn notified(headers: &HeaderMap, message: &Message<'_>) -> Reply {
    if let Err(error) = protocol_version::of_notification(headers) {
        return error.reply(None);
    }
    if message.method.starts_with("notifications/") {
        Reply::new(StatusCode::ACCEPTED, Bytes::new())
    } else {
        RpcError::message("Invalid request: a request needs an id").reply(None)
    }
}

/// Whether the headers declare the body as uncompressed JSON in UTF-8.
fn is_json(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_identity = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None, true) = (types.next(), types.next(), encodings.all(is_identity)) else {
        return false;
    };
    let Ok(only) = only.to_str() else { return false };
    let mut parts = only.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

/// Whether the client accepts JSON. Ranges that include JSON count, and so does `text/event-stream` alone, which this
/// endpoint never sends: many clients set the header carelessly.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::ACCEPT).iter().peekable();
    named.peek().is_none()
        || named.any(|value| value.to_str().is_ok_and(|value| value.split(',').any(is_acceptable)))
}

fn is_acceptable(item: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default().to_ascii_lowercase();
    let known = ["*/*", "application/*", "application/json", "text/event-stream"].contains(&range.as_str());
    let refused = parts.any(|parameter| {
        let weight = parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
        weight.is_some_and(|(_, weight)| weight.trim().parse() == Ok(0.0))
    });
    known && !refused
}
