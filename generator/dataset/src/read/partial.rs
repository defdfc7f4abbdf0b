//! Rows that are no records yet: fields are missing that can be derived, or values are wrong.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use snapshot::record::InternedStr;
use store::Hex;
use uuid::Uuid;

use super::fields::{self, NamedValue, typed, written};
use super::files::DATASET;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::schema::{ValueType, value_type};
use crate::table::Table;

/// The partial rows of each table.
pub(super) type PartialRows = BTreeMap<Table, Vec<PartialRow>>;

/// A named value and its place. A large table has millions: its row knows the file.
#[derive(Debug)]
pub(super) struct Member {
    pub name: InternedStr,
    pub value: Value,
    pub line: u32,
    pub column: Option<NonZeroU32>,
}

impl Member {
    /// Whether it is neither a text nor a number.
    fn is_other(&self) -> bool {
        !self.value.is_string() && !self.value.is_number()
    }
}

/// A row that is no record yet.
#[derive(Debug)]
pub(super) struct PartialRow {
    pub at: Location,
    pub column: Option<u32>,
    pub members: Vec<Member>,
    /// Whether its values are texts of cells.
    pub is_csv: bool,
    /// Its own or derived id, once it is known.
    pub id: Option<Uuid>,
    /// Fields that have no value because of an error that was reported: the row becomes no record.
    pub lost: Vec<String>,
}

impl PartialRow {
    pub(super) fn lose(&mut self, field: impl Into<String>) {
        self.lost.push(field.into());
    }

    pub(super) const fn is_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// A text or number, trimmed; none if it is empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let member = self.get(name).filter(|member| !member.is_other())?;
        Some(written(&member.value).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A value that is neither a text nor a number.
    pub(super) fn other_value(&self, name: &str) -> Option<String> {
        self.get(name).filter(|member| member.is_other()).map(|member| written(&member.value))
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let list = self.get(name).map(|it| typed(&it.value, ValueType::List, self.is_csv));
        let items = list.as_ref().and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    pub(super) fn uuid(&self, name: &str) -> Option<Uuid> {
        self.text(name).and_then(|text| Uuid::parse_str(&text).ok())
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        self.remove(name);
        // A row is completed by a few members: room for twice as many would be most of the memory of a large table.
        self.members.reserve_exact(1);
        let column = self.column.and_then(NonZeroU32::new);
        self.members.push(Member { name: name.into(), value: value.into(), line: self.at.line, column });
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.members.retain(|member| member.name != name);
    }

    /// A problem of a field, at its place.
    pub(super) fn problem(&self, code: Code, field: &str, message: String) -> Diagnostic {
        self.place(Diagnostic::new(code, self.at, message).field(field.to_owned()))
    }

    /// Moves a problem to the last value of its field; to the row if there is none.
    fn place(&self, problem: Diagnostic) -> Diagnostic {
        let name = problem.field.as_deref();
        let member = self.members.iter().rev().find(|member| Some(member.name.as_str()) == name);
        let own = member.map(|member| (member.line, member.column.map(NonZeroU32::get)));
        let (line, column) = own.unwrap_or((self.at.line, self.column));
        Diagnostic { at: Location { line, ..self.at }, column, ..problem }
    }

    /// A hash of the fields in any order, without their timestamps: `stamps.csv` recognizes changes by it.
    pub(super) fn hash(&self) -> String {
        let fields = self.members.iter().filter(|it| !matches!(&*it.name, "createdAt" | "updatedAt"));
        let mut lines: Vec<String> =
            fields.map(|member| format!("{}={}", member.name, written(&member.value))).collect();
        lines.sort_unstable();
        Hex(&Sha256::digest(lines.join("\n"))[..16]).to_string()
    }

    /// The record. Problems are reported; then some of its fields may have stand-ins, which are named.
    pub(super) fn record<T: DeserializeOwned>(
        &self,
        table: Option<Table>,
        report: &mut Diagnostics,
    ) -> (Option<T>, Vec<String>) {
        let fields = || -> Vec<NamedValue> {
            let typed = |it: &Member| typed(&it.value, value_type(table, &it.name), self.is_csv);
            self.members.iter().map(|it| (it.name.as_str(), typed(it))).collect()
        };
        if let Ok(record) = fields::record(fields()) {
            return (Some(record), self.lost.clone());
        }
        // What is derived is missing from a row that is lost.
        let derived: &[&str] = if self.is_lost() { &["id", "createdAt", "updatedAt"] } else { &[] };
        let reported = self.lost.iter().cloned().chain(derived.iter().map(|name| (*name).to_owned()));
        let table = table.map_or(DATASET, Table::name);
        let (record, stand_ins, problems) =
            fields::mended(fields(), self.is_csv, reported.collect(), table, self.at);
        report.extend(problems.into_iter().map(|problem| self.place(problem)));
        (record, stand_ins)
    }
}
