//! Downloads: every published table as JSON lines and as CSV, with descriptions of the tables by two
//! standards (`describe`). Nothing here depends on the day. The JSON lines are a dataset themselves: a build
//! from them gives the same snapshot.

mod dcat;
mod describe;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use snapshot::record::{Directory, EntityRef, Locale, PublicationStatus, Translation};
use store::{Body, NewFile, Stage, StoreError};

use crate::csv_rows;
use dataset::Table;
use dataset::parallel::{self, SHARE};
use dataset::schema::published;

/// Where the downloads are served.
pub(crate) const FOLDER: &str = "/data";

/// Media type of a table as CSV: RFC 4180, as the CSV of the API.
pub(crate) const CSV: &str = "text/csv";
/// Media type of a table as JSON lines: one object a line.
const NDJSON: &str = "application/x-ndjson";

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Download {
    /// Table.
    pub table: Table,
    /// Its name in the folder of downloads.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Number of records.
    pub rows: usize,
    /// Its size and hash.
    pub body: Body,
}

impl Download {
    /// Where it is served.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}/{}", self.name)
    }
}

/// Stores every table of a directory; gives their files.
pub(crate) fn write_tables(directory: &Directory, stage: &Stage) -> Result<Vec<Download>, StoreError> {
    let written = parallel::map(Table::ALL, |table| write(table, directory, stage));
    Ok(written.into_iter().collect::<Result<Vec<_>, StoreError>>()?.concat())
}

/// Stores a table; gives its files.
fn write(table: Table, directory: &Directory, stage: &Stage) -> Result<[Download; 2], StoreError> {
    let lines = &table_lines(directory, table);
    let rows = lines.iter().filter(|byte| **byte == b'\n').count();
    let put = |extension: &str, media_type, body: &[u8]| -> Result<Download, StoreError> {
        let name = format!("{}.{extension}", table.name());
        let path = format!("{}/{name}", FOLDER.trim_start_matches('/'));
        let body = stage.put(NewFile { path: &path, body, holes: &[], inputs: &[] })?;
        Ok(Download { table, name, media_type, rows, body })
    };
    Ok([put("csv", CSV, &csv_of(table, lines))?, put("ndjson", NDJSON, lines)?])
}

/// A table as JSON lines, one record per line.
pub fn table_lines(directory: &Directory, table: Table) -> Vec<u8> {
    match table {
        Table::Organizations => lines(&directory.organizations),
        Table::Programs => lines(&directory.programs),
        Table::Cycles => lines(&directory.cycles),
        Table::Awards => lines(&directory.awards),
        Table::Recipients => lines(&directory.recipients),
        Table::Sources => lines(&directory.sources),
        Table::Facts => lines(&directory.facts),
        Table::Lifecycle => lines(&directory.transitions),
        Table::Aliases => lines(&directory.aliases),
        Table::Leaders => lines(&directory.leaders),
        Table::Channels => lines(&directory.channels),
        Table::Posts => lines(&directory.posts),
        Table::Translations => lines(&translations(directory)),
        Table::Vocabulary => lines(&directory.vocabulary),
        Table::Synonyms => lines(&directory.synonyms),
    }
}

fn lines(rows: &[impl Serialize + Sync]) -> Vec<u8> {
    let share = |rows: &[_]| {
        let mut out = Vec::new();
        for row in rows {
            // Writing plain structs to memory cannot fail.
            let _ = serde_json::to_writer(&mut out, row);
            out.push(b'\n');
        }
        out
    };
    parallel::map(rows.chunks(SHARE), share).concat()
}

/// The translations as rows of their table.
fn translations(directory: &Directory) -> Vec<Translation> {
    let row = |((of, locale), fields): (&(EntityRef, Locale), &BTreeMap<String, String>)| Translation {
        entity_type: of.kind,
        entity_id: of.id,
        locale: *locale,
        fields: fields.clone(),
        publication: PublicationStatus::Published,
    };
    let mut rows: Vec<Translation> = directory.translations.iter().map(row).collect();
    rows.sort_unstable_by_key(|row| (row.entity_id, row.entity_type, row.locale));
    rows
}

/// The lines of a table as CSV, with the columns of its schema.
fn csv_of(table: Table, lines: &[u8]) -> Vec<u8> {
    let columns: Vec<&str> = published(table).columns.iter().map(|column| column.name.as_str()).collect();
    let share = |lines: &[&[u8]]| {
        let rows = lines.iter().filter_map(|line| serde_json::from_slice(line).ok());
        let cells = |row: BTreeMap<&str, Value>| -> Vec<String> {
            columns.iter().map(|column| row.get(column).map(csv_rows::cell).unwrap_or_default()).collect()
        };
        csv_rows::rows(rows.map(cells))
    };
    let head = csv_rows::rows(std::iter::once(columns.clone()));
    let lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    [vec![head], parallel::map(lines.chunks(SHARE), share)].concat().concat()
}

#[cfg(test)]
mod tests {
    use snapshot::record::Members;

    use super::*;

    #[test]
    fn rows_have_the_columns_of_their_schema() {
        let directory = dataset::directory(&dataset::Input::Embedded(dataset::sample::FILES));
        for table in Table::ALL {
            let lines = table_lines(&directory, table);
            let first: Option<Members<Value>> =
                serde_json::Deserializer::from_slice(&lines).into_iter().next().map(Result::unwrap);
            let mut columns: Vec<String> =
                published(table).columns.iter().map(|column| column.name.clone()).collect();
            let mut names: Vec<String> =
                first.unwrap_or_default().0.into_iter().map(|(name, _)| name).collect();
            columns.sort();
            names.sort();
            assert_eq!(names, columns, "{}", table.name());
        }
    }
}
