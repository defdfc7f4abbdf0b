//! Search, lists and facets: what is asked is read, and what answers it is computed.

use http::{StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use snapshot::facet::Facet;
use snapshot::page::address::{FACETS_TAG, SEARCH_TAG};
use snapshot::page::{error, facet, list, search};
use snapshot::query::{FACET_LIMIT_DEFAULT, FacetQuery, List, parse_facet, parse_list, parse_search};
use snapshot::record::Locale;

use super::{API, Asked, Attempt, Question, language};
use crate::cache_control::Lifetime;
use crate::reply::Reply;
use crate::representation::Content;
use net::blocking_pool::TEXT_UNITS;

/// What of a query makes no difference, by route (No-Vary-Search). Names that search and lists do not
/// know are reported in the answer and so do make one, but for the junk of trackers.
const JUNK: &str = "key-order, params=(\"utm_source\" \"utm_medium\" \"utm_campaign\" \"utm_term\" \
                    \"utm_content\" \"utm_id\" \"fbclid\" \"gclid\" \"_\")";
const ALL_BUT_FACET: &str = "key-order, params, except=(\"q\" \"limit\" \"offset\")";

impl Asked<'_> {
    pub(super) fn search(&self) -> Attempt {
        let index = &self.epoch.site().index;
        let (query, invalid) = parse_search(self.query(), |facet, value| index.values.find(facet, value));
        let canonical = query.canonical(|ordinal| index.values.text(ordinal));
        let read = index.resolve(&query);
        let question = Question {
            path: Some("/api/v1/search"),
            validator: self.validator("search", &canonical, &invalid),
            canonical,
            depends_on_day: true,
            page: query.page,
            work: index.cost_of_resolved(&query, read.as_ref()),
        };
        let content = || {
            let content = Content::json().no_vary_search(JUNK).tag(SEARCH_TAG);
            content.with(header::CONTENT_LANGUAGE, language(query.locale))
        };
        self.computed(&question, content, || {
            let (site, dated) = (self.epoch.site(), &self.epoch.dated);
            search::search_resolved(site, dated, &query, read.as_ref(), &invalid).into()
        })
    }

    pub(super) fn list(&self, of: List) -> Attempt {
        let (query, invalid) = parse_list(of, self.query());
        let canonical = query.canonical();
        let path = format!("/{API}{}", of.name());
        let question = Question {
            path: Some(&path),
            validator: self.validator(of.name(), &canonical, &invalid),
            canonical,
            depends_on_day: of == List::Cycles,
            page: query.page,
            work: list::price(self.epoch.site(), of, &query),
        };
        let content = || {
            let content = Content::json().no_vary_search(JUNK).tag(of.name());
            content.with(header::CONTENT_LANGUAGE, language(Locale::En))
        };
        self.computed(&question, content, || {
            list::list(self.epoch.site(), &self.epoch.dated, of, &query, &invalid).into()
        })
    }

    pub(super) fn facet(&self, name: &str) -> Attempt {
        let Some(of) = Facet::parse(name) else {
            return Reply::error(StatusCode::NOT_FOUND, error::unknown_facet(), Lifetime::Short).into();
        };
        let query = match parse_facet(self.query()) {
            Ok(query) => query,
            Err(faults) => {
                let body = error::facet_faults(&faults);
                return Reply::error(StatusCode::BAD_REQUEST, body, Lifetime::Short).into();
            }
        };
        let canonical = canonical_facet(&query);
        let path = format!("/{API}facets/{name}");
        let question = Question {
            path: Some(&path),
            validator: self.validator(name, &canonical, &[]),
            canonical,
            depends_on_day: of.spec().is_daily,
            page: query.page,
            work: self.epoch.site().index.values.of(of).len() as u64 * TEXT_UNITS,
        };
        let content = || {
            let content = Content::json().no_vary_search(ALL_BUT_FACET).tag(FACETS_TAG);
            content.with(header::CONTENT_LANGUAGE, language(Locale::En))
        };
        self.computed(&question, content, || {
            facet::facet(self.epoch.site(), &self.epoch.dated, of, &query).into()
        })
    }
}

/// All but the unreserved characters of an address (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A question to the facet endpoint as a query string, defaults left out.
fn canonical_facet(query: &FacetQuery) -> String {
    let mut pairs = Vec::new();
    if !query.text.is_empty() {
        pairs.push(format!("q={}", utf8_percent_encode(&query.text, RESERVED)));
    }
    if query.page.limit != FACET_LIMIT_DEFAULT {
        pairs.push(format!("limit={}", query.page.limit));
    }
    if query.page.offset != 0 {
        pairs.push(format!("offset={}", query.page.offset));
    }
    pairs.join("&")
}
