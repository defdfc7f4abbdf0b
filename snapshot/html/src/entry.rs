//! The lists of the home page in which visitors choose who they are, what for, and where.

use std::cmp::Reverse;

use minijinja::{Error, Value, context};
use snapshot::facet::{ENTRY, Facet};
use snapshot::page::Dated;
use snapshot::record::Locale;
use snapshot::search::Index;
use snapshot::text::fold;

use crate::index::Html;

/// Most values of a facet in a list: those with the most open programs.
const MOST: usize = 40;

/// A value that a list may offer: its ordinal and its text.
type Choice = (u32, String);

/// The values of each facet that the lists are made of.
pub(crate) struct Entry([Vec<(Facet, Vec<Choice>)>; ENTRY.len()]);

impl Entry {
    /// All values, for whichever of them is open on a day.
    pub(crate) fn new(index: &Index) -> Self {
        let values = &index.values;
        let choices = |facet: Facet| {
            let ordinals = values.of(facet).map(|ordinal| ordinal as u32);
            ordinals.map(|ordinal| (ordinal, values.text(ordinal).to_owned())).collect()
        };
        Self(ENTRY.map(|(_, facets)| facets.iter().map(|facet| (*facet, choices(*facet))).collect()))
    }
}

impl Html {
    /// The lists on a day, template `entry.html`. A value without an open program is left out, and so is a list without
    /// values.
    pub(crate) fn entry(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let list = |((word, _), facets): (&(&'static str, _), &Vec<(Facet, Vec<Choice>)>)| {
            let groups = facets.iter().filter_map(|(facet, of)| self.entry_group(*facet, of, locale, dated));
            let groups: Vec<Value> = groups.collect();
            (!groups.is_empty()).then(|| context! { word => *word, groups })
        };
        let lists: Vec<Value> = ENTRY.iter().zip(&self.entry.0).filter_map(list).collect();
        self.templates.part("entry.html", locale, context! { lists })
    }

    /// The values of a facet, by label, each with its number of open programs.
    fn entry_group(&self, facet: Facet, choices: &[Choice], locale: Locale, dated: &Dated) -> Option<Value> {
        let (words, language, spec) = (self.words(locale), self.language(locale), facet.spec());
        let counted = choices.iter().map(|choice| (dated.today.open_with(choice.0), choice));
        let mut open: Vec<(u32, &Choice)> = counted.filter(|(count, _)| *count > 0).collect();
        open.sort_by_key(|(count, choice)| (Reverse(*count), choice.0));
        open.truncate(MOST);
        open.sort_by_cached_key(|(_, choice)| fold(language.label(choice.0).1));
        let option = |(count, (ordinal, value)): (u32, &Choice)| {
            let (lang, label) = language.label(*ordinal);
            context! { value => format!("{}:{value}", spec.parameter), label, lang, count => words.grouped(count) }
        };
        let options: Vec<Value> = open.into_iter().map(option).collect();
        (!options.is_empty())
            .then(|| context! { name => words.word(&format!("facet_{}", spec.name)), options })
    }
}
