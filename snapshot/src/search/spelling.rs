//! Guesses: for a word that no record has, the terms that it may be a misspelling of. Words that are known without any
//! record are not guessed. Only ranked searches guess.

use std::ops::Range;

use crate::search::lexicon;
use crate::search::terms::Terms;
use crate::text::QueryWord;

/// Most corrections of a word; the most frequent terms are kept.
const CORRECTIONS_MAX: usize = 3;
/// Fewest letters of a word with two edits.
const TWO_EDITS: usize = 9;
/// Fewest letters of a word with one edit; with one letter less, two letters may be swapped.
const ONE_EDIT: usize = 5;

impl Terms {
    /// Terms to search in place of a word that is no term, ascending: of the nearest those with the most documents.
    pub(super) fn guessed(&self, word: &QueryWord) -> Vec<u32> {
        let letters: Vec<char> = word.text.chars().collect();
        if word.capitals || !letters.iter().all(|c| c.is_alphabetic()) || lexicon::is_known_word(&word.text) {
            return Vec::new();
        }
        let mut near = match letters.len() {
            ..4 => Vec::new(),
            4 => self.swapped(&letters),
            ONE_EDIT..TWO_EDITS => self.within(&letters, 1),
            _ => self.within(&letters, 2),
        };
        let least = near.iter().map(|(distance, _)| *distance).min();
        near.retain(|(distance, _)| Some(*distance) == least);
        near.sort_by_key(|(_, term)| (std::cmp::Reverse(self.docs(*term).len()), *term));
        let mut terms: Vec<u32> = near.into_iter().map(|(_, term)| term).take(CORRECTIONS_MAX).collect();
        terms.sort_unstable();
        terms
    }

    fn beginning(&self, prefix: &str) -> Range<usize> {
        let terms = self.tokens();
        let start = terms.lower_bound(0..terms.count(), prefix.as_bytes());
        start..self.after_prefix(start, prefix)
    }

    /// First position from `start` on whose term does not begin with `prefix`.
    fn after_prefix(&self, start: usize, prefix: &str) -> usize {
        let mut after = prefix.as_bytes().to_vec();
        // No byte of UTF-8 is the greatest.
        after.last_mut().into_iter().for_each(|last| *last += 1);
        self.tokens().lower_bound(start..self.tokens().count(), &after)
    }

    /// Terms that are the word with two neighbours swapped.
    fn swapped(&self, letters: &[char]) -> Vec<(usize, u32)> {
        let swap = |at: usize| {
            let mut swapped = letters.to_vec();
            swapped.swap(at, at + 1);
            self.exact(&swapped.into_iter().collect::<String>())
        };
        (0..letters.len() - 1).filter_map(swap).map(|term| (1, term)).collect()
    }

    /// Terms at most `edits` insertions, deletions, replacements or swaps of neighbours away that begin
    /// with the same letter, or with the first two swapped; with their distances.
    fn within(&self, wanted: &[char], edits: usize) -> Vec<(usize, u32)> {
        let Some([first, second]) = wanted.first_chunk() else { return Vec::new() };
        let mut found = self.within_range(self.beginning(&first.to_string()), wanted, edits);
        if first != second {
            found.extend(self.within_range(self.beginning(&format!("{second}{first}")), wanted, edits));
        }
        found
    }

    /// Walks a part of the sorted dictionary with one row of the distance table for each letter, keeps
    /// the rows of the letters shared with the term before, and jumps over every term that begins with
    /// letters that are already too far away.
    fn within_range(&self, range: Range<usize>, wanted: &[char], edits: usize) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        let mut path: Vec<char> = Vec::new();
        let mut table = Distances::new(wanted, edits);
        let mut term = range.start;
        while term < range.end {
            let text = self.tokens().text(term);
            let shared = text.chars().zip(&path).take_while(|(a, b)| a == *b).count();
            path.truncate(shared);
            table.truncate(shared);
            let mut is_near = true;
            for letter in text.chars().skip(shared) {
                is_near = table.push(path.last().copied(), letter);
                path.push(letter);
                if !is_near {
                    break;
                }
            }
            if !is_near {
                let prefix: String = path.iter().collect();
                term = self.after_prefix(term, &prefix).max(term + 1);
                continue;
            }
            if table.last() <= edits {
                found.push((table.last(), term as u32));
            }
            term += 1;
        }
        found
    }
}

/// The table of distances between the beginnings of a wanted word and those of a path of letters: a
/// row for each letter of the path, of which only the cells near the diagonal can matter.
struct Distances<'a> {
    wanted: &'a [char],
    edits: usize,
    rows: Vec<u8>,
}

impl<'a> Distances<'a> {
    fn new(wanted: &'a [char], edits: usize) -> Self {
        let far = edits + 1;
        let rows = (0..=wanted.len()).map(|length| length.min(far) as u8).collect();
        Self { wanted, edits, rows }
    }

    fn width(&self) -> usize {
        self.wanted.len() + 1
    }

    /// Keeps the rows of the first letters of the path.
    fn truncate(&mut self, letters: usize) {
        self.rows.truncate((letters + 1) * self.width());
    }

    /// Adds the row of one letter more, `before` being the one before it. Whether any beginning of the
    /// wanted word is near.
    fn push(&mut self, before: Option<char>, letter: char) -> bool {
        let (width, start) = (self.width(), self.rows.len());
        let depth = start / width;
        let far = self.edits as u8 + 1;
        self.rows.resize(start + width, far);
        let (above, row) = self.rows.split_at_mut(start);
        let (twice, above) = above.split_at(start - width);
        let twice = twice.rchunks(width).next();
        row[0] = depth.min(usize::from(far)) as u8;
        let mut least = row[0];
        for at in depth.saturating_sub(self.edits).max(1)..width.min(depth + self.edits + 1) {
            let expected = self.wanted[at - 1];
            let replaced = above[at - 1] + u8::from(expected != letter);
            let mut distance = replaced.min(above[at] + 1).min(row[at - 1] + 1);
            if let Some(twice) = twice
                && at > 1
                && before == Some(expected)
                && self.wanted[at - 2] == letter
            {
                distance = distance.min(twice[at - 2] + 1);
            }
            row[at] = distance.min(far);
            least = least.min(row[at]);
        }
        least < far
    }

    /// Distance of the whole wanted word from the whole path.
    fn last(&self) -> usize {
        self.rows.last().map_or(usize::MAX, |distance| usize::from(*distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::terms::Mark;
    use crate::search::terms_writer::TermsWriter;
    use crate::text::query_words;
    use store::sections::SectionWriter;

    fn open(text: &str) -> Terms {
        let mut terms = TermsWriter::default();
        terms.add(std::iter::once((Mark::Name, text)));
        let mut writer = SectionWriter::default();
        terms.finish(&[], &mut writer);
        Terms::open(&writer.finish(), 1).unwrap()
    }

    fn guessed<'a>(terms: &'a Terms, word: &str) -> Vec<&'a str> {
        let found = terms.guessed(&query_words(word)[0]);
        found.iter().map(|term| terms.text(*term)).collect()
    }

    #[test]
    fn a_guess_keeps_the_first_letter_and_has_few_edits() {
        let terms = open("training loan agriculture per nurseries xylophone research");
        assert_eq!(guessed(&terms, "trianing"), ["training"]);
        assert_eq!(guessed(&terms, "rtaining"), ["training"]);
        assert_eq!(guessed(&terms, "laon"), ["loan"]);
        assert_eq!(guessed(&terms, "loam"), [""; 0], "of four letters only a swap");
        assert_eq!(guessed(&terms, "araining"), [""; 0], "another first letter");
        assert_eq!(guessed(&terms, "agriculutre"), ["agriculture"]);
        assert_eq!(guessed(&terms, "xylophne"), ["xylophone"]);
        assert_eq!(guessed(&terms, "rese4rch"), [""; 0]);
        assert_eq!(guessed(&terms, "XYLOPHNE"), [""; 0]);
        for place in ["peru", "Peru", "peruvian", "marzo"] {
            assert_eq!(guessed(&terms, place), [""; 0], "{place}");
        }
    }

    #[test]
    fn the_walk_finds_what_the_definition_of_the_distance_finds() {
        let terms = open("abcd abdc abxcd abc bcd abcde xyz abcdef acbd badc aaaa dcba abcdabcd abcdabdc");
        for (wanted, edits) in [("abcd", 1), ("abcd", 2), ("abdc", 1), ("abcdabcd", 2), ("zzzz", 2)] {
            let letters: Vec<char> = wanted.chars().collect();
            let swapped: String = [letters[1], letters[0]].iter().collect();
            let expected: Vec<u32> = (0..terms.tokens().count())
                .filter(|term| {
                    let text = terms.tokens().text(*term);
                    (text.starts_with(letters[0]) || text.starts_with(&swapped))
                        && distance(&letters, &text.chars().collect::<Vec<_>>()) <= edits
                })
                .map(|term| term as u32)
                .collect();
            let mut found: Vec<u32> =
                terms.within(&letters, edits).into_iter().map(|(_, term)| term).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{wanted} {edits}");
        }
    }

    /// Optimal string alignment by its definition.
    fn distance(a: &[char], b: &[char]) -> usize {
        let (Some((x, left)), Some((y, right))) = (a.split_last(), b.split_last()) else {
            return a.len().max(b.len());
        };
        let mut least = (distance(left, right) + usize::from(x != y))
            .min(distance(left, b) + 1)
            .min(distance(a, right) + 1);
        if let (Some((p, l)), Some((q, r))) = (left.split_last(), right.split_last())
            && x == q
            && y == p
        {
            least = least.min(distance(l, r) + 1);
        }
        least
    }
}
