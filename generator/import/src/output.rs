//! The records that an import writes: one file for each table and source.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use serde_json::{Map, Value};

use crate::files::{ImportError, Outcome, text_of, written_beside};
use crate::import::Edited;
use crate::mapping::{self, Source, Target};
use crate::source::sheet::ColumnPlace;
use crate::values::lacks_scheme;
use dataset::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use dataset::text::{counted, lowered, quoted};
use dataset::{Input, Labels, Table};

/// The columns of a source by the fields that are taken from them.
pub(super) type Columns = BTreeMap<String, ColumnPlace>;

/// Where the rows of a file and the columns of its fields are in its source; rows that have left it are nowhere.
type Places = (Vec<Option<Location>>, Columns);

/// What the problem of a cell ends with that its row is kept as a draft without.
pub(super) const KEPT: &str = "; kept as a draft without it";

/// What an import makes, before it is written.
#[derive(Debug, Default)]
pub struct Imported {
    /// A line for each file.
    pub lines: Vec<String>,
    /// Content by path relative to the dataset; a file without content is removed.
    pub files: BTreeMap<String, Vec<u8>>,
    pub(super) places: BTreeMap<String, Places>,
    pub(super) edited: Edited,
    /// Whether lines of the mapping are not decided yet.
    pub(super) is_open: bool,
    /// Problems of rows by the fields that they are of.
    pub(super) broken: BTreeMap<(Location, Cow<'static, str>), Diagnostic>,
}

impl Imported {
    /// Moves problems of imported tables to the rows of their sources, without those that follow from errors there.
    pub fn relocate(&self, data: &Path, report: &mut Diagnostics) {
        let places = |file: &str| self.places.get(Path::new(file).strip_prefix(data).ok()?.to_str()?);
        let origin = |file: &str, at: u32| *places(file)?.0.get(usize::try_from(at).ok()?.checked_sub(1)?)?;
        let names = |it: &Diagnostic, word: &str| it.message.contains(&format!("`{word}`"));
        let made: BTreeSet<&str> = self.places.keys().filter_map(|path| path.split('/').next()).collect();
        let lacks_fields = report.sorted().iter().any(|it| it.code == Code::MissingField);
        // Only what the check found follows from what the import found, which stands in no table.
        let follows = |it: &Diagnostic, is_checked: bool| match it.code {
            // What a row lacks, an open line may give it; what a cell has, it has.
            _ if is_checked && self.is_open => !["E02", "E06", "E07"].contains(&&it.code.id()[..3]),
            Code::MissingField if is_checked => {
                let row = self.broken.range((it.at, "".into())..).take_while(|((at, _), _)| *at == it.at);
                row.into_iter().any(|((_, field), cause)| cause.code != Code::KeptAsDraft && names(it, field))
            }
            // A table that is made of a column, none of whose cells has a value.
            Code::NoTable => self.is_open || lacks_fields && made.iter().any(|table| names(it, table)),
            _ => false,
        };
        report.relocate(origin, |it, file| {
            let folder = Path::new(file).parent().and_then(|it| it.file_name()?.to_str());
            let field = it.field.as_deref().unwrap_or_default();
            let edit =
                |field: &str| self.edited.get(&(Table::parse(folder?)?, it.at, field.to_owned())).copied();
            if let Some(edit) = edit(field).or_else(|| edit(field.strip_suffix("Id")?)) {
                it.at = edit;
                return true;
            }
            let columns = places(file).map(|(_, columns)| columns);
            let is_missed = it.code == Code::MissingField && columns.is_some();
            let cause = self.broken.get(&(it.at, it.field.clone().unwrap_or_default()));
            // What a draft needs too is missing because its cell is wrong.
            if let Some(cause) = cause.filter(|it| is_missed && it.code == Code::KeptAsDraft) {
                let message = cause.message.replace(KEPT, "");
                *it = Diagnostic { code: Code::BadValue, message, ..cause.clone() };
            } else {
                columns.into_iter().for_each(|columns| add_column(it, columns));
            }
            !follows(it, columns.is_some())
        });
        report.hold_warnings();
    }

    /// The tables that are not on the disk as they would be written.
    pub(super) fn changed(&self, data: &Path) -> Vec<String> {
        let differs = |path: &str, new: &Vec<u8>| std::fs::read(data.join(path)).unwrap_or_default() != *new;
        let tables = self.files.iter().filter(|(path, new)| is_table(path) && differs(path, new));
        tables.map(|(path, _)| path.clone()).collect()
    }

    /// Writes the files.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn write(&self, data: &Path) -> Result<(), ImportError> {
        // All are on the disk before the first takes its place: tables belong together.
        let mut written = Vec::new();
        for (path, bytes) in &self.files {
            let path = data.join(path);
            let folder = path.parent().unwrap_or(data);
            std::fs::create_dir_all(folder).map_err(|error| ImportError::output(folder, error))?;
            if !bytes.is_empty() {
                written.push((written_beside(&path, bytes)?, path));
            }
        }
        for (file, path) in written {
            file.persist(&path).map_err(|error| ImportError::output(&path, error.error))?;
        }
        for path in self.files.iter().filter(|(_, bytes)| bytes.is_empty()).map(|(path, _)| data.join(path)) {
            if path.exists() {
                std::fs::remove_file(&path).map_err(|error| ImportError::output(&path, error))?;
            }
        }
        Ok(())
    }
}

/// Adds the column of a field to a problem that the check found.
fn add_column(it: &mut Diagnostic, columns: &Columns) {
    let Some(field) = it.field.as_deref() else { return };
    let field = field.strip_suffix("Id").unwrap_or(field);
    let place = columns.get(field);
    it.message.extend(place.map(|place| place.at(it.at.line)));
    if let (Code::BadPlace, Some(value)) = (it.code, &it.value) {
        let help = it.help.get_or_insert_with(|| "write its code".to_owned());
        *help +=
            &format!("; or in its rule: values = {{ {} = \"…\", \"*\" = \"*\" }}", mapping::quoted(value));
    }
    if it.code == Code::MissingField {
        let rule = place.map_or_else(
            || format!("{field} = {{ value = \"…\" }}"),
            |place| format!("{field} = {{ column = {}, default = \"…\" }}", mapping::quoted(&place.name)),
        );
        let or = "if it is no record, list its first text in `skip`";
        it.help = Some(format!("fill it in the source, or give all such rows one: {rule}; {or}"));
    }
}

/// A record that will be written.
pub(super) type Record = Map<String, Value>;

/// The line of each record, which takes a third of its memory, and where its row is in the source; those of earlier
/// imports have none.
pub(super) type Rows = Vec<(String, Option<Location>)>;

/// The records of one table from one source.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) rows: Rows,
    pub(super) columns: Columns,
    /// Number of records that went with their rows; those that stay have no place.
    removed: usize,
    /// Numbers of records that are earlier ones under another key, with the number of the earlier one.
    pub(super) adopted: BTreeMap<usize, usize>,
}

impl Output {
    /// The records as lines, and where each is in the source: sorted by what they are called there, so that a sheet in
    /// another order is the same table, then by all that they have; but leaders and channels are shown in the order of
    /// their rows.
    pub(super) fn into_lines(self, table: Table) -> (Vec<u8>, Places) {
        let names = ["key", "program", "entity", "organization", "slug", "name"];
        let named = self.rows.into_iter().map(|(line, at)| {
            let record = record_of(&line);
            let name = names.iter().find_map(|field| record.get(*field)?.as_str()).unwrap_or_default();
            (name.to_owned(), line, at)
        });
        let mut rows: Vec<(String, String, Option<Location>)> = named.collect();
        if matches!(table, Table::Leaders | Table::Channels) {
            rows.sort_by(|one, other| one.0.cmp(&other.0));
        } else {
            rows.sort();
        }
        let places = rows.iter().map(|(.., at)| *at).collect();
        let lines: String = rows.into_iter().map(|(_, line, _)| line).collect();
        (lines.into_bytes(), (places, self.columns))
    }

    /// Adds the records of the last import whose rows are gone, as the source's `gone` declares; but none of `made`, which
    /// another source makes now, and those of `used`, which rows of another one refer to, as they are. Undeclared, records
    /// that left and others that came with their names are a doubt.
    fn add_gone(
        &mut self,
        (source, to): (&Source, &Target),
        data: &Path,
        (made, used): (&Identities, &Used),
        report: &mut Diagnostics,
    ) {
        let known = |it: &Record| Some((to.table, identity(to, it)?));
        let is_made = |it: &Record| known(it).is_some_and(|it| made.contains_key(&it));
        let is_used = |it: &Record| known(it).is_some_and(|it| used.contains(&it));
        let text = before(data, to.table, &source.name);
        let before: Vec<&str> = text.lines().collect();
        let now: Vec<&str> = self.rows.iter().map(|(line, _)| line.as_str()).collect();
        let (old, new) = (keys_of(&before), keys_of(&now));
        let lost = |own: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>| {
            let lost = own.iter().filter(|(key, _)| !others.contains_key(*key));
            lost.map(|(_, at)| *at).collect::<BTreeSet<usize>>()
        };
        let (mut gone, came) = (lost(&old, &new), lost(&new, &old));
        let is_distinct = to.distinct().is_some();
        let same = if is_distinct { BTreeMap::new() } else { same_names((&before, &gone), (&now, &came)) };
        match source.gone.as_deref() {
            Some("remove") => {}
            Some("rename") => {
                gone.retain(|at| !same.values().any(|old| old == at));
                self.adopted = same;
            }
            _ => {
                if let Some(at) = same.first_key_value().and_then(|(first, _)| self.rows[*first].1) {
                    let (table, left, came) = (to.table.name(), counted(gone.len(), "row"), same.len());
                    let name = &source.name;
                    let message = format!(
                        "{left} of {table} left source `{name}`, and {came} came with the same names"
                    );
                    let help = "if their keys changed, gone = \"rename\" keeps their ids; if they are others, gone = \"remove\"; or restore the keys";
                    let problem = Diagnostic::new(Code::DuplicateId, at, message);
                    return report.push(problem.value("key", source.key.join(", ")).help(help));
                }
            }
        }
        for record in gone.into_iter().map(|at| record_of(before[at])).filter(|it| !is_made(it)) {
            let gone = if is_used(&record) { Some("keep") } else { source.gone.as_deref() };
            let line = left(record, gone);
            self.removed += usize::from(line.is_none());
            self.rows.extend(line.map(|line| (line, None)));
        }
    }

    pub(super) fn gone(&self) -> String {
        match (self.rows.iter().filter(|(_, at)| at.is_none()).count(), self.removed) {
            (0, 0) => String::new(),
            (kept, 0) => format!(", {kept} of them no longer in the source"),
            (_, removed) => format!(", {removed} removed with their source"),
        }
    }
}

/// Adds records whose rows are gone, once it is known what every source makes.
pub(super) fn add_gone(
    sources: &[&Source],
    data: &Path,
    outputs: &mut Outputs,
    known: (&Identities, &Used),
    report: &mut Diagnostics,
) {
    for source in sources {
        for target in &source.targets {
            let Some(output) = outputs.get_mut(&(target.table, source.name.clone())) else { continue };
            output.add_gone((source, target), data, known, report);
        }
    }
    for source in sources {
        follow_renames(&source.name, data, outputs);
        keep_rows(&source.name, data, outputs);
    }
}

/// Names the programs that have another key now in the rows that are no longer in the source.
fn follow_renames(source: &str, data: &Path, outputs: &mut Outputs) {
    let Some(programs) = outputs.get(&(Table::Programs, source.to_owned())) else { return };
    let before = previous(data, Table::Programs, source);
    let keys = programs.adopted.iter().filter_map(|(new, old)| {
        Some((before.get(*old)?.get("key")?.clone(), record_of(&programs.rows[*new].0).remove("key")?))
    });
    let keys: HashMap<Value, Value> = keys.collect();
    let own = outputs.iter_mut().filter(|((_, of), _)| of == source && !keys.is_empty());
    for (line, _) in own.flat_map(|(_, it)| &mut it.rows).filter(|(_, at)| at.is_none()) {
        let mut record = record_of(line);
        let programs = record.iter_mut().filter(|(field, _)| *field == "program" || *field == "entity");
        programs.for_each(|(_, key)| *key = keys.get(key).unwrap_or(key).clone());
        *line = line_of(&record);
    }
}

/// Adds what the last import made of the rows of programs that stay as they were: seasons, facts and others without a key.
fn keep_rows(source: &str, data: &Path, outputs: &mut Outputs) {
    let programs = outputs.get(&(Table::Programs, source.to_owned())).into_iter().flat_map(|it| &it.rows);
    let gone = programs.filter(|(_, at)| at.is_none()).map(|(line, _)| record_of(line));
    let kept = gone.filter(|it| it.get("publication").is_none_or(|it| it != "withdrawn"));
    let kept: HashSet<Value> = kept.filter_map(|mut it| it.remove("key")).collect();
    let is_of = |it: &Record, field: &str| it.get(field).is_some_and(|program| kept.contains(program));
    let is_kept = |it: &Record| !it.contains_key("key") && (is_of(it, "program") || is_of(it, "entity"));
    for ((table, _), output) in outputs.iter_mut().filter(|((_, of), _)| of == source && !kept.is_empty()) {
        let rows = previous(data, *table, source).into_iter().filter(is_kept);
        output.rows.extend(rows.map(|it| (line_of(&it), None)));
    }
}

/// The record of a line that an import made.
pub(super) fn record_of(line: &str) -> Record {
    serde_json::from_str(line).unwrap_or_default()
}

/// A record as its file has it.
pub(super) fn line_of(record: &Record) -> String {
    let mut line = serde_json::to_string(record).unwrap_or_default() + "\n";
    line.shrink_to_fit();
    line
}

/// The numbers of the records of some lines by their keys.
fn keys_of(lines: &[&str]) -> BTreeMap<String, usize> {
    let keys = (0..).zip(lines).map(|(at, line)| (at, record_of(line)));
    keys.filter_map(|(at, record)| Some((record.get("key")?.to_string(), at))).collect()
}

/// The name that a record is known by to people.
fn name_of(record: &Record) -> Option<&str> {
    record.get("name").or(record.get("displayName"))?.as_str()
}

/// Of records that left and records that came, those of one name, where it is that of one record on each side: the number
/// of the new one, and that of the old one.
fn same_names(old: (&[&str], &BTreeSet<usize>), new: (&[&str], &BTreeSet<usize>)) -> BTreeMap<usize, usize> {
    let mut named: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, (lines, numbers)) in [old, new].into_iter().enumerate() {
        for at in numbers {
            let record = record_of(lines[*at]);
            let Some(name) = name_of(&record) else { continue };
            named.entry(name.to_owned()).or_default()[side].push(*at);
        }
    }
    let pair = |[old, new]: [Vec<usize>; 2]| (old.len() == 1 && new.len() == 1).then(|| (new[0], old[0]));
    named.into_values().filter_map(pair).collect()
}

/// The records to write, by table and source.
pub(super) type Outputs = BTreeMap<(Table, String), Output>;

/// What there is one record of, by its [`identity`]: its source and its number among the rows of that; or nothing, where a
/// source makes it that is not read now.
pub(super) type Identities = BTreeMap<(Table, String), Option<(String, usize)>>;

/// By what the only record of a value is known in every source: its text, whatever its case and spaces. Names that differ
/// by signs or accents are two.
pub(super) fn identity(target: &Target, record: &Record) -> Option<String> {
    let value = record.get("key").filter(|_| !target.has("key")).or(record.get(target.distinct()?))?;
    Some(lowered(&shown(value)))
}

/// A value as people read it.
pub(super) fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The file of a table from a source, relative to the dataset.
pub(super) fn path_of(table: Table, source: &str) -> String {
    format!("{}/{source}.ndjson", table.name())
}

/// The records that the last import wrote.
pub(super) fn previous(data: &Path, table: Table, source: &str) -> Vec<Record> {
    before(data, table, source).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn before(data: &Path, table: Table, source: &str) -> String {
    std::fs::read_to_string(data.join(path_of(table, source))).unwrap_or_default()
}

/// Replaces what records have in place of values: codes for names of places, values for labels of the vocabulary, whole
/// addresses. A note counts the replacements of each field. What has several readings stays, and the check refuses it.
pub(super) fn complete(data: &Path, outputs: &mut Outputs, report: &mut Diagnostics) -> Outcome<()> {
    // With what is imported now.
    let files = files_of(outputs, &[Table::Vocabulary]);
    let labels = Labels::read(&Input::Overlaid(data.to_owned(), &files));
    let labels = labels.map_err(|error| ImportError::input(data, error))?;
    // The first spelling of a value holds: capitals distinguish nothing.
    let mut spellings: HashMap<(String, String), String> = HashMap::new();
    let mut replaced: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (line, _) in outputs.values_mut().flat_map(|output| &mut output.rows) {
        let mut record = record_of(line);
        let kind = record.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut is_changed = false;
        for (field, value) in record.iter_mut() {
            let items = match &mut *value {
                Value::Array(items) => items.as_mut_slice(),
                one => std::slice::from_mut(one),
            };
            for item in items {
                let Some(text) = item.as_str() else { continue };
                let is_address = field == "url" || field.ends_with("Url");
                let address = || lacks_scheme(text).then(|| format!("https://{text}"));
                let spelling = || {
                    let at = Labels::is_open(field, &kind).then(|| (kind.clone() + field, lowered(text)))?;
                    let first = spellings.entry(at).or_insert_with(|| text.to_owned());
                    (first != text).then(|| first.clone())
                };
                let meant = || labels.meant(field, &kind, text).or_else(spelling);
                let meant = if is_address { address() } else { meant() };
                let Some(meant) = meant else { continue };
                let example = || (0, format!("{} is `{meant}`", quoted(text)));
                replaced.entry(field.clone()).or_insert_with(example).0 += 1;
                (*item, is_changed) = (meant.into(), true);
            }
            // `Spain; ES` is one place.
            if let Value::Array(items) = value {
                let mut seen = HashSet::new();
                items.retain(|item| seen.insert(item.to_string()));
            }
        }
        if is_changed {
            *line = line_of(&record);
        }
    }
    for (field, (count, example)) in replaced {
        let count = counted(count, "text");
        report.note(format!("`{field}`: {count} read as what the dataset has for it, as {example}"));
    }
    Ok(())
}

/// The files of some tables, as they are so far.
fn files_of(outputs: &Outputs, tables: &[Table]) -> BTreeMap<String, Vec<u8>> {
    let lines = |output: &Output| output.rows.iter().flat_map(|(line, _)| line.bytes()).collect();
    let own = outputs.iter().filter(|((table, _), _)| tables.contains(table));
    own.map(|((table, source), output)| (path_of(*table, source), lines(output))).collect()
}

/// Gives records the ids and slugs that they had in the last import where they would get others: their source calls them by
/// another name, or by another key, where the mapping declares `gone = "rename"`; or another record takes the slug.
pub(super) fn keep_ids(data: &Path, outputs: &mut Outputs, report: &mut Diagnostics) -> Outcome<()> {
    let files = files_of(outputs, &Table::WITH_SLUGS);
    // Rows are sorted when they are written.
    let lines = |rows: &[u8]| rows.split(|it| *it == b'\n').map(<[u8]>::to_vec).collect::<BTreeSet<_>>();
    if files.iter().all(|(at, now)| std::fs::read(data.join(at)).is_ok_and(|it| lines(&it) == lines(now))) {
        return Ok(());
    }
    let identities = |input| dataset::identities(&input).map_err(|error| ImportError::input(data, error));
    let earlier = identities(Input::Folder(data.to_owned()))?;
    let now: HashMap<_, _> = identities(Input::Overlaid(data.to_owned(), &files))?.into_values().collect();
    let mut stayed: Vec<String> = Vec::new();
    for ((table, source), output) in outputs.iter_mut().filter(|((it, _), _)| Table::WITH_SLUGS.contains(it))
    {
        let text = before(data, *table, source);
        let before: Vec<&str> = text.lines().collect();
        let keys = keys_of(&before);
        let adopted = std::mem::take(&mut output.adopted);
        for (number, (line, _)) in output.rows.iter_mut().enumerate() {
            let mut record = record_of(line);
            let adopted = adopted.get(&number);
            let known = record.get("key").and_then(|key| keys.get(&key.to_string()));
            let Some(at) = adopted.or(known) else { continue };
            let written = record_of(before[*at]).into_iter();
            for (field, value) in written.filter(|(field, _)| field == "id" || field == "slug") {
                record.entry(field).or_insert(value);
            }
            let path = data.join(path_of(*table, source));
            if let Some((id, slug)) = earlier.get(&format!("{}:{}", path.display(), *at + 1)) {
                adopted.map(|_| record.entry("id").or_insert_with(|| id.to_string().into()));
                let is_moved = now.get(id) != Some(slug) && !record.contains_key("slug");
                if let Some(slug) = slug.as_ref().filter(|_| is_moved) {
                    record.insert("slug".to_owned(), slug.as_str().into());
                    let name = quoted(name_of(&record).unwrap_or_default());
                    stayed.push(format!("{} of {name}", quoted(slug)));
                }
            }
            *line = line_of(&record);
        }
    }
    if let Some(first) = stayed.first() {
        let kept = counted(stayed.len(), "slug") + " kept under another name or key, or beside a new record";
        report.note(format!("{kept}, as {first}; `slug` in edits/ changes one"));
    }
    Ok(())
}

/// What rows refer to, by its table.
pub(super) type Used = BTreeSet<(Table, String)>;

/// What sources that are not read now have made of the values of a column, and what their rows refer to.
pub(super) fn made_elsewhere(sources: &[Source], chosen: &[&Source], data: &Path) -> (Identities, Used) {
    let (mut made, mut used) = (Identities::new(), Used::new());
    for source in sources.iter().filter(|it| chosen.iter().all(|source| source.name != it.name)) {
        for target in &source.targets {
            let mut rows = previous(data, target.table, &source.name);
            rows.retain(|row| !row.contains_key("publication"));
            made.extend(rows.iter().filter_map(|row| Some(((target.table, identity(target, row)?), None))));
            for table in Table::WITH_SLUGS {
                let named = rows.iter().filter_map(|row| row.get(table.name().trim_end_matches('s')));
                used.extend(named.map(|it| (table, lowered(&shown(it)))));
            }
        }
    }
    (made, used)
}

/// Name of the list.
const LIST: &str = ".imported";

/// Adds what becomes of files that no source makes any more, because their source or table is no longer in the mapping, and the new list.
pub(super) fn add_earlier(data: &Path, names: &[String], all: &[Source], made: &mut Imported) -> Outcome<()> {
    let text = text_of(&data.join(LIST))?;
    let lines = text.lines().filter_map(|line| line.split_once(' ')).filter(|(_, path)| is_table(path));
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ndjson").to_owned();
    let mut list: BTreeMap<_, _> = lines.map(|(gone, path)| (path.to_owned(), gone.to_owned())).collect();
    for path in made.files.keys() {
        let source = all.iter().find(|source| name_of(path) == source.name);
        let gone = source.and_then(|source| source.gone.as_deref()).unwrap_or("withdraw");
        list.insert(path.clone(), gone.to_owned());
    }
    list.retain(|path, gone| {
        // A source that was not chosen still makes its files.
        let shown = data.join(path);
        let is_chosen = names.is_empty() || names.contains(&name_of(path));
        if !is_chosen || made.files.contains_key(path) || gone == "keep" && shown.is_file() {
            return true;
        }
        let Ok(text) = std::fs::read_to_string(&shown) else { return false };
        let lines: String =
            text.lines().filter_map(|line| left(serde_json::from_str(line).ok()?, Some(gone))).collect();
        let (rows, stays) = (counted(text.lines().count(), "row"), !lines.is_empty());
        let verb = if stays { "withdrawn" } else { "removed" };
        made.lines.push(format!("{}: no source makes it any more, {rows} {verb}", shown.display()));
        made.files.insert(path.clone(), lines.into_bytes());
        stays
    });
    let list: String = list.iter().map(|(path, gone)| format!("{gone} {path}\n")).collect();
    made.files.insert(LIST.to_owned(), list.into_bytes());
    Ok(())
}

/// Whether a path of the list is that of a table: the list is read from disk.
fn is_table(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(&parts[..], [table, file] if Table::parse(table).is_some() && file.ends_with(".ndjson") && !file.starts_with('.'))
}

/// The line of a record that left its source, which declares what is `gone`; none if it is removed.
fn left(mut record: Record, gone: Option<&str>) -> Option<String> {
    record.extend((gone != Some("keep")).then(|| ("publication".to_owned(), "withdrawn".into())));
    (gone != Some("remove")).then(|| line_of(&record))
}
