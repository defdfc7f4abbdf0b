//! What may occur only once: ids, slugs, aliases, translations, labels.

use std::fmt::Display;

use rayon::prelude::*;
use snapshot::record::EntityType;

use super::Identified;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::rows::{Row, Tables};
use crate::text::quoted;

/// Reports repetitions at their second and later places.
pub(super) fn check(tables: &Tables, report: &mut Diagnostics) {
    ids(&tables.organizations, report);
    ids(&tables.programs, report);
    ids(&tables.cycles, report);
    ids(&tables.awards, report);
    ids(&tables.recipients, report);
    ids(&tables.sources, report);
    ids(&tables.facts, report);
    ids(&tables.transitions, report);
    ids(&tables.leaders, report);
    ids(&tables.channels, report);
    ids(&tables.posts, report);
    slugs_and_aliases(tables, report);
    let translations = tables.translations.iter().map(|row| {
        let record = &row.record;
        ((record.about(), record.locale), row.at)
    });
    once(translations, report, (Code::DuplicateKey, "locale"), |(of, locale)| {
        let kind = of.kind.as_str();
        let message = format!("the {kind} has a translation in `{}` already", locale.as_str());
        (format!("{} {}", of.id, locale.as_str()), message)
    });
    let terms = tables.vocabulary.iter();
    let terms = terms.map(|row| ((row.record.facet.as_str(), row.record.value.as_str()), row.at));
    once(terms, report, (Code::DuplicateKey, "value"), |(facet, value)| {
        let message = format!("{} of `{}` has a label already", quoted(value), facet.escape_debug());
        (value.to_owned(), message)
    });
}

fn ids<T: Identified>(rows: &[Row<T>], report: &mut Diagnostics) {
    let ids = rows.iter().map(|row| (row.record.id(), row.at));
    once(ids, report, (Code::DuplicateId, "id"), |id| (id.to_string(), format!("the id {id} is taken")));
}

fn slugs_and_aliases(tables: &Tables, report: &mut Diagnostics) {
    let organizations = tables.organizations.iter();
    let organizations = organizations.map(|row| (row.record.slug.as_str(), row.at)).collect();
    let programs = tables.programs.iter().map(|row| (row.record.slug.as_str(), row.at)).collect();
    let recipients = tables.recipients.iter().map(|row| (row.record.slug.as_str(), row.at)).collect();
    check_slugs(EntityType::Organization, organizations, tables, report);
    check_slugs(EntityType::Program, programs, tables, report);
    check_slugs(EntityType::Recipient, recipients, tables, report);
}

fn check_slugs(
    kind: EntityType,
    mut slugs: Vec<(&str, Location)>,
    tables: &Tables,
    report: &mut Diagnostics,
) {
    slugs.par_sort_unstable();
    once(slugs.iter().copied(), report, (Code::DuplicateSlug, "slug"), |slug| {
        (slug.to_owned(), format!("the slug {} is taken", quoted(slug)))
    });
    let aliases = tables.aliases.iter().filter(|row| row.record.entity_type == kind);
    let aliases = aliases.map(|row| (row.record.slug.as_str(), row.at));
    once(aliases.clone(), report, (Code::DuplicateAlias, "slug"), |slug| {
        (slug.to_owned(), format!("the alias {} is taken", quoted(slug)))
    });
    for (alias, at) in aliases {
        if let Ok(position) = slugs.binary_search_by_key(&alias, |(slug, _)| slug) {
            let message =
                format!("the alias {} is the slug of {}", quoted(alias), place(report, slugs[position].1));
            report.push(Diagnostic::new(Code::AliasIsSlug, at, message).value("slug", alias));
        }
    }
}

/// Reports keys that occur again; `told` gives a key as it stands in the file, and what is wrong with it.
fn once<K: Ord + Copy + Send>(
    keys: impl Iterator<Item = (K, Location)>,
    report: &mut Diagnostics,
    (code, field): (Code, &'static str),
    told: impl Fn(K) -> (String, String),
) {
    let mut keys: Vec<(K, Location)> = keys.collect();
    keys.par_sort_unstable();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        for (key, at) in &same[1..] {
            let (value, message) = told(*key);
            let message = format!("{message}, see {}", place(report, same[0].1));
            report.push(Diagnostic::new(code, *at, message).value(field, value));
        }
    }
}

fn place(report: &Diagnostics, at: Location) -> impl Display + use<> {
    format!("{}:{}", report.file_name(at.file), at.line)
}
