//! Names by which a draft recognizes columns, and the values that common words of cells stand for.

use std::collections::HashMap;
use std::sync::LazyLock;

use dataset::Table;
use dataset::schema::{Column, ValueType, published};
use dataset::text::data_rows;
use snapshot::text::fold;

/// A field that a draft can map.
pub(super) struct Field {
    pub table: Table,
    pub name: &'static str,
    /// Its published column; none for a reference by name.
    pub column: Option<&'static Column>,
    /// Names of columns, as [`key_of`] folds them, the best first.
    columns: Vec<String>,
    /// Names that stand for other fields as well.
    doubtful: Vec<String>,
    /// Whether a column also matches by a single word of its name.
    matches_words: bool,
}

/// The fields of `columns.csv`, in the order in which they are matched, then every other published field of
/// these tables, which a column must name exactly.
pub(super) static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let published_column =
        |table: Table, name: &str| published(table).columns.iter().find(|column| column.name == name);
    let listed = data_rows(include_str!("vocabulary/columns.csv")).filter_map(|row| {
        let [table, name, columns, doubtful] = row;
        let table = Table::parse(table)?;
        let [columns, doubtful] = [columns, doubtful]
            .map(|names| names.split('|').map(key_of).filter(|name| !name.is_empty()).collect());
        let column = published_column(table, name);
        Some(Field { table, name, column, columns, doubtful, matches_words: true })
    });
    let mut fields: Vec<Field> = listed.collect();
    for table in [Table::Programs, Table::Cycles, Table::Organizations] {
        for column in &published(table).columns {
            let name = column.name.as_str();
            let is_listed = fields.iter().any(|field| field.table == table && field.name == name);
            // The import sets ids and timestamps, `active` follows from `lifecycle`, and a draft finds the names of
            // organizations by itself.
            let is_set = matches!(column.value_type, ValueType::Uuid | ValueType::Object)
                || matches!(name, "createdAt" | "updatedAt")
                || matches!((table, name), (Table::Programs, "active") | (Table::Organizations, "name"));
            if !is_listed && !is_set {
                let columns = vec![key_of(name)];
                let (column, doubtful) = (Some(column), Vec::new());
                fields.push(Field { table, name, column, columns, doubtful, matches_words: false });
            }
        }
    }
    fields
});

impl Field {
    pub(super) fn value_type(&self) -> ValueType {
        self.column.map_or(ValueType::Text, |column| column.value_type)
    }

    /// The value of a closed list that a word of a cell names; empty if there is none.
    pub(super) fn allowed_value(&self, word: &str) -> String {
        let mut allowed =
            self.column.into_iter().flat_map(|column| &column.allowed).filter_map(|it| it.as_str());
        allowed.rfind(|allowed| key_of(allowed) == key_of(word)).unwrap_or_default().to_owned()
    }

    /// The first column with one of the field's names, which leaves no doubt; else one with a doubtful name, or with one
    /// of the names among its words.
    pub(super) fn find(&self, columns: &[String], is_free: impl Fn(usize) -> bool) -> Option<(usize, bool)> {
        let position = |fits: &dyn Fn(&str) -> bool| {
            columns.iter().enumerate().position(|(at, column)| is_free(at) && fits(column))
        };
        let whole =
            |names: &[String]| names.iter().find_map(|name| position(&|column| key_of(column) == *name));
        let has_word = |name: &String, column: &str| {
            fold(column).split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name)
        };
        let partly = || {
            let mut names = self.columns.iter().filter(|_| self.matches_words);
            names.find_map(|name| position(&|column| has_word(name, column)))
        };
        let exact = whole(&self.columns).map(|column| (column, true));
        exact.or_else(|| whole(&self.doubtful).or_else(partly).map(|column| (column, false)))
    }
}

/// Whether a text is a common name of a column.
pub(super) fn is_column_name(text: &str) -> bool {
    let key = key_of(text);
    is_key(text) || FIELDS.iter().any(|field| field.columns.contains(&key) || field.doubtful.contains(&key))
}

/// The value of a list of `words.csv` that a word stands for, in whatever case and accents.
pub(super) fn value_of(list: &str, word: &str) -> Option<&'static str> {
    find_word(list, &fold(word))
}

/// Whether a cell stands for no value.
pub(super) fn is_empty_mark(text: &str) -> bool {
    find_word("empty", text).is_some()
}

/// Whether a column's name is one of keys.
pub(super) fn is_key(column: &str) -> bool {
    find_word("key", &key_of(column)).is_some()
}

/// The month, from 1, that a word in lower case names.
pub(super) fn month_of(word: &str) -> Option<i8> {
    find_word("month", word)?.parse().ok()
}

/// The value of a list that a folded word, sign or phrase stands for.
pub(super) fn find_word(list: &str, word: &str) -> Option<&'static str> {
    static WORDS: LazyLock<HashMap<(&str, &str), &str>> = LazyLock::new(|| {
        let rows = data_rows(include_str!("vocabulary/words.csv"))
            .chain(data_rows(include_str!("vocabulary/money.csv")));
        let words =
            rows.flat_map(|[list, value, words]| words.split('|').map(move |word| ((list, word), value)));
        words.collect()
    });
    WORDS.get(&(list, word)).copied()
}

/// A column's name for comparison: its letters and digits, without case and accents.
fn key_of(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_field_of_a_program_can_be_drafted() {
        for column in &published(Table::Programs).columns {
            let is_set = column.name.ends_with("Id")
                || matches!(column.name.as_str(), "id" | "active" | "createdAt" | "updatedAt");
            let is_known = FIELDS.iter().any(|field| {
                field.table == Table::Programs
                    && field.find(std::slice::from_ref(&column.name), |_| true).is_some()
            });
            assert!(is_set || is_known, "{}", column.name);
        }
    }

    #[test]
    fn listed_fields_exist_in_the_schema_or_refer_by_name() {
        for field in FIELDS.iter() {
            assert!(field.column.is_some() || field.table.input_only_fields().contains(&field.name));
        }
    }
}
