//! References by slug, former slug, key or name, and the natural keys that ids are derived from.

use snapshot::record::EntityType;

use super::Completer;
use crate::diagnostics::Code;
use crate::read::partial::PartialRow;
use crate::table::Table;
use crate::text::{quoted, suggestion};

/// How many unknown names are compared with all known ones.
const SUGGESTIONS: usize = 200;

/// The table of the record that a row is about.
pub(super) fn entity_table(row: &PartialRow) -> Option<Table> {
    EntityType::parse(&row.text("entityType")?).map(Table::of)
}

/// Replaces references by the ids of their records.
impl Completer<'_> {
    /// Every reference of a row but that to its source, in the order in which they depend on each other. Sources refer
    /// to facts, so that one comes last.
    pub(super) fn resolve_all(&mut self, table: Table, row: &mut PartialRow) {
        for name in table.input_only_fields() {
            if let Some(found) = row.other_value(name) {
                let message = format!("`{name}` is {}, expected a text", quoted(&found));
                self.report.push(row.problem(Code::BadValue, name, message).value(*name, found));
                row.lose(format!("{name}Id"));
                row.remove(name);
            }
            let target = match *name {
                "source" => None,
                // An unknown kind is reported by its own field.
                "entity" => entity_table(row),
                name => Table::ALL.into_iter().find(|table| table.noun() == name),
            };
            if let Some(target) = target {
                self.resolve(row, name, target);
            }
        }
    }

    pub(super) fn resolve(&mut self, row: &mut PartialRow, name: &'static str, target: Table) {
        let id_field = format!("{name}Id");
        let Some(text) = row.text(name) else {
            row.remove(name);
            return;
        };
        if row.get(&id_field).is_some() {
            let message = format!("`{name}` and `{id_field}` are both given");
            let problem = row.problem(Code::RepeatedField, name, message);
            self.report.push(problem.help("keep one of the two"));
            row.remove(name);
            row.lose(id_field);
            return;
        }
        let program = row.uuid("programId").filter(|_| target == Table::Cycles);
        let index = &self.indexes[target as usize];
        match &index.find(&text, program)[..] {
            [] => self.report_unknown(row, name, text, target),
            [id] => {
                row.remove(name);
                row.set(&id_field, id.to_string());
            }
            ids => {
                let places = ids.iter().filter_map(|id| index.places.get(id));
                let places: Vec<String> =
                    places.map(|(at, slug)| format!("`{slug}` ({})", self.report.place(*at))).collect();
                let (count, noun) = (ids.len(), target.noun());
                let message = format!("`{name}` is {}, which is the name of {count} {noun}s", quoted(&text));
                let help = format!("write the slug or the `key` of one: {}", places.join(", "));
                self.report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
                row.lose(id_field);
            }
        }
        row.remove(name);
    }

    fn report_unknown(&mut self, row: &mut PartialRow, name: &'static str, text: String, target: Table) {
        row.lose(format!("{name}Id"));
        // The record may be in a row that was lost.
        if self.incomplete.contains(&target) {
            return;
        }
        let (noun, table) = (target.noun(), target.name());
        let (what, help) = if self.absent.contains(&target) {
            (format!("and there is no table `{table}`"), format!("add {table}.csv with a row for it"))
        } else {
            self.suggestions += 1;
            let index = &self.indexes[target as usize];
            let known = (self.suggestions <= SUGGESTIONS).then(|| index.spellings());
            let help = suggestion(&text, known.into_iter().flatten(), || {
                format!("add a row to {table}, or write the slug, `key` or name of an existing one")
            });
            (format!("which is no {noun}"), help)
        };
        let message = format!("`{name}` is {}, {what}", quoted(&text));
        self.report.push(row.problem(Code::Dangling, name, message).value(name, text).help(help));
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
    let noun = table.noun();
    if let Some(key) = row.text("key") {
        return Some(format!("{noun}\nkey\n{key}"));
    }
    let (required, others) = required(table);
    if required.iter().any(|field| row.text(field).is_none()) {
        return None;
    }
    let parts = required.iter().chain(others).map(|field| row.text(field).unwrap_or_default());
    Some([noun.to_owned()].into_iter().chain(parts).collect::<Vec<_>>().join("\n"))
}
