//! `stamps.csv`: when each row without times of its own was first seen and last changed, as `opdir stamp`
//! wrote it down. Beside the data and kept with it, so that the same dataset gives the same bytes.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, FileId, Location};
use crate::table::Table;

/// Name of the file.
pub const STAMPS: &str = "stamps.csv";

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    table: String,
    id: Uuid,
    hash: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A row that has no times of its own.
#[derive(Clone, Debug)]
pub struct UnstampedRow {
    /// Of which table.
    pub table: Table,
    /// Its id.
    pub id: Uuid,
    /// What it says, in short.
    pub hash: String,
}

/// When rows were made and changed, by table and id.
#[derive(Clone, Debug, Default)]
pub struct Stamps(BTreeMap<(Table, Uuid), Stamp>);

#[derive(Clone, Debug)]
struct Stamp {
    hash: String,
    created: Timestamp,
    updated: Timestamp,
}

impl Stamps {
    /// Reads the file; what is wrong in it is told, and the other lines stay.
    pub(crate) fn read(text: &str, file: FileId, report: &mut Vec<Diagnostic>) -> Self {
        let mut reader = ::csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let mut stamps = BTreeMap::new();
        for line in reader.deserialize::<Line>() {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    let at =
                        error.position().map_or(1, |position| u32::try_from(position.line()).unwrap_or(1));
                    let message = format!("the stamp cannot be read: {error}");
                    let told = Diagnostic::new(Code::BadValue, Location { file, line: at }, message);
                    report.push(
                        told.field("stamps").help("restore the file, or remove it and run `opdir stamp`"),
                    );
                    continue;
                }
            };
            if let Some(table) = Table::parse(&line.table) {
                let stamp = Stamp { hash: line.hash, created: line.created_at, updated: line.updated_at };
                stamps.insert((table, line.id), stamp);
            }
        }
        Self(stamps)
    }

    /// When a row was made and changed.
    pub(crate) fn find(&self, table: Table, id: Uuid) -> Option<(Timestamp, Timestamp)> {
        self.0.get(&(table, id)).map(|stamp| (stamp.created, stamp.updated))
    }

    /// The same after a publication at a time: rows that are new or changed move, others stay, and who has
    /// left is forgotten. Says how many are new and how many changed.
    #[must_use]
    pub fn updated(&self, rows: &[UnstampedRow], at: Timestamp) -> (Self, usize, usize) {
        let (mut new, mut changed) = (0, 0);
        let stamps = rows.iter().map(|row| {
            let stamp = match self.0.get(&(row.table, row.id)) {
                None => {
                    new += 1;
                    Stamp { hash: row.hash.clone(), created: at, updated: at }
                }
                Some(known) if known.hash != row.hash => {
                    changed += 1;
                    Stamp { hash: row.hash.clone(), updated: at, ..known.clone() }
                }
                Some(known) => known.clone(),
            };
            ((row.table, row.id), stamp)
        });
        let stamps = stamps.collect();
        (Self(stamps), new, changed)
    }

    /// The file, sorted by table and id.
    ///
    /// # Errors
    /// When a line cannot be written, which memory does not do.
    pub fn text(&self) -> Result<String, csv::Error> {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        for ((table, id), stamp) in &self.0 {
            writer.serialize(Line {
                table: table.name().to_owned(),
                id: *id,
                hash: stamp.hash.clone(),
                created_at: stamp.created,
                updated_at: stamp.updated,
            })?;
        }
        let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error).map_err(csv::Error::from)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
