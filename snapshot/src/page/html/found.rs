//! Found words in escaped text: what of a question stands where. A word is one that the index would have
//! found for the question: folded alike, of one stem, a synonym, or what a slip was read as.

use crate::query::Query;
use crate::search::Index;
use crate::search::lexicon;
use crate::search::matching::Wanted;
use crate::search::rank::Ranked;
use crate::search::text::{TOKEN_MAX, fold};

/// The words of a question, in all their forms.
pub(super) struct Found {
    /// Folded, sorted; with the bit of what each stands for.
    words: Vec<(String, u64)>,
    /// Whether a word begins with a byte, small or capital.
    first: [bool; 256],
}

impl Found {
    /// The words that an answer was found by; `None` where no word has to be there. `left` is the question
    /// without the words that were taken for filters.
    pub(super) fn new(index: &Index, left: &Query, plain: &[String], ranked: &Ranked) -> Option<Self> {
        let mut wanted = Wanted::parse(left.text.as_deref()?);
        wanted.plain = plain.to_vec();
        let mut words: Vec<(String, u64)> = Vec::new();
        let mut bit = 1u64;
        let mut add = |group: &mut dyn Iterator<Item = &str>| {
            let before = words.len();
            words.extend(group.map(|word| (word.to_owned(), bit)));
            // Of very many words the last ones are told apart no more.
            bit = if words.len() > before {
                bit.checked_shl(1).filter(|it| *it > 0).unwrap_or(bit)
            } else {
                bit
            };
        };
        for clause in wanted.clauses(index) {
            let forms = clause.forms.iter().map(|(term, _)| *term);
            add(&mut forms.map(|term| index.terms.text(term)));
            let single = |word: &&str| !lexicon::stops(&[*word]).contains(&true);
            for meaning in clause.meanings().iter().flatten() {
                add(&mut meaning.terms.iter().map(|term| index.terms.text(*term)).filter(single));
            }
        }
        for phrase in &wanted.phrases {
            let phrase: Vec<&str> = phrase.iter().map(String::as_str).collect();
            let told = phrase.iter().zip(lexicon::stops(&phrase)).filter(|(_, stop)| !stop);
            told.for_each(|(word, _)| add(&mut [*word].into_iter()));
        }
        for guess in &ranked.guesses {
            add(&mut guess.read_as.iter().map(String::as_str));
        }
        words.sort_unstable();
        words.dedup_by(|a, b| a.0 == b.0);
        let mut first = [false; 256];
        for byte in words.iter().filter_map(|(word, _)| word.bytes().next()) {
            first[usize::from(byte)] = true;
            first[usize::from(byte.to_ascii_uppercase())] = true;
        }
        (!words.is_empty()).then_some(Self { words, first })
    }

    /// Writes a text with the words marked.
    pub(super) fn push(&self, out: &mut Vec<u8>, text: &[u8]) {
        let mut from = 0;
        self.each(text, |start, end, _| {
            out.extend_from_slice(&text[from..start]);
            out.extend_from_slice(b"<mark>");
            out.extend_from_slice(&text[start..end]);
            out.extend_from_slice(b"</mark>");
            from = end;
        });
        out.extend_from_slice(&text[from..]);
    }

    /// Writes the beginning of a summary, or the passage that adds more of the question to what the name says.
    pub(super) fn push_passage(&self, out: &mut Vec<u8>, [name, summary, passages]: [&[u8]; 3]) {
        let named = self.bits(name);
        let mut best = (named | self.bits(summary), None);
        let all = self.words.iter().fold(0, |all, (_, bit)| all | bit);
        for (position, passage) in passages.split(|byte| *byte == b'\n').enumerate() {
            if best.0 == all {
                break;
            }
            let bits = named | self.bits(passage);
            if bits.count_ones() > best.0.count_ones() {
                best = (bits, Some((position, passage)));
            }
        }
        let Some((position, passage)) = best.1 else { return self.push(out, summary) };
        out.extend_from_slice(if position > 0 { "\u{2026} ".as_bytes() } else { b"" });
        self.push(out, passage);
        let is_whole = [".", "!", "?", "\u{2026}"].iter().any(|end| passage.ends_with(end.as_bytes()));
        out.extend_from_slice(if is_whole { b"" } else { " \u{2026}".as_bytes() });
    }

    fn bits(&self, text: &[u8]) -> u64 {
        let mut bits = 0;
        self.each(text, |_, _, bit| bits |= bit);
        bits
    }

    /// Calls `each` with the place of every word of the question in an escaped text, and its bit.
    fn each(&self, text: &[u8], mut each: impl FnMut(usize, usize, u64)) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == b'&' {
                // A reference is a mark between words.
                at += text[at..].iter().position(|byte| *byte == b';').unwrap_or(0) + 1;
            } else if is_part(byte) {
                let end = word_end(text, at);
                if byte >= 0x80 || self.first[usize::from(byte)] || !text[at..end].is_ascii() {
                    at = self.read(text, at, end, &mut each);
                } else {
                    at = end;
                }
            } else {
                at += 1;
            }
        }
    }

    /// Looks a word up, and what it is with those that a mark joins to it; returns where to go on.
    fn read(&self, text: &[u8], start: usize, end: usize, each: &mut impl FnMut(usize, usize, u64)) -> usize {
        let joined = joined_end(text, end);
        if joined > end
            && let Some(bit) = self.find(text[start..joined].split(|byte| is_joint(*byte)))
        {
            each(start, joined, bit);
            return joined;
        }
        if text[start..end].is_ascii() {
            if let Some(bit) = self.find([&text[start..end]].into_iter()) {
                each(start, end, bit);
            }
            return end;
        }
        let word = std::str::from_utf8(&text[start..end]).unwrap_or_default();
        let mut from = start;
        for part in word.split_inclusive(|c: char| !c.is_alphanumeric() && !is_accent(c)) {
            let kept = part.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_accent(c));
            if let Some(bit) = self.find([kept.as_bytes()].into_iter()) {
                each(from, from + kept.len(), bit);
            }
            from += part.len();
        }
        end
    }

    /// The bit of a word of the question, given in parts.
    fn find<'t>(&self, parts: impl Iterator<Item = &'t [u8]>) -> Option<u64> {
        let mut folded = String::with_capacity(TOKEN_MAX);
        for part in parts {
            let part = std::str::from_utf8(part).ok()?;
            match part.is_ascii() {
                true => folded.extend(part.chars().map(|c| c.to_ascii_lowercase())),
                false => folded.push_str(&fold(part)),
            }
        }
        let position = self.words.binary_search_by(|(word, _)| word.as_str().cmp(&folded)).ok()?;
        self.words.get(position).map(|(_, bit)| *bit)
    }
}

/// Whether a byte belongs to a word, or to a character that may.
const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'-' | b'/' | b'.')
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..'\u{370}').contains(&c)
}

fn word_end(text: &[u8], start: usize) -> usize {
    start + text[start..].iter().take_while(|byte| is_part(**byte)).count()
}

/// Where the words end that single marks join to one that ends at `end`.
fn joined_end(text: &[u8], end: usize) -> usize {
    let mut end = end;
    while text.get(end).is_some_and(|byte| is_joint(*byte))
        && text.get(end + 1).is_some_and(|byte| is_part(*byte))
    {
        end = word_end(text, end + 1);
    }
    end
}

/// Characters of a passage; the beginning of a summary is as long.
pub const PASSAGE: usize = 220;
/// Fewest characters of a passage before another sentence begins one of its own.
const SHORT: usize = 60;

/// A text as passages, one a line: a sentence or a few short ones each, at most so many characters.
#[must_use]
pub fn passages(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut room = most;
    // What makes a line an item of a list says nothing in a row.
    let marks = ['-', '*', '\u{2022}', '\u{2013}', ' '];
    for line in text.lines().map(|line| line.trim_start_matches(marks).trim()).filter(|line| !line.is_empty())
    {
        let mut rest = line;
        while !rest.is_empty() && room > 0 {
            let end = sentence_end(rest);
            let (passage, after) = rest.split_at(end);
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(passage.trim());
            room = room.saturating_sub(passage.chars().count());
            rest = after.trim_start();
        }
    }
    out
}

/// Where the first passage of a line ends.
fn sentence_end(line: &str) -> usize {
    let mut space = None;
    let mut before = ' ';
    for (count, (at, c)) in line.char_indices().enumerate() {
        if count >= PASSAGE {
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

    fn found(words: &[&str]) -> Found {
        let mut all: Vec<(String, u64)> =
            words.iter().enumerate().map(|(bit, word)| ((*word).to_owned(), 1 << bit)).collect();
        all.sort();
        let mut first = [false; 256];
        for (word, _) in &all {
            first[usize::from(word.as_bytes()[0])] = true;
            first[usize::from(word.as_bytes()[0].to_ascii_uppercase())] = true;
        }
        Found { words: all, first }
    }

    fn marked(words: &[&str], text: &str) -> String {
        let mut out = Vec::new();
        found(words).push(&mut out, text.as_bytes());
        String::from_utf8(out).unwrap().replace("<mark>", "[").replace("</mark>", "]")
    }

    fn chosen(words: &[&str], texts: [&str; 3]) -> String {
        let mut out = Vec::new();
        found(words).push_passage(&mut out, texts.map(str::as_bytes));
        String::from_utf8(out).unwrap().replace("<mark>", "[").replace("</mark>", "]")
    }

    #[test]
    fn words_are_marked_whole_however_they_are_written() {
        assert_eq!(marked(&["climate"], "Climate, acclimate climates"), "[Climate], acclimate climates");
        assert_eq!(marked(&["nandu"], "El Ñandú y el ÑANDÚ"), "El [Ñandú] y el [ÑANDÚ]");
        assert_eq!(marked(&["nonprofit"], "A Non-profit body"), "A [Non-profit] body");
        assert_eq!(marked(&["profit"], "A non-profit body"), "A non-[profit] body");
        assert_eq!(marked(&["us"], "“US”—us…"), "“[US]”—[us]…");
    }

    #[test]
    fn references_are_no_words() {
        assert_eq!(marked(&["amp", "lt", "x27", "d"], "R&amp;D &lt;b&#x27;s"), "R&amp;[D] &lt;b&#x27;s");
    }

    #[test]
    fn the_passage_that_adds_most_is_shown_and_the_summary_where_none_adds() {
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
    fn passages_are_sentences_and_never_long() {
        let first = "The first sentence is long enough to stand on its own, so it does.";
        assert_eq!(
            passages(&format!("{first} Second. Third.\n\nLine"), 500),
            format!("{first}\nSecond. Third.\nLine")
        );
        let long = "word ".repeat(100);
        assert!(passages(&long, 5000).lines().all(|line| line.chars().count() <= PASSAGE));
        assert_eq!(passages("One two.\nThree", 3), "One two.");
        assert_eq!(passages("- One\n\u{2022} two", 100), "One\ntwo");
    }
}
