//! Chips of applied filters and of words that were understood.

use serde::Serialize;
use snapshot::facet::{FACETS, Facet};
use snapshot::query::Query;
use snapshot::search::{FilterPhrase, Interpretation, RankedPage, text_without};
use snapshot::truncate::at_word;

use super::{Search, search_path};

/// Longest label of a chip, and of one with two links, in characters.
const LABEL_MAX: usize = 37;
const UNDERSTOOD_MAX: usize = 27;
/// Most bytes of the links that remove a filter each: all repeat the query.
const CHIPS_BYTES: usize = 32 << 10;

/// What a page shows of its query; template `chips.html`.
#[derive(Serialize)]
pub(super) struct Chips {
    filters: Vec<FilterChip>,
    /// How many more filters there are.
    more: usize,
    understood: Vec<UnderstoodChip>,
    clear: &'static str,
}

/// An applied filter.
#[derive(Serialize)]
struct FilterChip {
    label: Label,
    /// The query without it.
    remove: String,
}

/// Words that were understood as a filter.
#[derive(Serialize)]
struct UnderstoodChip {
    label: Label,
    words: String,
    as_text: String,
    /// The query without the words.
    remove: Option<String>,
}

/// A label cut to a length, and the whole of it where that says more.
#[derive(Serialize)]
struct Label {
    text: String,
    whole: Option<String>,
}

impl Label {
    fn new(label: &str, whole: String, most: usize) -> Self {
        let text = at_word(label, most).into_owned();
        Self { whole: (text != whole).then_some(whole), text }
    }
}

impl Search<'_> {
    pub(super) fn chips(&self) -> Option<Chips> {
        let RankedPage { interpretations, filter_phrases, .. } = &self.answer;
        let mut filters = self.display.filters().peekable();
        if filters.peek().is_none() && interpretations.is_empty() && filter_phrases.is_empty() {
            return None;
        }
        let most = CHIPS_BYTES / self.address.len();
        let shown = filters.by_ref().take(most).map(|position| self.filter_chip(position)).collect();
        let of_values = interpretations.iter().map(|it| self.interpretation_chip(it));
        let of_phrases = filter_phrases.iter().map(|it| self.filter_phrase_chip(it));
        Some(Chips {
            filters: shown,
            more: filters.count(),
            understood: of_values.chain(of_phrases).collect(),
            clear: search_path(self.query.locale),
        })
    }

    fn filter_chip(&self, position: usize) -> FilterChip {
        let (name, value) = &self.display.pairs[position];
        let label = self.display.filter(name, value);
        let place = FACETS.iter().find(|spec| spec.is_place && spec.parameter == name);
        let whole = place.map_or(label.clone(), |spec| label.clone() + &self.containment(spec.facet, value));
        let remove = self.display.address(search_path(self.query.locale), Some(position), None);
        FilterChip { label: Label::new(&label, whole, LABEL_MAX), remove }
    }

    /// The text of the query without some words; `None` if nothing is left of it.
    pub(super) fn text_left(&self, words: &str) -> Option<String> {
        let text = text_without(self.query.text.as_deref()?, words)?;
        Some(text).filter(|text| text.chars().any(char::is_alphanumeric))
    }

    /// The address of a search for words as text.
    pub(super) fn as_text(&self, words: &str) -> String {
        let pair = form_urlencoded::Serializer::new(String::new()).append_pair("plain", words).finish();
        format!("{}&{pair}", self.address)
    }

    /// `label` is the value, `whole` the value with the name of its filter, shown where it is short enough.
    fn understood(&self, words: &str, label: String, whole: String) -> UnderstoodChip {
        let shown = if whole.chars().count() <= UNDERSTOOD_MAX { whole.clone() } else { label };
        let is_typed = self.query.text.as_deref().is_some_and(|text| text_without(text, words).is_some());
        let without = || Query { text: self.text_left(words), ..self.query.clone() };
        UnderstoodChip {
            label: Label::new(&shown, whole, UNDERSTOOD_MAX),
            words: words.to_owned(),
            as_text: self.as_text(words),
            remove: is_typed.then(|| self.first_page(without(), &[])),
        }
    }

    /// A chip for words that were interpreted as facet values or a place. Values of several facets are named by the
    /// words themselves.
    fn interpretation_chip(&self, interpretation: &Interpretation) -> UnderstoodChip {
        let mut facets: Vec<Facet> = interpretation.values.iter().map(|(facet, _)| *facet).collect();
        facets.dedup();
        if facets.is_empty() || interpretation.place.is_some() {
            // A place without a role is anything that names it.
            facets = interpretation.named_role().into_iter().collect();
        }
        let place = interpretation.place.as_ref().map(|code| self.display.place(Facet::Countries, code));
        let is_outside = interpretation.is_outside;
        let language = self.html.language(self.query.locale);
        let mut labels = interpretation.values.iter().map(|(_, value)| language.label(*value).1);
        let first = labels.next().filter(|first| match is_outside {
            true => labels.all(|label| label == *first),
            false => labels.next().is_none(),
        });
        let label = match place.or(first) {
            Some(value) if is_outside => self.words.phrase("search_other_than", &[("place", value)]),
            Some(value) => value.to_owned(),
            None => self.typed(&interpretation.words),
        };
        let names: Vec<&str> = facets.iter().map(|facet| self.display.facet(*facet)).collect();
        let whole = if names.is_empty() { label.clone() } else { format!("{}: {label}", names.join(" · ")) };
        self.understood(&interpretation.words, label, whole)
    }

    /// A chip for words that were interpreted as a filter.
    fn filter_phrase_chip(&self, phrase: &FilterPhrase) -> UnderstoodChip {
        let label = self.display.filter(phrase.parameter, &phrase.value);
        self.understood(&phrase.words, label.clone(), label)
    }
}
