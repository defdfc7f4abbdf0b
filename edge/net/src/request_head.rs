//! The head of a request with its connection. It is made once, by the connection, and travels as the request's
//! extension, so that no filter copies a header.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Uri, header};
use tokio::sync::OwnedSemaphorePermit;

use crate::in_flight::{Client, Reader, SharedBody};

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
    /// Who reads the answers of the connection, and the client whose request it is.
    pub(crate) taker: Option<(Arc<Reader>, Arc<Client>)>,
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

    /// Waits until the client has less than its most requests answered at a time. The turn ends when it is dropped; a body
    /// may be long in coming, and who waits for one should have none.
    pub async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        self.taker.as_ref()?.1.turn().await
    }

    /// Whether a short body could be sent. Checked before an answer is computed.
    pub fn has_room(&self) -> bool {
        self.taker.as_ref().is_none_or(|(reader, client)| reader.has_room(client))
    }

    /// The bytes of a body, counted until the last of them is dropped; `None` when too many are in flight. `shared` is
    /// common to all who hold the same bytes, of which this may be a part of `whole` bytes.
    #[must_use]
    pub fn hold(&self, body: Bytes, whole: usize, shared: Option<Arc<SharedBody>>) -> Option<Bytes> {
        match &self.taker {
            Some((reader, client)) => reader.hold(client, body, whole, shared),
            None => Some(body),
        }
    }
}

/// Of a request without a connection.
impl From<Parts> for RequestHead {
    fn from(parts: Parts) -> Self {
        let Parts { method, uri, mut headers, .. } = parts;
        if method != Method::GET {
            headers.remove(header::RANGE);
        }
        Self { method, uri, headers, peer: None, taker: None }
    }
}
