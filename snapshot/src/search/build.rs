//! Builds the search index of a directory.

use crate::facet::{Facet, Interval, MEASURES, intervals, is_funded};
use crate::record::{Directory, Fact, Locale, Program};
use crate::search::entities;
use crate::search::index::{BY_NAME_EN, BY_NAME_ES, BY_RECENT, Order, SLUGS};
use crate::search::seasons::{Observation, Seasons};
use crate::search::set::{set_bit, words};
use crate::search::table::{ListsOf, Strings};
use crate::search::terms::write::TermsWriter;
use crate::search::titles::{Titles, searchable_texts};
use crate::search::values::write::{self as values, Document, TooManyValues};
use crate::text::fold;
use crate::time::{Day, Openness, Season};
use store::sections::SectionWriter;

/// Programs in the order of their documents: the default order of results on the day of the build.
#[must_use]
pub fn document_order(directory: &Directory, today: Day) -> Vec<usize> {
    let mut keys: Vec<_> = (0..directory.programs.len())
        .map(|program| {
            let openness = Openness::new(
                directory.programs[program].lifecycle,
                seasons(directory, program).into_iter(),
                today,
            );
            let deadline = openness.next_deadline.known().map_or(i32::MAX, |day| day.0);
            let program = (name_key(directory, program, Locale::En), directory.programs[program].id, program);
            (deadline, openness.rank(), program)
        })
        .collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, (_, _, program))| program).collect()
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

/// The name in a language, folded for sorting.
fn name_key(directory: &Directory, program: usize, locale: Locale) -> String {
    let program = &directory.programs[program];
    fold(directory.text(program.entity(), locale, "name", &program.name))
}

/// Writes the index of a directory; `order` comes from [`document_order`].
///
/// # Errors
///
/// If the facets have more values than an index can number.
pub fn write_index(
    directory: &Directory,
    order: &[usize],
    writer: &mut SectionWriter,
) -> Result<(), TooManyValues> {
    let documents: Vec<Document<'_>> = order
        .iter()
        .map(|program| Document { program: &directory.programs[*program], facts: facts(directory, *program) })
        .collect();
    Strings::write(writer, SLUGS, documents.iter().map(|document| &document.program.slug));
    let mut by_slug: Vec<u32> = (0..order.len() as u32).collect();
    by_slug.sort_by_key(|doc| &documents[*doc as usize].program.slug);
    writer.put("slug.order", by_slug);
    write_orders(directory, order, writer);
    write_measures(&documents, writer);
    let rows: Vec<_> = order
        .iter()
        .map(|program| (observation(&directory.programs[*program]), seasons(directory, *program)))
        .collect();
    Seasons::write(&rows, writer);
    let (values, terms) = std::thread::scope(|threads| {
        let terms = threads.spawn(|| write_terms(directory, order));
        let mut writer = SectionWriter::default();
        let written = values::write(&documents, &mut writer);
        entities::write(directory, &documents, &mut writer);
        Titles::write(directory, order, &mut writer);
        values::write_unstated(&documents, &mut writer);
        (written.map(|()| writer), terms.join())
    });
    writer.append(values?);
    match terms {
        Ok(terms) => writer.append(terms),
        Err(panic) => std::panic::resume_unwind(panic),
    }
    Ok(())
}

fn write_terms(directory: &Directory, order: &[usize]) -> SectionWriter {
    let mut terms = TermsWriter::default();
    order.iter().for_each(|program| terms.add(searchable_texts(directory, *program).into_iter()));
    let synonyms: Vec<Vec<String>> = directory.synonyms.iter().map(|synonym| synonym.terms.clone()).collect();
    let mut writer = SectionWriter::default();
    terms.finish(&synonyms, &mut writer);
    writer
}

fn facts(directory: &Directory, program: usize) -> Vec<&Fact> {
    directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect()
}

fn write_orders(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let sorted_by = |key: &dyn Fn(usize) -> (String, uuid::Uuid)| {
        let mut docs: Vec<_> =
            order.iter().enumerate().map(|(doc, program)| (key(*program), doc as u32)).collect();
        docs.sort_unstable();
        Order::new(docs.into_iter().map(|(_, doc)| doc).collect())
    };
    for (names, locale) in [(BY_NAME_EN, Locale::En), (BY_NAME_ES, Locale::Es)] {
        let by_name =
            sorted_by(&|program| (name_key(directory, program, locale), directory.programs[program].id));
        writer.put(names.0, by_name.docs);
        writer.put(names.1, by_name.rank);
    }
    let mut recent: Vec<u32> = (0..order.len() as u32).collect();
    recent.sort_by_key(|doc| {
        let program = &directory.programs[order[*doc as usize]];
        (std::cmp::Reverse(program.created_at), program.id)
    });
    let recent = Order::new(recent);
    writer.put(BY_RECENT.0, recent.docs);
    writer.put(BY_RECENT.1, recent.rank);
}

fn write_measures(documents: &[Document<'_>], writer: &mut SectionWriter) {
    for spec in &MEASURES {
        let of = |document: &Document<'_>| intervals(spec.measure, document.program, &document.facts);
        ListsOf::<Interval>::write(writer, spec.sections, documents.iter().map(of));
    }
    let mut funded = vec![0u64; words(documents.len())];
    for (doc, document) in (0..).zip(documents) {
        if is_funded(document.program, &document.named(Facet::FundingShapes)) {
            set_bit(&mut funded, doc);
        }
    }
    writer.put("funded", funded);
}
