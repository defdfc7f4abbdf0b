//! Details of several records at once: the bodies of their own addresses, joined.

use http::HeaderValue;
use snapshot::page::address::DETAILS_TAG;
use snapshot::page::{details, error};
use snapshot::query::{DetailsQuery, Page, parse_details};
use snapshot::record::{EntityType, Locale};
use store::{FileEntry, StoreError};

use super::computed::Query;
use super::files::{API, failed};
use crate::reply::Reply;
use crate::representation::Representation;
use crate::request::{Answer, Request};

/// Parts of a query that make no difference (No-Vary-Search): the order of records is that of the answer, and unknown
/// names are reported in it.
const TRACKERS: HeaderValue = HeaderValue::from_static(
    "params=(\"utm_source\" \"utm_medium\" \"utm_campaign\" \"utm_term\" \"utm_content\" \"utm_id\" \"fbclid\" \"gclid\" \"_\")",
);

impl Request {
    /// Answers `/api/v1/details`, always in a pool: a hundred bodies may have to be read.
    pub(super) fn details(&self) -> Answer {
        let (query, invalid) = match parse_details(self.head.query()) {
            Ok(read) => read,
            Err(fault) => return Reply::bad_request(error::details_fault(&fault)).into(),
        };
        let named = |(kind, slug): &(EntityType, String)| (kind.as_str(), slug.clone());
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.extend_pairs(query.records.iter().map(named));
        if query.locale == Locale::Es {
            pairs.append_pair("locale", query.locale.as_str());
        }
        let canonical = pairs.finish();
        let computed = Query {
            path: Some(format!("/{API}details")),
            validator: self.validator("details", &canonical, &invalid),
            canonical,
            depends_on_day: true,
            page: Page { offset: 0, limit: query.records.len() as u64 },
            work: 0,
        };
        let locale = query.locale.as_str();
        let representation =
            move || Representation::json().no_vary_search(TRACKERS).tag(DETAILS_TAG).language(locale);
        if let Some(reply) = self.known(&computed, representation) {
            return reply.into();
        }
        Answer::Heavy(Box::new(move |request| match request.join(&query, &invalid) {
            Ok(bytes) => request.compute(&computed, representation(), || bytes.into()),
            Err(error) => failed(&error),
        }))
    }

    /// The answer's body. A record under its own slug and a former one is there once.
    fn join(&self, query: &DetailsQuery, invalid: &[String]) -> Result<Vec<u8>, StoreError> {
        let (mut joined, mut bodies, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, slug) in &query.records {
            match self.known_record(*kind, slug, query.locale) {
                None => missing.push(format!("{}={slug}", kind.as_str())),
                Some((file, _)) if joined.contains(&file.number()) => {}
                Some((file, slug)) => {
                    joined.push(file.number());
                    bodies.push(self.record_body(*kind, file, (&slug, query.locale))?);
                }
            }
        }
        Ok(details::join(&bodies, &missing, invalid))
    }

    /// The file of a record by its slug or a former one, and its slug.
    fn known_record(&self, kind: EntityType, slug: &str, locale: Locale) -> Option<(FileEntry<'_>, String)> {
        if let Some(file) = self.record_file(kind, slug, locale) {
            return Some((file, slug.to_owned()));
        }
        let canonical = self.canonical_slug(kind, slug)?;
        self.record_file(kind, &canonical, locale).map(|file| (file, canonical))
    }
}
