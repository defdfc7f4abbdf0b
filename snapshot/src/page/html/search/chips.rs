//! What the question was taken for: filters and readings that can be taken away, and what was not understood.

use super::{Splice, path};
use crate::facet::{FACETS, Facet};
use crate::page::html::{Word, escaped, push_escaped, push_unmarked, ways};
use crate::query::{PARAMETERS, Query};
use crate::search::modifiers::Said;
use crate::search::rank::{Ranked, Understood};
use crate::search::without::text_without;

/// Characters of a question's text in the name of a window.
const TITLE_MAX: usize = 60;

impl Splice<'_> {
    pub(super) fn chips(&self, out: &mut Vec<u8>) {
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
            let places = FACETS.iter().find(|spec| spec.places && spec.parameter == name);
            if let Some(spec) = places {
                self.push_containment(out, spec.facet, value);
            }
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
    pub(super) fn push_filter(&self, out: &mut Vec<u8>, name: &str, value: &str) {
        let rank = PARAMETERS.iter().position(|parameter| parameter.name == name);
        let facet = FACETS.iter().find(|spec| spec.parameter == name);
        match (facet, rank) {
            (Some(spec), _) => {
                out.extend_from_slice(self.language.facets.bytes(spec.facet as usize));
                out.extend_from_slice(b": ");
                self.push_label(out, spec.facet, value);
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

    fn push_label(&self, out: &mut Vec<u8>, facet: Facet, value: &str) {
        match self.site.index.values.find(facet, value) {
            Some(ordinal) => out.extend_from_slice(self.language.labels.bytes(ordinal as usize)),
            None => self.push_place(out, facet, value),
        }
    }

    /// `climate · Grant · Open now: 12 opportunities`; what the page is for when nothing is asked.
    pub(super) fn title(&self, out: &mut Vec<u8>) {
        let mut words = Vec::new();
        let mut positions: Vec<usize> = self.filters().collect();
        // What was typed comes first.
        positions.sort_by_key(|position| self.pairs[*position].0 != "q");
        for position in positions {
            let (name, value) = &self.pairs[position];
            if !words.is_empty() {
                words.extend_from_slice(" · ".as_bytes());
            }
            let out = &mut words;
            match FACETS.iter().find(|spec| spec.parameter == name) {
                Some(spec) => self.push_label(out, spec.facet, value),
                None if name == "q" => push_escaped(out, &value.chars().take(TITLE_MAX).collect::<String>()),
                None => self.push_filter(out, name, value),
            }
        }
        if words.is_empty() {
            return self.language.push_word(out, Word::SearchTitle);
        }
        push_unmarked(out, &words);
        out.extend_from_slice(b": ");
        self.count(out);
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

    pub(super) fn invalid(&self, out: &mut Vec<u8>) {
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

    /// Words that stand nowhere, and what they were taken for.
    pub(super) fn reading(&self, out: &mut Vec<u8>) {
        let Ranked { guesses, unknown, countries, .. } = &self.answer;
        if guesses.is_empty() && unknown.is_empty() && countries.is_empty() {
            return;
        }
        out.extend_from_slice(b"<div class=\"note\" id=\"reading\">");
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
        out.extend_from_slice(b"</div>");
    }
}
