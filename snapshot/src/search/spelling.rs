//! Guesses: for a word that no record has, the terms that it may be a misspelling of. Words that are known without any
//! record are not guessed. Only ranked searches guess.

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
    /// `left` terms may be looked at.
    pub(super) fn guessed(&self, word: &QueryWord, left: &mut usize) -> Vec<u32> {
        let letters: Vec<char> = word.text.chars().collect();
        if word.capitals || !letters.iter().all(|c| c.is_alphabetic()) || lexicon::is_known_word(&word.text) {
            return Vec::new();
        }
        let mut near = match letters.len() {
            ..4 => Vec::new(),
            4 => self.swapped(&letters),
            ONE_EDIT..TWO_EDITS => self.within(&letters, 1, left),
            _ => self.within(&letters, 2, left),
        };
        let least = near.iter().map(|(distance, _)| *distance).min();
        near.retain(|(distance, _)| Some(*distance) == least);
        near.sort_by_key(|(_, term)| (std::cmp::Reverse(self.docs(*term).len()), *term));
        let mut terms: Vec<u32> = near.into_iter().map(|(_, term)| term).take(CORRECTIONS_MAX).collect();
        terms.sort_unstable();
        terms
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
    /// with the same letter, or with the first two swapped; with their distances. `left` terms may be looked at.
    fn within(&self, wanted: &[char], edits: usize, left: &mut usize) -> Vec<(usize, u32)> {
        let Some([first, second]) = wanted.first_chunk() else { return Vec::new() };
        let (terms, word) = (self.tokens(), wanted.iter().collect::<String>());
        let beginning = |prefix: &String| {
            let start = terms.lower_bound(0..terms.count(), prefix.as_bytes());
            let end = (start..terms.count()).find(|term| !terms.text(*term).starts_with(prefix.as_str()));
            start..end.unwrap_or(terms.count())
        };
        let beginnings = [first.to_string(), format!("{second}{first}")];
        let ranges = beginnings[..if first == second { 1 } else { 2 }].iter().flat_map(beginning);
        let mut found = Vec::new();
        for term in ranges.take(*left) {
            *left -= 1;
            let text = terms.text(term);
            if text.chars().count().abs_diff(wanted.len()) <= edits {
                found.push((strsim::osa_distance(&word, text), term as u32));
            }
        }
        found.retain(|(distance, _)| *distance <= edits);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::terms::Mark;
    use crate::search::terms::write::TermsWriter;
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
        let found = terms.guessed(&query_words(word)[0], &mut 100);
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
}
