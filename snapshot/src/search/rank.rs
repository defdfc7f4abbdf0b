//! Relevance: the rows of a page for people and for language models. Full matches first, best first, or
//! in the order that the question names; below them, while the page has room, what comes near, in
//! labelled tiers. Work is bounded: only so many records of a tier are scored.

use crate::facet::Facet;
use crate::query::{Page, Query};
use crate::search::entities;
use crate::search::filter_phrases::{self, FilterPhrase};
use crate::search::matching::TextQuery;
use crate::search::score::{ScoredClause, Scorer};
use crate::search::set::{DocSet, Docs, has_bit, set_bit, union, words};
use crate::search::tiers::{Filter, Part, Parts, SOME_MAX, Tier};
use crate::search::today::Today;
use crate::search::units::{self, Budget};
use crate::search::{FacetCounts, Index};

/// Most records of one tier that are scored for a question, from impacts.
pub const SCORED_MAX: usize = 2_000;

/// Fewest records that are scored, whatever the question has cost before.
const SCORED_LEAST: usize = 200;

/// So many of the best of them are put in order by reading their tokens too.
pub const READ_MAX: usize = 32;

/// Full matches that are enough of an answer: beside fewer, what comes near is often what was meant.
const ENOUGH: usize = 3;

/// Records whose slug begins with the question are looked at in any case, up to this many.
const NAMESAKES_MAX: usize = 100;

/// A row of a ranked page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedRow {
    /// Number of the document.
    pub doc: u32,
    /// How much of the query it matches.
    pub tier: Tier,
    /// Words of the query that it lacks, as they were typed.
    pub missing: Vec<String>,
}

/// The facet values or the place that words of a query name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpretation {
    /// The words, folded.
    pub words: String,
    /// Values other than places.
    pub values: Vec<(Facet, u32)>,
    /// Code of a place.
    pub place: Option<String>,
}

/// A query word that no record has, and the terms that were searched in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The word as it was typed.
    pub word: String,
    /// Words of records: untrusted text.
    pub read_as: Vec<String>,
}

/// A page of ranked results, and how the query was interpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedPage {
    /// Number of full matches.
    pub total: usize,
    /// The rows of the page, in order.
    pub rows: Vec<RankedRow>,
    /// Whether rows follow this page.
    pub more: bool,
    /// Records that match everything, the place only through a wider region.
    pub wider: usize,
    /// Records that would match if they stated a value for every eligibility filter and bound.
    pub unstated: usize,
    /// All facets over the full matches, if the query requests them.
    pub facets: Option<Vec<FacetCounts>>,
    /// Words that name facet values or places.
    pub interpretations: Vec<Interpretation>,
    /// Words that were applied as filters.
    pub filter_phrases: Vec<FilterPhrase>,
    /// Words that were replaced by similar ones.
    pub guesses: Vec<Guess>,
    /// Words that no record has.
    pub unknown: Vec<String>,
    /// Words that were searched as text and may also name a country: the word and the country's code.
    pub possible_countries: Vec<(String, &'static str)>,
}

/// Options of a ranked search.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankOptions<'a> {
    /// Sort by score instead of by the query's sort order.
    pub by_relevance: bool,
    /// Words to search as text only, not as entities or filter phrases.
    pub literal: &'a [String],
    /// Include records that state no value for an eligibility filter or a bound.
    pub with_unstated: bool,
    /// Whether the last word may be the beginning of a longer one.
    pub complete_last_word: bool,
    /// Leave partial matches out if there are at least three full matches or one has the query as its name.
    pub partial_if_needed: bool,
    /// Search only these documents.
    pub among: Option<&'a DocSet>,
}

impl RankOptions<'_> {
    /// Sorted by score, everything else off.
    pub const BY_RELEVANCE: Self = Self {
        by_relevance: true,
        literal: &[],
        with_unstated: false,
        complete_last_word: false,
        partial_if_needed: false,
        among: None,
    };
}

impl Index {
    /// Ranked search. Filter phrases of the text are required of a full match; partial matches follow.
    #[must_use]
    pub fn ranked(&self, query: &Query, today: &Today, options: RankOptions<'_>) -> RankedPage {
        read(self, query, today, options, |question, phrases| {
            let mut ranked = question.page(options);
            question.tell(&mut ranked);
            ranked.filter_phrases = phrases;
            ranked
        })
    }

    /// Documents that match fully.
    #[must_use]
    pub fn full_matches(&self, query: &Query, today: &Today, options: RankOptions<'_>) -> DocSet {
        let full = read(self, query, today, options, |question, _| {
            question.left(within(question.parts.exact(), question.hard.as_ref()).as_ref())
        });
        full.unwrap_or_else(|| DocSet::all(self.len()))
    }
}

/// Reads a question and hands it on.
fn read<T>(
    index: &Index,
    query: &Query,
    today: &Today,
    options: RankOptions<'_>,
    answer: impl FnOnce(&Question<'_>, Vec<FilterPhrase>) -> T,
) -> T {
    let (left, phrases) = filter_phrases::extract(query, options.literal, today.day);
    let mut wanted = left.text.as_deref().map(TextQuery::parse).unwrap_or_default();
    wanted.plain = options.literal.to_vec();
    wanted.goes_on &= options.complete_last_word;
    let selected = Query { text: left.text.clone(), ..query.clone() };
    let filters = filter_phrases::filters(query, &left, &phrases);
    let filters = filters.into_iter().map(|(words, filter)| Filter::new(words, &filter, index, today));
    let mut question = Question::new(index, &selected, today, wanted, filters.collect());
    question.among = options.among;
    question.hard = within(question.hard.take(), options.among);
    answer(&question, phrases)
}

/// A score, the place in the default order, and the record.
type Key = (f64, u32, u32);

/// A question, looked up.
struct Question<'a> {
    index: &'a Index,
    query: &'a Query,
    /// The question without its text.
    filters: Query,
    today: &'a Today,
    wanted: TextQuery,
    parts: Parts<'a>,
    /// Documents that ranges, switches, phrases and exclusions leave.
    hard: Option<DocSet>,
    /// Documents that are asked of; `None` is every document.
    among: Option<&'a DocSet>,
    units: Budget,
}

impl<'a> Question<'a> {
    fn new(
        index: &'a Index,
        query: &'a Query,
        today: &'a Today,
        wanted: TextQuery,
        phrase_filters: Vec<Filter>,
    ) -> Self {
        let filters = Query { text: None, ..query.clone() };
        let units = Budget::new(units::most(index.len()));
        let hard = wanted.keep(index.filter(&filters, today, None), index, &units);
        let parts = Parts::new(index, &wanted, phrase_filters);
        Self { index, query, filters, today, wanted, parts, hard, among: None, units }
    }

    fn page(&self, options: RankOptions<'_>) -> RankedPage {
        let base = within(self.parts.exact(), self.hard.as_ref());
        let mut full = None;
        let answer = self.index.answer(&self.filters, self.today, base.as_ref(), |found, _| {
            full = found.cloned();
            Vec::new()
        });
        let full = full.unwrap_or_else(|| DocSet::all(self.index.len()));
        let silent = self.silent(base.as_ref(), &full);
        let page = self.query.page;
        let mut pager = Pager { left: page.offset, room: page.limit, rows: Vec::new(), more: false };
        let told: Vec<ScoredClause<'_>> = self.parts.known.iter().map(Part::told).collect();
        let scorer = Scorer::new(self.index, &self.wanted, &told);
        let best_first = options.by_relevance && !self.wanted.is_empty();
        let named = self.full(&full, best_first, &scorer, &mut pager);
        let mut above = full;
        if options.with_unstated {
            let page = |page: &Page| match best_first {
                true => self.best(Tier::Unstated, &silent, page, &scorer),
                false => self.index.page(self.query, self.today, Some(&silent), page),
            };
            pager.take(Tier::Unstated, silent.len(), page);
            above = union(&[above.docs(), silent.docs()], self.index.len()).into_set();
        }
        let is_enough = options.partial_if_needed && (named || answer.total >= ENOUGH);
        let wider = if is_enough { 0 } else { self.near(above, &scorer, &mut pager) };
        let row = |(doc, tier): (u32, Tier)| {
            let missing = if tier.is_full() { Vec::new() } else { self.parts.missing(doc, tier) };
            RankedRow { doc, tier, missing }
        };
        RankedPage {
            total: answer.total,
            rows: pager.rows.into_iter().map(row).collect(),
            more: pager.more,
            wider,
            unstated: silent.len(),
            facets: answer.facets,
            ..RankedPage::default()
        }
    }

    /// What would match if it did not keep silent where a filter is picked.
    fn silent(&self, base: Option<&DocSet>, full: &DocSet) -> DocSet {
        let open = Query { measures: Default::default(), ..self.filters.clone() };
        let unbounded = (open.measures != self.filters.measures).then(|| {
            let hard = self.wanted.keep(self.index.filter(&open, self.today, None), self.index, &self.units);
            within(self.parts.exact(), within(hard, self.among).as_ref())
        });
        let base = unbounded.as_ref().map_or(base, Option::as_ref);
        let mut docs = self.index.or_silent(&self.filters, self.today, base).unwrap_or_else(DocSet::none);
        docs.subtract(&full.docs());
        docs
    }

    /// Rows of full matches: those that are called so first. Whether there are such.
    fn full(&self, full: &DocSet, by_relevance: bool, scorer: &Scorer<'_>, pager: &mut Pager) -> bool {
        if !by_relevance {
            let page = |page: &Page| self.index.page(self.query, self.today, Some(full), page);
            pager.take(Tier::All, full.len(), page);
            return false;
        }
        let titles = self.index.titles.find(self.query.text.as_deref().unwrap_or_default());
        let named = DocSet::List(titles.iter().copied().filter(|doc| full.contains(*doc)).collect());
        pager.take(Tier::Name, named.len(), |page| self.best(Tier::Name, &named, page, scorer));
        let mut rest = full.clone();
        rest.subtract(&named.docs());
        pager.take(Tier::All, rest.len(), |page| self.best(Tier::All, &rest, page, scorer));
        !named.is_empty()
    }

    /// Rows of what comes near, while there is room. What lacks something is ranked together, whatever it
    /// lacks: a record without a word may be nearer than one that does not say who may apply. How many
    /// admit the place by a wider one is told wherever the page ends.
    fn near(&self, above: DocSet, scorer: &Scorer<'_>, pager: &mut Pager) -> usize {
        if self.parts.is_empty() || pager.more && !self.parts.any_wider() {
            return 0;
        }
        let among = self.picked();
        let mut above = above;
        let mut below = |tier: Tier| {
            let mut docs = self.parts.docs(tier, among.as_ref())?;
            docs.subtract(&above.docs());
            if tier == Tier::Some {
                docs = self.first_of_some(&docs);
            }
            above = union(&[above.docs(), docs.docs()], self.index.len()).into_set();
            Some((tier, docs))
        };
        let mut wider = 0;
        for tier in [Tier::Wider, Tier::Guess] {
            if let Some((tier, docs)) = below(tier) {
                wider += if tier == Tier::Wider { docs.len() } else { 0 };
                pager.take(tier, docs.len(), |page| self.best(tier, &docs, page, scorer));
            }
        }
        if pager.more {
            return wider;
        }
        let lacking: Vec<(Tier, DocSet)> =
            [Tier::Unstated, Tier::Most, Tier::Some].into_iter().filter_map(below).collect();
        let parts: Vec<Docs<'_>> = lacking.iter().map(|(_, docs)| docs.docs()).collect();
        let all = union(&parts, self.index.len()).into_set();
        let tier =
            |doc: u32| lacking.iter().find(|(_, docs)| docs.contains(doc)).map_or(Tier::Some, |(t, _)| *t);
        let from = pager.rows.len();
        pager.take(Tier::Some, all.len(), |page| self.best(Tier::Some, &all, page, scorer));
        pager.rows[from..].iter_mut().for_each(|row| row.1 = tier(row.0));
        wider
    }

    /// Documents that everything leaves but the words; `None` is every document.
    fn picked(&self) -> Option<DocSet> {
        self.left(self.hard.as_ref())
    }

    /// Documents of a base that picked values leave; `None` is every document.
    fn left(&self, base: Option<&DocSet>) -> Option<DocSet> {
        let filters = Query { facets: false, ..self.filters.clone() };
        let mut left = None;
        self.index.answer(&filters, self.today, base, |found, _| {
            left = found.cloned();
            Vec::new()
        });
        left
    }

    /// Those that have most of the question, so many at most.
    fn first_of_some(&self, docs: &DocSet) -> DocSet {
        let had = self.parts.had_by_all();
        let rank = &self.today.order.rank;
        let mut keyed: Vec<(f32, u32, u32)> = Vec::with_capacity(docs.len());
        docs.for_each(|doc| keyed.push((had[doc as usize], rank[doc as usize], doc)));
        if keyed.len() > SOME_MAX {
            keyed.select_nth_unstable_by(SOME_MAX, |(x, a, _), (y, b, _)| {
                y.total_cmp(x).then_with(|| a.cmp(b))
            });
            keyed.truncate(SOME_MAX);
        }
        let mut first: Vec<u32> = keyed.into_iter().map(|(_, _, doc)| doc).collect();
        first.sort_unstable();
        DocSet::List(first)
    }

    /// A page of some records of a tier, best first. Of very many, those that are scored come first; the
    /// rest keeps the default order.
    fn best(&self, tier: Tier, all: &DocSet, page: &Page, scorer: &Scorer<'_>) -> Vec<u32> {
        let range = page.range(all.len());
        if range.is_empty() {
            return Vec::new();
        }
        let candidates = self.candidates(tier, all, scorer);
        let mut docs = self.sorted(&candidates, range.end, scorer);
        if range.end > candidates.len() {
            let mut scored = vec![0; words(self.index.len())];
            candidates.iter().for_each(|doc| set_bit(&mut scored, *doc));
            let rest = self.today.order.docs.iter().copied();
            let rest = rest.filter(|doc| all.contains(*doc) && !has_bit(&scored, *doc));
            let missing = range.end - docs.len();
            docs.extend(rest.take(missing));
        }
        docs[range].to_vec()
    }

    /// Those that are scored, as many as there is budget for: namesakes, then those that have most of the
    /// question, then the first in the default order. Ascending.
    fn candidates(&self, tier: Tier, all: &DocSet, scorer: &Scorer<'_>) -> Vec<u32> {
        let read = READ_MAX as u64 * self.index.terms.mean_codes();
        let affordable = self.units.left().saturating_sub(read) / scorer.rough_units();
        let most = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(SCORED_LEAST, SCORED_MAX);
        let mut docs = Vec::with_capacity(all.len().min(most));
        if all.len() <= most {
            all.for_each(|doc| docs.push(doc));
            return docs;
        }
        docs.extend(self.namesakes().filter(|doc| all.contains(*doc)));
        docs.sort_unstable();
        let room = most - docs.len();
        // Full matches have all of it.
        let had = |doc: u32| if tier.is_full() { 0.0 } else { self.parts.had(doc) };
        let mut keyed: Vec<(f64, u32, u32)> = Vec::with_capacity(all.len());
        all.for_each(|doc| {
            if docs.binary_search(&doc).is_err() {
                keyed.push((had(doc), self.today.order.rank[doc as usize], doc));
            }
        });
        if room < keyed.len() {
            keyed.select_nth_unstable_by(room, |(x, a, _), (y, b, _)| y.total_cmp(x).then_with(|| a.cmp(b)));
            keyed.truncate(room);
        }
        docs.extend(keyed.into_iter().map(|(_, _, doc)| doc));
        docs.sort_unstable();
        docs
    }

    fn namesakes(&self) -> impl Iterator<Item = u32> {
        let slug: Vec<&str> = self.wanted.words.iter().map(|word| word.text.as_str()).collect();
        let (by_slug, slug) = (self.index.by_slug(), slug.join("-"));
        let start = by_slug.partition_point(|doc| self.index.slug(*doc) < slug.as_str());
        let namesakes = by_slug[start..].iter().copied();
        namesakes.take_while(move |doc| self.index.slug(*doc).starts_with(&slug)).take(NAMESAKES_MAX)
    }

    /// The best of some, ascending, best first and as many as are asked for; equal ones in the default
    /// order. Impacts say which are worth reading.
    fn sorted(&self, docs: &[u32], most: usize, scorer: &Scorer<'_>) -> Vec<u32> {
        let read = docs.len().min(READ_MAX);
        self.units.spend(docs.len() as u64 * scorer.rough_units());
        self.units.spend(read as u64 * self.index.terms.mean_codes());
        let key = |score: f64, doc: u32| (score, self.today.order.rank[doc as usize], doc);
        let order = |(x, a, _): &Key, (y, b, _): &Key| y.total_cmp(x).then_with(|| a.cmp(b));
        let rough = if docs.len() > read { scorer.roughly(docs) } else { vec![0.0; docs.len()] };
        let mut keyed: Vec<Key> = docs.iter().zip(rough).map(|(doc, score)| key(score, *doc)).collect();
        let most = most.max(read);
        if most < keyed.len() {
            keyed.select_nth_unstable_by(most, order);
            keyed.truncate(most);
        }
        if read < keyed.len() {
            keyed.select_nth_unstable_by(read, order);
        }
        let (best, rest) = keyed.split_at_mut(read);
        best.iter_mut().for_each(|(score, _, doc)| *score = scorer.score(*doc));
        best.sort_unstable_by(order);
        rest.sort_unstable_by(order);
        keyed.into_iter().map(|(_, _, doc)| doc).collect()
    }

    /// Says how the question was read.
    fn tell(&self, ranked: &mut RankedPage) {
        let values = &self.index.values;
        let clauses = self.parts.known.iter().map(|part| &part.clause).chain(&self.parts.unknown);
        for clause in clauses {
            let Some(entity) = clause.entity else {
                let words = clause.words.join(" ");
                let country = entities::country_of(&words);
                ranked.possible_countries.extend(country.map(|code| (words, code)));
                continue;
            };
            let (plain, _) = self.index.entities.values(entity);
            ranked.interpretations.push(Interpretation {
                words: clause.words.join(" "),
                values: plain.iter().map(|ordinal| (values.facet_of(*ordinal), *ordinal)).collect(),
                place: self.index.entities.place(entity).map(str::to_owned),
            });
        }
        let guessed = self.parts.known.iter().filter(|part| part.guessed);
        ranked.guesses.extend(guessed.map(|part| Guess {
            word: part.clause.words.join(" "),
            read_as:
                part.clause.forms.iter().map(|(term, _)| self.index.terms.text(*term).to_owned()).collect(),
        }));
        ranked.unknown.extend(self.parts.unknown.iter().map(|clause| clause.words.join(" ")));
    }
}

/// What two sets share; `None` is every document.
fn within(docs: Option<DocSet>, other: Option<&DocSet>) -> Option<DocSet> {
    match (docs, other) {
        (Some(mut docs), Some(other)) => {
            docs.intersect(&other.docs());
            Some(docs)
        }
        (docs, other) => docs.or_else(|| other.cloned()),
    }
}

/// Takes the rows of a page from one list of rows after the other.
struct Pager {
    /// Rows before the page that are still to come.
    left: u64,
    /// Rows that the page still takes.
    room: u64,
    rows: Vec<(u32, Tier)>,
    /// Whether rows come after the page.
    more: bool,
}

impl Pager {
    /// Takes what belongs on the page of `count` rows of a tier.
    fn take(&mut self, tier: Tier, count: usize, page: impl FnOnce(&Page) -> Vec<u32>) {
        let rows = Page { offset: self.left, limit: self.room };
        let count = count as u64;
        self.more |= self.left.saturating_add(self.room) < count;
        let taken = if self.room == 0 || self.left >= count { Vec::new() } else { page(&rows) };
        self.left = self.left.saturating_sub(count);
        self.room -= taken.len() as u64;
        self.rows.extend(taken.into_iter().map(|doc| (doc, tier)));
    }
}
