//! The records that an import writes: one file for each table and source.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::{Map, Value};

use crate::files::{ImportError, replace};
use crate::mapping::{self, Source, Target};
use crate::source::sheet::ColumnPlace;
use dataset::Table;
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use dataset::text::counted;

/// What to import.
#[derive(Debug)]
pub struct ImportOptions<'a> {
    /// Folder of the dataset.
    pub data: &'a Path,
    /// Names of sources; all if empty.
    pub sources: &'a [String],
    /// A file to read instead of the one in the mapping; `-` is standard input.
    pub from: Option<&'a Path>,
}

/// What an import makes, before it is written.
#[derive(Debug, Default)]
pub struct Imported {
    /// A line for each file.
    pub lines: Vec<String>,
    /// Content by path relative to the dataset; a file without content is removed.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Where the rows of a file are in its source; those that have left it are nowhere.
    pub(super) places: BTreeMap<String, Vec<Option<Location>>>,
    /// The columns of its fields.
    pub(super) columns: BTreeMap<String, BTreeMap<String, ColumnPlace>>,
    /// Rows that have errors already, and the fields that these are of.
    pub(super) broken: BTreeSet<(Location, String)>,
}

impl Imported {
    /// Moves problems of imported tables to the rows of their sources, without those that follow from errors there.
    pub fn relocate(&self, data: &Path, report: &mut Diagnostics) {
        let origin = |file: &str, line: u32| {
            let path = Path::new(file).strip_prefix(data).ok()?.to_str()?;
            *self.places.get(path)?.get(usize::try_from(line).ok()?.checked_sub(1)?)?
        };
        let names = |it: &Diagnostic, word: &str| it.message.contains(&format!("`{word}`"));
        let made: BTreeSet<&str> = self.places.keys().filter_map(|path| path.split('/').next()).collect();
        let lacks_fields = report.sorted().iter().any(|it| it.code == Code::MissingField);
        let follows = |it: &Diagnostic| match it.code {
            Code::MissingField => {
                let of_row = self.broken.range((it.at, String::new())..).take_while(|(at, _)| *at == it.at);
                of_row.into_iter().any(|(_, field)| field == "key" || names(it, field))
            }
            // A table that is made of a column, none of whose cells has a value.
            Code::NoTable => lacks_fields && made.iter().any(|table| names(it, table)),
            _ => false,
        };
        let columns = |file: &str| self.columns.get(Path::new(file).strip_prefix(data).ok()?.to_str()?);
        report.relocate(origin, |it, file| {
            if let Some(columns) = columns(file) {
                add_column(it, columns);
            }
            !follows(it)
        });
        if report.error_count() > 0 {
            hold_warnings(report);
        }
    }

    /// Writes the files.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn write(&self, data: &Path) -> Result<(), ImportError> {
        for (path, bytes) in &self.files {
            let path = data.join(path);
            let folder = path.parent().unwrap_or(data);
            std::fs::create_dir_all(folder).map_err(|error| ImportError::output(folder, error))?;
            if !bytes.is_empty() {
                replace(&path, bytes)?;
            } else if path.exists() {
                std::fs::remove_file(&path).map_err(|error| ImportError::output(&path, error))?;
            }
        }
        Ok(())
    }
}

/// Adds the column of a field to a problem that the check found.
fn add_column(it: &mut Diagnostic, columns: &BTreeMap<String, ColumnPlace>) {
    let Some(field) = it.field.as_deref().map(|field| field.strip_suffix("Id").unwrap_or(field)) else {
        return;
    };
    let place = columns.get(field);
    it.message.extend(place.map(|place| place.at(it.at.line)));
    if it.code == Code::MissingField {
        let rule = place.map_or_else(
            || format!("{field} = {{ value = \"…\" }}"),
            |place| format!("{field} = {{ column = {}, default = \"…\" }}", mapping::quoted(&place.name)),
        );
        it.help = Some(format!(
            "fill it in the source, or give all such rows one: {rule}; if the row is no record, such as a total, list its \
             first text in `skip`"
        ));
    }
}

/// Leaves the errors alone: what is wrong would drown in what may stay so.
fn hold_warnings(report: &mut Diagnostics) {
    let is_warning = |it: &Diagnostic| !it.code.id().starts_with('E');
    let count = report.sorted().into_iter().filter(|it| is_warning(it)).count();
    if count > 0 {
        report.note(format!("{} left for later, as there are errors", counted(count, "warning")));
    }
    report.relocate(|_, _| None, |it, _| !is_warning(it));
}

/// A record that will be written.
pub(super) type Record = Map<String, Value>;

/// The records of one table from one source.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Each record, and where its row is in the source; those of earlier imports have none.
    pub(super) rows: Vec<(Record, Option<Location>)>,
    /// Of each field that is taken from one.
    pub(super) columns: BTreeMap<String, ColumnPlace>,
    /// Number of records that were kept although their rows are gone.
    kept: usize,
    removed: usize,
    /// How many rows left, and how many came with the name of one of them; both readings are possible.
    pub(super) renamed: Option<(usize, usize)>,
    /// Numbers of records that are earlier ones under another key, with the number of the earlier one.
    pub(super) adopted: BTreeMap<usize, usize>,
}

impl Output {
    /// Sorts the records by their keys, or else by those of their programs, so that a sheet in another order is the same
    /// table. Returns where each is in the source.
    pub(super) fn sort(&mut self, table: Table) -> Vec<Option<Location>> {
        self.rows.sort_by_cached_key(|(record, _)| sort_key(table, record));
        self.rows.iter().map(|(_, at)| *at).collect()
    }

    /// A line for each record.
    pub(super) fn lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (record, _) in &self.rows {
            // Maps of texts and numbers can be written, and so can a buffer.
            drop(serde_json::to_writer(&mut lines, record));
            lines.push(b'\n');
        }
        lines
    }

    /// Adds the records of the last import whose rows are gone, as the source's `gone` declares; but none of `made`, which
    /// another source makes now.
    pub(super) fn add_gone(
        &mut self,
        source: &Source,
        target: &Target,
        data: &Path,
        made: &BTreeSet<(Table, String)>,
    ) {
        let is_made =
            |it: &Record| identity(target, it).is_some_and(|known| made.contains(&(target.table, known)));
        let before = previous(data, target.table, &source.name);
        let now: Vec<&Record> = self.rows.iter().map(|(record, _)| record).collect();
        let (old, new) = (keys_of(&before), keys_of(&now));
        let lost = |own: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>| {
            let lost = own.iter().filter(|(key, _)| !others.contains_key(*key));
            lost.map(|(_, at)| *at).collect::<BTreeSet<usize>>()
        };
        let (mut gone, came) = (lost(&old, &new), lost(&new, &old));
        let is_distinct = target.distinct().is_some();
        let same = if is_distinct { BTreeMap::new() } else { same_names(&before, &gone, &now, &came) };
        match source.gone.as_deref() {
            Some("remove") => {}
            Some("rename") => {
                gone.retain(|at| !same.values().any(|old| old == at));
                self.adopted = same;
            }
            _ => self.renamed = (!same.is_empty()).then_some((gone.len(), same.len())),
        }
        for mut record in gone.into_iter().map(|at| before[at].clone()).filter(|it| !is_made(it)) {
            match source.gone.as_deref() {
                Some("remove") => {
                    self.removed += 1;
                    continue;
                }
                Some("keep") => {}
                _ => drop(record.insert("publication".to_owned(), "withdrawn".into())),
            }
            self.kept += 1;
            self.rows.push((record, None));
        }
    }

    pub(super) fn gone(&self) -> String {
        match (self.kept, self.removed) {
            (0, 0) => String::new(),
            (kept, 0) => format!(", {kept} of them no longer in the source"),
            (_, removed) => format!(", {removed} removed with their source"),
        }
    }
}

/// By what records are sorted: what they are called in the source, then all that they have; but leaders and channels are
/// shown in the order of their rows.
fn sort_key(table: Table, record: &Record) -> (String, Option<String>) {
    let named = ["key", "program", "entity", "organization", "slug", "name"];
    let named = named.iter().find_map(|field| record.get(*field)?.as_str());
    let is_ordered = matches!(table, Table::Leaders | Table::Channels);
    let rest = (!is_ordered).then(|| Value::from(record.clone()).to_string());
    (named.unwrap_or_default().to_owned(), rest)
}

/// The numbers of records by their keys.
pub(super) fn keys_of(records: &[impl Borrow<Record>]) -> BTreeMap<String, usize> {
    (0..).zip(records).filter_map(|(at, it)| Some((it.borrow().get("key")?.to_string(), at))).collect()
}

/// The name that a record is known by to people.
pub(super) fn name_of(record: &Record) -> Option<&str> {
    record.get("name").or(record.get("displayName"))?.as_str()
}

/// Of records that left and records that came, those of one name, where it is that of one record on each side: the number
/// of the new one, and that of the old one.
fn same_names(
    before: &[Record],
    gone: &BTreeSet<usize>,
    now: &[&Record],
    came: &BTreeSet<usize>,
) -> BTreeMap<usize, usize> {
    fn by_name<'r>(records: impl Iterator<Item = (usize, &'r Record)>) -> BTreeMap<&'r str, Option<usize>> {
        let mut named: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for (name, at) in records.filter_map(|(at, record)| Some((name_of(record)?, at))) {
            named.entry(name).and_modify(|known| *known = None).or_insert(Some(at));
        }
        named
    }
    let old = by_name(gone.iter().map(|at| (*at, &before[*at])));
    let new = by_name(came.iter().map(|at| (*at, now[*at])));
    new.into_iter().filter_map(|(name, at)| Some((at?, (*old.get(name)?)?))).collect()
}

/// The records to write, by table and source.
pub(super) type Outputs = BTreeMap<(Table, String), Output>;

/// By what the only record of a value is known in every source: its text, whatever its case and spaces. Names that differ
/// by signs or accents are two.
pub(super) fn identity(target: &Target, record: &Record) -> Option<String> {
    let value = record.get("key").filter(|_| !target.has("key")).or(record.get(target.distinct()?))?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Where the rows of imported tables come from, as `grants.csv:14` by `programs/grants.ndjson:3`: those that an import
/// would write as they are.
pub(super) fn origins(data: &Path, imported: &Imported, report: &Diagnostics) -> BTreeMap<String, String> {
    let mut origins = BTreeMap::new();
    for (path, places) in &imported.places {
        let lines = imported.files.get(path).map_or(&[][..], Vec::as_slice);
        let lines = lines.split(|byte| *byte == b'\n');
        let made: HashMap<&[u8], Location> =
            lines.zip(places).filter_map(|(line, at)| Some((line, (*at)?))).collect();
        let path = data.join(path);
        let text = std::fs::read(&path).unwrap_or_default();
        let known = (1..).zip(text.split(|byte| *byte == b'\n'));
        origins.extend(known.filter_map(|(line, text)| {
            let at = made.get(text)?;
            let place = |name: &str, line: u32| format!("{name}:{line}");
            Some((place(&path.display().to_string(), line), place(report.file_name(at.file), at.line)))
        }));
    }
    origins
}

/// The file of a table from a source, relative to the dataset.
pub(super) fn path_of(table: Table, source: &str) -> String {
    format!("{}/{source}.ndjson", table.name())
}

/// The records that the last import wrote.
pub(super) fn previous(data: &Path, table: Table, source: &str) -> Vec<Record> {
    let text = std::fs::read_to_string(data.join(path_of(table, source))).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What sources that are not read now have made of the values of a column.
pub(super) fn made_elsewhere(
    sources: &[Source],
    chosen: &[&Source],
    data: &Path,
) -> BTreeSet<(Table, String)> {
    let others = sources.iter().filter(|it| chosen.iter().all(|source| source.name != it.name));
    let targets = others.flat_map(|source| source.targets.iter().map(move |target| (source, target)));
    let made = targets.flat_map(|(source, target)| {
        let rows = previous(data, target.table, &source.name).into_iter();
        let rows = rows.filter(|row| !row.contains_key("publication"));
        rows.filter_map(|row| Some((target.table, identity(target, &row)?)))
    });
    made.collect()
}
