//! `stamps.csv`: when each row without timestamps of its own was first seen and last changed. `opdir stamp`
//! writes it; it is kept with the data, so that the same dataset always gives the same snapshot.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use crate::table::Table;
use crate::text::csv_of;

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stamp {
    table: String,
    id: Uuid,
    hash: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A row without timestamps of its own.
#[derive(Clone, Debug)]
pub struct UnstampedRow {
    pub(crate) table: Table,
    pub(crate) id: Uuid,
    /// Of its fields.
    pub(crate) hash: String,
}

/// When rows were created and changed.
#[derive(Clone, Debug, Default)]
pub struct Stamps(BTreeMap<(Table, Uuid), Stamp>);

impl Stamps {
    /// Name of the file.
    pub const FILE: &str = "stamps.csv";

    /// Reads the file; lines with errors are reported and left out.
    pub(crate) fn read(text: &str, file: FileId, report: &mut Diagnostics) -> Self {
        let mut reader = ::csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let mut stamps = BTreeMap::new();
        for stamp in reader.deserialize::<Stamp>() {
            match stamp {
                Ok(stamp) => {
                    let table = Table::parse(&stamp.table);
                    stamps.extend(table.map(|table| ((table, stamp.id), stamp)));
                }
                Err(error) => {
                    let line = error.position().and_then(|position| u32::try_from(position.line()).ok());
                    let at = Location { file, line: line.unwrap_or(1) };
                    let message = format!("the stamp cannot be read: {error}");
                    let problem = Diagnostic::new(Code::BadValue, at, message).field("stamps");
                    report.push(problem.help("restore the file, or remove it and run `opdir stamp`"));
                }
            }
        }
        Self(stamps)
    }

    /// When a row was created and changed.
    pub(crate) fn find(&self, table: Table, id: Uuid) -> Option<(Timestamp, Timestamp)> {
        self.0.get(&(table, id)).map(|stamp| (stamp.created_at, stamp.updated_at))
    }

    /// The stamps after a publication, and the numbers of new and changed rows: these get the time of the
    /// publication, other rows keep their stamps, and stamps of removed rows are dropped.
    pub fn updated(&self, rows: &[UnstampedRow], at: Timestamp) -> (Self, usize, usize) {
        let (mut new, mut changed) = (0, 0);
        let stamps = rows.iter().map(|row| {
            let key = (row.table, row.id);
            let known = self.0.get(&key);
            let is_same = known.is_some_and(|known| known.hash == row.hash);
            new += usize::from(known.is_none());
            changed += usize::from(known.is_some() && !is_same);
            let stamp = Stamp {
                table: row.table.name().to_owned(),
                id: row.id,
                hash: row.hash.clone(),
                created_at: known.map_or(at, |known| known.created_at),
                updated_at: known.filter(|_| is_same).map_or(at, |known| known.updated_at),
            };
            (key, stamp)
        });
        let stamps = Self(stamps.collect());
        (stamps, new, changed)
    }

    /// The file, sorted by table and id.
    pub fn text(&self) -> String {
        csv_of(self.0.values())
    }
}
