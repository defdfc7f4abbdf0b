//! Sorted strings and lists of numbers as sections: the two shapes that most of the index is made of.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::search::set::{WORD, words};
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};

/// Strings being collected, one after the other.
pub struct StringsWriter {
    at: Vec<u64>,
    text: Vec<u8>,
}

impl Default for StringsWriter {
    fn default() -> Self {
        Self { at: vec![0], text: Vec::new() }
    }
}

impl StringsWriter {
    /// Adds a string; returns its position.
    pub fn push(&mut self, string: &[u8]) -> usize {
        self.text.extend_from_slice(string);
        self.at.push(self.text.len() as u64);
        self.at.len() - 2
    }

    /// Writes them under two section names, to be opened as [`Strings`].
    pub fn write(self, (at_name, text_name): (&'static str, &'static str), writer: &mut SectionWriter) {
        writer.put(at_name, self.at);
        writer.put(text_name, self.text);
    }
}

/// Strings in one blob with their offsets. When written sorted, [`Strings::find`] finds one.
#[derive(Clone)]
pub struct Strings {
    at: Section<u64>,
    text: Section<u8>,
}

impl Strings {
    /// Writes strings under two section names.
    pub fn write(
        writer: &mut SectionWriter,
        names: (&'static str, &'static str),
        strings: impl Iterator<Item: AsRef<[u8]>>,
    ) {
        let mut all = StringsWriter::default();
        for string in strings {
            all.push(string.as_ref());
        }
        all.write(names, writer);
    }

    /// Opens what was written; offsets are checked, so that no look-up can fail later.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(
        sections: &Sections,
        (at_name, text_name): (&'static str, &'static str),
    ) -> Result<Self, SectionError> {
        let (at, text) = (sections.get::<u64>(at_name)?, sections.get::<u8>(text_name)?);
        check_offsets(at_name, &at, text.len())?;
        Ok(Self { at, text })
    }

    /// How many strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len() - 1
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A string's bytes; empty when there is no such string.
    #[must_use]
    pub fn bytes(&self, position: usize) -> &[u8] {
        slice(&self.at, &self.text, position)
    }

    /// A string; empty when it is not UTF-8.
    #[must_use]
    pub fn text(&self, position: usize) -> &str {
        std::str::from_utf8(self.bytes(position)).unwrap_or_default()
    }

    /// Position of a string among `range`, where the strings are sorted.
    #[must_use]
    pub fn find_in(&self, range: std::ops::Range<usize>, wanted: &[u8]) -> Option<usize> {
        let position = self.lower_bound(range.clone(), wanted);
        (position < range.end && self.bytes(position) == wanted).then_some(position)
    }

    /// Position of a string among all, where they are sorted.
    #[must_use]
    pub fn find(&self, wanted: &[u8]) -> Option<usize> {
        self.find_in(0..self.len(), wanted)
    }

    /// First position from `start` on whose string is not less than `wanted`, where all are sorted;
    /// quick when it is near.
    #[must_use]
    pub fn next_from(&self, start: usize, wanted: &[u8]) -> usize {
        let (mut low, mut step) = (start, 1);
        while low + step < self.len() && self.bytes(low + step) < wanted {
            low += step;
            step *= 2;
        }
        self.lower_bound(low..self.len().min(low + step), wanted)
    }

    /// First position in `range` whose string is not less than `wanted`.
    #[must_use]
    pub fn lower_bound(&self, range: std::ops::Range<usize>, wanted: &[u8]) -> usize {
        // Looked up once: a section asks its mapping where it lies each time.
        let (at, text) = (&*self.at, &*self.text);
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if slice(at, text, middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Sorted strings that are looked up often: a question's word is found by one hash instead of a binary
/// search over the whole dictionary, each step of which is a miss of the cache.
pub struct Dictionary {
    strings: Strings,
    positions: HashTable<u32>,
    // Seeded: strings are records' text, and must not be able to collide on purpose.
    hasher: DefaultHashBuilder,
}

impl Dictionary {
    /// Opens what [`Strings::write`] wrote.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others, or there are too many strings.
    pub fn open(sections: &Sections, names: (&'static str, &'static str)) -> Result<Self, SectionError> {
        let strings = Strings::open(sections, names)?;
        let count = u32::try_from(strings.len())
            .map_err(|_| SectionError::Content(names.0, "has too many strings"))?;
        let hasher = DefaultHashBuilder::default();
        let mut positions = HashTable::with_capacity(strings.len());
        let hash = |position: &u32| hasher.hash_one(strings.bytes(*position as usize));
        (0..count).for_each(|position| {
            positions.insert_unique(hash(&position), position, hash);
        });
        Ok(Self { strings, positions, hasher })
    }

    /// Position of a string.
    #[must_use]
    pub fn find(&self, wanted: &[u8]) -> Option<usize> {
        let is_it = |position: &u32| self.strings.bytes(*position as usize) == wanted;
        self.positions.find(self.hasher.hash_one(wanted), is_it).map(|position| *position as usize)
    }

    /// The strings, sorted by bytes.
    #[must_use]
    pub fn strings(&self) -> &Strings {
        &self.strings
    }
}

/// A string's bytes; empty when there is no such string.
fn slice<'a>(at: &[u64], text: &'a [u8], position: usize) -> &'a [u8] {
    match at.get(position..position + 2) {
        Some(&[start, end]) => &text[start as usize..end as usize],
        _ => &[],
    }
}

/// A list of numbers for each position.
#[derive(Clone)]
pub struct Lists {
    at: Section<u64>,
    items: Section<u32>,
}

impl Lists {
    /// Writes lists under two section names.
    pub fn write<'a>(
        writer: &mut SectionWriter,
        (at_name, items_name): (&'static str, &'static str),
        lists: impl Iterator<Item = &'a [u32]>,
    ) {
        let (mut at, mut items) = (vec![0u64], Vec::new());
        for list in lists {
            items.extend_from_slice(list);
            at.push(items.len() as u64);
        }
        writer.put(at_name, at);
        writer.put(items_name, items);
    }

    /// Opens what was written. Every item is less than `bound`.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(
        sections: &Sections,
        (at_name, items_name): (&'static str, &'static str),
        bound: usize,
    ) -> Result<Self, SectionError> {
        let (at, items) = (sections.get::<u64>(at_name)?, sections.get::<u32>(items_name)?);
        check_offsets(at_name, &at, items.len())?;
        if items.iter().any(|item| *item as usize >= bound) {
            return Err(SectionError::Content(items_name, "a number is out of bounds"));
        }
        Ok(Self { at, items })
    }

    /// How many lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len() - 1
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A list; empty when there is no such list.
    #[must_use]
    pub fn get(&self, position: usize) -> &[u32] {
        match self.at.get(position..position + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// Offsets start at 0, never fall and end at the length of what they point into.
///
/// # Errors
///
/// If they do not.
pub fn check_offsets(name: &'static str, at: &[u64], length: usize) -> Result<(), SectionError> {
    let fits = at.first() == Some(&0) && at.last() == Some(&(length as u64)) && at.is_sorted();
    if fits { Ok(()) } else { Err(SectionError::Content(name, "offsets do not fit")) }
}

/// Bit sets over `count` documents hold no document from outside.
///
/// # Errors
///
/// If they hold one.
pub fn check_bits(name: &'static str, bits: &[u64], count: usize) -> Result<(), SectionError> {
    let outside = if count.is_multiple_of(WORD) { 0 } else { u64::MAX << (count % WORD) };
    let sets = bits.chunks(words(count).max(1));
    let fits = |set: &[u64]| set.len() == words(count) && set.last().is_none_or(|last| last & outside == 0);
    if sets.into_iter().all(fits) {
        Ok(())
    } else {
        Err(SectionError::Content(name, "a document is out of bounds"))
    }
}

/// Checks a section's length.
///
/// # Errors
///
/// If it has another.
pub fn check_len<T>(name: &'static str, section: &[T], length: usize) -> Result<(), SectionError> {
    if section.len() == length { Ok(()) } else { Err(SectionError::Content(name, "has another length")) }
}
