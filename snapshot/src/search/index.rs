//! The search index: all sections that a search reads, opened and checked.

use std::sync::Arc;

use crate::facet::{Facet, Interval, MEASURES, MeasureSpec};
use crate::query::{FacetValue, Query, parse_search};
use crate::search::entities::NamedEntities;
use crate::search::organizations::Organizations;
use crate::search::seasons::Seasons;
use crate::search::seats::Seats;
use crate::search::set::words;
use crate::search::table::{ListsOf, Pair, Strings, bit_sets, check_below, check_len, column};
use crate::search::terms::Terms;
use crate::search::titles::Titles;
use crate::search::values::Values;
use crate::time::Day;
use store::sections::{Section, SectionError, Sections, ensure};

/// Documents in an order, and the place of each document in it.
#[derive(Clone, Debug)]
pub struct Order<T> {
    /// Documents, first to last.
    pub docs: T,
    /// Place of each document.
    pub rank: T,
}

impl Order<Vec<u32>> {
    /// The order of a list that holds every document once.
    pub(super) fn new(docs: Vec<u32>) -> Self {
        let mut rank = vec![0; docs.len()];
        docs.iter().enumerate().for_each(|(place, doc)| rank[*doc as usize] = place as u32);
        Self { docs, rank }
    }
}

impl Order<Section<u32>> {
    fn open(sections: &Sections, (docs, rank): Pair, count: usize) -> Result<Self, SectionError> {
        let order = Self { docs: column(sections, docs, count)?, rank: column(sections, rank, count)? };
        let inverse = |(place, doc): (usize, &u32)| order.rank.get(*doc as usize) == Some(&(place as u32));
        ensure(order.docs.iter().enumerate().all(inverse), docs, "is no order of all documents")?;
        Ok(order)
    }
}

impl<T: std::ops::Deref<Target = [u32]>> Order<T> {
    /// The same order, as slices.
    pub(super) fn as_slices(&self) -> Order<&[u32]> {
        Order { docs: &self.docs, rank: &self.rank }
    }
}

impl ListsOf<Interval> {
    /// Whether an interval of a document overlaps the bounds of a query.
    pub(super) fn overlap(&self, doc: u32, bounds: &Interval) -> bool {
        // Bounds in the wrong order contain no value.
        bounds.min <= bounds.max && self.get(doc as usize).iter().any(|item| item.overlaps(bounds))
    }
}

/// Values of a facet in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts {
    /// The facet.
    pub facet: Facet,
    /// Values and counts: by count descending, then by value.
    pub items: Vec<(FacetValue, u32)>,
}

pub(super) const BY_NAME: [Pair; 2] = [("by.en", "rank.en"), ("by.es", "rank.es")];
pub(super) const BY_RECENT: Pair = ("by.recent", "rank.recent");
pub(super) const UPDATED: &str = "updated";
pub(super) const SLUGS: Pair = ("slug.at", "slug.text");
pub(super) const RECIPIENT_WORDS: Pair = ("recipient.at", "recipient.text");

/// The index, open. Documents are programs, numbered in the default order of the day of the build, so that
/// neighbours in lists are neighbours in memory. What depends on the day is in [`Today`](super::Today).
///
/// ```text
/// slug.at .text           slug of each document
/// slug.order              u32: documents by slug
/// recipient.at .text      words in names of recipients, sorted
/// by.* rank.*             orders by name (en, es) and by recency, and their inverses
/// updated                 day on which each document was changed last
/// age.* funding.* duration.* …   intervals of each document, a pair of sections for each measure
/// funded                  bit set: funding is published
/// ```
/// and the sections of the values, terms, named entities, titles, seasons and organizations.
pub struct Index {
    /// Facet values.
    pub values: Values,
    /// Terms.
    pub terms: Terms,
    /// Organizations.
    pub organizations: Organizations,
    pub(super) entities: NamedEntities,
    pub(super) titles: Titles,
    pub(super) seasons: Arc<Seasons>,
    pub(super) seats: Seats,
    /// In the order of [`Locale::ALL`](crate::record::Locale::ALL).
    pub(super) by_name: [Order<Section<u32>>; 2],
    pub(super) by_recent: Order<Section<u32>>,
    /// Day on which each document was changed last.
    pub(super) updated: Section<Day>,
    recipient_words: Strings,
    slugs: Strings,
    by_slug: Section<u32>,
    /// Intervals of each document, in the order of [`MEASURES`].
    pub(super) measures: Vec<ListsOf<Interval>>,
    pub(super) funded: Section<u64>,
}

impl Index {
    /// Opens an index and checks every offset in it.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub(crate) fn open(sections: &Sections) -> Result<Self, SectionError> {
        let count = sections.get::<u32>(BY_NAME[0].0)?.len();
        let by_slug = column::<u32>(sections, "slug.order", count)?;
        check_below("slug.order", &by_slug, count)?;
        let funded = bit_sets(sections, "funded", count)?;
        check_len("funded", &funded, words(count))?;
        let values = Values::open(sections, count)?;
        let intervals = |spec: &MeasureSpec| ListsOf::open_len(sections, spec.sections, count);
        Ok(Self {
            entities: NamedEntities::open(sections, &values)?,
            organizations: Organizations::open(sections, count)?,
            titles: Titles::open(sections, count)?,
            values,
            terms: Terms::open(sections, count)?,
            seasons: Arc::new(Seasons::open(sections, count)?),
            seats: Seats::open(sections, count)?,
            by_name: [Order::open(sections, BY_NAME[0], count)?, Order::open(sections, BY_NAME[1], count)?],
            by_recent: Order::open(sections, BY_RECENT, count)?,
            updated: column(sections, UPDATED, count)?,
            measures: MEASURES.iter().map(intervals).collect::<Result<_, _>>()?,
            recipient_words: Strings::open(sections, RECIPIENT_WORDS)?,
            slugs: Strings::open_len(sections, SLUGS, count)?,
            by_slug,
            funded,
        })
    }

    /// Reads a query to search and programs.
    pub fn parse(&self, query: &str) -> (Query, Vec<String>) {
        let ordinal = |facet, value: &str| self.values.find(facet, value);
        parse_search(query, ordinal, |slug| self.organizations.canonical(slug))
    }

    /// Number of programs.
    pub fn programs(&self) -> usize {
        self.by_recent.docs.len()
    }

    /// Whether a folded word is part of the name of a recipient.
    pub fn names_recipient(&self, word: &str) -> bool {
        self.recipient_words.find(word.as_bytes()).is_some()
    }

    /// Slug of a program.
    pub fn slug(&self, doc: u32) -> &str {
        self.slugs.text(doc as usize)
    }

    /// The program with a slug.
    pub fn find(&self, slug: &str) -> Option<u32> {
        let place = self.by_slug.partition_point(|doc| self.slug(*doc) < slug);
        self.by_slug.get(place).copied().filter(|doc| self.slug(*doc) == slug)
    }

    /// Programs by English name, then id.
    pub fn by_name(&self) -> &[u32] {
        &self.by_name[0].docs
    }

    /// Programs by slug.
    pub fn by_slug(&self) -> &[u32] {
        &self.by_slug
    }

    /// Text of a facet value.
    pub fn value_text<'a>(&'a self, value: &'a FacetValue) -> &'a str {
        match value {
            FacetValue::Value(ordinal) => self.values.text(*ordinal),
            FacetValue::Place(code) => code,
        }
    }
}
