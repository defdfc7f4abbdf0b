//! The search page: its template joined with the rows, facets, chips and page links of one query.

mod chips;
mod display_query;
mod extras;
mod facets;
mod places;
mod results;

use std::borrow::Cow;

pub(super) use self::display_query::DisplayQuery;
use self::extras::ALL;
pub use self::extras::PageOptions;
use crate::fragments::{Html, Language};
use crate::highlight::Highlighter;
use crate::slot::Slot;
use crate::status::push_plain;
use snapshot::page::text::{escaped, push_escaped};
use snapshot::page::{Dated, Site, push_number};
use snapshot::query::{PARAMETERS, Query};
use snapshot::record::Locale;
use snapshot::search::{DocSet, FacetCounts, RankOptions, RankedPage, extract};

/// The state that has a quick filter of its own.
const CLOSING_SOON: &str = "closing_soon";

/// Path of the search page in a language.
#[must_use]
pub const fn search_path(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "/programs",
        Locale::Es => "/es/programs",
    }
}

/// A query and its results while the page is written.
struct Splice<'a> {
    site: &'a Site,
    html: &'a Html,
    language: &'a Language,
    dated: &'a Dated,
    query: &'a Query,
    extras: &'a PageOptions,
    options: RankOptions<'a>,
    invalid: &'a [String],
    answer: RankedPage,
    /// Number of full matches that a search for what is open finds, and whose round may be over.
    doubtful: usize,
    /// Marks the matching words, if there are any.
    highlighter: Option<Highlighter>,
    /// Documents of the organization in the query; `None` if there is none.
    among: Option<DocSet<'a>>,
    /// The query in words.
    display: DisplayQuery<'a>,
    /// Its pairs as `name=value`, percent-encoded and escaped for attributes.
    encoded: Vec<Vec<u8>>,
}

/// The search page for a query, in the query's language.
#[must_use]
pub fn search_page(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras): (&Query, &PageOptions),
    invalid: &[String],
) -> Vec<u8> {
    let query_string = extras.query_string(site, html, query);
    let language = html.language(query.locale);
    let display = DisplayQuery::new(site, html, language, &query_string);
    let encode = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
        let mut pair = form_urlencoded::Serializer::new(String::new());
        escaped(&pair.append_pair(name, value).finish()).into_bytes()
    };
    let options = RankOptions {
        by_relevance: extras.by_relevance(query),
        literal: &extras.plain,
        with_unstated: extras.with_unstated,
        complete_last_word: true,
        partial_unless_named: true,
        ..RankOptions::default()
    };
    let among = extras.among(html);
    let mut answer = site.index.ranked(query, &dated.today, RankOptions { among: among.as_ref(), ..options });
    if answer.total == 0 && answer.wider == 0 && !answer.rows.is_empty() {
        answer.facets = facets_of_rows(site, dated, query, &answer);
    }
    let left = extract(query, options.literal, dated.day()).0;
    let options_among = RankOptions { among: among.as_ref(), ..options };
    let doubtful = match left.open && answer.total > 0 {
        true => {
            let full = site.index.full_matches(query, &dated.today, options_among);
            full.and(&dated.today.doubtful_docs()).len()
        }
        false => 0,
    };
    let splice = Splice {
        site,
        html,
        language,
        dated,
        query,
        extras,
        options,
        invalid,
        highlighter: Highlighter::new(&site.index, &left, options.literal, &answer),
        answer,
        doubtful,
        among,
        encoded: display.pairs.iter().map(encode).collect(),
        display,
    };
    splice.page()
}

/// Facets over the rows of a page without full matches: filters count what is shown.
fn facets_of_rows(site: &Site, dated: &Dated, query: &Query, page: &RankedPage) -> Option<Vec<FacetCounts>> {
    let mut docs: Vec<u32> = page.rows.iter().map(|row| row.doc).collect();
    docs.sort_unstable();
    let filters = Query { text: None, ..query.clone() };
    site.index.search_among(&filters, None, &dated.today, Some(&DocSet::List(docs.into()))).facets
}

impl Splice<'_> {
    /// The options of the search, limited to the organization's documents.
    fn options(&self) -> RankOptions<'_> {
        RankOptions { among: self.among.as_ref(), ..self.options }
    }

    fn page(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 * 1024);
        for piece in 0..self.language.pieces.len() {
            out.extend_from_slice(self.language.pieces.bytes(piece));
            if let Some(slot) = self.language.slots.get(piece) {
                self.slot(*slot, &mut out);
            }
        }
        out
    }

    fn slot(&self, number: u32, out: &mut Vec<u8>) {
        let is = |slot: Slot| number == slot as u32;
        let check = |on: bool, out: &mut Vec<u8>| {
            if on {
                out.extend_from_slice(b" checked");
            }
        };
        if let Some(parameter) = PARAMETERS.get(number as usize) {
            let value = self.display.pairs.iter().find(|(name, _)| name == parameter.name);
            push_escaped(out, value.map_or("", |(_, value)| value));
        } else if is(Slot::Question) {
            self.push_query(out, None, None);
        } else if is(Slot::Count) {
            self.count(out);
        } else if is(Slot::Invalid) {
            self.invalid(out);
            self.word_notes(out);
        } else if is(Slot::Chips) {
            self.chips(out);
        } else if is(Slot::Rows) {
            self.rows(out);
        } else if is(Slot::Pages) {
            self.pages(out);
        } else if is(Slot::Facets) {
            self.facets(out);
        } else if is(Slot::Sort) {
            self.sort(out);
        } else if is(Slot::Open) {
            check(self.query.open, out);
        } else if is(Slot::Funded) {
            check(self.query.funded, out);
        } else if is(Slot::Rolling) {
            check(self.query.rolling, out);
        } else if is(Slot::Soon) {
            check(
                self.display.pairs.iter().any(|(name, value)| name == "openState" && value == CLOSING_SOON),
                out,
            );
        } else if is(Slot::Applied) {
            let is_text = |at: &usize| self.display.pairs.get(*at).is_some_and(|(name, _)| name == "q");
            let count = self.display.filters().filter(|at| !is_text(at)).count();
            if count > 0 {
                out.extend_from_slice(b" (");
                push_number(out, count);
                out.push(b')');
            }
        } else if is(Slot::Organization) {
            self.organization(out);
        } else if is(Slot::Title) {
            self.title(out);
        } else if is(Slot::Bounds) && self.is_bounded() {
            out.extend_from_slice(b" open");
        }
    }

    /// The value of the organization field: its name if that is unique, else its slug.
    fn organization(&self, out: &mut Vec<u8>) {
        let Some(number) = self.extras.organization else {
            // Keep an unknown name in the field, so that the reader can correct it.
            return push_escaped(out, self.unknown_organization().unwrap_or_default());
        };
        let organizations = &self.html.organizations;
        let (mut name, escaped) = (Vec::new(), organizations.name(number, self.query.locale));
        push_plain(&mut name, escaped.as_bytes());
        let name = String::from_utf8_lossy(&name);
        let value =
            if organizations.find(&name) == Some(number) { escaped } else { organizations.slug(number) };
        out.extend_from_slice(value.as_bytes());
    }

    /// Whether the query limits numbers or dates.
    fn is_bounded(&self) -> bool {
        let query = self.query;
        let dates = query.deadline_from.or(query.deadline_to).is_some();
        dates || query.measures.iter().any(Option::is_some)
    }

    /// Writes the query string for an attribute, optionally without one of its pairs and with a page number.
    fn push_query(&self, out: &mut Vec<u8>, without: Option<usize>, page: Option<u64>) {
        let mut before: &[u8] = b"?";
        for (position, pair) in self.encoded.iter().enumerate() {
            if Some(position) != without {
                out.extend_from_slice(before);
                out.extend_from_slice(pair);
                before = b"&amp;";
            }
        }
        if let Some(page) = page {
            out.extend_from_slice(before);
            out.extend_from_slice(b"page=");
            push_number(out, page);
        }
    }
}
