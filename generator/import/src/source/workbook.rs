//! Workbooks (.xlsx, .ods): one sheet, its first row with names for most columns as the header. What people do not see,
//! hidden or struck through, is left out unless the mapping takes it.

use super::archive::{Archive, Grid, Name, unpacks};
use super::sheet::{Cell, EMPTY, LARGEST_UNPACKED, Reading, Row, Sheet};
use super::{ods, xlsx};

pub(super) fn read(bytes: &[u8], how: &Reading<'_>) -> Result<Sheet, String> {
    let (mut archive, is_ods, names) = open(bytes)?;
    let name = choose(&names, how.sheet)?;
    let grid = if is_ods { ods::read(&mut archive, &name) } else { xlsx::read(&mut archive, bytes, &name) }?;
    let mut sheet = named(grid, how)?;
    // Stated once, with the first sheet.
    let mut visible = names.iter().filter(|(_, is_visible)| *is_visible);
    if visible.next().is_some_and(|(first, _)| *first == name) {
        let hidden = names.iter().filter(|(_, is_visible)| !is_visible).map(|(name, _)| name.as_str());
        let hidden: Vec<&str> = hidden.collect();
        let note = format!("hidden sheets are left out: {}; `sheet` takes one", hidden.join(", "));
        sheet.notes.extend((!hidden.is_empty()).then_some(note));
    }
    Ok(sheet)
}

/// Names of the sheets that can be seen.
pub(super) fn sheets(bytes: &[u8]) -> Result<Vec<String>, String> {
    let (.., names) = open(bytes)?;
    Ok(names.into_iter().filter(|(_, is_visible)| *is_visible).map(|(name, _)| name).collect())
}

/// The archive, whether it is OpenDocument, and its sheets.
fn open(bytes: &[u8]) -> Result<(Archive<'_>, bool, Vec<Name>), String> {
    let mut archive = unpacks(bytes, LARGEST_UNPACKED)?;
    let is_ods = archive.by_name("content.xml").is_ok();
    let names = if is_ods { ods::names(&mut archive) } else { xlsx::names(&mut archive) }?;
    Ok((archive, is_ods, names))
}

/// The sheet that is named, or the only one that can be seen.
fn choose(sheets: &[Name], name: Option<&str>) -> Result<String, String> {
    let visible: Vec<&str> =
        sheets.iter().filter(|(_, is_visible)| *is_visible).map(|(name, _)| name.as_str()).collect();
    let listed = || visible.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match (name, &visible[..]) {
        (Some(name), _) if sheets.iter().any(|(known, _)| known == name) => Ok(name.to_owned()),
        (Some(name), _) => Err(format!("it has no sheet \"{name}\"; there are {}", listed())),
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => Err("it has no sheet that can be seen".to_owned()),
        (None, _) => Err(format!("it has several sheets; name one, as sheet = {}", listed())),
    }
}

/// The first row that fills more than half as many cells as the fullest names the columns; what stands above is a
/// title, or groups columns.
fn named(mut grid: Grid, how: &Reading<'_>) -> Result<Sheet, String> {
    let mut notes = Vec::new();
    let filled = |row: &Row| row.cells.iter().filter(|cell| !cell.is_empty()).count();
    grid.rows.retain(|row| filled(row) > 0);
    let is_hidden = |row: &Row| grid.hidden_rows.contains(&row.line);
    let hidden = grid.rows.iter().filter(|row| is_hidden(row)).count();
    if hidden > 0 && !how.takes_hidden {
        notes.push(format!(
            "{hidden} rows are hidden or struck through, and left out; hidden = \"take\" takes them"
        ));
        grid.rows.retain(|row| !grid.hidden_rows.contains(&row.line));
    }
    let widest = grid.rows.iter().take(20).map(filled).max().unwrap_or(0);
    let header = grid.rows.iter().position(|row| filled(row) * 2 > widest);
    let header = header.ok_or(EMPTY)?;
    if let Some(first) = grid.rows.get(header).filter(|_| header > 0) {
        notes.push(format!("row {} names the columns; what stands above is left out", first.line));
    }
    let mut rows = grid.rows.split_off(header);
    let mut columns: Vec<String> = rows.remove(0).cells.iter().map(Cell::text).collect();
    for row in &mut rows {
        let beyond = row.cells.iter().skip(columns.len()).filter(|cell| !cell.is_empty()).count();
        if beyond > 0 {
            notes.push(format!("row {}: {beyond} cells without a header are left out", row.line));
        }
        row.cells.resize(columns.len(), Cell::Empty);
    }
    merge(&mut rows, &grid.merged, how.merged);
    let mut hidden_columns = Vec::new();
    for column in grid.hidden_columns.into_iter().filter(|_| !how.takes_hidden) {
        let Some(name) = columns.get_mut(column).filter(|name| !name.is_empty()) else { continue };
        hidden_columns.push(std::mem::take(name));
        rows.iter_mut().for_each(|row| row.cells[column] = Cell::Empty);
    }
    if !hidden_columns.is_empty() {
        let names = hidden_columns.join(", ");
        notes.push(format!("hidden columns are left out: {names}; hidden = \"take\" takes them"));
    }
    Ok(Sheet { columns, rows, notes, hidden_columns })
}

/// Gives every cell of merged ones the value of the first if the mapping fills them. Undeclared, they may be either.
fn merge(rows: &mut [Row], merged: &[([u32; 2], [usize; 2])], rule: Option<&str>) {
    for ([first, last], [left, right]) in merged {
        let from = rows.partition_point(|row| row.line < *first);
        let Some(value) =
            rows.get(from).filter(|row| row.line == *first).and_then(|row| row.cells.get(*left))
        else {
            continue;
        };
        let value = match rule {
            _ if value.is_empty() => continue,
            Some("fill") => value.clone(),
            Some(_) => Cell::Empty,
            None => Cell::Broken(format!("merged with row {first}")),
        };
        for row in rows.iter_mut().skip(from).take_while(|row| row.line <= *last) {
            for (column, cell) in row.cells.iter_mut().enumerate().take(right + 1).skip(*left) {
                if (row.line, column) != (*first, *left) {
                    *cell = value.clone();
                }
            }
        }
    }
}
