//! Builds the search index: documents are added in their order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::facet::{Facet, MEASURES, intervals, is_funded, named_values};
use crate::record::{Directory, Fact, Locale, Program};
use crate::search::index::{BY_NAME, BY_RECENT, Order, RECIPIENT_WORDS, SLUGS, UPDATED};
use crate::search::set::bits_of;
use crate::search::table::{ListsOf, Pair, Strings};
use crate::search::terms_writer::TermsWriter;
use crate::search::titles::{self, searchable_texts};
use crate::search::values::stated::StatedValues;
use crate::search::values::write::{self as values, NamedOrdinals, TooManyValues};
use crate::search::{entities, organizations, seasons, seats};
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
    let facts: Vec<Vec<&Fact>> = order.iter().map(|program| directory.facts_of(*program).collect()).collect();
    let (mut writer, mut stated) = (SectionWriter::default(), StatedValues::default());
    for (program, facts) in order.iter().zip(&facts) {
        stated.add(&directory.programs[*program], facts);
    }
    write_orders(directory, order, &mut writer);
    write_measures(directory, order, &facts, &mut writer);
    seasons::write(directory, order, &mut writer);
    seats::write(directory, order, &mut writer);
    organizations::write(directory, order, &mut writer);
    // None of the words in the names of recipients is a misspelling.
    let words = directory.recipients.iter().flat_map(|recipient| words_of(&recipient.display_name));
    let words: BTreeSet<String> = words.collect();
    Strings::write(&mut writer, RECIPIENT_WORDS, words.iter().map(String::as_bytes));
    let named = values::write(&stated, &mut writer)?;
    entities::write(&directory.vocabulary, &stated, &mut writer);
    titles::write(directory, order, &mut writer);
    Ok((writer, named))
}

/// Writes slugs and days of change, and the orders by slug, by name and by recency.
fn write_orders(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let program = |doc: usize| &directory.programs[order[doc]];
    let slug = |doc: usize| program(doc).slug.as_bytes();
    let docs = 0..order.len();
    writer.put("slug.order", order_by(docs.len(), |a, b| slug(a).cmp(slug(b))));
    Strings::write(writer, SLUGS, docs.clone().map(slug));
    for (locale, sections) in Locale::ALL.iter().zip(BY_NAME) {
        let names = order.iter().map(|program| sort_key(name(directory, *program, *locale)));
        let names: Vec<String> = names.collect();
        let key = |doc: usize| (&names[doc], program(doc).id);
        put_order(sections, order_by(docs.len(), |a, b| key(a).cmp(&key(b))), writer);
    }
    writer.put(UPDATED, docs.clone().map(|doc| Day::of(Some(program(doc).updated_at))).collect::<Vec<_>>());
    let newest_first = |doc: usize| (Reverse(program(doc).created_at), program(doc).id);
    put_order(BY_RECENT, order_by(docs.len(), |a, b| newest_first(a).cmp(&newest_first(b))), writer);
}

/// Writes the intervals of each measure, and which documents publish funding.
fn write_measures(directory: &Directory, order: &[usize], facts: &[Vec<&Fact>], writer: &mut SectionWriter) {
    let programs = || order.iter().map(|program| &directory.programs[*program]).zip(facts);
    for spec in &MEASURES {
        let intervals = programs().map(|(program, facts)| intervals(spec.measure, program, facts));
        ListsOf::write(writer, spec.sections, intervals);
    }
    let is_funded = |(program, facts): (&Program, &Vec<&Fact>)| {
        is_funded(program, &named_values(Facet::FundingShapes, program, facts))
    };
    let funded = (0..).zip(programs()).filter(|(_, it)| is_funded(*it)).map(|(doc, _)| doc);
    writer.put("funded", bits_of(funded, order.len()));
}

/// Documents in an order.
fn order_by(count: usize, compare: impl Fn(usize, usize) -> std::cmp::Ordering) -> Vec<u32> {
    let mut docs: Vec<u32> = (0..count as u32).collect();
    docs.sort_unstable_by(|a, b| compare(*a as usize, *b as usize).then(a.cmp(b)));
    docs
}

fn put_order((docs, rank): Pair, order: Vec<u32>, writer: &mut SectionWriter) {
    let order = Order::new(order);
    writer.put(docs, order.docs);
    writer.put(rank, order.rank);
}
