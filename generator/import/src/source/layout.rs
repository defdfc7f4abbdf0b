//! Which rows of a sheet name its columns and which are records: headers of several rows, headings between rows, several
//! tables in one sheet. What has two readings is a doubt, which the mapping decides.

use std::ops::Range;

use super::sheet::{self, Cell, Done, EMPTY, Grid, Lone, Merged, Options, Row, Sheet, listed_in};
use crate::fields::is_column_name;
use dataset::text::{counted, quoted};

/// Most bytes of a column's name, where nothing but its words shows that it is one.
const LONGEST_NAME: usize = 60;
/// In a sheet with fewer columns, a row with one cell is a row like any other.
const FEWEST_COLUMNS: usize = 3;

/// Most cells of a row that a message lists.
const MOST_WORDS: usize = 6;

/// The sheet that a grid holds.
pub(super) fn read(mut grid: Grid, how: &Options) -> Result<Sheet, String> {
    let mut sheet = Sheet::default();
    leave_out_hidden(&mut grid, how, &mut sheet);
    let header = one_table(&mut grid.rows, how, &mut sheet)?;
    if how.header_rows.is_none() {
        sheet.header_doubt = header_doubt(&grid.rows, &header);
    }
    let mut rows = grid.rows.split_off(header.end);
    let mut header = grid.rows.split_off(header.start);
    let above = std::mem::take(&mut grid.rows);
    if let Some(last) = header.last().filter(|_| !above.is_empty()) {
        sheet.notes.push(format!("row {} names the columns; what stands above is left out", last.line));
    }
    let repeated = rows.extract_if(.., |row| header.iter().any(|it| repeats(row, it)));
    let repeated = sheet.note_rows(repeated, "left out: the names of the columns again");
    if let Some((doubtful, _, true)) = &sheet.header_doubt {
        rows.retain(|row| row.line != *doubtful);
    }
    let width = header.last().map_or(0, |row| row.cells.len());
    sheet.columns = names(&mut header, &grid.merged);
    sheet::within(rows.len() * sheet.columns.len(), sheet::MOST_CELLS, "cells")?;
    for row in &mut rows {
        let (line, found) = (row.line, row.cells.len());
        if grid.is_exact && found != width && lone(row).is_none() {
            return Err(format!("row {line} has {found} cells, the header has {width}: was it cut off?"));
        }
        let beyond = row.cells.iter().skip(sheet.columns.len()).filter(|cell| !cell.is_empty()).count();
        if beyond > 0 {
            let cells = counted(beyond, "cell");
            sheet.notes.push(format!("row {line}: {cells} without a header left out"));
        }
        row.cells.resize(sheet.columns.len(), Cell::Empty);
    }
    take_back_struck(&mut rows, &grid, how);
    for column in grid.hidden_columns.iter().copied().filter(|_| !how.takes_hidden()) {
        let Some(name) = sheet.columns.get_mut(column).filter(|name| !name.is_empty()) else { continue };
        sheet.hidden_columns.push(std::mem::take(name));
        rows.iter_mut().for_each(|row| row.cells[column] = Cell::Empty);
    }
    if !sheet.hidden_columns.is_empty() {
        let names = sheet.hidden_columns.join(", ");
        sheet.notes.push(format!("hidden columns are left out: {names}; hidden = \"take\" takes them"));
    }
    // A title above a header that is repeated is the heading of the first rows.
    take_headings(rows, above.last().and_then(lone).filter(|_| repeated > 0), &grid, how, &mut sheet)?;
    merge(&mut sheet.rows, &grid.merged, how.merged.as_deref());
    Ok(sheet)
}

/// A single cell that is struck through is taken back: alone, or with its row? Only its maintainer knows.
fn take_back_struck(rows: &mut [Row], grid: &Grid, how: &Options) {
    for row in rows.iter_mut().filter(|_| !how.takes_hidden()) {
        for (_, column) in grid.struck.range((row.line, 0)..=(row.line, usize::MAX)) {
            if let Some(cell) = row.cells.get_mut(*column).filter(|cell| !cell.is_empty()) {
                *cell = Cell::Broken("struck through".to_owned());
            }
        }
    }
}

fn filled(row: &Row) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).count()
}

/// The text of the only cell of a row.
fn lone(row: &Row) -> Option<String> {
    let mut cells = row.cells.iter().filter(|cell| !cell.is_empty());
    cells.next().filter(|_| cells.next().is_none()).map(Cell::text)
}

fn leave_out_hidden(grid: &mut Grid, how: &Options, sheet: &mut Sheet) {
    grid.rows.retain(|row| filled(row) > 0);
    let struck = |row: &Row, cell: usize| grid.struck.contains(&(row.line, cell));
    let is_struck = |row: &Row| (0..row.cells.len()).all(|at| row.cells[at].is_empty() || struck(row, at));
    let is_hidden = |row: &Row| grid.hidden_rows.contains(&row.line) || is_struck(row);
    let hidden = grid.rows.extract_if(.., |row| !how.takes_hidden() && is_hidden(row));
    sheet.note_rows(hidden, "left out, hidden or struck through; hidden = \"take\" takes them");
}

/// Whether the cells of a row look like names of columns: words, no numbers, days or addresses.
fn has_names(row: &Row) -> bool {
    let has_sign = |it: &str| it.contains("://") || it.contains(|c: char| c.is_ascii_digit() || c == '@');
    let is_name = |cell: &Cell| match cell {
        Cell::Text(text) => text.len() <= LONGEST_NAME && !has_sign(text),
        cell => cell.is_empty(),
    };
    filled(row) > 1 && row.cells.iter().all(is_name)
}

/// Whether two rows have the same texts.
fn repeats(row: &Row, other: &Row) -> bool {
    (0..row.cells.len().max(other.cells.len())).all(|column| row.text(column) == other.text(column))
}

/// Whether the row below a header names columns that have no name yet, or none of their own.
fn goes_on(rows: &[Row], header: usize) -> bool {
    let below = rows.get(header + 1).filter(|row| row.line == rows[header].line + 1);
    let Some(below) = below else { return false };
    let width = rows[header].cells.len().max(below.cells.len());
    let has = |row: &Row, column: usize| !row.text(column).is_empty();
    let is_alone = |name: &str| (0..width).filter(|at| rows[header].text(*at) == name).count() == 1;
    let is_named = |column: usize| has(&rows[header], column) && is_alone(&rows[header].text(column));
    let adds = (0..width).any(|column| !is_named(column) && has(below, column));
    let lacks = (0..width).any(|column| is_named(column) && !has(below, column));
    has_names(below) && adds && lacks
}

/// The declared row, or the first that fills more than half as many cells as the fullest, and the rows that name columns
/// with it.
fn header_of(rows: &[Row], how: &Options) -> Result<Range<usize>, String> {
    let more = how.header_rows.unwrap_or(1) - 1;
    let below = |row: usize| row..(row + more + 1).min(rows.len());
    if let Some(line) = how.table.as_deref().and_then(line_of) {
        let row = rows.iter().position(|row| row.line == line);
        return row.map(below).ok_or_else(|| format!("row {line}, which `table` declares, has nothing"));
    }
    let widest = rows.iter().take(20).map(filled).max().unwrap_or(0);
    let row = rows.iter().position(|row| filled(row) * 2 > widest).ok_or(EMPTY)?;
    let above = rows[..row].iter().rev().zip(1..);
    let above = above.take_while(|(it, far)| filled(it) > 1 && it.line + far == rows[row].line).count();
    Ok(if above < more || goes_on(rows, row) && more > 0 { below(row) } else { row - more..row + 1 })
}

/// The row that a name of a table is, if it is no heading.
pub(crate) fn line_of(table: &str) -> Option<u32> {
    table.parse().ok()
}

/// Rows that name the columns of further tables: they follow a gap or a heading and hold only words, as few other rows do;
/// or most of their words are common names of columns.
fn further_headers(rows: &[Row], header: &Range<usize>) -> Vec<usize> {
    let below = header.end..rows.len();
    let is_rare = rows[below.clone()].iter().filter(|row| has_names(row)).count() * 4 < below.len();
    let is_known = |row: &Row| {
        let known = row.cells.iter().filter(|cell| is_column_name(&cell.text())).count();
        known > 1 && known * 2 >= filled(row)
    };
    let is_header = |at: &usize| {
        let (row, before) = (&rows[*at], &rows[at - 1]);
        let is_apart = row.line > before.line + 1 || filled(before) == 1;
        has_names(row)
            && !rows[header.clone()].iter().any(|it| repeats(row, it))
            && (is_apart && is_rare || (is_apart || *at > header.end) && is_known(row))
            && at + 1 < rows.len()
    };
    let mut found: Vec<usize> = below.filter(is_header).collect();
    found.dedup_by(|next, before| *next == *before + 1);
    found
}

/// The rows that name the columns of the declared table; `rows` keeps those of it. Undeclared, the first is read, and
/// others are a doubt.
fn one_table(rows: &mut Vec<Row>, how: &Options, sheet: &mut Sheet) -> Result<Range<usize>, String> {
    let first = header_of(rows, how)?;
    let size = first.len();
    let others = further_headers(rows, &first).into_iter().map(|at| at..(at + size).min(rows.len()));
    let headers: Vec<Range<usize>> = std::iter::once(first).chain(others).collect();
    let heading = |header: &Range<usize>| header.start.checked_sub(1).and_then(|above| lone(&rows[above]));
    let starts = |header: &Range<usize>| header.start - usize::from(heading(header).is_some());
    let declared = headers.iter().map(|header| {
        let is_only = |it: &String| headers.iter().filter(|at| heading(at).as_ref() == Some(it)).count() == 1;
        let heading = heading(header).filter(|text| is_only(text) && line_of(text).is_none());
        heading.unwrap_or_else(|| rows[header.start].line.to_string())
    });
    let declared: Vec<String> = declared.collect();
    let chosen = match how.table.as_deref().filter(|name| line_of(name).is_none()) {
        None => 0,
        Some(name) => declared.iter().position(|it| it == name).ok_or_else(|| {
            format!("it has no table \"{name}\"; there are \"{}\"", declared.join("\", \""))
        })?,
    };
    let header = headers[chosen].clone();
    let end = headers.get(chosen + 1).map_or(rows.len(), starts);
    // The heading of a declared table goes too.
    let start = if how.table.is_some() { header.start } else { 0 };
    if how.table.is_some() {
        sheet.note_rows(rows[..starts(&header)].iter().chain(&rows[end..]), "of other tables left out");
    } else if headers.len() > 1 {
        sheet.tables = headers.iter().map(|it| rows[it.start].line).zip(declared).collect();
    }
    rows.truncate(end);
    drop(rows.drain(..start));
    Ok(header.start - start..header.end - start)
}

/// A row beside the header that may name columns too: the lines and words of both, and whether it would be a record.
fn header_doubt(rows: &[Row], header: &Range<usize>) -> Option<(u32, String, bool)> {
    let is_below = goes_on(rows, header.start);
    // A title begins in the first column.
    let is_group = |row: &Row| has_names(row) && (row.text(0).is_empty() || filled(row) > 2);
    let above = header.start.checked_sub(1).filter(|it| is_group(&rows[*it]));
    let above = above.filter(|it| rows[*it].line + 1 == rows[header.start].line);
    let top = if is_below { header.start } else { above? };
    let words = |row: &Row| {
        let cells = row.cells.iter().filter(|it| !it.is_empty()).take(MOST_WORDS);
        cells.map(|cell| quoted(&cell.text())).collect::<Vec<_>>().join(", ")
    };
    let [one, two] = [&rows[top], &rows[top + 1]];
    let it = format!("rows {} and {} both name columns: {}; {}", one.line, two.line, words(one), words(two));
    Some((two.line, it, is_below))
}

/// The names of columns: what the rows of a header have above each other. A name in an upper row also stands for the
/// columns to its right that have none there: as far as its cell is merged, or to the next name.
fn names(header: &mut [Row], merged: &[Merged]) -> Vec<String> {
    let width = header.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    header.iter_mut().for_each(|row| row.cells.resize(width, Cell::Empty));
    let across = |line: u32| {
        let is_in = move |lines: &[u32; 2]| (lines[0]..=lines[1]).contains(&line);
        merged.iter().filter(move |(lines, [left, right])| left < right && is_in(lines))
    };
    let is_merged = header.iter().any(|row| across(row.line).next().is_some());
    for at in 0..header.len() {
        let (upper, lower) = header.split_at_mut(at + 1);
        let (row, is_named) = (&mut upper[at], |at: usize| lower.iter().any(|it| !it.cells[at].is_empty()));
        for column in 1..width {
            let spans = !is_merged || across(row.line).any(|(_, ends)| ends[0] < column && column <= ends[1]);
            if row.cells[column].is_empty() && spans && is_named(column - 1) && is_named(column) {
                row.cells[column] = row.cells[column - 1].clone();
            }
        }
    }
    let joined = (0..width).map(|column| {
        let mut parts: Vec<String> = header.iter().map(|row| row.text(column)).collect();
        parts.retain(|part| !part.is_empty());
        parts.dedup();
        parts.join(" / ")
    });
    // A name is one column in a mapping: the next ones of it get numbers.
    let joined: Vec<String> = joined.collect();
    let numbered = joined.iter().enumerate().map(|(at, name)| {
        let before = joined[..at].iter().filter(|it| *it == name && !it.is_empty()).count();
        if before == 0 { name.clone() } else { format!("{name} ({})", before + 1) }
    });
    numbered.collect()
}

/// Takes the rows of a sheet. A row with one cell is a heading of those below it, or a doubt.
fn take_headings(rows: Vec<Row>, top: Option<String>, grid: &Grid, how: &Options, sheet: &mut Sheet) -> Done {
    let name = how.sections.as_deref().filter(|name| !name.is_empty());
    if let Some(name) = name.filter(|name| sheet.columns.iter().any(|it| it == name)) {
        return Err(format!("it has a column \"{name}\" already: give `sections` another name"));
    }
    let named = sheet.columns.iter().filter(|name| !name.is_empty()).count();
    let may_be_headings = named >= FEWEST_COLUMNS && how.sections.as_deref() != Some("");
    let is_covered = |line: u32| grid.merged.iter().any(|([first, last], _)| *first < line && line <= *last);
    let (mut heading, mut open, mut taken) = (top, None::<Lone>, 0);
    for mut row in rows {
        let text = lone(&row).filter(|_| may_be_headings && !is_covered(row.line));
        if let Some(text) = text {
            if !listed_in(&how.skip, &text) {
                sheet.lone.extend(open.replace(Lone { line: row.line, text, has_rows: false }));
            }
            continue;
        }
        if let Some(found) = open.take() {
            if name.is_some() {
                heading = Some(found.text);
                taken += 1;
            } else {
                sheet.lone.push(Lone { has_rows: true, ..found });
            }
        }
        row.cells.extend(name.map(|_| heading.clone().map_or(Cell::Empty, Cell::Text)));
        sheet.rows.push(row);
    }
    sheet.lone.extend(open);
    if let Some(name) = name {
        sheet.columns.push(name.to_owned());
        let rows = counted(taken, "row");
        sheet.notes.push(format!("{rows} with one cell: values of \"{name}\" in the rows below"));
    }
    Ok(())
}

/// Gives every cell of merged ones the value of the first if the mapping fills them. Undeclared, they may be either.
fn merge(rows: &mut [Row], merged: &[Merged], rule: Option<&str>) {
    for ([first, last], [left, right]) in merged {
        let from = rows.partition_point(|row| row.line < *first);
        let value = rows.get(from).filter(|row| row.line == *first).and_then(|row| row.cells.get(*left));
        let value = match (value.filter(|it| !it.is_empty()), rule) {
            (None, _) => continue,
            (Some(value), Some("fill")) => value.clone(),
            (Some(_), Some(_)) => Cell::Empty,
            (Some(_), None) => Cell::Broken(format!("merged with row {first}")),
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
