//! Tiers: what of a question a record has. Full matches come first; below them what has nearly all, in
//! kinds that can be told in a few words. What was quoted, excluded or picked is not open to
//! interpretation and holds for every tier.

use crate::query::Query;
use crate::search::Index;
use crate::search::matching::{Clause, Form, TextQuery};
use crate::search::score::{ScoredClause, idf};
use crate::search::set::{DocSet, Docs, Held, union};
use crate::search::today::Today;

/// Most records that have only some of a question.
pub const SOME_MAX: usize = 100;
/// The share of a question's worth that what tells least has at most; without more, it is not nearly all.
const LITTLE: f64 = 0.25;
/// Most words of a question that are guessed.
const GUESSED_MAX: usize = 2;

/// What of a question a record has; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// It is called what was asked.
    Name,
    /// All of it.
    All,
    /// All of it, the place only by eligibility_facets a wider one.
    Wider,
    /// All of it, if words are slips of others.
    Guess,
    /// All of it but who may apply, of which it says nothing.
    Unstated,
    /// All of it but the words that tell least, or that stand nowhere.
    Most,
    /// Some of it.
    Some,
}

impl Tier {
    /// All, the best first.
    pub const ALL: [Self; 7] =
        [Self::Name, Self::All, Self::Wider, Self::Guess, Self::Unstated, Self::Most, Self::Some];

    /// Its name in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::All => "all",
            Self::Wider => "wider",
            Self::Guess => "guess",
            Self::Unstated => "unstated",
            Self::Most => "most",
            Self::Some => "some",
        }
    }

    /// Whether it is a full match, which totals count.
    #[must_use]
    pub const fn is_full(self) -> bool {
        matches!(self, Self::Name | Self::All)
    }
}

/// A clause, looked up.
pub(super) struct Part<'a> {
    pub(super) clause: Clause,
    /// Documents that have it, or what it may be a slip of.
    docs: Held<'a>,
    /// Documents that admit its place.
    wider: Option<Held<'a>>,
    /// Documents that say nothing of what it speaks of.
    mute: Option<DocSet>,
    pub(super) idf: f64,
    pub(super) guessed: bool,
    /// Whether it is a filter that words said, and no text.
    is_filter: bool,
}

impl Part<'_> {
    /// What the scores need of it.
    pub(super) fn told(&self) -> ScoredClause<'_> {
        let said = self.is_filter.then(|| self.docs.docs());
        ScoredClause { clause: &self.clause, said, idf: self.idf }
    }
}

/// A filter that words said.
pub(super) struct Filter {
    words: Vec<String>,
    docs: DocSet,
    mute: Option<DocSet>,
}

impl Filter {
    /// `filter` is a question of nothing else.
    pub(super) fn new(words: Vec<String>, filter: &Query, index: &Index, today: &Today) -> Self {
        let docs = index.filter(filter, today, None).unwrap_or_else(|| DocSet::all(index.len()));
        Self { words, docs, mute: index.without_measures(filter) }
    }
}

/// The clauses of a question, and what stands nowhere.
pub(super) struct Parts<'a> {
    index: &'a Index,
    pub(super) known: Vec<Part<'a>>,
    /// Clauses that no record has.
    pub(super) unknown: Vec<Clause>,
    /// Whether something else than words narrows the question: a phrase tells much.
    phrased: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(index: &'a Index, wanted: &TextQuery, said: Vec<Filter>) -> Self {
        let phrased = !wanted.phrases.is_empty();
        let mut parts = Self { index, known: Vec::new(), unknown: Vec::new(), phrased };
        let last = wanted.words.last().map(|word| word.text.as_str()).filter(|_| wanted.goes_on);
        let mut guesses = 0;
        for mut clause in wanted.clauses(index) {
            let typed = wanted.words.iter().find(|word| clause.words == [word.text.as_str()]);
            let mut guessed = false;
            if clause.is_unknown(index)
                && guesses < GUESSED_MAX
                && let Some(word) = typed.filter(|word| !index.entities.has_word(&word.text))
            {
                let terms = index.terms.guessed(word, last == Some(word.text.as_str()));
                clause.forms = terms.into_iter().map(|term| (term, Form::Guess)).collect();
                guessed = !clause.forms.is_empty();
                guesses += usize::from(guessed);
            }
            parts.add(clause, guessed);
        }
        for Filter { words, docs, mute } in said {
            let (docs, mut clause) = (Held::Made(docs), Clause::default());
            clause.words = words.into_iter().map(Into::into).collect();
            let idf = idf(docs.docs().len(), index.len());
            parts.known.push(Part { clause, docs, wider: None, mute, idf, guessed: false, is_filter: true });
        }
        parts
    }

    fn add(&mut self, clause: Clause, guessed: bool) {
        let index = self.index;
        let wider = clause.entity.and_then(|entity| index.entities.eligibility_facets(entity, &index.values));
        if clause.is_unknown(index) && wider.as_ref().is_none_or(|docs| docs.docs().is_empty()) {
            self.unknown.push(clause);
            return;
        }
        let mute = clause
            .entity
            .and_then(|entity| index.missing_values.in_all(&index.entities.facets(entity, &index.values)));
        let docs = clause.docs(index);
        let idf = idf(docs.docs().len(), index.len());
        self.known.push(Part { clause, docs, wider, mute, idf, guessed, is_filter: false });
    }

    /// Whether no word has to be there.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.unknown.is_empty()
    }

    /// Whether a place is asked for that wider ones hold.
    pub(super) fn any_wider(&self) -> bool {
        self.known.iter().any(|part| part.wider.is_some())
    }

    fn any_guessed(&self) -> bool {
        self.known.iter().any(|part| part.guessed)
    }

    /// Full matches among all documents; `None` when no word has to be there.
    pub(super) fn exact(&self) -> Option<DocSet> {
        if !self.unknown.is_empty() || self.any_guessed() {
            return Some(DocSet::none());
        }
        let mut parts: Vec<Docs<'_>> = self.known.iter().map(|part| part.docs.docs()).collect();
        parts.sort_by_key(Docs::len);
        let mut parts = parts.into_iter();
        let mut docs = parts.next()?.to_set();
        parts.for_each(|part| docs.intersect(&part));
        Some(docs)
    }

    /// Documents of a tier below the full matches, among some; those of better tiers may be in it too.
    /// `None` when the tier is none of this question.
    pub(super) fn docs(&self, tier: Tier, among: Option<&DocSet>) -> Option<DocSet> {
        let all = self.unknown.is_empty();
        let has = |part: &Part<'_>, mute: bool| self.having(part, mute);
        let least = self.known.iter().enumerate().min_by(|(_, a), (_, b)| a.idf.total_cmp(&b.idf));
        let whole: f64 = self.known.iter().map(|part| part.idf).sum();
        let little = |(_, part): &(usize, &Part<'_>)| part.idf <= LITTLE * whole;
        let least =
            least.filter(little).map(|(position, _)| position).filter(|_| all && self.known.len() > 1);
        match tier {
            Tier::Name | Tier::All => None,
            Tier::Wider => (all && !self.any_guessed() && self.any_wider())
                .then(|| self.in_all(among, None, |part| has(part, false))),
            Tier::Guess => {
                (all && self.any_guessed()).then(|| self.in_all(among, None, |part| has(part, false)))
            }
            Tier::Unstated => (all && self.known.iter().any(|part| part.mute.is_some()))
                .then(|| self.in_all(among, None, |part| has(part, true))),
            Tier::Most => ((!self.known.is_empty() || self.phrased) && (!all || least.is_some()))
                .then(|| self.in_all(among, least, |part| has(part, false))),
            Tier::Some => (self.known.len() > 1 || self.phrased).then(|| self.some(among)),
        }
    }

    fn having(&self, part: &Part<'_>, mute: bool) -> DocSet {
        let mut parts = vec![part.docs.docs()];
        parts.extend(part.wider.as_ref().map(Held::docs));
        parts.extend(part.mute.as_ref().filter(|_| mute).map(DocSet::docs));
        union(&parts, self.index.len()).into_set()
    }

    fn in_all(
        &self,
        among: Option<&DocSet>,
        without: Option<usize>,
        docs: impl Fn(&Part<'_>) -> DocSet,
    ) -> DocSet {
        let parts = self.known.iter().enumerate().filter(|(position, _)| Some(*position) != without);
        let mut sets: Vec<DocSet> = parts.map(|(_, part)| docs(part)).collect();
        sets.sort_by_key(DocSet::len);
        let mut sets = sets.into_iter().chain(among.cloned());
        let Some(mut found) = sets.next() else { return DocSet::none() };
        sets.for_each(|set| found.intersect(&set.docs()));
        found
    }

    /// Documents that have something of a question, among some. With a phrase it is enough to be among them.
    fn some(&self, among: Option<&DocSet>) -> DocSet {
        let count = self.index.len();
        if self.phrased {
            return among.cloned().unwrap_or_else(|| DocSet::all(count));
        }
        // A part that most records have makes no candidate.
        let parts = self.known.iter().map(|part| part.docs.docs()).filter(|docs| docs.len() <= count / 2);
        let mut found = union(&parts.collect::<Vec<_>>(), count).into_set();
        if let Some(among) = among {
            found.intersect(&among.docs());
        }
        found
    }

    /// How much of a question a document has.
    pub(super) fn had(&self, doc: u32) -> f64 {
        self.known.iter().filter(|part| part.docs.docs().contains(doc)).map(|part| part.idf).sum()
    }

    /// How much of a question each document has.
    pub(super) fn had_by_all(&self) -> Vec<f32> {
        let mut had = vec![0f32; self.index.len()];
        for part in &self.known {
            part.docs.docs().to_set().for_each(|doc| had[doc as usize] += part.idf as f32);
        }
        had
    }

    /// The words that a document of a tier lacks, as they were typed; a guess is no word that was typed.
    pub(super) fn missing(&self, doc: u32, tier: Tier) -> Vec<String> {
        let lacks = |part: &&Part<'_>| {
            if part.guessed {
                return true;
            }
            let wider = part.wider.as_ref().is_some_and(|docs| docs.docs().contains(doc));
            let has = part.docs.docs().contains(doc) || wider && tier != Tier::Wider;
            !has
        };
        let known = self.known.iter().filter(lacks).map(|part| &part.clause);
        known.chain(&self.unknown).map(|clause| clause.words.join(" ")).collect()
    }
}
