//! What somebody may have meant: the candidates that are closest to a word.

use snapshot::search::text::fold;

/// Most suggestions.
const SUGGESTIONS_MAX: usize = 3;

/// Collects candidates and keeps the closest ones; equally close ones in the order they came.
pub(super) struct Nearest<T> {
    word: Vec<char>,
    found: Vec<(usize, T)>,
}

impl<T: PartialEq> Nearest<T> {
    /// Looks for what is close to a word.
    pub(super) fn new(word: &str) -> Self {
        Self { word: fold(word.trim()).chars().collect(), found: Vec::new() }
    }

    /// Considers a text; `item` is what would be suggested for it.
    pub(super) fn consider(&mut self, text: &str, item: impl FnOnce() -> T) {
        let text: Vec<char> = fold(text).chars().collect();
        let Some(distance) = self.distance(&text) else { return };
        let worst = self.found.get(SUGGESTIONS_MAX - 1);
        if worst.is_some_and(|(worst, _)| *worst <= distance) {
            return;
        }
        let item = item();
        if let Some(known) = self.found.iter().position(|(_, known)| *known == item) {
            if self.found[known].0 <= distance {
                return;
            }
            self.found.remove(known);
        }
        let place = self.found.partition_point(|(known, _)| *known <= distance);
        self.found.insert(place, (distance, item));
        self.found.truncate(SUGGESTIONS_MAX);
    }

    /// The closest, best first.
    pub(super) fn finish(self) -> Vec<T> {
        self.found.into_iter().map(|(_, item)| item).collect()
    }

    /// How far a text is: equal, beginning with the word or the other way round, or within a third
    /// of the word's length.
    fn distance(&self, text: &[char]) -> Option<usize> {
        if text.is_empty() || self.word.is_empty() {
            return None;
        }
        let most = (self.word.len() / 3).clamp(1, 4);
        let begins = self.word.len() >= 2 && text.starts_with(&self.word)
            || text.len() >= 4 && self.word.starts_with(text);
        let edits = edits(&self.word, text, most).map(|edits| 2 * edits);
        if begins { Some(edits.map_or(1, |edits| edits.min(1))) } else { edits }
    }
}

/// Insertions, deletions and replacements between two words, when there are at most `most`.
fn edits(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        let mut least = row[0];
        for (column, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
            least = least.min(row[column + 1]);
        }
        if least > most {
            return None;
        }
    }
    row.last().copied().filter(|edits| *edits <= most)
}

/// The closest of some fixed words.
pub(super) fn word<'a>(wrong: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut nearest = Nearest::new(wrong);
    words.for_each(|word| nearest.consider(word, || word));
    nearest.finish().into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_come_first_and_strangers_not_at_all() {
        let countries = ["Kenya", "Benin", "Keeling", "Kiribati", "Peru"];
        let mut nearest = Nearest::new("Kenia");
        countries.iter().for_each(|country| nearest.consider(country, || *country));
        assert_eq!(nearest.finish(), ["Kenya"]);
        let mut nearest = Nearest::new("grant");
        ["grants-in-aid", "Grant", "award", "grand"].iter().for_each(|it| nearest.consider(it, || *it));
        assert_eq!(nearest.finish(), ["Grant", "grants-in-aid", "grand"]);
        assert_eq!(word("fundinMax", ["fundingMin", "fundingMax"].into_iter()), Some("fundingMax"));
        assert_eq!(word("xyz", ["query"].into_iter()), None);
        assert_eq!(word("", ["query"].into_iter()), None);
    }
}
