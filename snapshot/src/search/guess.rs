//! Guesses: what a word that stands nowhere may be a slip of, or the beginning of. Few, and never for
//! words that are known without any record. Only ranked answers guess, and say so.

use crate::search::lexicon;
use crate::search::terms::Terms;
use crate::search::text::QueryWord;

/// Most words that a slip may stand for, commonest first.
const SLIPS_MAX: usize = 3;
/// Most words that a beginning may stand for.
const BEGUN_MAX: usize = 8;
/// Fewest letters of a beginning.
const BEGUN_LEAST: usize = 5;
/// A word of so many letters may differ by two.
const TWO_SLIPS: usize = 9;
/// And by one from here on; a word of one letter less may have two letters swapped.
const ONE_SLIP: usize = 5;

impl Terms {
    /// Terms that a word may be meant for, none of which it is. `may_go_on`: it may be the beginning of
    /// one.
    #[must_use]
    pub fn guessed(&self, word: &QueryWord, may_go_on: bool) -> Vec<u32> {
        let letters: Vec<char> = word.text.chars().collect();
        if word.capitals || !letters.iter().all(|c| c.is_alphabetic()) || lexicon::is_known_word(&word.text) {
            return Vec::new();
        }
        if may_go_on && letters.len() >= BEGUN_LEAST {
            let begun = self.begun_by(&word.text, letters.len());
            if !begun.is_empty() {
                return begun;
            }
        }
        let mut near = match letters.len() {
            ..4 => Vec::new(),
            4 => self.swapped(&letters),
            ONE_SLIP..TWO_SLIPS => self.within(&letters, 1),
            _ => self.within(&letters, 2),
        };
        let least = near.iter().map(|(distance, _)| *distance).min();
        near.retain(|(distance, _)| Some(*distance) == least);
        self.commonest(near.into_iter().map(|(_, term)| term).collect(), SLIPS_MAX)
    }

    /// The terms that most documents have.
    fn commonest(&self, mut terms: Vec<u32>, most: usize) -> Vec<u32> {
        terms.sort_by_key(|term| (std::cmp::Reverse(self.docs(*term).len()), *term));
        terms.truncate(most);
        terms.sort_unstable();
        terms
    }

    /// Terms that begin with so many letters, when these are most of them.
    fn begun_by(&self, prefix: &str, letters: usize) -> Vec<u32> {
        let range = self.beginning(prefix);
        let is_most = |term: &usize| 10 * letters >= 6 * self.dictionary().text(*term).chars().count();
        self.commonest(range.filter(is_most).map(|term| term as u32).collect(), BEGUN_MAX)
    }

    fn beginning(&self, prefix: &str) -> std::ops::Range<usize> {
        let terms = self.dictionary();
        let start = terms.lower_bound(0..terms.len(), prefix.as_bytes());
        start..self.after_prefix(start, prefix.as_bytes())
    }

    /// First position from `start` on whose term does not begin with `prefix`.
    fn after_prefix(&self, start: usize, prefix: &[u8]) -> usize {
        let mut after = prefix.to_vec();
        while after.pop_if(|last| *last == u8::MAX).is_some() {}
        match after.last_mut() {
            Some(last) => *last += 1,
            None => return self.dictionary().len(),
        }
        self.dictionary().next_from(start, &after)
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

    /// Terms at most `slips` insertions, deletions, replacements or swaps of neighbours away that begin
    /// with the same letter, or with the first two swapped; with their distances.
    fn within(&self, wanted: &[char], slips: usize) -> Vec<(usize, u32)> {
        let Some([first, second]) = wanted.first_chunk() else { return Vec::new() };
        let mut found = self.within_range(self.beginning(&first.to_string()), wanted, slips);
        if first != second {
            found.extend(self.within_range(self.beginning(&format!("{second}{first}")), wanted, slips));
        }
        found
    }

    /// Walks a part of the sorted dictionary with one row of the distance table for each letter, keeps
    /// the rows of the letters shared with the term before, and jumps over every term that begins with
    /// letters that are already too far away.
    fn within_range(
        &self,
        range: std::ops::Range<usize>,
        wanted: &[char],
        slips: usize,
    ) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        let mut path: Vec<char> = Vec::new();
        let mut table = Distances::new(wanted, slips);
        let mut term = range.start;
        while term < range.end {
            let text = self.dictionary().text(term);
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
                term = self.after_prefix(term, prefix.as_bytes()).max(term + 1);
                continue;
            }
            if table.last() <= slips {
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
    slips: usize,
    rows: Vec<u8>,
}

impl<'a> Distances<'a> {
    fn new(wanted: &'a [char], slips: usize) -> Self {
        let far = slips + 1;
        let rows = (0..=wanted.len()).map(|length| length.min(far) as u8).collect();
        Self { wanted, slips, rows }
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
        let far = self.slips as u8 + 1;
        self.rows.resize(start + width, far);
        let (above, row) = self.rows.split_at_mut(start);
        let (twice, above) = above.split_at(start - width);
        let twice = twice.rchunks(width).next();
        row[0] = depth.min(usize::from(far)) as u8;
        let mut least = row[0];
        for at in depth.saturating_sub(self.slips).max(1)..width.min(depth + self.slips + 1) {
            let wish = self.wanted[at - 1];
            let replaced = above[at - 1] + u8::from(wish != letter);
            let mut distance = replaced.min(above[at] + 1).min(row[at - 1] + 1);
            if let Some(twice) = twice
                && at > 1
                && before == Some(wish)
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
    use crate::search::terms::{Mark, TermsWriter};
    use crate::search::text::query_words;
    use crate::store::sections::SectionWriter;

    fn open(text: &str) -> Terms {
        let mut terms = TermsWriter::default();
        terms.add(std::iter::once((Mark::Name, text)));
        let mut writer = SectionWriter::default();
        terms.finish(&[], &mut writer);
        Terms::open(&writer.finish(), 1).unwrap()
    }

    fn guessed<'a>(terms: &'a Terms, word: &str, may_go_on: bool) -> Vec<&'a str> {
        let found = terms.guessed(&query_words(word)[0], may_go_on);
        found.iter().map(|term| terms.dictionary().text(*term as usize)).collect()
    }

    #[test]
    fn a_guess_keeps_the_first_letter_and_stays_within_its_budget() {
        let terms = open("training loan agriculture per nurseries xylophone research");
        assert_eq!(guessed(&terms, "trianing", false), ["training"]);
        assert_eq!(guessed(&terms, "rtaining", false), ["training"]);
        assert_eq!(guessed(&terms, "laon", false), ["loan"]);
        assert_eq!(guessed(&terms, "loam", false), [""; 0], "of four letters only a swap");
        assert_eq!(guessed(&terms, "araining", false), [""; 0], "another first letter");
        assert_eq!(guessed(&terms, "agriculutre", false), ["agriculture"]);
        assert_eq!(guessed(&terms, "xylophne", false), ["xylophone"]);
        assert_eq!(guessed(&terms, "rese4rch", false), [""; 0]);
        assert_eq!(guessed(&terms, "XYLOPHNE", false), [""; 0]);
        for place in ["peru", "Peru", "peruvian", "marzo"] {
            assert_eq!(guessed(&terms, place, true), [""; 0], "{place}");
        }
    }

    #[test]
    fn only_most_of_a_word_stands_for_it() {
        let terms = open("nurseries agricultural");
        assert_eq!(guessed(&terms, "nurser", true), ["nurseries"]);
        assert_eq!(guessed(&terms, "nurser", false), [""; 0]);
        assert_eq!(guessed(&terms, "agric", true), [""; 0]);
    }

    #[test]
    fn slips_are_found_as_a_plain_table_of_distances_finds_them() {
        let terms = open("abcd abdc abxcd abc bcd abcde xyz abcdef acbd badc aaaa dcba abcdabcd abcdabdc");
        for (wanted, slips) in [("abcd", 1), ("abcd", 2), ("abdc", 1), ("abcdabcd", 2), ("zzzz", 2)] {
            let letters: Vec<char> = wanted.chars().collect();
            let swapped: String = [letters[1], letters[0]].iter().collect();
            let expected: Vec<u32> = (0..terms.dictionary().len())
                .filter(|term| {
                    let text = terms.dictionary().text(*term);
                    (text.starts_with(letters[0]) || text.starts_with(&swapped))
                        && distance(&letters, &text.chars().collect::<Vec<_>>()) <= slips
                })
                .map(|term| term as u32)
                .collect();
            let mut found: Vec<u32> =
                terms.within(&letters, slips).into_iter().map(|(_, term)| term).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{wanted} {slips}");
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
