//! Highlights the words of a query in the texts of a view. A word matches as it does in the index: folded, by stem, as a
//! synonym, or as the correction of a misspelt word.

use serde::Serialize;
use snapshot::search::{Index, RankedPage, TextQuery, stop_words};
use snapshot::text::{TOKEN_MAX, fold};

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Piece {
    text: String,
    /// Whether it is a word of the query.
    is_found: bool,
}

impl Piece {
    /// A text in which nothing is found.
    pub(crate) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), is_found: false }
    }
}

/// The words of a query in all their forms, ready to be found in texts.
pub(crate) struct Highlighter {
    /// Folded words, each with the bit of its group; sorted.
    words: Vec<(String, u64)>,
    /// All bits.
    all: u64,
    /// Whether a word begins with a byte, in lower or upper case.
    first: [bool; 256],
}

impl Highlighter {
    /// The words that matched in an answer; `None` if the query requires no word.
    pub(crate) fn new(index: &Index, plain: &[String], ranked: &RankedPage) -> Option<Self> {
        let wanted = TextQuery::ranked(ranked.text.as_deref()?, plain);
        // Groups of equivalent forms.
        let mut groups: Vec<Vec<&str>> = Vec::new();
        let clauses = wanted.clauses(index);
        for clause in &clauses {
            groups.push(clause.forms.iter().map(|(term, _)| index.terms.text(*term)).collect());
            let is_content_word = |word: &&str| !stop_words(&[*word]).contains(&true);
            for terms in &clause.each_word {
                let words = terms.iter().map(|term| index.terms.text(*term));
                groups.push(words.filter(is_content_word).collect());
            }
        }
        for phrase in &wanted.phrases {
            let phrase: Vec<&str> = phrase.iter().map(String::as_str).collect();
            let content_words = phrase.iter().zip(stop_words(&phrase)).filter(|(_, stop)| !stop);
            groups.extend(content_words.map(|(word, _)| vec![*word]));
        }
        groups.extend(ranked.guesses.iter().map(|it| it.read_as.iter().map(String::as_str).collect()));
        groups.retain(|group| !group.is_empty());
        // Groups from the 64th on share the last bit.
        let of_group = |(at, group): (usize, Vec<&str>)| {
            group.into_iter().map(|word| (word.to_owned(), 1 << at.min(63))).collect::<Vec<_>>()
        };
        let words: Vec<(String, u64)> = groups.into_iter().enumerate().flat_map(of_group).collect();
        (!words.is_empty()).then(|| Self::of(words))
    }

    fn of(mut words: Vec<(String, u64)>) -> Self {
        words.sort_unstable();
        words.dedup_by(|a, b| a.0 == b.0);
        let mut first = [false; 256];
        for byte in words.iter().filter_map(|(word, _)| word.bytes().next()) {
            first[usize::from(byte)] = true;
            first[usize::from(byte.to_ascii_uppercase())] = true;
        }
        let all = words.iter().fold(0, |all, (_, bit)| all | bit);
        Self { words, all, first }
    }

    /// A text divided where words begin and end, and the groups that it contains.
    pub(crate) fn pieces(&self, text: &str) -> (Vec<Piece>, u64) {
        let (mut pieces, mut bits, mut from) = (Vec::new(), 0, 0);
        let mut push = |text: &str, is_found| {
            if !text.is_empty() {
                pieces.push(Piece { text: text.to_owned(), is_found });
            }
        };
        self.each(text, |start, end, bit| {
            push(text.get(from..start).unwrap_or_default(), false);
            push(text.get(start..end).unwrap_or_default(), true);
            (bits, from) = (bits | bit, end);
        });
        push(text.get(from..).unwrap_or_default(), false);
        (pieces, bits)
    }

    /// The groups that a text contains.
    fn bits(&self, text: &str) -> u64 {
        let mut bits = 0;
        self.each(text, |_, _, bit| bits |= bit);
        bits
    }

    /// The beginning of a summary, or the passage, a line each, that contains more groups in addition to those of the
    /// name, `named`.
    pub(crate) fn extract(&self, summary: &str, passages: &str, named: u64) -> Vec<Piece> {
        let (mut best, bits) = self.pieces(summary);
        let mut most = named | bits;
        for (number, passage) in passages.lines().enumerate() {
            if most == self.all {
                break;
            }
            let bits = named | self.bits(passage);
            if bits.count_ones() > most.count_ones() {
                most = bits;
                let before = if number > 0 { "\u{2026} " } else { "" };
                let is_whole = passage.ends_with(['.', '!', '?', '\u{2026}']);
                let after = if is_whole { "" } else { " \u{2026}" };
                best = self.pieces(&[before, passage, after].concat()).0;
            }
        }
        best
    }

    /// Calls `each` with start, end and bit of every query word in a text. Words that a hyphen, slash or period joins are
    /// looked up together first.
    fn each(&self, text: &str, mut each: impl FnMut(usize, usize, u64)) {
        let mut rest = 0;
        while let Some(start) = text[rest..].find(is_letter).map(|at| rest + at) {
            let end = word_end(text, start);
            rest = end;
            let first = text.as_bytes()[start];
            if first.is_ascii() && !self.first[usize::from(first)] {
                continue;
            }
            for end in [joined_end(text, start, end), end] {
                if let Some(bit) = self.find(&text[start..end]) {
                    each(start, end, bit);
                    rest = end;
                    break;
                }
            }
        }
    }

    /// The bit of a query word.
    fn find(&self, word: &str) -> Option<u64> {
        let position = if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            // Most words need no copy.
            let lower = || word.bytes().map(|byte| byte.to_ascii_lowercase());
            self.words.binary_search_by(|(word, _)| word.bytes().cmp(lower()))
        } else {
            let folded = fold(word).replace(JOINTS, "");
            self.words.binary_search_by(|(word, _)| word.cmp(&folded))
        };
        self.words.get(position.ok()?).map(|(_, bit)| *bit)
    }
}

/// What joins words.
const JOINTS: [char; 3] = ['-', '/', '.'];

fn is_letter(c: char) -> bool {
    // Accents apart from their letters belong to a word too.
    if c.is_ascii() {
        c.is_ascii_alphanumeric()
    } else {
        c.is_alphanumeric() || matches!(c, '\u{300}'..'\u{370}')
    }
}

fn word_end(text: &str, start: usize) -> usize {
    text[start..].find(|c| !is_letter(c)).map_or(text.len(), |length| start + length)
}

/// The end of the words that are joined by a single hyphen, slash or period to the word from `start` to `end`.
fn joined_end(text: &str, start: usize, mut end: usize) -> usize {
    while end - start < TOKEN_MAX && text[end..].starts_with(JOINTS) && text[end + 1..].starts_with(is_letter)
    {
        end = word_end(text, end + 1);
    }
    end
}

/// Maximum length of a passage and of the beginning of a summary, in characters.
pub(crate) const PASSAGE_LENGTH: usize = 160;
/// Minimum length of a passage in characters; shorter sentences are joined.
const SHORT: usize = 60;

/// Splits a text into passages of one or a few sentences, a line each, at most about `most` characters in total.
pub fn passages(text: &str, most: usize) -> String {
    let mut passages: Vec<&str> = Vec::new();
    let mut room = most;
    // List markers have no meaning in a row.
    let marks = ['-', '*', '\u{2022}', '\u{2013}', ' '];
    for line in text.lines().map(|line| line.trim_start_matches(marks).trim()).filter(|line| !line.is_empty())
    {
        let mut rest = line;
        while !rest.is_empty() && room > 0 {
            let (passage, after) = rest.split_at(sentence_end(rest));
            passages.push(passage.trim());
            room = room.saturating_sub(passage.chars().count());
            rest = after.trim_start();
        }
    }
    passages.join("\n")
}

/// The end of the first passage of a line.
fn sentence_end(line: &str) -> usize {
    let mut space = None;
    let mut before = ' ';
    for (count, (at, c)) in line.char_indices().enumerate() {
        if count >= PASSAGE_LENGTH {
            return space.unwrap_or(at);
        }
        if c.is_whitespace() {
            let next = line[at..].trim_start().chars().next();
            let begins = next.is_none_or(|next| !next.is_lowercase());
            if count >= SHORT && matches!(before, '.' | '!' | '?' | ';') && begins {
                return at;
            }
            space = Some(at);
        }
        before = c;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str]) -> Highlighter {
        Highlighter::of(words.iter().zip(0..).map(|(word, bit)| ((*word).to_owned(), 1 << bit)).collect())
    }

    fn shown(pieces: &[Piece]) -> String {
        pieces.iter().map(|it| if it.is_found { format!("[{}]", it.text) } else { it.text.clone() }).collect()
    }

    fn marked(words: &[&str], text: &str) -> String {
        shown(&found(words).pieces(text).0)
    }

    fn chosen(words: &[&str], [name, summary, text]: [&str; 3]) -> String {
        let found = found(words);
        shown(&found.extract(summary, &passages(text, 1000), found.bits(name)))
    }

    #[test]
    fn whole_words_are_marked_in_any_case_and_with_accents_or_hyphens() {
        assert_eq!(marked(&["climate"], "Climate, acclimate climates"), "[Climate], acclimate climates");
        assert_eq!(marked(&["nandu"], "El Ñandú y el ÑANDÚ"), "El [Ñandú] y el [ÑANDÚ]");
        assert_eq!(marked(&["nonprofit"], "A Non-profit body"), "A [Non-profit] body");
        assert_eq!(marked(&["profit"], "A non-profit body"), "A non-[profit] body");
        assert_eq!(marked(&["us"], "“US”—us…"), "“[US]”—[us]…");
        assert_eq!(marked(&["us"], "bus u.s. U-S usa; 3us us"), "bus [u.s]. [U-S] usa; 3us [us]");
        assert_eq!(marked(&["a", "1"], "a b 1, ab a1 éa — A"), "[a] b [1], ab a1 éa — [A]");
    }

    #[test]
    fn the_passage_with_most_additional_words_is_shown_else_the_summary() {
        let texts = ["Soil prize", "For farmers.", "For farmers.\nIt pays for soil and water.\nWater only"];
        assert_eq!(chosen(&["soil", "water"], texts), "… It pays for [soil] and [water].");
        assert_eq!(chosen(&["soil"], texts), "For farmers.");
        assert_eq!(chosen(&["only"], texts), "… Water [only] …");
        assert_eq!(chosen(&["nothing"], texts), "For farmers.");
    }

    #[test]
    fn passages_are_sentences_of_limited_length() {
        let first = "The first sentence is long enough to stand on its own, so it does.";
        let text = format!("{first} Second. Third.\n\nLine");
        let lines = |text: &str, most| passages(text, most).lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&text, 500), [first, "Second. Third.", "Line"]);
        let long = "\u{65e5}&".repeat(200) + &" word".repeat(100);
        let whole = passages(&long, 5000);
        assert_eq!(whole.matches("word").count(), 100);
        let long = "word ".repeat(100);
        assert!(lines(&long, 5000).iter().all(|line| line.chars().count() <= PASSAGE_LENGTH));
        assert_eq!(lines("One two.\nThree", 3), ["One two."]);
        assert_eq!(lines("- R&D\n\u{2022} two", 100), ["R&D", "two"]);
    }
}
