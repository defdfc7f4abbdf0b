//! Facet values: the values, which documents match each value, which values each document has, how many
//! documents have two values, and which documents state no value.
//!
//! Values have ordinals: a range for each facet, in the order of [`FACETS`], its values sorted by
//! bytes. Behind the values of a facet, in the same range, are *sets*: long lists of values that many
//! documents share (all countries, the European Union) are stored once, and the list of a document
//! refers to the set. Open states depend on the day and have ordinals without documents here.
//!
//! ```text
//! value.start          u32 × 18: first ordinal of each facet, and the end
//! value.count          u32 × 17: values of each facet; the rest of its range are sets
//! value.at .text       texts of the values; empty for sets
//! value.docs.at .docs  documents of each value, ascending; empty where the value is dense
//! value.dense          u32 for each ordinal: which bit set, or u32::MAX
//! value.bits           bit sets of the values of more than 1 of 32 documents
//! value.total          u32 for each ordinal: how many documents
//! set.at set.values    values of each set, by ordinal; empty for values
//! doc.at doc.values    u16 ordinals of each document's values and sets, ascending
//! named.* shut.*       documents that name, and that exclude, each place value itself
//! unstated             bit sets: documents that neither name nor exclude a value, by facet of eligibility
//! pair.row             u32 for each ordinal: row of the table, or u32::MAX
//! pair.table           u32 rows over all ordinals: how many documents have both
//! ```

pub(super) mod stated;
pub(super) mod write;

use std::ops::Range;
use std::sync::OnceLock;

use crate::facet::{COUNT, FACETS, Facet, eligibility_facets};
use crate::place;
use crate::search::set::{DocSet, bits_of, union, words};
use crate::search::table::{
    Lists, ListsOf, Pair, PostingNames, Postings, Strings, bit_sets, check_len, column, slice,
};
use store::sections::{Section, SectionError, Sections, ensure};

const NONE: u32 = u32::MAX;
/// Most ordinals, values and sets together: they are `u16` in documents.
const ORDINALS_MAX: usize = u16::MAX as usize;

/// Most values of a facet of which each is a match in a ranked search. A program for 60 groups is for none of them.
const CROWD: usize = 16;

const VALUE_TEXT: Pair = ("value.at", "value.text");
const VALUE_DOCS: PostingNames = (("value.docs.at", "value.docs"), "value.dense", "value.bits");
const SETS: Pair = ("set.at", "set.values");
const DOC_VALUES: Pair = ("doc.at", "doc.values");
const NAMED: Pair = ("named.at", "named");
const EXCLUDED: Pair = ("shut.at", "shut");

/// Ordinals of the values and sets of each document.
#[derive(Clone, Copy)]
pub struct OfDocs<'a> {
    at: &'a [u64],
    ordinals: &'a [u16],
}

impl<'a> OfDocs<'a> {
    /// Ordinals of a document's values and sets, ascending.
    #[inline]
    pub fn get(&self, doc: u32) -> &'a [u16] {
        slice(self.at, self.ordinals, doc as usize)
    }

    /// Reads a word of each document's list, so that the lists are fetched into the cache in parallel:
    /// twice as fast where they do not fit into it.
    #[inline]
    pub(super) fn prefetch(&self, docs: &[u32]) {
        let first = |doc: &u32| self.get(*doc).first().copied().unwrap_or_default();
        std::hint::black_box(docs.iter().map(first).fold(0, std::ops::BitXor::bitxor));
    }
}

/// The values, open.
pub struct Values {
    /// Ordinals of the values of each facet, and of its values and sets.
    facets: [[Range<usize>; 2]; COUNT],
    texts: Strings,
    documents: Postings,
    /// Number of documents of each ordinal.
    pub(super) totals: Section<u32>,
    sets: Lists,
    /// Ordinals of the values and sets of each document.
    pub(super) doc_values: ListsOf<u16>,
    named: Lists,
    excluded: Lists,
    rows: Section<u32>,
    table: Section<u32>,
    unstated: Section<u64>,
    /// For each facet: number of values with bit sets, and of documents in the lists of the others.
    pub(super) sizes: [(usize, usize); COUNT],
    /// Places that records exclude and none names, by facet: no facet lists them.
    only_excluded: [Vec<u32>; COUNT],
    /// Bit set of the documents that state very many values of a facet other than places.
    crowded: Vec<u64>,
    /// Documents that name a place, by facet.
    naming_any: [OnceLock<Vec<u64>>; COUNT],
    /// Number of documents.
    pub(super) count: usize,
}

impl Values {
    /// Opens the sections of an index over `count` documents and checks what they point to.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub(crate) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let texts = Strings::open(sections, VALUE_TEXT)?;
        let ordinals = texts.count();
        let (rows, table) =
            (column::<u32>(sections, "pair.row", ordinals)?, sections.get::<u32>("pair.table")?);
        let bound = table.len().checked_div(ordinals).unwrap_or(0);
        let fits = rows.iter().all(|row| *row == NONE || (*row as usize) < bound);
        ensure(fits, "pair.row", "a number is out of bounds")?;
        let doc_values = ListsOf::<u16>::open_len(sections, DOC_VALUES, count)?;
        let known = doc_values.items.iter().all(|ordinal| usize::from(*ordinal) < ordinals);
        ensure(known, DOC_VALUES.1, "a number is out of bounds")?;
        let unstated = bit_sets(sections, "unstated", count)?;
        check_len("unstated", &unstated, eligibility_facets().count() * words(count))?;
        let mut values = Self {
            facets: read_ordinals(sections, ordinals)?,
            documents: Postings::open(sections, VALUE_DOCS, ordinals, count)?,
            totals: column(sections, "value.total", ordinals)?,
            sets: Lists::open_many(sections, SETS, ordinals, ordinals)?,
            doc_values,
            named: Lists::open_many(sections, NAMED, ordinals, count)?,
            excluded: Lists::open_many(sections, EXCLUDED, ordinals, count)?,
            rows,
            table,
            unstated,
            sizes: [(0, 0); COUNT],
            only_excluded: Default::default(),
            crowded: Default::default(),
            naming_any: Default::default(),
            texts,
            count,
        };
        values.only_excluded = FACETS.each_ref().map(|spec| {
            let is_only_excluded = |ordinal: &u32| {
                let [named, excluded] = [&values.named, &values.excluded].map(|it| it.get(*ordinal as usize));
                named.is_empty() && !excluded.is_empty()
            };
            values.of(spec.facet).map(|ordinal| ordinal as u32).filter(is_only_excluded).collect()
        });
        values.crowded = values.crowded();
        values.sizes = FACETS.each_ref().map(|spec| {
            let docs = values.of(spec.facet).map(|ordinal| values.docs(ordinal as u32));
            docs.fold((0, 0), |(dense, listed), docs| match docs {
                DocSet::Bits(_) => (dense + 1, listed),
                DocSet::List(list) => (dense, listed + list.len()),
            })
        });
        Ok(values)
    }

    fn crowded(&self) -> Vec<u64> {
        let is_crowded = |doc: &u32| {
            let mut counts = [0; COUNT];
            for ordinal in self.of_docs().get(*doc) {
                let facet = self.facet_of(u32::from(*ordinal));
                counts[facet as usize] += self.set(usize::from(*ordinal)).len().max(1);
            }
            FACETS.iter().zip(counts).any(|(spec, count)| !spec.is_place && count > CROWD)
        };
        bits_of((0..self.count as u32).filter(is_crowded), self.count)
    }

    /// Documents that state a value, and not very many of any facet.
    pub(super) fn docs_of_few(&self, ordinal: u32) -> DocSet<'_> {
        self.docs(ordinal).without(&DocSet::bits(&self.crowded))
    }

    /// Number of ordinals, sets included.
    pub fn ordinals(&self) -> usize {
        self.texts.count()
    }

    /// Ordinals of a facet's values.
    pub fn of(&self, facet: Facet) -> Range<usize> {
        self.facets[facet as usize][0].clone()
    }

    /// Ordinals of a facet's values and sets.
    pub(super) fn span(&self, facet: Facet) -> Range<usize> {
        self.facets[facet as usize][1].clone()
    }

    /// Facet of an ordinal.
    pub fn facet_of(&self, ordinal: u32) -> Facet {
        let position = self.facets.partition_point(|[_, span]| span.end <= ordinal as usize);
        FACETS[position.min(COUNT - 1)].facet
    }

    /// Text of a value.
    pub fn text(&self, ordinal: u32) -> &str {
        self.texts.text(ordinal as usize)
    }

    /// Ordinal of a facet's value.
    pub fn find(&self, facet: Facet, value: &str) -> Option<u32> {
        self.texts.find_in(self.of(facet), value.as_bytes()).map(|ordinal| ordinal as u32)
    }

    /// Documents that match a value. Open states have none here.
    pub fn docs(&self, ordinal: u32) -> DocSet<'_> {
        self.documents.docs(ordinal as usize)
    }

    /// The same of each of some values.
    pub(super) fn docs_of(&self, ordinals: Range<usize>) -> impl Iterator<Item = DocSet<'_>> {
        self.documents.each(ordinals)
    }

    /// Documents that name a place value itself.
    pub(super) fn naming(&self, ordinal: u32) -> DocSet<'_> {
        DocSet::list(self.named.get(ordinal as usize))
    }

    /// Places that records exclude and none names, ascending.
    pub(crate) fn only_excluded(&self, facet: Facet) -> &[u32] {
        &self.only_excluded[facet as usize]
    }

    /// Documents that match a place which no record names: they name a place that contains it, and exclude no
    /// such place.
    pub fn docs_of_place<'a>(&'a self, facet: Facet, code: &str) -> DocSet<'a> {
        let (named, excluded) = self.around(facet, code);
        named.without(&excluded)
    }

    /// Documents that name, and that exclude, a place or one that contains it.
    fn around<'a>(&'a self, facet: Facet, code: &str) -> (DocSet<'a>, DocSet<'a>) {
        let around: Vec<u32> =
            place::with_ancestors(code).filter_map(|place| self.find(facet, place)).collect();
        let docs = |lists: &'a Lists| {
            let docs = around.iter().map(|ordinal| DocSet::list(lists.get(*ordinal as usize)));
            union(docs.collect(), self.count)
        };
        (docs(&self.named), docs(&self.excluded))
    }

    /// Documents that state no value in a facet; `None` if it is not one of eligibility.
    pub(super) fn unstated(&self, facet: Facet) -> Option<DocSet<'_>> {
        let position = eligibility_facets().position(|known| known == facet)?;
        let words = words(self.count);
        Some(DocSet::bits(&self.unstated[position * words..(position + 1) * words]))
    }

    /// Documents that name a place for a facet.
    fn naming_any(&self, facet: Facet) -> DocSet<'_> {
        let named = || self.of(facet).flat_map(|ordinal| self.named.get(ordinal)).copied();
        let bits = || bits_of(named(), self.count);
        DocSet::bits(self.naming_any[facet as usize].get_or_init(bits))
    }

    /// Documents that exclude a place from a facet, or name only places that do not contain it.
    pub(super) fn shutting_out(&self, facet: Facet, code: &str) -> DocSet<'_> {
        let (named, excluded) = self.around(facet, code);
        union(vec![self.naming_any(facet).without(&named), excluded], self.count)
    }

    /// The documents' values.
    pub fn of_docs(&self) -> OfDocs<'_> {
        let (at, ordinals) = self.doc_values.parts();
        OfDocs { at, ordinals }
    }

    /// Values of a set; empty for a value.
    pub fn set(&self, ordinal: usize) -> &[u32] {
        self.sets.get(ordinal)
    }

    /// Number of documents that a value shares with each other value, if it has a row.
    pub(super) fn pairs(&self, ordinal: u32) -> Option<&[u32]> {
        let row = *self.rows.get(ordinal as usize)?;
        let start = row as usize * self.ordinals();
        if row == NONE { None } else { self.table.get(start..start + self.ordinals()) }
    }
}

fn read_ordinals(sections: &Sections, ordinals: usize) -> Result<[[Range<usize>; 2]; COUNT], SectionError> {
    let starts = column::<u32>(sections, "value.start", COUNT + 1)?;
    let counts = column::<u32>(sections, "value.count", COUNT)?;
    let fits = starts.is_sorted() && starts[0] == 0 && starts[COUNT] as usize == ordinals;
    let facets: [[Range<usize>; 2]; COUNT] = std::array::from_fn(|position| {
        let [start, end] = [starts[position], starts[position + 1]].map(|ordinal| ordinal as usize);
        [start..start + counts[position] as usize, start..end]
    });
    let fits = fits && facets.iter().all(|[values, span]| values.end <= span.end);
    ensure(fits, "value.start", "ranges do not fit")?;
    Ok(facets)
}
