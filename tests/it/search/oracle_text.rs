//! What the plain search makes of a text: the rules of words, one after the other, over every token of
//! every record.
//!
//! Tokens, stems, small words, synonyms and the names of things are the library's: they are definitions,
//! tested by themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use snapshot::facet::Facet;
use snapshot::record::Synonym;
use snapshot::search::{
    BUILT_IN, NamedEntity, Reading, is_everyday_word, keys_of, language_of_stop_word, names_of_place,
    negation, reading_of, stop_words,
};
use snapshot::text::{QueryWord, SamePosition, english_stem, query_words, spanish_stem, tokens};

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

/// What some text writes together is read so wherever its two words stand in a row.
pub(super) fn join_compounds<'a>(records: impl Iterator<Item = &'a mut Vec<Positions>>) {
    let mut texts: Vec<&mut Positions> = records.flatten().collect();
    let mut compounds: BTreeSet<(String, String)> = BTreeSet::new();
    for text in &texts {
        for pair in text.windows(2) {
            let whole = format!("{}{}", pair[0][0], pair[1][0]);
            if pair[1][1..].contains(&whole) {
                compounds.insert((pair[0][0].clone(), pair[1][0].clone()));
            }
        }
    }
    for text in &mut texts {
        for at in 1..text.len() {
            let pair = (text[at - 1][0].clone(), text[at][0].clone());
            let whole = format!("{}{}", pair.0, pair.1);
            if compounds.contains(&pair) && !text[at][1..].contains(&whole) {
                text[at].push(whole);
            }
        }
    }
}

/// What is known about words.
pub(super) struct Reader {
    texts: Vec<Positions>,
    /// Every token of every text, with its stem in each language, if it is of it.
    dictionary: BTreeMap<String, [Option<String>; 2]>,
    synonyms: Vec<Vec<Vec<String>>>,
    concepts: BTreeMap<String, NamedEntity>,
}

/// One thing that must be there.
#[derive(Default)]
pub(super) struct Clause {
    /// The words, as they were typed.
    pub(super) typed: Vec<QueryWord>,
    /// One of these: all words of it, one of the tokens for each word.
    alternatives: Vec<Vec<BTreeSet<String>>>,
    /// Or these in a row.
    phrase: Option<Vec<String>>,
    /// Or one of these: one of the tokens for each word, in a row, or, where that suffices, near each other.
    rows: Vec<(Vec<BTreeSet<String>>, bool)>,
    /// Or one of these values.
    pub(super) concept: Option<NamedEntity>,
    /// Or values of each of these, which words joined by "and" name.
    benefits: Vec<[NamedEntity; 2]>,
    /// Tokens with the stem of a synonym that may be other words.
    pub(super) similar: BTreeSet<String>,
    /// The facet that its place is meant for.
    pub(super) role: Option<Facet>,
    /// Whether every other place is meant.
    pub(super) is_outside: bool,
}

/// What a text asks for.
pub(super) struct Understood {
    pub(super) wanted: Vec<Clause>,
    pub(super) phrases: Vec<Vec<String>>,
    unwanted_words: Vec<BTreeSet<String>>,
    unwanted_phrases: Vec<Vec<String>>,
}

impl Clause {
    /// Whether a record's texts, or the values that it names, have it.
    pub(super) fn fits(&self, texts: &[Positions], says: impl Fn(&NamedEntity) -> bool) -> bool {
        self.fits_in_sense(texts, texts, says)
    }

    /// The same; single words count only where they stand in the texts of `sense`.
    pub(super) fn fits_in_sense(
        &self,
        texts: &[Positions],
        sense: &[Positions],
        says: impl Fn(&NamedEntity) -> bool,
    ) -> bool {
        self.is_outside
            || self.alternatives.iter().any(|words| words.iter().all(|tokens| has_any(sense, tokens)))
            || self.rows.iter().any(|(row, near)| texts.iter().any(|text| stand_together(text, row, *near)))
            || self.phrase.as_ref().is_some_and(|words| texts.iter().any(|text| has_phrase(text, words)))
            || self.benefits.iter().any(|both| both.iter().all(&says))
            || self.concept.as_ref().is_some_and(says)
    }

    /// Whether it is one everyday word that names nothing.
    pub(super) fn is_everyday(&self) -> bool {
        self.concept.is_none() && self.typed.len() == 1 && is_everyday_word(&self.typed[0].text)
    }

    /// Whether records with its values are left out.
    pub(super) fn is_negated(&self) -> bool {
        self.is_outside && self.place().is_none()
    }

    /// Code of the place that it names.
    pub(super) fn place(&self) -> Option<&str> {
        self.concept.as_ref()?.place.as_deref()
    }

    /// Has one of some tokens too.
    pub(super) fn guess(&mut self, tokens: BTreeSet<String>) {
        self.alternatives.push(vec![tokens]);
    }
}

impl Understood {
    /// Whether a record's texts, and the values that it names, are what was asked for.
    pub(super) fn fits(&self, texts: &[Positions], says: impl Fn(&NamedEntity) -> bool) -> bool {
        self.wanted.iter().all(|clause| clause.fits(texts, &says)) && self.admits(texts)
    }

    /// Whether a record's texts have the phrases and nothing that is shut out.
    pub(super) fn admits(&self, texts: &[Positions]) -> bool {
        let phrase = |words: &Vec<String>| texts.iter().any(|text| has_phrase(text, words));
        self.phrases.iter().all(phrase)
            && !self.unwanted_words.iter().any(|tokens| has_any(texts, tokens))
            && !self.unwanted_phrases.iter().any(phrase)
    }
}

fn has_any(texts: &[Positions], tokens: &BTreeSet<String>) -> bool {
    texts.iter().flatten().flatten().any(|token| tokens.contains(token))
}

/// Whether tokens stand in a row, or, where that suffices, among so many positions and two more.
pub(super) fn stand_together(text: &Positions, row: &[BTreeSet<String>], near: bool) -> bool {
    let is_one = |at: &Vec<String>, tokens: &BTreeSet<String>| at.iter().any(|token| tokens.contains(token));
    let in_a_row = |window: &[Vec<String>]| window.iter().zip(row).all(|(at, tokens)| is_one(at, tokens));
    let has_all = |start: usize| {
        let window = &text[start..text.len().min(start + row.len() + 2)];
        row.iter().all(|tokens| window.iter().any(|at| is_one(at, tokens)))
    };
    text.windows(row.len()).any(in_a_row) || near && (0..text.len()).any(has_all)
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
    pub(super) fn new<'a>(
        texts: impl Iterator<Item = &'a Positions>,
        counts: &Occurrences,
        synonyms: &[Synonym],
        concepts: BTreeMap<String, NamedEntity>,
    ) -> Self {
        let stems = |token: &String, count: [usize; 2]| {
            let stems = [english_stem(token).into_owned(), spanish_stem(token)];
            let is_of = |language: usize| 8 * count[language] >= count[0] + count[1];
            let mut stems = stems.into_iter().enumerate();
            [0; 2].map(|_| stems.next().filter(|(language, _)| is_of(*language)).map(|(_, stem)| stem))
        };
        let dictionary = counts.iter().map(|(token, count)| (token.clone(), stems(token, *count))).collect();
        let texts = texts.cloned().collect();
        let synonyms = synonyms.iter().map(|group| group.terms.iter().map(|term| words(term)).collect());
        Self { texts, dictionary, synonyms: synonyms.collect(), concepts }
    }

    /// What a text asks for; `taken_back` are runs that are words, whatever they name.
    pub(super) fn understand(&self, text: &str, taken_back: &[String]) -> Understood {
        let mut plain: Vec<QueryWord> = Vec::new();
        let mut understood = Understood {
            wanted: Vec::new(),
            phrases: Vec::new(),
            unwanted_words: Vec::new(),
            unwanted_phrases: Vec::new(),
        };
        for (excluded, quoted, text) in parts(text) {
            let words = words(&text);
            match (excluded, quoted, words.len()) {
                (_, _, 0) => {}
                (true, _, 1) => understood.unwanted_words.push(self.related(&words[0])),
                (true, _, _) => understood.unwanted_phrases.push(words),
                (false, true, _) => understood.phrases.push(words),
                (false, false, _) => plain.extend(query_words(&text)),
            }
        }
        let typed = plain.clone();
        let mut seen = BTreeSet::new();
        plain.retain(|word| seen.insert(word.text.clone()));
        let small = small(&plain, !understood.phrases.is_empty());
        let (mut at, mut idle) = (0, BTreeSet::new());
        while at < plain.len() {
            let length = self.run(&plain[at..], &small[at..]);
            let run = &plain[at..at + length];
            if length > 1 && self.concept(run).is_none() && self.is_unknown(&self.clause(run, taken_back)) {
                for (word, _) in run.iter().zip(&small[at..]).filter(|(_, small)| !**small) {
                    understood.wanted.push(self.clause(slice::from_ref(word), &[word.text.to_string()]));
                }
            } else if length > 1 || !small[at] {
                let (clause, cues) = read_place(self.clause(run, taken_back), &typed);
                let (clause, more) = read_negation(clause, &typed, taken_back);
                idle.extend(cues.into_iter().chain(more));
                understood.wanted.push(clause);
            }
            at += length;
        }
        let is_cue = |word: &QueryWord| {
            let mut places = (0..typed.len()).filter(|at| typed[*at].text == word.text);
            !idle.is_empty() && places.all(|at| idle.contains(&at))
        };
        understood.wanted.retain(|clause| {
            clause.place().is_some() || clause.typed.len() != 1 || !is_cue(&clause.typed[0])
        });
        let is_idle = |clause: &Clause| clause.is_everyday() && self.is_unknown(clause);
        if !understood.wanted.iter().all(is_idle) {
            understood.wanted.retain(|clause| !is_idle(clause));
        }
        understood
    }

    /// How many words belong together: the most that name something, have synonyms, or, without a small word, are one
    /// word when they are written together.
    fn run(&self, words: &[QueryWord], small: &[bool]) -> usize {
        let belong = |length: &usize| {
            let run = &words[..*length];
            self.concept(run).is_some()
                || *length <= 4 && !self.synonyms(run).is_empty()
                || !small[..*length].contains(&true) && self.together(run).is_some()
        };
        (1..=words.len().min(6)).rev().find(belong).unwrap_or(1)
    }

    fn concept(&self, run: &[QueryWord]) -> Option<&NamedEntity> {
        let words: Vec<&str> = run.iter().map(|word| word.text.as_str()).collect();
        let found = keys_of(&words).iter().find_map(|key| self.concepts.get(key.as_str()))?;
        (!found.capitals || run.iter().all(|word| word.capitals)).then_some(found)
    }

    /// The benefits that the two words around "and" name.
    fn benefits(&self, words: &[String]) -> Option<[NamedEntity; 2]> {
        let [one, "and" | "y", other] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
            return None;
        };
        let named = |word: &str| {
            let mut concept =
                keys_of(&[word]).iter().find_map(|key| self.concepts.get(key.as_str()))?.clone();
            concept.values.retain(|(facet, _)| *facet == Facet::Benefits as u8);
            (!concept.values.is_empty()).then_some(concept)
        };
        Some([named(one)?, named(other)?])
    }

    fn together(&self, run: &[QueryWord]) -> Option<String> {
        let [first, second] = run else { return None };
        let whole = format!("{}{}", first.text, second.text);
        let long = run.iter().all(|word| word.text.chars().count() > 1);
        (long && self.dictionary.contains_key(&whole)).then_some(whole)
    }

    /// What a run means besides itself.
    fn synonyms(&self, run: &[QueryWord]) -> Vec<Vec<String>> {
        let words: Vec<String> = run.iter().map(|word| word.text.to_string()).collect();
        let own = self.synonyms.iter().filter(|group| group.contains(&words)).flatten();
        let others = own.filter(|term| **term != words).cloned();
        others.chain(BUILT_IN.of(&words).into_iter().cloned()).collect()
    }

    fn clause(&self, run: &[QueryWord], taken_back: &[String]) -> Clause {
        let own: Vec<String> = run.iter().map(|word| word.text.to_string()).collect();
        let is_taken_back = taken_back.contains(&own.join(" "));
        let concept = self.concept(run).filter(|_| !is_taken_back).cloned();
        let mut clause = Clause { typed: run.to_vec(), concept, ..Clause::default() };
        let place = clause.concept.as_ref().and_then(|concept| concept.place.as_deref());
        let names = place.map(names_of_place).unwrap_or_default();
        let forms = |words: &Vec<String>| words.iter().map(|word| self.related(word)).collect::<Vec<_>>();
        let exact = |word: &String| {
            vec![self.dictionary.get_key_value(word).map(|(token, _)| token.clone()).into_iter().collect()]
        };
        let is_near = |words: &[String]| {
            let texts: Vec<&str> = words.iter().map(String::as_str).collect();
            !stop_words(&texts).contains(&true)
        };
        match (own.as_slice(), BUILT_IN.term(&own)) {
            ([only], _) if place.is_some() => clause.alternatives.push(exact(only)),
            ([_, _, ..], _) if place.is_some() => {}
            ([_, _, ..], Some(term)) => clause.rows.push((forms(&term.to_vec()), is_near(term))),
            _ => clause.alternatives.push(forms(&own)),
        }
        let synonyms = self.synonyms(run);
        let synonyms = synonyms.iter().map(|words| (words, true));
        for (words, is_synonym) in synonyms.chain(names.iter().map(|words| (words, false))) {
            let near = is_synonym && is_near(words);
            match words.as_slice() {
                [only] if !is_synonym => clause.alternatives.push(exact(only)),
                [only] => {
                    let (same, similar) =
                        self.related(only).into_iter().partition(|it| is_inflection(it, only));
                    clause.alternatives.push(vec![same]);
                    clause.similar.extend::<BTreeSet<String>>(similar);
                }
                _ => {
                    clause.benefits.extend(self.benefits(words).filter(|_| !is_taken_back));
                    clause.rows.push((forms(words), near));
                }
            }
        }
        clause.alternatives.extend(self.together(run).map(|whole| vec![[whole].into()]));
        if let [only] = run {
            let known = self.dictionary.contains_key(only.text.as_str());
            clause.phrase = (only.parts.len() > 1 && !known).then(|| only.parts.clone());
        }
        clause
    }

    /// Whether the words of a clause stand nowhere and name no value.
    pub(super) fn is_unknown(&self, clause: &Clause) -> bool {
        let stands = |words: &Vec<BTreeSet<String>>| words.iter().all(|tokens| !tokens.is_empty());
        let stand = |(row, near): &(Vec<BTreeSet<String>>, bool)| {
            self.texts.iter().any(|text| stand_together(text, row, *near))
        };
        !clause.is_outside
            && !clause.alternatives.iter().any(stands)
            && clause.phrase.is_none()
            && clause.benefits.is_empty()
            && !clause.rows.iter().any(stand)
            && clause.concept.as_ref().is_none_or(|concept| concept.values.is_empty())
    }

    /// Every token of every text, in order.
    pub(super) fn tokens(&self) -> impl Iterator<Item = &String> {
        self.dictionary.keys()
    }

    /// Whether a word stands in the name of anything.
    pub(super) fn is_in_a_name(&self, word: &str) -> bool {
        let stems = keys_of(&[word]);
        self.concepts.keys().flat_map(|key| key.split(' ')).any(|stem| stems.iter().any(|own| own == stem))
    }

    /// The word and what shares a stem with it in either language.
    pub(super) fn related(&self, word: &str) -> BTreeSet<String> {
        let typed = [Some(english_stem(word).into_owned()), Some(spanish_stem(word))];
        let own = self.dictionary.get(word).unwrap_or(&typed);
        let shares = |stems: &[Option<String>; 2]| {
            (0..2).any(|language| own[language].is_some() && own[language] == stems[language])
        };
        let related = self.dictionary.iter().filter(|(token, stems)| *token == word || shares(stems));
        related.map(|(token, _)| token.clone()).collect()
    }
}

/// How often each token occurs in texts of each language.
pub(super) type Occurrences = BTreeMap<String, [usize; 2]>;

/// Counts the tokens of the texts of records.
pub(super) fn occurrences<'a>(records: impl Iterator<Item = &'a Vec<Positions>>) -> Occurrences {
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

/// A clause whose place is read by the words around it, and the positions of those that say nothing else.
fn read_place(mut clause: Clause, typed: &[QueryWord]) -> (Clause, Vec<usize>) {
    let length = clause.typed.len();
    let is_run = |run: &[QueryWord]| run.iter().zip(&clause.typed).all(|(word, of)| word.text == of.text);
    let start = typed.windows(length).position(is_run).filter(|_| clause.place().is_some());
    let Some(start) = start else { return (clause, Vec::new()) };
    let texts: Vec<_> = typed.iter().map(|word| word.text.clone()).collect();
    let Reading { role, is_outside, before, after } = reading_of(&texts, start, length);
    if is_outside {
        clause = Clause { concept: clause.concept, ..Clause::default() };
    }
    (clause.role, clause.is_outside) = (role, is_outside);
    let end = start + length;
    (clause, (start - before..start).chain(end..end + after).collect())
}

/// A clause whose value is left out by the words before it, and the positions of these.
fn read_negation(mut clause: Clause, typed: &[QueryWord], taken_back: &[String]) -> (Clause, Vec<usize>) {
    let length = clause.typed.len();
    let is_run = |run: &[QueryWord]| run.iter().zip(&clause.typed).all(|(word, of)| word.text == of.text);
    let is_value = |concept: &NamedEntity| {
        let is_benefit = |(facet, _): &(u8, String)| *facet == Facet::Benefits as u8;
        concept.place.is_none() && !concept.values.is_empty() && !concept.values.iter().any(is_benefit)
    };
    let start =
        typed.windows(length).position(is_run).filter(|_| clause.concept.as_ref().is_some_and(is_value));
    let texts: Vec<_> = typed.iter().map(|word| word.text.clone()).collect();
    let Some((start, before)) = start.map(|start| (start, negation(&texts, start))).filter(|it| it.1 > 0)
    else {
        return (clause, Vec::new());
    };
    if taken_back.contains(&texts[start - before..start + length].join(" ")) {
        return (Clause { concept: None, ..clause }, Vec::new());
    }
    clause = Clause { concept: clause.concept, is_outside: true, ..Clause::default() };
    (clause, (start - before..start).collect())
}

/// Whether a token is a word in another number or gender.
fn is_inflection(token: &str, word: &str) -> bool {
    keys_of(&[token])[1..].iter().zip(&keys_of(&[word])[1..]).any(|(of, key)| of == key)
}

/// Which words need not be there.
fn small(words: &[QueryWord], is_more: bool) -> Vec<bool> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let all_capitals = words.iter().all(|word| word.capitals);
    let found: Vec<bool> = stop_words(&texts)
        .into_iter()
        .zip(words)
        .map(|(stop, word)| stop && (all_capitals || !word.capitals))
        .collect();
    let nothing_else = found.iter().all(|small| *small) && !is_more;
    if nothing_else { vec![false; found.len()] } else { found }
}
