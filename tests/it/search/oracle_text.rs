//! What the plain search makes of a text: it requires every word in some form, requires what is quoted in a row, and
//! leaves out what is excluded. It knows no small words, synonyms or names: `engine` has words without any.
//!
//! Tokens and stems are the library's: they are definitions, tested by themselves.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::search::language_of_stop_word;
use snapshot::stem::stems;
use snapshot::text::{QueryWord, SamePosition, query_words, tokens};

/// The tokens of a text: for each position what can be read there.
pub(super) type Positions = Vec<Vec<String>>;

pub(super) fn positions(text: &str) -> Positions {
    let mut positions: Positions = Vec::new();
    tokens(text, |token, SamePosition(same)| match positions.last_mut() {
        Some(last) if same => last.push(token.to_owned()),
        _ => positions.push(vec![token.to_owned()]),
    });
    positions
}

/// The words of a text: each position's plain reading.
fn words(text: &str) -> Vec<String> {
    positions(text).into_iter().map(|readings| readings[0].clone()).collect()
}

/// Every token of every text, with its stem in each language that it is used in, and the tokens of each stem.
pub(super) struct Reader {
    stems: BTreeMap<String, [Option<String>; 2]>,
    tokens: [BTreeMap<String, Vec<String>>; 2],
}

/// What a text asks for.
#[derive(Default)]
pub(super) struct Question {
    /// The forms of each word, and its parts if marks join them.
    wanted: Vec<(BTreeSet<String>, Vec<String>)>,
    phrases: Vec<Vec<String>>,
    unwanted_words: Vec<BTreeSet<String>>,
    unwanted_phrases: Vec<Vec<String>>,
}

impl Question {
    /// Whether a record's texts fit the question.
    pub(super) fn fits(&self, texts: &[Positions]) -> bool {
        let phrase = |words: &Vec<String>| texts.iter().any(|text| has_phrase(text, words));
        let is_there = |(forms, parts): &(BTreeSet<String>, Vec<String>)| {
            has_any(texts, forms) || parts.len() > 1 && phrase(parts)
        };
        self.wanted.iter().all(is_there)
            && self.phrases.iter().all(phrase)
            && !self.unwanted_words.iter().any(|forms| has_any(texts, forms))
            && !self.unwanted_phrases.iter().any(phrase)
    }
}

/// Whether one of some tokens stands in some texts.
pub(super) fn has_any(texts: &[Positions], tokens: &BTreeSet<String>) -> bool {
    texts.iter().flatten().flatten().any(|token| tokens.contains(token))
}

fn has_phrase(text: &Positions, words: &[String]) -> bool {
    text.windows(words.len()).any(|window| window.iter().zip(words).all(|(at, word)| at.contains(word)))
}

/// A word, quoted text or exclusion as it was typed: (excluded, quoted, text).
fn parts(text: &str) -> Vec<(bool, bool, String)> {
    let mut parts: Vec<(bool, bool, String)> = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        let excluded = letter == '-';
        let first = if excluded { letters.next() } else { Some(letter) };
        let quoted = first == Some('"');
        let mut part = String::new();
        part.extend(first.filter(|_| !quoted));
        if first.is_none_or(|first| !first.is_whitespace()) {
            let ends = |next: char| if quoted { next == '"' } else { next.is_whitespace() || next == '"' };
            while let Some(next) = letters.next_if(|next| !ends(*next)) {
                part.push(next);
            }
            if quoted {
                letters.next();
            }
        }
        parts.push((excluded, quoted, part));
    }
    parts
}

impl Reader {
    pub(super) fn new<'a>(records: impl Iterator<Item = &'a Vec<Positions>>) -> Self {
        let of_token = |(token, count): (String, [usize; 2])| {
            let is_of = |language: usize| 8 * count[language] >= count[0] + count[1];
            let [english, spanish] = stems(&token).map(|stem| Some(stem.to_string()));
            let stems = [english.filter(|_| is_of(0)), spanish.filter(|_| is_of(1))];
            (token, stems)
        };
        let mut reader = Self { stems: BTreeMap::new(), tokens: Default::default() };
        for (token, stems) in occurrences(records).into_iter().map(of_token) {
            for (tokens, stem) in reader.tokens.iter_mut().zip(&stems) {
                stem.iter().for_each(|stem| tokens.entry(stem.clone()).or_default().push(token.clone()));
            }
            reader.stems.insert(token, stems);
        }
        reader
    }

    /// What a text asks for.
    pub(super) fn read(&self, text: &str) -> Question {
        let mut question = Question::default();
        for (excluded, quoted, text) in parts(text) {
            let words = words(&text);
            match (excluded, quoted, words.len()) {
                (_, _, 0) => {}
                (true, _, 1) => question.unwanted_words.push(self.related(&words[0])),
                (true, _, _) => question.unwanted_phrases.push(words),
                (false, true, _) => question.phrases.push(words),
                (false, false, _) => {
                    let wanted = |QueryWord { text, parts, .. }: QueryWord| (self.related(&text), parts);
                    question.wanted.extend(query_words(&text).into_iter().map(wanted));
                }
            }
        }
        question
    }

    /// The word and what shares a stem with it in either language.
    pub(super) fn related(&self, word: &str) -> BTreeSet<String> {
        let typed = stems(word).map(|stem| Some(stem.to_string()));
        let own = self.stems.get(word).unwrap_or(&typed);
        let shares = |language: usize| self.tokens[language].get(own[language].as_ref()?);
        let itself = self.stems.get_key_value(word).map(|(token, _)| token);
        (0..2).filter_map(shares).flatten().chain(itself).cloned().collect()
    }
}

/// How often each token occurs in texts of each language.
type Occurrences = BTreeMap<String, [usize; 2]>;

/// Counts the tokens of the texts of records.
fn occurrences<'a>(records: impl Iterator<Item = &'a Vec<Positions>>) -> Occurrences {
    let mut counts = Occurrences::new();
    for record in records {
        for (text, spoken) in record.iter().zip(languages(record)) {
            for token in text.iter().flatten() {
                let count = counts.entry(token.clone()).or_default();
                (0..2).filter(|language| spoken[*language]).for_each(|language| count[language] += 1);
            }
        }
    }
    counts
}

/// Which languages each text of a record is in, English and Spanish: that of most small words, else that of the record's
/// other texts.
fn languages(record: &[Positions]) -> Vec<[bool; 2]> {
    let of_text = |text: &Positions| {
        let of =
            |language| text.iter().flatten().filter(|it| language_of_stop_word(it) == Some(language)).count();
        [of(0) > of(1), of(1) > of(0)]
    };
    let mut all: Vec<[bool; 2]> = record.iter().map(of_text).collect();
    let any = [0, 1].map(|language: usize| all.iter().any(|text| text[language]));
    let others = if any[0] == any[1] { [true; 2] } else { any };
    all.iter_mut().filter(|text| **text == [false; 2]).for_each(|text| *text = others);
    all
}
