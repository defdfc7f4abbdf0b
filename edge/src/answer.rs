//! Answers to GET on REST paths and pages: a pure function of the epoch, the request and the time.

mod changes;
mod computed;
mod files;
mod questions;

use std::cell::Cell;

use http::{HeaderValue, Method, StatusCode};
use snapshot::page::error;
use snapshot::record::Locale;

pub(crate) use self::computed::Question;
pub use self::files::program_body;
pub(crate) use self::files::{damaged, near_body};
use crate::cache_control::Lifetime;
use crate::reload::Live;
use crate::reply::Reply;
use crate::route::Route;
use crate::serving_state::Epoch;
use net::blocking_pool::Outcome;
use net::request_head::Head;

/// Where REST pages are among the files.
const API: &str = "api/v1/";

/// Where an answer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among other requests: what takes long is left to be done aside.
    Here,
    /// On a thread of its own.
    Aside,
}

/// A request on its way to an answer.
pub struct Asked<'a> {
    /// What outlives epochs.
    pub live: &'a Live,
    /// The state that answers it.
    pub epoch: &'a Epoch,
    /// Its head.
    pub head: &'a Head,
    /// When it came, in seconds since 1970.
    pub now: u64,
    /// Where the answer is made.
    pub place: Place,
    /// Set where it needs a body that has to come from a store, which is done aside.
    pub far: Cell<bool>,
}

/// A reply, or how much work it would be.
pub type Attempt = Outcome<Reply, u64>;

/// Answers a request on any path but `/mcp`, or says how much work that would be.
#[must_use]
pub fn attempt(asked: &Asked<'_>, route: &Route<'_>) -> Attempt {
    match routed(asked, route) {
        Outcome::Ready(_) if asked.far.get() => Outcome::Far(0),
        attempt => attempt,
    }
}

fn routed(asked: &Asked<'_>, route: &Route<'_>) -> Attempt {
    match asked.head.method {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => return Reply::options().into(),
        _ => return Reply::method_not_allowed().into(),
    }
    match route {
        Route::Search => asked.search(),
        Route::Program(slug) => asked.program(slug).into(),
        Route::Facet(name) => asked.facet(name),
        Route::List(list) => asked.list(*list),
        Route::Organization(slug) => asked.organization(slug).into(),
        Route::Recipient(slug) => asked.recipient(slug).into(),
        Route::Export => asked.export().into(),
        Route::Changes => asked.changes(),
        Route::ChangesFeed => asked.changes_feed(),
        Route::OpenApi => asked.document("openapi.json").into(),
        Route::Page(path) => asked.page(path),
        Route::Mcp | Route::NoApi => not_found("There is nothing at this path.").into(),
    }
}

/// Answers a request on any path but `/mcp`; what is too much work where it is asked is refused.
#[must_use]
pub fn answer(asked: &Asked<'_>, route: &Route<'_>) -> Reply {
    match attempt(asked, route) {
        Outcome::Ready(reply) => reply,
        Outcome::Heavy(_) | Outcome::Far(_) => Reply::overloaded(),
    }
}

pub(crate) fn not_found(message: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, error::message(message), Lifetime::Short)
}

impl<'a> Asked<'a> {
    pub(crate) fn query(&self) -> &'a str {
        self.head.query.as_deref().unwrap_or_default()
    }

    /// `Cache-Control` of what depends on the day.
    pub(crate) fn until_midnight(&self) -> HeaderValue {
        self.epoch.until_midnight(self.now)
    }
}

fn language(locale: Locale) -> HeaderValue {
    HeaderValue::from_static(locale.as_str())
}

/// A header value of text that was checked or encoded before.
pub(crate) fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}
