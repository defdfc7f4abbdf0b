//! The head of a request, as answers are made of it.

use http::request::Parts;
use http::{HeaderMap, Method};

use crate::connection::Arrival;

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
    /// What its connection tells of it.
    pub arrival: Arrival,
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
            arrival: Arrival {
                version: parts.version,
                authority: parts.uri.authority().cloned(),
                ..Arrival::default()
            },
            method: parts.method,
            headers: parts.headers,
        }
    }
}
