//! Sets of documents: bit sets and sorted lists, borrowed from the index or owned.

use std::borrow::Cow;

use crate::distinct::distinct;

/// Bits of one word.
pub(super) const WORD: usize = 64;

/// Words of a bit set over `count` documents.
pub(super) const fn words(count: usize) -> usize {
    count.div_ceil(WORD)
}

/// A set of documents.
#[derive(Clone, Debug)]
pub enum DocSet<'a> {
    /// One bit per document.
    Bits(Cow<'a, [u64]>),
    /// Numbers of the documents, ascending.
    List(Cow<'a, [u32]>),
}

/// No document.
impl Default for DocSet<'_> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<'a> DocSet<'a> {
    /// A bit set of the index.
    pub(super) const fn bits(bits: &'a [u64]) -> Self {
        Self::Bits(Cow::Borrowed(bits))
    }

    /// An ascending list of the index.
    pub(super) const fn list(list: &'a [u32]) -> Self {
        Self::List(Cow::Borrowed(list))
    }

    /// The documents of an ascending list.
    pub(crate) const fn new(list: Vec<u32>) -> Self {
        Self::List(Cow::Owned(list))
    }

    /// All of `count` documents.
    pub(super) fn all(count: usize) -> Self {
        let mut bits = vec![u64::MAX; words(count)];
        if let Some(last) = bits.last_mut()
            && !count.is_multiple_of(WORD)
        {
            *last = (1 << (count % WORD)) - 1;
        }
        Self::Bits(Cow::Owned(bits))
    }

    /// The same set, borrowed.
    pub(crate) fn borrowed(&self) -> DocSet<'_> {
        match self {
            Self::Bits(bits) => DocSet::bits(bits),
            Self::List(list) => DocSet::list(list),
        }
    }

    /// The same set, owned.
    pub(crate) fn into_owned(self) -> DocSet<'static> {
        match self {
            Self::Bits(bits) => DocSet::Bits(Cow::Owned(bits.into_owned())),
            Self::List(list) => DocSet::List(Cow::Owned(list.into_owned())),
        }
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        match self {
            Self::Bits(bits) => count_ones(bits),
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bits(bits) => bits.iter().all(|word| *word == 0),
            Self::List(list) => list.is_empty(),
        }
    }

    /// Whether a document is in the set.
    pub(crate) fn contains(&self, doc: u32) -> bool {
        match self {
            Self::Bits(bits) => has_bit(bits, doc),
            Self::List(list) => list.binary_search(&doc).is_ok(),
        }
    }

    /// Work of reading the set, see [`Budget`](super::cost::Budget).
    pub(super) fn cost(&self) -> u64 {
        match self {
            Self::Bits(bits) => bits.len() as u64,
            Self::List(list) => list.len() as u64,
        }
    }

    /// Calls `each` with every document, ascending.
    pub(super) fn for_each(&self, mut each: impl FnMut(u32)) {
        match self {
            Self::Bits(bits) => for_each_bit(bits, each),
            Self::List(list) => list.iter().for_each(|doc| each(*doc)),
        }
    }

    /// Calls `each` with all documents, ascending, some at a time.
    #[inline]
    pub(super) fn for_each_chunk(&self, mut each: impl FnMut(&[u32])) {
        const CHUNK: usize = 16;
        match self {
            Self::List(list) => list.chunks(CHUNK).for_each(each),
            Self::Bits(bits) => {
                let (mut chunk, mut filled) = ([0; CHUNK], 0);
                for_each_bit(bits, |doc| {
                    chunk[filled] = doc;
                    filled += 1;
                    if filled == CHUNK {
                        each(&chunk);
                        filled = 0;
                    }
                });
                each(&chunk[..filled]);
            }
        }
    }

    /// Keeps the documents for which `keep` holds.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        match self {
            Self::List(list) => list.to_mut().retain(|doc| keep(*doc)),
            Self::Bits(bits) => {
                let mut kept = vec![0; bits.len()];
                for_each_bit(bits, |doc| {
                    if keep(doc) {
                        set_bit(&mut kept, doc);
                    }
                });
                *bits = Cow::Owned(kept);
            }
        }
    }

    /// The documents of both sets.
    pub fn and(self, other: &DocSet<'_>) -> Self {
        match (self, other) {
            (Self::Bits(mut bits), DocSet::Bits(others)) => {
                bits.to_mut().iter_mut().zip(&**others).for_each(|(word, other)| *word &= other);
                Self::Bits(bits)
            }
            (Self::Bits(bits), DocSet::List(others)) => {
                Self::new(others.iter().copied().filter(|doc| has_bit(&bits, *doc)).collect())
            }
            (Self::List(list), DocSet::List(others)) if others.len() < list.len() => {
                Self::new(others.to_vec()).and(&DocSet::list(&list))
            }
            (Self::List(mut list), others) => {
                list.to_mut().retain(|doc| others.contains(*doc));
                Self::List(list)
            }
        }
    }

    /// The documents that are not in the other set.
    pub(super) fn without(self, other: &DocSet<'_>) -> Self {
        match (self, other) {
            // Nothing is copied for nothing.
            (docs, DocSet::List(others)) if others.is_empty() => docs,
            (Self::Bits(mut bits), DocSet::Bits(others)) => {
                bits.to_mut().iter_mut().zip(&**others).for_each(|(word, other)| *word &= !other);
                Self::Bits(bits)
            }
            (Self::Bits(mut bits), DocSet::List(others)) => {
                let words = bits.to_mut();
                for doc in others.iter() {
                    if let Some(word) = words.get_mut(*doc as usize / WORD) {
                        *word &= !(1 << (*doc as usize % WORD));
                    }
                }
                Self::Bits(bits)
            }
            (Self::List(mut list), others) => {
                list.to_mut().retain(|doc| !others.contains(*doc));
                Self::List(list)
            }
        }
    }
}

/// The documents of both sets, where `None` is every document.
pub(super) fn both<'a>(docs: Option<DocSet<'a>>, other: Option<&DocSet<'a>>) -> Option<DocSet<'a>> {
    match (docs, other) {
        (Some(docs), Some(other)) => Some(docs.and(other)),
        (docs, other) => docs.or_else(|| other.cloned()),
    }
}

/// The documents of all sets, the smallest set first; `None` without sets.
pub(super) fn all_of<'a>(mut sets: Vec<DocSet<'a>>) -> Option<DocSet<'a>> {
    sets.sort_by_cached_key(DocSet::len);
    sets.into_iter().reduce(|docs, set| docs.and(&set))
}

/// The union of sets over `count` documents: a list while the parts are small together, else bits.
pub(super) fn union<'a>(mut parts: Vec<DocSet<'a>>, count: usize) -> DocSet<'a> {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let lengths =
        parts.iter().map(|part| if let DocSet::List(list) = part { Some(list.len()) } else { None });
    if lengths.sum::<Option<usize>>().is_some_and(|total| total <= count / WORD) {
        let mut merged = Vec::new();
        parts.iter().for_each(|part| part.for_each(|doc| merged.push(doc)));
        return DocSet::new(distinct(merged));
    }
    let mut bits = vec![0; words(count)];
    for part in &parts {
        match part {
            DocSet::Bits(others) => bits.iter_mut().zip(&**others).for_each(|(word, other)| *word |= other),
            DocSet::List(list) => list.iter().for_each(|doc| set_bit(&mut bits, *doc)),
        }
    }
    DocSet::Bits(Cow::Owned(bits))
}

/// Whether a document's bit is set. Documents outside are not in.
#[inline]
pub(super) fn has_bit(bits: &[u64], doc: u32) -> bool {
    bits.get(doc as usize / WORD).is_some_and(|word| word >> (doc as usize % WORD) & 1 == 1)
}

/// Sets a document's bit.
#[inline]
pub(super) fn set_bit(bits: &mut [u64], doc: u32) {
    if let Some(word) = bits.get_mut(doc as usize / WORD) {
        *word |= 1 << (doc as usize % WORD);
    }
}

/// A bit set of some of `count` documents.
pub(super) fn bits_of(docs: impl IntoIterator<Item = u32>, count: usize) -> Vec<u64> {
    let mut bits = vec![0; words(count)];
    docs.into_iter().for_each(|doc| set_bit(&mut bits, doc));
    bits
}

/// Calls `each` with every set bit's number, ascending.
#[inline]
pub(super) fn for_each_bit(bits: &[u64], mut each: impl FnMut(u32)) {
    for (position, word) in bits.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            each((position * WORD) as u32 + left.trailing_zeros());
            left &= left - 1;
        }
    }
}

/// Declares a function over bit sets in the widest form that the processor has. Its body is a plain loop: the compiler
/// turns it into vector code for the features it is allowed to use.
macro_rules! kernel {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),+) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        pub(super) fn $name($($argument: $type),+) $(-> $result)? {
            #[inline(always)]
            fn portable($($argument: $type),+) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vpopcntdq,popcnt")]
                fn avx512($($argument: $type),+) $(-> $result)? {
                    portable($($argument),+)
                }

                #[target_feature(enable = "popcnt")]
                fn popcnt($($argument: $type),+) $(-> $result)? {
                    portable($($argument),+)
                }

                if is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("popcnt")
                {
                    #[expect(unsafe_code, reason = "4 times as fast as portable code on 2 KB sets; see benches")]
                    // SAFETY: the processor has the features that the function was compiled for.
                    return unsafe { avx512($($argument),+) };
                }
                if is_x86_feature_detected!("popcnt") {
                    #[expect(unsafe_code, reason = "twice as fast as portable code on 2 KB sets; see benches")]
                    // SAFETY: the processor has the feature that the function was compiled for.
                    return unsafe { popcnt($($argument),+) };
                }
            }
            portable($($argument),+)
        }
    };
}

kernel! {
    /// Number of set bits.
    fn count_ones(bits: &[u64]) -> usize {
        bits.iter().map(|word| word.count_ones() as usize).sum()
    }
}

kernel! {
    /// Number of bits set in both.
    fn count_common(a: &[u64], b: &[u64]) -> usize {
        a.iter().zip(b).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }
}

kernel! {
    /// Calls `each` for every document that both bit sets have, ascending, with its place in each of them.
    fn meet(a: &[u64], b: &[u64], each: impl FnMut(usize, usize)) {
        let (mut each, mut before) = (each, (0, 0));
        for (a, b) in a.iter().zip(b) {
            let mut both = a & b;
            while both != 0 {
                let below = (both & both.wrapping_neg()) - 1;
                let places = (before.0 + (a & below).count_ones(), before.1 + (b & below).count_ones());
                each(places.0 as usize, places.1 as usize);
                both &= both - 1;
            }
            before = (before.0 + a.count_ones(), before.1 + b.count_ones());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const COUNT: usize = 1000;

    fn numbers(seed: u32, step: u32) -> BTreeSet<u32> {
        (0..COUNT as u32)
            .filter(|n| n.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 16 & 0xff < step)
            .collect()
    }

    fn forms(set: &BTreeSet<u32>) -> [DocSet<'static>; 2] {
        let bits = bits_of(set.iter().copied(), COUNT);
        [DocSet::Bits(Cow::Owned(bits)), DocSet::new(set.iter().copied().collect())]
    }

    fn read(set: &DocSet<'_>) -> BTreeSet<u32> {
        let mut read = BTreeSet::new();
        set.for_each(|doc| {
            read.insert(doc);
        });
        assert_eq!(set.len(), read.len());
        assert_eq!(set.is_empty(), read.is_empty());
        read
    }

    #[test]
    fn every_form_of_a_set_obeys_the_same_algebra() {
        for (a, b) in [(3, 90), (90, 3), (200, 200), (0, 10), (256, 1)] {
            let (left, right) = (numbers(1, a), numbers(77, b));
            for l in forms(&left) {
                for r in forms(&right) {
                    assert_eq!(read(&l.clone().and(&r)), &left & &right);
                    assert_eq!(read(&l.clone().without(&r)), &left - &right);
                    assert_eq!(read(&union(vec![l.clone(), r], COUNT)), &left | &right);
                }
            }
        }
    }

    #[test]
    fn kernels_count_as_one_bit_after_the_other_does() {
        let (a, b): (Vec<u64>, Vec<u64>) =
            (0..37u64).map(|n| (n * n * 0x9E37_79B9, (n << 33) | (5 * n))).unzip();
        let all = 0..(WORD * a.len()) as u32;
        assert_eq!(count_ones(&a), all.clone().filter(|bit| has_bit(&a, *bit)).count());
        assert_eq!(count_common(&a, &b), all.filter(|bit| has_bit(&a, *bit) && has_bit(&b, *bit)).count());
    }

    #[test]
    fn all_documents_are_all_and_no_more() {
        for count in [0, 1, 63, 64, 65, 1000] {
            assert_eq!(read(&DocSet::all(count)).len(), count);
        }
    }

    #[test]
    fn a_common_document_is_reported_with_its_place_in_both_sets() {
        let (a, b) = (numbers(1, 90), numbers(5, 200));
        let [DocSet::Bits(x), _] = forms(&a) else { unreachable!() };
        let [DocSet::Bits(y), _] = forms(&b) else { unreachable!() };
        let place = |set: &BTreeSet<u32>, doc: &u32| set.range(..doc).count();
        let expected: Vec<_> = a.intersection(&b).map(|doc| (place(&a, doc), place(&b, doc))).collect();
        let mut found = Vec::new();
        meet(&x, &y, |a, b| found.push((a, b)));
        assert!(!expected.is_empty());
        assert_eq!(found, expected);
    }
}
