//! The search page: skeleton, rows, checkboxes, chips and pages spliced for one question.

use std::borrow::Cow;

use crate::facet::{Facet, Spec};
use crate::page::html::{
    Html, Language, Slot, Word, escaped, grouped, push_count, push_escaped, push_results, ways,
};
use crate::page::{Dated, Site, push_number};
use crate::query::{PAGE_RANGE, PARAMETERS, Pick, Query, Sort, pairs};
use crate::record::Locale;
use crate::search::FacetCounts;
use crate::search::modifiers::Said;
use crate::search::rank::{self, Ranked, Row, Understood, Wish};
use crate::search::text::words_of;
use crate::search::tiers::Tier;
use crate::search::without::{Without, text_without, without};

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

/// What a page is asked besides the question that every face knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// The order, as it was asked for.
    pub sort: Option<String>,
    /// Words that are to be taken as words, whatever they name.
    pub plain: Vec<String>,
    /// Rows of records that do not say who may apply.
    pub silent: bool,
}

/// Most words of a question that may be told to be words.
const PLAIN_MAX: usize = 16;

impl Extras {
    /// Takes the page's own parameters out of a query string; the rest is left as it is.
    #[must_use]
    pub fn take(query: &str) -> (Self, String) {
        let mut extras = Self::default();
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in pairs(query) {
            match &*name {
                "sort" if extras.sort.is_none() && (value == RELEVANCE || Sort::parse(&value).is_some()) => {
                    extras.sort = Some(value.to_string());
                    if value != RELEVANCE {
                        rest.append_pair(&name, &value);
                    }
                }
                "plain" if extras.plain.len() < PLAIN_MAX => {
                    let words = words_of(&value).join(" ");
                    if !words.is_empty() && !extras.plain.contains(&words) {
                        extras.plain.push(words);
                    }
                }
                "unstated" if value == "true" => extras.silent = true,
                _ => {
                    rest.append_pair(&name, &value);
                }
            }
        }
        extras.plain.sort_unstable();
        (extras, rest.finish())
    }

    /// Whether the best match of a question comes first.
    fn by_relevance(&self, query: &Query) -> bool {
        query.text.is_some() && self.sort.as_ref().is_none_or(|sort| sort == RELEVANCE)
    }

    /// The question with these, as a query string: what makes no difference is left out.
    #[must_use]
    pub fn question(&self, site: &Site, query: &Query) -> String {
        let mut pairs = form_urlencoded::Serializer::new(question(site, query));
        if query.text.is_some() && self.sort.as_deref() == Some(Sort::Deadline.as_str()) {
            pairs.append_pair("sort", Sort::Deadline.as_str());
        }
        for words in self.plain.iter().filter(|_| query.text.is_some()) {
            pairs.append_pair("plain", words);
        }
        if self.silent {
            pairs.append_pair("unstated", "true");
        }
        pairs.finish()
    }
}

/// The order of a page with a text.
const RELEVANCE: &str = "relevance";

/// A question and its answer, on their way to a page.
struct Splice<'a> {
    site: &'a Site,
    html: &'a Html,
    language: &'a Language,
    dated: &'a Dated,
    query: &'a Query,
    extras: &'a Extras,
    invalid: &'a [String],
    answer: Ranked,
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
    let pairs: Vec<_> = pairs(&question).filter(|(name, _)| !matches!(&**name, "offset" | "page")).collect();
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
    let splice = Splice {
        site,
        html,
        language: html.language(query.locale),
        dated,
        query,
        extras,
        invalid,
        answer: rank::search(&site.index, query, &dated.today, wish),
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
        }
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
        if filters.peek().is_none() && self.answer.understood.is_empty() && self.answer.said.is_empty() {
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
        self.answer.understood.iter().for_each(|understood| self.understood(understood, out));
        self.answer.said.iter().for_each(|said| self.said(said, out));
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
            (None, None) => {
                self.language.push_word(out, Word::AsWords);
                out.extend_from_slice(b": ");
                push_escaped(out, value);
            }
        }
    }

    /// A chip that takes words as words.
    fn reading_chip(&self, words: &str, label: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
        out.extend_from_slice(b"<li class=\"read\"><a href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        self.push_query(out, None, None);
        let mut pair = form_urlencoded::Serializer::new(String::new());
        out.extend_from_slice(b"&amp;");
        push_escaped(out, &pair.append_pair("plain", words).finish());
        out.extend_from_slice(b"\"><span class=\"vh\">");
        self.language.push_word(out, Word::AsWords);
        out.extend_from_slice(b" </span>");
        label(out);
        out.extend_from_slice(b" <span aria-hidden=\"true\">\xc3\x97</span></a></li>");
    }

    /// What words were taken for.
    fn understood(&self, understood: &Understood, out: &mut Vec<u8>) {
        let label = |out: &mut Vec<u8>| {
            let facet = understood.values.first().map_or(Facet::Countries, |(facet, _)| *facet);
            let facet = if understood.place.is_some() { Facet::Countries } else { facet };
            out.extend_from_slice(self.language.facets.bytes(facet as usize));
            out.extend_from_slice(b": ");
            match (&understood.place, understood.values.first()) {
                (Some(code), _) if crate::place::find(code).is_some() => {
                    self.push_place(out, Facet::Countries, code);
                }
                (None, Some((_, ordinal))) => {
                    out.extend_from_slice(self.language.labels.bytes(*ordinal as usize));
                }
                _ => push_escaped(out, &understood.words),
            }
        };
        self.reading_chip(&understood.words, label, out);
    }

    /// A filter that words said.
    fn said(&self, said: &Said, out: &mut Vec<u8>) {
        self.reading_chip(&said.words, |out| self.push_filter(out, said.parameter, &said.value), out);
    }

    /// Words that stand nowhere, and what they were taken for.
    fn reading(&self, out: &mut Vec<u8>) {
        let Ranked { guesses, unknown, countries, .. } = &self.answer;
        let is_plain = guesses.is_empty() && unknown.is_empty() && countries.is_empty();
        out.extend_from_slice(if is_plain { &b""[..] } else { b"<div class=\"note\" id=\"reading\">" });
        for (word, code) in countries {
            let text = self.query.text.as_deref().and_then(|text| text_without(text, word));
            let asked = self.extras.question(self.site, &Query { text, ..self.query.clone() });
            let country = (Facet::Countries.spec().parameter, *code);
            ways::push_country((self.language, path(self.query.locale)), &asked, country, out);
        }
        for guess in guesses {
            let quoted = |word: &String| format!("\u{201c}{}\u{201d}", escaped(word));
            let shown = guess.read_as.iter().map(quoted).collect::<Vec<_>>().join(", ");
            out.extend_from_slice(b"<p>");
            let values = [("word", &*escaped(&guess.word)), ("shown", &shown)];
            self.language.push_phrase(out, Word::Guessed, &values);
            out.extend_from_slice(b"</p>");
        }
        for word in unknown {
            out.extend_from_slice(b"<p>");
            self.language.push_phrase(out, Word::Nowhere, &[("word", &escaped(word))]);
            out.extend_from_slice(b"</p>");
        }
        out.extend_from_slice(if is_plain { &b""[..] } else { b"</div>" });
    }

    fn push_place(&self, out: &mut Vec<u8>, facet: Facet, code: &str) {
        let label = crate::facet::place_label(facet, code, self.query.locale);
        push_escaped(out, label.unwrap_or(code));
    }

    fn rows(&self, out: &mut Vec<u8>) {
        let rows = &self.answer.rows;
        if rows.is_empty() && self.query.page.offset > 0 {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::PastEnd);
            out.push(b' ');
            self.page_link(out, 1, "first", Word::First);
            out.extend_from_slice(b"</p>");
        } else if self.answer.total == 0 {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::NoResults);
            out.extend_from_slice(b"</p>");
            let found = without(&self.site.index, self.query, &self.dated.today, &self.extras.plain);
            let asked = |way: &Without| self.extras.question(self.site, &way.query);
            let label = |out: &mut Vec<u8>, name: &str, value: &str| self.push_filter(out, name, value);
            ways::push((self.language, path(self.query.locale)), &found, asked, label, out);
        }
        let mut number = self.query.page.offset + 1;
        for group in rows.chunk_by(|a, b| a.tier == b.tier || a.tier.is_full() && b.tier.is_full()) {
            self.heading(&group[0], out);
            out.extend_from_slice(b"<ol class=\"rows\" start=\"");
            push_number(out, number);
            out.extend_from_slice(b"\">");
            group.iter().for_each(|row| self.language.push_row(out, row.doc, self.dated));
            out.extend_from_slice(b"</ol>");
            number += group.len() as u64;
        }
        self.silent(out);
    }

    /// Says how rows come near.
    fn heading(&self, first: &Row, out: &mut Vec<u8>) {
        let word = match first.tier {
            Tier::Name | Tier::All => return,
            Tier::Wider => Word::TierWider,
            Tier::Guess => Word::TierGuess,
            Tier::Unstated => Word::TierUnstated,
            Tier::Most => Word::TierMost,
            Tier::Some => Word::TierSome,
        };
        let quoted: Vec<String> =
            first.missing.iter().map(|words| format!("\u{201c}{}\u{201d}", escaped(words))).collect();
        out.extend_from_slice(b"<p class=\"tier\"><strong>");
        self.language.push_phrase(out, word, &[("words", &quoted.join(", "))]);
        out.extend_from_slice(b"</strong></p>");
    }

    /// A link to what would match if it did not keep silent.
    fn silent(&self, out: &mut Vec<u8>) {
        if self.answer.silent == 0 || self.extras.silent {
            return;
        }
        out.extend_from_slice(b"<p><a href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        self.push_query(out, None, None);
        out.extend_from_slice(b"&amp;unstated=true\">");
        let count = grouped(self.answer.silent as u64, self.query.locale);
        self.language.push_phrase(out, Word::Silent, &[("n", &count)]);
        out.extend_from_slice(b"</a></p>");
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
        let by_relevance = self.extras.by_relevance(self.query);
        if self.query.text.is_some() {
            out.extend_from_slice(b"<option value=\"relevance\"");
            out.extend_from_slice(if by_relevance { b" selected>" } else { b">" });
            self.language.push_word(out, Word::SortRelevance);
            out.extend_from_slice(b"</option>");
        }
        for (sort, word) in [
            (Sort::Deadline, Word::SortDeadline),
            (Sort::Name, Word::SortName),
            (Sort::Recent, Word::SortRecent),
        ] {
            out.extend_from_slice(b"<option value=\"");
            out.extend_from_slice(sort.as_str().as_bytes());
            out.extend_from_slice(if sort == self.query.sort && !by_relevance {
                b"\" selected>"
            } else {
                b"\">"
            });
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
