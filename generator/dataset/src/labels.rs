//! What the labels of a vocabulary stand for: a value of its facet, where no other has the same label.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::facet::Facet;
use snapshot::record::Term;

use crate::rows::Row;
use crate::text::folded;

/// The values of a facet, and what their labels stand for; a label of two values stands for none.
#[derive(Default)]
struct Words {
    values: BTreeSet<String>,
    labels: BTreeMap<String, Option<String>>,
}

/// The values of every facet by their labels.
pub(crate) struct Labels(BTreeMap<Facet, Words>);

impl Labels {
    /// Of a vocabulary.
    pub(crate) fn new(vocabulary: &[Row<Term>]) -> Self {
        let mut words: BTreeMap<Facet, Words> = BTreeMap::new();
        for row in vocabulary {
            let term = &row.record;
            // Places are known by names of their own.
            let facet = Facet::parse(&term.facet).filter(|facet| !facet.spec().is_place);
            let Some(facet) = facet else { continue };
            let of = words.entry(facet).or_default();
            of.values.insert(term.value.clone());
            for label in [&term.label_en, &term.label_es].into_iter().flatten() {
                let known = of.labels.entry(folded(label)).or_insert_with(|| Some(term.value.clone()));
                known.take_if(|value| *value != term.value);
            }
        }
        Self(words)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value that a text is the label of, when it is no value itself.
    pub(crate) fn meant(&self, facet: Facet, text: &str) -> Option<&str> {
        let words = self.0.get(&facet).filter(|words| !words.values.contains(text))?;
        words.labels.get(&folded(text))?.as_deref()
    }
}
