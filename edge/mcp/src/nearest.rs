//! Suggestions for a misspelled word: the candidates that are closest to it.

use snapshot::text::fold;

use crate::reply::json;

/// Most suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Words up to this length match only exactly: two equal letters of three do not make words similar.
const SHORT_MAX: usize = 3;

/// Collects what is close to a word; what is equally close stays in the order in which it was added.
pub(crate) struct Nearest<T> {
    word: String,
    /// Length of the word, in characters.
    length: usize,
    found: Vec<(usize, T)>,
}

impl<T: PartialEq> Nearest<T> {
    /// Starts a search for candidates that are close to `word`.
    pub(crate) fn new(word: &str) -> Self {
        let word = fold(word.trim());
        Self { length: word.chars().count(), word, found: Vec::new() }
    }

    /// Adds a candidate; `item` is the suggestion for `text`.
    pub(crate) fn consider(&mut self, text: &str, item: impl FnOnce() -> T) {
        self.found.extend(self.distance(&fold(text)).map(|distance| (distance, item())));
    }

    /// The closest, best first, each once.
    pub(crate) fn finish(mut self) -> Vec<T> {
        self.found.sort_by_key(|(distance, _)| *distance);
        let mut closest = Vec::new();
        for (_, item) in self.found {
            if closest.len() < SUGGESTIONS_MAX && !closest.contains(&item) {
                closest.push(item);
            }
        }
        closest
    }

    /// The distance of a text, `None` if it is not close: it must equal the word, one must begin with the other,
    /// or the edits must be at most a third of the word's length.
    fn distance(&self, text: &str) -> Option<usize> {
        if self.length <= SHORT_MAX {
            return (self.length > 0 && self.word == text).then_some(0);
        }
        let length = text.chars().count();
        let most = (self.length / 3).clamp(1, 4);
        let begins = text.starts_with(&self.word) || length > SHORT_MAX && self.word.starts_with(text);
        let edits = (self.length.abs_diff(length) <= most)
            .then(|| strsim::osa_distance(&self.word, text))
            .filter(|edits| *edits <= most)
            .map(|edits| 2 * edits);
        if begins { Some(edits.map_or(1, |edits| edits.min(1))) } else { edits }
    }
}

/// A sentence that suggests the closest of some fixed words; empty if none is close.
pub(crate) fn hint<'a>(wrong: &str, words: impl Iterator<Item = &'a str>) -> String {
    let mut nearest = Nearest::new(wrong);
    words.for_each(|word| nearest.consider(word, || word));
    let closest = nearest.finish().into_iter().next();
    closest.map_or(String::new(), |word| format!(" Did you mean {}?", json(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_letters_are_one_edit_and_short_words_match_only_exactly() {
        assert_eq!(hint("opne", ["open"].into_iter()), " Did you mean \"open\"?");
        assert_eq!(hint("uk", ["ua", "ukraine"].into_iter()), "");
        assert_eq!(hint("uk", ["UK"].into_iter()), " Did you mean \"UK\"?");
    }
}
