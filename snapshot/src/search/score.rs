//! Scores: BM25F over the tokens of a document, read in one pass, or roughly, from impacts.
//!
//! Every clause has a weighted frequency: an occurrence counts by the field it stands in, by the form of the word,
//! and less in a long field than in a short one; a facet value that the clause names counts too. Rare clauses count
//! more. Names that contain much of the query add to the score.

use crate::search::index::Index;
use crate::search::matching::{Clause, Form, TextQuery};
use crate::search::set::{DocSet, union};
use crate::search::terms::{Among, FIELDS, FIRST_CODE, Mark, divisors, frequency};

/// Weighted frequency of a clause whose value a document has.
const VALUE: f32 = 2.0;
/// Weighted frequency with half of the greatest effect.
const HALF: f64 = 1.2;

const fn weight(form: Form) -> f32 {
    match form {
        Form::Typed => 1.0,
        Form::Stem => 0.8,
        Form::Other => 0.6,
        Form::Guess => 0.4,
    }
}

/// The role of a code in a query.
#[derive(Clone, Copy, Debug)]
struct Entry {
    code: u32,
    /// Position of the clause.
    clause: usize,
    weight: f32,
}

/// A clause to score.
pub(super) struct ScoredClause<'a> {
    pub(super) clause: &'a Clause<'a>,
    /// Documents of the filter that a phrase was applied as.
    pub(super) filter: Option<DocSet<'a>>,
    pub(super) idf: f64,
}

/// The scores of clauses, summed up.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    score: f64,
    /// Weight of the clauses in the name.
    named: f64,
    /// Weight of all clauses.
    whole: f64,
}

impl Sum {
    fn add(&mut self, idf: f64, frequency: f32, named: bool) {
        let frequency = f64::from(frequency);
        self.score += idf * (1.0 + HALF) * frequency / (HALF + frequency);
        self.whole += idf;
        self.named += if named { idf } else { 0.0 };
    }

    /// All clauses in the name are worth more than anything elsewhere.
    fn score(&self) -> f64 {
        let named = if self.whole > 0.0 { self.whole * (self.named / self.whole).powi(2) } else { 0.0 };
        self.score + named
    }
}

/// A query, ready to score documents.
pub(super) struct Scorer<'a> {
    index: &'a Index,
    entries: Vec<Entry>,
    /// Clause, term and weight of each occurrence, in the order of the clauses.
    terms: Vec<(usize, u32, f32)>,
    /// The low bits of the codes, to skip most others.
    known: [bool; 256],
    /// Of each clause.
    idf: Vec<f64>,
    /// Documents with the value of each clause.
    values: Vec<DocSet<'a>>,
    /// Documents that name a region around the place of each clause, except for the whole world.
    around: Vec<DocSet<'a>>,
    /// The words as a slug has them.
    slug: String,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(index: &'a Index, query: &TextQuery, clauses: Vec<ScoredClause<'a>>) -> Self {
        let words = query.words.iter().map(|word| word.text.as_str());
        let typed: Vec<&str> = words.chain(query.phrases.iter().flatten().map(String::as_str)).collect();
        let mut scorer = Self {
            index,
            entries: Vec::new(),
            terms: Vec::new(),
            known: [false; 256],
            idf: clauses.iter().map(|clause| clause.idf).collect(),
            values: Vec::new(),
            around: Vec::new(),
            slug: typed.join("-"),
        };
        for (position, ScoredClause { clause, filter, .. }) in clauses.into_iter().enumerate() {
            scorer.add_clause(position, clause);
            scorer.add_apart(position, clause, query);
            let parts = clause.entity.map(|entity| entity.parts(&index.values)).unwrap_or_default();
            scorer.values.push(union(parts.into_iter().chain(filter).collect(), index.len()));
            let around = clause.entity.map(|entity| entity.around(&index.values)).unwrap_or_default();
            scorer.around.push(union(around, index.len()));
        }
        for word in query.phrases.iter().flatten() {
            scorer.add_phrase_word(word);
        }
        scorer.entries.sort_by_key(|entry| (entry.code, entry.clause));
        scorer.terms.sort_by_key(|(clause, ..)| *clause);
        scorer
    }

    fn add_clause(&mut self, position: usize, clause: &Clause<'_>) {
        for (term, form) in &clause.forms {
            self.add(*term, position, weight(*form));
        }
        let others = clause.others.iter().map(|other| (&other.terms, Form::Other));
        for (words, form) in clause.alternatives.iter().map(|words| (words, Form::Stem)).chain(others) {
            let share = weight(form);
            for term in words.iter().flatten() {
                self.add(*term, position, share / words.len() as f32);
            }
        }
    }

    /// Adds the parts of a word that marks join.
    fn add_apart(&mut self, position: usize, clause: &Clause<'_>, query: &TextQuery) {
        let [only] = clause.words.as_slice() else { return };
        let typed = query.words.iter().find(|word| word.text == *only && word.parts.len() > 1);
        for part in typed.iter().flat_map(|word| &word.parts) {
            let share = weight(Form::Other) / typed.map_or(1, |word| word.parts.len()) as f32;
            for term in self.index.terms.related(part) {
                self.add(term, position, share);
            }
        }
    }

    /// Adds a word of a phrase as a clause: all documents have it, but at different places and numbers of times.
    fn add_phrase_word(&mut self, word: &str) {
        let Some(term) = self.index.terms.exact(word) else { return };
        self.idf.push(idf(self.index.terms.docs(term).len(), self.index.len()));
        self.values.push(DocSet::none());
        self.around.push(DocSet::none());
        self.add(term, self.idf.len() - 1, weight(Form::Typed));
    }

    fn add(&mut self, term: u32, clause: usize, weight: f32) {
        let code = self.index.terms.code(term);
        self.known[code as usize & 0xff] = true;
        self.entries.push(Entry { code, clause, weight });
        self.terms.push((clause, term, weight));
    }

    fn entries(&self, code: u32) -> &[Entry] {
        if !self.known[code as usize & 0xff] {
            return &[];
        }
        let start = self.entries.partition_point(|entry| entry.code < code);
        let length = self.entries[start..].iter().take_while(|entry| entry.code == code).count();
        &self.entries[start..start + length]
    }

    /// Score of a document.
    pub(super) fn score(&self, doc: u32) -> f64 {
        let mut counts = vec![[0f32; FIELDS]; self.idf.len()];
        let mut lengths = [0f32; FIELDS];
        let (mut field, mut at_same) = (0, false);
        for code in self.index.terms.stream(doc) {
            if code < FIRST_CODE {
                at_same = code == Mark::Same as u32;
                if !at_same {
                    field = (code as usize).min(FIELDS - 1);
                }
                continue;
            }
            if !at_same {
                lengths[field] += 1.0;
            }
            at_same = false;
            for entry in self.entries(code) {
                counts[entry.clause][field] += entry.weight;
            }
        }
        self.total(doc, &counts, &lengths)
    }

    /// Scores of some documents, ascending, from impacts: without slugs.
    pub(super) fn rough_scores(&self, docs: &[u32]) -> Vec<f64> {
        let among = Among::new(docs, self.index.len());
        let mut sums = vec![Sum::default(); docs.len()];
        let mut found = vec![(0f32, false); docs.len()];
        let mut terms = self.terms.as_slice();
        for clause in 0..self.idf.len() {
            found.fill((0.0, false));
            let own = terms.partition_point(|(of, ..)| *of <= clause);
            for (_, term, weight) in &terms[..own] {
                self.index.terms.impacts(*term, &among, |place, impact| {
                    found[place].0 += weight * impact.frequency();
                    found[place].1 |= impact.in_name();
                });
            }
            terms = &terms[own..];
            for ((doc, (frequency, named)), sum) in docs.iter().zip(&found).zip(&mut sums) {
                sum.add(self.idf[clause], frequency + self.value_frequency(clause, *doc), *named);
            }
        }
        sums.iter().map(Sum::score).collect()
    }

    /// Upper bound of the work of a rough score, in units.
    pub(super) fn rough_cost(&self) -> u64 {
        (self.terms.len() + 3 * self.idf.len()).max(1) as u64
    }

    /// Frequency of a clause by a document's facet values.
    fn value_frequency(&self, clause: usize, doc: u32) -> f32 {
        if self.values[clause].contains(doc) {
            VALUE
        } else if self.around[clause].contains(doc) {
            VALUE / 2.0
        } else {
            0.0
        }
    }

    fn total(&self, doc: u32, counts: &[[f32; FIELDS]], lengths: &[f32; FIELDS]) -> f64 {
        let divisors = divisors(lengths, |field| self.index.terms.mean_length(field));
        let mut sum = Sum::default();
        for (clause, (counts, idf)) in counts.iter().zip(&self.idf).enumerate() {
            let named = counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0.0;
            sum.add(*idf, frequency(counts, &divisors) + self.value_frequency(clause, doc), named);
        }
        sum.score() + sum.whole * self.likeness(doc)
    }

    /// The share of a document's slug that the query is, if the slug contains its words in a row.
    fn likeness(&self, doc: u32) -> f64 {
        let slug = self.index.slug(doc);
        let Some(start) = slug.find(&self.slug).filter(|_| !self.slug.is_empty()) else { return 0.0 };
        let (before, after) = (&slug[..start], &slug[start + self.slug.len()..]);
        let whole_words =
            (before.is_empty() || before.ends_with('-')) && (after.is_empty() || after.starts_with('-'));
        if whole_words { self.slug.len() as f64 / slug.len() as f64 } else { 0.0 }
    }
}

/// Inverse document frequency: the weight of a clause that `holders` of `count` documents match.
pub(super) fn idf(holders: usize, count: usize) -> f64 {
    let (holders, count) = (holders as f64, count as f64);
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
}
