//! The archive that a workbook is, the events of its XML, and the cells of a sheet as they are shown.

use std::collections::BTreeSet;
use std::io::{BufReader, Cursor, Read as _};

use super::sheet::Row;
use super::xml::{Part, each_part};

/// A sheet's name, and whether it can be seen.
pub(super) type Name = (String, bool);

pub(super) type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// First and last row and column of merged cells: lines and indexes.
pub(super) type Merged = ([u32; 2], [usize; 2]);

/// The cells of a sheet, and how they are shown.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub rows: Vec<Row>,
    /// Rows that are hidden, by line.
    pub hidden_rows: BTreeSet<u32>,
    /// Cells that are struck through, by line and column.
    pub struck: BTreeSet<(u32, usize)>,
    pub hidden_columns: BTreeSet<usize>,
    pub merged: Vec<Merged>,
    /// Whether every row has as many cells as the header, unless it was cut off.
    pub is_exact: bool,
}

/// Unpacks everything once and discards it, because the stated sizes may be false.
pub(crate) fn unpacks(bytes: &[u8], most: u64) -> Result<Archive<'_>, String> {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is no workbook: {error}"))?;
    let mut left = most;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| format!("it is damaged: {error}"))?;
        let read = std::io::copy(&mut (&mut file).take(left + 1), &mut std::io::sink());
        let read = read.map_err(|error| format!("it is damaged: {error}"))?;
        left = left.checked_sub(read).ok_or_else(|| {
            format!("it unpacks to more than {} MB, which no list of grants does", most >> 20)
        })?;
    }
    Ok(archive)
}

/// Calls a function with each part of a file of a workbook.
pub(super) fn each_part_of(
    archive: &mut Archive<'_>,
    path: &str,
    take: impl FnMut(Part<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let file = archive.by_name(path).map_err(|_| format!("it is no workbook: it has no {path}"))?;
    each_part(BufReader::new(file), "it is damaged", take)
}
