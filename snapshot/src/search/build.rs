//! Builds the search index: documents are added in their order, from one directory or from several parts of a large one.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;

use uuid::Uuid;

use crate::facet::{Facet, Interval, MEASURES, intervals, is_funded};
use crate::record::{Directory, Fact, Lifecycle, Locale, Program, Synonym, Term};
use crate::search::entities;
use crate::search::error::IndexError;
use crate::search::index::{BY_NAME_EN, BY_NAME_ES, BY_RECENT, Order, RECIPIENT_WORDS, SLUGS};
use crate::search::seasons::{Observation, SeasonsWriter};
use crate::search::seats::SeatsWriter;
use crate::search::set::{set_bit, words};
use crate::search::table::{FinishedLists, ListsWriter, Strings, StringsWriter};
use crate::search::terms::write::TermsWriter;
use crate::search::titles::{TitlesWriter, searchable_texts, stated_texts};
use crate::search::values::stated::{Document, StatedWriter};
use crate::search::values::write::{self as values, NamedOrdinals};
use crate::text::{fold, words_of};
use crate::time::{Day, Openness, Season};
use store::sections::SectionWriter;
use store::spill::{Column, Spill};

/// The key by which documents are numbered: the default order of results on the day of the build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentKey {
    /// Next deadline, or the greatest number.
    deadline: i32,
    rank: u8,
    name: String,
    id: Uuid,
}

impl DocumentKey {
    /// The key of a program with some seasons; its name is the English one.
    pub fn new(
        lifecycle: Lifecycle,
        seasons: impl Iterator<Item = Season>,
        name: &str,
        id: Uuid,
        today: Day,
    ) -> Self {
        let openness = Openness::new(lifecycle, seasons, today);
        let deadline = openness.next_deadline.known().map_or(i32::MAX, |day| day.0);
        Self { deadline, rank: openness.rank(), name: fold(name), id }
    }
}

/// Programs in the order of their documents: the default order of results on the day of the build.
pub fn document_order(directory: &Directory, today: Day) -> Vec<usize> {
    let key = |program: usize| {
        let it = &directory.programs[program];
        let cycles = directory.program_links[program].cycles.iter();
        let seasons = cycles.map(|cycle| Season::of(&directory.cycles[*cycle]));
        let name = name(directory, program, Locale::En);
        (DocumentKey::new(it.lifecycle, seasons, name, it.id, today), program)
    };
    let mut keys: Vec<_> = (0..directory.programs.len()).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, program)| program).collect()
}

fn seasons(directory: &Directory, program: usize) -> Vec<Season> {
    directory.program_links[program]
        .cycles
        .iter()
        .map(|cycle| Season::of(&directory.cycles[*cycle]).with_program(&directory.programs[program]))
        .collect()
}

fn observation(program: &Program) -> Observation {
    Observation {
        lifecycle: program.lifecycle,
        on: Day::of(program.lifecycle_observed_at()),
        checked: Day::of(program.last_checked_at()),
    }
}

fn name(directory: &Directory, program: usize, locale: Locale) -> &str {
    let program = &directory.programs[program];
    directory.text(program.entity(), locale, "name", &program.name)
}

fn facts(directory: &Directory, program: usize) -> Vec<&Fact> {
    directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect()
}

/// Collects the documents of an index.
pub struct IndexWriter {
    spill: Spill,
    columns: Columns,
    stated: StatedWriter,
    titles: TitlesWriter,
    terms: TermsWriter,
    seats: SeatsWriter,
    recipient_words: BTreeSet<String>,
}

impl IndexWriter {
    /// An index without documents.
    pub fn new(spill: &Spill) -> Self {
        Self {
            spill: spill.clone(),
            columns: Columns::new(spill),
            stated: StatedWriter::new(spill),
            titles: TitlesWriter::new(spill),
            terms: TermsWriter::new(spill),
            seats: SeatsWriter::default(),
            recipient_words: BTreeSet::new(),
        }
    }

    /// Adds the words in the names of the recipients of a directory: none of them is a misspelling.
    pub fn add_recipients(&mut self, directory: &Directory) {
        for recipient in &directory.recipients {
            self.recipient_words.extend(words_of(&recipient.display_name));
        }
    }

    /// Adds the programs of a directory; `order` comes from [`document_order`].
    pub fn add(&mut self, directory: &Directory, order: &[usize]) {
        let Self { columns, stated, titles, terms, seats, .. } = self;
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for program in order {
                    terms.add(searchable_texts(directory, *program).into_iter());
                }
            });
            for program in order {
                let (it, facts) = (&directory.programs[*program], facts(directory, *program));
                let document = Document { program: it, facts };
                titles.add(columns.count, &stated_texts(directory, *program), &it.slug);
                let organization = directory.program_links[*program].organization;
                seats.add(columns.count, &directory.organizations[organization]);
                columns.add(directory, *program, &document);
                stated.add(&document);
            }
        });
    }

    /// Writes the index; gives the ordinals of facet values too.
    ///
    /// # Errors
    ///
    /// If the facets have more values than an index can number, or a temporary file cannot be used.
    pub fn finish(
        self,
        vocabulary: &[Term],
        synonyms: &[Synonym],
    ) -> Result<(SectionWriter, NamedOrdinals), IndexError> {
        let Self { spill, columns, stated, titles, terms, seats, recipient_words } = self;
        let synonyms: Vec<Vec<String>> = synonyms.iter().map(|synonym| synonym.terms.clone()).collect();
        let mut writer = SectionWriter::spilling(&spill);
        let (written, terms) = std::thread::scope(|threads| {
            let terms = threads.spawn(|| {
                let mut writer = SectionWriter::spilling(&spill);
                terms.finish(&synonyms, &mut writer).map(|()| writer)
            });
            let write = || -> Result<NamedOrdinals, IndexError> {
                columns.write(&mut writer)?;
                seats.write(&mut writer);
                Strings::write(&mut writer, RECIPIENT_WORDS, recipient_words.iter().map(String::as_bytes));
                let stated = stated.finish()?;
                let named = values::write(&stated, &mut writer)?;
                entities::write(vocabulary, &stated, &mut writer);
                titles.write(&mut writer)?;
                Ok(named)
            };
            (write(), terms.join())
        });
        let named = written?;
        writer.append(terms.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        Ok((writer, named))
    }
}

/// What is one item or a list for each document.
struct Columns {
    count: u32,
    slugs: StringsWriter,
    /// Folded names in English and in Spanish.
    names: [StringsWriter; 2],
    ids: Column<[u8; 16]>,
    /// Nanoseconds when each was created.
    created: Column<i128>,
    measures: Vec<ListsWriter<Interval>>,
    /// Documents with published funding.
    funded: Vec<u32>,
    seasons: SeasonsWriter,
}

impl Columns {
    fn new(spill: &Spill) -> Self {
        Self {
            count: 0,
            slugs: StringsWriter::new(spill),
            names: [StringsWriter::new(spill), StringsWriter::new(spill)],
            ids: Column::new(spill),
            created: Column::new(spill),
            measures: MEASURES.iter().map(|_| ListsWriter::new(spill)).collect(),
            funded: Vec::new(),
            seasons: SeasonsWriter::new(spill),
        }
    }

    fn add(&mut self, directory: &Directory, program: usize, document: &Document<'_>) {
        let it = document.program;
        self.slugs.push(it.slug.as_bytes());
        for (names, locale) in self.names.iter_mut().zip(Locale::ALL) {
            names.push(fold(name(directory, program, *locale)).as_bytes());
        }
        self.ids.push(it.id.into_bytes());
        self.created.push(it.created_at.as_nanosecond());
        for (lists, spec) in self.measures.iter_mut().zip(&MEASURES) {
            lists.push(&intervals(spec.measure, it, &document.facts));
        }
        if is_funded(it, &document.named(Facet::FundingShapes)) {
            self.funded.push(self.count);
        }
        self.seasons.add(observation(it), &seasons(directory, program));
        self.count += 1;
    }

    fn write(self, writer: &mut SectionWriter) -> io::Result<()> {
        let slugs = self.slugs.finish()?;
        writer.put("slug.order", order_by(self.count, |a, b| slugs.get(a).cmp(slugs.get(b))));
        slugs.write(SLUGS, writer);
        let ids = self.ids.finish()?;
        let [english, spanish] = self.names;
        for (names, sections) in [(english.finish()?, BY_NAME_EN), (spanish.finish()?, BY_NAME_ES)] {
            let names: FinishedLists<u8> = names;
            put_order(
                sections,
                order_by(self.count, |a, b| (names.get(a), ids[a]).cmp(&(names.get(b), ids[b]))),
                writer,
            );
        }
        let created = self.created.finish()?;
        let newest_first =
            |a: usize, b: usize| (Reverse(created[a]), ids[a]).cmp(&(Reverse(created[b]), ids[b]));
        put_order(BY_RECENT, order_by(self.count, newest_first), writer);
        for (lists, spec) in self.measures.into_iter().zip(&MEASURES) {
            lists.write(spec.sections, writer);
        }
        let mut funded = vec![0u64; words(self.count as usize)];
        self.funded.iter().for_each(|doc| set_bit(&mut funded, *doc));
        writer.put("funded", funded);
        self.seasons.write(writer);
        Ok(())
    }
}

/// Documents in an order.
fn order_by(count: u32, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut docs: Vec<u32> = (0..count).collect();
    docs.sort_unstable_by(|a, b| compare(*a as usize, *b as usize).then(a.cmp(b)));
    docs
}

fn put_order((docs, rank): (&'static str, &'static str), order: Vec<u32>, writer: &mut SectionWriter) {
    let order = Order::new(order);
    writer.put(docs, order.docs);
    writer.put(rank, order.rank);
}
