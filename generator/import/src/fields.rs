//! The fields that names of columns stand for, which a draft maps by them.

use std::sync::LazyLock;

use crate::money;
use crate::vocabulary::{find_word, is_key, key_of, value_of};
use dataset::Table;
use dataset::schema::{Column, ValueType, published};
use dataset::text::data_rows;
use snapshot::record::Locale;
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

/// The fields of `fields.csv`, in the order in which they are matched, then every other published field of
/// these tables, which a column must name exactly. What is listed without a name, no column is: the import sets
/// timestamps, `active` follows from `lifecycle`, and a draft finds the names of organizations by itself.
pub(super) static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let rows = data_rows(include_str!("fields.csv"));
    let listed = rows.filter_map(|[table, name, columns, doubtful]| {
        let table = Table::parse(table)?;
        let [columns, doubtful] = [columns, doubtful]
            .map(|names| names.split('|').map(key_of).filter(|name| !name.is_empty()).collect());
        let column = published(table).columns.iter().find(|column| column.name == name);
        Some(Field { table, name, column, columns, doubtful, matches_words: true })
    });
    let mut fields: Vec<Field> = listed.collect();
    for table in [Table::Programs, Table::Cycles, Table::Organizations] {
        for column in &published(table).columns {
            let name = column.name.as_str();
            let is_listed = fields.iter().any(|field| field.table == table && field.name == name);
            // The import sets ids.
            if !is_listed && !matches!(column.value_type, ValueType::Uuid | ValueType::Object) {
                let columns = vec![key_of(name)];
                let (column, doubtful) = (Some(column), Vec::new());
                fields.push(Field { table, name, column, columns, doubtful, matches_words: false });
            }
        }
    }
    fields
});

/// Longest name of a column that is compared with those of fields, in bytes.
const LONGEST_NAME: usize = 1000;

impl Field {
    pub(super) fn value_type(&self) -> ValueType {
        self.column.map_or(ValueType::Text, |column| column.value_type)
    }

    /// The values of a closed list; none of a field that takes any.
    pub(super) fn allowed(&self) -> impl DoubleEndedIterator<Item = &'static str> {
        self.column.into_iter().flat_map(|column| &column.allowed).filter_map(|it| it.as_str())
    }

    /// The value that a word of a cell names.
    pub(super) fn value_of(&self, word: &str) -> Option<&'static str> {
        value_of(self.name, word).or_else(|| self.allowed().rfind(|it| key_of(it) == key_of(word)))
    }

    /// The first column with one of the field's names, which leaves no doubt; else one with a doubtful name, or with one
    /// of the names among its words. Of a header of several rows, the last one names the column.
    pub(super) fn find(&self, columns: &[String], is_free: impl Fn(usize) -> bool) -> Option<(usize, bool)> {
        let is_near = |column: &str| column.len() <= LONGEST_NAME && !self.is_other_measure(column);
        let near: Vec<(usize, &String)> = (0..).zip(columns).filter(|(_, it)| is_near(it)).collect();
        let last = |column: &str| column.rsplit_once(" / ").map(|(_, last)| self.key_of(last));
        let free = || near.iter().copied().filter(|(at, _)| is_free(*at));
        let keys: Vec<_> = free().map(|(at, column)| (at, self.key_of(column))).collect();
        let lasts: Vec<_> = free().filter_map(|(at, column)| Some((at, last(column)?))).collect();
        // One in the plural may be another thing: `Awards`.
        let plurals = keys.iter().filter_map(|(at, key)| Some((*at, key.strip_suffix('s')?.to_owned())));
        let words = free().flat_map(|(at, column)| words_of(column).into_iter().map(move |it| (at, it)));
        let first = |names: &[String], forms: &[(usize, String)]| {
            names.iter().find_map(|name| forms.iter().find(|(_, form)| form == name)).map(|(at, _)| *at)
        };
        let whole = |names: &[String]| first(names, &keys).or_else(|| first(names, &lasts));
        if let Some(at) = whole(&self.columns) {
            let own = last(&columns[at]);
            let same = near.iter().filter(|(_, it)| own.is_some() && last(it) == own).count();
            return Some((at, same < 2));
        }
        let in_plural = || first(&self.columns, &plurals.collect::<Vec<_>>());
        let partly = || self.matches_words.then(|| first(&self.columns, &words.collect::<Vec<_>>()))?;
        whole(&self.doubtful).or_else(in_plural).or_else(partly).map(|at| (at, false))
    }

    fn is_money(&self) -> bool {
        self.name.ends_with("Usd")
    }

    /// Whether the name of a column is of another measure than the field, such as `Min age`, or `USD per year`.
    fn is_other_measure(&self, column: &str) -> bool {
        let has_currency = money::of_header(column).0.is_some();
        let of_other = self.is_money()
            && words_of(column).iter().any(|word| find_word("measure", word).is_some())
            && !words_of(column).iter().any(|word| self.doubtful.contains(word));
        of_other && !has_currency || self.name == "cohortYear" && has_currency
    }

    /// The name of a column as those of fields are; of a sum, without its currency and its factor.
    fn key_of(&self, column: &str) -> String {
        if self.is_money() { key_of(&money::bare_header(column)) } else { key_of(column) }
    }
}

/// The folded words of a column's name.
pub(super) fn words_of(column: &str) -> Vec<String> {
    fold(column).split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect()
}

/// The name of a column without its language, as of `Name@es` or, in XML, `name[lang=es]`; and the language.
pub(super) fn language_of(column: &str) -> Option<(&str, Locale)> {
    let (name, code) = column.rsplit_once('@').or_else(|| column.strip_suffix(']')?.rsplit_once("[lang="))?;
    Some((name.trim(), Locale::parse(&code.trim().to_lowercase())?))
}

/// Whether a text is a common name of a column.
pub(super) fn is_column_name(text: &str) -> bool {
    let key = key_of(text);
    is_key(text) || FIELDS.iter().any(|field| field.columns.contains(&key) || field.doubtful.contains(&key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::mapped;

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
    fn listed_fields_are_those_of_a_mapping() {
        for field in FIELDS.iter() {
            assert!(mapped(field.table).iter().any(|(name, _)| name == field.name), "{}", field.name);
        }
    }
}
