//! The search page: skeleton, rows, checkboxes, chips and pages spliced for one question.

use std::borrow::Cow;

use crate::facet::{Facet, Spec};
use crate::page::html::{Html, Language, Slot, Word, escaped, push_count, push_escaped, push_results};
use crate::page::{Dated, Site, push_number};
use crate::query::{PAGE_RANGE, PARAMETERS, Pick, Query, Sort, pairs};
use crate::record::Locale;
use crate::search::{Answer, FacetCounts};

/// Values of a facet that the page shows; picked ones always.
const VALUES_MAX: usize = 8;

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
    invalid: &'a [String],
    answer: Answer,
    /// Name and value of everything that was asked, but the language and the page.
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The same as `name=value`, percent-encoded and fit for attributes.
    encoded: Vec<Vec<u8>>,
}

/// The search page for a question, in the question's language.
#[must_use]
pub fn search(site: &Site, html: &Html, dated: &Dated, query: &Query, invalid: &[String]) -> Vec<u8> {
    let question = question(site, query);
    let pairs: Vec<_> = pairs(&question).filter(|(name, _)| !matches!(&**name, "offset" | "page")).collect();
    let encode = |(name, value): &(Cow<'_, str>, Cow<'_, str>)| {
        let mut pair = form_urlencoded::Serializer::new(String::new());
        escaped(&pair.append_pair(name, value).finish()).into_bytes()
    };
    let splice = Splice {
        site,
        html,
        language: html.language(query.locale),
        dated,
        query,
        invalid,
        answer: site.index.search(query, &dated.today),
        encoded: pairs.iter().map(encode).collect(),
        pairs,
    };
    splice.page()
}

/// The question in canonical form, without its language, which the path says.
#[must_use]
pub fn question(site: &Site, query: &Query) -> String {
    let neutral = Query { locale: Locale::En, ..query.clone() };
    neutral.canonical(|ordinal| site.index.values.text(ordinal))
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
            push_results(self.language, out, self.answer.total);
        } else if is(Slot::Invalid) {
            self.invalid(out);
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
        }
    }

    /// Positions of what narrows the results down.
    fn filters(&self) -> impl Iterator<Item = usize> {
        let narrows = |name: &str| !matches!(name, "sort" | "limit" | "facets");
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

    fn invalid(&self, out: &mut Vec<u8>) {
        if self.invalid.is_empty() {
            return;
        }
        out.extend_from_slice(b"<div class=\"note\" id=\"invalid\"><p>");
        self.language.push_word(out, Word::Invalid);
        out.extend_from_slice(b"</p><ul>");
        for entry in self.invalid {
            out.extend_from_slice(b"<li><code>");
            push_escaped(out, entry);
            out.extend_from_slice(b"</code></li>");
        }
        out.extend_from_slice(b"</ul></div>");
    }

    fn chips(&self, out: &mut Vec<u8>) {
        let mut filters = self.filters().peekable();
        if filters.peek().is_none() {
            return;
        }
        out.extend_from_slice(b"<ul class=\"chips\">");
        for position in filters {
            let (name, value) = &self.pairs[position];
            out.extend_from_slice(b"<li><a href=\"");
            out.extend_from_slice(path(self.query.locale).as_bytes());
            self.push_query(out, Some(position), None);
            out.extend_from_slice(b"\"><span class=\"vh\">");
            self.language.push_word(out, Word::Remove);
            out.extend_from_slice(b" </span>");
            self.push_filter(out, name, value);
            out.extend_from_slice(b" <span aria-hidden=\"true\">\xc3\x97</span></a></li>");
        }
        out.extend_from_slice(b"<li><a class=\"clear\" href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        out.extend_from_slice(b"\">");
        self.language.push_word(out, Word::ClearAll);
        out.extend_from_slice(b"</a></li></ul>");
    }

    /// A filter in words: `Topic: Energy`.
    fn push_filter(&self, out: &mut Vec<u8>, name: &str, value: &str) {
        let rank = PARAMETERS.iter().position(|parameter| parameter.name == name);
        let facet = crate::facet::FACETS.iter().find(|spec| spec.parameter == name);
        match (facet, rank) {
            (Some(spec), _) => {
                out.extend_from_slice(self.language.facets.bytes(spec.facet as usize));
                out.extend_from_slice(b": ");
                match self.site.index.values.find(spec.facet, value) {
                    Some(ordinal) => out.extend_from_slice(self.language.labels.bytes(ordinal as usize)),
                    None => self.push_place(out, spec.facet, value),
                }
            }
            (None, Some(rank)) => {
                out.extend_from_slice(self.language.parameters.bytes(rank));
                if value != "true" {
                    out.extend_from_slice(b": ");
                    push_escaped(out, value);
                }
            }
            (None, None) => push_escaped(out, value),
        }
    }

    fn push_place(&self, out: &mut Vec<u8>, facet: Facet, code: &str) {
        let label = crate::facet::place_label(facet, code, self.query.locale);
        push_escaped(out, label.unwrap_or(code));
    }

    fn rows(&self, out: &mut Vec<u8>) {
        if self.answer.docs.is_empty() {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::NoResults);
            out.extend_from_slice(b"</p>");
            return;
        }
        out.extend_from_slice(b"<ol class=\"rows\" start=\"");
        push_number(out, self.query.page.offset + 1);
        out.extend_from_slice(b"\">");
        self.answer.docs.iter().for_each(|doc| self.language.push_row(out, *doc, self.dated));
        out.extend_from_slice(b"</ol>");
    }

    fn pages(&self, out: &mut Vec<u8>) {
        let limit = self.query.page.limit;
        let (page, pages) = (self.query.page.number(), (self.answer.total as u64).div_ceil(limit));
        if pages <= 1 {
            return;
        }
        out.extend_from_slice(b"<nav class=\"pages\" aria-label=\"");
        self.language.push_word(out, Word::Pages);
        out.extend_from_slice(b"\">");
        if page > 1 {
            self.page_link(out, (page - 1).min(pages), "prev", Word::Previous);
        }
        out.extend_from_slice(b"<span>");
        let (number, of) = (page.to_string(), pages.to_string());
        self.language.push_phrase(out, Word::PageOf, &[("n", &number), ("m", &of)]);
        out.extend_from_slice(b"</span>");
        if page < pages.min(PAGE_RANGE.1) {
            self.page_link(out, page + 1, "next", Word::Next);
        }
        out.extend_from_slice(b"</nav>");
    }

    fn page_link(&self, out: &mut Vec<u8>, page: u64, relation: &str, word: Word) {
        out.extend_from_slice(b"<a rel=\"");
        out.extend_from_slice(relation.as_bytes());
        out.extend_from_slice(b"\" href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        self.push_query(out, None, Some(page).filter(|page| *page > 1));
        out.extend_from_slice(b"\">");
        self.language.push_word(out, word);
        out.extend_from_slice(b"</a>");
    }

    fn sort(&self, out: &mut Vec<u8>) {
        for (sort, word) in [
            (Sort::Deadline, Word::SortDeadline),
            (Sort::Name, Word::SortName),
            (Sort::Recent, Word::SortRecent),
        ] {
            out.extend_from_slice(b"<option value=\"");
            out.extend_from_slice(sort.as_str().as_bytes());
            out.extend_from_slice(if sort == self.query.sort { b"\" selected>" } else { b"\">" });
            self.language.push_word(out, word);
            out.extend_from_slice(b"</option>");
        }
    }

    fn facets(&self, out: &mut Vec<u8>) {
        let Some(facets) = &self.answer.facets else { return };
        let mut facets: Vec<&FacetCounts> = facets.iter().collect();
        facets.sort_by_key(|counts| counts.facet.spec().panel);
        facets.into_iter().for_each(|counts| self.facet(counts, out));
    }

    fn facet(&self, counts: &FacetCounts, out: &mut Vec<u8>) {
        if counts.items.is_empty() {
            return;
        }
        let spec = counts.facet.spec();
        let picked = |pick: &Pick| self.query.picks.iter().any(|(of, it)| *of == counts.facet && it == pick);
        let any = counts.items.iter().any(|(pick, _)| picked(pick));
        out.extend_from_slice(if any { b"<details open>" } else { b"<details>" });
        out.extend_from_slice(b"<summary>");
        out.extend_from_slice(self.language.facets.bytes(counts.facet as usize));
        out.extend_from_slice(b"</summary><fieldset><legend class=\"vh\">");
        out.extend_from_slice(self.language.facets.bytes(counts.facet as usize));
        out.extend_from_slice(b"</legend>");
        for (position, (pick, count)) in counts.items.iter().enumerate() {
            let on = picked(pick);
            if position < VALUES_MAX || on {
                self.option(spec, pick, *count, on, out);
            }
        }
        if counts.items.len() > VALUES_MAX {
            self.all_values(spec, out);
        }
        out.extend_from_slice(b"</fieldset></details>");
    }

    fn option(&self, spec: &Spec, pick: &Pick, count: u32, on: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<label><input type=\"checkbox\" ");
        match pick {
            Pick::Value(ordinal) => out.extend_from_slice(self.html.options.bytes(*ordinal as usize)),
            Pick::Place(code) => out.extend_from_slice(option(spec.parameter, code).as_bytes()),
        }
        out.extend_from_slice(if on { b" checked> " } else { b"> " });
        match pick {
            Pick::Value(ordinal) => {
                out.extend_from_slice(self.language.labels.bytes(*ordinal as usize));
            }
            Pick::Place(code) => self.push_place(out, spec.facet, code),
        }
        push_count(out, count);
        out.extend_from_slice(b"</label>");
    }

    fn all_values(&self, spec: &Spec, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<a href=\"");
        out.extend_from_slice(if self.query.locale == Locale::Es { b"/es" } else { b"" });
        out.extend_from_slice(b"/facets/");
        out.extend_from_slice(spec.name.as_bytes());
        out.extend_from_slice(b"\">");
        self.language.push_word(out, Word::AllValues);
        out.extend_from_slice(b"<span class=\"vh\">: ");
        out.extend_from_slice(self.language.facets.bytes(spec.facet as usize));
        out.extend_from_slice(b"</span></a>");
    }
}

/// Name and value of a checkbox.
#[must_use]
pub fn option(parameter: &str, value: &str) -> String {
    format!("name=\"{parameter}\" value=\"{}\"", escaped(value))
}
