//! References by slug, former slug, key or name, and the natural keys that ids are derived from.

use std::collections::BTreeSet;

use snapshot::record::EntityType;

use super::index::{Indexes, Match};
use crate::diagnostics::{Code, Diagnostics};
use crate::read::partial::PartialRow;
use crate::rows::Tables;
use crate::table::Table;
use crate::text::{quoted, suggestion};

/// How many unknown names are compared with all known ones.
const SUGGESTIONS: usize = 200;

/// The table of a kind of record.
pub(super) fn table_of(kind: &str) -> Option<Table> {
    EntityType::parse(kind).map(Table::of)
}

/// Replaces references by the ids of their records.
pub(super) struct References {
    pub indexes: Indexes,
    /// Tables that lost rows to errors.
    pub incomplete: BTreeSet<Table>,
    absent: BTreeSet<Table>,
    /// Unknown names that were compared with all known ones.
    suggestions: usize,
}

impl References {
    pub(super) fn new(tables: &mut Tables) -> Self {
        Self {
            indexes: Indexes::new(tables),
            incomplete: std::mem::take(&mut tables.incomplete),
            absent: tables.absent.clone(),
            suggestions: 0,
        }
    }

    /// Adds former slugs from aliases that are records already.
    pub(super) fn add_aliases(&mut self, table: Table, tables: &Tables) {
        for row in tables.aliases.iter().filter(|row| Table::of(row.record.entity_type) == table) {
            self.indexes.of(table).add_slug(row.record.slug.clone(), row.record.entity_id);
        }
    }

    /// Every reference of a row but that to its source, in the order in which they depend on each other.
    pub(super) fn resolve_all(&mut self, table: Table, row: &mut PartialRow, report: &mut Diagnostics) {
        for name in table.input_only_fields() {
            if let Some(found) = row.other_value(name) {
                let message = format!("`{name}` is {}, expected a text", quoted(&found));
                report.push(row.problem(Code::BadValue, name, message).value(*name, found));
                row.lose(format!("{name}Id"));
                row.remove(name);
            }
            let target = match *name {
                "organization" => Table::Organizations,
                "program" => Table::Programs,
                "cycle" => Table::Cycles,
                "recipient" => Table::Recipients,
                "entity" => match row.text("entityType").and_then(|kind| table_of(&kind)) {
                    Some(table) => table,
                    // An unknown kind is reported by its own field.
                    None => continue,
                },
                _ => continue,
            };
            self.resolve(row, name, target, report);
        }
    }

    /// The reference to a source: sources refer to facts, so it comes last.
    pub(super) fn resolve_source(&mut self, table: Table, row: &mut PartialRow, report: &mut Diagnostics) {
        if table.input_only_fields().contains(&"source") {
            self.resolve(row, "source", Table::Sources, report);
        }
    }

    fn resolve(&mut self, row: &mut PartialRow, name: &'static str, target: Table, report: &mut Diagnostics) {
        let id_field = format!("{name}Id");
        let Some(text) = row.text(name) else {
            row.remove(name);
            return;
        };
        if row.get(&id_field).is_some() {
            let message = format!("`{name}` and `{id_field}` are both given");
            report.push(row.problem(Code::RepeatedField, name, message).help("keep one of the two"));
            row.remove(name);
            row.lose(id_field);
            return;
        }
        let program = row.uuid("programId").filter(|_| target == Table::Cycles);
        let noun = target.noun();
        let index = self.indexes.of(target);
        match index.find(&text, program) {
            Match::One(id) => {
                row.remove(name);
                row.set(&id_field, id.to_string());
            }
            Match::Several(ids) => {
                let places = ids.iter().filter_map(|id| index.place(*id));
                let places: Vec<String> =
                    places.map(|(at, slug)| format!("`{slug}` ({})", report.place(*at))).collect();
                let message =
                    format!("`{name}` is {}, which is the name of {} {noun}s", quoted(&text), ids.len());
                let help = format!("write the slug or the `key` of one: {}", places.join(", "));
                report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
                row.lose(id_field);
            }
            Match::None => self.report_unknown(row, name, text, target, report),
        }
        row.remove(name);
    }

    fn report_unknown(
        &mut self,
        row: &mut PartialRow,
        name: &'static str,
        text: String,
        target: Table,
        report: &mut Diagnostics,
    ) {
        row.lose(format!("{name}Id"));
        // The record may be in a row that was lost.
        if self.incomplete.contains(&target) {
            return;
        }
        let (noun, table) = (target.noun(), target.name());
        let (message, help) = if self.absent.contains(&target) {
            let message = format!("`{name}` is {}, and there is no table `{table}`", quoted(&text));
            (message, format!("add {table}.csv with a row for it"))
        } else {
            let message = format!("`{name}` is {}, which is no {noun}", quoted(&text));
            self.suggestions += 1;
            let index = self.indexes.of(target);
            let known = (self.suggestions <= SUGGESTIONS).then(|| index.spellings());
            let help = suggestion(&text, known.into_iter().flatten(), || {
                format!("add a row to {table}, or write the slug, `key` or name of an existing one")
            });
            (message, help)
        };
        report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
    }
}

/// The fields that a natural key needs, and those that it has as well.
pub(super) fn required(table: Table) -> (&'static [&'static str], &'static [&'static str]) {
    match table {
        Table::Organizations | Table::Programs | Table::Recipients => (&["slug"], &[]),
        Table::Cycles => (&["programId", "label"], &[]),
        Table::Awards => (&["programId", "recipientId", "awardYear"], &["cycleId"]),
        Table::Facts => (
            &["programId", "kind"],
            &["cycleId", "value", "text", "min", "max", "unit", "amount", "currency", "polarity"],
        ),
        Table::Sources => (&["entityType", "entityId", "kind"], &["url", "title"]),
        Table::Lifecycle => (&["programId", "toLifecycle", "observedAt"], &[]),
        Table::Leaders => (&["organizationId", "name"], &["role", "startedOn"]),
        Table::Channels | Table::Posts => (&["organizationId", "url"], &[]),
        Table::Aliases | Table::Translations | Table::Vocabulary | Table::Synonyms => (&[], &[]),
    }
}

/// The fields that identify a row's record, as one text; none if a required one is missing.
pub(super) fn natural_key(table: Table, row: &PartialRow) -> Option<String> {
    let mut parts = vec![table.noun().to_owned()];
    if let Some(key) = row.text("key") {
        parts.extend(["key".to_owned(), key]);
        return Some(parts.join("\n"));
    }
    let (required, others) = required(table);
    if required.is_empty() || required.iter().any(|field| row.text(field).is_none()) {
        return None;
    }
    parts.extend(required.iter().chain(others).map(|field| row.text(field).unwrap_or_default()));
    Some(parts.join("\n"))
}
