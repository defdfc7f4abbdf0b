//! Found words in escaped text: what of a question stands where. A word is one that the index would have
//! found for the question: folded alike, of one stem, a synonym, or what a slip was read as.

use crate::escaped;
use snapshot::query::Query;
use snapshot::search::{Index, RankedPage, TextQuery, stop_words};
use snapshot::text::{TOKEN_MAX, fold, tokens};

/// Letters of a signature, each of six bits.
const LETTERS: usize = 20;
/// The first of the letters that stand for six bits; none of the 64 has a meaning in HTML.
const ZERO: u8 = b'?';
/// Letters that tell how many bytes the passage behind a signature has.
const LENGTH: usize = 2;
/// Bytes of a word that its bit in a signature follows from: words of one stem mostly share them.
const STEM: usize = 4;

/// The bit of a word in a signature.
fn place(word: &str) -> usize {
    let stem = word.bytes().take(STEM);
    let hash = stem
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) as usize % (LETTERS * 6)
}

/// How many bytes the passage behind a signature has.
fn length(head: &[u8]) -> usize {
    let letter =
        |at: usize| head.get(LETTERS + at).map_or(0, |letter| usize::from(letter.wrapping_sub(ZERO)));
    letter(0) << 6 | letter(1)
}

/// A word of the question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    /// Folded.
    text: String,
    /// The bit of what it stands for.
    bit: u64,
    /// Its place in signatures.
    place: usize,
}

/// Words on their way: those that are added together stand for one thing.
struct Gathered<'a> {
    words: Vec<(&'a str, u64)>,
    bit: u64,
}

impl<'a> Gathered<'a> {
    fn add(&mut self, words: impl Iterator<Item = &'a str>) {
        let before = self.words.len();
        let bit = self.bit;
        self.words.extend(words.map(|word| (word, bit)));
        // Of very many words the last ones are told apart no more.
        if self.words.len() > before && bit < 1 << 63 {
            self.bit <<= 1;
        }
    }
}

/// The words of a question, in all their forms.
pub(super) struct Found {
    /// Sorted.
    words: Vec<Message>,
    /// What they stand for, each place of signatures once.
    places: Vec<(usize, u64)>,
    /// All bits.
    all: u64,
    /// Whether a word begins with a byte, small or capital.
    first: [bool; 256],
    /// A bit for each length that a word has.
    lengths: u64,
}

impl Found {
    /// The words that an answer was found by; `None` where no word has to be there. `left` is the question
    /// without the words that were taken for filters.
    pub(super) fn new(index: &Index, left: &Query, plain: &[String], ranked: &RankedPage) -> Option<Self> {
        let wanted = TextQuery::parse(left.text.as_deref()?, plain);
        let mut gathered = Gathered { words: Vec::new(), bit: 1 };
        let clauses = wanted.clauses(index);
        for clause in &clauses {
            gathered.add(clause.forms.iter().map(|(term, _)| index.terms.text(*term)));
            let tells = |word: &&str| !stop_words(&[*word]).contains(&true);
            for terms in clause.alternatives.iter().flatten() {
                gathered.add(terms.iter().map(|term| index.terms.text(*term)).filter(tells));
            }
        }
        for phrase in &wanted.phrases {
            let phrase: Vec<&str> = phrase.iter().map(String::as_str).collect();
            let told = phrase.iter().zip(stop_words(&phrase)).filter(|(_, stop)| !stop);
            told.for_each(|(word, _)| gathered.add([*word].into_iter()));
        }
        for guess in &ranked.guesses {
            gathered.add(guess.read_as.iter().map(String::as_str));
        }
        let words = gathered.words;
        (!words.is_empty()).then(|| Self::of(&words))
    }

    fn of(words: &[(&str, u64)]) -> Self {
        let word =
            |(text, bit): &(&str, u64)| Message { text: (*text).to_owned(), bit: *bit, place: place(text) };
        let mut words: Vec<Message> = words.iter().map(word).collect();
        words.sort_unstable();
        words.dedup_by(|a, b| a.text == b.text);
        let mut first = [false; 256];
        for byte in words.iter().filter_map(|word| word.text.bytes().next()) {
            first[usize::from(byte)] = true;
            first[usize::from(byte.to_ascii_uppercase())] = true;
        }
        let mut places: Vec<(usize, u64)> = words.iter().map(|word| (word.place, word.bit)).collect();
        places.sort_unstable();
        places.dedup();
        let lengths = words.iter().fold(0, |lengths, word| lengths | length_bit(word.text.len()));
        Self { all: words.iter().fold(0, |all, word| all | word.bit), words, places, first, lengths }
    }

    /// Writes a text with the words marked; what it has of the question.
    pub(super) fn push(&self, out: &mut Vec<u8>, text: &[u8]) -> u64 {
        let hits = self.hits(text);
        hits.push(out, text);
        hits.bits
    }

    /// What a text has of the question.
    pub(super) fn bits(&self, text: &[u8]) -> u64 {
        self.hits(text).bits
    }

    /// Writes the beginning of a summary, or the passage that adds more of the question to what is `named`.
    pub(super) fn push_passage(&self, out: &mut Vec<u8>, named: u64, [summary, passages]: [&[u8]; 2]) {
        let summed = self.hits(summary);
        let (mut best, mut chosen) = (named | summed.bits, None);
        let mut position = 0;
        let mut rest = passages;
        while best != self.all
            && let Some((head, after)) = rest.split_at_checked(LETTERS + LENGTH)
        {
            let Some((passage, after)) = after.split_at_checked(length(head)) else { break };
            // Only what may say more is read.
            if (named | self.signed(head)).count_ones() > best.count_ones() {
                let hits = self.hits(passage);
                if (named | hits.bits).count_ones() > best.count_ones() {
                    best = named | hits.bits;
                    chosen = Some((position, passage, hits));
                }
            }
            rest = after;
            position += 1;
        }
        let Some((position, passage, hits)) = chosen else { return summed.push(out, summary) };
        out.extend_from_slice(if position > 0 { "\u{2026} ".as_bytes() } else { b"" });
        hits.push(out, passage);
        let is_whole = [".", "!", "?", "\u{2026}"].iter().any(|end| passage.ends_with(end.as_bytes()));
        out.extend_from_slice(if is_whole { b"" } else { " \u{2026}".as_bytes() });
    }

    /// What a passage with a signature may say of the question.
    fn signed(&self, signature: &[u8]) -> u64 {
        let has = |place: usize| {
            signature.get(place / 6).is_some_and(|letter| letter.wrapping_sub(ZERO) >> (place % 6) & 1 == 1)
        };
        self.places.iter().filter(|(place, _)| has(*place)).fold(0, |bits, (_, bit)| bits | bit)
    }

    fn hits(&self, text: &[u8]) -> Hits {
        let mut hits = Hits::default();
        self.each(text, |start, end, bit| {
            hits.bits |= bit;
            hits.at.push((start, end));
        });
        hits
    }

    /// Calls `each` with the place of every word of the question in an escaped text, and its bit.
    fn each(&self, text: &[u8], mut each: impl FnMut(usize, usize, u64)) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match KIND[usize::from(byte)] {
                // A reference is a mark between words.
                Kind::Reference => {
                    at += text[at..].iter().position(|byte| *byte == b';').unwrap_or(0) + 1;
                }
                Kind::Between => at += 1,
                Kind::Letter | Kind::Beyond => {
                    let start = at;
                    let mut beyond = false;
                    while let Some(kind) = text.get(at).map(|byte| KIND[usize::from(*byte)])
                        && kind >= Kind::Letter
                    {
                        beyond |= kind == Kind::Beyond;
                        at += 1;
                    }
                    if beyond || self.first[usize::from(byte)] {
                        at = self.read(text, (start, at), beyond, &mut each);
                    }
                }
            }
        }
    }

    /// Looks a word up, and what it is with those that a mark joins to it; returns where to go on.
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
        for part in word.split_inclusive(|c: char| !c.is_alphanumeric() && !is_accent(c)) {
            let kept = part.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_accent(c));
            // What begins with a plain letter begins with it when it is folded, too.
            let begins =
                kept.bytes().next().is_some_and(|byte| byte >= 0x80 || self.first[usize::from(byte)]);
            if begins && let Some(bit) = self.find([kept.as_bytes()].into_iter()) {
                each(from, from + kept.len(), bit);
            }
            from += part.len();
        }
        end
    }

    /// The bit of a word of the question, given in parts.
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

/// The bit of a length; long ones share the last.
const fn length_bit(length: usize) -> u64 {
    1 << if length < 63 { length } else { 63 }
}

/// Words of a question in a text.
#[derive(Default)]
struct Hits {
    /// What they stand for.
    bits: u64,
    /// Where each begins and ends.
    at: Vec<(usize, usize)>,
}

impl Hits {
    fn push(&self, out: &mut Vec<u8>, text: &[u8]) {
        let mut from = 0;
        for (start, end) in &self.at {
            out.extend_from_slice(&text[from..*start]);
            out.extend_from_slice(b"<mark>");
            out.extend_from_slice(&text[*start..*end]);
            out.extend_from_slice(b"</mark>");
            from = *end;
        }
        out.extend_from_slice(&text[from..]);
    }
}

/// What a byte of an escaped text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Between,
    /// It begins a reference.
    Reference,
    Letter,
    /// It belongs to a character that may be a letter.
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
        } else if byte == b'&' as usize {
            kinds[byte] = Kind::Reference;
        }
        byte += 1;
    }
    kinds
};

const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'-' | b'/' | b'.')
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..'\u{370}').contains(&c)
}

/// Where the words end that single marks join to one that ends at `end`.
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

/// Characters of a passage; the beginning of a summary is as long.
pub const PASSAGE_LENGTH: usize = 220;
/// Fewest characters of a passage before another sentence begins one of its own.
const SHORT: usize = 60;

/// A text as passages, escaped and each behind the signature of its words and its length: a sentence or a few
/// short ones, of about so many characters together.
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
            push_passage(&mut out, passage.trim());
            room = room.saturating_sub(passage.chars().count());
            rest = after.trim_start();
        }
    }
    out
}

/// Writes a passage: which words it may have, a bit for each of them; its length; itself.
fn push_passage(out: &mut String, passage: &str) {
    let mut letters = [0u8; LETTERS];
    tokens(passage, |token, _| {
        let place = place(token);
        letters[place / 6] |= 1 << (place % 6);
    });
    let passage = escaped(passage);
    // So long is no passage: each of its characters is at most six bytes when it is escaped.
    let length = passage.len() & ((1 << 12) - 1);
    let length = [(length >> 6) as u8, length as u8 & 63];
    out.extend(letters.iter().chain(&length).map(|letter| char::from(ZERO + letter)));
    out.push_str(&passage);
}

/// Where the first passage of a line ends.
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

    fn found(words: &[&str]) -> Found {
        let words: Vec<(&str, u64)> = words.iter().zip(0..).map(|(word, bit)| (*word, 1 << bit)).collect();
        Found::of(&words)
    }

    fn told(text: &str, most: usize) -> Vec<String> {
        let (passages, mut told) = (passages(text, most), Vec::new());
        let mut rest = passages.as_str();
        while !rest.is_empty() {
            let (head, after) = rest.split_at(LETTERS + LENGTH);
            let (passage, after) = after.split_at(length(head.as_bytes()));
            told.push(passage.to_owned());
            rest = after;
        }
        told
    }

    fn marked(words: &[&str], text: &str) -> String {
        let mut out = Vec::new();
        found(words).push(&mut out, text.as_bytes());
        String::from_utf8(out).unwrap().replace("<mark>", "[").replace("</mark>", "]")
    }

    fn chosen(words: &[&str], [name, summary, text]: [&str; 3]) -> String {
        let (mut out, found) = (Vec::new(), found(words));
        let passages = passages(text, 1000);
        let named = found.bits(name.as_bytes());
        found.push_passage(&mut out, named, [summary, &passages].map(str::as_bytes));
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
        let text = format!("{first} Second. Third.\n\nLine");
        assert_eq!(told(&text, 500), [first, "Second. Third.", "Line"]);
        let long = "\u{65e5}&".repeat(200) + &" word".repeat(100);
        let whole: String = told(&long, 5000).concat();
        assert_eq!(whole.matches("word").count(), 100);
        let long = "word ".repeat(100);
        assert!(told(&long, 5000).iter().all(|line| line.chars().count() <= PASSAGE_LENGTH));
        assert_eq!(told("One two.\nThree", 3), ["One two."]);
        assert_eq!(told("- R&D\n\u{2022} two", 100), ["R&amp;D", "two"]);
    }

    #[test]
    fn a_passage_is_never_passed_over_for_its_signature() {
        let text = "Ñandúes, non-profit bodies and R&D in the U.S. of <10,000>";
        let passage = passages(text, 500);
        for word in ["nandues", "nonprofit", "profit", "bodies", "rd", "us", "10000"] {
            assert_eq!(found(&[word]).signed(&passage.as_bytes()[..LETTERS]), 1, "{word}");
        }
    }
}
