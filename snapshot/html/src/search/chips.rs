//! Chips of applied filters and interpreted words, and notes about invalid parameters and unknown words.

use super::extras::ORGANIZATION;
use super::{PageOptions, Splice, search_path};
use crate::messages::Message;
use crate::status::push_plain;
use crate::suggestions;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::text::{escaped, grouped, push_escaped};
use snapshot::query::Query;
use snapshot::record::Locale;
use snapshot::search::{FilterPhrase, Interpretation, RankedPage, text_without};
use snapshot::truncate::at_word;

/// Longest label of a chip, and of one with two links, in characters.
const LABEL_MAX: usize = 37;
const UNDERSTOOD_MAX: usize = 24;

/// Returns a label without markup, cut to a length, and writes the whole as a description where it says more.
fn push_description(out: &mut Vec<u8>, label: &[u8], whole: &[u8], most: usize) -> String {
    let plain = |html: &[u8]| {
        let mut plain = Vec::new();
        push_plain(&mut plain, html);
        String::from_utf8(plain).unwrap_or_default()
    };
    let (label, whole) = (at_word(&plain(label), most).into_owned(), plain(whole));
    if label != whole {
        out.extend_from_slice(b" title=\"");
        push_escaped(out, &whole);
        out.push(b'"');
    }
    label
}

impl Splice<'_> {
    pub(super) fn chips(&self, out: &mut Vec<u8>) {
        let mut filters = self.display.filters().peekable();
        if filters.peek().is_none()
            && self.answer.interpretations.is_empty()
            && self.answer.filter_phrases.is_empty()
        {
            return;
        }
        out.extend_from_slice(b"<ul class=\"chips\">");
        for position in filters {
            let (name, value) = &self.display.pairs[position];
            out.extend_from_slice(b"<li><a href=\"");
            out.extend_from_slice(search_path(self.query.locale).as_bytes());
            self.push_query(out, Some(position), None);
            let mut label = Vec::new();
            self.display.push_filter(&mut label, name, value);
            let mut whole = label.clone();
            let places = FACETS.iter().find(|spec| spec.is_place && spec.parameter == name);
            if let Some(spec) = places {
                self.push_containment(&mut whole, spec.facet, value);
            }
            out.extend_from_slice(b"\"");
            let label = push_description(out, &label, &whole, LABEL_MAX);
            out.extend_from_slice(b"><span class=\"vh\">");
            self.language.push_message(out, Message::Remove);
            out.extend_from_slice(b" </span>");
            push_escaped(out, &label);
            out.extend_from_slice(b" <span aria-hidden=\"true\">\xc3\x97</span></a></li>");
        }
        self.answer.interpretations.iter().for_each(|it| self.interpretation_chip(it, out));
        self.answer.filter_phrases.iter().for_each(|it| self.filter_phrase_chip(it, out));
        out.extend_from_slice(b"<li><a class=\"clear\" href=\"");
        out.extend_from_slice(search_path(self.query.locale).as_bytes());
        out.extend_from_slice(b"\">");
        self.language.push_message(out, Message::ClearAll);
        out.extend_from_slice(b"</a></li></ul>");
    }

    /// `climate · Grant · Open now: 12 opportunities`; the title of the search for an empty query.
    pub(super) fn title(&self, out: &mut Vec<u8>) {
        let name = self.display.name();
        if name.is_empty() {
            return self.language.push_message(out, Message::SearchTitle);
        }
        out.extend_from_slice(&name);
        out.extend_from_slice(b": ");
        self.count(out);
    }

    /// A chip for words that were understood: what they mean, a link that searches them as text, and one that removes
    /// them. `label` is the value, `whole` the value with the name of its filter.
    fn understood_chip(&self, words: &str, (label, whole): (&[u8], &[u8]), out: &mut Vec<u8>) {
        out.extend_from_slice(b"<li class=\"read\"><em");
        let label = push_description(out, label, whole, UNDERSTOOD_MAX);
        out.extend_from_slice(b">");
        push_escaped(out, &label);
        out.extend_from_slice(b"</em> <a href=\"");
        out.extend_from_slice(search_path(self.query.locale).as_bytes());
        self.push_query(out, None, None);
        let mut pair = form_urlencoded::Serializer::new(String::new());
        out.extend_from_slice(b"&amp;");
        push_escaped(out, &pair.append_pair("plain", words).finish());
        out.extend_from_slice(b"\">");
        self.language.push_message(out, Message::AsText);
        out.extend_from_slice(b"<span class=\"vh\">: ");
        push_escaped(out, words);
        out.extend_from_slice(b"</span></a>");
        if let Some(text) = self.query.text.as_deref().and_then(|text| text_without(text, words)) {
            let text = Some(text).filter(|text| text.chars().any(char::is_alphanumeric));
            let query = Query { text, page: Query::default().page, ..self.query.clone() };
            let address = self.extras.query_string(self.site, self.html, &query);
            out.extend_from_slice(b" <a href=\"");
            out.extend_from_slice(search_path(self.query.locale).as_bytes());
            out.extend_from_slice(if address.is_empty() { b"" } else { b"?" });
            push_escaped(out, &address);
            out.extend_from_slice(b"\"><span class=\"vh\">");
            self.language.push_message(out, Message::Remove);
            out.push(b' ');
            push_escaped(out, words);
            out.extend_from_slice(b"</span><span aria-hidden=\"true\">\xc3\x97</span></a>");
        }
        out.extend_from_slice(b"</li>");
    }

    /// A chip for words that were interpreted as a facet value or a place.
    fn interpretation_chip(&self, interpretation: &Interpretation, out: &mut Vec<u8>) {
        let facet = interpretation.values.first().map_or(Facet::Countries, |(facet, _)| *facet);
        let of_place = interpretation.role.unwrap_or(Facet::Countries);
        let facet = if interpretation.place.is_some() { of_place } else { facet };
        let mut label = Vec::new();
        match (&interpretation.place, interpretation.values.first()) {
            (Some(code), _) if snapshot::place::find(code).is_some() => {
                self.display.push_place(&mut label, Facet::Countries, code);
            }
            (None, Some((_, ordinal))) => {
                label.extend_from_slice(self.language.labels.bytes(*ordinal as usize));
            }
            _ => push_escaped(&mut label, &interpretation.words),
        }
        let whole = [self.language.facets.bytes(facet as usize), b": ", &label].concat();
        self.understood_chip(&interpretation.words, (&label, &whole), out);
    }

    /// A chip for words that were interpreted as a filter.
    fn filter_phrase_chip(&self, phrase: &FilterPhrase, out: &mut Vec<u8>) {
        let mut label = Vec::new();
        self.display.push_filter(&mut label, phrase.parameter, &phrase.value);
        self.understood_chip(&phrase.words, (&label, &label), out);
    }

    /// The roles of a place as links: `Chile: Destination 12 · Eligible country 31 · in the text 44`.
    fn roles(&self, place: &Interpretation, out: &mut Vec<u8>) {
        let Some(code) = place.place.as_deref() else { return };
        out.extend_from_slice(b"<p class=\"roles\">");
        self.display.push_place(out, Facet::Countries, code);
        for (position, (role, total)) in place.roles.iter().enumerate() {
            out.extend_from_slice(if position == 0 { b": " } else { " · ".as_bytes() });
            let text = || {
                let text = self.query.text.as_deref().and_then(|text| text_without(text, &place.words));
                text.filter(|text| text.chars().any(char::is_alphanumeric))
            };
            let (query, pair) = match role {
                Some(facet) => (Query { text: text(), ..self.query.clone() }, (facet.spec().parameter, code)),
                None => (self.query.clone(), ("plain", place.words.as_str())),
            };
            let query = Query { page: Query::default().page, ..query };
            let mut address = self.extras.query_string(self.site, self.html, &query);
            let mut added = form_urlencoded::Serializer::new(String::new());
            let and = if address.is_empty() { "" } else { "&" };
            address.push_str(and);
            address.push_str(&added.append_pair(pair.0, pair.1).finish());
            out.extend_from_slice(b"<a href=\"");
            out.extend_from_slice(search_path(self.query.locale).as_bytes());
            out.push(b'?');
            push_escaped(out, &address);
            out.extend_from_slice(b"\">");
            match role {
                Some(facet) => out.extend_from_slice(self.language.facets.bytes(*facet as usize)),
                None => self.language.push_message(out, Message::InTheText),
            }
            out.extend_from_slice(b"</a> ");
            out.extend_from_slice(grouped(*total as u64, self.query.locale).as_bytes());
        }
        out.extend_from_slice(b"</p>");
    }

    pub(super) fn invalid(&self, out: &mut Vec<u8>) {
        if self.invalid.is_empty() {
            return;
        }
        out.extend_from_slice(b"<div class=\"note\" id=\"invalid\"><p>");
        self.language.push_message(out, Message::Invalid);
        out.extend_from_slice(b"</p><ul>");
        for entry in self.invalid {
            out.extend_from_slice(b"<li><code>");
            push_escaped(out, entry);
            out.extend_from_slice(b"</code></li>");
        }
        out.extend_from_slice(b"</ul>");
        if let Some(name) = self.unknown_organization() {
            self.organizations_near(name, out);
        }
        out.extend_from_slice(b"</div>");
    }

    /// The organization name in the query, if it does not identify one organization.
    pub(super) fn unknown_organization(&self) -> Option<&str> {
        if self.extras.organization.is_some() {
            return None;
        }
        self.invalid.iter().find_map(|entry| entry.strip_prefix(ORGANIZATION)?.strip_prefix('='))
    }

    /// Links for an unknown or ambiguous organization name: similar organizations, a text search for the name, and
    /// the list of organizations.
    fn organizations_near(&self, name: &str, out: &mut Vec<u8>) {
        let (organizations, locale) = (&self.html.organizations, self.query.locale);
        let values = [("name", &*escaped(name))];
        out.extend_from_slice(b"<p>");
        self.language.push_phrase(out, Message::NoOrganization, &values);
        out.extend_from_slice(b"</p><ul>");
        let mut link = |address: &str, text: &dyn Fn(&mut Vec<u8>)| {
            out.extend_from_slice(b"<li><a href=\"");
            push_escaped(out, address);
            out.extend_from_slice(b"\">");
            text(out);
            out.extend_from_slice(b"</a></li>");
        };
        for number in organizations.near(name) {
            let extras = PageOptions { organization: Some(number), ..self.extras.clone() };
            let address =
                format!("{}?{}", search_path(locale), extras.query_string(self.site, self.html, self.query));
            link(&address, &|out| out.extend_from_slice(organizations.name(number, locale).as_bytes()));
        }
        let text = self.query.text.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(" ");
        let worded = Query { text: Some(text), page: Query::default().page, ..self.query.clone() };
        let address =
            format!("{}?{}", search_path(locale), self.extras.query_string(self.site, self.html, &worded));
        link(&address, &|out| self.language.push_phrase(out, Message::OrganizationAsWords, &values));
        let all = if locale == Locale::Es { "/es/organizations" } else { "/organizations" };
        link(all, &|out| self.language.push_message(out, Message::Organizations));
        out.extend_from_slice(b"</ul>");
    }

    /// Notes about words: possible countries, corrected words, and words without results.
    pub(super) fn word_notes(&self, out: &mut Vec<u8>) {
        let RankedPage { guesses, unknown, possible_countries: countries, .. } = &self.answer;
        let places: Vec<&Interpretation> =
            self.answer.interpretations.iter().filter(|it| it.roles.len() > 1).collect();
        if guesses.is_empty() && unknown.is_empty() && countries.is_empty() && places.is_empty() {
            return;
        }
        out.extend_from_slice(b"<div class=\"note\" id=\"reading\">");
        for (word, code) in countries {
            let text = self.query.text.as_deref().and_then(|text| text_without(text, word));
            let text = text.filter(|text| text.chars().any(char::is_alphanumeric));
            let query_string =
                self.extras.query_string(self.site, self.html, &Query { text, ..self.query.clone() });
            let country = (Facet::Countries.spec().parameter, *code);
            suggestions::push_country(
                (self.language, search_path(self.query.locale)),
                &query_string,
                country,
                out,
            );
        }
        places.into_iter().for_each(|place| self.roles(place, out));
        for guess in guesses {
            let quoted = |word: &String| format!("\u{201c}{}\u{201d}", escaped(word));
            let shown = guess.read_as.iter().map(quoted).collect::<Vec<_>>().join(", ");
            out.extend_from_slice(b"<p>");
            let values = [("word", &*escaped(&guess.word)), ("shown", &shown)];
            self.language.push_phrase(out, Message::Guessed, &values);
            out.extend_from_slice(b"</p>");
        }
        for word in unknown {
            out.extend_from_slice(b"<p>");
            self.language.push_phrase(out, Message::Nowhere, &[("word", &escaped(word))]);
            out.extend_from_slice(b"</p>");
        }
        out.extend_from_slice(b"</div>");
    }
}
