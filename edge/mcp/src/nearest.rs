//! Suggestions for a misspelled word: the candidates that are closest to it.

use snapshot::text::fold;

use crate::reply::json;

/// Most suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Words up to this length match only exactly: two equal letters of three do not make words similar.
const SHORT_MAX: usize = 3;

/// The items of candidates whose texts are closest to a word, best first, each once; those that are equally close stay in
/// order.
pub(crate) fn closest<'t, T: PartialEq>(
    word: &str,
    candidates: impl Iterator<Item = (&'t str, T)>,
) -> Vec<T> {
    let word = fold(word.trim());
    let close = candidates.filter_map(|(text, item)| Some((distance(&word, &fold(text))?, item)));
    let mut found: Vec<(usize, T)> = close.collect();
    found.sort_by_key(|(distance, _)| *distance);
    let mut closest = Vec::new();
    for (_, item) in found {
        if closest.len() < SUGGESTIONS_MAX && !closest.contains(&item) {
            closest.push(item);
        }
    }
    closest
}

/// The distance of a text from a word, `None` if it is not close: it must equal the word, one must begin with the other,
/// or the edits must be at most a third of the word's length.
fn distance(word: &str, text: &str) -> Option<usize> {
    let (of_word, of_text) = (word.chars().count(), text.chars().count());
    if of_word <= SHORT_MAX {
        return (of_word > 0 && word == text).then_some(0);
    }
    let most = (of_word / 3).clamp(1, 4);
    let begins = text.starts_with(word) || of_text > SHORT_MAX && word.starts_with(text);
    let edits = (of_word.abs_diff(of_text) <= most)
        .then(|| strsim::osa_distance(word, text))
        .filter(|edits| *edits <= most)
        .map(|edits| 2 * edits);
    if begins { Some(edits.map_or(1, |edits| edits.min(1))) } else { edits }
}

/// A sentence that suggests the closest of some fixed words; empty if none is close.
pub(crate) fn hint<'a>(wrong: &str, words: impl Iterator<Item = &'a str>) -> String {
    let closest = closest(wrong, words.map(|word| (word, word)));
    closest.first().map_or(String::new(), |word| format!(" Did you mean {}?", json(*word)))
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
