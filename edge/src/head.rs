//! The head of a request, as answers are made of it.

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, Method, Uri, Version};

use crate::connection::{Flight, Peer};

/// The head of a request.
#[derive(Clone, Debug)]
pub struct Head {
    /// Its method.
    pub method: Method,
    /// Path of its target, as it was sent.
    pub path: String,
    /// What follows the question mark, if there is one.
    pub query: Option<String>,
    /// Its headers.
    pub headers: HeaderMap,
    /// Whom it is addressed to.
    pub address: Address,
    /// Where it came from.
    pub peer: Option<Peer>,
    /// What its connection has in flight.
    pub flight: Option<Flight>,
}

/// Whom a request is addressed to before its headers say so, and in which version of HTTP.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// Version of HTTP.
    pub version: Version,
    /// Authority of the target, if it has one.
    pub authority: Option<Authority>,
}

impl Address {
    /// Of a target.
    #[must_use]
    pub fn new(version: Version, target: &Uri) -> Self {
        Self { version, authority: target.authority().cloned() }
    }
}

impl Head {
    /// Path and query, as they were sent.
    #[must_use]
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// Length of [`Self::target`] in bytes.
    #[must_use]
    pub fn target_len(&self) -> usize {
        self.path.len() + self.query.as_ref().map_or(0, |query| 1 + query.len())
    }
}

/// For those who ask without a connection.
impl From<Parts> for Head {
    fn from(parts: Parts) -> Self {
        Self {
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(str::to_owned),
            address: Address::new(parts.version, &parts.uri),
            peer: parts.extensions.get().copied(),
            flight: parts.extensions.get().cloned(),
            method: parts.method,
            headers: parts.headers,
        }
    }
}
