//! Which records say nothing about who may apply: one bit set for each facet of eligibility.
//!
//! ```text
//! unstated   bit sets: documents that neither name nor exclude a value, by facet of who may apply
//! ```

use crate::facet::{Facet, eligibility_facets, excluded_values, named_values};
use crate::query::Query;
use crate::search::set::{DocSet, Docs, set_bit, union, words};
use crate::search::table::{check_bits, check_len};
use crate::search::today::Today;
use crate::search::values::Document;
use crate::search::{Index, Intervals};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};

impl Index {
    /// Documents of a base that pass every picked filter or, where it asks who may apply or bounds a
    /// number, say nothing. `None` when no such filter is picked. The base is not narrowed by bounds.
    pub(super) fn or_silent(&self, query: &Query, today: &Today, base: Option<&DocSet>) -> Option<DocSet> {
        let groups = self.groups(query, today);
        let is_bounded = query.measures.iter().any(Option::is_some);
        if !is_bounded && !groups.iter().any(|group| group.facet.spec().is_eligibility) {
            return None;
        }
        let mut docs = base.cloned().unwrap_or_else(|| DocSet::all(self.len()));
        for group in &groups {
            match self.missing_values.docs(group.facet) {
                Some(silent) => docs.intersect(&union(&[group.docs.docs(), silent], self.len()).docs()),
                None => docs.intersect(&group.docs.docs()),
            }
        }
        for (column, asked) in self.measures.iter().zip(query.measures) {
            let Some(asked) = asked else { continue };
            docs.retain(|doc| column.overlap(doc, &asked) || column.is_silent(doc));
        }
        Some(docs)
    }
}

impl Index {
    /// Documents that publish nothing of what a question bounds; `None` when it bounds nothing that could
    /// be left unsaid.
    pub(super) fn without_measures(&self, query: &Query) -> Option<DocSet> {
        let bounded = self.measures.iter().zip(query.measures).filter(|(_, asked)| asked.is_some());
        let silent = bounded.map(|(column, _)| {
            DocSet::List((0..self.len() as u32).filter(|doc| column.is_silent(*doc)).collect())
        });
        silent.reduce(|mut all, silent| {
            all.intersect(&silent.docs());
            all
        })
    }
}

impl Intervals {
    /// Whether a document publishes none.
    fn is_silent(&self, doc: u32) -> bool {
        self.at[doc as usize] == self.at[doc as usize + 1]
    }
}

/// Writes the section.
pub fn write(documents: &[Document<'_>], writer: &mut SectionWriter) {
    let mut all = Vec::with_capacity(eligibility_facets().count() * words(documents.len()));
    for facet in eligibility_facets() {
        let mut bits = vec![0u64; words(documents.len())];
        for (doc, said) in documents.iter().enumerate() {
            let named = named_values(facet, said.program, &said.facts);
            if named.is_empty() && excluded_values(facet, &said.facts).is_empty() {
                set_bit(&mut bits, doc as u32);
            }
        }
        all.extend(bits);
    }
    writer.put("unstated", all);
}

/// The bit sets, open.
pub struct MissingValues {
    bits: Section<u64>,
    words: usize,
}

impl MissingValues {
    /// Opens the section of an index over `count` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let bits = sections.get::<u64>("unstated")?;
        check_len("unstated", &bits, eligibility_facets().count() * words(count))?;
        check_bits("unstated", &bits, count)?;
        Ok(Self { bits, words: words(count) })
    }

    /// Documents that say nothing in a facet; `None` when it is none of eligibility.
    #[must_use]
    pub fn docs(&self, facet: Facet) -> Option<Docs<'_>> {
        let place = eligibility_facets().position(|known| known == facet)?;
        Some(Docs::Bits(&self.bits[place * self.words..(place + 1) * self.words]))
    }

    /// Documents that say nothing in any of some facets; those that are none of eligibility do not count.
    #[must_use]
    pub fn in_all(&self, facets: &[Facet]) -> Option<DocSet> {
        let mut parts = facets.iter().filter_map(|facet| self.docs(*facet));
        let first = parts.next()?.to_set();
        Some(parts.fold(first, |mut docs, part| {
            docs.intersect(&part);
            docs
        }))
    }
}
