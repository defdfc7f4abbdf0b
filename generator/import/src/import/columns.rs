//! Columns of a source against its mapping: what is missing, new or without a name, dates that a program may have swapped, and
//! the keys of rows.

use std::collections::{BTreeMap, BTreeSet};

use super::{Importer, Keyed, Opened, place as place_in};
use crate::fields::words_of;
use crate::mapping::{FILE, Mapped};
use crate::source::html;
use crate::source::sheet::{Cell, listed_in};
use crate::values::{is_place, is_state, items};
use crate::vocabulary::value_of;
use crate::{days, money};
use dataset::diagnostics::{Code, Diagnostic, Location};
use dataset::schema::ValueType;
use dataset::text::{counted, quoted};
use snapshot::place;
use snapshot::record::Locale;

/// Words of a column's name that has states of a country.
const STATES: [&str; 4] = ["state", "states", "estado", "estados"];

impl Importer<'_> {
    /// Reports mapped columns that are not there.
    pub(super) fn check_columns(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        let mapped =
            source.fields().flat_map(|(to, _, rule)| rule.columns.iter().map(move |it| (to.as_str(), it)));
        let mut missing = BTreeSet::new();
        for (field, column) in mapped.chain(source.key.iter().map(|key| ("key", key))) {
            let other = format!("{column} (2)");
            let is_taken = source.fields().any(|(.., rule)| rule.columns.contains(&other));
            let is_twice = sheet.column(&other).is_some() && !is_taken && !listed_in(&source.ignore, &other);
            if !is_twice && sheet.column(column).is_some() || !missing.insert(column) {
                continue;
            }
            let is_lost = if is_twice { "there more than once" } else { "not in the source" };
            let message = format!("the column {}, mapped to `{field}`, is {is_lost}", quoted(column));
            let near = dataset::text::nearest(column, sheet.columns.iter().map(String::as_str));
            let help: String = match near {
                _ if is_twice => {
                    format!("map {0}, or add it to `ignore`; or declare header_rows", quoted(&other))
                }
                _ if sheet.hidden_columns.contains(column) => "show it, or declare hidden = \"take\"".into(),
                Some(near) => format!("did you mean {}? Write it into {FILE}", quoted(near)),
                None => format!("its columns are {}", sheet.columns.join(", ")),
            };
            let at = place_in(self.text, self.file, column);
            let at = if at.line > 1 { at } else { Location { file, line: 1 } };
            let problem = Diagnostic::new(Code::LostColumn, at, message);
            self.report.push(problem.value("column", column).help(help));
        }
    }

    /// A spreadsheet that opens dates of another locale swaps day and month where it can, and leaves the others as
    /// texts: then all texts have a number above 12 in the same place, and no date has a day above 12.
    pub(super) fn check_dates(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        for (field, _, rule) in source.fields().filter(|(_, kind, _)| *kind == ValueType::Date) {
            let Some(column) = rule.columns.first().and_then(|column| sheet.column(column)) else { continue };
            let mut report = |line, message: String, help: &'static str| {
                let problem = Diagnostic::new(Code::BadValue, Location { file, line }, message);
                self.report.push(problem.field(field.clone()).help(help));
            };
            let header = &sheet.columns[column];
            if let (Some(named), Some(order)) = (days::order_of(header), source.dates)
                && named != order
            {
                let (header, named, order) = (quoted(header), named.name(), order.name());
                let message = format!("the column {header} names {named}, and `dates` declares {order}");
                report(1, message, "correct `dates` in the mapping, or the column's name in the source");
            }
            let (mut dates, mut texts) = (Vec::new(), Vec::new());
            for (row, cell) in sheet.cells(column) {
                match cell {
                    Cell::Moment(moment) => dates.push(moment.day()),
                    Cell::Text(text) => texts.extend(days::proved_order(text).map(|it| (row.line, it))),
                    _ => {}
                }
            }
            let Some((line, order)) = texts.first().filter(|_| !dates.is_empty()) else { continue };
            let is_proved = order.is_some() && texts.iter().all(|(_, proved)| proved == order);
            let is_swapped = is_proved && dates.iter().all(|day| *day <= 12);
            if is_swapped || source.dates.is_none() {
                let (dates, texts) = (dates.len(), texts.len());
                let message =
                    format!("`{field}`: {dates} dates and {texts} texts: day and month may be swapped");
                let export = "open the original with the right locale and export it again";
                let declare = "declare how the texts are written: dates = \"dmy\" or \"mdy\"";
                report(*line, message, if is_swapped { export } else { declare });
            }
        }
    }

    /// Codes of countries that may be others: below `Home State` or beside states of the US, as `IL` beside `WI`, or beside
    /// codes of no country, as `PR` beside `SP`, which a country has for its own states.
    pub(super) fn check_codes(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        let is_of_places = |(it, ..): &&Mapped| it.ends_with("Countries") || it == "countryCode";
        for (field, _, rule) in source.fields().filter(is_of_places) {
            let Some(column) = rule.columns.first().and_then(|name| sheet.column(name)) else { continue };
            let words = sheet.cells(column).flat_map(|(row, cell)| {
                let words = items(&cell.text(), source.lists.as_deref().unwrap_or("|"));
                words.into_iter().map(|word| (row.line, word))
            });
            let is_code = |word: &str| word.len() == 2 && word.bytes().all(|it| it.is_ascii_uppercase());
            let is_of_us = |word: &str| is_state(word) || word.starts_with("US-");
            let words = words.filter(|(_, word)| is_code(word) || word.starts_with("US-"));
            let (mut own, mut others): (Vec<_>, _) = words.partition(|(_, it)| place::find(it).is_some());
            // `UK` and `EU` are names of places; what means nothing is no code.
            let is_none =
                |it: &String| rule.values.get(it).map_or(source.empty.contains(it), String::is_empty);
            let is_name = |it: &String| is_place(it) || value_of("places", it).is_some() || is_none(it);
            others.retain(|(_, word)| is_of_us(word) || !is_name(word));
            let are_states = others.iter().all(|(_, word)| is_of_us(word));
            own.retain(|(_, it)| !rule.values.contains_key(it) && (is_state(it) || !are_states));
            let is_named = words_of(&sheet.columns[column]).iter().any(|it| STATES.contains(&it.as_str()));
            let doubt = own.first().filter(|_| is_named || !others.is_empty());
            let Some((line, word)) = doubt else { continue };
            let country = place::find(word).map_or("", |place| place.name(Locale::En));
            let others: BTreeSet<String> = others.iter().map(|(_, it)| quoted(it)).collect();
            let others = Vec::from_iter(others).join(", ");
            let among = if others.is_empty() { "states" } else { &others };
            let message = format!("`{field}` is `{word}`, which is {country} or, among {among}, the state");
            let codes: BTreeSet<&String> = own.iter().map(|(_, it)| it).collect();
            let of = if are_states { "US" } else { "…" };
            let pairs: String = codes.into_iter().map(|it| format!("{it} = \"{of}-{it}\", ")).collect();
            let help = format!(
                "state each in its rule: values = {{ {pairs}\"*\" = \"*\" }}, or {word} = \"{word}\""
            );
            let problem = Diagnostic::new(Code::BadValue, Location { file, line: *line }, message);
            self.report.push(problem.field(field.clone()).help(help));
        }
    }

    /// Reports columns that the mapping neither maps nor ignores, and notes those that it ignores.
    pub(super) fn report_new_columns(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        let (mut new, mut ignored) = (Vec::new(), Vec::new());
        for (index, column) in sheet.columns.iter().enumerate() {
            let mut named = source.fields().flat_map(|(.., rule)| &rule.columns).chain(&source.key);
            if named.any(|name| name.trim_start_matches('/') == column) || money::is_currency_column(column) {
                continue;
            }
            let list = if listed_in(&source.ignore, column) { &mut ignored } else { &mut new };
            list.extend(match (column.as_str(), sheet.cells(index).next()) {
                ("", None) => None,
                ("", Some((_, cell))) => Some(format!("\"\" (as {})", quoted(&cell.text()))),
                _ => Some(quoted(column)),
            });
        }
        if !new.is_empty() {
            let (count, names) = (counted(new.len(), "column"), new.join(", "));
            let message = format!("{count} left out, not mapped: {names}");
            let help = format!("map each, or add it to `ignore` of source `{}`", source.name);
            let at = Location { file, line: 1 };
            self.report.push(Diagnostic::new(Code::NewColumn, at, message).help(help));
        }
        if !ignored.is_empty() {
            let (count, names) = (counted(ignored.len(), "column"), ignored.join(", "));
            let note = format!("{count} left out, as `ignore` lists them: {names}");
            self.report.note(format!("source `{}`: {note}", source.name));
        }
    }

    /// Counts the links in columns that no rule takes an address from.
    pub(super) fn count_links(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        let rules = source.fields().filter(|(_, kind, _)| *kind == ValueType::Url);
        let taken: BTreeSet<usize> =
            rules.flat_map(|(.., it)| &it.columns).filter_map(|name| sheet.column(name)).collect();
        let is_lost = |it: &Cell| matches!(html::plain(it).as_ref().unwrap_or(it), Cell::Link(text, to) if !to.contains(text));
        for column in (0..sheet.columns.len()).filter(|at| !taken.contains(at)) {
            for (row, _) in sheet.cells(column).filter(|(_, cell)| is_lost(cell)) {
                let place = format!("source `{}`: {}", source.name, quoted(&sheet.columns[column]));
                let at = Location { file, line: row.line };
                self.count(place, "cell", "with links that no field takes", at);
            }
        }
    }

    /// The rows with their keys. A row without one of its own is one error: nothing else sees it.
    pub(super) fn keys<'s>(&mut self, Opened { source, sheet, file }: Opened<'s>) -> Vec<Keyed<'s>> {
        let columns: Vec<usize> = source.key.iter().filter_map(|column| sheet.column(column)).collect();
        if columns.is_empty() || columns.len() < source.key.len() {
            return sheet.rows.iter().map(|row| (row, None)).collect();
        }
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut keys = Vec::with_capacity(sheet.rows.len());
        for row in &sheet.rows {
            let text = |at: &usize| Some(row.text(*at)).filter(|it| !source.empty.contains(it));
            let texts: Vec<String> = columns.iter().map(|at| text(at).unwrap_or_default()).collect();
            let key = if texts.iter().all(String::is_empty) { String::new() } else { texts.join(" / ") };
            let is_broken = columns.iter().any(|at| matches!(row.cells.get(*at), Some(Cell::Broken(_))));
            let message = match known.get(&key) {
                _ if is_broken => format!("the key is {}", quoted(&key)),
                _ if key.is_empty() => "the row has no key".to_owned(),
                Some(line) => format!("the key {} is that of row {line} too", quoted(&key)),
                None => {
                    known.insert(key.clone(), row.line);
                    keys.push((row, Some(key)));
                    continue;
                }
            };
            let code = if key.is_empty() { Code::MissingField } else { Code::DuplicateId };
            let help = "give each row its own, change `key`, or list what is no record in `skip`";
            let problem = Diagnostic::new(code, Location { file, line: row.line }, message);
            self.report.push(problem.value("key", key).help(help));
        }
        keys
    }
}
