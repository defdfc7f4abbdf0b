//! Any request target and any headers are answered with a status of the contract, and what is answered
//! fits what was asked.

use std::sync::Arc;

use bytes::Bytes;
use edge::Server;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_MATCH,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED, LOCATION, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use memchr::memmem;

use crate::in_process::{self, Reply};

/// Statuses of a GET without conditions.
const STATUSES: [u16; 6] = [200, 308, 400, 404, 414, 421];
/// Headers that conditions, ranges and negotiation are made of.
const HEADERS: [HeaderName; 8] = [
    IF_NONE_MATCH,
    IF_MODIFIED_SINCE,
    RANGE,
    IF_RANGE,
    ACCEPT_ENCODING,
    ACCEPT,
    IF_MATCH,
    IF_UNMODIFIED_SINCE,
];

/// The answer to a GET with the right Host.
pub fn get(live: &Arc<Server>, target: Uri, headers: HeaderMap) -> Reply {
    ask(live, Method::GET, target, headers)
}

fn ask(live: &Arc<Server>, method: Method, target: Uri, headers: HeaderMap) -> Reply {
    let mut request = http::Request::new(Bytes::new());
    *request.method_mut() = method;
    *request.uri_mut() = target;
    *request.headers_mut() = headers;
    in_process::ask(live, request)
}

/// Asks an edge over the sample for a target, whatever its form.
pub fn target_holds(live: &Arc<Server>, target: &[u8]) {
    let Ok(target) = Uri::try_from(target) else { return };
    let shown = target.to_string();
    let reply = get(live, target, HeaderMap::new());
    let status = reply.status.as_u16();
    assert!(STATUSES.contains(&status), "{shown} is answered {status}");
    if let Some(location) = reply.headers.get(LOCATION) {
        let location = location.to_str().unwrap();
        let inside = location.starts_with('/') && !location.starts_with("//") && !location.contains('\\');
        assert!(inside, "{shown} leads to {location}");
    }
}

/// A resource, and everything that it may be answered with.
pub struct Resource {
    target: Uri,
    /// ETag and body in every coding; identity first.
    forms: Vec<(HeaderValue, Bytes)>,
    changed: HeaderValue,
    has_parts: bool,
}

impl Resource {
    /// A page of REST that was prepared, an answer of search, an export, and a page for people.
    pub fn all(live: &Arc<Server>) -> Vec<Self> {
        let program = format!("/api/v1/programs/{}", live.state().site().index.slug(0));
        let targets =
            [&program, "/api/v1/search?q=research", "/api/v1/exports/latest?format=csv", "/programs"];
        targets.into_iter().map(|target| Self::new(live, target)).collect()
    }

    fn new(live: &Arc<Server>, target: &str) -> Self {
        let target: Uri = target.parse().unwrap();
        let form = |coding| {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(coding))]);
            get(live, target.clone(), headers)
        };
        let replies = ["identity", "gzip"].map(form);
        Self {
            changed: replies[0].headers[LAST_MODIFIED].clone(),
            forms: replies.into_iter().map(|reply| (reply.headers[ETAG].clone(), reply.body)).collect(),
            has_parts: target.path().contains("exports"),
            target,
        }
    }

    /// A header for each line of some bytes: the first chooses the name; below 5 it stands for an ETag
    /// of the resource, and 5 for its date.
    pub fn headers(&self, bytes: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some((choice, value)) = line.split_first() else { continue };
            let parts = value.iter().map(|byte| match byte {
                1..=4 => self.forms[usize::from(byte - 1) % self.forms.len()].0.as_bytes(),
                5 => self.changed.as_bytes(),
                _ => std::slice::from_ref(byte),
            });
            if let Ok(value) = HeaderValue::from_bytes(&parts.collect::<Vec<_>>().concat()) {
                headers.append(&HEADERS[usize::from(*choice) % HEADERS.len()], value);
            }
        }
        headers
    }

    /// Asks for it with such headers.
    pub fn holds(&self, live: &Arc<Server>, headers: &HeaderMap) {
        self.check_head(live, headers);
        let reply = get(live, self.target.clone(), headers.clone());
        match reply.status.as_u16() {
            200 => assert!(self.is_whole(&reply), "{headers:?}: {:?}", reply.headers),
            304 => assert!(self.was_named(headers), "{headers:?}: {:?}", reply.headers),
            206 => self.check_part(headers, &reply),
            412 => assert!(
                headers.contains_key(IF_MATCH) || headers.contains_key(IF_UNMODIFIED_SINCE),
                "{headers:?}"
            ),
            416 => {
                let expected = format!("bytes */{}", self.forms[0].1.len());
                assert!(self.has_parts && headers.contains_key(RANGE), "{headers:?}");
                assert_eq!(reply.headers[CONTENT_RANGE], expected, "{headers:?}");
            }
            status => panic!("{headers:?} is answered {status}"),
        }
    }

    /// HEAD has the headers of GET. It ignores Range (RFC 9110, section 14.2).
    fn check_head(&self, live: &Arc<Server>, headers: &HeaderMap) {
        let head = ask(live, Method::HEAD, self.target.clone(), headers.clone());
        let mut whole = headers.clone();
        whole.remove(RANGE);
        let mut reply = get(live, self.target.clone(), whole);
        if let Some(length) = head.headers.get(CONTENT_LENGTH) {
            // hyper adds it to the answer of a GET.
            assert_eq!(length, &HeaderValue::from(reply.body.len()), "{headers:?}");
            reply.headers.insert(CONTENT_LENGTH, length.clone());
        }
        assert_eq!((reply.status, &reply.headers), (head.status, &head.headers), "{headers:?}");
    }

    fn is_whole(&self, reply: &Reply) -> bool {
        self.forms.iter().any(|(etag, body)| reply.headers[ETAG] == *etag && reply.body == *body)
    }

    /// Whether a client says that it has one of the forms, read as generously as can be.
    fn was_named(&self, headers: &HeaderMap) -> bool {
        let mut conditions = headers.get_all(IF_NONE_MATCH).iter().peekable();
        if conditions.peek().is_none() {
            return headers.contains_key(IF_MODIFIED_SINCE);
        }
        let names = |value: &HeaderValue| {
            let value = value.as_bytes();
            let named = |(etag, _): &(HeaderValue, Bytes)| memmem::find(value, etag.as_bytes()).is_some();
            value.trim_ascii() == b"*" || self.forms.iter().any(named)
        };
        conditions.any(names)
    }

    /// A part is those bytes of the identity body that it says it is.
    fn check_part(&self, headers: &HeaderMap, reply: &Reply) {
        let (etag, whole) = &self.forms[0];
        assert!(self.has_parts && headers.contains_key(RANGE), "{headers:?}");
        assert_eq!((&reply.headers[ETAG], reply.headers.get(CONTENT_ENCODING)), (etag, None), "{headers:?}");
        let range = reply.headers[CONTENT_RANGE].to_str().unwrap();
        let (first, rest) = range.strip_prefix("bytes ").unwrap().split_once('-').unwrap();
        let (last, length) = rest.split_once('/').unwrap();
        let number = |text: &str| text.parse::<usize>().unwrap();
        assert_eq!(number(length), whole.len(), "{headers:?}");
        assert_eq!(reply.body, whole[number(first)..=number(last)], "{headers:?}");
    }
}
