//! Impacts: what a term earns in a document by all its occurrences, as one byte beside each posting, so
//! that documents are put in order without reading their tokens. The same weighted frequency
//! as of a score, rounded down by at most six of a hundred.

/// How many kinds of field there are: name, alias, organization, summary, description, fact.
pub const FIELDS: usize = 6;

/// How much one occurrence counts in each field.
const WEIGHTS: [f32; FIELDS] = [5.0, 5.0, 1.5, 2.0, 1.0, 0.8];
/// How much of it the length of the field takes away.
const LENGTHS: [f32; FIELDS] = [0.4, 0.0, 0.3, 0.6, 0.75, 0.75];

/// By what an occurrence in each field is divided: 1 in a text of mean length.
#[must_use]
pub fn long(lengths: &[f32; FIELDS], mean: impl Fn(usize) -> f32) -> [f32; FIELDS] {
    let share = |field: usize| LENGTHS[field] * lengths[field] / mean(field);
    std::array::from_fn(|field| 1.0 - LENGTHS[field] + share(field))
}

/// The weighted frequency of so many occurrences in each field.
#[must_use]
pub fn frequency(counts: &[f32; FIELDS], long: &[f32; FIELDS]) -> f32 {
    counts.iter().zip(WEIGHTS).zip(long).map(|((count, weight), long)| count * weight / long).sum()
}

/// Least of the frequencies that are told apart.
const LEAST: f32 = 0.03125;
/// Each is so many times the one before: twelve to a doubling.
const STEP: f32 = 1.059_463_1;
/// Lower ends of the frequencies, multiplied up so that every machine has the same.
const ENDS: [f32; 128] = {
    let (mut ends, mut at) = ([LEAST; 128], 1);
    while at < ends.len() {
        ends[at] = ends[at - 1] * STEP;
        at += 1;
    }
    ends
};

/// The bit that says that the term stands in a name or an alias.
const IN_NAME: u8 = 0x80;

/// A weighted frequency, and whether the term stands in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impact(pub u8);

impl Impact {
    /// Of a frequency.
    #[must_use]
    pub fn new(frequency: f32, in_name: bool) -> Self {
        let end = ENDS.partition_point(|end| *end <= frequency).saturating_sub(1);
        Self(end as u8 | if in_name { IN_NAME } else { 0 })
    }

    /// The lower end of its frequency.
    #[must_use]
    pub fn frequency(self) -> f32 {
        ENDS[usize::from(self.0 & !IN_NAME)]
    }

    /// Whether the term stands in a name or an alias.
    #[must_use]
    pub fn in_name(self) -> bool {
        self.0 & IN_NAME != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_is_kept_to_a_seventeenth_and_never_overstated() {
        for tenth in 1..400 {
            let exact = tenth as f32 / 10.0;
            let kept = Impact::new(exact, tenth % 2 == 0);
            assert!(kept.frequency() <= exact && exact < kept.frequency() * 1.06, "{exact}");
            assert_eq!(kept.in_name(), tenth % 2 == 0);
        }
        assert_eq!(Impact::new(0.0, true), Impact(0x80));
        assert_eq!(Impact::new(f32::MAX, false), Impact(127));
    }

    #[test]
    fn an_occurrence_counts_by_its_field_and_less_in_a_long_one() {
        let mut counts = [0.0; FIELDS];
        (counts[0], counts[4]) = (1.0, 2.0);
        let even = long(&[10.0; FIELDS], |_| 10.0);
        assert!((frequency(&counts, &even) - 7.0).abs() < 1e-5);
        let mut lengths = [10.0; FIELDS];
        lengths[4] = 30.0;
        // 5 + 2 / (0.25 + 0.75 * 3)
        assert!((frequency(&counts, &long(&lengths, |_| 10.0)) - 5.8).abs() < 1e-5);
    }
}
