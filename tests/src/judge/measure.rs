//! What an answer is worth: numbers of one question, and their means.

use std::collections::BTreeMap;

use snapshot::text::fold;

use crate::judge::desk::{Answer, NamedEntity};
use crate::judge::judged::Judged;

/// How many rows a reader looks at.
pub const DEPTH: usize = 10;

/// What the answer to one question is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The share of what is wanted among the first rows, of as much as they can hold.
    pub recall: f64,
    /// One over the place of the first row that is wanted.
    pub reciprocal: f64,
    /// Normalised discounted cumulative gain of the first rows.
    pub gain: f64,
    /// Whether nothing was found.
    pub is_empty: bool,
}

/// The share of `wanted` among the rows, of as many as they have room for.
#[must_use]
pub fn recall(found: &[String], wanted: &[&str]) -> f64 {
    let hits = found.iter().take(DEPTH).filter(|slug| wanted.contains(&slug.as_str())).count();
    hits as f64 / wanted.len().min(DEPTH) as f64
}

/// One over the place of the first row that is wanted; nothing if none is.
#[must_use]
pub fn reciprocal(found: &[String], wanted: &[&str]) -> f64 {
    let first = found.iter().take(DEPTH).position(|slug| wanted.contains(&slug.as_str()));
    first.map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

/// Gain of the rows over that of the best order: a grade is worth `2^grade - 1`, over the logarithm of
/// its place.
#[must_use]
pub fn gain(found: &[String], grades: &BTreeMap<String, u8>) -> f64 {
    let discounted = |grades: &mut dyn Iterator<Item = u8>| -> f64 {
        let worth = |(place, grade): (usize, u8)| f64::from((1 << grade) - 1) / ((place + 2) as f64).log2();
        grades.take(DEPTH).enumerate().map(worth).fold(0.0, |sum, worth| sum + worth)
    };
    let mut best: Vec<u8> = grades.values().copied().collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let mut rows = found.iter().map(|slug| grades.get(slug).copied().unwrap_or_default());
    discounted(&mut rows) / discounted(&mut best.into_iter())
}

impl Score {
    /// Of an answer to a question that something answers.
    #[must_use]
    pub fn of(judged: &Judged, answer: &Answer) -> Option<Self> {
        let wanted: Vec<&str> = judged.wanted().collect();
        (!wanted.is_empty()).then(|| Self {
            recall: recall(&answer.found, &wanted),
            reciprocal: reciprocal(&answer.found, &wanted),
            gain: gain(&answer.found, &judged.grades),
            is_empty: answer.found.is_empty(),
        })
    }
}

/// A share of some things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many there were.
    pub of: usize,
    /// How many of them it was.
    pub count: usize,
}

impl Share {
    fn count(&mut self, is: bool) {
        self.of += 1;
        self.count += usize::from(is);
    }

    /// Between 0 and 1; nothing of nothing.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

/// Means over questions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// Questions that something answers.
    pub count: usize,
    /// See [`Score`].
    pub recall: f64,
    /// See [`Score`].
    pub reciprocal: f64,
    /// See [`Score`].
    pub gain: f64,
    /// Of the questions that something answers: nothing was found.
    pub empty: Share,
    /// Of the questions that no record matches: some were called matches.
    pub false_match: Share,
    /// Of the words that were guessed: another was meant, or none.
    pub wrong_guess: Share,
    /// Of what was read into words: it was not meant.
    pub wrong_concept: Share,
}

impl Means {
    /// Over questions and their answers. `holds` tells whether a record has a value.
    pub fn of<'a>(
        answered: impl IntoIterator<Item = (&'a Judged, &'a Answer)>,
        holds: &dyn Fn(&str, &NamedEntity) -> bool,
    ) -> Self {
        let mut means = Self::default();
        for (judged, answer) in answered {
            if let Some(score) = Score::of(judged, answer) {
                means.add(&score);
            }
            if judged.is_matchless() {
                means.false_match.count(answer.matches > 0);
            }
            for (typed, words) in &answer.guessed {
                means.wrong_guess.count(!is_meant(judged, typed, words));
            }
            for concept in &answer.understood {
                means.wrong_concept.count(!is_right(judged, concept, holds));
            }
        }
        let count = means.count.max(1) as f64;
        Self {
            recall: means.recall / count,
            reciprocal: means.reciprocal / count,
            gain: means.gain / count,
            ..means
        }
    }

    fn add(&mut self, score: &Score) {
        self.count += 1;
        self.recall += score.recall;
        self.reciprocal += score.reciprocal;
        self.gain += score.gain;
        self.empty.count(score.is_empty);
    }
}

/// Whether one of the words is a form of what was meant by a slip.
fn is_meant(judged: &Judged, typed: &str, words: &[String]) -> bool {
    let Some(meant) = judged.slips.get(&fold(typed)) else { return false };
    let same = |word: &String| {
        let word = fold(word);
        let length = meant.len().min(word.len()).saturating_sub(2);
        length >= 3 && word.get(..length) == meant.get(..length)
    };
    words.iter().any(same)
}

/// A place is right if it is meant; another value if a record that is wanted has it. Nothing is known
/// about other values where nothing is wanted.
fn is_right(judged: &Judged, concept: &NamedEntity, holds: &dyn Fn(&str, &NamedEntity) -> bool) -> bool {
    if concept.is_place {
        return judged.places.contains(&concept.value);
    }
    let mut wanted = judged.wanted().peekable();
    wanted.peek().is_none() || wanted.any(|slug| holds(slug, concept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judged::ABSENT_PLACE;

    fn slugs(slugs: &str) -> Vec<String> {
        slugs.split_whitespace().map(str::to_owned).collect()
    }

    fn judged(grades: &[(&str, u8)]) -> Judged {
        Judged {
            text: "a".to_owned(),
            locale: "en".to_owned(),
            class: "name".to_owned(),
            places: vec!["PE".to_owned()],
            slips: BTreeMap::from([("agriculutre".to_owned(), "agriculture".to_owned())]),
            grades: grades.iter().map(|(slug, grade)| ((*slug).to_owned(), *grade)).collect(),
        }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn recall_is_of_what_is_wanted_or_of_ten_rows() {
        close(recall(&slugs("a x b y"), &["a", "b", "c"]), 2.0 / 3.0);
        close(recall(&[], &["a"]), 0.0);
        let twelve = slugs("a b c d e f g h i j k l");
        let wanted: Vec<&str> = twelve.iter().map(String::as_str).collect();
        close(recall(&twelve, &wanted), 1.0);
        // What comes after ten rows does not count.
        close(recall(&slugs("x x x x x x x x x x a"), &["a"]), 0.0);
    }

    #[test]
    fn gain_is_one_in_the_best_order_and_less_the_lower_good_rows_are() {
        let grades = judged(&[("a", 2), ("b", 1)]).grades;
        close(gain(&slugs("a b"), &grades), 1.0);
        // (1/log2(2) + 3/log2(3)) / (3/log2(2) + 1/log2(3))
        close(gain(&slugs("b a"), &grades), (1.0 + 3.0 / 3f64.log2()) / (3.0 + 1.0 / 3f64.log2()));
        close(gain(&slugs("x y"), &grades), 0.0);
    }

    #[test]
    fn rows_that_are_called_matches_of_what_none_matches_are_false() {
        let (some, nothing) = (judged(&[("a", 2)]), judged(&[]));
        let answer = |found: &str, matches| Answer { found: slugs(found), matches, ..Answer::default() };
        let (good, none, bad) = (answer("a", 1), answer("", 0), answer("x", 667));
        // A place that is named nowhere is matched by nothing, though something may nearly answer.
        let absent = Judged { class: ABSENT_PLACE.to_owned(), ..judged(&[]) };
        let asked = [(&some, &good), (&some, &none), (&nothing, &none), (&nothing, &bad), (&absent, &bad)];
        let means = Means::of(asked, &|_, _| true);
        assert_eq!((means.count, means.empty), (2, Share { of: 2, count: 1 }));
        assert_eq!(means.false_match, Share { of: 3, count: 2 });
        close(means.recall, 0.5);
        assert_eq!(means.wrong_guess.value(), None);
    }
}
