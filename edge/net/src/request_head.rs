//! The head of a request with its connection. It is made once, by the connection, and travels as the request's
//! extension, so that no filter copies a header.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Method, Uri, header};

use crate::in_flight::Reader;

/// The head of a request.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// Method.
    pub method: Method,
    /// Target, as it was sent.
    pub uri: Uri,
    /// Headers. Without `Range` unless the method is GET: only there it has a meaning (RFC 9110, section 14.2).
    pub headers: HeaderMap,
    /// The address at the other end of the connection; IPv4 clients of a dual-stack listener appear as IPv4.
    pub peer: Option<SocketAddr>,
    /// Who reads the answers of the connection.
    pub reader: Option<Arc<Reader>>,
}

impl RequestHead {
    /// The path of the target; empty for CONNECT.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// What follows the question mark; empty if there is none.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }
}

/// Of a request without a connection.
impl From<Parts> for RequestHead {
    fn from(parts: Parts) -> Self {
        let Parts { method, uri, mut headers, .. } = parts;
        if method != Method::GET {
            headers.remove(header::RANGE);
        }
        Self { method, uri, headers, peer: None, reader: None }
    }
}
