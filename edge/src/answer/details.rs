//! Details of several records at once: the bodies of their own addresses, joined.

use http::HeaderValue;
use snapshot::page::address::DETAILS_TAG;
use snapshot::page::{details, error};
use snapshot::query::{DetailsQuery, ParameterError, parse_details};
use snapshot::record::{EntityType, Locale};
use store::StoreError;

use super::computed::Query;
use super::files::{API, failed};
use crate::bodies::BYTE_UNITS;
use crate::reply::Reply;
use crate::representation::Representation;
use crate::request::{Answer, Request};

/// Parts of a query that make no difference (No-Vary-Search): the order of records is that of the answer, and unknown
/// names are reported in it.
const TRACKERS: HeaderValue = HeaderValue::from_static(
    "params=(\"utm_source\" \"utm_medium\" \"utm_campaign\" \"utm_term\" \"utm_content\" \"utm_id\" \"fbclid\" \"gclid\" \"_\")",
);

/// Most bytes of all records of an answer: forty milliseconds of work.
const BYTES_MAX: u64 = 8 << 20;

/// What a query names.
#[derive(Default)]
struct Found {
    /// Kind and file of each record.
    records: Vec<(EntityType, u32)>,
    missing: Vec<String>,
    /// Length of all records.
    bytes: u64,
}

impl Request {
    /// Answers `/api/v1/details`.
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
        let computed = Query {
            path: Some(format!("/{API}details")),
            depends_on_day: true,
            ..self.query("details", pairs.finish(), &invalid)
        };
        let locale = query.locale;
        let representation =
            move || Representation::json().no_vary_search(TRACKERS).tag(DETAILS_TAG).language(locale);
        if let Some(reply) = self.known(&computed, representation) {
            return reply.into();
        }
        let found = self.find(&query);
        if found.bytes > BYTES_MAX {
            let reason = format!("more than {BYTES_MAX} bytes in all; request fewer records at once");
            let parameter = "program, organization, recipient";
            let fault = ParameterError { parameter, value: found.bytes.to_string(), reason };
            return Reply::bad_request(error::details_fault(&fault)).into();
        }
        let price = found.bytes * BYTE_UNITS;
        let join = move |request: &Self| match request.join(&found, query.locale, &invalid) {
            Ok(bytes) => request.compute(&computed, representation(), || bytes.into()),
            Err(error) => failed(&error),
        };
        self.weighed(price, |server| &server.reads, join)
    }

    /// The records that there are. One under its own slug and a former one is there once.
    fn find(&self, query: &DetailsQuery) -> Found {
        let mut found = Found::default();
        for (kind, slug) in &query.records {
            let named = |slug: &str| self.record_file(*kind, slug, query.locale);
            // By a former slug, too.
            match named(slug).or_else(|| named(&self.canonical_slug(*kind, slug)?)) {
                None => found.missing.push(format!("{}={slug}", kind.as_str())),
                Some(file) if found.records.contains(&(*kind, file.number)) => {}
                Some(file) => {
                    found.bytes += file.identity().len;
                    found.records.push((*kind, file.number));
                }
            }
        }
        found
    }

    /// The answer's body.
    fn join(&self, found: &Found, locale: Locale, invalid: &[String]) -> Result<Vec<u8>, StoreError> {
        let files = self.state.generation().files();
        let known = found.records.iter().filter_map(|(kind, file)| Some((kind, files.get(*file)?)));
        let bodies = known.map(|(kind, file)| self.record_body(*kind, file, locale));
        Ok(details::join(&bodies.collect::<Result<Vec<_>, _>>()?, &found.missing, invalid))
    }
}
