//! Sheets of .xlsx workbooks. `calamine` reads values and formats; what is hidden, and formulas without a saved value,
//! are read from the same parts here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use calamine::{DataRef, Reader as _, Xlsx};
use jiff::civil::DateTime;
use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::archive::{Archive, Name, each_part_of};
use super::number_format::{shown_date, shown_number};
use super::sheet::{Cell, Done, Grid, MOST_COLUMNS, MOST_ROWS, Row, UNSAVED, weigh, within, within_columns};
use super::xml::Node;
use crate::money;

/// The value of an attribute, by its local name.
fn value(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.attributes().flatten().find(|it| it.key.local_name().as_ref() == name)?;
    attribute.normalized_value(XmlVersion::Explicit1_0).ok().map(Cow::into_owned)
}

/// The sheets.
pub(super) fn names(archive: &mut Archive<'_>) -> Result<Vec<Name>, String> {
    let mut paths = BTreeMap::new();
    each_part_of(archive, "xl/_rels/workbook.xml.rels", |part| {
        if let Node::Start(_, start) = part {
            paths.extend(value(start, "Id").zip(value(start, "Target")));
        }
        Ok(())
    })?;
    let mut names = Vec::new();
    each_part_of(archive, "xl/workbook.xml", |part| {
        if let Node::Start("sheet", start) = part {
            let is_visible = value(start, "state").is_none_or(|state| state == "visible");
            let path = value(start, "id").and_then(|id| paths.get(&id).cloned()).unwrap_or_default();
            names.extend(value(start, "name").map(|name| (name, is_visible, path)));
        }
        Ok(())
    })?;
    Ok(names)
}

pub(super) fn read(archive: &mut Archive<'_>, bytes: &[u8], (name, _, path): &Name) -> Result<Grid, String> {
    let path = path.strip_prefix('/').map_or_else(|| format!("xl/{path}"), str::to_owned);
    let (mut grid, formulas) = marks(archive, &path)?;
    let broken = |error: &dyn std::fmt::Display| format!("it is no workbook: {error}");
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    for it in book.merge_cells_by_sheet_name(name).map_err(|error| broken(&error))? {
        grid.merged.push(([it.start.0 + 1, it.end.0 + 1], [it.start.1 as usize, it.end.1 as usize]));
    }
    for it in book.hyperlinks_by_sheet_name(name).map_err(|error| broken(&error))? {
        let Some(target) = it.target else { continue };
        // A sheet states the fragment of an address beside it.
        let fragment = it.location.filter(|it| !it.is_empty()).map(|it| format!("#{it}"));
        grid.links.push((it.range.start.0 + 1, it.range.start.1, target + &fragment.unwrap_or_default()));
    }
    cells(&mut book, name, &formulas, &mut grid)?;
    for (line, column, target) in std::mem::take(&mut grid.links) {
        let row = grid.rows.binary_search_by_key(&line, |row| row.line);
        let cell = row.ok().and_then(|row| grid.rows[row].cells.get_mut(column as usize));
        if let Some(cell @ Cell::Text(_)) = cell {
            *cell = Cell::Link(cell.text(), target.into());
        }
    }
    Ok(grid)
}

/// What is hidden, the links of formulas, and where formulas are whose value cannot be an empty text.
fn marks(archive: &mut Archive<'_>, path: &str) -> Result<(Grid, BTreeSet<(u32, u32)>), String> {
    let (mut grid, mut formulas) = (Grid::default(), BTreeSet::new());
    let (mut line, mut column, mut is_text, mut texts) = (0, 0, false, String::new());
    let is_set = |start: &BytesStart<'_>| value(start, "hidden").is_some_and(|it| it == "1" || it == "true");
    let number = |start: &BytesStart<'_>, name| value(start, name).and_then(|it| it.parse::<u32>().ok());
    each_part_of(archive, path, |part| {
        match part {
            Node::Start("col", it) if is_set(it) => {
                let (first, last) = (number(it, "min").unwrap_or(1), number(it, "max").unwrap_or(1));
                let last = last.min(MOST_COLUMNS as u32);
                grid.hidden_columns.extend((first.max(1)..=last).map(|column| column as usize - 1));
            }
            Node::Start("row", it) => {
                line = number(it, "r").unwrap_or(line + 1);
                column = 0;
                within((line as usize).saturating_sub(100), MOST_ROWS, "rows")?;
                grid.hidden_rows.extend(is_set(it).then_some(line));
            }
            Node::Start("c", it) => {
                texts.clear();
                column = value(it, "r").map_or(column, |place| column_of(&place));
                is_text = value(it, "t").is_some_and(|it| it == "str");
            }
            Node::Start("f", _) => drop(formulas.insert((line, column))),
            Node::Text(text) => texts.push_str(text),
            Node::End("f") => {
                grid.links.extend(Cell::hyperlink(&texts).map(|it| (line, column, it.to_owned())));
            }
            Node::Start("v", _) if is_text => drop(formulas.remove(&(line, column))),
            Node::End("c") => column += 1,
            _ => {}
        }
        Ok(())
    })?;
    Ok((grid, formulas))
}

/// The index of the column in a place such as `AB12`.
fn column_of(place: &str) -> u32 {
    let number = place.bytes().take_while(u8::is_ascii_alphabetic).fold(0_u32, |number, letter| {
        number.saturating_mul(26).saturating_add(u32::from(letter.to_ascii_uppercase() - b'A') + 1)
    });
    number.saturating_sub(1)
}

/// Cell by cell: a single one in the last corner must not cost the memory of all between.
fn cells(book: &mut Xlsx<Cursor<&[u8]>>, name: &str, empty: &BTreeSet<(u32, u32)>, grid: &mut Grid) -> Done {
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| error.to_string())?;
    let styles = reader.styles().iter().map(|style| {
        let format = style.number_format.as_ref().map_or_else(String::new, |it| it.format_code.to_string());
        (format, style.font.as_ref().is_some_and(|it| it.strikethrough))
    });
    let styles: Vec<(String, bool)> = styles.collect();
    let mut weight = 0;
    while let Some((next, style)) = reader.next_cell_with_style_id().map_err(|error| error.to_string())? {
        let (row, column) = next.get_position();
        let (line, index) = (row + 1, column as usize);
        let value = match cell(next.get_value()) {
            Cell::Empty if empty.contains(&(line, column)) => Cell::Broken(UNSAVED.to_owned()),
            Cell::Empty => continue,
            plain => shown(plain, styles.get(style).map_or("", |(format, _)| format)),
        };
        within_columns(index + 1, line)?;
        if grid.rows.last().is_none_or(|last| last.line != line) {
            // A row that grew cell by cell has room for twice as many.
            grid.rows.last_mut().into_iter().for_each(|row| row.cells.shrink_to_fit());
            grid.rows.push(Row { line, cells: Vec::new() });
        }
        grid.struck.extend(styles.get(style).filter(|(_, is_struck)| *is_struck).map(|_| (line, index)));
        if let Some(last) = grid.rows.last_mut() {
            let before = last.cells.len().min(index);
            last.cells.resize(last.cells.len().max(index + 1), Cell::Empty);
            last.cells[index] = value;
            weigh(&mut weight, &last.cells[before..=index], 1)?;
        }
    }
    Ok(())
}

/// A cell as its number format shows it.
fn shown(cell: Cell, format: &str) -> Cell {
    match cell {
        Cell::Number(number) => match shown_number(number, format) {
            Some(shown) => Cell::Shown(shown),
            None => money::of_format(format).map_or(cell, |currency| Cell::Money(number, currency)),
        },
        Cell::Moment(moment) => shown_date(moment, format).map_or(cell, Cell::Text),
        cell => cell,
    }
}

fn cell(value: &DataRef<'_>) -> Cell {
    match value {
        DataRef::Empty => Cell::Empty,
        DataRef::SharedString(text) => Cell::of_text(text),
        DataRef::String(text) | DataRef::DurationIso(text) => Cell::of_text(text),
        DataRef::Int(number) => Cell::Number(*number as f64),
        DataRef::Float(number) => Cell::Number(*number),
        DataRef::Bool(flag) => Cell::Text(flag.to_string()),
        DataRef::DateTimeIso(text) => text.parse().map_or_else(|_| Cell::of_text(text), Cell::Moment),
        DataRef::Error(error) => Cell::Broken(error.to_string()),
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            let [month, day, hour, minute, second] = [month, day, hour, minute, second].map(u8::cast_signed);
            let moment = DateTime::new(year.cast_signed(), month, day, hour, minute, second, 0);
            moment.map_or_else(|_| Cell::Broken("a date that is none".to_owned()), Cell::Moment)
        }
        DataRef::DateTime(duration) => Cell::Number(duration.as_f64()),
    }
}
