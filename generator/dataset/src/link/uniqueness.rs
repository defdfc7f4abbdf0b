//! What may occur only once: ids, slugs, aliases, translations, labels.

use rayon::prelude::*;
use snapshot::record::EntityType;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::record::Record;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;
use crate::text::quoted;

/// Reports repetitions at their second and later places.
pub(super) fn check(tables: &mut Tables, report: &mut Diagnostics) {
    tables.run(&mut UniqueIds { report });
    let organizations = tables.organizations.iter().map(|row| (row.record.slug.as_str(), row.at));
    check_slugs(EntityType::Organization, organizations.collect(), tables, report);
    let programs = tables.programs.iter().map(|row| (row.record.slug.as_str(), row.at));
    check_slugs(EntityType::Program, programs.collect(), tables, report);
    let recipients = tables.recipients.iter().map(|row| (row.record.slug.as_str(), row.at));
    check_slugs(EntityType::Recipient, recipients.collect(), tables, report);
    let translations = tables.translations.iter();
    let translations = translations.map(|row| ((row.record.about(), row.record.locale), row.at));
    unique(translations, report, (Code::DuplicateKey, "locale"), |(of, locale)| {
        let (kind, locale) = (of.kind.as_str(), locale.as_str());
        (format!("{} {locale}", of.id), format!("the {kind} already has a translation in `{locale}`"))
    });
    let terms = tables.vocabulary.iter();
    let terms = terms.map(|row| ((row.record.facet.as_str(), row.record.value.as_str()), row.at));
    unique(terms, report, (Code::DuplicateKey, "value"), |(facet, value)| {
        let message = format!("{} of `{}` already has a label", quoted(value), facet.escape_debug());
        (value.to_owned(), message)
    });
}

struct UniqueIds<'r> {
    report: &'r mut Diagnostics,
}

impl Pass for UniqueIds<'_> {
    fn table<T: Record>(&mut self, _: Table, rows: &mut Vec<Row<T>>) {
        let ids = rows.iter().filter_map(|row| Some((row.record.id()?, row.at)));
        unique(ids, self.report, (Code::DuplicateId, "id"), |id| {
            (id.to_string(), format!("the id {id} is taken"))
        });
    }
}

fn check_slugs(
    kind: EntityType,
    mut slugs: Vec<(&str, Location)>,
    tables: &Tables,
    report: &mut Diagnostics,
) {
    slugs.par_sort_unstable();
    unique(slugs.iter().copied(), report, (Code::DuplicateSlug, "slug"), |slug| {
        (slug.to_owned(), format!("the slug {} is taken", quoted(slug)))
    });
    let aliases = tables.aliases.iter().filter(|row| row.record.entity_type == kind);
    let aliases = aliases.map(|row| (row.record.slug.as_str(), row.at));
    unique(aliases.clone(), report, (Code::DuplicateAlias, "slug"), |slug| {
        (slug.to_owned(), format!("the alias {} is taken", quoted(slug)))
    });
    for (alias, at) in aliases {
        if let Ok(position) = slugs.binary_search_by_key(&alias, |(slug, _)| slug) {
            let place = report.place(slugs[position].1);
            let message = format!("the alias {} is the slug of {place}", quoted(alias));
            report.push(Diagnostic::new(Code::AliasIsSlug, at, message).value("slug", alias));
        }
    }
}

/// Reports keys that occur again; `describe` returns a key as files write it, and the message.
fn unique<K: Ord + Copy>(
    keys: impl Iterator<Item = (K, Location)>,
    report: &mut Diagnostics,
    (code, field): (Code, &'static str),
    describe: impl Fn(K) -> (String, String),
) {
    let mut keys: Vec<(K, Location)> = keys.collect();
    keys.sort_unstable();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        for (key, at) in &same[1..] {
            let (value, message) = describe(*key);
            let message = format!("{message}, see {}", report.place(same[0].1));
            report.push(Diagnostic::new(code, *at, message).value(field, value));
        }
    }
}
