//! Highlights the words of a query in the texts of a view. A word matches as it does in the index: folded, by stem, as a
//! synonym, or as the correction of a misspelt word.

use serde::Serialize;
use snapshot::search::{Index, RankedPage, TextQuery, stop_words};
use snapshot::text::{TOKEN_MAX, fold};
use snapshot::truncate::at_word;

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

/// A word of the query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct QueryWord {
    /// Folded.
    text: String,
    /// The bit of its group.
    bit: u64,
}

/// Collects words in groups of equivalent forms.
struct WordGroups<'a> {
    words: Vec<(&'a str, u64)>,
    bit: u64,
}

impl<'a> WordGroups<'a> {
    /// Adds a group.
    fn add(&mut self, words: impl Iterator<Item = &'a str>) {
        let before = self.words.len();
        let bit = self.bit;
        self.words.extend(words.map(|word| (word, bit)));
        // Groups from the 64th on share the last bit.
        if self.words.len() > before && bit < 1 << 63 {
            self.bit <<= 1;
        }
    }
}

/// The words of a query in all their forms, ready to be found in texts.
pub(crate) struct Highlighter {
    /// Sorted.
    words: Vec<QueryWord>,
    /// All bits.
    all: u64,
    /// Whether a word begins with a byte, in lower or upper case.
    first: [bool; 256],
    /// For the last five bits of a byte, those of the byte after it, as bits, where the two may begin a word.
    pairs: [u32; 32],
    /// A bit for each length of a word.
    lengths: u64,
}

impl Highlighter {
    /// The words that matched in an answer; `None` if the query requires no word.
    pub(crate) fn new(index: &Index, plain: &[String], ranked: &RankedPage) -> Option<Self> {
        let wanted = TextQuery::ranked(ranked.text.as_deref()?, plain);
        let mut groups = WordGroups { words: Vec::new(), bit: 1 };
        let clauses = wanted.clauses(index);
        for clause in &clauses {
            groups.add(clause.forms.iter().map(|(term, _)| index.terms.text(*term)));
            let is_content_word = |word: &&str| !stop_words(&[*word]).contains(&true);
            for terms in clause.alternatives.iter().flatten() {
                groups.add(terms.iter().map(|term| index.terms.text(*term)).filter(is_content_word));
            }
        }
        for phrase in &wanted.phrases {
            let phrase: Vec<&str> = phrase.iter().map(String::as_str).collect();
            let content_words = phrase.iter().zip(stop_words(&phrase)).filter(|(_, stop)| !stop);
            content_words.for_each(|(word, _)| groups.add([*word].into_iter()));
        }
        for guess in &ranked.guesses {
            groups.add(guess.read_as.iter().map(String::as_str));
        }
        let words = groups.words;
        (!words.is_empty()).then(|| Self::of(&words))
    }

    fn of(words: &[(&str, u64)]) -> Self {
        let word = |(text, bit): &(&str, u64)| QueryWord { text: (*text).to_owned(), bit: *bit };
        let mut words: Vec<QueryWord> = words.iter().map(word).collect();
        words.sort_unstable();
        words.dedup_by(|a, b| a.text == b.text);
        let mut first = [false; 256];
        for byte in words.iter().filter_map(|word| word.text.bytes().next()) {
            first[usize::from(byte)] = true;
            first[usize::from(byte.to_ascii_uppercase())] = true;
        }
        let lengths = words.iter().fold(0, |lengths, word| lengths | length_bit(word.text.len()));
        let mut pairs = [0; 32];
        for word in &words {
            let (first, second) = (word.text.as_bytes().first(), word.text.as_bytes().get(1));
            // A word of one letter stands before anything, and each may be joined to the next letter.
            let after = second
                .map_or(u32::MAX, |second| JOINTS.iter().chain([second]).fold(0, |bits, it| bits | bit(*it)));
            first.into_iter().for_each(|first| pairs[five(*first)] |= after);
        }
        let all = words.iter().fold(0, |all, word| all | word.bit);
        Self { words, all, first, pairs, lengths }
    }

    /// A text divided where words begin and end, and the groups that it contains.
    pub(crate) fn pieces(&self, text: &str) -> (Vec<Piece>, u64) {
        let (mut pieces, mut bits, mut from) = (Vec::new(), 0, 0);
        let mut push = |text: &str, is_found| {
            if !text.is_empty() {
                pieces.push(Piece { text: text.to_owned(), is_found });
            }
        };
        self.each(text.as_bytes(), |start, end, bit| {
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
        self.each(text.as_bytes(), |_, _, bit| bits |= bit);
        bits
    }

    /// The beginning of a summary, or the passage, a line each, that contains more groups in addition to those of the
    /// name, `named`.
    pub(crate) fn extract(&self, summary: &str, passages: &str, named: u64) -> Vec<Piece> {
        let (mut best, bits) = self.pieces(summary);
        let mut most = named | bits;
        let could_be_more = (most | self.bits(passages)).count_ones() > most.count_ones();
        for (number, passage) in passages.lines().enumerate().filter(|_| could_be_more) {
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

    /// Calls `each` with start, end and bit of every query word in a text. Most words are passed over because
    /// no query word begins with their first two letters.
    fn each(&self, text: &[u8], mut each: impl FnMut(usize, usize, u64)) {
        let is_word = |at: usize| text.get(at).is_some_and(|byte| KIND[usize::from(*byte)] >= Kind::Letter);
        let mut at = 0;
        while let Some(next) = self.next(text, at) {
            at = next;
            let mut start = at;
            match KIND[usize::from(text[at])] {
                // A word may begin before its first character beyond ASCII.
                Kind::Beyond => {
                    while start > 0 && is_word(start - 1) {
                        start -= 1;
                    }
                }
                Kind::Letter if !(at > 0 && is_word(at - 1)) => {}
                _ => {
                    at += 1;
                    continue;
                }
            }
            let length = text[at..].iter().position(|byte| KIND[usize::from(*byte)] < Kind::Letter);
            let end = length.map_or(text.len(), |length| at + length);
            at = self.read(text, (start, end), !text[start..end].is_ascii(), &mut each);
        }
    }

    /// The next position from `at` on where a query word or a character beyond ASCII may begin.
    fn next(&self, text: &[u8], at: usize) -> Option<usize> {
        let may_begin = |a: u8, b: u8| a >= 0x80 || self.pairs[five(a)] & bit(b) != 0;
        let rest = &text[at.min(text.len())..];
        let next = rest.array_windows().position(|[a, b]| may_begin(*a, *b));
        let last = || rest.last().filter(|last| may_begin(**last, b' ')).map(|_| rest.len() - 1);
        next.or_else(last).map(|next| at + next)
    }

    /// Looks up a word, first together with those that a hyphen, slash or period joins to it. Returns the position
    /// after it.
    fn read(
        &self,
        text: &[u8],
        (start, end): (usize, usize),
        beyond: bool,
        each: &mut impl FnMut(usize, usize, u64),
    ) -> usize {
        let joined = joined_end(text, end);
        if joined > end
            && let Some(bit) = self.find(text[start..joined].split(|byte| is_joint(*byte)))
        {
            each(start, joined, bit);
            return joined;
        }
        if !beyond {
            if self.lengths & length_bit(end - start) != 0
                && let Some(bit) = self.find([&text[start..end]].into_iter())
            {
                each(start, end, bit);
            }
            return end;
        }
        let word = std::str::from_utf8(&text[start..end]).unwrap_or_default();
        let mut from = start;
        for part in word.split_inclusive(separates) {
            let kept = part.trim_end_matches(separates);
            // Folding keeps an ASCII letter at the beginning.
            let begins =
                kept.bytes().next().is_some_and(|byte| byte >= 0x80 || self.first[usize::from(byte)]);
            if begins && let Some(bit) = self.find([kept.as_bytes()].into_iter()) {
                each(from, from + kept.len(), bit);
            }
            from += part.len();
        }
        end
    }

    /// The bit of a query word, given in parts.
    fn find<'t>(&self, parts: impl Iterator<Item = &'t [u8]>) -> Option<u64> {
        let (mut folded, mut length) = ([0u8; TOKEN_MAX], 0);
        for part in parts {
            if part.is_ascii() {
                let room = folded.get_mut(length..length + part.len())?;
                room.iter_mut().zip(part).for_each(|(to, byte)| *to = byte.to_ascii_lowercase());
                length += part.len();
            } else {
                let part = fold(std::str::from_utf8(part).ok()?);
                folded.get_mut(length..length + part.len())?.copy_from_slice(part.as_bytes());
                length += part.len();
            }
        }
        let folded = folded.get(..length)?;
        let position = self.words.binary_search_by(|word| word.text.as_bytes().cmp(folded)).ok()?;
        self.words.get(position).map(|word| word.bit)
    }
}

/// The bit of a length; lengths from 63 on share the last.
const fn length_bit(length: usize) -> u64 {
    1 << if length < 63 { length } else { 63 }
}

/// Class of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Between,
    Letter,
    /// Part of a non-ASCII character, which may be a letter.
    Beyond,
}

const KIND: [Kind; 256] = {
    let mut kinds = [Kind::Between; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte >= 0x80 {
            kinds[byte] = Kind::Beyond;
        } else if (byte as u8).is_ascii_alphanumeric() {
            kinds[byte] = Kind::Letter;
        }
        byte += 1;
    }
    kinds
};

/// What joins words.
const JOINTS: [u8; 3] = [b'-', b'/', b'.'];

fn is_joint(byte: u8) -> bool {
    JOINTS.contains(&byte)
}

/// The last five bits of a byte: letters have the same in either case.
fn five(byte: u8) -> usize {
    usize::from(byte & 31)
}

/// The bit of a byte's last five bits.
const fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

/// Whether a character is no part of a word. General punctuation is looked at first.
fn separates(c: char) -> bool {
    matches!(c, '\u{2000}'..='\u{206f}') || !c.is_alphanumeric() && !is_accent(c)
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..'\u{370}').contains(&c)
}

/// The end of the words that are joined by a single hyphen, slash or period to the word before `end`.
fn joined_end(text: &[u8], end: usize) -> usize {
    let is_part = |at: usize| text.get(at).is_some_and(|byte| KIND[usize::from(*byte)] >= Kind::Letter);
    let mut end = end;
    while text.get(end).is_some_and(|byte| is_joint(*byte)) && is_part(end + 1) {
        end += 1;
        while is_part(end) {
            end += 1;
        }
    }
    end
}

/// Maximum length of a passage and of the beginning of a summary, in characters.
const PASSAGE_LENGTH: usize = 220;
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

/// The beginning of a summary that a row shows.
pub(crate) fn beginning(summary: &str) -> std::borrow::Cow<'_, str> {
    at_word(summary, PASSAGE_LENGTH)
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
        let words: Vec<(&str, u64)> = words.iter().zip(0..).map(|(word, bit)| (*word, 1 << bit)).collect();
        Highlighter::of(&words)
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
        assert_eq!(
            chosen(&["soil", "water"], texts),
            "… It pays for soil and [water].".replace("soil", "[soil]")
        );
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
