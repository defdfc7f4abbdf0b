//! Chips of applied filters and interpreted words, and notes about invalid parameters and unknown words.

use super::extras::ORGANIZATION;
use super::{PageOptions, Splice, search_path};
use crate::fragments::{push, push_parts};
use crate::messages::Message;
use crate::recipients::recipients_path;
use crate::status::plain;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::text::{escaped, grouped};
use snapshot::place;
use snapshot::query::Query;
use snapshot::record::Locale;
use snapshot::search::{FilterPhrase, Interpretation, OfferedPlaces, PhraseUse, RankedPage, text_without};
use snapshot::truncate::at_word;

/// Longest label of a chip, and of one with two links, in characters.
const LABEL_MAX: usize = 37;
const UNDERSTOOD_MAX: usize = 27;
/// Most bytes of the links that remove a filter each: all repeat the query.
const CHIPS_BYTES: usize = 32 << 10;
/// How many words a note names of the end of what was searched of a long text.
const END_WORDS: usize = 4;

/// A label without markup, cut to a length, and an attribute that describes it where the whole says more.
fn described(label: &str, whole: &str, most: usize) -> (String, String) {
    let (all, whole) = (plain(label), plain(whole));
    let label = at_word(&all, most);
    let title = if label == whole { String::new() } else { format!(" title=\"{}\"", escaped(&whole)) };
    (escaped(&label), title)
}

impl Splice<'_> {
    pub(super) fn chips(&self, out: &mut Vec<u8>) {
        let RankedPage { interpretations, filter_phrases, .. } = &self.answer;
        let mut filters = self.display.filters().peekable();
        if filters.peek().is_none() && interpretations.is_empty() && filter_phrases.is_empty() {
            return;
        }
        push(out, "<ul class=\"chips\">");
        let remove = self.language.word(Message::Remove);
        let most = CHIPS_BYTES / self.address.len();
        for position in filters.by_ref().take(most) {
            let (name, value) = &self.display.pairs[position];
            let mut whole = self.display.filter(name, value);
            let label = whole.clone();
            if let Some(spec) = FACETS.iter().find(|spec| spec.is_place && spec.parameter == name) {
                whole += &self.containment(spec.facet, value);
            }
            let (label, title) = described(&label, &whole, LABEL_MAX);
            let address = self.display.address(search_path(self.query.locale), Some(position), None);
            push_parts(
                out,
                ["<li><a href=\"", &address, "\"", &title, "><span class=\"vh\">", remove, " </span>"],
            );
            push_parts(out, [&label, " <span aria-hidden=\"true\">×</span></a></li>"]);
        }
        let more = filters.count();
        if more > 0 {
            push(out, format_args!("<li>+{more}</li>"));
        }
        interpretations.iter().for_each(|it| self.interpretation_chip(it, out));
        filter_phrases.iter().for_each(|it| self.filter_phrase_chip(it, out));
        let (path, word) = (search_path(self.query.locale), self.language.word(Message::ClearAll));
        push(out, format_args!("<li><a class=\"clear\" href=\"{path}\">{word}</a></li></ul>"));
    }

    /// `climate · Grant · Open now: 12 opportunities`; the title of the search for an empty query.
    pub(super) fn title(&self) -> String {
        match self.display.name() {
            name if name.is_empty() => self.language.word(Message::SearchTitle).to_owned(),
            name => format!("{name}: {}", self.count()),
        }
    }

    /// The text of the query without some words; `None` if nothing is left of it.
    fn text_left(&self, words: &str) -> Option<String> {
        let text = text_without(self.query.text.as_deref()?, words)?;
        Some(text).filter(|text| text.chars().any(char::is_alphanumeric))
    }

    /// The first page of a query as a query string.
    fn first_page(&self, query: Query) -> String {
        let query = Query { page: Query::default().page, ..query };
        self.extras.query_string(self.site, self.html, &query)
    }

    /// A link that searches words as text.
    fn as_text(&self, words: &str) -> String {
        let mut pair = form_urlencoded::Serializer::new(String::new());
        let plain = escaped(&pair.append_pair("plain", words).finish());
        let (address, shown) = (&self.address, escaped(words));
        let text = self.language.word(Message::AsText);
        format!("<a href=\"{address}&amp;{plain}\">{text}<span class=\"vh\">: {shown}</span></a>")
    }

    /// A note about words that mean a filter and were not applied.
    fn unapplied(&self, phrase: &FilterPhrase, out: &mut Vec<u8>) {
        let words = self.quoted(std::iter::once(self.typed(&phrase.words)));
        let message = match phrase.used {
            PhraseUse::OtherCurrency => Message::OtherCurrency,
            PhraseUse::OpeningDay => Message::OpeningDay,
            PhraseUse::Offered | PhraseUse::Applied => {
                let left = Query { text: self.text_left(&phrase.words), ..self.query.clone() };
                let mut pairs = form_urlencoded::Serializer::new(self.first_page(left));
                let address = escaped(&pairs.append_pair(phrase.parameter, &phrase.value).finish());
                let (path, name) =
                    (search_path(self.query.locale), self.display.filter(phrase.parameter, &phrase.value));
                let filter = format!("<a href=\"{path}?{address}\">{name}</a>");
                let values = [("words", &*words), ("filter", &*filter)];
                return push(
                    out,
                    format_args!("<p>{}</p>", self.language.phrase(Message::OrFilter, &values)),
                );
            }
        };
        let (note, as_text) =
            (self.language.phrase(message, &[("words", &words)]), self.as_text(&phrase.words));
        push(out, format_args!("<p>{note} {as_text}</p>"));
    }

    /// A chip for words that were understood: what they mean, a link that searches them as text, and one that removes
    /// them. `label` is the value, `whole` the value with the name of its filter, shown where it is short enough.
    fn understood_chip(&self, words: &str, (label, whole): (&str, &str), out: &mut Vec<u8>) {
        let label = if plain(whole).chars().count() <= UNDERSTOOD_MAX { whole } else { label };
        let (label, title) = described(label, whole, UNDERSTOOD_MAX);
        let (shown, as_text) = (escaped(words), self.as_text(words));
        push(out, format_args!("<li class=\"read\"><em{title}>{label}</em> {as_text}"));
        if self.query.text.as_deref().is_some_and(|text| text_without(text, words).is_some()) {
            let address = self.first_page(Query { text: self.text_left(words), ..self.query.clone() });
            let mark = if address.is_empty() { "" } else { "?" };
            let (path, address) = (search_path(self.query.locale), escaped(&address));
            let remove = self.language.word(Message::Remove);
            push(
                out,
                format_args!(
                    " <a href=\"{path}{mark}{address}\"><span class=\"vh\">{remove} {shown}</span><span aria-hidden=\"true\">×</span></a>"
                ),
            );
        }
        push(out, "</li>");
    }

    /// A chip for words that were interpreted as facet values or a place. Values of several facets are named by the
    /// words themselves.
    fn interpretation_chip(&self, interpretation: &Interpretation, out: &mut Vec<u8>) {
        let mut facets: Vec<Facet> = interpretation.values.iter().map(|(facet, _)| *facet).collect();
        facets.dedup();
        if facets.is_empty() || interpretation.place.is_some() {
            // A place without a role is anything that names it.
            facets = interpretation.named_role().into_iter().collect();
        }
        let place = interpretation.place.as_ref().map(|code| self.display.place(Facet::Countries, code));
        let is_outside = interpretation.is_outside;
        let mut labels =
            interpretation.values.iter().map(|(_, value)| self.language.labels.text(*value as usize));
        let first = labels.next().filter(|first| match is_outside {
            true => labels.all(|label| label == *first),
            false => labels.next().is_none(),
        });
        let value = place.or_else(|| first.map(str::to_owned));
        let label = match value {
            Some(value) if is_outside => self.language.phrase(Message::OtherThan, &[("place", &*value)]),
            Some(value) => value,
            None => escaped(&self.typed(&interpretation.words)),
        };
        let names: Vec<&str> =
            facets.iter().map(|facet| self.language.facets.text(*facet as usize)).collect();
        let whole = if names.is_empty() { label.clone() } else { format!("{}: {label}", names.join(" · ")) };
        self.understood_chip(&interpretation.words, (&label, &whole), out);
    }

    /// A chip for words that were interpreted as a filter.
    fn filter_phrase_chip(&self, phrase: &FilterPhrase, out: &mut Vec<u8>) {
        let label = self.display.filter(phrase.parameter, &phrase.value);
        self.understood_chip(&phrase.words, (&label, &label), out);
    }

    /// A link to the first page of the query with another text and some more parameters, and the number of records that
    /// it finds; without any, only the name.
    fn link_with_count(
        &self,
        text: Option<String>,
        pairs: &[(&str, &str)],
        name: &str,
        total: usize,
    ) -> String {
        let (path, count) = (search_path(self.query.locale), grouped(total as u64, self.query.locale));
        if total == 0 {
            return format!("{name} {count}");
        }
        let address = self.first_page(Query { text, ..self.query.clone() });
        let address = form_urlencoded::Serializer::new(address).extend_pairs(pairs).finish();
        format!("<a href=\"{path}?{}\">{name}</a> {count}", escaped(&address))
    }

    /// What words may be meant for as links: `Chile: Destination 12 · Eligible country 31 · in the text 44`.
    fn roles(&self, words: &Interpretation, out: &mut Vec<u8>) {
        let values = &self.site.index.values;
        let links = words.roles.iter().map(|(role, total)| {
            let Some(facet) = role else {
                let name = self.language.word(Message::InTheText);
                return self.link_with_count(
                    self.query.text.clone(),
                    &[("plain", &words.words)],
                    name,
                    *total,
                );
            };
            let of_facet = words.values.iter().filter(|(of, _)| words.place.is_none() && of == facet);
            let of_facet = of_facet.map(|(_, ordinal)| values.text(*ordinal));
            let selected = words.place.as_deref().into_iter().chain(of_facet);
            let pairs: Vec<_> = selected.map(|value| (facet.spec().parameter, value)).collect();
            let name = self.language.facets.text(*facet as usize);
            self.link_with_count(self.text_left(&words.words), &pairs, name, *total)
        });
        let links = links.collect::<Vec<_>>().join(" · ");
        let place = words.place.as_deref().map(|code| self.display.place(Facet::Countries, code));
        let name = place.unwrap_or_else(|| escaped(&words.words));
        push(out, format_args!("<p class=\"roles\">{name}: {links}</p>"));
    }

    /// The places that a word may name: `Did you mean a place? Georgia: Destination 3 · Georgia, United States: Eligible
    /// country 12`.
    fn offered(&self, OfferedPlaces { words, places }: &OfferedPlaces, out: &mut Vec<u8>) {
        let links = places.iter().map(|((code, facet), total)| {
            let place = escaped(&place::label_with_country(code, self.query.locale));
            let name = format!("{place}: {}", self.language.facets.text(*facet as usize));
            self.link_with_count(self.text_left(words), &[(facet.spec().parameter, code)], &name, *total)
        });
        let links = links.collect::<Vec<_>>().join(" · ");
        push(out, format_args!("<p>{}</p>", self.language.phrase(Message::Place, &[("places", &links)])));
    }

    pub(super) fn invalid(&self, out: &mut Vec<u8>) {
        if self.invalid.is_empty() {
            return;
        }
        push(out, "<div class=\"note\" id=\"invalid\">");
        let (cut, others): (Vec<&String>, Vec<&String>) =
            self.invalid.iter().partition(|entry| self.is_cut_text(entry));
        if let (Some(text), false) = (self.query.text.as_deref(), cut.is_empty()) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let end = words[words.len().saturating_sub(END_WORDS)..].join(" ");
            let values = [("end", &*escaped(&end))];
            push(out, format_args!("<p>{}</p>", self.language.phrase(Message::TextCut, &values)));
        }
        if !others.is_empty() {
            push(out, format_args!("<p>{}</p><ul>", self.language.word(Message::Invalid)));
            others.iter().for_each(|it| push(out, format_args!("<li><code>{}</code></li>", escaped(it))));
            push(out, "</ul>");
        }
        if let Some(name) = self.unknown_organization() {
            self.organizations_near(name, out);
        }
        push(out, "</div>");
    }

    /// Whether an invalid parameter is a text whose beginning was searched. The parameter itself may be cut.
    fn is_cut_text(&self, entry: &str) -> bool {
        let typed = entry.strip_prefix("q=").map(|text| text.trim_start().trim_end_matches('\u{2026}'));
        let both = typed.zip(self.query.text.as_deref());
        both.is_some_and(|(typed, text)| typed.starts_with(text) || text.starts_with(typed))
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
        let intro = self.language.phrase(Message::NoOrganization, &values);
        push(out, format_args!("<p>{intro}</p><ul>"));
        let mut link = |address: &str, text: &str| {
            push(out, format_args!("<li><a href=\"{}\">{text}</a></li>", escaped(address)));
        };
        for number in organizations.near(name) {
            let extras = PageOptions { organization: Some(number), ..self.extras.clone() };
            let query_string = extras.query_string(self.site, self.html, self.query);
            let address = format!("{}?{query_string}", search_path(locale));
            link(&address, organizations.name(number, locale));
        }
        let text = self.query.text.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(" ");
        let query_string = self.first_page(Query { text: Some(text), ..self.query.clone() });
        let address = format!("{}?{query_string}", search_path(locale));
        link(&address, &self.language.phrase(Message::OrganizationAsWords, &values));
        let all = if locale == Locale::Es { "/es/organizations" } else { "/organizations" };
        link(all, self.language.word(Message::Organizations));
        push(out, "</ul>");
    }

    /// Notes about words: possible places, corrected words, and words without results.
    pub(super) fn word_notes(&self, out: &mut Vec<u8>) {
        let RankedPage { guesses, unknown, offered, unapplied, .. } = &self.answer;
        let places: Vec<&Interpretation> =
            self.answer.interpretations.iter().filter(|it| self.is_choice(it)).collect();
        let is_clear = guesses.is_empty() && unknown.is_empty() && unapplied.is_empty();
        if is_clear && offered.is_empty() && places.is_empty() {
            return;
        }
        push(out, "<div class=\"note\" id=\"reading\">");
        unapplied.iter().for_each(|it| self.unapplied(it, out));
        offered.iter().for_each(|it| self.offered(it, out));
        places.into_iter().for_each(|words| self.roles(words, out));
        for guess in guesses {
            let shown = self.quoted(guess.read_as.iter().map(String::as_str));
            let values = [("word", &*escaped(&self.typed(&guess.word))), ("shown", &shown)];
            push(out, format_args!("<p>{}</p>", self.language.phrase(Message::Guessed, &values)));
        }
        for word in unknown {
            let values = [("word", &*escaped(&self.typed(word)))];
            push(out, format_args!("<p>{}", self.language.phrase(Message::Nowhere, &values)));
            self.recipients_with(word, out);
            push(out, "</p>");
        }
        push(out, "</div>");
    }

    /// Whether the roles of words are worth a choice. Without a role words mean any of them, so that a role with as many
    /// records finds the same ones.
    fn is_choice(&self, words: &Interpretation) -> bool {
        let finds_same = |(_, total): &(_, usize)| words.role.is_none() && *total == self.answer.total;
        words.roles.len() > 1 && !words.roles.iter().all(finds_same)
    }

    /// A link to the recipients of awards whose names have a word, if there are any.
    fn recipients_with(&self, word: &str, out: &mut Vec<u8>) {
        if self.site.index.names_recipient(word) {
            let path = recipients_path(self.query.locale);
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("q", word).finish();
            let text = self.language.word(Message::RecipientsWith);
            push(out, format_args!(" <a href=\"{path}?{query}\">{text}</a>"));
        }
    }
}
