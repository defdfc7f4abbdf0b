//! What documents state: the values that each names and excludes, and the labels that facts give to values.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap as HashMap;

use crate::facet::{COUNT, FACETS, Facet, excluded_values, named_values};
use crate::record::{Fact, InternedStr, Program};
use crate::search::table::ListsWriter;

/// A value that a document states.
pub(super) struct Value {
    pub(super) facet: Facet,
    text: String,
    /// Number of documents that name it.
    documents: u32,
}

/// What documents state, added in their order.
#[derive(Default)]
pub(crate) struct StatedValues {
    /// Number of each value, by facet.
    numbers: [HashMap<String, u32>; COUNT],
    /// By number.
    pub(super) values: Vec<Value>,
    /// Of each document: twice the number of a value, and one more where it is excluded.
    lists: ListsWriter<u32>,
    labels: BTreeMap<(Facet, String), BTreeSet<InternedStr>>,
}

impl StatedValues {
    /// Adds the next document: a program and its facts.
    pub(crate) fn add(&mut self, program: &Program, facts: &[&Fact]) {
        let mut list = Vec::new();
        for spec in &FACETS {
            for value in named_values(spec.facet, program, facts) {
                let number = self.number(spec.facet, value);
                self.values[number as usize].documents += 1;
                list.push(number << 1);
            }
            for value in excluded_values(spec.facet, facts) {
                list.push(self.number(spec.facet, value) << 1 | 1);
            }
        }
        self.lists.push(&list);
        for fact in facts {
            let facet = FACETS.iter().find(|spec| spec.is_fed_by(fact.kind.as_str()));
            if let (Some(spec), Some(label)) = (facet, fact.label) {
                let value = fact.value.as_deref().unwrap_or_default().to_owned();
                self.labels.entry((spec.facet, value)).or_default().insert(label);
            }
        }
    }

    fn number(&mut self, facet: Facet, text: &str) -> u32 {
        let numbers = &mut self.numbers[facet as usize];
        if let Some(number) = numbers.get(text) {
            return *number;
        }
        let number = self.values.len() as u32;
        numbers.insert(text.to_owned(), number);
        self.values.push(Value { facet, text: text.to_owned(), documents: 0 });
        number
    }

    /// Number of documents.
    pub(super) fn documents(&self) -> usize {
        self.lists.len()
    }

    /// Values of a facet that documents name or exclude: numbers and texts.
    pub(super) fn of(&self, facet: Facet) -> impl Iterator<Item = (u32, &str)> {
        let all = (0..).zip(&self.values).filter(move |(_, value)| value.facet == facet);
        all.map(|(number, value)| (number, value.text.as_str()))
    }

    /// Values of a facet that documents name: numbers and texts.
    pub(in crate::search) fn named(&self, facet: Facet) -> impl Iterator<Item = (u32, &str)> {
        self.of(facet).filter(|(number, _)| self.values[*number as usize].documents > 0)
    }

    /// Numbers that each document states, with whether it excludes the value.
    pub(super) fn by_document(&self) -> impl Iterator<Item = impl Iterator<Item = (u32, bool)> + Clone> {
        self.lists.iter().map(|list| list.iter().map(|entry| (entry >> 1, entry & 1 == 1)))
    }

    /// Labels that facts give to a value.
    pub(in crate::search) fn labels(&self, facet: Facet, value: &str) -> impl Iterator<Item = &str> {
        let labels = self.labels.get(&(facet, value.to_owned()));
        labels.into_iter().flatten().map(|label| &**label)
    }
}
