//! Imports the rows of sources as their mappings declare.

mod columns;
mod edits;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::{Value, json};

pub(crate) use self::edits::Edited;
use crate::files::{ImportError, Outcome, bytes_of, sheet_of, shown};
use crate::mapping::{self, ELIGIBILITY, FILE, Mapped, Source, Target, kinds};
use crate::output::{self, Identities, Imported, KEPT, Outputs, Record, Rows, identity};
use crate::source::sheet::{Cell, Row, Sheet, listed, rows_of};
use crate::{days, money, values::CellField};
use dataset::Table;
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, FileId, Location};
use dataset::text::{counted, lowered, quoted};

/// Imports the sources of a dataset that are named, all if none is, or one of them from another file than that in the
/// mapping; `-` is standard input. Nothing is written; if `report` gets errors, nothing should be.
///
/// # Errors
///
/// If the mapping or a source cannot be read, or a mapped column is not there.
pub fn import(
    data: &Path,
    names: &[String],
    from: Option<&Path>,
    report: &mut Diagnostics,
) -> Result<Imported, ImportError> {
    let path = data.join(FILE);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let help = format!("`opdir import {} --draft --from FILE` writes one", data.display());
        ImportError::Input(format!("{}: {error}; {help}", path.display()))
    })?;
    let file = report.add_file(path.display().to_string());
    let sources = mapping::read(&text).map_err(|(message, word)| {
        report.push(Diagnostic::new(Code::BadMapping, place(&text, file, &word), message).field(word));
        ImportError::Data
    })?;
    report_questions(&text, file, report);
    let chosen = choose(&sources, names, from)?;
    let (made, used) = output::made_elsewhere(&sources, &chosen, data);
    let mut importer = Importer {
        report,
        file,
        text: &text,
        outputs: BTreeMap::new(),
        made,
        noted: BTreeSet::new(),
        counts: BTreeMap::new(),
        refused: BTreeSet::new(),
    };
    for source in &chosen {
        importer.import(source, &bytes_of(source, data, from)?, data);
    }
    importer.note_counts();
    let Importer { mut outputs, made, report, .. } = importer;
    output::add_gone(&chosen, data, &mut outputs, (&made, &used), report);
    let edited = edits::apply(data, &mut outputs, report)?;
    let found = report.sorted();
    // Without a column or a source, every row lacks something: there is no use in checking it.
    if found.iter().any(|it| matches!(it.code, Code::BadSource | Code::LostColumn)) {
        return Err(ImportError::Data);
    }
    let is_open = found.iter().any(|it| it.code == Code::BadMapping);
    let kept = found.into_iter().filter(|it| it.code == Code::KeptAsDraft || it.code.id().starts_with('E'));
    let broken = kept.map(|it| ((it.at, it.field.clone().unwrap_or_default()), it.clone()));
    let mut imported = Imported { broken: broken.collect(), edited, is_open, ..Imported::default() };
    output::complete(data, &mut outputs, report)?;
    output::keep_ids(data, &mut outputs, report)?;
    for ((table, source), output) in outputs {
        let path = output::path_of(table, &source);
        let rows = counted(output.rows.len(), "row");
        imported.lines.push(format!("{}: {rows}{}", data.join(&path).display(), output.gone()));
        let (lines, places) = output.into_lines(table);
        imported.files.insert(path.clone(), lines);
        imported.places.insert(path, places);
    }
    output::add_earlier(data, names, &sources, &mut imported)?;
    Ok(imported)
}

/// The sources that are named, or all.
fn choose<'s>(sources: &'s [Source], names: &[String], from: Option<&Path>) -> Outcome<Vec<&'s Source>> {
    let known: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("there is no source `{name}` in {FILE}; there are {}", known.join(", "));
        return Err(ImportError::Usage(message));
    }
    let is_chosen = |source: &&Source| names.is_empty() || names.contains(&source.name);
    let chosen: Vec<&Source> = sources.iter().filter(is_chosen).collect();
    if from.is_some() && chosen.len() != 1 {
        return Err(ImportError::Usage("--from is one source: name it".to_owned()));
    }
    Ok(chosen)
}

/// The tables that an import would change now, as a source or the mapping is not as the last one read it.
///
/// # Errors
///
/// If the sources have errors. Sources that are not there change nothing.
pub fn outdated(data: &Path) -> Result<Vec<String>, ImportError> {
    if !data.join(FILE).exists() {
        return Ok(Vec::new());
    }
    let mut report = Diagnostics::new();
    match import(data, &[], None, &mut report) {
        Ok(imported) if report.error_count() == 0 => Ok(imported.changed(data)),
        Ok(_) | Err(ImportError::Data) => Err(ImportError::Data),
        Err(_) => Ok(Vec::new()),
    }
}

/// Where the rows of imported tables are in their sources: `grants.csv:14` by `programs/grants.ndjson:3`. A row that an
/// import would write otherwise, as its source or the mapping has changed, is not among them.
pub fn origins(data: &Path) -> BTreeMap<String, String> {
    let (mut report, mut origins) = (Diagnostics::new(), BTreeMap::new());
    let imported = import(data, &[], None, &mut report).unwrap_or_default();
    for (path, places) in &imported.places {
        let lines = imported.files.get(path).map_or(&[][..], Vec::as_slice);
        let lines = lines.split(|byte| *byte == b'\n').zip(&places.0);
        let made: HashMap<&[u8], Location> = lines.filter_map(|(line, at)| Some((line, (*at)?))).collect();
        let path = data.join(path);
        let text = std::fs::read(&path).unwrap_or_default();
        origins.extend((1..).zip(text.split(|byte| *byte == b'\n')).filter_map(|(line, text)| {
            let at = made.get(text)?;
            Some((format!("{}:{line}", path.display()), format!("{}:{}", report.file_name(at.file), at.line)))
        }));
    }
    origins
}

/// Reports the lines that a draft leaves open, marked by `# ?`, once.
fn report_questions(text: &str, file: FileId, report: &mut Diagnostics) {
    // A number sign in a text is no comment.
    let is_outside = |text: &str| text.matches('"').count().is_multiple_of(2);
    let is_open = |line: &str| line.match_indices("# ?").any(|(at, _)| is_outside(&line[..at]));
    let open: Vec<(u32, &str)> = (1..).zip(text.lines()).filter(|(_, line)| is_open(line)).collect();
    if let Some((line, question)) = open.first() {
        let lines: Vec<String> = open.iter().map(|(line, _)| line.to_string()).collect();
        let (count, lines) = (counted(open.len(), "line"), lines.join(", "));
        let what = quoted(question.replace("# ?", "").trim());
        let message = format!("{count} not decided yet: {lines}; the first is {what}");
        let help = "decide each: correct the line or remove it, and remove the mark `# ?`";
        report.push(Diagnostic::new(Code::BadMapping, Location { file, line: *line }, message).help(help));
    }
}

/// The line of a field in a mapping.
fn line_of(text: &str, source: &str, table: Table, field: &str) -> usize {
    let section = format!("[sources.{source}.{}]", table.name());
    let lines = text.lines().enumerate().skip_while(|(_, line)| !line.starts_with(&section)).skip(1);
    let mut own = lines.take_while(|(_, line)| !line.starts_with('['));
    let is_field = |line: &str| line.split('=').next().is_some_and(|name| name.trim() == field);
    own.find(|(_, line)| is_field(line)).map_or(0, |(at, _)| at + 1)
}

/// The first line of a mapping with a word.
fn place(text: &str, file: FileId, word: &str) -> Location {
    let starts = |line: &str| !word.is_empty() && line.trim_start().trim_start_matches('[').contains(word);
    let line = text.lines().position(starts).unwrap_or(0);
    Location { file, line: u32::try_from(line + 1).unwrap_or(u32::MAX) }
}

/// What is imported.
#[derive(Clone, Copy)]
pub(crate) struct Opened<'a> {
    pub source: &'a Source,
    pub sheet: &'a Sheet,
    pub file: FileId,
}

/// A row and its key, if its source has any.
type Keyed<'s> = (&'s Row, Option<String>);

/// A text for a note: its column, the text, and whether it states who may apply.
type Note = (String, String, bool);

/// A record, and texts for notes.
type Noted = (Option<Record>, Vec<Note>);

struct Importer<'a> {
    report: &'a mut Diagnostics,
    /// The mapping.
    file: FileId,
    text: &'a str,
    outputs: Outputs,
    made: Identities,
    /// Keys and texts of notes that are made.
    noted: BTreeSet<(String, String)>,
    /// The rows of what is counted: where it is, its name, and what became of it.
    counts: BTreeMap<(String, &'static str, &'static str), Vec<u32>>,
    /// Rows and columns of sums that have an error already.
    refused: BTreeSet<(Location, Vec<String>)>,
}

impl Importer<'_> {
    fn import(&mut self, source: &Source, bytes: &[u8], data: &Path) {
        let name = source.file.as_ref().map_or_else(|| source.name.clone(), |file| shown(data, file));
        let file = self.report.add_file(name);
        let sheet = match sheet_of(source, bytes) {
            Ok(sheet) => sheet,
            Err(reason) => {
                let message = format!("source `{}`: {reason}", source.name);
                let at = Location { file, line: 1 };
                return self.report.push(Diagnostic::new(Code::BadSource, at, message));
            }
        };
        for note in &sheet.notes {
            self.report.note(format!("source `{}`: {note}", source.name));
        }
        let from = Opened { source, sheet: &sheet, file };
        self.report_doubts(from);
        self.check_columns(from);
        self.check_dates(from);
        self.check_codes(from);
        self.report_new_columns(from);
        self.count_links(from);
        let keyed = self.keys(from);
        for target in &source.targets {
            let place = |(name, _, it): &Mapped| Some((name.clone(), sheet.place_of(it.columns.first()?)));
            let columns = target.fields.iter().filter_map(place).collect();
            self.outputs.entry((target.table, source.name.clone())).or_default().columns = columns;
            self.add_records(from, target, &keyed);
        }
    }

    /// Counts something of a row, to be noted.
    fn count(&mut self, place: String, what: &'static str, became: &'static str, at: Location) {
        self.counts.entry((place, what, became)).or_default().push(at.line);
    }

    /// Notes what was counted.
    fn note_counts(&mut self) {
        for ((place, what, became), lines) in &self.counts {
            let count = counted(lines.len(), what);
            self.report.note(format!("{place}: {count} {became}: {}", rows_of(lines)));
        }
    }

    /// Reports what has two readings, each with the words that declare one.
    fn report_doubts(&mut self, Opened { source, sheet, file }: Opened<'_>) {
        let mut report = |line, message: String, help: String| {
            let message = format!("source `{}`: {message}", source.name);
            self.report.push(Diagnostic::new(Code::BadSource, Location { file, line }, message).help(help));
        };
        if let Some((line, rows, true)) = &sheet.header_doubt {
            let help = format!("declare header_rows = 2; or header_rows = 1 if row {line} is a record");
            report(*line, rows.clone(), help);
        }
        if let Some((line, _)) = sheet.tables.get(1) {
            let words = |(line, name): &(u32, String)| (line.to_string(), format!("table = {name:?}"));
            let (lines, tables): (Vec<String>, Vec<String>) = sheet.tables.iter().map(words).unzip();
            let message = format!("rows {} name columns: it has several tables", lines.join(" and "));
            report(*line, message, format!("declare which: {}", tables.join(" or ")));
        }
        if let Some(first) = sheet.lone.first() {
            let (message, help) = match source.reading.sections {
                None => (
                    "with one cell",
                    "for headings declare sections = \"NAME\", a column of the rows below; for records sections = \"\"; or list them in `skip`",
                ),
                Some(_) => ("with one cell and no rows below", "list them in `skip`"),
            };
            let count = counted(sheet.lone.len(), "row");
            report(first.line, format!("{count} {message}: {}", listed(sheet.lone.iter())), help.to_owned());
        }
    }

    fn add_records(&mut self, from: Opened<'_>, target: &Target, keyed: &[Keyed<'_>]) {
        let Opened { source, sheet, file } = from;
        let distinct = target.distinct();
        let programs = source.targets.iter().find(|it| it.table == Table::Programs);
        // A program of several rows is known by their key.
        let is_keyed = programs.is_some_and(|it| it.distinct().is_none_or(|field| field == "key"));
        let of_program = is_keyed && is_of_a_program(target);
        let takes_key = target.table.input_only_fields().contains(&"key");
        let fields = CellField::all(source, target, sheet);
        let mut of_programs = programs.into_iter().flat_map(|it| CellField::all(source, it, sheet));
        let program_key = of_programs.find(|field| field.name == "key");
        let mut is_stated = false;
        let rows = keyed.iter().flat_map(|(row, key)| {
            seasons(from, target, row).into_iter().map(move |(name, row)| (name, row, key.as_deref()))
        });
        for (name, row, key) in rows {
            let at = Location { file, line: row.line };
            // The program of a row has the key of the source, unless the mapping makes one of its own.
            let made = program_key.as_ref().and_then(|it| it.make(&it.cell(&row), &row).ok());
            let made = made.map(|it| it.value).filter(|it| !it.is_null());
            let program = made.map(|it| output::shown(&it)).or_else(|| key.map(str::to_owned));
            let (record, notes) = self.record(from, target, &fields, &row);
            self.add_notes(source, program.as_deref(), notes, at);
            // What the mapping states alone is one record, unless each program has it.
            let record = record.filter(|_| !target.is_fixed() || of_program || !is_stated);
            let Some(mut record) = record else { continue };
            if let (Some(name), Some(Value::String(label))) = (name, record.get_mut("label")) {
                *label = format!("{label}: {name}");
            }
            if let Some(field) = distinct {
                // The value becomes the key: rows that refer to the record by it still do after a rename.
                let known = record.get(field).cloned().filter(|_| !target.has("key"));
                known.into_iter().for_each(|value| drop(record.insert("key".to_owned(), value)));
                if !self.is_first(from, target, &record, at) {
                    continue;
                }
            } else if let Some(program) = program.filter(|_| of_program) {
                let field = if target.table == Table::Sources { "entity" } else { "program" };
                record.insert(field.to_owned(), program.into());
            } else if let Some(key) = key.filter(|_| !target.has("key") && !target.is_fixed() && takes_key) {
                record.insert("key".to_owned(), key.into());
            }
            is_stated = true;
            self.rows_of(target.table, source).push((output::line_of(&record), Some(at)));
        }
    }

    /// The rows that a source makes of a table.
    fn rows_of(&mut self, table: Table, source: &Source) -> &mut Rows {
        &mut self.outputs.entry((table, source.name.clone())).or_default().rows
    }

    /// Whether no earlier row makes the record of a value. One that does gets what it lacks. Where both have a value, that of
    /// a program must be the same: only the source knows which holds. A register names a recipient in many rows, each as it
    /// was known then: the first value stays, and the others are counted.
    fn is_first(&mut self, from: Opened<'_>, target: &Target, record: &Record, at: Location) -> bool {
        let table = target.table;
        let Some(known) = identity(target, record) else {
            if table == Table::Programs {
                let field = target.distinct().unwrap_or_default().to_owned();
                let message = format!("the row has no `{field}`, by which its program is known");
                self.report.push(Diagnostic::new(Code::MissingField, at, message).field(field));
            }
            return false;
        };
        let Some(earlier) = self.made.get(&(table, known.clone())) else {
            let number = self.rows_of(table, from.source).len();
            self.made.insert((table, known), Some((from.source.name.clone(), number)));
            return true;
        };
        let row = earlier.as_ref().map(|(source, number)| ((table, source.clone()), *number));
        let row = row.and_then(|(of, number)| self.outputs.get_mut(&of)?.rows.get_mut(number));
        if let Some((line, Some(first))) = row {
            let mut own = output::record_of(line);
            let place = format!("{}:{}", self.report.file_name(first.file), first.line);
            for (field, value) in record {
                let other = own.entry(field).or_insert_with(|| value.clone());
                let [here, there] = [value, other].map(output::shown);
                let is_renamed = table == Table::Organizations && field == "name";
                if lowered(&here) == lowered(&there) || table != Table::Programs && !is_renamed {
                    if here != there && (field != "key" || target.has("key")) {
                        let place = format!("source `{}`, `{field}` of {}", from.source.name, table.name());
                        let became = "with another value than the first of the record, which stays";
                        self.counts.entry((place, "row", became)).or_default().push(at.line);
                    }
                    continue;
                }
                let rule = target.fields.iter().find(|(name, ..)| name == field).map(|(.., rule)| rule);
                let column = rule.and_then(|it| Some(from.sheet.place_of(it.columns.first()?).at(at.line)));
                let both = format!("{}{}, and {}", quoted(&here), column.unwrap_or_default(), quoted(&there));
                let message = format!("`{field}` is {both} in {place}, the same one of {}", table.name());
                let help = "write one value into both rows, or leave the rule of the field out of one source";
                // Two names are two records.
                let code = if field == "name" { Code::DuplicateId } else { Code::BadValue };
                let problem = Diagnostic::new(code, at, message);
                self.report.push(problem.value(field.clone(), format!("{known}: {here}")).help(help));
            }
            *line = output::line_of(&own);
        }
        if table == Table::Programs {
            let place = format!("source `{}`", from.source.name);
            self.count(place, "row", "of programs of earlier rows; if others, change `distinct`", at);
        }
        false
    }

    /// The fields of a row, and texts for notes; none if every column is empty.
    fn record(&mut self, from: Opened<'_>, target: &Target, fields: &[CellField<'_>], row: &Row) -> Noted {
        let Opened { source, sheet, file } = from;
        let at = Location { file, line: row.line };
        let (mut record, mut notes, mut has_value) = (Record::new(), Vec::new(), false);
        let (mut is_broken, mut limit) = (false, None);
        for to @ &CellField { name: field, rule, .. } in fields {
            let cell = to.cell(row);
            let wrong = match to.make(&cell, row) {
                Ok(made) => {
                    if let Some((what, became)) = made.counted {
                        self.count(format!("source `{}`: `{field}`", source.name), what, became, at);
                    }
                    if made.is_elsewhere {
                        return (None, notes);
                    }
                    has_value |= rule.value.is_none() && !made.value.is_null();
                    let column = rule.columns.first().unwrap_or(field);
                    if let (ELIGIBILITY, Value::String(text)) = (field.as_str(), &made.value) {
                        notes.push((column.clone(), text.clone(), true));
                        continue;
                    }
                    notes.extend(made.note.map(|note| (column.clone(), note, false)));
                    record.extend((!made.value.is_null()).then(|| (field.clone(), made.value)));
                    if let Some(currency) = made.currency.filter(|_| field == "amount") {
                        record.insert("currency".to_owned(), currency.into());
                        limit = made.text.map(|text| (money::bare_header(column), text));
                    }
                    continue;
                }
                Err(wrong) => wrong,
            };
            is_broken |= source.broken.as_deref() == Some("draft");
            // One error for each sum, whatever fields are made of it.
            if to.money.is_none() || self.refused.insert((at, rule.columns.clone())) {
                let line = line_of(self.text, &source.name, target.table, field);
                let column = rule.columns.first().map(|name| sheet.place_of(name).at(at.line));
                let kept = if is_broken { KEPT } else { "" };
                let code = if is_broken { Code::KeptAsDraft } else { wrong.code };
                let message = wrong.message + &column.unwrap_or_default() + kept;
                // What equal problems of a field have in common: the cell; but numbers in another form are one problem.
                let cause = if wrong.code == Code::Separators { String::new() } else { cell.text() };
                let problem = Diagnostic::new(code, at, message).value(field.clone(), cause);
                self.report.push(problem.help(format!("{} ({FILE}:{line})", wrong.help)));
            }
        }
        limit.into_iter().for_each(|(column, text)| label_limit(&mut record, &column, &text));
        if is_broken {
            record.insert("publication".to_owned(), "draft".into());
            let place = format!("source `{}`, {}", source.name, target.table.name());
            self.count(place, "row", "kept as drafts without what is wrong in them", at);
        }
        let has_texts = target.table != Table::Translations || part_texts(&mut record);
        // What only states a currency is no fact.
        let has_amount = !target.has("amount") || record.contains_key("amount");
        let is_one = has_texts && has_amount && (has_value || target.is_fixed());
        ((is_one || is_broken).then_some(record), notes)
    }

    /// Adds what is no value as facts of the row's program.
    fn add_notes(&mut self, source: &Source, key: Option<&str>, notes: Vec<Note>, at: Location) {
        for (column, note, is_eligibility) in notes {
            let Some(key) = key else {
                let message = format!("{} has a note, and the row no key for it to name", quoted(&column));
                let help = format!("name a column as `key` of source `{}`", source.name);
                let problem = Diagnostic::new(Code::MissingField, at, message);
                self.report.push(problem.value(column, note).help(help));
                continue;
            };
            if self.noted.insert((key.to_owned(), note.clone())) {
                let place = format!("source `{}`: {}", source.name, quoted(&column));
                self.count(place, "cell", "published as notes", at);
                let mut fact = json!({"program": key, "kind": "note", "label": column, "text": note});
                if is_eligibility {
                    fact["value"] = "eligibility-text".into();
                }
                self.rows_of(Table::Facts, source).push((format!("{fact}\n"), Some(at)));
            }
        }
    }
}

/// A fact has one sum: of a limit or a range, pages show what the label says.
fn label_limit(record: &mut Record, column: &str, text: &str) {
    let label = record.get("label").and_then(Value::as_str).unwrap_or(column);
    let label = format!("{label} ({text})");
    record.insert("label".to_owned(), label.into());
}

/// Moves the texts of a translation to where its table has them; false if there is none.
fn part_texts(record: &mut Record) -> bool {
    let own = kinds(Table::Translations);
    let (own, texts): (Record, Record) =
        std::mem::take(record).into_iter().partition(|(name, _)| own.iter().any(|(own, _)| own == name));
    *record = own;
    let has_texts = !texts.is_empty();
    record.insert("fields".to_owned(), texts.into());
    has_texts
}

/// Whether rows of the table belong to the program of the same row.
fn is_of_a_program(target: &Target) -> bool {
    let fields = target.table.input_only_fields();
    let names = |it: &str| fields.contains(&it) && !target.has(it) && !target.has(&format!("{it}Id"));
    names("program") || target.table == Table::Sources && names("entity")
}

/// The row; or one for each day of a cell with several seasons, with the name of the season.
fn seasons<'r>(from: Opened<'_>, target: &Target, row: &'r Row) -> Vec<(Option<String>, Cow<'r, Row>)> {
    let seasons = target.fields.iter().find_map(|(field, _, rule)| {
        let split = rule.split.as_deref()?;
        let column = from.sheet.column(rule.columns.first()?)?;
        let text = match row.cells.get(column)? {
            Cell::Text(text) => text.clone(),
            Cell::List(items) => items.join(split),
            _ => return None,
        };
        let days = days::days(&text, split, field, from.source)?;
        let seasons = (1..).zip(days).map(|(number, (name, day, _)): (usize, _)| {
            let mut row = row.clone();
            row.cells[column] = Cell::Text(day.to_owned());
            (Some(if name.is_empty() { number.to_string() } else { name.to_owned() }), Cow::Owned(row))
        });
        Some(seasons.collect())
    });
    seasons.unwrap_or_else(|| vec![(None, Cow::Borrowed(row))])
}
