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
use net::conditional::parameters;
use net::precheck::HttpError;
use net::rate_limit::RateLimiter;
use net::request_head::RequestHead;

use crate::context::Context;
use crate::contract::{Contract, FILE, File};
use crate::dispatch;
use crate::envelope::Message;
use crate::protocol_version;
use crate::reply::{Caller, RpcError, coded};
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

/// The contract for a directory; rebuilt when that changes.
struct SiteContract {
    /// Base URL, name and title.
    directory: [String; 3],
    contract: Contract,
    /// Browser origins that may use the endpoint (RFC 6454), normalized: that of the base URL, and others.
    origins: Vec<String>,
}

/// A request that was read and admitted, ready to be answered on any thread.
pub struct PendingCall {
    site: Arc<SiteContract>,
    head: Arc<RequestHead>,
    body: Bytes,
    caller: Caller,
}

impl PendingCall {
    /// The answer.
    pub fn respond(&self, context: &Context<'_>) -> Response<Bytes> {
        let response = match Message::parse(&self.body) {
            Ok(message) => self.answer(&message, context),
            Err((id, error)) => error.response(id, &self.caller),
        };
        coded(&self.head.headers, response)
    }

    fn answer(&self, message: &Message<'_>, context: &Context<'_>) -> Response<Bytes> {
        let (headers, caller) = (&self.head.headers, &self.caller);
        let Some(id) = message.id else {
            return match protocol_version::of_notification(headers) {
                Err(error) => error.response(None, caller),
                Ok(()) if message.method.starts_with("notifications/") => {
                    caller.response(StatusCode::ACCEPTED, Bytes::new())
                }
                Ok(()) => RpcError::invalid("a request needs an id").response(None, caller),
            };
        };
        let result = protocol_version::of(headers, message).and_then(|protocol| {
            let call = dispatch::Call { contract: &self.site.contract, context, protocol, message };
            // A panic in one answer must not cost the connection's other answers.
            catch_unwind(AssertUnwindSafe(|| call.answer(id))).unwrap_or_else(|_| Err(RpcError::internal()))
        });
        match result {
            Ok(body) => caller.response(StatusCode::OK, body),
            Err(error) => error.response(Some(id), caller),
        }
    }

    /// The answer when the pool is full.
    pub fn refused(&self) -> Response<Bytes> {
        let id = Message::parse(&self.body).ok().and_then(|message| message.id);
        RpcError::busy().response(id, &self.caller)
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
            file: serde_json::from_str(FILE)?,
            limiter: RateLimiter::new(config.rate_per_minute, config.shared_egress.clone()),
            config,
            site: ArcSwapOption::empty(),
        })
    }

    fn site(&self, context: &Context<'_>) -> Arc<SiteContract> {
        let about = &context.site.lists.about;
        let now = [context.base_url, &about.name, &about.title];
        if let Some(site) = self.site.load_full().filter(|site| site.directory == now) {
            return site;
        }
        let [base_url, name, title] = now;
        let allowed = self.config.origins.iter().map(String::as_str);
        let rate = self.config.rate_per_minute;
        let site = Arc::new(SiteContract {
            contract: Contract::new(&self.file, rate, base_url, (name, title)),
            origins: std::iter::once(base_url).chain(allowed).filter_map(normal).collect(),
            directory: now.map(str::to_owned),
        });
        self.site.store(Some(Arc::clone(&site)));
        site
    }

    /// Answers a request to `/mcp`, unless that has to be done in a pool. The rate is counted for `client`; `now_ms` is
    /// monotonic. Never fails: every request gets a status of the contract.
    pub async fn call(
        &self,
        head: Arc<RequestHead>,
        mut body: impl Body<Data = Bytes> + Unpin,
        context: &Context<'_>,
        client: IpAddr,
        now_ms: u64,
    ) -> Outcome<Response<Bytes>, PendingCall> {
        let (site, mut caller) = (self.site(context), Caller::default());
        let is_small = || request_body::declared(&head.headers).is_some_and(|length| length <= SMALL_BODY);
        let response = match self.admit(&site, &head, (client, now_ms), &mut caller) {
            Ok(false) => caller.response(StatusCode::NO_CONTENT, Bytes::new()),
            Ok(true) => match request_body::read(&head.headers, &mut body, self.config.body_deadline).await {
                Ok(body) => {
                    let price = Message::parse(&body).map_or(0, |it| dispatch::price(context, &it));
                    let call = PendingCall { site, head, body, caller };
                    return match is_heavy(price) {
                        true => Outcome::Heavy(call),
                        false => Outcome::Ready(call.respond(context)),
                    };
                }
                Err(error) => error.response(None, &caller),
            },
            // Clients match responses by id: over the rate limit a small body is read for it.
            Err(error) if error.status == StatusCode::TOO_MANY_REQUESTS && is_small() => {
                let body = request_body::read(&head.headers, &mut body, self.config.body_deadline).await;
                let body = body.unwrap_or_default();
                let id = Message::parse(&body).map_or_else(|(id, _)| id, |message| message.id);
                error.response(id, &caller)
            }
            Err(error) => error.response(None, &caller),
        };
        Outcome::Ready(response)
    }

    /// The answer to a request that was refused before [`Self::call`], for its host for example.
    pub fn refused(error: HttpError) -> Response<Bytes> {
        let mut refused = RpcError::transport(error.status, error.message);
        refused.close = error.close;
        refused.response(None, &Caller::default())
    }

    /// The checks before the body is read, and whether there is one to read: a preflight has none.
    fn admit(
        &self,
        site: &SiteContract,
        head: &RequestHead,
        (client, now_ms): (IpAddr, u64),
        caller: &mut Caller,
    ) -> Result<bool, RpcError> {
        let refuse = |status, message| Err(RpcError::transport(status, message));
        caller.origin = site.origin(&head.headers)?;
        if head.method == Method::OPTIONS {
            return Ok(false);
        }
        if head.method != Method::POST {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "MCP endpoint, POST only");
        }
        let admitted = self.limiter.admit(client, now_ms);
        caller.quota = admitted.unwrap_or_else(Some);
        admitted.map_err(RpcError::rate)?;
        if !is_json(&head.headers) {
            let message = "Content-Type must be application/json, without a Content-Encoding";
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        }
        if !accepts_json(&head.headers) {
            return refuse(StatusCode::NOT_ACCEPTABLE, "Accept must allow application/json");
        }
        Ok(true)
    }
}

impl SiteContract {
    /// The origin of a request, `None` without an `Origin` header.
    fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, RpcError> {
        let mut named = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = named.next() else { return Ok(None) };
        let normal = origin.to_str().ok().and_then(normal).filter(|_| named.next().is_none());
        match normal.is_some_and(|normal| self.origins.contains(&normal)) {
            true => Ok(Some(origin.clone())),
            false => Err(RpcError::transport(StatusCode::FORBIDDEN, "Origin not allowed")),
        }
    }
}

/// Scheme, host and port in lower case, without the scheme's own port; `None` when it is no origin.
fn normal(origin: &str) -> Option<String> {
    let origin = origin.to_ascii_lowercase();
    let (scheme, authority) = origin.split_once("://")?;
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let default = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let authority = authority.strip_suffix(default).unwrap_or(authority);
    let is_origin =
        !scheme.is_empty() && !authority.is_empty() && !authority.contains(['/', '@', '?', '#', ' ', ',']);
    is_origin.then(|| format!("{scheme}://{authority}"))
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
    let is_utf8 = |charset: &str| charset.trim_matches('"').eq_ignore_ascii_case("utf-8");
    let (essence, _) = only.split_once(';').unwrap_or((only, ""));
    essence.trim().eq_ignore_ascii_case("application/json") && parameters(only, "charset").all(is_utf8)
}

/// Whether the client accepts JSON. Ranges that include JSON count, and so does `text/event-stream` alone, which this
/// endpoint never sends: many clients set the header carelessly.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::ACCEPT).iter().peekable();
    named.peek().is_none()
        || named.any(|value| value.to_str().is_ok_and(|value| value.split(',').any(is_acceptable)))
}

fn is_acceptable(item: &str) -> bool {
    let (range, _) = item.split_once(';').unwrap_or((item, ""));
    let range = range.trim().to_ascii_lowercase();
    let known = ["*/*", "application/*", "application/json", "text/event-stream"].contains(&range.as_str());
    known && !parameters(item, "q").any(|weight| weight.parse() == Ok(0.0))
}
