//! Patterns of words, one a line, found in texts.
//!
//! ```text
//! ^ ignore|disregard all|any* ... instructions !for
//! ```
//!
//! `a|b` is one of these words, `a|b*` any number of them, `...` up to three words of any kind. `^` begins a sentence. `!a|b`
//! in front excludes a word before the pattern, at the end a word after it. A pattern lies within one sentence. Behind a line
//! `NAME = a|b`, the name stands for these words.
//! Words are folded: lower case, without accents.

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::text::fold;

/// Most words that `...` stands for.
const GAP_MAX: usize = 3;

type Words = Vec<String>;

enum Slot {
    One(Words),
    Many(Words),
    Gap,
}

#[derive(Default)]
struct Pattern {
    begins: bool,
    not_after: Words,
    slots: Vec<Slot>,
    not_before: Words,
}

/// A list of patterns, which is read when it is first needed.
pub struct Patterns {
    list: Cow<'static, str>,
    read: OnceLock<List>,
}

/// A list that was read.
struct List {
    all: Vec<Pattern>,
    /// Patterns by a word that they may begin with.
    by_first: FxHashMap<String, Vec<usize>>,
}

/// A word of a text, folded, and where it is.
struct Word<'t> {
    text: Cow<'t, str>,
    start: usize,
    end: usize,
    begins: bool,
}

impl From<String> for Patterns {
    fn from(list: String) -> Self {
        Self { list: Cow::Owned(list), read: OnceLock::new() }
    }
}

impl Patterns {
    /// A list; empty lines and those that begin with `#` are ignored.
    pub const fn new(list: &'static str) -> Self {
        Self { list: Cow::Borrowed(list), read: OnceLock::new() }
    }

    /// The first part of a text that a pattern describes.
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.read.get_or_init(|| List::new(&self.list)).find(text)
    }
}

impl List {
    fn new(list: &str) -> Self {
        let lines = list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut patterns = Self { all: Vec::new(), by_first: FxHashMap::default() };
        let mut named: Vec<(&str, &str)> = Vec::new();
        for line in lines {
            if let Some(words) = line.split_once(" = ") {
                named.push(words);
                continue;
            }
            let line = named.iter().fold(line.to_owned(), |line, (name, words)| line.replace(name, words));
            let (pattern, number) = (Pattern::new(&line), patterns.all.len());
            for slot in &pattern.slots {
                let (Slot::One(words) | Slot::Many(words)) = slot else { break };
                words.iter().for_each(|word| patterns.by_first.entry(word.clone()).or_default().push(number));
                if matches!(slot, Slot::One(_)) {
                    break;
                }
            }
            patterns.all.push(pattern);
        }
        patterns
    }

    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        // A letter of ASCII is as long in lower case.
        let lower = text.to_ascii_lowercase();
        if !lower.split(|c: char| !is_of_word(c)).any(|word| self.by_first.contains_key(&*folded(word))) {
            return None;
        }
        let words = words(&lower);
        let found = |at: usize| {
            let mut candidates = self.by_first.get(&*words[at].text)?.iter();
            candidates.find_map(|pattern| self.all[*pattern].matched(&words, at))
        };
        let (from, to) = (0..words.len()).find_map(|at| Some((at, found(at)?)))?;
        text.get(words[from].start..words[to - 1].end)
    }
}

impl Pattern {
    fn new(line: &str) -> Self {
        let mut pattern = Self::default();
        for token in line.split_whitespace() {
            let listed = |token: &str| token.split('|').map(str::to_owned).collect::<Words>();
            match (token.strip_prefix('!'), token.strip_suffix('*')) {
                _ if token == "^" => pattern.begins = true,
                _ if token == "..." => pattern.slots.push(Slot::Gap),
                (Some(words), _) if pattern.slots.is_empty() => pattern.not_after = listed(words),
                (Some(words), _) => pattern.not_before = listed(words),
                (None, Some(words)) => pattern.slots.push(Slot::Many(listed(words))),
                (None, None) => pattern.slots.push(Slot::One(listed(token))),
            }
        }
        pattern
    }

    /// The end of the pattern in a text, where it begins at a word.
    fn matched(&self, words: &[Word<'_>], at: usize) -> Option<usize> {
        let is_in = |list: &Words, word: &Word<'_>| is_listed(list, &word.text);
        let before = at.checked_sub(1).filter(|_| !words[at].begins).map(|before| &words[before]);
        if self.begins && !words[at].begins || before.is_some_and(|word| is_in(&self.not_after, word)) {
            return None;
        }
        let length = 1 + words[at + 1..].iter().take_while(|word| !word.begins).count();
        let sentence = &words[at..at + length];
        let end = end_of(&self.slots, sentence, 0)?;
        let excluded = sentence.get(end).is_some_and(|word| is_in(&self.not_before, word));
        (!excluded).then_some(at + end)
    }
}

/// Where the slots end in a sentence, from a word on.
fn end_of(slots: &[Slot], sentence: &[Word<'_>], at: usize) -> Option<usize> {
    let Some((slot, rest)) = slots.split_first() else { return Some(at) };
    let has = |words: &Words| sentence.get(at).is_some_and(|word| is_listed(words, &word.text));
    match slot {
        Slot::One(words) => has(words).then(|| end_of(rest, sentence, at + 1)).flatten(),
        Slot::Many(words) => {
            let more = has(words).then(|| end_of(slots, sentence, at + 1)).flatten();
            more.or_else(|| end_of(rest, sentence, at))
        }
        Slot::Gap => (at..=at + GAP_MAX)
            .take_while(|at| *at <= sentence.len())
            .find_map(|at| end_of(rest, sentence, at)),
    }
}

fn is_listed(list: &Words, word: &str) -> bool {
    list.iter().any(|listed| listed == word)
}

/// A word in lower case without accents; most have none.
fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() { word.into() } else { fold(word).replace('\u{2019}', "'").into() }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '\'' || c == '\u{2019}'
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut words, mut from, mut begins) = (Vec::with_capacity(text.len() / 6), None, true);
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        let is_word = is_of_word(c);
        match from {
            None if is_word => from = Some(at),
            Some(start) if !is_word => {
                words.push(Word { text: folded(&text[start..at]), start, end: at, begins });
                (from, begins) = (None, false);
            }
            _ => {}
        }
        begins |= matches!(c, '.' | '!' | '?' | ';' | ':' | '\n' | '(' | '\u{bf}' | '\u{a1}');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_found_within_one_sentence() {
        let patterns =
            Patterns::new("# comment\n\n!are no any|the* cats|dogs !food\n^ say ... meow\nanos ya\n");
        for (text, found) in [
            ("We take NO any the Cats here.", Some("NO any the Cats")),
            ("There are no cats. No dogs!", Some("No dogs")),
            ("no dogs food", None),
            ("no. dogs", None),
            ("Say it loud: meow", None),
            ("Well. Say it very loud meow", Some("Say it very loud meow")),
            ("Please say meow", None),
            ("say a b c d meow", None),
            ("2 Años ya", Some("Años ya")),
            ("", None),
        ] {
            assert_eq!(patterns.find(text), found, "{text}");
        }
    }
}
