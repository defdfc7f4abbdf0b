//! The search engine: an index over all programs, opened from sections, and the answer to a
//! question: which programs, in which order, and how many more each facet value would leave.
//!
//! Documents are programs, numbered in the default order of the day that the index was built for,
//! so that what is listed together lies together. Everything that moves with the day is in
//! [`Today`]; the rest is read in place.

mod build;
mod cost;
mod count;
mod entities;
mod facets;
mod filter_phrases;
mod grams;
mod guess;
mod impact;
mod lexicon;
mod matching;
mod missing_values;
mod narrow;
mod passages;
mod phrase;
mod rank;
mod relax;
mod score;
mod seasons;
mod set;
mod synonyms;
mod table;
mod terms;
mod text;
mod tiers;
mod titles;
mod today;
mod units;
mod values;

pub use self::build::{document_order, write_index};
pub use self::entities::{NamedEntity, entity_dictionary, keys_of, names_of_place};
pub use self::filter_phrases::{FilterPhrase, extract};
pub use self::lexicon::{is_known_word, stop_words};
pub use self::matching::{ResolvedText, TextQuery};
pub use self::passages::searchable_texts;
pub use self::rank::{Guess, Interpretation, RankOptions, RankedPage, RankedRow};
pub use self::relax::{Constraint, Relaxation, text_without_word};
pub use self::seasons::{ColumnNames, SeasonColumns};
pub use self::set::DocSet;
pub use self::synonyms::BUILT_IN;
pub use self::table::{Lists, Strings, StringsWriter, check_len};
pub use self::text::{QueryWord, SamePosition, Stems, TOKEN_MAX, fold, query_words, tokens, words_of};
pub use self::tiers::Tier;
pub use self::today::{Observation, ProgramState, Today};
pub use self::units::Budget;
pub use self::values::{Document, TooManyValues, Values};

use std::sync::Arc;

use crate::facet::{FACETS, Facet, Interval, MEASURES, MeasureSpec};
use crate::query::{FacetValue, Page, Query, Sort};
use crate::record::Locale;
use crate::search::entities::NamedEntities;
use crate::search::missing_values::MissingValues;
use crate::search::narrow::{Group, Narrowed};
use crate::search::set::{Docs, Held, has_bit, union};
use crate::search::table::{check_bits, check_offsets};
use crate::search::terms::Terms;
use crate::search::titles::Titles;
use crate::search::today::Seasons;
use crate::store::sections::{Section, SectionError, Sections};

/// Most values of a facet in a search answer.
pub const FACET_VALUES_MAX: usize = 50;

/// Documents in an order, and each document's place in it.
#[derive(Clone, Debug)]
pub struct Order<T> {
    /// Documents, first to last.
    pub docs: T,
    /// Place of each document.
    pub rank: T,
}

impl Order<Vec<u32>> {
    /// The order of a list that holds every document once.
    #[must_use]
    pub fn new(docs: Vec<u32>) -> Self {
        let mut rank = vec![0; docs.len()];
        docs.iter().enumerate().for_each(|(place, doc)| rank[*doc as usize] = place as u32);
        Self { docs, rank }
    }
}

impl Order<Section<u32>> {
    fn open(
        sections: &Sections,
        (docs_name, rank_name): (&'static str, &'static str),
        count: usize,
    ) -> Result<Self, SectionError> {
        let order = Self { docs: sections.get(docs_name)?, rank: sections.get(rank_name)? };
        check_len(docs_name, &order.docs, count)?;
        check_len(rank_name, &order.rank, count)?;
        let inverse = |(place, doc): (usize, &u32)| order.rank.get(*doc as usize) == Some(&(place as u32));
        if order.docs.iter().enumerate().all(inverse) {
            Ok(order)
        } else {
            Err(SectionError::Content(docs_name, "is no order of all documents"))
        }
    }
}

/// Intervals of one measure, for each document.
struct Intervals {
    at: Section<u64>,
    items: Section<Interval>,
}

impl Intervals {
    fn open(
        sections: &Sections,
        (at_name, items_name): (&'static str, &'static str),
        count: usize,
    ) -> Result<Self, SectionError> {
        let intervals = Self { at: sections.get(at_name)?, items: sections.get(items_name)? };
        check_len(at_name, &intervals.at, count + 1)?;
        check_offsets(at_name, &intervals.at, intervals.items.len())?;
        Ok(intervals)
    }

    fn overlap(&self, doc: u32, asked: &Interval) -> bool {
        let doc = doc as usize;
        let items = &self.items[self.at[doc] as usize..self.at[doc + 1] as usize];
        // An interval that ends before it starts holds nothing that could be shared.
        asked.min <= asked.max && items.iter().any(|item| item.overlaps(asked))
    }
}

const BY_NAME_EN: (&str, &str) = ("by.en", "rank.en");
const BY_NAME_ES: (&str, &str) = ("by.es", "rank.es");
const BY_RECENT: (&str, &str) = ("by.recent", "rank.recent");
const SLUGS: (&str, &str) = ("slug.at", "slug.text");

/// The index, open.
///
/// ```text
/// slug.at .text           slug of each document
/// slug.order              u32: documents by slug
/// by.* rank.*             orders by name (en, es) and by recency, and their inverses
/// age.* funding.* duration.* …   intervals of each document, one pair for each measure
/// funded                  bit set: funding is published
/// ```
/// and the sections of [`values`], [`terms`], [`entities`], [`titles`], [`missing_values`] and [`today`].
pub struct Index {
    /// Facet values.
    pub values: Values,
    /// Terms.
    pub terms: Terms,
    /// What words name.
    pub entities: NamedEntities,
    /// What records are called.
    pub titles: Titles,
    /// Which records say nothing.
    pub missing_values: MissingValues,
    seasons: Arc<Seasons>,
    by_name_en: Order<Section<u32>>,
    by_name_es: Order<Section<u32>>,
    by_recent: Order<Section<u32>>,
    name_rank: Section<u32>,
    slugs: Strings,
    by_slug: Section<u32>,
    /// In the order of [`MEASURES`].
    measures: Vec<Intervals>,
    funded: Section<u64>,
}

/// A facet's values in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts {
    /// Which facet.
    pub facet: Facet,
    /// Values and counts: by count descending, then value.
    pub items: Vec<(FacetValue, u32)>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// How many programs match.
    pub total: usize,
    /// Those of the asked page, in order.
    pub docs: Vec<u32>,
    /// All facets, unless they were not asked for.
    pub facets: Option<Vec<FacetCounts>>,
}

impl Index {
    /// Opens an index and checks every offset in it.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections) -> Result<Self, SectionError> {
        let by_name_en: Order<Section<u32>> = {
            let count = sections.get::<u32>(BY_NAME_EN.0)?.len();
            Order::open(sections, BY_NAME_EN, count)?
        };
        let count = by_name_en.docs.len();
        let intervals = |spec: &MeasureSpec| Intervals::open(sections, spec.sections, count);
        let slugs = Strings::open(sections, SLUGS)?;
        let by_slug = sections.get::<u32>("slug.order")?;
        check_len("slug.order", &by_slug, count)?;
        if slugs.len() != count || by_slug.iter().any(|doc| *doc as usize >= count) {
            return Err(SectionError::Content("slug.order", "does not fit the documents"));
        }
        let funded = sections.get::<u64>("funded")?;
        check_len("funded", &funded, set::words(count))?;
        check_bits("funded", &funded, count)?;
        let values = Values::open(sections, count)?;
        Ok(Self {
            entities: NamedEntities::open(sections, &values)?,
            titles: Titles::open(sections, count)?,
            missing_values: MissingValues::open(sections, count)?,
            values,
            terms: Terms::open(sections, count)?,
            seasons: Arc::new(Seasons::open(sections, count)?),
            name_rank: by_name_en.rank.clone(),
            by_name_es: Order::open(sections, BY_NAME_ES, count)?,
            by_recent: Order::open(sections, BY_RECENT, count)?,
            measures: MEASURES.iter().map(intervals).collect::<Result<_, _>>()?,
            by_name_en,
            slugs,
            by_slug,
            funded,
        })
    }

    /// How many programs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name_en.docs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Slug of a program.
    #[must_use]
    pub fn slug(&self, doc: u32) -> &str {
        self.slugs.text(doc as usize)
    }

    /// The program with a slug.
    #[must_use]
    pub fn find(&self, slug: &str) -> Option<u32> {
        let place = self.by_slug.partition_point(|doc| self.slug(*doc) < slug);
        self.by_slug.get(place).copied().filter(|doc| self.slug(*doc) == slug)
    }

    /// Programs by English name, then id.
    #[must_use]
    pub fn by_name(&self) -> &[u32] {
        &self.by_name_en.docs
    }

    /// Programs by slug; for suggestions.
    #[must_use]
    pub fn by_slug(&self) -> &[u32] {
        &self.by_slug
    }

    /// Looks up what a question says; `None` where it says nothing.
    #[must_use]
    pub fn resolve(&self, query: &Query) -> Option<ResolvedText<'_>> {
        query.text.as_deref().map(|text| ResolvedText::new(text, self))
    }

    /// Answers a question.
    #[must_use]
    pub fn search(&self, query: &Query, today: &Today) -> SearchResult {
        self.search_resolved(query, self.resolve(query).as_ref(), today)
    }

    /// The same, looked up already.
    #[must_use]
    pub fn search_resolved(
        &self,
        query: &Query,
        read: Option<&ResolvedText<'_>>,
        today: &Today,
    ) -> SearchResult {
        let base = self.base(query, read, today, &Budget::new(0));
        self.answer(query, today, base.as_ref(), |docs, range| self.page(query, today, docs, range))
    }

    /// Answers a question over a given base; `page` selected the rows. `None` is every program.
    pub fn answer(
        &self,
        query: &Query,
        today: &Today,
        base: Option<&DocSet>,
        page: impl FnOnce(Option<&DocSet>, &Page) -> Vec<u32>,
    ) -> SearchResult {
        let groups = self.groups(query, today);
        let narrowed = Narrowed::new(base, groups, self.len(), query.facets);
        let total = narrowed.found.as_ref().map_or(self.len(), DocSet::len);
        let docs = page(narrowed.found.as_ref(), &query.page);
        let facets = query.facets.then(|| self.facets(query, today, &narrowed));
        SearchResult { total, docs, facets }
    }

    /// Documents that text, ranges and switches leave; `None` when nothing of these is asked. What it
    /// costs is counted.
    #[must_use]
    pub fn base(
        &self,
        query: &Query,
        read: Option<&ResolvedText<'_>>,
        today: &Today,
        units: &Budget,
    ) -> Option<DocSet> {
        let with_words = read.and_then(|read| read.with_words(self, units));
        let kept = self.filter(query, today, with_words);
        match read {
            // Reading streams costs most, so it comes last.
            Some(read) => read.rest.keep(kept, self, units),
            None => kept,
        }
    }

    /// Keeps what ranges and switches leave of a set.
    #[must_use]
    pub fn filter(&self, query: &Query, today: &Today, docs: Option<DocSet>) -> Option<DocSet> {
        let mut docs = docs;
        let switches =
            [(query.open, today.open()), (query.rolling, today.rolling()), (query.funded, &*self.funded)];
        for (_, bits) in switches.iter().filter(|(on, _)| *on) {
            docs = Some(intersected(docs, Docs::Bits(bits)));
        }
        let (from, to) = (query.deadline_from, query.deadline_to);
        if from.is_some() || to.is_some() {
            docs = Some(match docs {
                Some(mut set @ DocSet::List(_)) => {
                    set.retain(|doc| today.is_due(doc, from, to));
                    set
                }
                other => intersected(other, Docs::Bits(&today.due(from, to))),
            });
        }
        for (column, asked) in self.measures.iter().zip(query.measures) {
            if let Some(asked) = asked {
                let mut set = docs.unwrap_or_else(|| DocSet::all(self.len()));
                set.retain(|doc| column.overlap(doc, &asked));
                docs = Some(set);
            }
        }
        docs
    }

    fn groups<'a>(&'a self, query: &'a Query, today: &'a Today) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for facet in FACETS.iter().map(|spec| spec.facet).filter(|facet| facet.group() == *facet) {
            let selected: Vec<(Facet, &FacetValue)> = query
                .selected
                .iter()
                .filter(|(picked, _)| picked.group() == facet)
                .map(|(picked, pick)| (*picked, pick))
                .collect();
            if !selected.is_empty() {
                let docs = self.docs_of_picks(&selected, today);
                let only = match selected.as_slice() {
                    [(_, FacetValue::Value(ordinal))] => Some(*ordinal),
                    _ => None,
                };
                groups.push(Group { facet, only, docs });
            }
        }
        groups
    }

    fn docs_of_picks<'a>(&'a self, selected: &[(Facet, &'a FacetValue)], today: &'a Today) -> Held<'a> {
        let values = selected.iter().filter_map(|(_, pick)| match pick {
            FacetValue::Value(ordinal) => Some(self.docs_of_value(*ordinal, today)),
            FacetValue::Place(_) => None,
        });
        let values = union(&values.collect::<Vec<_>>(), self.len());
        let places = selected.iter().filter_map(|(facet, pick)| match pick {
            FacetValue::Place(code) => Some(self.values.docs_of_place(*facet, code)),
            FacetValue::Value(_) => None,
        });
        places
            .fold(values, |all, place| Held::Made(union(&[all.docs(), place.docs()], self.len()).into_set()))
    }

    fn docs_of_value<'a>(&'a self, ordinal: u32, today: &'a Today) -> Docs<'a> {
        match today.docs(ordinal) {
            Some(bits) => Docs::Bits(bits),
            None => self.values.docs(ordinal),
        }
    }

    /// Text of a picked value.
    #[must_use]
    pub fn value_text<'a>(&'a self, pick: &'a FacetValue) -> &'a str {
        match pick {
            FacetValue::Value(ordinal) => self.values.text(*ordinal),
            FacetValue::Place(code) => code,
        }
    }

    /// The order that a question asks for.
    fn order<'a>(&'a self, query: &Query, today: &'a Today) -> Order<&'a [u32]> {
        let of = |order: &'a Order<Section<u32>>| Order { docs: &*order.docs, rank: &*order.rank };
        match (query.sort, query.locale) {
            (Sort::Deadline, _) => Order { docs: &today.order.docs, rank: &today.order.rank },
            (Sort::Name, Locale::En) => of(&self.by_name_en),
            (Sort::Name, Locale::Es) => of(&self.by_name_es),
            (Sort::Recent, _) => of(&self.by_recent),
        }
    }

    /// The rows of a page.
    #[must_use]
    pub fn page(&self, query: &Query, today: &Today, docs: Option<&DocSet>, page: &Page) -> Vec<u32> {
        let order = self.order(query, today);
        let Some(docs) = docs else {
            return order.docs[page.range(self.len())].to_vec();
        };
        let total = docs.len();
        let range = page.range(total);
        if range.is_empty() {
            return Vec::new();
        }
        // Walking the order meets one match in every `len / total` steps; ranking costs a few steps
        // a match.
        let walk = range.end.saturating_mul(self.len()) / total;
        match docs {
            DocSet::Bits(bits) if walk < total * 4 => {
                let matches = order.docs.iter().copied().filter(|doc| has_bit(bits, *doc));
                matches.skip(range.start).take(range.len()).collect()
            }
            _ => {
                let mut places = Vec::with_capacity(total);
                docs.for_each(|doc| places.push(order.rank[doc as usize]));
                if range.end < places.len() {
                    places.select_nth_unstable(range.end);
                    places.truncate(range.end);
                }
                places.sort_unstable();
                places[range].iter().map(|place| order.docs[*place as usize]).collect()
            }
        }
    }
}

fn intersected(docs: Option<DocSet>, other: Docs<'_>) -> DocSet {
    match docs {
        None => other.to_set(),
        Some(mut docs) => {
            docs.intersect(&other);
            docs
        }
    }
}
