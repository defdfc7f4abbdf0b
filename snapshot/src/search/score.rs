//! Scores: BM25F, from the impact of each term in each document.
//!
//! Every clause has a weighted frequency: an occurrence counts by the field it stands in, by the form of the word,
//! and less in a long field than in a short one; a facet value that the clause names counts too. Rare clauses count
//! more. Names that contain much of the query add to the score.

use crate::search::index::Index;
use crate::search::matching::{Clause, Form, with_all};
use crate::search::set::{DocSet, union};
use crate::search::terms::Among;
use crate::search::text_query::TextQuery;
use crate::search::tiers::Part;
use crate::search::weights::{effect, idf};

/// Weighted frequency of a clause whose value a document has.
const VALUE: f32 = 1.5;

/// Weight of an occurrence by its [`Form`].
const FORMS: [f32; 3] = [1.0, 0.6, 0.4];

/// The scores of clauses, summed up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) score: f64,
    /// Weight of the clauses in the name.
    pub(super) named: f64,
}

impl Sum {
    fn add(&mut self, idf: f64, frequency: f32, named: bool) {
        self.score += idf * effect(frequency);
        self.named += if named { idf } else { 0.0 };
    }

    /// All clauses in the name are worth more than anything elsewhere; `whole` is the weight of all clauses.
    fn score(&self, whole: f64) -> f64 {
        let named = if whole > 0.0 { whole * (self.named / whole).powi(2) } else { 0.0 };
        self.score + named
    }
}

/// A query, ready to score documents.
pub(super) struct Scorer<'a> {
    index: &'a Index,
    /// Clause, term and weight of each occurrence, in the order of the clauses.
    terms: Vec<(usize, u32, f32)>,
    /// Of each clause.
    idf: Vec<f64>,
    /// Documents with the value of each clause.
    values: Vec<DocSet<'a>>,
    /// Documents that name a region around the place of each clause, except for the whole world.
    around: Vec<DocSet<'a>>,
    /// Weight of the words and phrases, without selected values.
    whole: f64,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(
        index: &'a Index,
        query: &TextQuery,
        parts: impl Iterator<Item = &'a Part<'a>> + Clone,
    ) -> Self {
        let mut scorer = Self {
            index,
            terms: Vec::new(),
            idf: parts.clone().map(|part| part.idf).collect(),
            values: Vec::new(),
            around: Vec::new(),
            whole: parts.clone().filter(|part| !part.is_chosen()).map(|part| part.idf).sum(),
        };
        for (position, part) in parts.enumerate() {
            let clause = &part.clause;
            scorer.add_clause(position, clause);
            scorer.add_apart(position, clause, query);
            let entity = clause.entity.filter(|_| clause.left_out.is_none());
            let parts = entity.map(|entity| entity.parts(true, &index.values)).unwrap_or_default();
            let filter = part.is_filter.then(|| part.docs.borrowed());
            let values = parts.into_iter().chain(filter).chain(with_all(&clause.benefits, index));
            scorer.values.push(union(values.collect(), index.programs()));
            let around = entity.map(|entity| entity.around(&index.values)).unwrap_or_default();
            scorer.around.push(union(around, index.programs()));
        }
        for word in query.phrases.iter().flatten() {
            scorer.add_phrase_word(word);
        }
        scorer.terms.sort_by_key(|(clause, ..)| *clause);
        scorer
    }

    fn add_clause(&mut self, position: usize, clause: &Clause<'_>) {
        for (term, form) in &clause.forms {
            self.terms.push((position, *term, FORMS[*form as usize]));
        }
        let others = clause.others.iter().map(|other| (&other.terms, Form::Other));
        for (words, form) in std::iter::once((&clause.each_word, Form::Typed)).chain(others) {
            let share = FORMS[form as usize];
            for term in words.iter().flatten() {
                self.terms.push((position, *term, share / words.len() as f32));
            }
        }
    }

    /// Adds the parts of a word that marks join.
    fn add_apart(&mut self, position: usize, clause: &Clause<'_>, query: &TextQuery) {
        let [only] = clause.words.as_slice() else { return };
        let typed = query.words.iter().find(|word| word.text == *only && word.parts.len() > 1);
        for part in typed.iter().flat_map(|word| &word.parts) {
            let share = FORMS[Form::Other as usize] / typed.map_or(1, |word| word.parts.len()) as f32;
            for term in self.index.terms.related(part) {
                self.terms.push((position, term, share));
            }
        }
    }

    /// Adds a word of a phrase as a clause: all documents have it, but at different places and numbers of times.
    fn add_phrase_word(&mut self, word: &str) {
        let Some(term) = self.index.terms.exact(word) else { return };
        let idf = idf(self.index.terms.docs(term).len(), self.index.programs());
        self.whole += idf;
        self.idf.push(idf);
        self.values.push(DocSet::default());
        self.around.push(DocSet::default());
        self.terms.push((self.idf.len() - 1, term, FORMS[Form::Typed as usize]));
    }

    /// Scores of some documents, ascending.
    pub(super) fn scores(&self, docs: &[u32]) -> Vec<f64> {
        self.sums(docs).iter().map(|sum| sum.score(self.whole)).collect()
    }

    /// What the scores of some documents, ascending, are made of.
    pub(super) fn sums(&self, docs: &[u32]) -> Vec<Sum> {
        let among = Among::new(docs, self.index.programs());
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
        sums
    }

    /// Documents in which a frequent term of the query has the greatest effect; some may come twice.
    pub(super) fn tops(&self) -> impl Iterator<Item = u32> {
        self.terms.iter().flat_map(|(_, term, _)| self.index.terms.tops(*term)).copied()
    }

    /// Upper bound of the work of a score, in units.
    pub(super) fn cost(&self) -> u64 {
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
}
