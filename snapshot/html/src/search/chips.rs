//! Chips of applied filters, and the words that were understood as filters.

use minijinja::{Value, context};
use snapshot::facet::Facet;
use snapshot::search::{Interpretation, RankedPage, text_without};
use snapshot::truncate::at_word;

use super::{Search, search_path};

/// Longest label of a chip, in characters.
const LABEL_MAX: usize = 37;
/// Most bytes of the links that remove a filter each: all repeat the query.
const CHIPS_BYTES: usize = 32 << 10;

impl Search<'_> {
    /// The applied filters; template `chips.html`.
    pub(super) fn chips(&self) -> Option<Value> {
        // The text is in the search field.
        let is_chip = |position: &usize| self.display.pairs[*position].0 != "q";
        let mut filters = self.display.filters().filter(is_chip).peekable();
        filters.peek()?;
        let most = CHIPS_BYTES / self.address.len();
        let shown = filters.by_ref().take(most).map(|position| self.filter_chip(position));
        let shown: Vec<Value> = shown.collect();
        // How many more there are.
        let more = filters.count();
        Some(context! { filters => shown, more, clear => search_path(self.query.locale) })
    }

    /// What words of the query were understood as.
    pub(super) fn understood(&self) -> Vec<Value> {
        let RankedPage { interpretations, filter_phrases, unknown, .. } = &self.answer;
        // A note says already that no record has the others.
        let known = interpretations.iter().filter(|it| !unknown.contains(&it.words));
        let values = known.map(|it| (&it.words, self.interpreted(it), it.names_something()));
        let filters = filter_phrases.iter();
        let filters = filters.map(|it| (&it.words, self.display.filter(it.parameter, &it.value), true));
        // Without a match, nothing is shown for it.
        let key = if self.answer.total > 0 { "search_showing" } else { "search_read_as" };
        let understood = |(words, label, names_something): (&String, String, bool)| {
            let as_text = names_something.then(|| self.as_text(words));
            context! { key, label, words => self.quoted([self.typed(words)]), as_text }
        };
        values.chain(filters).map(understood).collect()
    }

    /// A filter, cut to a length, and the whole of it where that says more; and the query without it.
    fn filter_chip(&self, position: usize) -> Value {
        let (name, value) = &self.display.pairs[position];
        let label = self.display.filter(name, value);
        let text = at_word(&label, LABEL_MAX);
        let remove = self.display.address(&search_path(self.query.locale), Some(position), None);
        context! { label => context! { whole => (text != label).then_some(&label), text }, remove }
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
        if interpretation.place.is_some() {
            // A place is anything that names it.
            facets.clear();
        }
        let place = interpretation.place.as_ref().map(|code| self.display.place(Facet::Countries, code));
        let language = self.html.language(self.query.locale);
        let mut labels = interpretation.values.iter().map(|(_, value)| language.label(*value).1);
        let first = labels.next().filter(|first| match &interpretation.left_out {
            Some(_) => labels.all(|label| label == *first),
            None => labels.next().is_none(),
        });
        let typed = self.typed(interpretation.left_out.as_ref().unwrap_or(&interpretation.words));
        let mut label = place.or(first).map_or(typed, str::to_owned);
        if interpretation.left_out.is_some() {
            label = self.words.phrase("search_other_than", &[("place", &label)]);
        }
        let names: Vec<&str> = facets.iter().map(|facet| self.display.facet(*facet)).collect();
        let label = if names.is_empty() { label } else { format!("{}: {label}", names.join(" / ")) };
        if !interpretation.is_alternative {
            return label;
        }
        self.words.phrase("search_or", &[("other", &label)])
    }
}
