//! Columns of a source against its mapping: what is missing, new or without a name, and dates that a program may have swapped.

use std::collections::BTreeSet;

use super::{Importer, place};
use crate::days;
use crate::mapping::{FILE, Source};
use crate::source::sheet::{Cell, Sheet, listed_in};
use dataset::diagnostics::{Code, Diagnostic, FileId, Location};
use dataset::schema::ValueType;
use dataset::text::{counted, quoted};

impl Importer<'_> {
    /// Reports mapped columns that are not there.
    pub(super) fn check_columns(&mut self, source: &Source, sheet: &Sheet, file: FileId) {
        let mapped = source.targets.iter().flat_map(|target| &target.fields);
        let mapped = mapped
            .flat_map(|(field, _, rule)| rule.columns.iter().map(move |column| (field.as_str(), column)));
        let named: Vec<(&str, &String)> = mapped.chain(source.key.iter().map(|key| ("key", key))).collect();
        let mut missing = BTreeSet::new();
        for (field, column) in named {
            let times = sheet.columns.iter().filter(|name| *name == column).count();
            if times == 1 || times == 0 && sheet.column(column).is_some() || !missing.insert(column) {
                continue;
            }
            let is_lost = if times == 0 { "not in the source" } else { "there more than once" };
            let message = format!("the column {}, mapped to `{field}`, is {is_lost}", quoted(column));
            let near = dataset::text::nearest(column, sheet.columns.iter().map(String::as_str));
            let help = match near {
                _ if times > 1 => {
                    "rename one in the source; or declare header_rows, if rows above distinguish them, or the cells of one \
                     table: table = \"A1:F\""
                        .to_owned()
                }
                _ if sheet.hidden_columns.contains(column) => {
                    "it is hidden: show it in the source, or declare hidden = \"take\"".to_owned()
                }
                Some(near) => format!("did you mean {}? Write it into {FILE}", quoted(near)),
                None => format!("its columns are {}", sheet.columns.join(", ")),
            };
            let at = place(self.text, self.file, column);
            let at = if at.line > 1 { at } else { Location { file, line: 1 } };
            self.report
                .push(Diagnostic::new(Code::LostColumn, at, message).value("column", column).help(help));
        }
    }

    /// A spreadsheet that opens dates of another locale swaps day and month where it can, and leaves the others as
    /// texts: then all texts have a number above 12 in the same place, and no date has a day above 12.
    pub(super) fn check_dates(&mut self, source: &Source, sheet: &Sheet, file: FileId) {
        for (field, kind, rule) in source.targets.iter().flat_map(|target| &target.fields) {
            let Some(column) = rule.columns.first().and_then(|column| sheet.column(column)) else { continue };
            if *kind != ValueType::Date {
                continue;
            }
            let (mut dates, mut texts) = (Vec::new(), Vec::new());
            let named = days::order_of(&sheet.columns[column]);
            if let (Some(named), Some(order)) = (named, source.dates)
                && named != order
            {
                let header = quoted(&sheet.columns[column]);
                let message = format!(
                    "the column {header} names {}, and `dates` declares {}",
                    named.name(),
                    order.name()
                );
                let at = Location { file, line: 1 };
                let help = "correct `dates` in the mapping, or the column's name in the source";
                self.report
                    .push(Diagnostic::new(Code::BadValue, at, message).field(field.clone()).help(help));
            }
            for row in &sheet.rows {
                match row.cells.get(column) {
                    Some(Cell::Moment(moment)) => dates.push(moment.day()),
                    Some(Cell::Text(text)) if days::is_numeric(text) => {
                        texts.push((row.line, days::proved_order(text)));
                    }
                    _ => {}
                }
            }
            let orders = [Some("dmy"), Some("mdy")];
            let is_swapped = dates.iter().all(|day| *day <= 12)
                && orders.iter().any(|order| texts.iter().all(|(_, proved)| proved == order));
            if let (false, true, Some((line, _))) =
                (dates.is_empty(), is_swapped || source.dates.is_none(), texts.first())
            {
                let message = format!(
                    "`{field}`: {} dates and {} texts in one column: day and month of the dates may be swapped",
                    dates.len(),
                    texts.len()
                );
                let help = if is_swapped {
                    "open the original with the right locale and export it again"
                } else {
                    "declare how the texts are written: dates = \"dmy\" or \"mdy\""
                };
                let at = Location { file, line: *line };
                self.report
                    .push(Diagnostic::new(Code::BadValue, at, message).field(field.clone()).help(help));
            }
        }
    }

    /// Reports columns that the mapping neither maps nor ignores.
    pub(super) fn report_new_columns(&mut self, source: &Source, sheet: &Sheet, file: FileId) {
        let rules = || source.targets.iter().flat_map(|target| target.fields.iter().map(|(.., rule)| rule));
        let (mut new, mut problems) = (Vec::new(), Vec::new());
        for (index, column) in sheet.columns.iter().enumerate() {
            let is_named = |name: &String| name.trim_start_matches('/') == column;
            let is_known = rules().any(|rule| rule.columns.iter().any(is_named))
                || listed_in(&source.ignore, column)
                || source.ignore.iter().any(is_named)
                || source.key.iter().any(is_named);
            if is_known {
                continue;
            }
            if !column.is_empty() {
                new.push(quoted(column));
                continue;
            }
            let cells =
                || sheet.rows.iter().filter_map(|row| row.cells.get(index).filter(|it| !it.is_empty()));
            let Some(first) = cells().next() else { continue };
            let (count, first) = (counted(cells().count(), "cell"), quoted(&first.text()));
            problems.push((
                format!("column {} has no name and {count}, the first {first}", index + 1),
                format!("name it in the source, or add \"\" to `ignore` of source `{}`", source.name),
            ));
        }
        if !new.is_empty() {
            let count = counted(new.len(), "column");
            problems.push((
                format!("{count} left out, not mapped: {}", new.join(", ")),
                format!("map each, or add it to `ignore` of source `{}`", source.name),
            ));
        }
        for (message, help) in problems {
            let problem = Diagnostic::new(Code::NewColumn, Location { file, line: 1 }, message);
            self.report.push(problem.help(help));
        }
    }
}
