//! The column that a draft takes as key.

use std::collections::{BTreeMap, BTreeSet};

use super::forms;
use super::sheets::{Draft, Taken, is_sum_row, one_line};
use crate::fields::{FIELDS, Field};
use crate::mapping::quoted;
use crate::source::sheet::Cell;
use crate::vocabulary::is_key;
use dataset::schema::ValueType;

impl Draft<'_> {
    /// The first column that looks like a reference and differs in every row, else the first that differs and is no
    /// measure, such as a sum.
    pub(super) fn key(&self, taken: &Taken) -> Option<usize> {
        let differs = |column: &usize| {
            let rows = self.sheet.rows.iter().filter(|row| !is_sum_row(row));
            let values: Vec<String> = rows.map(|row| row.text(*column)).collect();
            let unique: BTreeSet<&String> =
                values.iter().filter(|value| !value.is_empty() && value.len() < 100).collect();
            !values.is_empty() && unique.len() == values.len()
        };
        let columns = || 0..self.sheet.columns.len();
        let named = columns().filter(|column| is_key(&self.sheet.columns[*column])).find(differs);
        let is_name = |field: &&Field| matches!(field.value_type(), ValueType::Text | ValueType::Url);
        let is_measure = |column: &usize| {
            let fields = FIELDS.iter().filter(|it| !is_name(it));
            let mut mapped = fields.filter_map(|field| taken.get(&(field.table, field.name)));
            let is_one = |cell: &Cell| forms::is_day(cell) || forms::is_sum(cell);
            mapped.any(|(at, _)| at == column) || self.sheet.cells(*column).any(|(_, cell)| is_one(cell))
        };
        let is_named = |column: &usize| !self.sheet.columns[*column].is_empty();
        named.or_else(|| columns().filter(|at| is_named(at) && !is_measure(at)).find(differs))
    }

    /// A question, where a column that is named like a key is not taken as it, for one value that two rows have.
    pub(super) fn copied_key(&self, key: usize) -> Option<String> {
        let named = (0..self.sheet.columns.len()).filter(|column| is_key(&self.sheet.columns[*column]));
        named.take_while(|column| *column != key).find_map(|column| {
            let mut first: BTreeMap<String, u32> = BTreeMap::new();
            let rows = self.sheet.rows.iter().filter(|row| !is_sum_row(row));
            let repeated = rows.filter_map(|row| {
                let value = row.cells.get(column).map(Cell::text).filter(|text| !text.is_empty())?;
                let line = *first.entry(value.clone()).or_insert(row.line);
                (line != row.line).then_some((value, line, row.line))
            });
            let repeated: Vec<(String, u32, u32)> = repeated.collect();
            let [(value, line, other)] = &repeated[..] else { return None };
            let name = quoted(&self.sheet.columns[column]);
            (first.len() > 2).then(|| {
                format!(
                    "? or is it {name}, where only {} is in two rows, {line} and {other}",
                    one_line(value)
                )
            })
        })
    }
}
