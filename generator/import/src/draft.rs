//! A first mapping from the columns of a source, each guess with its evidence. What the cells of a column do
//! not prove is left open in the draft.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::mapping::FILE;
use super::source::sheet::{Cell, Row, Sheet};
use super::values::{is_day_first, is_month_first, looks_like_a_date};
use crate::files::{ImportError, read_source, replace};
use crate::vocabulary::{FIELDS, Field, is_empty_mark, is_key, value_of};
use dataset::schema::ValueType;
use dataset::text::slug_of;
use dataset::{Table, dataset_json};
use sheets::{Found, beside, currency_of, one_line, sheets};

mod sheets;

/// Most different words of a column that are a vocabulary.
const MOST_WORDS: usize = 30;

/// Writes `import.toml` for a source, and returns a text about what was found.
///
/// # Errors
///
/// If a mapping exists already, or the source cannot be read.
pub fn draft(data: &Path, from: Option<&Path>, name: Option<&str>) -> Result<String, ImportError> {
    let Some(from) = from else {
        return Err(ImportError::Usage("--draft needs a source: --from FILE".to_owned()));
    };
    let path = data.join(FILE);
    if path.exists() {
        let message = format!("{} is there already; a draft does not write over it", path.display());
        return Err(ImportError::Output(message));
    }
    let bytes = read_source(from)?;
    let read = sheets(&bytes).map_err(|reason| ImportError::input(from, reason))?;
    let stem = slug_of(&from.file_stem().unwrap_or_default().to_string_lossy());
    let file = (from != Path::new("-")).then(|| beside(from, data));
    let mut text = String::from(
        "# Which column becomes which field. Each guess states its evidence; correct what is wrong.\n",
    );
    let mut found_lines = Vec::new();
    let mut names = BTreeSet::new();
    for found in &read {
        let own = found.name.as_deref().filter(|_| read.len() > 1).map(slug_of);
        let source = name
            .filter(|_| read.len() == 1)
            .map_or_else(|| own.unwrap_or_else(|| stem.clone()), str::to_owned);
        let source = if source.is_empty() { "source".to_owned() } else { source };
        let source =
            if names.insert(source.clone()) { source } else { format!("{source}-{}", names.len() + 1) };
        let draft = Draft { sheet: &found.sheet, others: &read, currency: currency_of(&found.sheet) };
        text.push_str(&draft.text(&source, file.as_deref(), found));
        let (rows, columns) = (found.sheet.rows.len(), found.sheet.columns.len());
        found_lines.push(format!("[sources.{source}]: {rows} rows, {columns} columns"));
        found_lines.extend(found.sheet.notes.iter().map(|note| format!("  {note}")));
    }
    std::fs::create_dir_all(data).map_err(|error| ImportError::output(data, error))?;
    replace(&path, text.as_bytes())?;
    let about = data.join("dataset.json");
    if !about.exists() {
        replace(&about, dataset_json(data, jiff::Timestamp::now()).as_bytes())?;
        found_lines.push(format!("{}: name and title of the directory", about.display()));
    }
    Ok(format!(
        "{}\n{}\nread it, then: opdir import {}",
        path.display(),
        found_lines.join("\n"),
        data.display()
    ))
}

struct Draft<'s> {
    sheet: &'s Sheet,
    /// Every sheet of the source.
    others: &'s [Found],
    currency: Option<(&'static str, String)>,
}

/// The column of each mapped field.
type Taken = BTreeMap<(Table, &'static str), usize>;

impl Draft<'_> {
    fn text(&self, name: &str, file: Option<&Path>, found: &Found) -> String {
        if let Some((column, proof)) = self.organizations() {
            return self.of_organizations(name, file, found, column, &proof);
        }
        let taken = self.taken();
        let key = self.key();
        let mut out = format!("\n[sources.{name}]\n");
        let mut line = |text: String| out.push_str(&(text + "\n"));
        if let Some(file) = file {
            line(format!("file    = {}", quoted(&file.display().to_string())));
        }
        if let Some(sheet) = &found.name {
            line(format!("sheet   = {}", quoted(sheet)));
        }
        if let Some(encoding) = &found.encoding {
            line(format!("encoding = {}  # not UTF-8; {}", quoted(encoding), self.foreign()));
        }
        match key {
            Some(column) => {
                line(format!("key     = {}  # different in every row", quoted(&self.sheet.columns[column])));
            }
            None => line(
                "# key = \"…\"  # no column is different in every row: a program renamed will be another one"
                    .to_owned(),
            ),
        }
        self.dates(&taken).into_iter().for_each(&mut line);
        self.numbers(&taken).into_iter().for_each(&mut line);
        self.lists(&taken).into_iter().for_each(&mut line);
        let marks: BTreeSet<String> = self.cells().filter(|text| is_empty_mark(text)).collect();
        if !marks.is_empty() {
            let marks: Vec<String> = marks.iter().map(|mark| quoted(mark)).collect();
            line(format!("empty   = [{}]  # what stands for nothing", marks.join(", ")));
        }
        let mut used: BTreeSet<usize> = taken.values().copied().chain(key).collect();
        if let Some(sum) = self.sum(&taken) {
            let sums = |field: &str| field.ends_with("Usd");
            used.retain(|column| {
                *column == sum || !taken.iter().any(|((_, it), at)| at == column && sums(it))
            });
        }
        key.and_then(|key| self.skipped(key)).into_iter().for_each(&mut line);
        self.ignored(&used).into_iter().for_each(&mut line);
        self.tables(&mut out, name, &taken, key.is_some());
        out
    }

    /// The column with the names by which another sheet refers to organizations, and the evidence.
    fn organizations(&self) -> Option<(usize, String)> {
        self.others.iter().filter(|other| !std::ptr::eq(&other.sheet, self.sheet)).find_map(|other| {
            let draft = Draft { sheet: &other.sheet, others: &[], currency: None };
            let column = *draft.taken().get(&(Table::Programs, "organization"))?;
            let named: BTreeSet<String> = draft.column(column).collect();
            let is_named = |column: &usize| {
                let own: BTreeSet<String> = self.column(*column).collect();
                own.len() == self.sheet.rows.len() && named.intersection(&own).count() * 2 > named.len()
            };
            let own = (0..self.sheet.columns.len()).find(is_named)?;
            let known: BTreeSet<String> = self.column(own).collect();
            let (shared, all) = (named.intersection(&known).count(), named.len());
            let (theirs, sheet) = (&other.sheet.columns[column], other.name.as_deref().unwrap_or_default());
            Some((own, format!("{shared} of {all} in column {} of sheet {}", quoted(theirs), quoted(sheet))))
        })
    }

    /// A sheet of organizations.
    fn of_organizations(
        &self,
        name: &str,
        file: Option<&Path>,
        found: &Found,
        column: usize,
        proof: &str,
    ) -> String {
        let columns = &self.sheet.columns;
        let mut used = BTreeSet::from([column]);
        let mut fields = format!("name = {}  # {proof}\n", quoted(&columns[column]));
        for field in fields_of(Table::Organizations) {
            if let Some(column) = field.find(columns, |column| !used.contains(&column)) {
                used.insert(column);
                let _ = writeln!(fields, "{} = {}", field.name, quoted(&columns[column]));
            }
        }
        let mut out = format!("\n[sources.{name}]\n");
        if let Some(file) = file {
            let _ = writeln!(out, "file    = {}", quoted(&file.display().to_string()));
        }
        if let Some(sheet) = &found.name {
            let _ = writeln!(out, "sheet   = {}", quoted(sheet));
        }
        let _ = writeln!(out, "key     = {}  # what other sheets call them", quoted(&columns[column]));
        out.extend(self.ignored(&used).map(|line| line + "\n"));
        let _ = write!(out, "\n[sources.{name}.organizations]\n{fields}");
        out
    }

    fn ignored(&self, used: &BTreeSet<usize>) -> Option<String> {
        let columns = self.sheet.columns.iter().enumerate();
        let rest = columns.filter(|(column, name)| !used.contains(column) && !name.is_empty());
        let rest: Vec<String> = rest.map(|(_, name)| quoted(name)).collect();
        (!rest.is_empty()).then(|| format!("ignore  = [{}]  # not published", rest.join(", ")))
    }

    /// Keys of rows with very few cells, such as sums below a table.
    fn skipped(&self, key: usize) -> Option<String> {
        let filled = |row: &&Row| row.cells.iter().filter(|cell| !cell.is_empty()).count();
        let widest = self.sheet.rows.iter().map(|row| filled(&row)).max().unwrap_or(0);
        let poor: Vec<_> = self.sheet.rows.iter().filter(|row| widest > 4 && filled(row) <= 2).collect();
        let keys: Vec<String> =
            poor.iter().filter_map(|row| row.cells.get(key)).map(|cell| quoted(&cell.text())).collect();
        let first = poor.first()?;
        Some(format!(
            "skip    = [{}]  # keys of rows that are none: row {} has {} of {widest} cells",
            keys.join(", "),
            first.line,
            filled(first)
        ))
    }

    fn tables(&self, out: &mut String, name: &str, taken: &Taken, has_key: bool) {
        let elsewhere = self.others.iter().any(|other| {
            !std::ptr::eq(&other.sheet, self.sheet)
                && Draft { sheet: &other.sheet, others: self.others, currency: None }
                    .organizations()
                    .is_some()
        });
        if let Some(column) = taken.get(&(Table::Programs, "organization")).filter(|_| !elsewhere) {
            let column = quoted(&self.sheet.columns[*column]);
            let _ = writeln!(
                out,
                "\n[sources.{name}.organizations]\nname = {{ column = {column}, distinct = true }}  # one row for each value"
            );
        }
        let _ = writeln!(out, "\n[sources.{name}.programs]");
        for field in fields_of(Table::Programs) {
            match (taken.get(&(Table::Programs, field.name)), field.name) {
                (Some(column), name @ "programType") => {
                    self.words(out, name, *column, |word| {
                        value_of(name, word).map_or_else(|| slug_of(word), str::to_owned)
                    });
                }
                (Some(column), name @ "lifecycle") => {
                    self.words(out, name, *column, |word| {
                        value_of(name, word).unwrap_or("unclear").to_owned()
                    });
                }
                (Some(_), "fundingMinUsd" | "fundingMaxUsd") if self.currency.is_some() => {}
                (Some(column), name @ "eligibleCountries") => {
                    self.places(out, name, *column, self.separator(taken).map(|(separator, _)| separator));
                }
                (Some(column), _) => self.field(out, field, *column),
                (None, name @ ("name" | "officialUrl" | "organization")) => {
                    let _ = writeln!(out, "{name} = \"…\"  # needed: no column looks like it");
                }
                (None, "programType") => {
                    out.push_str("programType = { value = \"grant\" }  # the same for all\n");
                }
                (None, _) => {}
            }
        }
        if has_key {
            self.sums(out, name, taken);
            self.cycles(out, name, taken);
        }
    }

    /// A field whose cells need no words of their own, unless it has a closed list of values.
    fn field(&self, out: &mut String, field: &Field, column: usize) {
        if field.column.is_some_and(|column| !column.allowed.is_empty()) {
            self.words(out, field.name, column, |word| field.allowed_value(word));
        } else {
            let _ = writeln!(out, "{} = {}", field.name, quoted(&self.sheet.columns[column]));
        }
    }

    /// Seasons of the same row's program, if a column has dates.
    fn cycles(&self, out: &mut String, name: &str, taken: &Taken) {
        let cycles = fields_of(Table::Cycles)
            .filter_map(|field| Some((field, *taken.get(&(Table::Cycles, field.name))?)));
        let cycles: Vec<(&Field, usize)> = cycles.collect();
        if !cycles.iter().any(|(field, _)| field.value_type() == ValueType::Date) {
            return;
        }
        let _ = writeln!(out, "\n[sources.{name}.cycles]  # of the same row's program");
        let label = ["label", "cohortYear"].into_iter().find_map(|field| taken.get(&(Table::Cycles, field)));
        match label {
            Some(column) => drop(writeln!(out, "label = {}", quoted(&self.sheet.columns[*column]))),
            None => out.push_str("label = { value = \"Current call\" }\n"),
        }
        let deadline = taken.get(&(Table::Cycles, "deadlineOn"));
        let rolling: BTreeSet<String> = deadline.map(|column| self.rolling(*column)).unwrap_or_default();
        for (field, column) in cycles {
            let name = quoted(&self.sheet.columns[column]);
            let has_hours = field.value_type() == ValueType::Date && self.has_hours(column);
            let hours = if has_hours { ", time = \"note\"" } else { "" };
            match field.name {
                "label" => {}
                "status" if !rolling.is_empty() => {}
                "deadlineOn" if !rolling.is_empty() => {
                    let pairs = |value: &str| {
                        let pairs = rolling.iter().map(|word| format!("{} = \"{value}\"", quoted(word)));
                        pairs.collect::<Vec<_>>().join(", ")
                    };
                    let (nothing, state) = (pairs(""), pairs("rolling"));
                    let _ = writeln!(
                        out,
                        "deadlineOn = {{ column = {name}, values = {{ {nothing}, \"*\" = \"*\" }}{hours} }}  # no day; others as they are\n\
                         status = {{ column = {name}, values = {{ {state}, \"*\" = \"\" }} }}"
                    );
                }
                field if has_hours => {
                    let _ =
                        writeln!(out, "{field} = {{ column = {name}{hours} }}  # the hour goes into a note");
                }
                _ => self.field(out, field, column),
            }
        }
    }

    /// Words for "no deadline" in a column of dates.
    fn rolling(&self, column: usize) -> BTreeSet<String> {
        self.column(column).filter(|word| value_of("status", word).is_some()).collect()
    }

    /// The column of sums that are not in dollars; a fact has one sum, and the most is what readers look for.
    fn sum(&self, taken: &Taken) -> Option<usize> {
        let column = |field| taken.get(&(Table::Programs, field)).copied();
        self.currency.as_ref().and_then(|_| column("fundingMaxUsd").or_else(|| column("fundingMinUsd")))
    }

    /// Sums that are not in dollars, as facts.
    fn sums(&self, out: &mut String, name: &str, taken: &Taken) {
        let (Some((currency, proof)), Some(column)) = (&self.currency, self.sum(taken)) else { return };
        let column = quoted(&self.sheet.columns[column]);
        let _ = writeln!(
            out,
            "\n[sources.{name}.facts]  # sums are never converted: they are published in their own currency\n\
             kind = {{ value = \"funding\" }}\nlabel = {{ value = {column} }}\namount = {column}\n\
             currency = {{ value = \"{currency}\" }}  # as in {proof}"
        );
    }

    /// Places that may apply: a union of states as its members, which have codes.
    fn places(&self, out: &mut String, field: &str, column: usize, lists: Option<&str>) {
        let name = quoted(&self.sheet.columns[column]);
        let cells = self.column(column);
        let words = cells.flat_map(|cell| match lists {
            Some(separator) => cell.split(separator).map(|word| word.trim().to_owned()).collect(),
            None => vec![cell],
        });
        let unions: BTreeMap<String, &str> =
            words.filter_map(|word| value_of("places", &word).map(|members| (word, members))).collect();
        if unions.is_empty() {
            let _ = writeln!(out, "{field} = {name}");
            return;
        }
        let pairs: Vec<String> =
            unions.iter().map(|(word, members)| format!("{} = \"{members}\"", quoted(word))).collect();
        let _ = writeln!(
            out,
            "{field} = {{ column = {name}, values = {{ {}, \"*\" = \"*\" }} }}  # its members; others as they are",
            pairs.join(", ")
        );
    }

    /// A column of a few words as a vocabulary: each word and what stands for it.
    fn words(&self, out: &mut String, field: &str, column: usize, value_of: impl Fn(&str) -> String) {
        let words: BTreeSet<String> = self.column(column).filter(|word| !is_empty_mark(word)).collect();
        let name = quoted(&self.sheet.columns[column]);
        if words.len() > MOST_WORDS {
            let _ = writeln!(out, "{field} = {name}");
            return;
        }
        let pairs: Vec<String> =
            words.iter().map(|word| format!("{} = {}", quoted(word), quoted(&value_of(word)))).collect();
        let _ = writeln!(out, "{field} = {{ column = {name}, values = {{ {} }} }}", pairs.join(", "));
    }

    fn taken(&self) -> Taken {
        let mut taken = Taken::new();
        let mut used = BTreeSet::new();
        for field in FIELDS.iter().filter(|field| field.table != Table::Organizations) {
            if let Some(column) = field.find(&self.sheet.columns, |column| !used.contains(&column)) {
                used.insert(column);
                taken.insert((field.table, field.name), column);
            }
        }
        taken
    }

    /// The first column that looks like a reference and differs in every row, else the first that differs.
    fn key(&self) -> Option<usize> {
        let differs = |column: &usize| {
            let values: Vec<String> = self
                .sheet
                .rows
                .iter()
                .map(|row| row.cells.get(*column).map(Cell::text).unwrap_or_default())
                .collect();
            let unique: BTreeSet<&String> =
                values.iter().filter(|value| !value.is_empty() && value.len() < 100).collect();
            !values.is_empty() && unique.len() == values.len()
        };
        let columns = || 0..self.sheet.columns.len();
        let named = columns().filter(|column| is_key(&self.sheet.columns[*column])).find(differs);
        named.or_else(|| columns().find(differs))
    }

    fn column(&self, column: usize) -> impl Iterator<Item = String> {
        self.sheet
            .rows
            .iter()
            .filter_map(move |row| row.cells.get(column))
            .filter(|cell| !cell.is_empty())
            .map(Cell::text)
    }

    fn cells(&self) -> impl Iterator<Item = String> {
        self.sheet.rows.iter().flat_map(|row| row.cells.iter().map(Cell::text))
    }

    fn foreign(&self) -> String {
        let cell = self.cells().find(|text| !text.is_ascii()).unwrap_or_default();
        format!("read so, a cell is {}", quoted(&cell))
    }

    fn has_hours(&self, column: usize) -> bool {
        self.column(column).any(|text| text.contains(':'))
    }

    fn dates(&self, taken: &Taken) -> Option<String> {
        let mut numeric = None;
        for column in columns_of(taken, ValueType::Date) {
            for row in &self.sheet.rows {
                let Some(Cell::Text(text)) = row.cells.get(column) else { continue };
                let proof = if is_day_first(text) {
                    "dmy"
                } else if is_month_first(text) {
                    "mdy"
                } else {
                    ""
                };
                if !proof.is_empty() {
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
            format!("# dates = \"dmy\" or \"mdy\": {text}, row {line}, may be both, and no row decides")
        })
    }

    fn numbers(&self, taken: &Taken) -> Option<String> {
        let mut open = None;
        for column in columns_of(taken, ValueType::Number) {
            for row in &self.sheet.rows {
                let Some(Cell::Text(text)) = row.cells.get(column) else { continue };
                let digits: String =
                    text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'')).collect();
                let (dot, comma) = (digits.rfind('.'), digits.rfind(','));
                let form = match (dot, comma) {
                    (Some(dot), Some(comma)) if dot < comma => "1.234,56",
                    (Some(_), Some(_)) => "1,234.56",
                    (Some(_), None) if digits.matches('.').count() > 1 => "1.234,56",
                    (None, Some(_)) if digits.matches(',').count() > 1 => "1,234.56",
                    (None, None) => continue,
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
                "# numbers = \"1,234.56\" or \"1.234,56\": {text}, row {line}, may be both, and no row decides"
            )
        })
    }

    fn lists(&self, taken: &Taken) -> Option<String> {
        let (separator, cell) = self.separator(taken)?;
        Some(format!("lists   = \"{separator}\"  # as in {}", one_line(&cell)))
    }

    /// What stands between the items of lists, and a cell where it does.
    fn separator(&self, taken: &Taken) -> Option<(&'static str, String)> {
        let columns: Vec<usize> = columns_of(taken, ValueType::List).collect();
        [";", "|", ","].into_iter().find_map(|separator| {
            let mut cells = columns.iter().flat_map(|column| self.column(*column));
            Some((separator, cells.find(|text| text.contains(separator))?))
        })
    }
}

fn fields_of(table: Table) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.table == table)
}

/// The columns of mapped fields with a type of values.
fn columns_of(taken: &Taken, value_type: ValueType) -> impl Iterator<Item = usize> {
    let is_typed = move |table: Table, name: &str| {
        fields_of(table).any(|field| field.name == name && field.value_type() == value_type)
    };
    taken.iter().filter(move |((table, name), _)| is_typed(*table, name)).map(|(_, column)| *column)
}

/// A text on one line of a comment.
/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => drop(write!(out, "\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
