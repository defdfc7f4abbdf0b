//! Relevance: the rows of a page for people and for language models. Full matches first, best first, or
//! in the order that the question names; below them, while the page has room, what comes near, in
//! labelled tiers. Work is bounded: only so many records of a tier are scored.

use crate::facet::Facet;
use crate::query::{Page, Query};
use crate::search::concepts;
use crate::search::matching::Wanted;
use crate::search::modifiers::{self, Said};
use crate::search::score::{Scorer, Told};
use crate::search::set::{DocSet, Docs, has_bit, set_bit, union, words};
use crate::search::tiers::{Filter, Part, Parts, SOME_MAX, Tier};
use crate::search::today::Today;
use crate::search::units::{self, Units};
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

/// A row of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which record.
    pub doc: u32,
    /// What of the question it has.
    pub tier: Tier,
    /// Words of the question that it has not, as they were typed.
    pub missing: Vec<String>,
}

/// What words of a question were taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    /// The words, folded.
    pub words: String,
    /// Values that are no places.
    pub values: Vec<(Facet, u32)>,
    /// A place.
    pub place: Option<String>,
}

/// A word that stands nowhere, and what it was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// What was typed.
    pub word: String,
    /// Words of records; strangers' text.
    pub read_as: Vec<String>,
}

/// The rows of a page, and how the question was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// How many records match fully.
    pub total: usize,
    /// The rows of the page, in order.
    pub rows: Vec<Row>,
    /// Whether rows come after these.
    pub more: bool,
    /// How many more have all of it, the place by admitting a wider one.
    pub wider: usize,
    /// How many more would match if they did not keep silent about who may apply.
    pub silent: usize,
    /// All facets over the full matches, when they were asked for.
    pub facets: Option<Vec<FacetCounts>>,
    /// What words were taken for.
    pub understood: Vec<Understood>,
    /// Words that were taken for filters.
    pub said: Vec<Said>,
    /// Words that were guessed.
    pub guesses: Vec<Guess>,
    /// Words that stand nowhere.
    pub unknown: Vec<String>,
    /// Words that were read as words and may mean a country: its code.
    pub countries: Vec<(String, &'static str)>,
}

/// How a question wants its answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish<'a> {
    /// Best first, not in the order that the question names.
    pub by_relevance: bool,
    /// Words that are to be taken as words, whatever they name.
    pub plain: &'a [String],
    /// Rows of records that say nothing where a filter asks who may apply.
    pub silent: bool,
    /// Whether the last word may be the beginning of another.
    pub completes: bool,
    /// Nothing that only comes near where enough records match fully, or one is called what was asked.
    pub only_full: bool,
}

impl Wish<'_> {
    /// Best first, and nothing else.
    pub const BEST: Self =
        Self { by_relevance: true, plain: &[], silent: false, completes: false, only_full: false };
}

/// Answers a question. What words say as a filter has to be so in a full match; below them, records that
/// say nothing of it, or that lack it, are told from the others.
#[must_use]
pub fn search(index: &Index, query: &Query, today: &Today, wish: Wish<'_>) -> Ranked {
    search_among(index, query, today, wish, None)
}

/// The same among some documents.
#[must_use]
pub fn search_among(
    index: &Index,
    query: &Query,
    today: &Today,
    wish: Wish<'_>,
    among: Option<&DocSet>,
) -> Ranked {
    read(index, query, today, wish, among, |question, said| {
        let mut ranked = question.page(wish);
        question.tell(&mut ranked);
        ranked.said = said;
        ranked
    })
}

/// Documents that match fully, among some; nothing else of an answer is made.
#[must_use]
pub fn full(index: &Index, query: &Query, today: &Today, wish: Wish<'_>, among: Option<&DocSet>) -> DocSet {
    let full = read(index, query, today, wish, among, |question, _| {
        question.left(within(question.parts.exact(), question.hard.as_ref()).as_ref())
    });
    full.unwrap_or_else(|| DocSet::all(index.len()))
}

/// Reads a question and hands it on.
fn read<T>(
    index: &Index,
    query: &Query,
    today: &Today,
    wish: Wish<'_>,
    among: Option<&DocSet>,
    answer: impl FnOnce(&Question<'_>, Vec<Said>) -> T,
) -> T {
    let (left, said) = modifiers::take(query, wish.plain, today.day);
    let mut wanted = left.text.as_deref().map(Wanted::parse).unwrap_or_default();
    wanted.plain = wish.plain.to_vec();
    wanted.goes_on &= wish.completes;
    let picked = Query { text: left.text.clone(), ..query.clone() };
    let filters = modifiers::filters(query, &left, &said);
    let filters = filters.into_iter().map(|(words, filter)| Filter::new(words, &filter, index, today));
    let mut question = Question::new(index, &picked, today, wanted, filters.collect());
    question.among = among;
    question.hard = within(question.hard.take(), among);
    answer(&question, said)
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
    wanted: Wanted,
    parts: Parts<'a>,
    /// Documents that ranges, switches, phrases and exclusions leave.
    hard: Option<DocSet>,
    /// Documents that are asked of; `None` is every document.
    among: Option<&'a DocSet>,
    units: Units,
}

impl<'a> Question<'a> {
    fn new(index: &'a Index, query: &'a Query, today: &'a Today, wanted: Wanted, said: Vec<Filter>) -> Self {
        let filters = Query { text: None, ..query.clone() };
        let units = Units::new(units::most(index.len()));
        let hard = wanted.keep(index.filter(&filters, today, None), index, &units);
        let parts = Parts::new(index, &wanted, said);
        Self { index, query, filters, today, wanted, parts, hard, among: None, units }
    }

    fn page(&self, wish: Wish<'_>) -> Ranked {
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
        let told: Vec<Told<'_>> = self.parts.known.iter().map(Part::told).collect();
        let scorer = Scorer::new(self.index, &self.wanted, &told);
        let best_first = wish.by_relevance && !self.wanted.is_empty();
        let named = self.full(&full, best_first, &scorer, &mut pager);
        let mut above = full;
        if wish.silent {
            let page = |page: &Page| match best_first {
                true => self.best(Tier::Unstated, &silent, page, &scorer),
                false => self.index.page(self.query, self.today, Some(&silent), page),
            };
            pager.take(Tier::Unstated, silent.len(), page);
            above = union(&[above.docs(), silent.docs()], self.index.len()).into_set();
        }
        let is_enough = wish.only_full && (named || answer.total >= ENOUGH);
        let wider = if is_enough { 0 } else { self.near(above, &scorer, &mut pager) };
        let row = |(doc, tier): (u32, Tier)| {
            let missing = if tier.is_full() { Vec::new() } else { self.parts.missing(doc, tier) };
            Row { doc, tier, missing }
        };
        Ranked {
            total: answer.total,
            rows: pager.rows.into_iter().map(row).collect(),
            more: pager.more,
            wider,
            silent: silent.len(),
            facets: answer.facets,
            ..Ranked::default()
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
    fn tell(&self, ranked: &mut Ranked) {
        let values = &self.index.values;
        let clauses = self.parts.known.iter().map(|part| &part.clause).chain(&self.parts.unknown);
        for clause in clauses {
            let Some(concept) = clause.concept else {
                let words = clause.words.join(" ");
                let country = concepts::country_of(&words);
                ranked.countries.extend(country.map(|code| (words, code)));
                continue;
            };
            let (plain, _) = self.index.concepts.values(concept);
            ranked.understood.push(Understood {
                words: clause.words.join(" "),
                values: plain.iter().map(|ordinal| (values.facet_of(*ordinal), *ordinal)).collect(),
                place: self.index.concepts.place(concept).map(str::to_owned),
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
