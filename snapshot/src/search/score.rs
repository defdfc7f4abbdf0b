//! Scores: BM25F, over the tokens of a document read in one pass, or roughly, from impacts.
//!
//! Every clause has a weighted frequency: an occurrence counts by the field it stands in, by how near
//! its form is to what was typed, and less in a long field than in a short one; a facet value that says
//! it counts too. Rare clauses count more. Words of the question that stand side by side, and names that
//! hold much of it, earn something on top.

use crate::search::Index;
use crate::search::impact::{self, FIELDS};
use crate::search::matching::{Clause, Form, TextQuery};
use crate::search::set::{DocSet, Docs, Held, union};
use crate::search::terms::{Among, FIRST_CODE, Mark};

/// Weighted frequency of a clause that a facet value says.
const VALUE: f32 = 2.0;
/// Weighted frequency that earns half of what any frequency can.
const HALF: f64 = 1.2;
/// What two neighbours of the question earn side by side, of the rarer one's worth.
const PAIR: f64 = 0.25;

const fn weight(form: Form) -> f32 {
    match form {
        Form::Typed => 1.0,
        Form::Stem => 0.8,
        Form::Other => 0.6,
        Form::Guess => 0.4,
    }
}

/// What a code means to a question.
#[derive(Clone, Copy, Debug)]
struct Entry {
    code: u32,
    /// Position of the clause, or that of no clause.
    clause: usize,
    weight: f32,
    /// Bits of the words that it is.
    words: u64,
}

/// A clause and how much it tells.
pub(super) struct ScoredClause<'a> {
    pub(super) clause: &'a Clause,
    /// Documents that a filter leaves, where words said one.
    pub(super) said: Option<Docs<'a>>,
    pub(super) idf: f64,
}

/// What the clauses of a question earn, summed up.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    score: f64,
    /// What those in the name tell.
    named: f64,
    /// What all tell.
    whole: f64,
}

impl Sum {
    fn add(&mut self, idf: f64, frequency: f32, named: bool) {
        let frequency = f64::from(frequency);
        self.score += idf * (1.0 + HALF) * frequency / (HALF + frequency);
        self.whole += idf;
        self.named += if named { idf } else { 0.0 };
    }

    /// All in the name is worth more than anything elsewhere.
    fn score(&self) -> f64 {
        let named = if self.whole > 0.0 { self.whole * (self.named / self.whole).powi(2) } else { 0.0 };
        self.score + named
    }
}

/// A question, ready to score documents.
pub(super) struct Scorer<'a> {
    index: &'a Index,
    entries: Vec<Entry>,
    /// Terms of each clause and what an occurrence of each is worth, in the order of the clauses.
    terms: Vec<(usize, u32, f32)>,
    known: [bool; 256],
    idf: Vec<f64>,
    /// What each typed word tells, in order.
    words: Vec<f64>,
    values: Vec<Held<'a>>,
    /// Documents that name a region around the place of each clause, but for the whole world.
    around: Vec<Held<'a>>,
    /// The words as a slug has them.
    slug: String,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(index: &'a Index, wanted: &TextQuery, told: &[ScoredClause<'a>]) -> Self {
        let typed: Vec<&str> = wanted
            .words
            .iter()
            .map(|word| word.text.as_str())
            .chain(wanted.phrases.iter().flatten().map(String::as_str))
            .collect();
        let mut scorer = Self {
            index,
            entries: Vec::new(),
            terms: Vec::new(),
            known: [false; 256],
            idf: told.iter().map(|told| told.idf).collect(),
            words: Vec::new(),
            values: Vec::new(),
            around: Vec::new(),
            slug: typed.join("-"),
        };
        for (position, told) in told.iter().enumerate() {
            scorer.add_clause(position, told.clause);
            scorer.add_apart(position, told.clause, wanted);
            let entity = told.clause.entity;
            let parts = entity.map(|entity| index.entities.parts(entity, &index.values));
            let parts: Vec<Docs<'_>> = parts.into_iter().flatten().chain(told.said).collect();
            scorer.values.push(union(&parts, index.len()));
            let around = entity.map(|entity| index.entities.around(entity, &index.values));
            scorer.around.push(union(&around.unwrap_or_default(), index.len()));
        }
        for (place, word) in typed.iter().enumerate().take(u64::BITS as usize) {
            let related = index.terms.related(word).terms;
            let holders = index.terms.any(&crate::search::terms::Meaning { terms: related.clone() });
            scorer.words.push(idf(holders.docs().len(), index.len()));
            related.into_iter().for_each(|term| scorer.add(term, usize::MAX, 0.0, 1 << place));
        }
        for phrase in &wanted.phrases {
            scorer.add_phrase(phrase);
        }
        scorer.entries.sort_by_key(|entry| (entry.code, entry.clause));
        scorer.terms.sort_by_key(|(clause, ..)| *clause);
        scorer
    }

    fn add_clause(&mut self, position: usize, clause: &Clause) {
        for (term, form) in &clause.forms {
            self.add(*term, position, weight(*form), 0);
        }
        for words in clause.meanings() {
            let share = weight(if words.len() == clause.words.len() { Form::Stem } else { Form::Other });
            for term in words.iter().flat_map(|meaning| &meaning.terms) {
                self.add(*term, position, share / words.len() as f32, 0);
            }
        }
    }

    /// What was written together is found in its parts too.
    fn add_apart(&mut self, position: usize, clause: &Clause, wanted: &TextQuery) {
        let [only] = clause.words.as_slice() else { return };
        let typed = wanted.words.iter().find(|word| word.text == *only && word.parts.len() > 1);
        for part in typed.iter().flat_map(|word| &word.parts) {
            let share = weight(Form::Other) / typed.map_or(1, |word| word.parts.len()) as f32;
            for term in self.index.terms.related(part).terms {
                self.add(term, position, share, 0);
            }
        }
    }

    /// A phrase is in every candidate; where and how often makes the difference.
    fn add_phrase(&mut self, phrase: &[String]) {
        for term in phrase.iter().filter_map(|word| self.index.terms.exact(word)) {
            self.idf.push(idf(self.index.terms.docs(term).len(), self.index.len()));
            self.values.push(Held::Made(DocSet::none()));
            self.around.push(Held::Made(DocSet::none()));
            self.add(term, self.idf.len() - 1, weight(Form::Typed), 0);
        }
    }

    fn add(&mut self, term: u32, clause: usize, weight: f32, words: u64) {
        let code = self.index.terms.code(term);
        self.known[code as usize & 0xff] = true;
        self.entries.push(Entry { code, clause, weight, words });
        if weight > 0.0 {
            self.terms.push((clause, term, weight));
        }
    }

    fn entries(&self, code: u32) -> &[Entry] {
        if !self.known[code as usize & 0xff] {
            return &[];
        }
        let start = self.entries.partition_point(|entry| entry.code < code);
        let length = self.entries[start..].iter().take_while(|entry| entry.code == code).count();
        &self.entries[start..start + length]
    }

    /// How well a document answers the question.
    pub(super) fn score(&self, doc: u32) -> f64 {
        let mut counts = vec![[0f32; FIELDS]; self.idf.len()];
        let mut lengths = [0f32; FIELDS];
        let (mut field, mut at_same) = (0, false);
        let (mut before, mut here, mut pairs) = (0u64, 0u64, 0u64);
        for code in self.index.terms.stream(doc) {
            if code < FIRST_CODE {
                at_same = code == Mark::Same as u32;
                if !at_same {
                    field = (code as usize).min(FIELDS - 1);
                    (before, here) = (0, 0);
                }
                continue;
            }
            if !at_same {
                lengths[field] += 1.0;
                (before, here) = (here, 0);
            }
            at_same = false;
            for entry in self.entries(code) {
                here |= entry.words;
                if let Some(counts) = counts.get_mut(entry.clause) {
                    counts[field] += entry.weight;
                }
            }
            pairs |= before << 1 & here;
        }
        self.total(doc, &counts, &lengths) + self.pairs(pairs)
    }

    /// How well each of some documents, ascending, answers the question, but for neighbours and slugs:
    /// from impacts alone.
    pub(super) fn roughly(&self, docs: &[u32]) -> Vec<f64> {
        let among = Among::new(docs, self.index.len());
        let mut sums = vec![Sum::default(); docs.len()];
        let mut had = vec![(0f32, false); docs.len()];
        let mut terms = self.terms.as_slice();
        for clause in 0..self.idf.len() {
            had.fill((0.0, false));
            let own = terms.partition_point(|(of, ..)| *of <= clause);
            for (_, term, weight) in &terms[..own] {
                self.index.terms.impacts(*term, &among, |place, impact| {
                    had[place].0 += weight * impact.frequency();
                    had[place].1 |= impact.in_name();
                });
            }
            terms = &terms[own..];
            for ((doc, (frequency, named)), sum) in docs.iter().zip(&had).zip(&mut sums) {
                sum.add(self.idf[clause], frequency + self.said(clause, *doc), *named);
            }
        }
        sums.iter().map(Sum::score).collect()
    }

    /// Upper bound of what that costs for one document, in units.
    pub(super) fn rough_units(&self) -> u64 {
        (self.terms.len() + 3 * self.idf.len()).max(1) as u64
    }

    /// What a document's facet values say of a clause.
    fn said(&self, clause: usize, doc: u32) -> f32 {
        if self.values[clause].docs().contains(doc) {
            VALUE
        } else if self.around[clause].docs().contains(doc) {
            VALUE / 2.0
        } else {
            0.0
        }
    }

    fn total(&self, doc: u32, counts: &[[f32; FIELDS]], lengths: &[f32; FIELDS]) -> f64 {
        let long = impact::long(lengths, |field| self.index.terms.mean_length(field));
        let mut sum = Sum::default();
        for (clause, (counts, idf)) in counts.iter().zip(&self.idf).enumerate() {
            let named = counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0.0;
            sum.add(*idf, impact::frequency(counts, &long) + self.said(clause, doc), named);
        }
        sum.score() + sum.whole * self.likeness(doc)
    }

    fn pairs(&self, pairs: u64) -> f64 {
        let of = |place: usize| PAIR * self.words[place].min(self.words[place - 1]);
        (1..self.words.len()).filter(|place| pairs >> place & 1 == 1).map(of).sum()
    }

    /// How much a slug, which holds the words of a name, is what was asked for: 1 exactly, less when it
    /// contains the words in a row.
    fn likeness(&self, doc: u32) -> f64 {
        let slug = self.index.slug(doc);
        let Some(start) = slug.find(&self.slug).filter(|_| !self.slug.is_empty()) else { return 0.0 };
        let (before, after) = (&slug[..start], &slug[start + self.slug.len()..]);
        let whole_words =
            (before.is_empty() || before.ends_with('-')) && (after.is_empty() || after.starts_with('-'));
        if whole_words { self.slug.len() as f64 / slug.len() as f64 } else { 0.0 }
    }
}

/// How much it tells that a record is among `holders` of `count` records.
pub(super) fn idf(holders: usize, count: usize) -> f64 {
    let (holders, count) = (holders as f64, count as f64);
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
}
