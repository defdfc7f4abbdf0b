//! What the cells of a sheet prove about its dates, numbers, lists and currencies.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::sheets::{Draft, Taken, columns_of, is_sum_row, one_line};
use crate::days::{is_vague, looks_like_a_date, proved_order};
use crate::forms::NumberForm;
use crate::mapping::quoted;
use crate::money;
use crate::source::sheet::Cell;
use dataset::Table;
use dataset::schema::ValueType;

/// The currencies of a sheet's sums.
#[derive(Default)]
pub(super) struct Money {
    pub has_dollars: bool,
    has_others: bool,
    /// The line that declares what no cell shows.
    pub declared: Option<String>,
}

/// Whether a cell is a day.
pub(super) fn is_day(cell: &Cell) -> bool {
    match cell {
        Cell::Moment(_) => true,
        Cell::Text(text) => {
            let has_day = text.get(..10).is_some_and(|head| head.parse::<jiff::civil::Date>().is_ok());
            has_day || looks_like_a_date(text) || is_vague(text) && text.bytes().any(|it| it.is_ascii_digit())
        }
        _ => false,
    }
}

/// Whether a cell is a sum that shows its currency.
pub(super) fn is_sum(cell: &Cell) -> bool {
    match cell {
        Cell::Money(..) => true,
        Cell::Text(text) => money::read(text, None).is_ok_and(|sum| sum.currency.is_some()),
        _ => false,
    }
}

impl Draft<'_> {
    pub(super) fn dates(&self, taken: &Taken) -> Option<String> {
        let mut numeric = None;
        for column in columns_of(taken, ValueType::Date) {
            for row in &self.sheet.rows {
                let Some(Cell::Text(text)) = row.cells.get(column) else { continue };
                if let Some(proof) = proved_order(text) {
                    return Some(format!(
                        "dates   = \"{proof}\"  # proved by {}, row {}",
                        one_line(text),
                        row.line
                    ));
                }
                if looks_like_a_date(text) && text.parse::<jiff::civil::Date>().is_err() {
                    numeric.get_or_insert((one_line(text), row.line));
                }
            }
        }
        numeric.map(|(text, line)| {
            format!("dates   = \"dmy\"  # ? or \"mdy\": {text}, row {line}, may be both, and no row decides")
        })
    }

    pub(super) fn numbers(&self, taken: &Taken) -> Option<String> {
        let mut open = None;
        for column in columns_of(taken, ValueType::Number) {
            for row in &self.sheet.rows {
                let Some(Cell::Text(text)) = row.cells.get(column) else { continue };
                let digits: String =
                    text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'')).collect();
                let digits = digits.trim_matches(|c: char| !c.is_ascii_digit());
                let (dot, comma) = (digits.rfind('.'), digits.rfind(','));
                let form = match (dot, comma) {
                    (Some(dot), Some(comma)) if dot < comma => "1.234,56",
                    (Some(_), Some(_)) => "1,234.56",
                    (Some(_), None) if digits.matches('.').count() > 1 => "1.234,56",
                    (None, Some(_)) if digits.matches(',').count() > 1 => "1,234.56",
                    (None, None) => continue,
                    (Some(at), None) if digits.len() - at != 4 => "1,234.56",
                    (None, Some(at)) if digits.len() - at != 4 => "1.234,56",
                    _ => {
                        open.get_or_insert((one_line(text), row.line));
                        continue;
                    }
                };
                return Some(format!(
                    "numbers = \"{form}\"  # proved by {}, row {}",
                    one_line(text),
                    row.line
                ));
            }
        }
        open.map(|(text, line)| {
            format!(
                "numbers = \"1,234.56\"  # ? or \"1.234,56\": {text}, row {line}, may be both, and no row decides"
            )
        })
    }

    /// The form of numbers that is proved.
    pub(super) fn form(&self, taken: &Taken) -> Option<NumberForm> {
        let line = self.numbers(taken)?;
        NumberForm::try_from(line.split('"').nth(1)?.to_owned()).ok()
    }

    pub(super) fn lists(&self, taken: &Taken) -> Option<String> {
        let (separator, cell) = self.separator(taken)?;
        // `Georgia, US` may be two places, or one with its country.
        let places = taken.iter().filter(|((_, field), _)| separator == "," && field.ends_with("Countries"));
        let mut places = places.flat_map(|(_, (column, _))| self.column(*column));
        Some(match places.find(|text| text.matches(',').count() == 1) {
            Some(pair) => {
                format!("lists   = \",\"  # ? two values, or one with its country: {}", one_line(&pair))
            }
            None => format!("lists   = \"{separator}\"  # as in {}", one_line(&cell)),
        })
    }

    /// What stands between the items of lists, and a cell where it does.
    pub(super) fn separator(&self, taken: &Taken) -> Option<(&'static str, String)> {
        let columns: Vec<usize> = columns_of(taken, ValueType::List).collect();
        [";", "|", ","].into_iter().find_map(|separator| {
            let mut cells = columns.iter().flat_map(|column| self.column(*column));
            Some((separator, cells.find(|text| text.contains(separator))?))
        })
    }

    /// The currencies of the sums of a sheet, cell by cell.
    pub(super) fn money(&self, taken: &Taken) -> Money {
        let sums = |field| taken.get(&(Table::Programs, field)).map(|(column, _)| *column);
        let columns: Vec<usize> = ["fundingMaxUsd", "fundingMinUsd"].into_iter().filter_map(sums).collect();
        let names = || self.sheet.columns.iter().enumerate();
        let currencies: Vec<usize> =
            names().filter(|(_, name)| money::is_currency_column(name)).map(|(at, _)| at).collect();
        let mut money = Money::default();
        let (mut open, mut known) = (None, BTreeMap::<String, usize>::new());
        let rows = self.sheet.rows.iter().filter(|row| !is_sum_row(row));
        for (row, column) in rows.flat_map(|row| columns.iter().map(move |it| (row, *it))) {
            let shown = match row.cells.get(column) {
                Some(Cell::Money(_, sign)) => money::codes(sign),
                Some(Cell::Number(_)) => None,
                Some(Cell::Text(text)) if text.bytes().any(|it| it.is_ascii_digit()) => {
                    money::of_header(text).0
                }
                _ => continue,
            };
            let beside = currencies.iter().filter_map(|at| money::codes(&row.cells.get(*at)?.text()));
            let header = money::of_header(&self.sheet.columns[column]).0;
            let evidence = shown.into_iter().chain(beside).chain(header).map(|codes| (String::new(), codes));
            let codes = money::agreed(evidence).unwrap_or_default().unwrap_or_default();
            if let [code] = &codes[..] {
                *known.entry(code.clone()).or_default() += 1;
            } else if open.is_none() {
                let text = row.cells.get(column).map(Cell::text).unwrap_or_default();
                open = Some((format!("{}, row {}", one_line(&text), row.line), codes));
            }
        }
        if let Some((place, codes)) = open {
            // Most of the others are in the likeliest one.
            let fits = |code: &&String| codes.is_empty() || codes.contains(code);
            let likely = known.keys().filter(fits).max_by_key(|code| known.get(*code));
            let code = likely.or(codes.first()).map_or("USD", String::as_str).to_owned();
            let shown = known.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            let others = if shown.is_empty() { shown } else { format!("; others show {shown}") };
            let question = format!("nothing shows which currency {place}, is in{others}");
            money.declared = Some(format!("currency = \"{code}\"  # ? {question}"));
            known.insert(code, 1);
        }
        money.has_others = known.keys().any(|code| code != "USD");
        money.has_dollars = known.contains_key("USD") || !money.has_others;
        money
    }

    /// Sums that are not in dollars, as facts; a fact has one sum, and the most is what readers look for.
    pub(super) fn sums(&self, out: &mut String, name: &str, taken: &Taken, money: &Money) {
        let column = |field| taken.get(&(Table::Programs, field));
        let column = column("fundingMaxUsd").or_else(|| column("fundingMinUsd"));
        if let (true, Some((column, is_sure))) = (money.has_others, column) {
            // Of a column that is mapped to dollars too, these have the doubts.
            let evidence = if money.has_dollars { String::new() } else { self.evidence((*column, *is_sure)) };
            let column = &self.sheet.columns[*column];
            // The sums are published in full, without the factor of the column's name.
            let [label, column] = [&money::bare_header(column), column].map(|name| quoted(name));
            let _ = writeln!(
                out,
                "\n[sources.{name}.facts]  # sums that are not in dollars, in the currency that each shows\n\
                 kind = {{ value = \"funding\" }}\nlabel = {{ value = {label} }}\namount = {column}{evidence}"
            );
        }
    }
}
