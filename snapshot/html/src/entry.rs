//! The lists of the home page in which visitors choose who they are, what for, and where.

use std::cmp::Reverse;

use minijinja::{Error, Value, context};
use snapshot::facet::{ENTRY, Facet};
use snapshot::page::Dated;
use snapshot::search::Index;
use snapshot::text::fold;

use crate::status::Words;

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
        // A facet that shares its selection with another stands in for it.
        let is_needed = |it: &Facet| it.spec().group == *it || values.of(it.spec().group).is_empty();
        let facets =
            |of: &[Facet]| of.iter().copied().filter(is_needed).map(|it| (it, choices(it))).collect();
        Self(ENTRY.map(|(_, of)| facets(of)))
    }

    /// The lists on a day, template `entry.html`, with the labels of a language. A value without an open program is left out,
    /// and so is a list without values.
    pub(crate) fn render<'a>(
        &self,
        words: Words<'_>,
        label: impl Fn(u32) -> (Option<&'a str>, &'a str),
        dated: &Dated,
    ) -> Result<String, Error> {
        // The values of a facet, by label, each with its number of open programs.
        let group = |(facet, choices): &(Facet, Vec<Choice>)| {
            let counted = choices.iter().map(|choice| (dated.today.open_with(choice.0), choice));
            let mut open: Vec<(u32, &Choice)> = counted.filter(|(count, _)| *count > 0).collect();
            open.sort_by_key(|(count, choice)| (Reverse(*count), choice.0));
            let more = open.len() > MOST;
            open.truncate(MOST);
            open.sort_by_cached_key(|(_, choice)| fold(label(choice.0).1));
            let spec = facet.spec();
            let option = |(count, (ordinal, value)): (u32, &Choice)| {
                let (lang, label) = label(*ordinal);
                context! { value => format!("{}:{value}", spec.parameter), label, lang, count => words.grouped(count) }
            };
            let options: Vec<Value> = open.into_iter().map(option).collect();
            let name = words.word(&format!("facet_{}", spec.name));
            (!options.is_empty()).then(|| context! { name, options, more })
        };
        let list = |((word, _), facets): (&(&'static str, _), &Vec<(Facet, Vec<Choice>)>)| {
            let groups: Vec<Value> = facets.iter().filter_map(group).collect();
            (!groups.is_empty()).then(|| context! { word => *word, groups })
        };
        let lists = ENTRY.iter().zip(&self.0).filter_map(list).collect::<Vec<_>>();
        words.templates.part("entry.html", words.locale, context! { lists })
    }
}
