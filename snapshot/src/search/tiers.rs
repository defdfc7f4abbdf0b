//! Tiers: how much of a query a record matches. Full matches come first; below them partial matches, in kinds that a
//! few words describe. Phrases, exclusions and selected filters are required in every tier, except that a search page
//! shows partial matches that lack selected values.

use std::ops::Range;

use crate::facet::Facet;
use crate::query::{Page, Query};
use crate::record::words;
use crate::search::cost::GUESSED_MAX;
use crate::search::index::Index;
use crate::search::matching::{Clause, Form};
use crate::search::narrow::Group;
use crate::search::set::{DocSet, all_of, both, union};
use crate::search::synonyms::BUILT_IN;
use crate::search::text_query::TextQuery;
use crate::search::today::Today;
use crate::search::weights::idf;

/// Weight of a place beside other words: a record for another place helps nobody.
const PLACE: f64 = 1.5;
/// Least share of a query's weight that a record in [`Tier::Most`] matches.
const MOST: f64 = 0.5;
/// Least share of a query's weight that known words have where records are shown that match only some of them.
const SHOWN: f64 = 0.1;

/// Weight of selected values beside a word that as many records have.
const CHOSEN: f64 = 0.3;

words! {
    /// How much of a query a record matches; the best first. The words are those of answers.
    Tier {
        /// All of it, and the query is its name.
        Name = "name",
        /// All of it.
        All = "all",
        /// All of it, but it may pay more than the greatest amount.
        More = "more",
        /// All of it, but nothing recent confirms that it is open, as the search requires.
        Unconfirmed = "unconfirmed",
        /// All of it, the place only by a region that contains it.
        Wider = "wider",
        /// All of it if words are guessed.
        Guess = "guess",
        /// All of it except eligibility, of which the record states nothing.
        Unstated = "unstated",
        /// At least half of its weight.
        Most = "most",
        /// Less.
        Some = "some",
    }
}

impl Tier {
    /// Whether it is a full match, which totals count.
    pub const fn is_full(self) -> bool {
        matches!(self, Self::Name | Self::All | Self::More | Self::Unconfirmed)
    }
}

/// Takes the rows of a page from one tier after the other.
pub(super) struct Pager {
    /// Rows before the page that are still to come.
    skip: u64,
    /// Rows that the page still takes.
    room: u64,
    pub(super) rows: Vec<(u32, Tier)>,
    /// Whether rows follow the page.
    pub(super) more: bool,
}

impl Pager {
    pub(super) fn new(page: Page) -> Self {
        Self { skip: page.offset, room: page.limit, rows: Vec::new(), more: false }
    }

    /// Takes what belongs on the page of `count` rows of a tier.
    pub(super) fn take(&mut self, tier: Tier, count: usize, page: impl FnOnce(&Page) -> Vec<u32>) {
        let rows = Page { offset: self.skip, limit: self.room };
        let count = count as u64;
        self.more |= self.skip.saturating_add(self.room) < count;
        let taken = if self.room == 0 || self.skip >= count { Vec::new() } else { page(&rows) };
        self.skip = self.skip.saturating_sub(count);
        self.room -= taken.len() as u64;
        self.rows.extend(taken.into_iter().map(|doc| (doc, tier)));
    }
}

/// A clause or an applied filter phrase, looked up.
#[derive(Default)]
pub(super) struct Part<'a> {
    pub(super) clause: Clause<'a>,
    /// Documents that match it or its guesses.
    pub(super) docs: DocSet<'a>,
    /// Those of them that match it itself, if there are others.
    unguessed: Option<DocSet<'a>>,
    /// Those of them that need no synonym of several words, if it has any.
    direct: Option<DocSet<'a>>,
    /// Documents that match its place, also by a wider region.
    wider: Option<DocSet<'a>>,
    /// Documents that state nothing in its facets or measures.
    unstated: Option<DocSet<'a>>,
    /// Of one of several alternatives, whose sets above are those of all: its place in `known` as the first of them, and
    /// the documents that match it alone.
    pub(super) alternative: Option<(usize, DocSet<'a>)>,
    pub(super) idf: f64,
    pub(super) is_filter: bool,
    /// The first facet of the group, if it is selected values.
    facet: Option<Facet>,
}

impl<'a> Part<'a> {
    /// Whether it is selected values.
    pub(super) fn is_chosen(&self) -> bool {
        self.facet.is_some()
    }

    /// Documents that match it itself.
    pub(super) fn typed(&self) -> &DocSet<'a> {
        self.unguessed.as_ref().unwrap_or(&self.docs)
    }

    /// Documents that match it itself, without its alternatives.
    pub(super) fn own(&self) -> &DocSet<'a> {
        self.alternative.as_ref().map_or_else(|| self.typed(), |(_, own)| own)
    }

    /// Whether it distinguishes records: most do not match it, and some do.
    pub(super) fn is_rare(&self, index: &Index) -> bool {
        !self.typed().is_empty() && self.docs.len() <= index.programs() / 2
    }
}

/// The parts of a query.
pub(super) struct Parts<'a> {
    index: &'a Index,
    pub(super) known: Vec<Part<'a>>,
    /// Selected values that partial matches may lack.
    chosen: Vec<Part<'a>>,
    /// Clauses that no record matches.
    pub(super) unknown: Vec<Clause<'a>>,
    has_phrases: bool,
}

impl<'a> Parts<'a> {
    /// `filters` are the filters that phrases were applied as: their words, and a query of nothing else.
    pub(super) fn new(
        index: &'a Index,
        query: &TextQuery,
        filters: Vec<(Vec<String>, Query)>,
        today: &'a Today,
    ) -> Self {
        let has_phrases = !query.phrases.is_empty();
        let mut parts =
            Self { index, known: Vec::new(), chosen: Vec::new(), unknown: Vec::new(), has_phrases };
        let (mut guesses, mut groups) = (0, Vec::<Range<usize>>::new());
        let mut clauses = query.clauses(index).into_iter().peekable();
        while let Some(clause) = clauses.next() {
            let is_alternative = clause.is_alternative;
            let is_joined = is_alternative || clauses.peek().is_some_and(|next| next.is_alternative);
            let typed = query.words.iter().find(|word| clause.words == [word.text.as_str()]);
            let mut guessed = Vec::new();
            if clause.is_unknown()
                && guesses < GUESSED_MAX
                && let Some(word) = typed.filter(|word| !index.entities.has_word(&word.text))
                && !index.names_recipient(&word.text)
            {
                guessed = index.terms.guessed(word);
                guesses += usize::from(!guessed.is_empty());
            }
            let first = parts.known.len();
            parts.add(clause, guessed, is_joined);
            match groups.last_mut() {
                Some(group) if is_alternative => group.end = parts.known.len(),
                _ => groups.push(first..parts.known.len()),
            }
        }
        groups.into_iter().filter(|group| group.len() > 1).for_each(|group| parts.unite(group));
        for (words, filter) in filters {
            let words = words.into_iter().map(Into::into).collect();
            let docs = index.filter(&filter, today, None).unwrap_or_else(|| DocSet::all(index.programs()));
            let idf = idf(docs.len(), index.programs());
            let clause = Clause { words, ..Clause::default() };
            let unstated = index.without_measures(&filter);
            parts.known.push(Part { clause, docs, unstated, idf, is_filter: true, ..Part::default() });
        }
        parts
    }

    /// Adds selected values of a group of facets, which partial matches may lack; `silent` are the documents that state
    /// none of the group.
    pub(super) fn add_chosen(&mut self, group: Group<'a>, silent: DocSet<'a>) {
        let idf = CHOSEN * idf(group.docs.len(), self.index.programs());
        let (facet, docs, unstated) = (Some(group.facet), group.docs, Some(silent));
        self.chosen.push(Part { facet, docs, unstated, idf, is_filter: true, ..Part::default() });
    }

    /// Adds a clause and the guesses for it. One of several alternatives that no record has keeps none from the others.
    fn add(&mut self, mut clause: Clause<'a>, guessed: Vec<u32>, is_joined: bool) {
        let index = self.index;
        let entity = clause.entity.filter(|_| clause.left_out.is_none());
        let wider = entity.and_then(|entity| entity.with_wider_places(&index.values));
        let elsewhere = clause.place().map_or_else(DocSet::default, |place| index.seats.elsewhere(place));
        let wider = wider.map(|docs| docs.without(&elsewhere));
        let (typed, direct) = (clause.docs(index), clause.direct_docs(index));
        let mut others = guessed;
        others.retain(|other| clause.forms.iter().all(|(term, _)| term != other));
        let is_lost = !is_joined && others.is_empty() && wider.as_ref().is_none_or(DocSet::is_empty);
        if is_lost && clause.is_unknown() {
            self.unknown.push(clause);
            return;
        }
        let facets = entity.map(|entity| entity.facets(&index.values)).unwrap_or_default();
        let unstated = facets.iter().filter_map(|facet| index.values.unstated(*facet));
        let unstated = all_of(unstated.collect());
        let guessed = (!others.is_empty()).then(|| index.terms.any(&others));
        let unguessed = guessed.as_ref().map(|_| typed.clone());
        let docs = union(std::iter::once(typed).chain(guessed).collect(), index.programs());
        clause.forms.extend(others.into_iter().map(|term| (term, Form::Guess)));
        let of_place = if clause.place().is_some() { PLACE } else { 1.0 };
        let idf = of_place * idf(docs.len(), index.programs());
        self.known.push(Part { clause, docs, unguessed, direct, wider, unstated, idf, ..Part::default() });
    }

    /// Makes alternatives of some parts: a document matches each of them by any.
    fn unite(&mut self, group: Range<usize>) {
        let (count, all) = (self.index.programs(), &self.known[group.clone()]);
        let of_any = |sets: Vec<DocSet<'a>>| (!sets.is_empty()).then(|| union(sets, count));
        let docs = of_any(all.iter().map(|part| part.docs.clone()).collect()).unwrap_or_default();
        let is_guessed = all.iter().any(|part| part.unguessed.is_some());
        let typed = is_guessed.then(|| all.iter().map(|part| part.typed().clone()).collect());
        let unguessed = typed.and_then(of_any);
        let wider = of_any(all.iter().filter_map(|part| part.wider.clone()).collect());
        let unstated = of_any(all.iter().filter_map(|part| part.unstated.clone()).collect());
        for part in &mut self.known[group.clone()] {
            part.alternative = Some((group.start, part.typed().clone()));
            (part.docs, part.unguessed, part.direct) = (docs.clone(), unguessed.clone(), None);
            (part.wider, part.unstated) = (wider.clone(), unstated.clone());
        }
    }

    /// Words, filter phrases and selected values that some record matches.
    pub(super) fn all(&self) -> impl Iterator<Item = &Part<'a>> + Clone {
        self.known.iter().chain(&self.chosen)
    }

    /// Whether the query has neither words nor filter phrases.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.unknown.is_empty()
    }

    /// Whether the query names a place.
    pub(super) fn any_wider(&self) -> bool {
        self.known.iter().any(|part| part.wider.is_some())
    }

    /// Full matches among all documents; `None` without parts.
    pub(super) fn full(&self) -> Option<DocSet<'_>> {
        self.full_without(usize::MAX)
    }

    /// Full matches of all parts but one, known ones first; `None` without others.
    pub(super) fn full_without(&self, left_out: usize) -> Option<DocSet<'_>> {
        if (self.known.len()..).take(self.unknown.len()).any(|position| position != left_out) {
            return Some(DocSet::default());
        }
        let group = |part: &Part<'a>| part.alternative.as_ref().map(|(first, _)| *first);
        let of_group = self.known.get(left_out).and_then(group);
        let parts = self.known.iter().enumerate().filter(|(position, _)| *position != left_out);
        // Those that are left of its alternatives.
        let (others, rest): (Vec<_>, Vec<_>) =
            parts.map(|(_, part)| part).partition(|part| of_group.is_some() && group(part) == of_group);
        let own = others.iter().map(|part| part.own().borrowed());
        let others = of_group.map(|_| union(own.collect(), self.index.programs()));
        all_of(rest.iter().map(|part| part.typed().borrowed()).chain(others).collect())
    }

    /// The synonyms of several words that a full match has in place of what was typed.
    pub(super) fn shown_for(&self, doc: u32) -> Vec<String> {
        let lacks = |part: &&Part<'_>| part.direct.as_ref().is_some_and(|docs| !docs.contains(doc));
        let other = |part: &Part<'_>| {
            let mut others = part.clause.others.iter().filter(|other| other.is_synonym);
            others.find(|other| other.docs.contains(doc)).map(|other| BUILT_IN.written(other.words))
        };
        self.known.iter().filter(lacks).filter_map(other).collect()
    }

    /// Documents of a tier below the full matches, and maybe of better tiers, among some. `None` if the query has no
    /// such tier.
    pub(super) fn docs<'b>(&'b self, tier: Tier, among: Option<&DocSet<'b>>) -> Option<DocSet<'b>> {
        let all = self.unknown.is_empty();
        let has_tier = match tier {
            Tier::Name | Tier::All | Tier::More | Tier::Unconfirmed | Tier::Most => false,
            Tier::Wider => all && self.any_wider(),
            Tier::Guess => all && self.known.iter().any(|part| part.unguessed.is_some()),
            Tier::Unstated => all && self.known.iter().any(|part| part.unstated.is_some()),
            Tier::Some => {
                let is_long = self.all().count() > 1 || !all;
                self.has_phrases || is_long && self.known_weight() >= SHOWN * self.whole_weight()
            }
        };
        if !has_tier || tier == Tier::Some {
            return has_tier.then(|| self.some(among));
        }
        let matching = self.known.iter().map(|part| {
            let unstated = part.unstated.iter().filter(|_| tier == Tier::Unstated);
            let docs = if tier == Tier::Wider { part.typed() } else { &part.docs };
            let sets = std::iter::once(docs).chain(&part.wider).chain(unstated);
            union(sets.map(DocSet::borrowed).collect(), self.index.programs())
        });
        Some(both(all_of(matching.collect()), among).unwrap_or_default())
    }

    /// Documents that match a part, among some. With a phrase, all of these.
    fn some<'b>(&'b self, among: Option<&DocSet<'b>>) -> DocSet<'b> {
        let count = self.index.programs();
        if self.has_phrases {
            return among.cloned().unwrap_or_else(|| DocSet::all(count));
        }
        // A part that most records match does not distinguish them. With selected values, those that match all else belong to
        // them, too.
        let parts = self.known.iter().filter(|part| part.docs.len() <= count / 2);
        let all = self.full().filter(|_| !self.chosen.is_empty());
        let found = union(parts.map(|part| part.docs.borrowed()).chain(all).collect(), count);
        among.iter().fold(found, |found, among| found.and(among))
    }

    /// Some documents, and apart those that state other places than all that the query names or that are selected, or a
    /// value outside the bounds of a filter phrase.
    pub(super) fn without_contradictions<'b>(&self, docs: DocSet<'b>) -> [DocSet<'b>; 2] {
        let outside = |part: &Part<'a>| {
            let outside = docs.borrowed().without(&part.docs).without(part.unstated.as_ref()?);
            Some(part.wider.iter().fold(outside, |outside, wider| outside.without(wider)))
        };
        let is_place = |part: &&Part<'a>| {
            part.clause.place().is_some() || part.facet.is_some_and(|facet| facet.spec().is_place)
        };
        let places = self.all().filter(is_place);
        let bounds = self.known.iter().filter(|part| part.is_filter).filter_map(outside);
        let outside = bounds.chain(all_of(places.filter_map(outside).collect()));
        let outside = union(outside.collect(), self.index.programs()).into_owned();
        [docs.without(&outside), outside]
    }

    /// Weight of the parts that a document matches.
    pub(super) fn weight(&self, doc: u32) -> f64 {
        self.all().filter(|part| part.docs.contains(doc)).map(|part| part.idf).sum()
    }

    fn known_weight(&self) -> f64 {
        self.all().map(|part| part.idf).sum()
    }

    /// Weight of the query, with its unknown words.
    pub(super) fn whole_weight(&self) -> f64 {
        self.known_weight() + self.unknown.len() as f64 * idf(0, self.index.programs())
    }

    /// The tier of a document that is no full match, by the weight of what it matches.
    pub(super) fn partial_tier(&self, doc: u32) -> Tier {
        if self.weight(doc) >= MOST * self.whole_weight() { Tier::Most } else { Tier::Some }
    }

    /// Weight of the parts that each document matches.
    pub(super) fn weights(&self) -> Vec<f32> {
        let mut weights = vec![0f32; self.index.programs()];
        for part in self.all() {
            part.docs.for_each(|doc| weights[doc as usize] += part.idf as f32);
        }
        weights
    }

    /// The words that a document of a tier lacks, as they were typed. A guess is not what was typed.
    pub(super) fn missing(&self, doc: u32, tier: Tier) -> Vec<String> {
        let is_missing = |part: &&Part<'_>| {
            let is_wider = part.wider.as_ref().is_some_and(|docs| docs.contains(doc));
            !part.typed().contains(doc) && (!is_wider || tier == Tier::Wider)
        };
        let known = self.known.iter().filter(is_missing).map(|part| &part.clause);
        known.chain(&self.unknown).map(|clause| clause.words.join(" ")).collect()
    }

    /// The words that a document has itself, as they were typed.
    pub(super) fn matched(&self, doc: u32) -> Vec<String> {
        let matched = self.known.iter().filter(|part| part.typed().contains(doc));
        matched.map(|part| part.clause.words.join(" ")).collect()
    }

    /// The facets of selected values of which a document has none.
    pub(super) fn outside(&self, doc: u32) -> Vec<Facet> {
        self.chosen.iter().filter(|part| !part.docs.contains(doc)).filter_map(|part| part.facet).collect()
    }
}
