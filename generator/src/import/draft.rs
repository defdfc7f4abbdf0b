//! A first mapping from the columns of a source: each guess with what proves it. Nothing is guessed about a
//! cell; what a column's cells do not prove is left to whoever reads the draft.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use snapshot::search::text::fold;

use super::source::{self, Cell, Reading, Sheet};
use super::values::{is_day_first, is_month_first};
use super::{FILE, piped, read_file};
use crate::failure::{Failure, fail};
use crate::fix::replace;
use crate::read::Table;
use crate::words::slug_of;

/// Most different words of a column that are a vocabulary.
const MOST_WORDS: usize = 30;

/// Which columns, by their folded names, become which field; the first that is there wins.
const COLUMNS: [(Table, &str, &[&str]); 16] = [
    (
        Table::Programs,
        "name",
        &[
            "title",
            "name",
            "programme",
            "program",
            "call",
            "opportunity",
            "opportunitytitle",
            "grant",
            "grantname",
            "titulo",
            "nombre",
            "convocatoria",
            "fundname",
            "schemename",
        ],
    ),
    (
        Table::Programs,
        "organization",
        &[
            "funder",
            "organization",
            "organisation",
            "provider",
            "agency",
            "agencyname",
            "foundation",
            "donor",
            "sponsor",
            "fundingorg",
            "fundingorganization",
            "organismo",
            "entidad",
            "financiador",
        ],
    ),
    (
        Table::Programs,
        "officialUrl",
        &[
            "officialurl",
            "link",
            "url",
            "website",
            "webpage",
            "web",
            "enlace",
            "additionalinformationurl",
            "pagina",
        ],
    ),
    (
        Table::Programs,
        "programType",
        &["programtype", "type", "kind", "category", "tipo", "fundinginstrumenttype"],
    ),
    (Table::Programs, "lifecycle", &["lifecycle", "status", "state", "estado"]),
    (
        Table::Programs,
        "summary",
        &["summary", "short description", "shortdescription", "abstract", "resumen"],
    ),
    (Table::Programs, "description", &["description", "details", "about", "descripcion"]),
    (
        Table::Programs,
        "fields",
        &["fields", "field", "topics", "topic", "areas", "area", "sector", "subject", "theme", "tematica"],
    ),
    (
        Table::Programs,
        "eligibleCountries",
        &[
            "eligiblecountries",
            "countries",
            "country",
            "whomayapply",
            "eligibility",
            "eligiblecountry",
            "paises",
            "pais",
        ],
    ),
    (
        Table::Programs,
        "destinationCountries",
        &["destination", "destinationcountries", "hostcountry", "location"],
    ),
    (
        Table::Programs,
        "fundingMinUsd",
        &["fundingminusd", "min", "minimum", "minamount", "awardfloor", "floor"],
    ),
    (
        Table::Programs,
        "fundingMaxUsd",
        &[
            "fundingmaxusd",
            "max",
            "maximum",
            "maxamount",
            "amount",
            "awardceiling",
            "ceiling",
            "amountusd",
            "maximo",
        ],
    ),
    (
        Table::Cycles,
        "deadlineOn",
        &[
            "deadline",
            "deadlineon",
            "closingdate",
            "closedate",
            "closes",
            "duedate",
            "applicationdeadline",
            "fechalimite",
            "plazo",
            "cierre",
        ],
    ),
    (
        Table::Cycles,
        "opensOn",
        &["openson", "opens", "openingdate", "opendate", "startdate", "postdate", "apertura"],
    ),
    (Table::Cycles, "applicationUrl", &["applicationurl", "applyurl", "apply", "applicationlink"]),
    (Table::Cycles, "cohortYear", &["year", "cohort", "cohortyear", "anio", "ano"]),
];

/// Words for where a program stands that say it plainly.
const STATES: [(&str, &[&str]); 4] = [
    (
        "active_accepting",
        &["open", "accepting", "accepting applications", "abierta", "abierto", "active", "posted"],
    ),
    ("active_between_cycles", &["closed", "between cycles", "upcoming", "forecasted", "cerrada", "cerrado"]),
    ("paused", &["paused", "suspended", "on hold"]),
    ("ended", &["ended", "discontinued", "archived", "finalizada"]),
];

/// Texts that stand for nothing in sheets.
const NOTHING: [&str; 12] = ["-", "–", "—", "n/a", "N/A", "na", "NA", "tbc", "TBC", "tbd", "TBD", "?"];

/// Writes `import.toml` for a source, and says what was found.
///
/// # Errors
///
/// If there is a mapping already, or the source cannot be read.
pub fn draft(data: &Path, from: Option<&Path>, name: Option<&str>) -> Result<String, Failure> {
    let Some(from) = from else {
        return Err(fail(Failure::Usage, "--draft needs a source: --from FILE"));
    };
    let path = data.join(FILE);
    if path.exists() {
        let message = format!("{} is there already; a draft does not write over it", path.display());
        return Err(fail(Failure::Output, message));
    }
    let bytes = if from == Path::new("-") { piped()? } else { read_file(from)? };
    let (sheet, encoding) = match source::read(&bytes, &Reading::default()) {
        Ok(sheet) => (sheet, None),
        Err(reason) => {
            let guess = source::guess(&bytes);
            let how = Reading { encoding: Some(&guess), ..Reading::default() };
            match source::read(&bytes, &how) {
                Ok(sheet) if std::str::from_utf8(&bytes).is_err() => (sheet, Some(guess)),
                _ => return Err(fail(Failure::Input, format_args!("{}: {reason}", from.display()))),
            }
        }
    };
    let name =
        name.map_or_else(|| slug_of(&from.file_stem().unwrap_or_default().to_string_lossy()), str::to_owned);
    let name = if name.is_empty() { "source".to_owned() } else { name };
    let file =
        (from != Path::new("-")).then(|| std::path::absolute(from).unwrap_or_else(|_| from.to_owned()));
    let file = file.map(|file| {
        file.strip_prefix(std::path::absolute(data).unwrap_or_default()).map_or(file.clone(), Path::to_owned)
    });
    let text = Draft { sheet: &sheet }.text(&name, file.as_deref(), encoding.as_deref());
    std::fs::create_dir_all(data)
        .map_err(|error| fail(Failure::Output, format_args!("{}: {error}", data.display())))?;
    replace(&path, text.as_bytes())?;
    let (rows, columns) = (sheet.rows.len(), sheet.columns.len());
    Ok(format!(
        "{}: {rows} rows, {columns} columns\nread it, then: opdir import {}",
        path.display(),
        data.display()
    ))
}

struct Draft<'s> {
    sheet: &'s Sheet,
}

/// A column that was taken for a field.
type Taken = BTreeMap<(Table, &'static str), usize>;

impl Draft<'_> {
    fn text(&self, name: &str, file: Option<&Path>, encoding: Option<&str>) -> String {
        let taken = self.taken();
        let key = self.key();
        let mut out = format!(
            "# Which column becomes which field. Every guess says what proves it; correct what is wrong.\n[sources.{name}]\n"
        );
        let mut line = |text: String| out.push_str(&(text + "\n"));
        if let Some(file) = file {
            line(format!("file    = {}", quoted(&file.display().to_string())));
        }
        if let Some(encoding) = encoding {
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
        let nothing: BTreeSet<&str> =
            self.cells().filter_map(|text| NOTHING.into_iter().find(|nothing| *nothing == text)).collect();
        if !nothing.is_empty() {
            let nothing: Vec<String> = nothing.into_iter().map(quoted).collect();
            line(format!("empty   = [{}]  # what stands for nothing", nothing.join(", ")));
        }
        let used: BTreeSet<usize> = taken.values().copied().chain(key).collect();
        let columns = self.sheet.columns.iter().enumerate();
        let rest = columns.filter(|(column, name)| !used.contains(column) && !name.is_empty());
        let rest: Vec<String> = rest.map(|(_, name)| quoted(name)).collect();
        if !rest.is_empty() {
            line(format!("ignore  = [{}]  # not published", rest.join(", ")));
        }
        self.tables(&mut out, name, &taken, key.is_some());
        out
    }

    fn tables(&self, out: &mut String, name: &str, taken: &Taken, has_key: bool) {
        if let Some(column) = taken.get(&(Table::Programs, "organization")) {
            let column = quoted(&self.sheet.columns[*column]);
            let _ = writeln!(
                out,
                "\n[sources.{name}.organizations]\nname = {{ column = {column}, distinct = true }}  # one row for each value"
            );
        }
        let _ = writeln!(out, "\n[sources.{name}.programs]");
        for (table, field, _) in COLUMNS.iter().filter(|(table, ..)| *table == Table::Programs) {
            match (taken.get(&(*table, *field)), *field) {
                (Some(column), "programType") => self.words(out, field, *column, slug_of),
                (Some(column), "lifecycle") => self.words(out, field, *column, state_of),
                (Some(column), _) => {
                    let _ = writeln!(out, "{field} = {}", quoted(&self.sheet.columns[*column]));
                }
                (None, "name" | "officialUrl" | "organization") => {
                    let _ = writeln!(out, "{field} = \"…\"  # needed: no column looks like it");
                }
                (None, "programType") => {
                    out.push_str("programType = { value = \"grant\" }  # the same for all\n");
                }
                (None, _) => {}
            }
        }
        let cycles: Vec<_> = COLUMNS
            .iter()
            .filter(|(table, field, _)| taken.contains_key(&(*table, *field)) && *table == Table::Cycles)
            .collect();
        let has_dates = cycles.iter().any(|(_, field, _)| field.ends_with("On"));
        if has_dates && has_key {
            let _ = writeln!(out, "\n[sources.{name}.cycles]  # of the same row's program");
            match taken.get(&(Table::Cycles, "cohortYear")) {
                Some(column) => drop(writeln!(out, "label = {}", quoted(&self.sheet.columns[*column]))),
                None => out.push_str("label = { value = \"Current call\" }\n"),
            }
            for (table, field, _) in cycles {
                let column = taken.get(&(*table, *field)).copied().unwrap_or_default();
                let column_name = quoted(&self.sheet.columns[column]);
                let rule = if field.ends_with("On") && self.has_hours(column) {
                    format!("{{ column = {column_name}, time = \"note\" }}  # the hour goes into a note")
                } else {
                    column_name
                };
                let _ = writeln!(out, "{field} = {rule}");
            }
        }
    }

    /// A column of a few words as a vocabulary: each word and what stands for it.
    fn words(&self, out: &mut String, field: &str, column: usize, meant: impl Fn(&str) -> String) {
        let words: BTreeSet<String> =
            self.column(column).filter(|word| !NOTHING.contains(&word.as_str())).collect();
        let name = quoted(&self.sheet.columns[column]);
        if words.len() > MOST_WORDS {
            let _ = writeln!(out, "{field} = {name}");
            return;
        }
        let pairs: Vec<String> =
            words.iter().map(|word| format!("{} = {}", quoted(word), quoted(&meant(word)))).collect();
        let _ = writeln!(out, "{field} = {{ column = {name}, values = {{ {} }} }}", pairs.join(", "));
    }

    fn taken(&self) -> Taken {
        let folded: Vec<String> = self.sheet.columns.iter().map(|name| key_of(name)).collect();
        let mut taken = Taken::new();
        let mut used = BTreeSet::new();
        for (table, field, names) in &COLUMNS {
            let column = names.iter().find_map(|name| folded.iter().position(|known| known == name));
            if let Some(column) = column.filter(|column| used.insert(*column)) {
                taken.insert((*table, *field), column);
            }
        }
        taken
    }

    /// The first column that looks like a reference and differs in every row, else the first that differs.
    fn key(&self) -> Option<usize> {
        const NAMES: [&str; 10] = [
            "id",
            "ref",
            "key",
            "reference",
            "code",
            "number",
            "opportunityid",
            "recordid",
            "identifier",
            "no",
        ];
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
        let named = columns()
            .filter(|column| NAMES.contains(&key_of(&self.sheet.columns[*column]).as_str()))
            .find(differs);
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
        let columns = taken.iter().filter(|((_, field), _)| field.ends_with("On")).map(|(_, column)| *column);
        let mut numeric = None;
        for column in columns {
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
                if super::looks_like_a_date(text) && text.parse::<jiff::civil::Date>().is_err() {
                    numeric.get_or_insert((one_line(text), row.line));
                }
            }
        }
        numeric.map(|(text, line)| {
            format!("# dates = \"dmy\" or \"mdy\": {text}, row {line}, may be both, and no row tells")
        })
    }

    fn numbers(&self, taken: &Taken) -> Option<String> {
        let columns =
            taken.iter().filter(|((_, field), _)| field.ends_with("Usd")).map(|(_, column)| *column);
        let mut open = None;
        for column in columns {
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
                "# numbers = \"1,234.56\" or \"1.234,56\": {text}, row {line}, may be both, and no row tells"
            )
        })
    }

    fn lists(&self, taken: &Taken) -> Option<String> {
        let is_list = |field: &str| {
            field.ends_with("Countries")
                || COLUMNS.iter().any(|(_, known, _)| *known == field && field.len() == 6)
        };
        let columns: Vec<usize> =
            taken.iter().filter(|((_, field), _)| is_list(field)).map(|(_, column)| *column).collect();
        [";", "|", ","].into_iter().find_map(|separator| {
            let cell = columns
                .iter()
                .flat_map(|column| self.column(*column))
                .find(|text| text.contains(separator))?;
            Some(format!("lists   = \"{separator}\"  # as in {}", one_line(&cell)))
        })
    }
}

fn state_of(word: &str) -> String {
    let folded = fold(word);
    let state = STATES.iter().find(|(_, words)| words.contains(&folded.as_str()));
    state.map_or("unclear", |(state, _)| *state).to_owned()
}

fn key_of(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// A text on one line of a comment.
fn one_line(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    text.trim().to_owned()
}

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
