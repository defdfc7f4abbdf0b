//! Facet values: the vocabulary, which documents each value admits, which values each document has,
//! and how often two values meet.
//!
//! Values have ordinals: a range for each facet, in the order of [`FACETS`], its values sorted by
//! bytes. Behind a facet's values, in the same range, stand *sets*: long lists of values that many
//! documents share (all countries, the European Union) are stored once, and a document's list
//! names the set. Open states depend on the day and have ordinals without documents here.
//!
//! ```text
//! value.start          u32 × 18: first ordinal of each facet, and the end
//! value.count          u32 × 17: values of each facet; the rest of its range are sets
//! value.at .text       the values' texts; empty for sets
//! value.docs.at .docs  documents of each value, ascending; empty where the value is dense
//! value.dense          u32 for each ordinal: which bit set, or u32::MAX
//! value.bits           bit sets of the values of more than 1 of 32 documents
//! value.total          u32 for each ordinal: how many documents
//! set.at set.values    values of each set, by ordinal; empty for values
//! doc.at doc.values    u16 ordinals of each document's values and sets, ascending
//! named.* shut.*       documents that name, and that exclude, each place value itself
//! pair.row             u32 for each ordinal: row of the table, or u32::MAX
//! pair.table           u32 rows over all ordinals: how many documents have both
//! ```

mod write;

use crate::facet::{COUNT, FACETS, Facet};
use crate::place;
use crate::search::set::{DocSet, Docs, union, words};
use crate::search::table::{Lists, Strings, check_bits, check_len, check_offsets};
use crate::store::sections::{Section, SectionError, Sections};

pub use write::{Document, TooManyValues, write};

/// A value of more than one of this many documents has a bit set.
const DENSE: usize = 32;
const NONE: u32 = u32::MAX;
/// Most ordinals, values and sets together: they are `u16` in documents.
pub const ORDINALS_MAX: usize = u16::MAX as usize;

const VALUE_TEXT: (&str, &str) = ("value.at", "value.text");
const VALUE_DOCS: (&str, &str) = ("value.docs.at", "value.docs");
const SETS: (&str, &str) = ("set.at", "set.values");
const NAMED: (&str, &str) = ("named.at", "named");
const SHUT: (&str, &str) = ("shut.at", "shut");

/// Where a facet's ordinals are.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    values: u32,
    end: u32,
}

/// Each document's values.
#[derive(Clone, Copy)]
pub struct OfDocs<'a> {
    at: &'a [u64],
    ordinals: &'a [u16],
}

impl<'a> OfDocs<'a> {
    /// Ordinals of a document's values and sets, ascending.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: u32) -> &'a [u16] {
        match self.at.get(doc as usize..doc as usize + 2) {
            Some(&[start, end]) => &self.ordinals[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Reads a word of each document's list, so that the lists come to the cache side by side and not
    /// one after the other: twice as fast where they do not fit into it.
    #[inline]
    pub fn touch(&self, docs: &[u32]) {
        let first = |doc: &u32| self.get(*doc).first().copied().unwrap_or_default();
        std::hint::black_box(docs.iter().map(first).fold(0, std::ops::BitXor::bitxor));
    }
}

/// The values, open.
pub struct Values {
    ranges: [Range; COUNT],
    texts: Strings,
    documents: Lists,
    dense: Section<u32>,
    bits: Section<u64>,
    totals: Section<u32>,
    sets: Lists,
    doc_at: Section<u64>,
    doc_values: Section<u16>,
    named: Lists,
    shut: Lists,
    rows: Section<u32>,
    table: Section<u32>,
    /// Of each facet: how many values have bit sets, and how many documents the lists of the others
    /// hold together.
    sizes: [(usize, usize); COUNT],
    count: usize,
}

impl Values {
    /// Opens the sections of an index over `count` documents and checks what they point to.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let texts = Strings::open(sections, VALUE_TEXT)?;
        let ordinals = texts.len();
        let mut values = Self {
            ranges: read_ranges(sections, ordinals)?,
            documents: Lists::open(sections, VALUE_DOCS, count)?,
            dense: sections.get("value.dense")?,
            bits: sections.get("value.bits")?,
            totals: sections.get("value.total")?,
            sets: Lists::open(sections, SETS, ordinals)?,
            doc_at: sections.get("doc.at")?,
            doc_values: sections.get("doc.values")?,
            named: Lists::open(sections, NAMED, count)?,
            shut: Lists::open(sections, SHUT, count)?,
            rows: sections.get("pair.row")?,
            table: sections.get("pair.table")?,
            sizes: [(0, 0); COUNT],
            texts,
            count,
        };
        values.check(ordinals)?;
        values.sizes = FACETS.each_ref().map(|spec| values.measure(spec.facet));
        Ok(values)
    }

    fn measure(&self, facet: Facet) -> (usize, usize) {
        let docs = self.of(facet).map(|ordinal| self.docs(ordinal as u32));
        docs.fold((0, 0), |(dense, listed), docs| match docs {
            Docs::Bits(_) => (dense + 1, listed),
            Docs::List(list) => (dense, listed + list.len()),
        })
    }

    fn check(&self, ordinals: usize) -> Result<(), SectionError> {
        for (name, lists) in [
            (VALUE_DOCS.0, &self.documents),
            (SETS.0, &self.sets),
            (NAMED.0, &self.named),
            (SHUT.0, &self.shut),
        ] {
            if lists.len() != ordinals {
                return Err(SectionError::Content(name, "has another length"));
            }
        }
        check_len("value.dense", &self.dense, ordinals)?;
        check_len("value.total", &self.totals, ordinals)?;
        check_len("pair.row", &self.rows, ordinals)?;
        check_len("doc.at", &self.doc_at, self.count + 1)?;
        check_offsets("doc.at", &self.doc_at, self.doc_values.len())?;
        let below = |name, items: &[u32], bound: usize| match items
            .iter()
            .all(|i| *i == NONE || (*i as usize) < bound)
        {
            true => Ok(()),
            false => Err(SectionError::Content(name, "a number is out of bounds")),
        };
        below("value.dense", &self.dense, self.bits.len().checked_div(words(self.count)).unwrap_or(0))?;
        check_bits("value.bits", &self.bits, self.count)?;
        below("pair.row", &self.rows, self.table.len().checked_div(ordinals).unwrap_or(0))?;
        if self.doc_values.iter().any(|ordinal| usize::from(*ordinal) >= ordinals) {
            return Err(SectionError::Content("doc.values", "a number is out of bounds"));
        }
        Ok(())
    }

    /// How many ordinals there are, sets among them.
    #[must_use]
    pub fn ordinals(&self) -> usize {
        self.texts.len()
    }

    /// Ordinals of a facet's values.
    #[must_use]
    pub fn of(&self, facet: Facet) -> std::ops::Range<usize> {
        let range = self.ranges[facet as usize];
        range.start as usize..(range.start + range.values) as usize
    }

    /// Ordinals of a facet's values and sets.
    #[must_use]
    pub fn span(&self, facet: Facet) -> std::ops::Range<usize> {
        let range = self.ranges[facet as usize];
        range.start as usize..range.end as usize
    }

    /// Facet of an ordinal.
    #[must_use]
    pub fn facet_of(&self, ordinal: u32) -> Facet {
        let position = self.ranges.partition_point(|range| range.end <= ordinal);
        FACETS[position.min(COUNT - 1)].facet
    }

    /// Text of a value.
    #[must_use]
    pub fn text(&self, ordinal: u32) -> &str {
        self.texts.text(ordinal as usize)
    }

    /// Ordinal of a facet's value.
    #[must_use]
    pub fn find(&self, facet: Facet, value: &str) -> Option<u32> {
        self.texts.find_in(self.of(facet), value.as_bytes()).map(|ordinal| ordinal as u32)
    }

    /// Documents that a value admits. Open states have none here.
    #[must_use]
    pub fn docs(&self, ordinal: u32) -> Docs<'_> {
        match self.dense.get(ordinal as usize) {
            Some(&set) if set != NONE => {
                let start = set as usize * words(self.count);
                Docs::Bits(&self.bits[start..start + words(self.count)])
            }
            _ => Docs::List(self.documents.get(ordinal as usize)),
        }
    }

    /// Documents that name a place value itself.
    #[must_use]
    pub fn naming(&self, ordinal: u32) -> &[u32] {
        self.named.get(ordinal as usize)
    }

    /// Documents that a place admits which no record names: they name something around it and
    /// exclude neither that nor anything else around it.
    #[must_use]
    pub fn docs_of_place(&self, facet: Facet, code: &str) -> DocSet {
        let around = |lists: &Lists| -> DocSet {
            let known = place::with_ancestors(code).filter_map(|place| self.find(facet, place));
            let ordinals: Vec<u32> = known.collect();
            let parts: Vec<Docs<'_>> =
                ordinals.iter().map(|ordinal| Docs::List(lists.get(*ordinal as usize))).collect();
            union(&parts, self.count).into_set()
        };
        let mut docs = around(&self.named);
        docs.subtract(&around(&self.shut).docs());
        docs
    }

    /// How many documents each ordinal has.
    #[must_use]
    pub fn totals(&self) -> &[u32] {
        &self.totals
    }

    /// The documents' values.
    #[must_use]
    pub fn of_docs(&self) -> OfDocs<'_> {
        OfDocs { at: &self.doc_at, ordinals: &self.doc_values }
    }

    /// How many values of a facet have bit sets, and how many documents the others list together.
    #[must_use]
    pub fn sizes(&self, facet: Facet) -> (usize, usize) {
        self.sizes[facet as usize]
    }

    /// Facets in the order of their ordinals.
    pub fn facets(&self) -> impl Iterator<Item = Facet> + use<> {
        FACETS.iter().map(|spec| spec.facet)
    }

    /// How many documents there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many entries the lists of all documents have.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.doc_values.len()
    }

    /// Values of a set; empty for a value.
    #[must_use]
    pub fn set(&self, ordinal: usize) -> &[u32] {
        self.sets.get(ordinal)
    }

    /// How many documents a value shares with each other value, when it has a row.
    #[must_use]
    pub fn pairs(&self, ordinal: u32) -> Option<&[u32]> {
        let row = *self.rows.get(ordinal as usize)?;
        let start = row as usize * self.ordinals();
        if row == NONE { None } else { self.table.get(start..start + self.ordinals()) }
    }
}

fn read_ranges(sections: &Sections, ordinals: usize) -> Result<[Range; COUNT], SectionError> {
    let (starts, counts) = (sections.get::<u32>("value.start")?, sections.get::<u32>("value.count")?);
    check_len("value.start", &starts, COUNT + 1)?;
    check_len("value.count", &counts, COUNT)?;
    let fits = starts.is_sorted() && starts[0] == 0 && starts[COUNT] as usize == ordinals;
    let ranges: [Range; COUNT] = std::array::from_fn(|position| Range {
        start: starts[position],
        values: counts[position],
        end: starts[position + 1],
    });
    if fits && ranges.iter().all(|range| range.values <= range.end - range.start) {
        Ok(ranges)
    } else {
        Err(SectionError::Content("value.start", "ranges do not fit"))
    }
}
