//! Relevance: records with all terms of a question, best first, then records with some of them.
//!
//! A record's score is a sum over what is wanted: rare words count more (idf), a word counts more in
//! a name than in a description, and repetition counts less and less (as BM25 does). Names that hold
//! everything that is wanted come first, names that are exactly it before those. Work is bounded:
//! at most [`SCORED_MAX`] records of each kind are looked at word by word.

use crate::query::{Page, Query};
use crate::search::Index;
use crate::search::matching::Wanted;
use crate::search::set::{DocSet, has_bit, set_bit, words};
use crate::search::terms::{FIELDS, Mark, Meaning};
use crate::search::today::Today;
use crate::search::units::Units;

/// Most records of one kind whose words are counted for a question.
pub const SCORED_MAX: usize = 2_000;

/// Records whose slug begins with the question are looked at in any case, up to this many.
const NAMESAKES_MAX: usize = 100;

/// How much one occurrence counts in each field.
const WEIGHTS: [f64; FIELDS] = {
    let mut weights = [1.0; FIELDS];
    weights[Mark::Name as usize] = 8.0;
    weights[Mark::Alias as usize] = 8.0;
    weights[Mark::Organization as usize] = 2.0;
    weights[Mark::Summary as usize] = 2.0;
    weights
};

/// Weighted occurrences that earn half of what any number of them can.
const HALF: f64 = 6.0;

/// What the very form that was typed earns on top of any form of the word.
const TYPED: f64 = 0.5;

/// What of a question a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// All of it.
    All,
    /// Some of it.
    Any,
}

/// The rows of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// How many records have everything that was asked for.
    pub total: usize,
    /// The rows of the page, in order.
    pub rows: Vec<(u32, Match)>,
    /// Whether rows come after these.
    pub more: bool,
}

/// Answers a question: records that have all of its text first, in order of relevance or in the
/// order that the question names; then, while the page has room, records that have some of it, in
/// order of relevance. Facets are not counted.
#[must_use]
pub fn search(index: &Index, query: &Query, today: &Today, by_relevance: bool) -> Ranked {
    let wanted = query.text.as_deref().map(Wanted::parse).unwrap_or_default();
    if wanted.words.is_empty() && wanted.phrases.is_empty() {
        return listed(index, query, today);
    }
    let filters = Query { text: None, facets: false, ..query.clone() };
    let question = Question::new(index, today, wanted);
    let mut ranked = Ranked::default();
    // What was quoted or excluded is not open to interpretation.
    let units = Units::new(0);
    let base = index.filter(&filters, today, None);
    let base = question.wanted.keep(base, &index.terms, index.len(), &units);
    index.answer(&filters, today, base.as_ref(), |docs, page| {
        let order = |all: &DocSet, page: &Page| {
            if by_relevance { question.page(all, page) } else { index.page(query, today, Some(all), page) }
        };
        ranked = question.rank(docs, page, order);
        Vec::new()
    });
    ranked
}

/// Answers a question that no record has more of than another.
fn listed(index: &Index, query: &Query, today: &Today) -> Ranked {
    let answer = index.search(&Query { facets: false, ..query.clone() }, today);
    Ranked {
        total: answer.total,
        more: query.page.range(answer.total).end < answer.total,
        rows: answer.docs.into_iter().map(|doc| (doc, Match::All)).collect(),
    }
}

/// Something that a record has or has not.
struct Part {
    docs: DocSet,
    idf: f64,
}

/// A question's text, looked up.
struct Question<'a> {
    index: &'a Index,
    today: &'a Today,
    wanted: Wanted,
    parts: Vec<Part>,
    /// How much each meaning tells that is counted in records.
    idf: Vec<f64>,
    /// Codes of the meanings.
    lookup: Vec<(u32, u32)>,
    /// The words as a slug has them.
    slug: String,
}

impl<'a> Question<'a> {
    fn new(index: &'a Index, today: &'a Today, wanted: Wanted) -> Self {
        let (terms, count) = (&index.terms, index.len());
        let clauses = wanted.clauses(terms);
        let part = |docs: DocSet| Part { idf: idf(docs.len(), count), docs };
        let parts: Vec<Part> =
            clauses.iter().map(|clause| part(clause.docs(terms, count).into_set())).collect();
        let counted = clauses.into_iter().zip(&parts).map(|(clause, part)| (clause.meaning, part.idf));
        let mut meanings: Vec<(Meaning, f64)> = counted.collect();
        // The word as it was typed earns more than its other forms, which may have another sense.
        let typed = wanted.words.iter().chain(wanted.phrases.iter().flatten());
        for term in typed.filter_map(|word| terms.exact(word)) {
            let idf = idf(terms.docs(term).len(), count);
            meanings.push((Meaning { terms: vec![term] }, idf * TYPED));
        }
        meanings.retain(|(meaning, _)| !meaning.terms.is_empty());
        let (meanings, idf): (Vec<Meaning>, Vec<f64>) = meanings.into_iter().unzip();
        let slug: Vec<&str> =
            wanted.words.iter().chain(wanted.phrases.iter().flatten()).map(String::as_str).collect();
        Self { lookup: terms.code_lookup(&meanings), slug: slug.join("-"), index, today, wanted, parts, idf }
    }

    fn rank(&self, docs: Option<&DocSet>, page: &Page, order: impl Fn(&DocSet, &Page) -> Vec<u32>) -> Ranked {
        let all = self.all(docs);
        let total = all.len();
        let mut rows: Vec<(u32, Match)> =
            order(&all, page).into_iter().map(|doc| (doc, Match::All)).collect();
        let asked = page.offset.saturating_add(page.limit);
        let beyond = asked.checked_sub(total as u64).map(|past| usize::try_from(past).unwrap_or(usize::MAX));
        let Some(beyond) = beyond else { return Ranked { total, rows, more: true } };
        let some = self.best_of_some(docs, &all);
        let room = page.limit as usize - rows.len();
        let before = beyond.saturating_sub(room);
        rows.extend(some.iter().skip(before).take(room).map(|doc| (*doc, Match::Any)));
        Ranked { total, rows, more: some.len() > beyond }
    }

    /// Records among `docs` that have everything.
    fn all(&self, docs: Option<&DocSet>) -> DocSet {
        let mut parts: Vec<&DocSet> = self.parts.iter().map(|part| &part.docs).chain(docs).collect();
        parts.sort_by_key(|part| part.len());
        let Some((least, others)) = parts.split_first() else { return DocSet::all(self.index.len()) };
        let mut all = (*least).clone();
        others.iter().for_each(|part| all.intersect(&part.docs()));
        all
    }

    /// A page of records that have everything. Of very many, those that are scored come first; the
    /// rest keeps the default order.
    fn page(&self, all: &DocSet, page: &Page) -> Vec<u32> {
        let range = page.range(all.len());
        if range.is_empty() {
            return Vec::new();
        }
        let candidates = self.candidates(all);
        let mut docs = self.sorted(&candidates);
        if range.end > docs.len() {
            let mut scored = vec![0; words(self.index.len())];
            candidates.iter().for_each(|doc| set_bit(&mut scored, *doc));
            let rest = self.today.order.docs.iter().copied();
            let rest = rest.filter(|doc| all.contains(*doc) && !has_bit(&scored, *doc));
            let missing = range.end - docs.len();
            docs.extend(rest.take(missing));
        }
        docs[range].to_vec()
    }

    /// Those that are scored: namesakes, then the first in the default order.
    fn candidates(&self, all: &DocSet) -> Vec<u32> {
        let mut docs = Vec::with_capacity(all.len().min(SCORED_MAX));
        if all.len() <= SCORED_MAX {
            all.for_each(|doc| docs.push(doc));
            return docs;
        }
        docs.extend(self.namesakes().filter(|doc| all.contains(*doc)));
        docs.sort_unstable();
        let named = docs.clone();
        let first = self.today.order.docs.iter().copied().filter(|doc| all.contains(*doc));
        docs.extend(first.filter(|doc| named.binary_search(doc).is_err()).take(SCORED_MAX - named.len()));
        docs
    }

    fn namesakes(&self) -> impl Iterator<Item = u32> {
        let by_slug = self.index.by_slug();
        let start = by_slug.partition_point(|doc| self.index.slug(*doc) < self.slug.as_str());
        let namesakes = by_slug[start..].iter().copied();
        namesakes.take_while(|doc| self.index.slug(*doc).starts_with(&self.slug)).take(NAMESAKES_MAX)
    }

    /// Records that have some parts, best first, at most [`SCORED_MAX`]. A part that most records
    /// have makes no candidate.
    fn best_of_some(&self, docs: Option<&DocSet>, all: &DocSet) -> Vec<u32> {
        if self.parts.len() < 2 {
            return Vec::new();
        }
        let count = self.index.len();
        let telling = |part: &&Part| part.docs.len() <= count / 2;
        let mut had = vec![0f32; count];
        for part in self.parts.iter().filter(telling) {
            part.docs.for_each(|doc| had[doc as usize] += part.idf as f32);
        }
        let mut some = vec![0; words(count)];
        let found = had.iter().enumerate().filter(|(_, had)| **had > 0.0);
        found.for_each(|(doc, _)| set_bit(&mut some, doc as u32));
        let mut some = DocSet::Bits(some);
        some.subtract(&all.docs());
        if let Some(docs) = docs {
            some.intersect(&docs.docs());
        }
        let mut keyed = Vec::with_capacity(some.len());
        some.for_each(|doc| keyed.push((doc, had[doc as usize])));
        if keyed.len() > SCORED_MAX {
            let place = |doc: u32| self.today.order.rank[doc as usize];
            keyed.select_nth_unstable_by(SCORED_MAX, |(a, x), (b, y)| {
                y.total_cmp(x).then_with(|| place(*a).cmp(&place(*b)))
            });
            keyed.truncate(SCORED_MAX);
        }
        let candidates: Vec<u32> = keyed.into_iter().map(|(doc, _)| doc).collect();
        self.sorted(&candidates)
    }

    /// Best first; equal ones in the default order.
    fn sorted(&self, docs: &[u32]) -> Vec<u32> {
        let mut keyed: Vec<(f64, u32, u32)> =
            docs.iter().map(|doc| (self.score(*doc), self.today.order.rank[*doc as usize], *doc)).collect();
        keyed.sort_unstable_by(|(x, a, _), (y, b, _)| y.total_cmp(x).then_with(|| a.cmp(b)));
        keyed.into_iter().map(|(_, _, doc)| doc).collect()
    }

    fn score(&self, doc: u32) -> f64 {
        let counts = self.index.terms.field_counts(doc, &self.lookup, self.idf.len());
        let (mut score, mut named, mut whole) = (0.0, 0.0, 0.0);
        for (counts, idf) in counts.iter().zip(&self.idf) {
            let weighted: f64 = counts.iter().zip(WEIGHTS).map(|(n, weight)| f64::from(*n) * weight).sum();
            score += idf * weighted / (weighted + HALF);
            whole += idf;
            if counts[Mark::Name as usize] + counts[Mark::Alias as usize] > 0 {
                named += idf;
            }
        }
        if whole > 0.0 {
            // All in the name is worth more than anything elsewhere.
            score += whole * (named / whole).powi(2) + whole * self.likeness(doc);
        }
        score
    }

    /// How much a slug, which holds the words of a name, is what was asked for: 2 exactly, up to 1
    /// when it contains the words in a row.
    fn likeness(&self, doc: u32) -> f64 {
        let slug = self.index.slug(doc);
        if slug == self.slug {
            return 2.0;
        }
        let Some(start) = slug.find(&self.slug) else { return 0.0 };
        let (before, after) = (&slug[..start], &slug[start + self.slug.len()..]);
        let whole_words =
            (before.is_empty() || before.ends_with('-')) && (after.is_empty() || after.starts_with('-'));
        if whole_words { self.slug.len() as f64 / slug.len() as f64 } else { 0.0 }
    }
}

/// How much it tells that a record is among `holders` of `count` records.
fn idf(holders: usize, count: usize) -> f64 {
    let (holders, count) = (holders as f64, count as f64);
    (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
}
