//! References by what people know of a record (its slug, a former slug, its key, its name), and what makes
//! a row without an id the record that it is.

use snapshot::facet::Facet;
use snapshot::place;
use uuid::Uuid;

use super::index::Found;
use super::{Maker, PartialRow, table_of};
use crate::diagnostics::Code;
use crate::labels::Labels;
use crate::places;
use crate::table::Table;
use crate::text::{nearest, quoted};

/// How many unknown names are held against all that there are.
const PROPOSALS: usize = 200;

impl Maker<'_> {
    /// Every reference of a row but the one to its source, in the order in which they lean on each other.
    pub(super) fn link(&mut self, table: Table, row: &mut PartialRow) {
        for name in table.input_only_fields() {
            if let Some(found) = row.shape(name) {
                let message = format!("`{name}` is {}, expected a text", quoted(&found));
                self.report.push(row.fault(Code::BadValue, name, message).value(*name, found));
                row.is_lost = true;
                row.remove(name);
            }
            let target = match *name {
                "organization" => Table::Organizations,
                "program" => Table::Programs,
                "cycle" => Table::Cycles,
                "recipient" => Table::Recipients,
                "entity" => match row.text("entityType").and_then(|kind| table_of(&kind)) {
                    Some(table) => table,
                    // A kind that is none is told as what it is.
                    None => continue,
                },
                _ => continue,
            };
            self.resolve(row, name, target);
        }
    }

    /// The reference to a source: sources refer to facts, so this one comes last.
    pub(super) fn link_source(&mut self, table: Table, row: &mut PartialRow) {
        if table.input_only_fields().contains(&"source") {
            self.resolve(row, "source", Table::Sources);
        }
    }

    fn resolve(&mut self, row: &mut PartialRow, name: &str, target: Table) {
        let id_field = format!("{name}Id");
        let Some(text) = row.text(name) else {
            row.remove(name);
            return;
        };
        if row.get(&id_field).is_some() {
            let message = format!("`{name}` and `{id_field}` both say what it belongs to");
            self.report.push(row.fault(Code::RepeatedField, name, message).help("keep one of the two"));
            row.is_lost = true;
            return;
        }
        let program = row.text("programId").and_then(|id| Uuid::parse_str(&id).ok());
        let within = program.filter(|_| target == Table::Cycles);
        let noun = target.noun();
        match self.indexes.of(target).find(&text, within) {
            Found::One(id) => row.set(&id_field, id.to_string()),
            Found::ByName(id) => {
                let called = self.indexes.of(target).place(id).map(|(_, called)| called.clone());
                let message = format!("`{name}` is {}, the only {noun} of that name", quoted(&text));
                let told = row.fault(Code::NamedByName, name, message).value(name.to_owned(), text.as_str());
                let help = called.filter(|called| *called != text);
                let help = help.map(|called| format!("its slug stays when the name changes: `{called}`"));
                self.report.push(told.maybe_help(help));
                row.set(&id_field, id.to_string());
            }
            Found::Several(ids) => {
                let places = ids.iter().filter_map(|id| self.indexes.of(target).place(*id).cloned());
                let places: Vec<(_, String)> = places.collect();
                let places: Vec<String> = places
                    .into_iter()
                    .map(|(at, called)| format!("`{called}` ({})", self.place(at)))
                    .collect();
                let count = ids.len();
                let message = format!("`{name}` is {}, and {count} {noun}s are called so", quoted(&text));
                let told = row.fault(Code::Dangling, name, message).value(name.to_owned(), text);
                self.report
                    .push(told.help(format!("write the slug or the `key` of one: {}", places.join(", "))));
                row.is_lost = true;
            }
            Found::None => self.unknown(row, name, &text, target),
        }
        row.remove(name);
    }

    fn unknown(&mut self, row: &mut PartialRow, name: &str, text: &str, target: Table) {
        row.is_lost = true;
        // What is missing may be in the rows that were lost.
        let lost = self.rows.get(&target).is_some_and(|rows| rows.iter().any(|row| row.is_lost));
        if self.incomplete.contains(&target) || lost {
            return;
        }
        let noun = target.noun();
        let table = target.name();
        let (message, help) = if self.absent.contains(&target) {
            let message = format!("`{name}` is {}, and there is no table `{table}`", quoted(text));
            (message, format!("add {table}.csv with a row for it"))
        } else {
            let message = format!("`{name}` is {}, which no {noun} is called", quoted(text));
            // Who is looked for among all records is looked for only so often.
            self.proposals += 1;
            let index = self.indexes.of(target);
            let spellings = (self.proposals <= PROPOSALS).then(|| index.spellings());
            let near = nearest(text, spellings.into_iter().flatten()).map(str::to_owned);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!("add a row to {table}, or write the slug, `key` or name of one that is there")
                }
            };
            (message, help)
        };
        let told = row.fault(Code::Dangling, name, message).value(name.to_owned(), text);
        self.report.push(told.help(help));
    }
}

/// What makes a row the record that it is, in one text; nothing when the row does not say it.
pub(super) fn natural_key(table: Table, row: &PartialRow, labels: &Labels) -> Option<String> {
    let mut parts = vec![table.noun().to_owned()];
    if let Some(key) = row.text("key") {
        parts.extend(["key".to_owned(), key]);
        return Some(parts.join("\n"));
    }
    let said = |field: &&str| match row.text(field) {
        Some(value) if table == Table::Facts && *field == "value" => meant(value, row, labels),
        found => found.unwrap_or_default(),
    };
    let (required, others): (&[&str], &[&str]) = match table {
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
        Table::Channels => (&["organizationId", "url"], &[]),
        Table::Posts => (&["organizationId", "url"], &[]),
        Table::Aliases | Table::Translations | Table::Vocabulary | Table::Synonyms => return None,
    };
    if required.iter().any(|field| row.text(field).is_none()) {
        return None;
    }
    parts.extend(required.iter().chain(others).map(said));
    Some(parts.join("\n"))
}

/// A fact's value as it will be understood: writing that down must not make another fact of it.
fn meant(value: String, row: &PartialRow, labels: &Labels) -> String {
    let kind = row.text("kind").unwrap_or_default();
    let Some(facet) = Facet::of_kind(&kind) else { return value };
    if !facet.spec().is_place {
        return labels.meant(facet, &value).map_or(value.clone(), str::to_owned);
    }
    match places::named(&value) {
        [code] if !place::is_place(&value) => (*code).to_owned(),
        _ => value,
    }
}
