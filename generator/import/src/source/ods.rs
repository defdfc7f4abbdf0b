//! Sheets of OpenDocument workbooks, from their `content.xml`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, DateTime};

use super::archive::{Archive, Name, each_part_of};
use super::number_format::has_unit;
use super::sheet::{Cell, Grid, MOST_COLUMNS, MOST_ROWS, Row, UNSAVED, weigh, within, within_columns};
use super::xml::{Node, attributes};

type Attributes = BTreeMap<String, String>;

/// Names of the sheets, and whether they can be seen; and the grid of one.
pub(super) fn read(archive: &mut Archive<'_>, wanted: Option<&str>) -> Result<(Vec<Name>, Grid), String> {
    let mut walk = OdsWalk { wanted: wanted.map(str::to_owned), ..OdsWalk::default() };
    each_part_of(archive, "content.xml", |part| {
        match part {
            Node::Start(element, start) => walk.start(element, &attributes(start)?.into_iter().collect()),
            Node::Text(text) => walk.text(text),
            Node::End(element) => walk.end(element)?,
        }
        Ok(())
    })?;
    Ok((walk.names, walk.grid))
}

/// A document that is being read.
#[derive(Default)]
struct OdsWalk {
    names: Vec<Name>,
    wanted: Option<String>,
    grid: Grid,
    /// The style that is being defined; styles of hidden sheets; styles of struck cells.
    style: String,
    hidden: BTreeSet<String>,
    struck: BTreeSet<String>,
    is_wanted: bool,
    line: u32,
    column: usize,
    row: Attributes,
    cells: Vec<Cell>,
    weight: usize,
    cell: Attributes,
    text: String,
    link: Option<String>,
    /// Notes of cells are no content.
    in_note: bool,
}

fn count(attributes: &Attributes, name: &str) -> usize {
    attributes.get(name).and_then(|it| it.parse().ok()).unwrap_or(1)
}

fn is_hidden(attributes: &Attributes) -> bool {
    attributes.get("visibility").is_some_and(|it| it != "visible")
}

/// Whether what is shown of a date leaves its day or its year out: `May 2027`, `1 May`, `1/15`.
fn is_partial(shown: &str, moment: DateTime) -> bool {
    let numbers = shown.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let numbers: Vec<i16> = numbers.collect();
    let [day, year] = [moment.day().into(), moment.year()];
    let has_year = numbers.contains(&year) || numbers.contains(&(year % 100));
    let parts = numbers.len() + usize::from(shown.contains(char::is_alphabetic));
    !numbers.is_empty() && (parts < 3 || !has_year || !numbers.contains(&day))
}

impl OdsWalk {
    fn start(&mut self, element: &str, attributes: &Attributes) {
        let get = |name: &str| attributes.get(name).cloned();
        match element {
            "style" => self.style = get("name").unwrap_or_default(),
            "table-properties" if get("display").as_deref() == Some("false") => {
                self.hidden.insert(self.style.clone());
            }
            "text-properties" if get("text-line-through-style").is_some_and(|it| it != "none") => {
                self.struck.insert(self.style.clone());
            }
            "table" => {
                let name = get("name").unwrap_or_default();
                self.is_wanted = self.wanted.as_ref() == Some(&name);
                let is_visible = get("style-name").is_none_or(|style| !self.hidden.contains(&style));
                self.names.push((name, is_visible, String::new()));
                (self.line, self.column) = (0, 0);
            }
            _ if !self.is_wanted => {}
            "table-column" => {
                let last = (self.column + count(attributes, "number-columns-repeated")).min(MOST_COLUMNS);
                if is_hidden(attributes) {
                    self.grid.hidden_columns.extend(self.column..last);
                }
                self.column = last;
            }
            "table-row" => (self.row, self.cells, self.column) = (attributes.clone(), Vec::new(), 0),
            "table-cell" | "covered-table-cell" => {
                let link = get("formula").and_then(|it| Some(Cell::hyperlink(&it)?.to_owned()));
                (self.cell, self.text, self.link) = (attributes.clone(), String::new(), link);
            }
            "annotation" => self.in_note = true,
            _ if self.in_note => {}
            "p" if !self.text.is_empty() => self.text("\n"),
            "line-break" => self.text("\n"),
            "s" | "tab" => self.text(" "),
            "a" => self.link = get("href"),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_wanted && !self.in_note {
            self.text.push_str(text);
        }
    }

    fn end(&mut self, element: &str) -> Result<(), String> {
        match element {
            "table" => self.is_wanted = false,
            "annotation" => self.in_note = false,
            "table-cell" | "covered-table-cell" if self.is_wanted => self.end_cell()?,
            "table-row" if self.is_wanted => self.end_row()?,
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), String> {
        let names = ["number-columns-repeated", "number-columns-spanned", "number-rows-spanned"];
        let [repeated, right, down] = names.map(|name| count(&self.cell, name));
        let first = self.line + 1;
        if right > 1 || down > 1 {
            let last = first.saturating_add(u32::try_from(down - 1).unwrap_or(u32::MAX));
            self.grid.merged.push(([first, last], [self.column, self.column.saturating_add(right - 1)]));
        }
        let cell = self.value();
        let last = self.column.saturating_add(repeated);
        if !cell.is_empty() {
            within_columns(last, first)?;
            weigh(&mut 0, std::slice::from_ref(&cell), repeated)?;
            if self.cell.get("style-name").is_some_and(|style| self.struck.contains(style)) {
                self.grid.struck.extend((self.column..last).map(|column| (first, column)));
            }
            self.cells.resize(self.column, Cell::Empty);
            self.cells.resize(last, cell);
        }
        self.column = last;
        Ok(())
    }

    fn value(&self) -> Cell {
        let get = |name: &str| self.cell.get(name).map_or("", String::as_str);
        let text = Cell::of_text(&self.text);
        match (get("value-type"), get("value").parse::<f64>().ok()) {
            _ if matches!(text, Cell::Broken(_)) => text,
            ("float" | "percentage" | "currency", Some(_)) if has_unit(&self.text) => {
                Cell::Shown(self.text.trim().to_owned())
            }
            ("float" | "percentage", Some(number)) => Cell::Number(number),
            ("currency", Some(number)) => Cell::Money(number, get("currency").to_owned()),
            ("date", _) => {
                let day = get("date-value");
                let moment = day.parse::<DateTime>().or_else(|_| day.parse::<Date>().map(Into::into));
                match moment {
                    Ok(moment) if !is_partial(&self.text, moment) => Cell::Moment(moment),
                    _ => text,
                }
            }
            ("boolean", _) => Cell::Text(get("boolean-value").to_owned()),
            ("", _) if self.cell.contains_key("formula") => Cell::Broken(UNSAVED.to_owned()),
            _ => match (text, &self.link) {
                (Cell::Text(text), Some(target)) => Cell::Link(text, target.as_str().into()),
                (text, _) => text,
            },
        }
    }

    fn end_row(&mut self) -> Result<(), String> {
        let repeated = u32::try_from(count(&self.row, "number-rows-repeated")).unwrap_or(u32::MAX);
        let last = self.line.saturating_add(repeated);
        if !self.cells.is_empty() {
            within(last as usize, MOST_ROWS, "rows")?;
            weigh(&mut self.weight, &self.cells, (last - self.line) as usize)?;
            for line in self.line + 1..=last {
                self.grid.rows.push(Row { line, cells: self.cells.clone() });
                self.grid.hidden_rows.extend(is_hidden(&self.row).then_some(line));
            }
        }
        self.line = last;
        Ok(())
    }
}
