//! What a good answer is, whoever asks: media type, links, tags; and the body made of it, with its headers, that
//! many answers share.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue};
use snapshot::store::{Coding, GenerationId, Hex};

use net::conditional::{coding_name, http_date};
use net::connection::Lent;

/// What is known of a body besides its bytes.
pub struct About<'a> {
    /// Where the site is, for links.
    pub base_url: &'a str,
    /// The generation that answers.
    pub generation: GenerationId,
    /// Strong ETag, quoted.
    pub etag: &'a str,
    /// Content coding of the bytes.
    pub coding: Coding,
    /// When they last changed, in seconds since 1970.
    pub changed: Option<i64>,
    /// Whether that date tells these bytes from all others of this URL.
    pub dated: bool,
    /// Header that names what a cache may purge the answer by.
    pub tag_header: Option<&'a HeaderName>,
}

/// The hash in the name of the generation that answers.
const GENERATION: HeaderName = HeaderName::from_static("opdir-generation");

/// Media type of answers of the REST interface.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Headers of every REST answer, errors too.
pub(crate) fn rest_headers(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(
            "ETag, Link, Location, Retry-After, X-Total-Count, Content-Disposition, Content-Language, \
             Content-Range, Opdir-Generation",
        ),
    );
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
}

/// What a good answer is, before conditions and codings are applied to it.
#[derive(Debug)]
pub struct Content {
    /// Media type.
    media_type: HeaderValue,
    /// Further headers.
    headers: HeaderMap,
    /// What a cache may purge it by, separated by spaces.
    tags: String,
    /// Links to paths of this site, and their relations.
    links: Vec<(String, &'static str)>,
}

/// Licence of all data.
const LICENSE: &str = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\"";

impl Content {
    /// JSON of the REST interface.
    #[must_use]
    pub fn json() -> Self {
        let links = vec![("/api/v1/openapi.json".to_owned(), "service-desc")];
        Self { media_type: JSON, headers: HeaderMap::new(), tags: "all".to_owned(), links }
    }

    /// The same in another media type.
    #[must_use]
    pub fn of(mut self, media_type: HeaderValue) -> Self {
        self.media_type = media_type;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Adds a link to a path of this site.
    #[must_use]
    pub fn link(mut self, path: &str, query: &str, relation: &'static str) -> Self {
        let separator = if query.is_empty() { "" } else { "?" };
        self.links.push((format!("{path}{separator}{query}"), relation));
        self
    }

    /// `Link` (RFC 8288). Targets are absolute: many a client hands them on without the address they came from.
    fn links(&self, base_url: &str) -> String {
        let mut links = LICENSE.to_owned();
        for (path, relation) in &self.links {
            links.push_str(&format!(", <{base_url}{path}>; rel=\"{relation}\""));
        }
        links
    }

    /// Says which parts of the query make no difference (RFC to be, draft-ietf-httpbis-no-vary-search).
    #[must_use]
    pub fn no_vary_search(self, rule: &'static str) -> Self {
        self.with(HeaderName::from_static("no-vary-search"), HeaderValue::from_static(rule))
    }

    /// Adds what a cache may purge it by.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(' ');
        self.tags.push_str(tag);
        self
    }

    /// Headers of the whole answer. `Cache-Control` holds a place that is filled when it is sent.
    fn head(self, etag: &HeaderValue, about: &About<'_>) -> HeaderMap {
        let &About { base_url, generation, coding, changed, tag_header, .. } = about;
        let links = self.links(base_url);
        let mut headers = HeaderMap::with_capacity(20);
        rest_headers(&mut headers);
        headers.extend(self.headers);
        headers.insert(header::CONTENT_TYPE, self.media_type);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::ETAG, etag.clone());
        // Without the number: what is kept through a rollback says the same as what it goes back to.
        if let Ok(hash) = HeaderValue::try_from(Hex(&generation.hash).to_string()) {
            headers.insert(GENERATION, hash);
        }
        let tags = tag_header.map_or_else(String::new, |name| separated(self.tags, name));
        for (name, text) in [(Some(&header::LINK), links), (tag_header, tags)] {
            if let (Some(name), Ok(value)) = (name, HeaderValue::try_from(text)) {
                headers.insert(name, value);
            }
        }
        if let Some(changed) = changed.and_then(http_date) {
            headers.insert(header::LAST_MODIFIED, changed);
        }
        if let Some(coding) = coding_name(coding) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        headers
    }
}

/// Tags as a header separates them: Fastly's and Varnish's by spaces, all others by commas.
fn separated(tags: String, header: &HeaderName) -> String {
    if matches!(header.as_str(), "surrogate-key" | "xkey") { tags } else { tags.replace(' ', ",") }
}

/// What of an answer's headers belongs into a 304 (RFC 9110, section 15.4.5), and what browsers need to
/// let a script see it.
fn not_modified_head(head: &HeaderMap, tag_header: Option<&HeaderName>) -> HeaderMap {
    let kept = [
        header::ETAG,
        header::CACHE_CONTROL,
        header::VARY,
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
    ];
    let mut headers = HeaderMap::with_capacity(kept.len() + 1);
    for name in kept.iter().chain(tag_header) {
        if let Some(value) = head.get(name) {
            headers.insert(name, value.clone());
        }
    }
    headers
}

/// A body that is ready to be sent.
#[derive(Debug)]
pub struct Body {
    /// The bytes, in the coding that was asked for.
    pub bytes: Bytes,
    /// Headers of an answer with these bytes; `Cache-Control` is set when it is sent.
    pub head: HeaderMap,
    /// Headers of an answer to a client that has them.
    pub not_modified: HeaderMap,
    /// `If-Modified-Since` with this second means that the client has them; `None` where the date is no
    /// proof of that.
    pub since: Option<i64>,
    /// Common to all answers with these bytes.
    pub lent: Arc<Lent>,
}

impl Body {
    /// Prepares the headers of a body.
    #[must_use]
    pub fn new(bytes: Bytes, content: Content, about: &About<'_>) -> Self {
        let etag = HeaderValue::from_str(about.etag).unwrap_or(HeaderValue::from_static("\"\""));
        let head = content.head(&etag, about);
        let not_modified = not_modified_head(&head, about.tag_header);
        let since = about.changed.filter(|_| about.dated);
        Self { bytes, head, not_modified, since, lent: Arc::default() }
    }

    /// Its ETag, quoted.
    #[must_use]
    pub fn etag(&self) -> &str {
        self.head.get(header::ETAG).and_then(|etag| etag.to_str().ok()).unwrap_or_default()
    }

    /// Roughly how much memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        /// Two header maps of some twenty entries.
        const HEADERS: usize = 4096;
        self.bytes.len() + HEADERS
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const ABOUT: About<'_> = About {
        base_url: "https://directory.example",
        generation: GenerationId { sequence: 1, hash: [0; 16] },
        etag: "\"e\"",
        coding: Coding::Identity,
        changed: None,
        dated: false,
        tag_header: None,
    };

    #[test]
    fn links_say_where_they_lead_without_the_address_they_came_from() {
        let head = Content::json().link("/api/v1/awards", "limit=5", "first").head(&JSON, &ABOUT);
        let expected = "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\", \
                        <https://directory.example/api/v1/openapi.json>; rel=\"service-desc\", \
                        <https://directory.example/api/v1/awards?limit=5>; rel=\"first\"";
        assert_eq!(head[header::LINK], expected);
    }

    #[test]
    fn tags_are_separated_the_way_their_header_is_read() {
        for (name, expected) in [
            ("surrogate-key", "all programs/a-b search"),
            ("cache-tag", "all,programs/a-b,search"),
            ("edge-cache-tag", "all,programs/a-b,search"),
        ] {
            let content = Content::json().tag("programs/a-b").tag("search");
            let name = HeaderName::from_static(name);
            let about = About { tag_header: Some(&name), ..ABOUT };
            let head = content.head(&HeaderValue::from_static("\"e\""), &about);
            assert_eq!(head[&name], expected);
        }
    }
}
