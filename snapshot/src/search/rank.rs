//! Ranked search, for people and language models: full matches first, by score or in the query's order; below them,
//! while the page has room, partial matches in labelled tiers. Work is bounded: of each tier only so many records are
//! scored.

mod explain;
mod reading;

use std::cmp::Ordering;

use crate::facet::{Facet, Interval, Measure};
use crate::query::{Page, Query};
use crate::search::cost::{BESIDE, Budget, SCORED_MAX, SCORED_MIN, SOME_MAX};
use crate::search::filter_phrases::{FilterPhrase, extract, filters};
use crate::search::index::{FacetCounts, Index};
use crate::search::narrow::Narrowed;
use crate::search::score::Scorer;
use crate::search::set::{DocSet, bits_of, both, for_each_bit, has_bit, set_bit, union, words};
use crate::search::text_query::TextQuery;
use crate::search::tiers::{Pager, Parts, Tier};
use crate::search::today::Today;

/// Full matches that need no partial matches beside them.
const ENOUGH: usize = 3;

/// A row of a ranked page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedRow {
    /// Number of the document.
    pub doc: u32,
    /// How much of the query it matches.
    pub tier: Tier,
    /// Words of the query that it lacks, as they were typed.
    pub missing: Vec<String>,
    /// Words of the query that it has, if these are less than half of it.
    pub has: Vec<String>,
    /// Synonyms of several words that it has in their place, folded.
    pub shown_for: Vec<String>,
    /// Facets of selected values of which it has none, by the first of each group.
    pub outside: Vec<Facet>,
}

/// The facet values or the place that words of a query name. Words that mean several benefits together have one of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interpretation {
    /// The words, folded.
    pub words: String,
    /// Values other than places.
    pub values: Vec<(Facet, u32)>,
    /// Code of a place.
    pub place: Option<String>,
    /// Whether it is an alternative to the one before it.
    pub is_alternative: bool,
    /// The words of what every record is meant to be without, folded, if that is what they say.
    pub left_out: Option<String>,
    /// Number of full matches if it is selected in each facet, and `None` if it is only words; those that find
    /// something. Empty unless it is a place.
    pub roles: Vec<(Option<Facet>, usize)>,
}

impl Interpretation {
    /// Whether the words are more than one of several alternatives.
    pub fn names_something(&self) -> bool {
        self.left_out.is_some() || self.place.is_some() || !self.values.is_empty()
    }
}

/// A query word that no record has, and the terms that were searched in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The word as it was typed.
    pub word: String,
    /// Words of records: untrusted text.
    pub read_as: Vec<String>,
}

/// A word that was searched as text, and the places that it may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedPlaces {
    /// The word, folded.
    pub words: String,
    /// Each place by code, a facet that it may be meant for, and the number of full matches if it is selected there in
    /// place of the word. A place that finds nothing is listed once, as an eligible country.
    pub places: Vec<((&'static str, Facet), usize)>,
}

/// A page of ranked results, and how the query was interpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedPage {
    /// Number of full matches.
    pub total: usize,
    /// Those of them that people read are open.
    pub open: usize,
    /// Whether the search is for what is open.
    pub of_open: bool,
    /// In a search for what is open: those whose openness nothing recent confirms.
    pub unconfirmed: usize,
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
    /// Words that mean a filter and were not applied.
    pub unapplied: Vec<FilterPhrase>,
    /// The text without those words.
    pub text: Option<String>,
    /// Words that were replaced by similar ones.
    pub guesses: Vec<Guess>,
    /// Words that no record has.
    pub unknown: Vec<String>,
    /// Words that were searched as text and may also name a place.
    pub offered: Vec<OfferedPlaces>,
}

/// Options of a ranked search.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankOptions<'a> {
    /// Sort by score instead of by the query's sort order.
    pub by_relevance: bool,
    /// List what is known to be open before what is not, in a search for what is open.
    pub open_first: bool,
    /// Words to search as text only, not as entities or filter phrases.
    pub literal: &'a [String],
    /// Include records that state no value for an eligibility filter or a bound.
    pub with_unstated: bool,
    /// Include partial matches without the selected values if there are fewer than three matches with them: the values
    /// weigh as words do.
    pub loosen: bool,
    /// Leave partial matches out if there are at least three full matches.
    pub partial_if_needed: bool,
    /// Leave partial matches out if a full match has the query as its name.
    pub partial_unless_named: bool,
    /// Values that a page shows of each facet besides selected ones, and where nothing matches fully, counted over its
    /// rows; 0 lists up to fifty, of full matches.
    pub shown_values: usize,
}

impl RankOptions<'_> {
    /// Sorted by score, everything else off.
    pub fn by_relevance() -> Self {
        Self { by_relevance: true, ..Self::default() }
    }
}

impl Index {
    /// Ranked search. Filter phrases of the text are required of a full match; partial matches follow.
    pub fn ranked(&self, query: &Query, today: &Today, options: RankOptions<'_>) -> RankedPage {
        let query = RankedQuery::new(self, query, today, options);
        let mut ranked = query.page();
        (ranked.filter_phrases, ranked.unapplied) =
            query.phrases.iter().cloned().partition(|it| it.note.is_none());
        query.interpret(&mut ranked);
        ranked.text = query.rest;
        ranked
    }

    /// The full matches of a ranked search in the query's order: those of its page, and how many there are.
    pub fn full_matches(&self, query: &Query, today: &Today, literal: &[String]) -> (Vec<u32>, usize) {
        let query = RankedQuery::new(self, query, today, RankOptions { literal, ..RankOptions::default() });
        let base = both(query.parts.full(), query.required.as_ref());
        let found = query.narrowed(base.as_ref());
        let docs = self.page(&query.filters, today, found.as_ref(), &query.filters.page);
        (docs, found.map_or(self.programs(), |found| found.len()))
    }

    /// Upper bound of the work of a ranked search, in units.
    pub fn ranked_cost(&self, query: &Query) -> u64 {
        let text = self.resolve(query);
        let terms: usize =
            text.iter().flat_map(|text| &text.clauses).map(|clause| clause.all_terms().count()).sum();
        let scored = if query.text.is_some() { SCORED_MAX.min(self.programs()) * (terms + 1) } else { 0 };
        let cost = text.as_ref().map(|text| text.cost(self));
        // Full matches and partial matches; the weight of what every document matches is computed once more.
        self.cost_with_text(query, cost)
            + cost.map_or(0, |(cost, _)| cost)
            + self.programs() as u64
            + 2 * scored as u64
    }
}

/// A score, the place in the default order, and the document.
type Key = (f64, u32, u32);

/// Best score first; of equal ones the first in the default order.
fn best_first((x, a, _): &Key, (y, b, _): &Key) -> Ordering {
    y.total_cmp(x).then_with(|| a.cmp(b))
}

/// Keeps the first `most` keys, in any order.
fn keep_first(keys: &mut Vec<Key>, most: usize) {
    if most < keys.len() {
        keys.select_nth_unstable_by(most, best_first);
        keys.truncate(most);
    }
}

/// A query, looked up.
struct RankedQuery<'a> {
    index: &'a Index,
    /// The query without its text.
    filters: Query,
    /// Phrases of the text that were applied as filters, and the rest of it.
    phrases: Vec<FilterPhrase>,
    rest: Option<String>,
    today: &'a Today,
    options: RankOptions<'a>,
    text: TextQuery,
    parts: Parts<'a>,
    /// Bounds of the amount, selected or in words.
    funding: Option<Interval>,
    /// Documents that ranges, switches, phrases and exclusions keep of those to search; `None` is every document.
    required: Option<DocSet<'a>>,
    budget: Budget,
}

impl<'a> RankedQuery<'a> {
    fn new(index: &'a Index, query: &Query, today: &'a Today, options: RankOptions<'a>) -> Self {
        let (unphrased, phrases) = extract(query, options.literal, today.day);
        let phrase_filters = filters(&unphrased, &phrases);
        let rest = unphrased.text;
        let text = TextQuery::ranked(rest.as_deref().unwrap_or_default(), options.literal);
        let filters = Query { text: None, ..query.clone() };
        let funding = unphrased.measures[Measure::Funding as usize];
        let mut parts = Parts::new(index, &text, phrase_filters, today);
        if options.loosen && !parts.is_empty() {
            let groups = |with_unstated| index.groups(&Query { with_unstated, ..filters.clone() }, today);
            for (group, with_silent) in groups(false).into_iter().zip(groups(true)) {
                let silent = with_silent.docs.without(&group.docs);
                parts.add_chosen(group, silent);
            }
        }
        let budget = Budget::new(index.programs());
        let required = None;
        let mut ranked =
            Self { index, filters, phrases, rest, today, options, text, parts, funding, required, budget };
        ranked.required = ranked.required(&ranked.filters);
        ranked
    }

    /// Documents that the ranges and switches of a query, phrases and exclusions keep; `None` is every document.
    fn required(&self, filters: &Query) -> Option<DocSet<'a>> {
        let filtered = self.index.filter(filters, self.today, None);
        let kept = self.text.filter(self.index).keep(filtered, self.index, &self.budget);
        let negated = self.parts.known.iter().filter(|part| part.clause.left_out.is_some());
        negated.fold(kept, |kept, part| both(kept, Some(part.typed())))
    }

    /// What selected values leave of a set; `None` is every document.
    fn narrowed<'b>(&'b self, base: Option<&'b DocSet<'b>>) -> Option<DocSet<'b>> {
        self.index.narrowed(&self.filters, self.today, base).found
    }

    fn page(&self) -> RankedPage {
        // Before selected values narrow them; `None` is every document.
        let base = both(self.parts.full(), self.required.as_ref());
        let narrowed = self.index.narrowed(&self.filters, self.today, base.as_ref());
        let full =
            narrowed.found.as_ref().map_or_else(|| DocSet::all(self.index.programs()), DocSet::borrowed);
        let total = full.len();
        let doubtful = full.borrowed().and(&DocSet::bits(&self.today.doubtful));
        let open = full.borrowed().and(&DocSet::bits(&self.today.open)).len() - doubtful.len();
        let is_of_open = |it: &FilterPhrase| it.note.is_none() && ["open", "rolling"].contains(&it.parameter);
        let of_open = self.filters.open || self.filters.rolling || self.phrases.iter().any(is_of_open);
        let unconfirmed = if of_open { doubtful.into_owned() } else { DocSet::default() };
        let last = if self.options.open_first { unconfirmed.borrowed() } else { DocSet::default() };
        let unstated = self.unstated(base.as_ref(), &full);
        let mut pager = Pager::new(self.filters.page);
        let scorer = Scorer::new(self.index, &self.text, self.parts.all());
        let by_score = (self.options.by_relevance && !self.text.is_empty()).then_some(&scorer);
        let above_bound = self.above_bound(&full).unwrap_or_default();
        let above_bound = above_bound.without(&last);
        let within = full.borrowed().without(&above_bound).without(&last);
        let has_named = self.take_full(&within, by_score, &mut pager);
        self.take_tier(Tier::More, &above_bound, by_score, &mut pager);
        self.take_tier(Tier::Unconfirmed, &last, by_score, &mut pager);
        let mut above = full;
        if self.options.with_unstated {
            self.take_tier(Tier::Unstated, &unstated, by_score, &mut pager);
            above = union(vec![above, unstated.borrowed()], self.index.programs());
        }
        let is_enough = self.options.partial_if_needed && total >= ENOUGH
            || self.options.partial_unless_named && has_named;
        let is_loose = self.options.loosen && total + unstated.len() < ENOUGH;
        let wider = if is_enough { 0 } else { self.take_partial(above, is_loose, &scorer, &mut pager) };
        let row = |(doc, tier): (u32, Tier)| {
            let missing = if tier.is_full() { Vec::new() } else { self.parts.missing(doc, tier) };
            let missing = missing.iter().map(|words| self.text.with_hyphens(words)).collect();
            let shown_for = if tier.is_full() { self.parts.shown_for(doc) } else { Vec::new() };
            let has = if tier == Tier::Some { self.parts.matched(doc) } else { Vec::new() };
            let outside = if tier.is_full() { Vec::new() } else { self.parts.outside(doc) };
            RankedRow { doc, tier, missing, has, shown_for, outside }
        };
        RankedPage {
            total,
            open,
            of_open,
            unconfirmed: unconfirmed.len(),
            facets: (!self.filters.no_facets).then(|| self.facets(&narrowed, total + wider, &pager.rows)),
            rows: pager.rows.into_iter().map(row).collect(),
            more: pager.more,
            wider,
            unstated: unstated.len(),
            ..RankedPage::default()
        }
    }

    /// Facets of full matches; on a page without any, of its rows.
    fn facets(&self, full: &Narrowed<'_>, matches: usize, rows: &[(u32, Tier)]) -> Vec<FacetCounts> {
        let (filters, shown) = (&self.filters, self.options.shown_values);
        if matches > 0 || rows.is_empty() || shown == 0 {
            return self.index.facets(filters, self.today, full, shown);
        }
        let mut docs: Vec<u32> = rows.iter().map(|(doc, _)| *doc).collect();
        docs.sort_unstable();
        let base = self.index.filter(filters, self.today, Some(DocSet::list(&docs)));
        let of_rows = self.index.narrowed(filters, self.today, base.as_ref());
        self.index.facets(filters, self.today, &of_rows, shown)
    }

    /// Documents that would match fully if they stated a value for every filter.
    fn unstated<'b>(&'b self, base: Option<&'b DocSet<'b>>, full: &DocSet<'_>) -> DocSet<'static> {
        let filters = Query { with_unstated: true, ..self.filters.clone() };
        let is_bounded = filters.measures.iter().any(Option::is_some);
        if !is_bounded && !filters.selected.iter().any(|(facet, _)| facet.group().spec().is_eligibility) {
            return DocSet::default();
        }
        let unbounded = is_bounded.then(|| both(self.parts.full(), self.required(&filters).as_ref()));
        let base = unbounded.as_ref().map_or(base, Option::as_ref);
        let found = self.index.narrowed(&filters, self.today, base).found;
        found.unwrap_or_else(|| DocSet::all(self.index.programs())).without(full).into_owned()
    }

    /// Takes the rows of a tier, by score or in the query's order.
    fn take_tier(&self, tier: Tier, docs: &DocSet<'_>, by_score: Option<&Scorer<'_>>, pager: &mut Pager) {
        pager.take(tier, docs.len(), |page| match by_score {
            Some(scorer) => self.best(tier, docs, page, scorer),
            None => self.index.page(&self.filters, self.today, Some(docs), page),
        });
    }

    /// Of some documents those that may pay more than the greatest amount; `None` without such a bound.
    fn above_bound(&self, docs: &DocSet<'_>) -> Option<DocSet<'static>> {
        let bounds = self.funding?;
        let above = Interval { min: bounds.max.next_up(), max: f64::INFINITY };
        let mut docs = (bounds.max < f64::INFINITY).then(|| docs.borrowed().into_owned())?;
        docs.retain(|doc| self.index.measures[Measure::Funding as usize].overlap(doc, &above));
        Some(docs).filter(|docs| !docs.is_empty())
    }

    /// Takes the rows of full matches; by score, those with the query as their name come first. Whether there are
    /// such.
    fn take_full(&self, full: &DocSet<'_>, by_score: Option<&Scorer<'_>>, pager: &mut Pager) -> bool {
        let title = self.rest.as_deref().filter(|_| by_score.is_some()).unwrap_or_default();
        let mut named = DocSet::list(self.index.titles.find(title));
        named.retain(|doc| full.contains(doc));
        self.take_tier(Tier::Name, &named, by_score, pager);
        self.take_tier(Tier::All, &full.borrowed().without(&named), by_score, pager);
        !named.is_empty()
    }

    /// Takes the rows of partial matches while there is room, and returns the number of matches by a wider region,
    /// wherever the page ends. The last three tiers are ranked together: a record without a word may be
    /// closer to the query than one that states no eligibility.
    fn take_partial(
        &self,
        above: DocSet<'_>,
        is_loose: bool,
        scorer: &Scorer<'_>,
        pager: &mut Pager,
    ) -> usize {
        if self.parts.is_empty() || pager.more && !self.parts.any_wider() {
            return 0;
        }
        let among = self.narrowed(self.required.as_ref());
        let mut above = above;
        let mut below = |tier: Tier| {
            let among = if tier == Tier::Some && is_loose { self.required.as_ref() } else { among.as_ref() };
            let docs = self.parts.docs(tier, among)?.without(&above);
            let docs = if tier == Tier::Some { self.first_of_some(&docs) } else { docs };
            above = union(vec![above.borrowed(), docs.borrowed()], self.index.programs()).into_owned();
            Some((tier, docs))
        };
        let mut wider = 0;
        for tier in [Tier::Wider, Tier::Guess] {
            if let Some((tier, docs)) = below(tier) {
                wider += if tier == Tier::Wider { docs.len() } else { 0 };
                self.take_tier(tier, &docs, Some(scorer), pager);
            }
        }
        if pager.more {
            return wider;
        }
        let unstated = below(Tier::Unstated).map_or_else(DocSet::default, |(_, docs)| docs);
        let some = below(Tier::Some).map_or_else(DocSet::default, |(_, docs)| docs);
        let all = union(vec![unstated.borrowed(), some], self.index.programs());
        let tier = |doc| if unstated.contains(doc) { Tier::Unstated } else { self.parts.partial_tier(doc) };
        let from = pager.rows.len();
        for docs in self.parts.without_contradictions(all) {
            self.take_tier(Tier::Some, &docs, Some(scorer), pager);
        }
        pager.rows[from..].iter_mut().for_each(|row| row.1 = tier(row.0));
        wider
    }

    /// The documents that match most of the query, at most [`SOME_MAX`].
    fn first_of_some(&self, docs: &DocSet<'_>) -> DocSet<'static> {
        let weights = self.parts.weights();
        let mut keys: Vec<Key> = Vec::with_capacity(docs.len());
        docs.for_each(|doc| keys.push((f64::from(weights[doc as usize]), self.rank(doc), doc)));
        keep_first(&mut keys, SOME_MAX);
        let mut first: Vec<u32> = keys.into_iter().map(|(_, _, doc)| doc).collect();
        first.sort_unstable();
        DocSet::new(first)
    }

    /// Place of a document in the default order.
    fn rank(&self, doc: u32) -> u32 {
        self.today.order.rank[doc as usize]
    }

    /// A page of documents of a tier, best first. If there are very many, the scored ones come first, the rest in the
    /// default order.
    fn best(&self, tier: Tier, all: &DocSet<'_>, page: &Page, scorer: &Scorer<'_>) -> Vec<u32> {
        let range = page.range(all.len());
        let candidates = self.candidates(tier, all, scorer);
        let mut docs = self.sorted(&candidates, range.end, scorer);
        if range.end > candidates.len() {
            let scored = bits_of(candidates.iter().copied(), self.index.programs());
            let rest = self.today.order.docs.iter().copied();
            let rest = rest.filter(|doc| all.contains(*doc) && !has_bit(&scored, *doc));
            docs.extend(rest.take(range.end - candidates.len()));
        }
        docs[range].to_vec()
    }

    /// The documents to score, ascending, as many as the budget allows: those that match most of the query, of full matches
    /// those in which a frequent word has the greatest effect, then the first in the default order.
    fn candidates(&self, tier: Tier, all: &DocSet<'_>, scorer: &Scorer<'_>) -> Vec<u32> {
        let affordable = self.budget.left() / scorer.cost();
        let most = usize::try_from(affordable).unwrap_or(usize::MAX).clamp(SCORED_MIN, SCORED_MAX);
        let mut docs = Vec::with_capacity(all.len().min(most));
        if all.len() <= most {
            all.for_each(|doc| docs.push(doc));
            return docs;
        }
        let mut chosen = vec![0; words(self.index.programs())];
        let mut room = most;
        if tier.is_full() {
            let tops = scorer.tops().filter(|doc| all.contains(*doc)).take(room.saturating_sub(BESIDE));
            for doc in tops {
                set_bit(&mut chosen, doc);
                room = BESIDE;
            }
        }
        let is_chosen = |doc: u32| has_bit(&chosen, doc);
        let others: Vec<u32> = match all {
            // Full matches match all parts. Walking the order meets one in every `len / all` steps.
            DocSet::Bits(bits) if tier.is_full() && room * self.index.programs() < all.len() * all.len() => {
                let order = self.today.order.docs.iter().copied();
                order.filter(|doc| has_bit(bits, *doc) && !is_chosen(*doc)).take(room).collect()
            }
            _ => {
                let weight = |doc: u32| if tier.is_full() { 0.0 } else { self.parts.weight(doc) };
                let mut keys: Vec<Key> = Vec::with_capacity(all.len());
                all.for_each(|doc| {
                    if !is_chosen(doc) {
                        keys.push((weight(doc), self.rank(doc), doc));
                    }
                });
                keep_first(&mut keys, room);
                keys.into_iter().map(|(_, _, doc)| doc).collect()
            }
        };
        others.into_iter().for_each(|doc| set_bit(&mut chosen, doc));
        for_each_bit(&chosen, |doc| docs.push(doc));
        docs
    }

    /// The best of some documents, ascending, best first, at most so many.
    fn sorted(&self, docs: &[u32], most: usize, scorer: &Scorer<'_>) -> Vec<u32> {
        self.budget.spend(docs.len() as u64 * scorer.cost());
        let scores = scorer.scores(docs).into_iter();
        let mut keys: Vec<Key> =
            docs.iter().zip(scores).map(|(doc, score)| (score, self.rank(*doc), *doc)).collect();
        keep_first(&mut keys, most);
        keys.sort_unstable_by(best_first);
        keys.into_iter().map(|(_, _, doc)| doc).collect()
    }
}
