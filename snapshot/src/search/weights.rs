//! How much a word counts (BM25F): the weighted frequency of a term in a document, how it is stored, what it adds to a
//! score, and the weight of a rare one.

/// Number of fields.
pub(super) const FIELDS: usize = 6;
/// Weight of an occurrence in each field.
const WEIGHTS: [f32; FIELDS] = [5.0, 5.0, 1.5, 2.5, 1.0, 0.8];
/// Share of it that depends on the length of the field.
const LENGTHS: [f32; FIELDS] = [0.4, 0.0, 0.3, 0.6, 0.75, 0.75];

/// Divisor of an occurrence in each field: 1 in a text of mean length.
pub(super) fn divisors(lengths: &[f32; FIELDS], mean: impl Fn(usize) -> f32) -> [f32; FIELDS] {
    let share = |field: usize| LENGTHS[field] * lengths[field] / mean(field);
    std::array::from_fn(|field| 1.0 - LENGTHS[field] + share(field))
}

/// The weighted frequency of so many occurrences in each field.
pub(super) fn frequency(counts: &[f32; FIELDS], divisors: &[f32; FIELDS]) -> f32 {
    let weighted = counts.iter().zip(WEIGHTS).zip(divisors);
    weighted.map(|((count, weight), divisor)| count * weight / divisor).sum()
}

/// Weighted frequency with half of the greatest effect.
const HALF: f64 = 1.2;

/// What a weighted frequency adds to a score: each further occurrence adds less.
pub(super) fn effect(frequency: f32) -> f64 {
    let frequency = f64::from(frequency);
    (1.0 + HALF) * frequency / (HALF + frequency)
}

/// Power of the logarithm in [`idf`]. Of a long question, one rare word says less than several others.
const RARITY: f64 = 0.7;

/// Inverse document frequency: the weight of a clause that `holders` of `count` documents match.
pub(super) fn idf(holders: usize, count: usize) -> f64 {
    let (holders, count) = (holders as f64, count as f64);
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln().powf(RARITY)
}

/// The bit for a term that stands in a name or an alias.
const IN_NAME: u16 = 1 << 15;
/// The upper bits of the least frequency that is stored, 1/64.
const LEAST: u32 = (127 - 6) << 11;

/// The weighted frequency of a term in a document, and whether the term stands in a name, beside the posting: documents
/// are scored without reading their tokens. Below the upper bit are four bits of the exponent and eleven of the fraction of
/// an `f32`, so that frequencies are rounded down by at most 0.05 percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Impact(pub(super) u16);

impl Impact {
    pub(super) fn new(frequency: f32, in_name: bool) -> Self {
        let bits = (frequency.max(0.0).to_bits() >> 12).saturating_sub(LEAST);
        Self(bits.min(u32::from(!IN_NAME)) as u16 | if in_name { IN_NAME } else { 0 })
    }

    pub(super) fn frequency(self) -> f32 {
        f32::from_bits((u32::from(self.0 & !IN_NAME) + LEAST) << 12)
    }

    pub(super) fn in_name(self) -> bool {
        self.0 & IN_NAME != 0
    }

    /// What the term adds to the score of the document, as a multiple of its weight, if it is the whole query.
    pub(super) fn effect(self) -> f64 {
        effect(self.frequency()) + f64::from(u8::from(self.in_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impact_rounds_a_frequency_down_by_at_most_a_two_thousandth() {
        for tenth in 1..400 {
            let exact = tenth as f32 / 10.0;
            let stored = Impact::new(exact, tenth % 2 == 0);
            assert!(stored.frequency() <= exact && exact < stored.frequency() * 1.0005, "{exact}");
            assert_eq!(stored.in_name(), tenth % 2 == 0);
        }
        assert_eq!(Impact::new(0.0, true), Impact(IN_NAME));
        assert_eq!(Impact::new(f32::MAX, false), Impact(!IN_NAME));
    }

    #[test]
    fn an_occurrence_counts_by_its_field_and_less_in_a_long_one() {
        let mut counts = [0.0; FIELDS];
        (counts[0], counts[4]) = (1.0, 2.0);
        let even = divisors(&[10.0; FIELDS], |_| 10.0);
        assert!((frequency(&counts, &even) - 7.0).abs() < 1e-5);
        let mut lengths = [10.0; FIELDS];
        lengths[4] = 30.0;
        // 5 + 2 / (0.25 + 0.75 * 3)
        assert!((frequency(&counts, &divisors(&lengths, |_| 10.0)) - 5.8).abs() < 1e-5);
    }
}
