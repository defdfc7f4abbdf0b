//! The records of all parts without what only the pages of their programs show.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use snapshot::record::{Award, Cycle, Directory, EntityRef, EntityType, Locale, Program};
use store::spill::{Column, Spill};
use uuid::Uuid;

use crate::diagnostics::Location;
use crate::link::{build_directory, sort};
use crate::rows::{Row, Tables};

/// Texts of a record in a language.
type Texts = (EntityType, Uuid, Locale, BTreeMap<String, String>);

/// Collects what the pages of organizations, of recipients and of the whole site show: every record but facts, sources
/// and lifecycle changes, and programs without their descriptions. Rows are in temporary files until all are there.
pub struct Outline {
    programs: Column<u8>,
    cycles: Column<u8>,
    awards: Column<u8>,
    texts: Column<u8>,
    /// Last change of each program or of what belongs to it, by its id.
    changed: Column<u8>,
}

impl Outline {
    /// Without programs.
    pub fn new(spill: &Spill) -> Self {
        let column = || Column::new(spill);
        Self { programs: column(), cycles: column(), awards: column(), texts: column(), changed: column() }
    }

    /// Adds the programs of a part.
    pub fn add(&mut self, part: Directory) {
        let changed = part.programs.iter().zip(&part.program_links);
        push(&mut self.changed, changed.map(|(it, links)| (it.id, links.changed)));
        let brief = |program| Program { description: None, ..program };
        push(&mut self.programs, part.programs.into_iter().map(brief));
        let dates = |cycle| Cycle { label: String::new(), application_url: None, ..cycle };
        push(&mut self.cycles, part.cycles.into_iter().map(dates));
        push(&mut self.awards, part.awards);
        let shown = part.translations.into_iter().filter_map(|((of, locale), mut fields)| {
            fields.remove("description");
            let is_shown = matches!(of.kind, EntityType::Program | EntityType::Award);
            is_shown.then_some((of.kind, of.id, locale, fields))
        });
        push(&mut self.texts, shown);
    }

    /// The records of all parts, linked, with `others`: organizations, recipients, and what belongs to them. None if a
    /// reference leads nowhere, which the rules have excluded.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be used.
    pub fn finish(self, others: Directory) -> io::Result<Option<Directory>> {
        let mut tables = Tables {
            dataset: rows([others.dataset]).pop(),
            organizations: rows(others.organizations),
            programs: rows(all::<Program>(self.programs)?),
            cycles: rows(all::<Cycle>(self.cycles)?),
            awards: rows(all::<Award>(self.awards)?),
            recipients: rows(others.recipients),
            aliases: rows(others.aliases),
            leaders: rows(others.leaders),
            channels: rows(others.channels),
            posts: rows(others.posts),
            vocabulary: rows(others.vocabulary),
            synonyms: rows(others.synonyms),
            ..Tables::default()
        };
        sort(&mut tables);
        let Some(mut directory) = build_directory(tables) else { return Ok(None) };
        directory.translations = others.translations;
        for (kind, id, locale, fields) in all::<Texts>(self.texts)? {
            directory.translations.insert((EntityRef { kind, id }, locale), fields);
        }
        let changed: FxHashMap<Uuid, Timestamp> =
            all::<(Uuid, Timestamp)>(self.changed)?.into_iter().collect();
        for (program, links) in directory.programs.iter().zip(&mut directory.program_links) {
            links.changed = changed.get(&program.id).copied().unwrap_or(links.changed);
        }
        Ok(Some(directory))
    }
}

/// Appends records as lines of JSON. Writing plain structs to memory cannot fail.
fn push<T: Serialize>(column: &mut Column<u8>, records: impl IntoIterator<Item = T>) {
    for record in records {
        column.extend(&serde_json::to_vec(&record).unwrap_or_default());
        column.push(b'\n');
    }
}

fn all<T: DeserializeOwned>(column: Column<u8>) -> io::Result<Vec<T>> {
    let lines = column.finish()?;
    let records = serde_json::Deserializer::from_slice(&lines).into_iter();
    records.collect::<Result<_, _>>().map_err(io::Error::from)
}

/// Records as rows. Where they were read does not matter any more: all are checked.
fn rows<T>(records: impl IntoIterator<Item = T>) -> Vec<Row<T>> {
    records.into_iter().map(|record| Row { record, at: Location::from_bits(0) }).collect()
}
