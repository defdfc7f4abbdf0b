//! Chips of applied filters, and the words that were understood as filters.

use serde::Serialize;
use snapshot::facet::{FACETS, Facet};
use snapshot::search::{Interpretation, RankedPage, text_without};
use snapshot::truncate::at_word;

use super::{Search, search_path};

/// Longest label of a chip, in characters.
const LABEL_MAX: usize = 37;
/// Most bytes of the links that remove a filter each: all repeat the query.
const CHIPS_BYTES: usize = 32 << 10;

/// What a page shows of its query; template `chips.html`.
#[derive(Serialize)]
pub(super) struct Chips {
    filters: Vec<FilterChip>,
    /// How many more filters there are.
    more: usize,
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
pub(super) struct Understood {
    /// The key of the word before it: without a match, nothing is shown for it.
    key: &'static str,
    /// The filter, with its name.
    label: String,
    /// The words as they were typed.
    words: String,
    /// A search for the words as text.
    as_text: String,
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
        // The text is in the search field.
        let is_chip = |position: &usize| self.display.pairs[*position].0 != "q";
        let mut filters = self.display.filters().filter(is_chip).peekable();
        filters.peek()?;
        let most = CHIPS_BYTES / self.address.len();
        let shown = filters.by_ref().take(most).map(|position| self.filter_chip(position)).collect();
        Some(Chips { filters: shown, more: filters.count(), clear: search_path(self.query.locale) })
    }

    /// What words of the query were understood as.
    pub(super) fn understood(&self) -> Vec<Understood> {
        let RankedPage { interpretations, filter_phrases, .. } = &self.answer;
        let values = interpretations.iter().map(|it| (&it.words, self.interpreted(it)));
        let filters = filter_phrases.iter();
        let filters = filters.map(|it| (&it.words, self.display.filter(it.parameter, &it.value)));
        let key = if self.answer.total > 0 { "search_showing" } else { "search_read_as" };
        let understood = |(words, label): (&String, String)| Understood {
            key,
            label,
            words: self.quoted(std::iter::once(self.typed(words))),
            as_text: self.as_text(words),
        };
        values.chain(filters).map(understood).collect()
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

    /// The facet values or the place that words were understood as, after the names of their filters. Values of several
    /// facets are named by the words themselves.
    fn interpreted(&self, interpretation: &Interpretation) -> String {
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
        if names.is_empty() { label } else { format!("{}: {label}", names.join(" / ")) }
    }
}
