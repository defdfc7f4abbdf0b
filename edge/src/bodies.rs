//! Bodies that are ready to be sent, with their headers. Those of files are read and verified when
//! they are first asked for, their holes filled for the day, then kept up to a number of bytes.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sha2::{Digest as _, Sha256};
use snapshot::page::address::tag_of;
use snapshot::page::hole::refill;
use snapshot::page::turned;
use snapshot::store::{Coding, FileEntry, StoreError};
use snapshot::time::Day;

use crate::cache::Cache;
use crate::conditional::etag_suffix;
use crate::connection::Lent;
use crate::epoch::Epoch;
use crate::reply::{Content, not_modified_head};

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

/// What is known of a body besides its bytes.
pub struct About<'a> {
    /// Where the site is, for links.
    pub base_url: &'a str,
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

/// Bodies of files that were asked for, by file and coding.
pub type Bodies = Cache<(u32, Coding), Body>;

impl Epoch {
    /// A file's body in a coding that [`Epoch::offers`]. `content` says what it is, should it not be
    /// in memory; it must be the same whenever the file is asked for.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not what was published.
    pub fn body(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        tag_header: Option<&HeaderName>,
        content: impl FnOnce() -> Content,
    ) -> Result<Arc<Body>, StoreError> {
        if let Some(body) = self.kept(entry, coding) {
            return Ok(body);
        }
        let content = content().tag(tag_of(entry.path()));
        let body = Arc::new(self.load(entry, coding, tag_header, content)?);
        self.bodies.insert((entry.number(), coding), Arc::clone(&body), body.weight());
        Ok(body)
    }

    /// A file's body, if it is in memory.
    #[must_use]
    pub fn kept(&self, entry: FileEntry<'_>, coding: Coding) -> Option<Arc<Body>> {
        self.bodies.get(&(entry.number(), coding))
    }

    /// Whether a file can be sent in a coding. What is filled for another day than the build's is
    /// compressed here, and only in what is cheap.
    #[must_use]
    pub fn offers(&self, entry: FileEntry<'_>, coding: Coding) -> bool {
        match coding {
            Coding::Identity => true,
            Coding::Brotli => entry.body(coding).is_some() && !self.moved(entry),
            Coding::Gzip | Coding::Zstd => entry.body(coding).is_some(),
        }
    }

    /// Whether a file's bytes may differ from the stored ones today.
    fn moved(&self, entry: FileEntry<'_>) -> bool {
        !entry.holes().is_empty() && self.dated.day() != Day::new(self.generation().manifest().as_of)
    }

    fn load(
        &self,
        entry: FileEntry<'_>,
        coding: Coding,
        tag_header: Option<&HeaderName>,
        content: Content,
    ) -> Result<Body, StoreError> {
        let stored = !self.moved(entry);
        let (bytes, hash, changed) = if stored {
            let bytes = self.generation().read(entry, coding)?;
            let hash = entry.body(Coding::Identity).map(|body| body.sha256.0).unwrap_or_default();
            (bytes, hash, entry.changed())
        } else {
            self.filled(entry, coding)?
        };
        let etag = etag(&hash, coding);
        // Another generation with an older date may fill its holes on the same day: then only the
        // ETag tells the two apart.
        let base_url = &self.generation().manifest().base_url;
        let about =
            About { base_url, etag: &etag, coding, changed: Some(changed), dated: stored, tag_header };
        Ok(Body::new(bytes.into(), content, &about))
    }

    /// Bytes, hash of the identity body and date of a body that is not as it was stored.
    fn filled(&self, entry: FileEntry<'_>, coding: Coding) -> Result<(Vec<u8>, [u8; 32], i64), StoreError> {
        let stored = self.generation().read(entry, Coding::Identity)?;
        // Holes are checked against the body when the table is opened; should they not fit, the
        // stored body is still one that was true once.
        let filled = refill(&stored, entry.holes(), &self.dated).unwrap_or(stored);
        let hash = Sha256::digest(&filled).into();
        let turned = turned::last(entry.holes(), &self.dated);
        let changed = turned.map_or(entry.changed(), |day| entry.changed().max(i64::from(day.0) * 86_400));
        Ok((crate::encode::encode(coding, &filled).unwrap_or(filled), hash, changed))
    }
}

/// A quoted ETag: 128 bits of the identity body's hash, and the coding.
fn etag(hash: &[u8; 32], coding: Coding) -> String {
    let mut etag = String::with_capacity(40);
    etag.push('"');
    push_hex(&mut etag, &hash[..16]);
    etag.push_str(etag_suffix(coding));
    etag.push('"');
    etag
}

/// Appends bytes as lower-case hex digits.
pub fn push_hex(out: &mut String, bytes: &[u8]) {
    let digit = |number: u8| char::from_digit(u32::from(number), 16).unwrap_or('0');
    bytes.iter().for_each(|byte| out.extend([digit(byte >> 4), digit(byte & 15)]));
}
