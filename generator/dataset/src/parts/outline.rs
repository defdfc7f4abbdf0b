//! The records of all parts without what only the pages of their programs show.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rustc_hash::FxHashMap;
use snapshot::record::{Cycle, Directory, EntityRef, EntityType, Locale, Program};
use uuid::Uuid;

use crate::diagnostics::Location;
use crate::link::{build_directory, sort};
use crate::rows::{Row, Tables};

/// What the pages of organizations, of recipients and of the whole site show: every record but facts, sources and
/// lifecycle changes, and programs without their descriptions.
pub struct Outline {
    tables: Tables,
    translations: FxHashMap<(EntityRef, Locale), BTreeMap<String, String>>,
    /// Last change of each program or of what belongs to it.
    changed: FxHashMap<Uuid, Timestamp>,
}

impl Outline {
    /// Starts with organizations, recipients, and what belongs to them.
    #[must_use]
    pub fn new(others: Directory) -> Self {
        let tables = Tables {
            dataset: rows([others.dataset]).pop(),
            organizations: rows(others.organizations),
            recipients: rows(others.recipients),
            aliases: rows(others.aliases),
            leaders: rows(others.leaders),
            channels: rows(others.channels),
            posts: rows(others.posts),
            vocabulary: rows(others.vocabulary),
            synonyms: rows(others.synonyms),
            ..Tables::default()
        };
        Self { tables, translations: others.translations, changed: FxHashMap::default() }
    }

    /// Adds the programs of a part.
    pub fn add(&mut self, part: Directory) {
        let Self { tables, translations, changed } = self;
        changed
            .extend(part.programs.iter().zip(&part.program_links).map(|(it, links)| (it.id, links.changed)));
        let brief = |program| Program { description: None, ..program };
        tables.programs.extend(rows(part.programs.into_iter().map(brief)));
        let dates = |cycle| Cycle { label: String::new(), application_url: None, ..cycle };
        tables.cycles.extend(rows(part.cycles.into_iter().map(dates)));
        tables.awards.extend(rows(part.awards));
        for ((of, locale), mut fields) in part.translations {
            if matches!(of.kind, EntityType::Program | EntityType::Award) {
                fields.remove("description");
                translations.insert((of, locale), fields);
            }
        }
    }

    /// The records, linked. None if a reference leads nowhere, which the rules have excluded.
    #[must_use]
    pub fn finish(mut self) -> Option<Directory> {
        sort(&mut self.tables);
        let mut directory = build_directory(self.tables)?;
        directory.translations = self.translations;
        for (program, links) in directory.programs.iter().zip(&mut directory.program_links) {
            links.changed = self.changed.get(&program.id).copied().unwrap_or(links.changed);
        }
        Some(directory)
    }
}

/// Records as rows. Where they were read does not matter any more: all are checked.
fn rows<T>(records: impl IntoIterator<Item = T>) -> Vec<Row<T>> {
    records.into_iter().map(|record| Row { record, at: Location::from_bits(0) }).collect()
}
