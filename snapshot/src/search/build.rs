//! Builds the search index: documents are added in their order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::facet::{Facet, Interval, MEASURES, intervals, is_funded, named_values};
use crate::record::{Directory, Fact, Locale};
use crate::search::entities;
use crate::search::index::{BY_NAME, BY_RECENT, Order, RECIPIENT_WORDS, SLUGS, UPDATED};
use crate::search::organizations;
use crate::search::seasons::{Observation, SeasonsWriter};
use crate::search::seats::SeatsWriter;
use crate::search::set::bits_of;
use crate::search::table::{ListsWriter, Pair, Strings, StringsWriter};
use crate::search::terms_writer::TermsWriter;
use crate::search::titles::{TitlesWriter, searchable_texts, stated_texts};
use crate::search::values::stated::StatedValues;
use crate::search::values::write::{self as values, NamedOrdinals, TooManyValues};
use crate::text::{sort_key, words_of};
use crate::time::{Day, Openness, Season};
use store::sections::SectionWriter;

/// Programs in the order of their documents: the default order of results on the day of the build.
pub fn document_order(directory: &Directory, today: Day) -> Vec<usize> {
    let key = |program: usize| {
        let it = &directory.programs[program];
        let cycles = directory.program_links[program].cycles.iter();
        let seasons = cycles.map(|cycle| Season::of(&directory.cycles[*cycle]));
        let openness = Openness::new(it.lifecycle, seasons, today);
        let deadline = openness.next_deadline.known().map_or(i32::MAX, |day| day.0);
        (deadline, openness.rank(), sort_key(name(directory, program, Locale::En)), it.id, program)
    };
    let mut keys: Vec<_> = (0..directory.programs.len()).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(.., program)| program).collect()
}

fn name(directory: &Directory, program: usize, locale: Locale) -> &str {
    let program = &directory.programs[program];
    directory.text(program.entity(), locale, "name", &program.name)
}

/// Writes the index of a directory; `order` comes from [`document_order`]. Gives the ordinals of facet values too.
///
/// # Errors
///
/// If the facets have more values than an index can number.
pub fn write_index(
    directory: &Directory,
    order: &[usize],
) -> Result<(SectionWriter, NamedOrdinals), TooManyValues> {
    let (written, terms) = std::thread::scope(|threads| {
        let terms = threads.spawn(|| write_terms(directory, order));
        (write_columns(directory, order), terms.join())
    });
    let (mut writer, named) = written?;
    writer.append(terms.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    Ok((writer, named))
}

fn write_terms(directory: &Directory, order: &[usize]) -> SectionWriter {
    let (mut terms, mut writer) = (TermsWriter::default(), SectionWriter::default());
    for program in order {
        terms.add(searchable_texts(directory, *program).into_iter());
    }
    let synonyms: Vec<&[String]> = directory.synonyms.iter().map(|synonym| &*synonym.terms).collect();
    terms.finish(&synonyms, &mut writer);
    writer
}

fn write_columns(
    directory: &Directory,
    order: &[usize],
) -> Result<(SectionWriter, NamedOrdinals), TooManyValues> {
    let (mut columns, mut stated) = (Columns::default(), StatedValues::default());
    let (mut titles, mut seats) = (TitlesWriter::default(), SeatsWriter::default());
    for program in order {
        let it = &directory.programs[*program];
        let facts: Vec<&Fact> = directory.facts_of(*program).collect();
        titles.add(columns.count, &stated_texts(directory, *program), &it.slug);
        let organization = directory.program_links[*program].organization;
        seats.add(columns.count, &directory.organizations[organization]);
        columns.add(directory, *program, &facts);
        stated.add(it, &facts);
    }
    let mut writer = SectionWriter::default();
    columns.write(&mut writer);
    seats.write(&mut writer);
    organizations::write(directory, order, &mut writer);
    // None of the words in the names of recipients is a misspelling.
    let words = directory.recipients.iter().flat_map(|recipient| words_of(&recipient.display_name));
    let words: BTreeSet<String> = words.collect();
    Strings::write(&mut writer, RECIPIENT_WORDS, words.iter().map(String::as_bytes));
    let named = values::write(&stated, &mut writer)?;
    entities::write(&directory.vocabulary, &stated, &mut writer);
    titles.write(&mut writer);
    Ok((writer, named))
}

/// What is one item or a list for each document.
#[derive(Default)]
struct Columns {
    count: u32,
    slugs: StringsWriter,
    /// Folded names in English and in Spanish.
    names: [StringsWriter; 2],
    ids: Vec<[u8; 16]>,
    /// Nanoseconds when each was created.
    created: Vec<i128>,
    /// Day on which each was changed last.
    updated: Vec<Day>,
    measures: [ListsWriter<Interval>; MEASURES.len()],
    /// Documents with published funding.
    funded: Vec<u32>,
    seasons: SeasonsWriter,
}

impl Columns {
    fn add(&mut self, directory: &Directory, program: usize, facts: &[&Fact]) {
        let it = &directory.programs[program];
        self.slugs.push(it.slug.as_bytes());
        for (names, locale) in self.names.iter_mut().zip(Locale::ALL) {
            names.push(sort_key(name(directory, program, *locale)).as_bytes());
        }
        self.ids.push(it.id.into_bytes());
        self.created.push(it.created_at.as_nanosecond());
        self.updated.push(Day::of(Some(it.updated_at)));
        for (lists, spec) in self.measures.iter_mut().zip(&MEASURES) {
            lists.push(&intervals(spec.measure, it, facts));
        }
        if is_funded(it, &named_values(Facet::FundingShapes, it, facts)) {
            self.funded.push(self.count);
        }
        let observed = Observation {
            lifecycle: it.lifecycle,
            on: Day::of(it.lifecycle_observed_at()),
            checked: Day::of(it.last_checked_at()),
        };
        let cycles = directory.program_links[program].cycles.iter().map(|cycle| &directory.cycles[*cycle]);
        self.seasons.add(observed, cycles.map(|cycle| Season::of(cycle).with_program(it)));
        self.count += 1;
    }

    fn write(self, writer: &mut SectionWriter) {
        let Self { slugs, ids, created, .. } = self;
        writer.put("slug.order", order_by(self.count, |a, b| slugs.get(a).cmp(slugs.get(b))));
        slugs.write(SLUGS, writer);
        for (names, sections) in self.names.iter().zip(BY_NAME) {
            let key = |doc: usize| (names.get(doc), ids[doc]);
            put_order(sections, order_by(self.count, |a, b| key(a).cmp(&key(b))), writer);
        }
        let newest_first = |doc: usize| (Reverse(created[doc]), ids[doc]);
        writer.put(UPDATED, self.updated);
        put_order(BY_RECENT, order_by(self.count, |a, b| newest_first(a).cmp(&newest_first(b))), writer);
        for (lists, spec) in self.measures.into_iter().zip(&MEASURES) {
            lists.write(spec.sections, writer);
        }
        writer.put("funded", bits_of(self.funded, self.count as usize));
        self.seasons.write(writer);
    }
}

/// Documents in an order.
fn order_by(count: u32, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut docs: Vec<u32> = (0..count).collect();
    docs.sort_unstable_by(|a, b| compare(*a as usize, *b as usize).then(a.cmp(b)));
    docs
}

fn put_order((docs, rank): Pair, order: Vec<u32>, writer: &mut SectionWriter) {
    let order = Order::new(order);
    writer.put(docs, order.docs);
    writer.put(rank, order.rank);
}
