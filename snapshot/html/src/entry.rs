//! The lists of the home page in which visitors choose who they are, what for, and where.

use std::cmp::Reverse;

use minijinja::{Error, context};
use serde::Serialize;
use snapshot::facet::{ENTRY, Facet};
use snapshot::page::Dated;
use snapshot::record::Locale;
use snapshot::search::Index;
use snapshot::text::fold;

use crate::index::Html;
use crate::view::variables;

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

/// A list, template `entry.html`.
#[derive(Serialize)]
struct List {
    /// Which list it is.
    word: &'static str,
    groups: Vec<Group>,
}

/// The values of a facet, by label.
#[derive(Serialize)]
struct Group {
    name: String,
    options: Vec<Item>,
}

/// A value with its number of open programs.
#[derive(Serialize)]
struct Item {
    value: String,
    label: String,
    lang: Option<String>,
    count: String,
}

impl Html {
    /// The lists on a day. A value without an open program is left out, and so is a list without values.
    pub(crate) fn entry(&self, locale: Locale, dated: &Dated) -> Result<String, Error> {
        let group =
            |(facet, choices): &(Facet, Vec<Choice>)| self.entry_group(*facet, choices, locale, dated);
        let list = |((word, _), groups): (&(&'static str, _), &Vec<_>)| List {
            word,
            groups: groups.iter().map(group).filter(|group| !group.options.is_empty()).collect(),
        };
        let lists = ENTRY.iter().zip(&self.entry.0).map(list).filter(|list| !list.groups.is_empty());
        let lists: Vec<List> = lists.collect();
        self.templates.part("entry.html", locale, context! { lists => variables(&lists) })
    }

    fn entry_group(&self, facet: Facet, choices: &[Choice], locale: Locale, dated: &Dated) -> Group {
        let (words, language, spec) = (self.words(locale), self.language(locale), facet.spec());
        let counted = choices.iter().map(|choice| (dated.today.open_with(choice.0), choice));
        let mut open: Vec<(u32, &Choice)> = counted.filter(|(count, _)| *count > 0).collect();
        open.sort_by_key(|(count, choice)| (Reverse(*count), choice.0));
        let item = |(count, (ordinal, value)): (u32, &Choice)| {
            let (lang, label) = language.label(*ordinal);
            Item {
                value: format!("{}:{value}", spec.parameter),
                label: label.to_owned(),
                lang: lang.map(str::to_owned),
                count: words.grouped(count),
            }
        };
        let mut options: Vec<Item> = open.into_iter().take(MOST).map(item).collect();
        options.sort_by_cached_key(|item| fold(&item.label));
        Group { name: words.word(&format!("facet_{}", spec.name)).to_owned(), options }
    }
}
