//! Search, lists and facets.

use http::{HeaderValue, StatusCode};
use net::blocking_pool::{TEXT_UNITS, is_heavy};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use snapshot::facet::Facet;
use snapshot::page::address::{FACETS_TAG, SEARCH_TAG};
use snapshot::page::{error, facet, listing, search};
use snapshot::query::{FACET_LIMIT_DEFAULT, FacetQuery, List, parse_facet, parse_list};
use snapshot::record::Locale;

use super::computed::Query;
use super::files::API;
use crate::cache_control;
use crate::reply::Reply;
use crate::representation::Representation;
use crate::request::{Answer, Request};

/// Parts of a query that make no difference, by route (No-Vary-Search). Search and lists report unknown names in the
/// answer, so these do make one, except for the parameters of trackers.
const TRACKERS: HeaderValue = HeaderValue::from_static(
    "key-order, params=(\"utm_source\" \"utm_medium\" \"utm_campaign\" \"utm_term\" \"utm_content\" \"utm_id\" \
     \"fbclid\" \"gclid\" \"_\")",
);
const ALL_BUT_FACET: HeaderValue =
    HeaderValue::from_static("key-order, params, except=(\"q\" \"limit\" \"offset\" \"locale\" \"lang\")");

impl Request {
    pub(super) fn search(&self) -> Answer {
        let (site, dated) = (self.state.site(), &self.state.dated);
        let index = &site.index;
        let (query, invalid) = index.parse(self.head.query());
        let canonical = query.canonical(|ordinal| index.values.text(ordinal));
        let read = index.resolve(&query);
        let computed = Query {
            path: Some("/api/v1/search".to_owned()),
            depends_on_day: true,
            page: query.page,
            work: index.cost_of_resolved(&query, read.as_ref()),
            ..self.query("search", canonical, &invalid)
        };
        let locale = query.locale;
        let representation =
            move || Representation::json().no_vary_search(TRACKERS).tag(SEARCH_TAG).language(locale);
        if let Some(reply) = self.known(&computed, representation) {
            return reply.into();
        }
        if is_heavy(computed.work) {
            // What was looked up borrows from the index, and is looked up again.
            let work = move |request: &Self| {
                let (site, dated) = (request.state.site(), &request.state.dated);
                let search = || search::search(site, dated, &query, &invalid).into();
                request.compute(&computed, representation(), search)
            };
            return Answer::Heavy((|server| &server.searches, Box::new(work)));
        }
        let search = || {
            let found = index.search_resolved(&query, read.as_ref(), &dated.today);
            search::render(site, dated, &query, &invalid, &found).into()
        };
        self.compute(&computed, representation(), search).into()
    }

    pub(super) fn list(&self, of: List) -> Answer {
        let organizations = &self.state.site().index.organizations;
        let (query, invalid) = parse_list(of, self.head.query(), |slug| organizations.canonical(slug));
        let computed = Query {
            path: Some(format!("/{API}{}", of.as_str())),
            depends_on_day: of == List::Cycles,
            page: query.page,
            work: listing::price(self.state.site(), of, &query),
            ..self.query(of.as_str(), query.canonical(), &invalid)
        };
        let representation =
            move || Representation::json().no_vary_search(TRACKERS).tag(of.as_str()).language(Locale::En);
        self.computed(computed, representation, move |request| {
            listing::list(request.state.site(), &request.state.dated, of, &query, &invalid).into()
        })
    }

    pub(super) fn facet(&self) -> Answer {
        let name = self.last_segment();
        let Some(of) = Facet::parse(&name) else {
            return Reply::error(StatusCode::NOT_FOUND, error::unknown_facet(), cache_control::SHORT).into();
        };
        let query = match parse_facet(self.head.query()) {
            Ok(query) => query,
            Err(faults) => return Reply::bad_request(error::facet_faults(&faults)).into(),
        };
        let computed = Query {
            path: Some(format!("/{API}facets/{name}")),
            depends_on_day: of.spec().is_daily,
            page: query.page,
            work: self.state.site().index.values.of(of).len() as u64 * TEXT_UNITS,
            ..self.query(&name, canonical_facet(&query), &[])
        };
        let language = query.locale;
        let representation =
            move || Representation::json().no_vary_search(ALL_BUT_FACET).tag(FACETS_TAG).language(language);
        self.computed(computed, representation, move |request| {
            facet::facet(request.state.site(), &request.state.dated, of, &query).into()
        })
    }
}

/// All but the unreserved characters of an address (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The canonical query of the facet endpoint, defaults left out.
fn canonical_facet(query: &FacetQuery) -> String {
    let text = (!query.text.is_empty()).then(|| format!("q={}", utf8_percent_encode(&query.text, RESERVED)));
    let limit = (query.page.limit != FACET_LIMIT_DEFAULT).then(|| format!("limit={}", query.page.limit));
    let offset = (query.page.offset != 0).then(|| format!("offset={}", query.page.offset));
    let locale = (query.locale != Locale::En).then(|| format!("locale={}", query.locale.as_str()));
    [text, limit, offset, locale].into_iter().flatten().collect::<Vec<_>>().join("&")
}
