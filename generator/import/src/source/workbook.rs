//! Workbooks (.xlsx, .ods): the archive that each is, and one sheet of it with the cells as they are shown.

use std::collections::BTreeSet;
use std::io::{BufReader, Cursor, Read as _};

use super::sheet::{LARGEST_UNPACKED, Reading, Row, Sheet, within};
use super::xml::{Part, each_part};
use super::{layout, ods, xlsx};

/// Most sheets of a workbook.
const MOST_SHEETS: usize = 256;

pub(super) fn read(bytes: &[u8], how: &Reading) -> Result<Sheet, String> {
    let (mut archive, is_ods, names) = open(bytes)?;
    let sheet = choose(&names, how.sheet.as_deref())?;
    let grid = match is_ods {
        true => ods::read(&mut archive, Some(&sheet.0))?.1,
        false => xlsx::read(&mut archive, bytes, sheet)?,
    };
    let mut read = layout::read(grid, how)?;
    // Stated once, with the first sheet.
    let (visible, hidden): (Vec<&Name>, Vec<&Name>) =
        names.iter().partition(|(_, is_visible, _)| *is_visible);
    if visible.first().is_some_and(|first| *first == sheet) && !hidden.is_empty() {
        let hidden: Vec<&str> = hidden.iter().map(|(name, ..)| name.as_str()).collect();
        read.notes.push(format!("hidden sheets are left out: {}; `sheet` takes one", hidden.join(", ")));
    }
    read.name = Some(sheet.0.clone());
    Ok(read)
}

/// Names of the sheets that can be seen.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    let (archive, _, names) = open(bytes)?;
    // Each sheet is read on its own, and the whole workbook unpacked for it.
    let size = archive.decompressed_size().unwrap_or(u128::MAX).saturating_mul(names.len() as u128);
    if size > u128::from(LARGEST_UNPACKED) * 16 {
        let message = format!("its {} sheets are too large to draft at once", names.len());
        return Err(format!("{message}: save the one that counts as a file of its own"));
    }
    Ok(names.into_iter().filter(|(_, is_visible, _)| *is_visible).map(|(name, ..)| name).collect())
}

/// The archive, whether it is OpenDocument, and its sheets.
fn open(bytes: &[u8]) -> Result<(Archive<'_>, bool, Vec<Name>), String> {
    let mut archive = unpacks(bytes, LARGEST_UNPACKED)?;
    let is_ods = archive.by_name("content.xml").is_ok();
    let names = if is_ods { ods::read(&mut archive, None)?.0 } else { xlsx::names(&mut archive)? };
    within(names.len(), MOST_SHEETS, "sheets")?;
    Ok((archive, is_ods, names))
}

/// The sheet that is named, or the only one that can be seen.
fn choose<'n>(sheets: &'n [Name], name: Option<&str>) -> Result<&'n Name, String> {
    let visible: Vec<&Name> = sheets.iter().filter(|(_, is_visible, _)| *is_visible).collect();
    let listed: Vec<String> = visible.iter().map(|(name, ..)| format!("\"{name}\"")).collect();
    let listed = listed.join(", ");
    match (name, &visible[..]) {
        (Some(name), _) => sheets
            .iter()
            .find(|(known, ..)| known == name)
            .ok_or_else(|| format!("it has no sheet \"{name}\"; there are {listed}")),
        (None, [only]) => Ok(only),
        (None, []) => Err("it has no sheet that can be seen".to_owned()),
        (None, _) => Err(format!("it has several sheets; name one, as sheet = {listed}")),
    }
}

/// A sheet's name, whether it can be seen, and in .xlsx the path of its part.
pub(super) type Name = (String, bool, String);

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
