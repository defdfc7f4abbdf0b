//! The shapes that most of the index is made of: sorted strings, lists of numbers, and the documents of many
//! terms or values. All offsets and numbers are checked when sections are opened, so that no look-up can fail.

use std::hash::BuildHasher;
use std::ops::Range;

use bytemuck::Pod;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::search::set::{DocSet, WORD, bits_of, words};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

type Result<T> = std::result::Result<T, SectionError>;

/// Names of two sections: where each item begins, and the items.
pub(crate) type Pair = (&'static str, &'static str);

/// Lists being collected, one after the other.
pub struct ListsWriter<T> {
    at: Vec<u64>,
    items: Vec<T>,
}

/// Strings being collected, one after the other.
pub type StringsWriter = ListsWriter<u8>;

impl<T> Default for ListsWriter<T> {
    fn default() -> Self {
        Self { at: vec![0], items: Vec::new() }
    }
}

impl<T: Pod + Send + Sync> ListsWriter<T> {
    /// Adds a list; returns its position.
    pub fn push(&mut self, list: &[T]) -> usize {
        self.items.extend_from_slice(list);
        self.at.push(self.items.len() as u64);
        self.at.len() - 2
    }

    /// Writes them under two section names, to be opened as `ListsOf`.
    pub fn write(self, (at_name, items_name): Pair, writer: &mut SectionWriter) {
        writer.put(at_name, self.at);
        writer.put(items_name, self.items);
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.at.len() - 1
    }

    /// A list.
    pub(crate) fn get(&self, position: usize) -> &[T] {
        slice(&self.at, &self.items, position)
    }

    /// All lists in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.range(0..self.len())
    }

    /// Some lists in order.
    pub(crate) fn range(&self, lists: Range<usize>) -> impl Iterator<Item = &[T]> {
        let at = self.at[lists.start..=lists.end].array_windows();
        at.map(|[start, end]| &self.items[*start as usize..*end as usize])
    }
}

/// A list for each position: all items in one section, with their offsets in another.
#[derive(Clone)]
pub struct ListsOf<T> {
    at: Section<u64>,
    /// The items of all lists.
    pub(super) items: Section<T>,
}

/// Lists of numbers.
pub(crate) type Lists = ListsOf<u32>;

/// Strings. When written sorted, `Strings::find` finds one.
pub type Strings = ListsOf<u8>;

impl<T: Pod + Send + Sync> ListsOf<T> {
    /// Writes lists under two section names.
    pub fn write(writer: &mut SectionWriter, names: Pair, lists: impl Iterator<Item: AsRef<[T]>>) {
        let mut all = ListsWriter::default();
        for list in lists {
            all.push(list.as_ref());
        }
        all.write(names, writer);
    }

    /// Opens what was written.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, (at_name, items_name): Pair) -> Result<Self> {
        let (at, items) = (sections.get::<u64>(at_name)?, sections.get::<T>(items_name)?);
        check_offsets(at_name, &at, items.len())?;
        Ok(Self { at, items })
    }

    /// The same for a given number of lists.
    ///
    /// # Errors
    ///
    /// The same, and if there are more or fewer.
    pub fn open_len(sections: &Sections, names: Pair, length: usize) -> Result<Self> {
        let lists = Self::open(sections, names)?;
        check_len(names.0, &lists.at, length + 1)?;
        Ok(lists)
    }

    /// How many lists.
    pub fn count(&self) -> usize {
        self.at.len() - 1
    }

    /// Where each list begins, and the items of all lists: to be looked up once where many lists are read.
    pub(crate) fn parts(&self) -> (&[u64], &[T]) {
        (&self.at, &self.items)
    }

    /// A list; empty if there is no such list.
    pub fn get(&self, position: usize) -> &[T] {
        slice(&self.at, &self.items, position)
    }
}

impl Lists {
    /// Opens a given number of lists of numbers less than `bound`.
    pub(crate) fn open_many(sections: &Sections, names: Pair, length: usize, bound: usize) -> Result<Self> {
        let lists = Self::open_len(sections, names, length)?;
        check_below(names.1, &lists.items, bound)?;
        Ok(lists)
    }
}

impl Strings {
    /// A string; empty when it is not UTF-8.
    pub fn text(&self, position: usize) -> &str {
        std::str::from_utf8(self.get(position)).unwrap_or_default()
    }

    /// Position of a string in `range`, where the strings are sorted.
    pub(super) fn find_in(&self, range: Range<usize>, wanted: &[u8]) -> Option<usize> {
        let position = self.lower_bound(range.clone(), wanted);
        (position < range.end && self.get(position) == wanted).then_some(position)
    }

    /// Position of a string, where all are sorted.
    pub(crate) fn find(&self, wanted: &[u8]) -> Option<usize> {
        self.find_in(0..self.count(), wanted)
    }

    /// First position in `range` whose string is not less than `wanted`.
    pub(crate) fn lower_bound(&self, range: Range<usize>, wanted: &[u8]) -> usize {
        // Dereferenced once: a section looks its bytes up in the mapping each time.
        let (at, text) = (&*self.at, &*self.items);
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if slice(at, text, middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Sorted strings with a hash table of their positions: a binary search over a large dictionary misses the
/// cache at each step.
pub(super) struct Dictionary {
    /// The strings, sorted by bytes.
    pub(super) strings: Strings,
    positions: HashTable<u32>,
    // Seeded: strings are untrusted text and could be made to collide.
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// Opens what [`Strings::write`] wrote.
    pub(super) fn open(sections: &Sections, names: Pair) -> Result<Self> {
        let strings = Strings::open(sections, names)?;
        let count =
            u32::try_from(strings.count()).map_err(|_| SectionError(names.0, "has too many strings"))?;
        let hasher = DefaultHashBuilder::default();
        let mut positions = HashTable::with_capacity(strings.count());
        let hash = |position: &u32| hasher.hash_one(strings.get(*position as usize));
        (0..count).for_each(|position| {
            positions.insert_unique(hash(&position), position, hash);
        });
        Ok(Self { strings, positions, hasher })
    }

    /// Position of a string.
    pub(super) fn find(&self, wanted: &[u8]) -> Option<usize> {
        let is_it = |position: &u32| self.strings.get(*position as usize) == wanted;
        self.positions.find(self.hasher.hash_one(wanted), is_it).map(|position| *position as usize)
    }
}

/// A list; empty when there is no such list.
#[inline]
pub(super) fn slice<'a, T>(at: &[u64], items: &'a [T], position: usize) -> &'a [T] {
    match at.get(position..position + 2) {
        Some(&[start, end]) => &items[start as usize..end as usize],
        _ => &[],
    }
}

/// The documents of each of many terms or values: a list, or a bit set where there are more than one of 32.
pub(super) struct Postings {
    lists: Lists,
    /// Number of the bit set, or [`NOT_DENSE`].
    dense: Section<u32>,
    bits: Section<u64>,
    count: usize,
}

/// Names of the sections of [`Postings`]: lists, numbers of bit sets, bit sets.
pub(super) type PostingNames = (Pair, &'static str, &'static str);

const NOT_DENSE: u32 = u32::MAX;

/// Whether so many of `count` documents are stored as a bit set.
pub(super) const fn is_dense(documents: usize, count: usize) -> bool {
    documents > count / 32
}

/// Postings being collected, term by term or value by value.
#[derive(Default)]
pub(super) struct PostingsWriter {
    lists: ListsWriter<u32>,
    dense: Vec<u32>,
    bits: Vec<u64>,
    count: usize,
}

impl PostingsWriter {
    /// Of `count` documents.
    pub(super) fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// Adds the documents of the next term or value, ascending.
    pub(super) fn push(&mut self, docs: &[u32]) {
        if !is_dense(docs.len(), self.count) {
            self.lists.push(docs);
            self.dense.push(NOT_DENSE);
            return;
        }
        let bits = bits_of(docs.iter().copied(), self.count);
        self.lists.push(&[]);
        self.dense.push(self.bits.len().checked_div(bits.len()).unwrap_or(0) as u32);
        self.bits.extend(bits);
    }

    /// Writes the sections.
    pub(super) fn write(self, (lists, dense, bits): PostingNames, writer: &mut SectionWriter) {
        self.lists.write(lists, writer);
        writer.put(dense, self.dense);
        writer.put(bits, self.bits);
    }
}

impl Postings {
    /// Opens the postings of `length` terms or values over `count` documents.
    pub(super) fn open(
        sections: &Sections,
        (lists, dense_name, bits): PostingNames,
        length: usize,
        count: usize,
    ) -> Result<Self> {
        let lists = Lists::open_many(sections, lists, length, count)?;
        let dense = column::<u32>(sections, dense_name, length)?;
        let bits = bit_sets(sections, bits, count)?;
        let sets = bits.len().checked_div(words(count)).unwrap_or(0);
        let fits = dense.iter().all(|set| *set == NOT_DENSE || (*set as usize) < sets);
        ensure(fits, dense_name, "a number is out of bounds")?;
        Ok(Self { lists, dense, bits, count })
    }

    /// Documents of a term or value; none if there is no such.
    pub(super) fn docs(&self, position: usize) -> DocSet<'_> {
        self.each(position..position + 1).next().unwrap_or_default()
    }

    /// Documents of each of some terms or values. The sections are looked up once.
    pub(super) fn each(&self, positions: Range<usize>) -> impl Iterator<Item = DocSet<'_>> {
        let ((at, items), dense, bits) = (self.lists.parts(), &*self.dense, &*self.bits);
        let words = words(self.count);
        positions.map(move |position| match dense.get(position) {
            Some(&set) if set != NOT_DENSE => DocSet::bits(&bits[set as usize * words..][..words]),
            _ => DocSet::list(slice(at, items, position)),
        })
    }
}

/// Opens a section of a given length.
///
/// # Errors
///
/// If it is missing, or has another length.
pub fn column<T: Pod>(sections: &Sections, name: &'static str, length: usize) -> Result<Section<T>> {
    let column = sections.get::<T>(name)?;
    check_len(name, &column, length)?;
    Ok(column)
}

/// Opens bit sets over `count` documents, in which no document is out of bounds.
pub(super) fn bit_sets(sections: &Sections, name: &'static str, count: usize) -> Result<Section<u64>> {
    let bits = sections.get::<u64>(name)?;
    let outside = if count.is_multiple_of(WORD) { 0 } else { u64::MAX << (count % WORD) };
    let mut sets = bits.chunks(words(count).max(1));
    let fits = |set: &[u64]| set.len() == words(count) && set.last().is_none_or(|last| last & outside == 0);
    ensure(sets.all(fits), name, "a document is out of bounds")?;
    Ok(bits)
}

/// Offsets start at 0, never fall and end at the length of what they point into.
pub(super) fn check_offsets(name: &'static str, at: &[u64], length: usize) -> Result<()> {
    let fits = at.first() == Some(&0) && at.last() == Some(&(length as u64)) && at.is_sorted();
    ensure(fits, name, "offsets do not fit")
}

/// Checks that all numbers are less than a bound.
pub(crate) fn check_below(name: &'static str, numbers: &[u32], bound: usize) -> Result<()> {
    ensure(numbers.iter().all(|number| (*number as usize) < bound), name, "a number is out of bounds")
}

/// Checks a section's length.
pub(super) fn check_len<T>(name: &'static str, section: &[T], length: usize) -> Result<()> {
    ensure(section.len() == length, name, "has another length")
}
