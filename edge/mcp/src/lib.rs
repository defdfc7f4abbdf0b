#![doc = include_str!("../README.md")]
// Requests reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

//! The tool interface at `/mcp`: MCP over Streamable HTTP without sessions, streams or batches, for
//! 2025-11-25 (with its handshake) and 2026-07-28 (without); for 2025-06-18 too where the operator says
//! so. One request, one JSON answer.
//!
//! The order of refusals is the contract: origin 403, method 405, rate 429, content type 415,
//! accept 406, body 413 and 408, JSON and message 400, version and envelope 400, then the method.
//! The host is checked before a request comes here.

mod arguments;
mod body;
mod complete;
mod concise;
mod contract;
mod dispatch;
mod envelope;
mod nearest;
mod options;
mod origin;
mod place_names;
mod prompt;
mod protocol_version;
mod question;
mod record;
mod reply;
mod resource;
mod search;
mod state;
mod vocabulary;
mod write;

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use hyper::body::Body;
use ipnet::IpNet;
use serde_json::value::RawValue;
use snapshot::page::{Dated, Site};
use snapshot::record::Locale;

use contract::{Contract, File};
use envelope::Message;
use net::blocking_pool::{Outcome, is_heavy};
use net::precheck;
use net::rate_limit::Limiter;
use net::request_head::Head;
use origin::{Forbidden, Origins};
pub use protocol_version::Older;
use protocol_version::Spoken;
use reply::{Fault, Reply};

/// A refused request's body is read for its id when it is no longer than this.
const SMALL_BODY: u64 = 4096;

/// How a server is told to answer.
#[derive(Clone, Debug)]
pub struct Config {
    /// Browser origins that may call, besides that of the base URL.
    pub origins: Vec<String>,
    /// Requests a minute and client; 0 is no limit.
    pub rate_per_minute: u32,
    /// Networks whose addresses many people share, and the limit of an address there.
    pub shared_egress: Vec<(IpNet, u32)>,
    /// Time for a request body to arrive.
    pub body_deadline: Duration,
    /// A version before the two that are always spoken.
    pub older: Option<Older>,
}

impl Default for Config {
    /// 60 requests a minute, 10 seconds for a body, no origin but the server's own.
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            rate_per_minute: 60,
            shared_egress: Vec::new(),
            body_deadline: Duration::from_secs(10),
            older: None,
        }
    }
}

/// What an answer is made of: one state for the whole request.
pub struct Epoch<'a, D> {
    /// Scheme and authority of the public address, without a slash at the end.
    pub base_url: &'a str,
    /// The directory.
    pub site: &'a Site,
    /// What depends on the day.
    pub dated: &'a Dated,
    /// ProgramDetailResponse of a published slug, for that day.
    pub detail: D,
}

/// The endpoint. It outlives epochs: a new generation does not forget who has asked how often.
pub struct Mcp {
    file: File<'static>,
    config: Config,
    limiter: Limiter,
    /// For the directory that was asked last.
    face: ArcSwapOption<Face>,
}

/// What follows from how a directory is called and where it is; made when that changes.
struct Face {
    base_url: String,
    name: String,
    title: String,
    contract: Contract,
    origins: Origins,
    spoken: Spoken,
}

/// The same as [`Epoch`], as handlers take it.
struct Scope<'a> {
    site: &'a Site,
    dated: &'a Dated,
    detail: &'a dyn Fn(&str, Locale) -> Option<Bytes>,
    base_url: &'a str,
}

impl Scope<'_> {
    /// The day that answers are right for, as JSON.
    fn day(&self) -> String {
        reply::json(&self.dated.day().date().map(|date| date.to_string()))
    }
}

/// A request that was read and admitted, ready to be answered on whatever thread.
pub struct Pending {
    face: Arc<Face>,
    head: Head,
    body: Bytes,
    origin: Option<HeaderValue>,
}

impl Pending {
    /// Whether to answer it here would hold others up.
    fn is_heavy<D>(&self, epoch: &Epoch<'_, D>) -> bool
    where
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        let price = |message: Message<'_>| dispatch::price(&self.face.scope(epoch), &message);
        is_heavy(Message::parse(&self.body).map_or(0, price))
    }

    /// The answer.
    pub fn finish<D>(&self, epoch: &Epoch<'_, D>) -> Response<Bytes>
    where
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        let reply = match Message::parse(&self.body) {
            Ok(message) => self.face.answer(&self.head.headers, &message, epoch),
            Err((id, fault)) => fault.reply(id),
        };
        let response = reply.response(self.head.arrival.version, self.origin.clone());
        reply::coded(&self.head.headers, response)
    }

    /// The answer when too much of its kind is under way.
    #[must_use]
    pub fn refused(&self) -> Response<Bytes> {
        let id = Message::parse(&self.body).ok().and_then(|message| message.id);
        Fault::busy().reply(id).response(self.head.arrival.version, self.origin.clone())
    }
}

impl Mcp {
    /// An endpoint. Fails only when the embedded contract cannot be read, which its tests rule out.
    ///
    /// # Errors
    ///
    /// If the embedded contract cannot be read, which its tests rule out.
    pub fn new(config: Config) -> Result<Self, serde_json::Error> {
        Ok(Self {
            file: contract::file()?,
            limiter: Limiter::new(config.rate_per_minute, config.shared_egress.clone()),
            config,
            face: ArcSwapOption::empty(),
        })
    }

    fn face<D>(&self, epoch: &Epoch<'_, D>) -> Arc<Face> {
        let about = &epoch.site.lists.about;
        let now = (epoch.base_url, about.name.as_str(), about.title.as_str());
        let last = self.face.load_full();
        if let Some(face) = last.filter(|face| (&*face.base_url, &*face.name, &*face.title) == now) {
            return face;
        }
        let (base_url, name, title) = now;
        let allowed = self.config.origins.iter().map(String::as_str);
        let (rate, spoken) = (self.config.rate_per_minute, Spoken::new(self.config.older));
        let face = Arc::new(Face {
            contract: Contract::new(&self.file, rate, base_url, (name, title), &spoken),
            spoken,
            origins: Origins::new(std::iter::once(base_url).chain(allowed)),
            base_url: base_url.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
        });
        self.face.store(Some(Arc::clone(&face)));
        face
    }

    /// Answers a request to `/mcp` on this thread, however much work it is; see [`Mcp::begin`].
    pub async fn handle<B, D>(
        &self,
        head: &Head,
        body: B,
        epoch: &Epoch<'_, D>,
        client: IpAddr,
        now_ms: u64,
    ) -> Response<Bytes>
    where
        B: Body<Data = Bytes> + Unpin,
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        match self.begin(head, body, epoch, client, now_ms).await {
            Outcome::Ready(response) => response,
            Outcome::Heavy(pending) | Outcome::Far(pending) => pending.finish(epoch),
        }
    }

    /// Answers a request to `/mcp`, unless that is much work. `client` is whom the rate is counted for,
    /// `now_ms` reads a clock that never goes back. Never fails: whatever comes has a status of the
    /// contract.
    pub async fn begin<B, D>(
        &self,
        head: &Head,
        body: B,
        epoch: &Epoch<'_, D>,
        client: IpAddr,
        now_ms: u64,
    ) -> Outcome<Response<Bytes>, Pending>
    where
        B: Body<Data = Bytes> + Unpin,
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        self.begin_near(head, body, (epoch, &AtomicBool::new(false)), client, now_ms).await
    }

    /// The same for a detail that sets `far` where there is none here yet: then it is to be asked for aside.
    pub async fn begin_near<B, D>(
        &self,
        head: &Head,
        mut body: B,
        (epoch, far): (&Epoch<'_, D>, &AtomicBool),
        client: IpAddr,
        now_ms: u64,
    ) -> Outcome<Response<Bytes>, Pending>
    where
        B: Body<Data = Bytes> + Unpin,
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        let face = self.face(epoch);
        let origin = match face.origins.check(&head.headers) {
            Ok(origin) => origin,
            Err(Forbidden) => {
                let fault = Fault::transport(StatusCode::FORBIDDEN, "Origin not allowed");
                return fault.reply(None).response(head.arrival.version, None).into();
            }
        };
        let reply = match self.admit(head, client, now_ms) {
            Ok(()) => match body::read(&head.headers, &mut body, self.config.body_deadline).await {
                Ok(body) => {
                    let pending = Pending { face, head: head.clone(), body, origin };
                    return match pending.is_heavy(epoch) {
                        true => Outcome::Heavy(pending),
                        false => {
                            let response = pending.finish(epoch);
                            if far.load(Relaxed) { Outcome::Far(pending) } else { response.into() }
                        }
                    };
                }
                Err(fault) => fault.reply(None),
            },
            Err(Refusal::Done(reply)) => reply,
            Err(Refusal::Rate(fault)) => self.refuse(&head.headers, &mut body, &fault).await,
        };
        reply.response(head.arrival.version, origin).into()
    }

    /// The answer to a request that is refused before it comes here: an unapproved host, say.
    #[must_use]
    pub fn refused(head: &Head, refusal: precheck::Refusal) -> Response<Bytes> {
        let fault = Fault::transport(refusal.status, refusal.message).closing(refusal.close);
        fault.reply(None).response(head.arrival.version, None)
    }

    /// Everything that is decided before the body is read.
    fn admit(&self, head: &Head, client: IpAddr, now_ms: u64) -> Result<(), Refusal> {
        let refuse = |status, message| Err(Refusal::Done(Fault::transport(status, message).reply(None)));
        if head.method == Method::OPTIONS {
            return Err(Refusal::Done(Reply::new(StatusCode::NO_CONTENT, Bytes::new())));
        }
        if head.method != Method::POST {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "MCP endpoint, POST only");
        }
        if let Err(refused) = self.limiter.admit(client, now_ms) {
            return Err(Refusal::Rate(Fault::rate(refused.retry_after, refused.per_minute)));
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

    /// Refuses over the rate; clients tell their requests apart by the id, so a small body is read
    /// for it.
    async fn refuse<B>(&self, headers: &HeaderMap, body: &mut B, fault: &Fault) -> Reply
    where
        B: Body<Data = Bytes> + Unpin,
    {
        if body::declared(headers).is_none_or(|length| length > SMALL_BODY) {
            return fault.reply(None);
        }
        let Ok(body) = body::read(headers, body, self.config.body_deadline).await else {
            return fault.reply(None);
        };
        let id = match Message::parse(&body) {
            Ok(message) => message.id,
            Err((id, _)) => id,
        };
        fault.reply(id)
    }
}

impl Face {
    fn scope<'a, D>(&'a self, epoch: &'a Epoch<'_, D>) -> Scope<'a>
    where
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        Scope { site: epoch.site, dated: epoch.dated, detail: &epoch.detail, base_url: &self.base_url }
    }

    fn answer<D>(&self, headers: &HeaderMap, message: &Message<'_>, epoch: &Epoch<'_, D>) -> Reply
    where
        D: Fn(&str, Locale) -> Option<Bytes>,
    {
        let Some(id) = message.id else { return notified(&self.spoken, headers, message) };
        let result = protocol_version::of(&self.spoken, headers, message).and_then(|era| {
            // A fault of ours in one answer must not cost the connection's other answers.
            catch_unwind(AssertUnwindSafe(|| self.dispatch(era, id, message, &self.scope(epoch))))
                .unwrap_or_else(|_| Err(Fault::internal()))
        });
        match result {
            Ok(body) => Reply::new(StatusCode::OK, body),
            Err(fault) => fault.reply(Some(id)),
        }
    }

    fn dispatch(
        &self,
        era: protocol_version::Era,
        id: &RawValue,
        message: &Message<'_>,
        scope: &Scope<'_>,
    ) -> Result<Vec<u8>, Fault> {
        dispatch::Call { contract: &self.contract, spoken: &self.spoken, scope, era, message }.answer(id)
    }
}

/// Why a request is refused before its body is read.
enum Refusal {
    Done(Reply),
    Rate(Fault),
}

fn notified(spoken: &Spoken, headers: &HeaderMap, message: &Message<'_>) -> Reply {
    if let Err(fault) = protocol_version::of_notification(spoken, headers) {
        return fault.reply(None);
    }
    if message.method.starts_with("notifications/") {
        Reply::new(StatusCode::ACCEPTED, Bytes::new())
    } else {
        Fault::message("Invalid request: a request needs an id").reply(None)
    }
}

/// Whether the body says that it is plain JSON in UTF-8.
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

/// Whether the client takes JSON, or only says that it takes what this endpoint never sends: an
/// event stream. Clients are careless here, so anything that may mean JSON does.
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
