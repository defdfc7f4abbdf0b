//! The search page: skeleton, rows, checkboxes, chips and pages spliced for one question.

mod chips;
mod extras;
mod facets;
mod places;
mod results;

use std::borrow::Cow;

use self::extras::ALL;
pub use self::extras::{Extras, question};
pub use self::facets::option;
use crate::facet::Facet;
use crate::page::html::found::Found;
use crate::page::html::{Html, Language, Slot, escaped, push_escaped};
use crate::page::{Dated, Site, push_number};
use crate::query::{PARAMETERS, Query, pairs};
use crate::record::Locale;
use crate::search::modifiers;
use crate::search::rank::{self, Ranked, Wish};

/// Where the search page of a language is.
#[must_use]
pub const fn path(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "/programs",
        Locale::Es => "/es/programs",
    }
}

/// A question and its answer, on their way to a page.
struct Splice<'a> {
    site: &'a Site,
    html: &'a Html,
    language: &'a Language,
    dated: &'a Dated,
    query: &'a Query,
    extras: &'a Extras,
    wish: Wish<'a>,
    invalid: &'a [String],
    answer: Ranked,
    /// The words that rows were found by.
    found: Option<Found>,
    /// Name and value of everything that was asked, but the language and the page.
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The same as `name=value`, percent-encoded and fit for attributes.
    encoded: Vec<Vec<u8>>,
}

/// The search page for a question, in the question's language.
#[must_use]
pub fn search(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras): (&Query, &Extras),
    invalid: &[String],
) -> Vec<u8> {
    let question = extras.question(site, query);
    let pairs: Vec<_> =
        pairs(&question).filter(|(name, _)| !matches!(&**name, "offset" | "page" | ALL)).collect();
    let encode = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
        let mut pair = form_urlencoded::Serializer::new(String::new());
        escaped(&pair.append_pair(name, value).finish()).into_bytes()
    };
    let wish = Wish {
        by_relevance: extras.by_relevance(query),
        plain: &extras.plain,
        silent: extras.silent,
        completes: true,
    };
    let answer = rank::search(&site.index, query, &dated.today, wish);
    let left = modifiers::take(query, wish.plain, dated.day()).0;
    let splice = Splice {
        site,
        html,
        language: html.language(query.locale),
        dated,
        query,
        extras,
        wish,
        invalid,
        found: Found::new(&site.index, &left, wish.plain, &answer),
        answer,
        encoded: pairs.iter().map(encode).collect(),
        pairs,
    };
    splice.page()
}

impl Splice<'_> {
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
            let value = self.pairs.iter().find(|(name, _)| name == parameter.name);
            push_escaped(out, value.map_or("", |(_, value)| value));
        } else if is(Slot::Question) {
            self.push_query(out, None, None);
        } else if is(Slot::Count) {
            self.count(out);
        } else if is(Slot::Invalid) {
            self.invalid(out);
            self.reading(out);
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
        } else if is(Slot::Applied) && !self.pairs.is_empty() {
            out.extend_from_slice(b" (");
            push_number(out, self.filters().count());
            out.push(b')');
        } else if is(Slot::Title) {
            self.title(out);
        } else if is(Slot::Bounds) && self.is_bounded() {
            out.extend_from_slice(b" open");
        }
    }

    /// Whether numbers or dates are asked for.
    fn is_bounded(&self) -> bool {
        let query = self.query;
        let dates = query.deadline_from.or(query.deadline_to).is_some();
        dates || query.measures.iter().any(Option::is_some)
    }

    /// Positions of what narrows the results down.
    fn filters(&self) -> impl Iterator<Item = usize> {
        let narrows = |name: &str| !matches!(name, "sort" | "limit" | "facets" | "unstated");
        (0..self.pairs.len()).filter(move |position| narrows(&self.pairs[*position].0))
    }

    /// Writes the question as a query string for an attribute, without one of its pairs, for a page.
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

    fn push_place(&self, out: &mut Vec<u8>, facet: Facet, code: &str) {
        let label = crate::facet::place_label(facet, code, self.query.locale);
        push_escaped(out, label.unwrap_or(code));
    }
}
