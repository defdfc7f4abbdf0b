//! Sets of documents: bit sets, sorted lists, and the few operations on them that searching needs.

/// Bits of one word.
pub const WORD: usize = 64;

/// Words of a bit set over `count` documents.
#[must_use]
pub const fn words(count: usize) -> usize {
    count.div_ceil(WORD)
}

/// A set of documents: a bit for each, or the sorted numbers of the few.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocSet {
    /// One bit a document.
    Bits(Vec<u64>),
    /// Sorted, each once.
    List(Vec<u32>),
}

impl DocSet {
    /// All of `count` documents.
    #[must_use]
    pub fn all(count: usize) -> Self {
        let mut bits = vec![u64::MAX; words(count)];
        if let Some(last) = bits.last_mut()
            && !count.is_multiple_of(WORD)
        {
            *last = (1 << (count % WORD)) - 1;
        }
        Self::Bits(bits)
    }

    /// No document.
    #[must_use]
    pub const fn none() -> Self {
        Self::List(Vec::new())
    }

    /// How many documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.docs().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.docs().is_empty()
    }

    /// Whether a document is in.
    #[must_use]
    pub fn contains(&self, doc: u32) -> bool {
        self.docs().contains(doc)
    }

    /// Calls `each` with every document, ascending.
    pub fn for_each(&self, mut each: impl FnMut(u32)) {
        match self {
            Self::Bits(bits) => for_each_bit(bits, each),
            Self::List(list) => list.iter().for_each(|doc| each(*doc)),
        }
    }

    /// Calls `each` with all documents, ascending, some at a time.
    #[inline]
    pub fn for_each_chunk(&self, mut each: impl FnMut(&[u32])) {
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
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        match self {
            Self::List(list) => list.retain(|doc| keep(*doc)),
            Self::Bits(bits) => {
                for (position, word) in bits.iter_mut().enumerate() {
                    let mut left = *word;
                    while left != 0 {
                        let bit = left.trailing_zeros();
                        left &= left - 1;
                        if !keep((position * WORD) as u32 + bit) {
                            *word &= !(1 << bit);
                        }
                    }
                }
            }
        }
    }

    /// Keeps what is in `other` too.
    pub fn intersect(&mut self, other: &Docs<'_>) {
        match (&mut *self, other) {
            (Self::Bits(bits), Docs::Bits(others)) => {
                bits.iter_mut().zip(*others).for_each(|(word, other)| *word &= other);
            }
            (Self::Bits(bits), Docs::List(others)) => {
                *self = Self::List(others.iter().copied().filter(|doc| has_bit(bits, *doc)).collect());
            }
            (Self::List(list), Docs::Bits(others)) => list.retain(|doc| has_bit(others, *doc)),
            (Self::List(list), Docs::List(others)) => intersect_lists(list, others),
        }
    }

    /// Drops what is in `other`.
    pub fn subtract(&mut self, other: &Docs<'_>) {
        match (&mut *self, other) {
            (Self::Bits(bits), Docs::Bits(others)) => {
                bits.iter_mut().zip(*others).for_each(|(word, other)| *word &= !other);
            }
            (Self::Bits(bits), Docs::List(others)) => {
                others.iter().for_each(|doc| clear_bit(bits, *doc));
            }
            (Self::List(list), others) => list.retain(|doc| !others.contains(*doc)),
        }
    }

    /// The same set, to look at.
    #[must_use]
    pub fn docs(&self) -> Docs<'_> {
        match self {
            Self::Bits(bits) => Docs::Bits(bits),
            Self::List(list) => Docs::List(list),
        }
    }
}

/// A set of documents that lives elsewhere.
#[derive(Clone, Copy, Debug)]
pub enum Docs<'a> {
    /// One bit a document.
    Bits(&'a [u64]),
    /// Sorted, each once.
    List(&'a [u32]),
}

impl Docs<'_> {
    /// Whether a document is in.
    #[must_use]
    pub fn contains(&self, doc: u32) -> bool {
        match self {
            Self::Bits(bits) => has_bit(bits, doc),
            Self::List(list) => list.binary_search(&doc).is_ok(),
        }
    }

    /// How many documents.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bits(bits) => count_ones(bits),
            Self::List(list) => list.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bits(bits) => bits.iter().all(|word| *word == 0),
            Self::List(list) => list.is_empty(),
        }
    }

    /// Budget of reading it.
    #[must_use]
    pub fn cost(&self) -> u64 {
        match self {
            Self::Bits(bits) => bits.len() as u64,
            Self::List(list) => list.len() as u64,
        }
    }

    /// What is in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> DocSet {
        match (self, other) {
            (Self::Bits(bits), Self::Bits(others)) => {
                DocSet::Bits(bits.iter().zip(*others).map(|(word, other)| word & other).collect())
            }
            (Self::Bits(bits), Self::List(list)) | (Self::List(list), Self::Bits(bits)) => {
                DocSet::List(list.iter().copied().filter(|doc| has_bit(bits, *doc)).collect())
            }
            (Self::List(list), Self::List(others)) => {
                let (short, long) = if list.len() < others.len() { (list, others) } else { (others, list) };
                let mut both = short.to_vec();
                intersect_lists(&mut both, long);
                DocSet::List(both)
            }
        }
    }

    /// A copy that may be changed.
    #[must_use]
    pub fn to_set(&self) -> DocSet {
        match self {
            Self::Bits(bits) => DocSet::Bits(bits.to_vec()),
            Self::List(list) => DocSet::List(list.to_vec()),
        }
    }
}

/// A set that was looked up, or one that was made.
#[derive(Clone, Debug)]
pub enum Held<'a> {
    /// Looked up.
    There(Docs<'a>),
    /// Made.
    Made(DocSet),
}

impl Held<'_> {
    /// The set, to look at.
    #[must_use]
    pub fn docs(&self) -> Docs<'_> {
        match self {
            Self::There(docs) => *docs,
            Self::Made(docs) => docs.docs(),
        }
    }

    /// The set, to change.
    #[must_use]
    pub fn into_set(self) -> DocSet {
        match self {
            Self::There(docs) => docs.to_set(),
            Self::Made(docs) => docs,
        }
    }
}

/// The union of sets over `count` documents: a list while the parts are small together, else bits.
#[must_use]
pub fn union<'a>(parts: &[Docs<'a>], count: usize) -> Held<'a> {
    if let [only] = parts {
        return Held::There(*only);
    }
    let listed: Option<usize> = parts
        .iter()
        .map(|part| match part {
            Docs::List(list) => Some(list.len()),
            Docs::Bits(_) => None,
        })
        .sum();
    if listed.is_some_and(|total| total <= count / WORD) {
        return Held::Made(DocSet::List(merge_lists(parts)));
    }
    let mut bits = vec![0; words(count)];
    for part in parts {
        add_to_bits(&mut bits, part);
    }
    Held::Made(DocSet::Bits(bits))
}

/// Adds a set to a bit set.
pub fn add_to_bits(bits: &mut [u64], part: &Docs<'_>) {
    match part {
        Docs::Bits(others) => bits.iter_mut().zip(*others).for_each(|(word, other)| *word |= other),
        Docs::List(list) => list.iter().for_each(|doc| set_bit(bits, *doc)),
    }
}

fn merge_lists(parts: &[Docs<'_>]) -> Vec<u32> {
    let mut merged = Vec::new();
    for part in parts {
        if let Docs::List(list) = part {
            merged.extend_from_slice(list);
        }
    }
    merged.sort_unstable();
    merged.dedup();
    merged
}

/// Keeps in `list` what is in `others`. Gallops through the longer one.
fn intersect_lists(list: &mut Vec<u32>, others: &[u32]) {
    let mut rest = others;
    list.retain(|doc| {
        let mut step = 1;
        while step < rest.len() && rest[step] < *doc {
            step *= 2;
        }
        let window = &rest[..rest.len().min(step + 1)];
        let skip = window.partition_point(|other| other < doc);
        rest = &rest[skip..];
        rest.first() == Some(doc)
    });
}

/// Whether a document's bit is set. Documents outside are not in.
#[must_use]
#[inline]
pub fn has_bit(bits: &[u64], doc: u32) -> bool {
    bits.get(doc as usize / WORD).is_some_and(|word| word >> (doc as usize % WORD) & 1 == 1)
}

/// Sets a document's bit.
#[inline]
pub fn set_bit(bits: &mut [u64], doc: u32) {
    if let Some(word) = bits.get_mut(doc as usize / WORD) {
        *word |= 1 << (doc as usize % WORD);
    }
}

fn clear_bit(bits: &mut [u64], doc: u32) {
    if let Some(word) = bits.get_mut(doc as usize / WORD) {
        *word &= !(1 << (doc as usize % WORD));
    }
}

/// Calls `each` with every set bit's number, ascending.
#[inline]
pub fn for_each_bit(bits: &[u64], mut each: impl FnMut(u32)) {
    for (position, word) in bits.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            each((position * WORD) as u32 + left.trailing_zeros());
            left &= left - 1;
        }
    }
}

/// Kernels that count bits, in the widest form that the processor has. Plain loops: the compiler
/// turns each into vector code for the features it is allowed to use.
mod kernel {
    #[inline(always)]
    fn ones(a: &[u64]) -> usize {
        a.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline(always)]
    fn common(a: &[u64], b: &[u64]) -> usize {
        a.iter().zip(b).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Of every bit that both have: how many bits each has before it.
    #[inline(always)]
    fn meet(a: &[u64], b: &[u64], out: &mut Vec<(u32, u32)>) {
        let mut before = (0, 0);
        for (a, b) in a.iter().zip(b) {
            let mut both = a & b;
            while both != 0 {
                let below = (both & both.wrapping_neg()) - 1;
                out.push((before.0 + (a & below).count_ones(), before.1 + (b & below).count_ones()));
                both &= both - 1;
            }
            before = (before.0 + a.count_ones(), before.1 + b.count_ones());
        }
    }

    macro_rules! kernels {
        ($name:ident, $features:literal) => {
            #[cfg(target_arch = "x86_64")]
            pub(super) mod $name {
                #[target_feature(enable = $features)]
                pub(in super::super) fn ones(a: &[u64]) -> usize {
                    super::ones(a)
                }
                #[target_feature(enable = $features)]
                pub(in super::super) fn common(a: &[u64], b: &[u64]) -> usize {
                    super::common(a, b)
                }
                #[target_feature(enable = $features)]
                pub(in super::super) fn meet(a: &[u64], b: &[u64], out: &mut Vec<(u32, u32)>) {
                    super::meet(a, b, out);
                }
            }
        };
    }
    kernels!(avx512, "avx512f,avx512vl,avx512bw,avx512vpopcntdq,popcnt");
    kernels!(popcnt, "popcnt");

    pub(super) mod portable {
        pub(in super::super) fn ones(a: &[u64]) -> usize {
            super::ones(a)
        }
        pub(in super::super) fn common(a: &[u64], b: &[u64]) -> usize {
            super::common(a, b)
        }
        pub(in super::super) fn meet(a: &[u64], b: &[u64], out: &mut Vec<(u32, u32)>) {
            super::meet(a, b, out);
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! dispatch {
    ($kernel:ident($($argument:expr),+)) => {
        if is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("popcnt")
        {
            #[expect(unsafe_code, reason = "4 times as fast as portable code on 2 KB sets; see benches")]
            // SAFETY: the processor has the features that the kernel was compiled for.
            unsafe { kernel::avx512::$kernel($($argument),+) }
        } else if is_x86_feature_detected!("popcnt") {
            #[expect(unsafe_code, reason = "twice as fast as portable code on 2 KB sets; see benches")]
            // SAFETY: the processor has the feature that the kernel was compiled for.
            unsafe { kernel::popcnt::$kernel($($argument),+) }
        } else {
            kernel::portable::$kernel($($argument),+)
        }
    };
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! dispatch {
    ($kernel:ident($($argument:expr),+)) => { kernel::portable::$kernel($($argument),+) };
}

/// Calls `each` for every document that both bit sets have, ascending, with its place in each of them.
pub fn meet(a: &[u64], b: &[u64], mut each: impl FnMut(usize, usize)) {
    let mut places = Vec::new();
    dispatch!(meet(a, b, &mut places));
    places.into_iter().for_each(|(a, b)| each(a as usize, b as usize));
}

/// Number of set bits.
#[must_use]
pub fn count_ones(bits: &[u64]) -> usize {
    dispatch!(ones(bits))
}

/// Number of bits set in both.
#[must_use]
pub fn count_common(a: &[u64], b: &[u64]) -> usize {
    dispatch!(common(a, b))
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

    fn forms(set: &BTreeSet<u32>) -> [DocSet; 2] {
        let mut bits = vec![0; words(COUNT)];
        set.iter().for_each(|doc| set_bit(&mut bits, *doc));
        [DocSet::Bits(bits), DocSet::List(set.iter().copied().collect())]
    }

    fn read(set: &DocSet) -> BTreeSet<u32> {
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
                    let mut both = l.clone();
                    both.intersect(&r.docs());
                    assert_eq!(read(&both), &left & &right);
                    let mut rest = l.clone();
                    rest.subtract(&r.docs());
                    assert_eq!(read(&rest), &left - &right);
                    assert_eq!(read(&l.docs().and(&r.docs())), &left & &right);
                    assert_eq!(read(&union(&[l.docs(), r.docs()], COUNT).into_set()), &left | &right);
                }
            }
        }
    }

    #[test]
    fn all_kernels_count_alike() {
        let (a, b): (Vec<u64>, Vec<u64>) =
            (0..37u64).map(|n| (n * n * 0x9E37_79B9, (n << 33) | (5 * n))).unzip();
        assert_eq!(count_ones(&a), kernel::portable::ones(&a));
        assert_eq!(count_common(&a, &b), kernel::portable::common(&a, &b));
    }

    #[test]
    fn all_documents_are_all_and_no_more() {
        for count in [0, 1, 63, 64, 65, 1000] {
            assert_eq!(read(&DocSet::all(count)).len(), count);
        }
    }

    #[test]
    fn where_two_sets_meet_each_place_is_told_in_both() {
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
