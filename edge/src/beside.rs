//! What may stand before a server: a preview answers some paths itself, answers for a server that is not there
//! yet, and adds to pages. The program of this crate has nothing of the kind.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::Service as _;

use crate::reply::Reply;
use crate::representation::JSON;
use crate::service::{self, Server};
use crate::site_pages::{HTML, POLICY};
use net::connection::Answer;
use net::precheck::{Hosts, check};
use net::request_head::Head;

/// What stands before a server.
pub trait Beside: Send + Sync + 'static {
    /// Answers a request in the server's place; `None` leaves it to the server.
    fn answer(&self, head: &Head) -> impl Future<Output = Option<Said>> + Send;

    /// What to put into a page of the server before it is made: the end of its head.
    fn head_end(&self) -> String;
}

/// An answer in a server's place. None of them is kept by a browser.
#[derive(Debug)]
pub enum Said {
    /// A page that says why there is no other yet.
    Unready(String),
    /// The same where a program asks.
    Refusal(&'static str),
    /// A style sheet.
    Style(&'static str),
    /// A script.
    Script(&'static str),
    /// A document.
    Json(Vec<u8>),
}

impl Said {
    fn reply(self) -> Reply {
        let retry = HeaderValue::from_static("1");
        let (status, kind, body): (_, _, Bytes) = match self {
            Self::Refusal(message) => {
                let reply = Reply::refusal(StatusCode::SERVICE_UNAVAILABLE, message);
                return reply.with(header::RETRY_AFTER, retry);
            }
            Self::Unready(page) => (StatusCode::SERVICE_UNAVAILABLE, HTML, page.into()),
            Self::Style(text) => {
                (StatusCode::OK, HeaderValue::from_static("text/css; charset=utf-8"), text.into())
            }
            Self::Script(text) => {
                (StatusCode::OK, HeaderValue::from_static("text/javascript; charset=utf-8"), text.into())
            }
            Self::Json(body) => (StatusCode::OK, JSON, body.into()),
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if status != StatusCode::OK {
            headers.insert(header::RETRY_AFTER, retry);
        }
        Reply { status, headers, body, lent: None }
    }
}

/// A service that asks `beside` first and then the server, once there is one. What `hosts` does not name, neither
/// is asked about.
pub fn service<B: Beside>(
    beside: Arc<B>,
    hosts: Hosts,
    server: Arc<OnceLock<Arc<Server>>>,
) -> impl Answer<Future: Send> + Clone + Send + Unpin + 'static {
    let hosts = Arc::new(hosts);
    hyper::service::service_fn(move |request| {
        let (beside, hosts, server) = (Arc::clone(&beside), Arc::clone(&hosts), Arc::clone(&server));
        async move { Ok::<_, Infallible>(respond(&*beside, &hosts, &server, request).await.map(Full::new)) }
    })
}

async fn respond<B: Beside>(
    beside: &B,
    hosts: &Hosts,
    server: &OnceLock<Arc<Server>>,
    request: Request<Incoming>,
) -> Response<Bytes> {
    let (mut parts, body) = request.into_parts();
    let head = Head::from(parts.clone());
    let refusal = check(&head, hosts, true).err();
    if refusal.is_none()
        && let Some(said) = beside.answer(&head).await
    {
        return said.reply().into_response();
    }
    let Some(server) = server.get() else {
        let nothing = || Said::Refusal("There is nothing to serve yet.").reply();
        return refusal.map_or_else(nothing, service::refused).into_response();
    };
    // Asked before the page is made: if another takes its place meanwhile, the page is loaded again.
    let added = beside.head_end();
    // Pages are added to as they are.
    parts.headers.remove(header::ACCEPT_ENCODING);
    let Ok(response) = service::service(Arc::clone(server)).call(Request::from_parts(parts, body)).await;
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        let message = "The server could not complete the request.";
        return Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, message).into_response();
    };
    let body = added_to(&mut parts, &head.method, body.to_bytes(), &added);
    Response::from_parts(parts, body)
}

/// A body with what is added to pages, and the headers of what nobody keeps.
fn added_to(parts: &mut http::response::Parts, method: &Method, body: Bytes, added: &str) -> Bytes {
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let whole = !matches!(parts.status, StatusCode::PARTIAL_CONTENT | StatusCode::NOT_MODIFIED);
    if parts.headers.get(header::CONTENT_TYPE) != Some(&HTML) || !whole {
        return body;
    }
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    parts.headers.remove(header::CONTENT_LENGTH);
    let end = body.windows(END.len()).position(|bytes| bytes == END);
    match end.filter(|_| *method != Method::HEAD) {
        Some(end) => [&body[..end], added.as_bytes(), &body[end..]].concat().into(),
        None => body,
    }
}

/// Before which something is added.
const END: &[u8] = b"</head>";
