//! What a draft is made from: every sheet of a source, where it stands, and its key.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use crate::fields::{FIELDS, Field, language_of, words_of};
use crate::mapping::{ELIGIBILITY, Rule, Source, quoted};
use crate::source;
use crate::source::sheet::{Cell, EMPTY, Options, Row, Sheet, listed};
use crate::vocabulary::{is_empty_mark, is_key, value_of};
use dataset::Table;
use dataset::schema::ValueType;
use snapshot::record::Locale;
use snapshot::search::language_of_stop_word;

/// Fields of programs that have translations.
const TEXTS: [&str; 3] = ["name", "summary", "description"];

/// Fewest bytes of what is too long for a key.
const LONGEST_KEY: usize = 100;

/// Most columns that two are tried of together.
const MOST_COLUMNS: usize = 6;

/// The tables that were read, or why none could be.
type FoundTables = Result<Vec<Found>, String>;

/// A table that was read, and how.
pub(super) struct Found {
    /// Of its source in the mapping.
    pub name: String,
    /// Its heading or the name of its sheet, where there are several.
    pub title: Option<String>,
    /// The lines of a mapping that declare how it was read.
    pub declared: Vec<String>,
    pub sheet: Sheet,
}

impl Found {
    /// The first lines of its source in a mapping.
    pub(super) fn heading(&self) -> String {
        let lines = self.declared.iter().map(|line| format!("{line}\n"));
        format!("\n[sources.{}]\n{}", self.name, lines.collect::<String>())
    }
}

/// A draft of the mapping of a sheet.
#[derive(Clone, Copy)]
pub(super) struct Draft<'s> {
    pub found: &'s Found,
    pub sheet: &'s Sheet,
    /// What a first draft maps, for the evidence of the second.
    pub source: Option<&'s Source>,
    /// Every sheet of the source.
    pub others: &'s [Found],
}

/// The column of each mapped field, and whether its name leaves no doubt.
pub(super) type Taken = BTreeMap<(Table, &'static str), (usize, bool)>;

/// A field, its column, and whether the column's name leaves no doubt.
type Text = (&'static str, (usize, bool));

impl<'s> Draft<'s> {
    pub(super) fn of(found: &'s Found, others: &'s [Found]) -> Self {
        Self { found, sheet: &found.sheet, others, source: None }
    }

    /// The other sheets of the source.
    pub(super) fn others(&self) -> impl Iterator<Item = &'s Found> {
        self.others.iter().filter(|other| !std::ptr::eq(*other, self.found))
    }

    /// What the cells of a column have, without empty ones.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = String> {
        self.sheet.cells(column).map(|(_, cell)| cell.text())
    }

    /// The name of the sheet, and the rule of a key that other sheets have too, where each has the same name there.
    pub(super) fn shared(&self, taken: &Taken, key: Option<usize>) -> Option<(String, String)> {
        let title = self.found.title.clone()?;
        let (name, _) = *taken.get(&(Table::Programs, "name"))?;
        let [key, name] = [key?, name].map(|column| &self.sheet.columns[column]);
        let names = |sheet: &Sheet| {
            let columns = sheet.column(key).zip(sheet.column(name)).into_iter();
            let names = |(key, name)| sheet.rows.iter().map(move |row| (row.text(key), row.text(name)));
            columns.flat_map(names).collect::<BTreeMap<String, String>>()
        };
        let own = names(self.sheet);
        let theirs = self.others().flat_map(|it| names(&it.sheet)).filter(|(key, _)| own.contains_key(key));
        let theirs: BTreeSet<(String, String)> = theirs.collect();
        (!theirs.is_empty() && theirs.iter().all(|(key, name)| own.get(key) == Some(name))).then(|| {
            let rule = Rule { distinct: true, ..Rule::of(key) }.to_toml();
            let count = format!("{} of {} on other sheets too", theirs.len(), own.len());
            (title, format!("key = {rule}  # {count}: one program, a season of each sheet\n"))
        })
    }
}

impl Draft<'_> {
    /// The columns that have texts of programs in another language, all in one.
    pub(super) fn translated(&self, taken: &Taken) -> Option<Vec<Text>> {
        let is_free = |at: usize| taken.values().all(|(column, _)| *column != at);
        Locale::ALL.iter().rev().find_map(|locale| {
            let names = self.sheet.columns.iter().map(|it| language_of(it).filter(|(_, it)| it == locale));
            let names: Vec<String> = names.map(|it| it.map_or("", |(name, _)| name).to_owned()).collect();
            let fields = fields_of(Table::Programs).filter(|field| TEXTS.contains(&field.name));
            let texts = fields.filter_map(|field| Some((field.name, field.find(&names, is_free)?)));
            Some(texts.collect::<Vec<Text>>()).filter(|texts| !texts.is_empty())
        })
    }

    /// Texts of the same row's program in another language.
    pub(super) fn translations(&self, out: &mut String, taken: &Taken, key: usize) {
        let Some(texts) = self.translated(taken) else { return };
        let (source, key) = (&self.found.name, quoted(&self.sheet.columns[key]));
        let locale = language_of(&self.sheet.columns[texts[0].1.0]).map_or("", |(_, it)| it.as_str());
        let _ = writeln!(out, "\n[sources.{source}.translations]  # of the same row's program");
        let _ = writeln!(out, "entityType = {{ value = \"program\" }}\nentity = {key}");
        let _ = writeln!(out, "locale = {{ value = \"{locale}\" }}");
        for (field, text) in texts {
            out.push_str(&self.rule(text.0).line(field, &self.evidence(text)));
        }
    }

    /// The evidence that a sheet is in Spanish, where no column names the language of its texts: many of these and of the
    /// names of its columns have words of it, few have English ones, and some have what other languages lack.
    pub(super) fn spanish(&self, taken: &Taken) -> Option<String> {
        const OWN: [&str; 4] = ["el", "los", "las", "y"];
        const ENDINGS: [&str; 2] = ["cion", "ciones"];
        let columns = TEXTS.iter().chain([&ELIGIBILITY]).filter_map(|it| taken.get(&(Table::Programs, it)));
        let cells = columns.flat_map(|(column, _)| self.column(*column));
        let texts = self.sheet.columns.iter().cloned().chain(cells).map(|it| words_of(&it));
        let texts: Vec<Vec<String>> = texts.filter(|words| words.len() > 1).collect();
        let count = |language| {
            let is_of = |word: &String| language_of_stop_word(word) == Some(language);
            texts.iter().filter(|words| words.iter().any(is_of)).count()
        };
        let (english, spanish, all) = (count(0), count(1), texts.len());
        let is_own = |word: &str| OWN.contains(&word) || ENDINGS.iter().any(|it| word.ends_with(it));
        let has_own = texts.iter().flatten().any(|word| is_own(word));
        let is_free = !taken.contains_key(&(Table::Programs, "language"));
        (is_free && has_own && spanish > 2 * english && spanish * 4 >= all).then(|| {
            format!("{spanish} of {all} texts and columns have Spanish words, {english} English ones")
        })
    }

    /// The first column that looks like a reference and differs in every row, else the first that differs and is no
    /// measure, such as a sum; else the first two that differ together; and why. A column that is named like a key and
    /// repeats one value is a question.
    pub(super) fn key(&self, taken: &Taken) -> Option<(Vec<usize>, String)> {
        let rows: Vec<&Row> = self.sheet.rows.iter().filter(|row| !is_sum_row(row)).collect();
        let is_name = |field: &&Field| matches!(field.value_type(), ValueType::Text | ValueType::Url);
        let is_measure = |column: &usize| {
            let fields = FIELDS.iter().filter(|it| !is_name(it));
            let mut mapped = fields.filter_map(|field| taken.get(&(field.table, field.name)));
            mapped.any(|(at, _)| at == column) || self.days(*column) + self.sums_shown(*column) > 0
        };
        let columns = (0..self.sheet.columns.len()).filter(|at| !self.sheet.columns[*at].is_empty());
        let (named, others): (Vec<_>, Vec<_>) = columns.partition(|at| is_key(&self.sheet.columns[*at]));
        let all = named.iter().copied().chain(others.into_iter().filter(|at| !is_measure(at)));
        let all: Vec<usize> = all.filter(|_| !rows.is_empty()).collect();
        let Some(key) = all.iter().copied().find(|column| faults(&rows, &[*column]).next().is_none()) else {
            return self.pair(taken, &rows, all);
        };
        let copied = named.into_iter().take_while(|at| *at != key).find_map(|at| {
            match &faults(&rows, &[at]).collect::<Vec<_>>()[..] {
                [(value, line, other)] if line != other && rows.len() > 3 => {
                    let (name, value) = (quoted(&self.sheet.columns[at]), one_line(&value[0]));
                    Some(format!("? or is it {name}, where only {value} is in two rows, {line} and {other}"))
                }
                _ => None,
            }
        });
        Some((vec![key], copied.unwrap_or_else(|| "different in every row".to_owned())))
    }

    /// Of the first columns and those of seasons, the first two that are different together in every row.
    fn pair(&self, taken: &Taken, rows: &[&Row], mut columns: Vec<usize>) -> Option<(Vec<usize>, String)> {
        columns.truncate(MOST_COLUMNS);
        let seasons = taken.iter().filter(|((table, _), _)| *table == Table::Cycles).map(|(_, (at, _))| *at);
        columns.extend(seasons);
        let pairs =
            columns.iter().enumerate().flat_map(|(at, one)| columns[at + 1..].iter().map(|it| [*one, *it]));
        let pair =
            pairs.filter(|[one, other]| one != other).find(|pair| faults(rows, pair).next().is_none())?;
        let why = "together different in every row, as no column alone is";
        let column =
            |field| taken.get(&(Table::Programs, field)).map(|it| it.0).filter(|at| pair.contains(at));
        let name = column("name").filter(|_| column("organization").is_none());
        let doubt = name.map(|name| {
            let rule = Rule { distinct: true, ..self.rule(name) }.to_toml();
            format!("? {why}; if rows of one name are seasons of one program, add to programs: key = {rule}")
        });
        Some((pair.to_vec(), doubt.unwrap_or_else(|| why.to_owned())))
    }
}

/// Texts of columns that are together no key of a row: empty, long, or those of an earlier row, with the lines of both.
fn faults(rows: &[&Row], columns: &[usize]) -> impl Iterator<Item = (Vec<String>, u32, u32)> {
    let mut first: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    rows.iter().filter_map(move |row| {
        let texts: Vec<String> = columns.iter().map(|at| row.text(*at)).collect();
        let before = *first.entry(texts.clone()).or_insert(row.line);
        let is_part = |it: &String| !is_empty_mark(it) && it.len() < LONGEST_KEY;
        let is_fault = before != row.line || !texts.iter().all(is_part);
        is_fault.then_some((texts, before, row.line))
    })
}

/// Whether a row is called a sum, as `Total (8)`.
pub(super) fn is_sum_row(row: &Row) -> bool {
    let mut texts = row.cells.iter().map(Cell::text);
    let first = texts.find(|text| text.starts_with(char::is_alphabetic)).unwrap_or_default();
    value_of("sum", first.trim_end_matches(|c: char| !c.is_alphabetic())).is_some()
}

pub(super) fn fields_of(table: Table) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.table == table)
}

/// The columns of mapped fields with a type of values.
pub(super) fn columns_of(taken: &Taken, value_type: ValueType) -> impl Iterator<Item = usize> {
    let is_typed = move |table: Table, name: &str| {
        let is_it = |field: &Field| field.name == name && field.value_type() == value_type;
        // The only field of facts that a draft maps is a sum.
        fields_of(table).any(is_it) || table == Table::Facts && value_type == ValueType::Number
    };
    let typed = taken.iter().filter(move |((table, name), _)| is_typed(*table, name));
    // One column may be of several fields.
    typed.map(|(_, (column, _))| *column).collect::<BTreeSet<_>>().into_iter()
}

/// Every table of a source that has rows.
pub(super) fn sheets(bytes: &[u8]) -> FoundTables {
    let names = source::sheets(bytes)?;
    if names.len() > 1 {
        let mut found = Vec::new();
        for name in &names {
            let how = Options { sheet: Some(name.clone()), ..Options::default() };
            match tables(bytes, &how, Some(name), vec![format!("sheet   = {}", quoted(name))]) {
                Err(reason) if reason == EMPTY => {}
                other => found.extend(other.map_err(|reason| format!("sheet \"{name}\": {reason}"))?),
            }
        }
        found.retain(|it: &Found| !it.sheet.rows.is_empty());
        return if found.is_empty() { Err("no sheet of it has rows".to_owned()) } else { Ok(found) };
    }
    match tables(bytes, &Options::default(), None, Vec::new()) {
        Err(reason) if std::str::from_utf8(bytes).is_err() => {
            let Some(guess) = source::guess(bytes) else { return Err(reason) };
            let how = Options { encoding: Some(guess.clone()), ..Options::default() };
            let mut found = tables(bytes, &how, None, Vec::new()).map_err(|_| reason)?;
            for it in &mut found {
                let mut texts = it.sheet.rows.iter().flat_map(|row| row.cells.iter().map(Cell::text));
                let cell = quoted(&texts.find(|text| !text.is_ascii()).unwrap_or_default());
                let encoding = quoted(&guess);
                let mark = if guess == "windows-1252" { "" } else { "? " };
                it.declared.push(format!("encoding = {encoding}  # {mark}not UTF-8; a cell reads {cell}"));
            }
            Ok(found)
        }
        other => other,
    }
}

/// The tables of a sheet. What has two readings is declared as the likelier one, as a question.
fn tables(bytes: &[u8], how: &Options, title: Option<&str>, mut declared: Vec<String>) -> FoundTables {
    // Only the first of merged cells has a value that is its own.
    let how = &Options { merged: Some("first".to_owned()), ..how.clone() };
    let mut sheet = source::read(bytes, how)?;
    if sheet.tables.len() > 1 {
        let mut found = Vec::new();
        for (line, name) in &sheet.tables {
            let (table, count) = (quoted(name), sheet.tables.len());
            let why = format!("row {line} names columns, and {count} tables are in one sheet");
            let declared = [declared.clone(), vec![format!("table   = {table}  # {why}")]].concat();
            let title = if source::line_of(name).is_some() { title } else { Some(name.as_str()) };
            let how = Options { table: Some(name.clone()), ..how.clone() };
            found.extend(tables(bytes, &how, title, declared)?);
        }
        return Ok(found);
    }
    if let Some((_, rows, _)) = &sheet.header_doubt {
        declared.push(format!("header_rows = 2  # ? {rows}"));
        sheet = source::read(bytes, &Options { header_rows: Some(2), ..how.clone() })?;
    }
    let headings = listed(sheet.lone.iter().filter(|it| it.has_rows));
    if !headings.is_empty() {
        declared
            .push(format!("sections = \"Section\"  # ? of the rows below, or \"\" if records: {headings}"));
    }
    Ok(vec![Found { name: String::new(), title: title.map(str::to_owned), declared, sheet }])
}

/// Where a file is, seen from the folder of a dataset: both can then be moved together.
pub(super) fn beside(file: &Path, data: &Path) -> PathBuf {
    let whole = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or(path)
    };
    let (file, data) = (whole(file), whole(data));
    let common = file.components().zip(data.components()).take_while(|(one, other)| one == other).count();
    if common < 2 {
        return file;
    }
    let up = data.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

/// The start of a text, for a comment.
pub(super) fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect::<String>().trim().to_owned()
}
