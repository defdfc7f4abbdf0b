//! 30,000 made-up English-like and Spanish-like words with a Zipf distribution, and text made of them.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::rng::{Rng, Zipf};

/// How many different words there are.
pub const TERMS: usize = 30_000;

const ENGLISH_FUNCTION_WORDS: &str = "the of and to in for a is with on by that are as or this be from at \
    an will must may all which their its not have who can any other such these more than has into you we \
    your each under one only if also our it they both out up should where was no been between during most \
    but some how after do about through when so many before per what upon there within while against same";
const SPANISH_FUNCTION_WORDS: &str = "de la que el en y los del se las por un para con una su al lo como más \
    o pero sus le ya este sí porque esta entre cuando muy sin sobre también hasta hay donde quien desde \
    todo nos durante todos uno les ni contra otros ese eso ante ellos e esto antes algunos qué unos otro \
    otras otra él tanto esa estos mucho quienes nada muchos cual poco ella estar estas";

/// What nearly every record of a directory talks about: as frequent as function words, yet searched for.
const ENGLISH_DOMAIN_WORDS: &str = "program research grant support students project funding community \
    projects education applicants development health grants training science university awards \
    application international public scholarship fellowship young studies eligible deadline women \
    technology arts services climate innovation rural doctoral funds travel water energy artists \
    scholarships fellowships schools researchers teaching learning network regional";
const SPANISH_DOMAIN_WORDS: &str = "beca investigación becas proyectos estudiantes convocatoria apoyo \
    desarrollo educación salud formación universidad ayudas programa ciencia jóvenes cultura solicitud \
    innovación mujeres subvenciones artistas doctorado año";
/// The first words of English text are function words only; from here on every second is a domain word.
const FIRST_DOMAIN_RANK: usize = 6;

const ENGLISH_ONSETS: &str =
    "b br c ch cl d dr f fl g gr h j k l m n p pl pr r s sc sh sl sp st str t th tr v w";
const ENGLISH_VOWELS: &str = "a a a e e e i i o o u ai ea oo ou";
const ENGLISH_CODAS: [&str; 14] = ["n", "n", "r", "r", "l", "l", "t", "t", "m", "nd", "st", "rt", "nk", "p"];
const ENGLISH_ENDINGS: [&str; 8] = ["", "s", "ing", "ed", "er", "ation", "ment", "ly"];

const SPANISH_ONSETS: &str = "b c d f g l m n p r s t v tr pr br cr ll ch ñ j";
const SPANISH_VOWELS: &str = "a a e e i o o u ia ie ue á é ó";
const SPANISH_CODAS: [&str; 8] = ["", "", "", "", "", "n", "r", "s"];
const SPANISH_ENDINGS: [&str; 9] = ["o", "os", "a", "as", "ar", "ado", "ación", "aciones", "ía"];

/// The two languages of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Words of the whole vocabulary, English function words at its head.
    English,
    /// The Spanish-like words only, Spanish function words at their head.
    Spanish,
}

/// The vocabulary, the same for every seed.
pub struct Words {
    terms: Vec<Term>,
    spanish: Vec<u32>,
    all_ranks: Zipf,
    spanish_ranks: Zipf,
}

struct Term {
    text: String,
    language: Language,
    is_function_word: bool,
}

impl Words {
    /// Makes the vocabulary.
    #[expect(clippy::new_without_default, reason = "making 30,000 words is work, not a default")]
    pub fn new() -> Self {
        let mut terms = english_head();
        let spanish_functions = split(SPANISH_FUNCTION_WORDS, Language::Spanish, true);
        terms.extend(split(SPANISH_DOMAIN_WORDS, Language::Spanish, false));
        let mut taken: HashSet<String> =
            terms.iter().chain(&spanish_functions).map(|term| term.text.clone()).collect();
        terms.extend(made_up(TERMS - taken.len(), &mut taken));
        // Rare words of an English text, but the head of a Spanish one.
        let spanish_tail = terms.len();
        terms.extend(spanish_functions);

        let is_spanish = |rank: &usize| terms[*rank].language == Language::Spanish;
        let ranks = (spanish_tail..terms.len()).chain((0..spanish_tail).filter(is_spanish));
        let spanish: Vec<u32> = ranks.map(|rank| rank as u32).collect();
        Self { all_ranks: Zipf::new(terms.len()), spanish_ranks: Zipf::new(spanish.len()), terms, spanish }
    }

    /// Whether this is a word of the vocabulary.
    pub fn contains(&self, word: &str) -> bool {
        self.terms.iter().any(|term| term.text == word)
    }

    /// A word as running text has it.
    pub fn draw(&self, rng: &mut Rng, language: Language) -> &str {
        let rank = match language {
            Language::English => self.all_ranks.draw(rng),
            Language::Spanish => self.spanish[self.spanish_ranks.draw(rng)] as usize,
        };
        &self.terms[rank].text
    }

    /// A word that means something, one of the `common` most frequent of English text (at least 100).
    pub fn draw_content(&self, rng: &mut Rng, common: usize) -> &str {
        loop {
            let rank = self.all_ranks.draw(rng);
            let term = &self.terms[rank];
            if rank < common.max(100) && !term.is_function_word {
                return &term.text;
            }
        }
    }

    /// A title of so many words, capitalised except for short words inside.
    pub fn title(&self, rng: &mut Rng, language: Language, words: RangeInclusive<i32>) -> String {
        let mut title = String::new();
        for position in 0..rng.between(*words.start(), *words.end()) {
            let word = self.draw(rng, language);
            if position > 0 {
                title.push(' ');
            }
            push_word(&mut title, word, position == 0 || word.len() > 3);
        }
        title
    }

    /// Sentences of so many words altogether; long texts fall into paragraphs.
    pub fn text(&self, rng: &mut Rng, language: Language, words: RangeInclusive<i32>) -> String {
        let total = rng.between(*words.start(), *words.end());
        let mut text = String::with_capacity(total as usize * 7);
        let mut sentence_left = 0;
        for _ in 0..total {
            let starts = sentence_left == 0;
            if starts && !text.is_empty() {
                text.push_str(if rng.percent(20) { ".\n\n" } else { ". " });
            } else if !starts {
                text.push_str(if rng.percent(6) { ", " } else { " " });
            }
            if starts {
                sentence_left = rng.between(7, 18);
            }
            sentence_left -= 1;
            push_word(&mut text, self.draw(rng, language), starts);
        }
        text.push('.');
        text
    }

    /// A person's name: two or three capitalised content words.
    pub fn person(&self, rng: &mut Rng) -> String {
        let mut name = String::new();
        for position in 0..rng.between(2, 3) {
            if position > 0 {
                name.push(' ');
            }
            push_word(&mut name, self.draw_content(rng, TERMS), true);
        }
        name
    }
}

fn push_word(text: &mut String, word: &str, capital: bool) {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if capital => {
            text.extend(first.to_uppercase());
            text.push_str(letters.as_str());
        }
        _ => text.push_str(word),
    }
}

/// English function words with the domain words among them.
fn english_head() -> Vec<Term> {
    let mut functions = split(ENGLISH_FUNCTION_WORDS, Language::English, true).into_iter();
    let mut domain = split(ENGLISH_DOMAIN_WORDS, Language::English, false).into_iter();
    let mut head: Vec<Term> = functions.by_ref().take(FIRST_DOMAIN_RANK).collect();
    while functions.len() + domain.len() > 0 {
        head.extend(domain.next().into_iter().chain(functions.next()));
    }
    head
}

fn split(words: &str, language: Language, is_function_word: bool) -> Vec<Term> {
    words.split_whitespace().map(|word| Term { text: word.to_owned(), language, is_function_word }).collect()
}

/// Word families (a stem and some of its endings) in order of frequency; derived forms are rarer than
/// their family's first form. Two families of three are English.
fn made_up(count: usize, taken: &mut HashSet<String>) -> Vec<Term> {
    let mut rng = Rng::new(&[TERMS as u64]);
    let mut weighed: Vec<(usize, String, Language)> = Vec::new();
    let mut family = 0;
    while weighed.len() < count {
        family += 1;
        let language = if family % 3 == 0 { Language::Spanish } else { Language::English };
        let syllables = 2 + rng.below(1 + usize::from(family > 500) + usize::from(family > 6_000));
        let (stem, endings) = match language {
            Language::English => (english_stem(&mut rng, syllables), &ENGLISH_ENDINGS[..]),
            Language::Spanish => (spanish_stem(&mut rng, syllables), &SPANISH_ENDINGS[..]),
        };
        for ending in &endings[..=rng.below(endings.len())] {
            let rarity = if *ending == endings[0] { 8 } else { 12 + rng.below(80) };
            let word = format!("{stem}{ending}");
            if taken.insert(word.clone()) {
                weighed.push((family * rarity, word, language));
            }
        }
    }
    weighed.truncate(count);
    weighed.sort_by_key(|(weight, _, _)| *weight);
    weighed.into_iter().map(|(_, text, language)| Term { text, language, is_function_word: false }).collect()
}

fn english_stem(rng: &mut Rng, syllables: usize) -> String {
    let mut stem = String::new();
    for _ in 0..syllables {
        stem.push_str(rng.word(ENGLISH_ONSETS));
        stem.push_str(rng.word(ENGLISH_VOWELS));
    }
    stem.push_str(rng.pick(&ENGLISH_CODAS));
    stem
}

fn spanish_stem(rng: &mut Rng, syllables: usize) -> String {
    let mut stem = String::new();
    for _ in 1..syllables {
        stem.push_str(rng.word(SPANISH_ONSETS));
        stem.push_str(rng.word(SPANISH_VOWELS));
        stem.push_str(rng.pick(&SPANISH_CODAS));
    }
    stem.push_str(rng.word(SPANISH_ONSETS));
    stem
}

/// Lower-case ASCII letters, digits and single hyphens; accents of the vocabulary are dropped.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            'á' => slug.push('a'),
            'é' => slug.push('e'),
            'í' => slug.push('i'),
            'ó' => slug.push('o'),
            'ú' => slug.push('u'),
            'ñ' => slug.push('n'),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}
