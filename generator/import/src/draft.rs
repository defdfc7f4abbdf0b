//! A first mapping from the columns of a source, each guess with its evidence. What the cells of a column do
//! not prove is left open in the draft.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::mapping::{self, ELIGIBILITY, FILE, Rule, Source, quoted};
use super::source::sheet::{Cell, Row, listed_in};
use crate::fields::{FIELDS, Field, language_of};
use crate::files::{ImportError, read_source, replace, text_of};
use crate::values::items;
use crate::vocabulary::{find_word, is_empty_mark, value_of};
use crate::{money, values};
use dataset::schema::ValueType;
use dataset::text::{counted, slug_of};
use dataset::{Table, dataset_json};
use forms::Currencies;
use sheets::{Draft, Taken, beside, fields_of, is_sum_row, one_line, sheets};

mod forms;
mod sheets;

/// The kind of programs whose kind no column states: whatever it is, it is one.
const ANY_KIND: &str = "programType = { value = \"opportunity\" }  # no column has a kind, such as grant\n";

/// The organization of programs where no column has any.
const ONE_GIVES_ALL: &str = "# ? organization = { value = \"…\" }  # no column has it; name it so in a table of organizations too: name = { value = \"…\" }\n";

/// Most different words of a column that are a vocabulary.
const MOST_WORDS: usize = 30;

/// Writes `import.toml` for a source, or adds the source to it, and returns a text about what was found.
///
/// # Errors
///
/// If the mapping has the source already, or the source cannot be read.
pub fn draft(data: &Path, from: Option<&Path>, name: Option<&str>) -> Result<String, ImportError> {
    let from = from.ok_or_else(|| ImportError::Usage("--draft needs a source: --from FILE".to_owned()))?;
    let path = data.join(FILE);
    let known = text_of(&path)?;
    let before: toml::Table =
        known.parse().map_err(|error: toml::de::Error| ImportError::input(&path, error))?;
    let mut read = sheets(&read_source(from)?).map_err(|reason| ImportError::input(from, reason))?;
    let stem = slug_of(&from.file_stem().unwrap_or_default().to_string_lossy());
    let file = (from != Path::new("-")).then(|| beside(from, data));
    let file = file.map(|file| format!("file    = {}", quoted(&file.display().to_string())));
    let (mut names, is_only) = (BTreeSet::new(), read.len() == 1);
    for found in &mut read {
        found.sheet.drop_repeated();
        found.declared.splice(0..0, file.clone());
        let own = found.title.as_deref().filter(|_| !is_only).map(slug_of);
        let source = name.filter(|_| is_only).map(str::to_owned).or(own).unwrap_or_else(|| stem.clone());
        let source = if source.is_empty() { "source".to_owned() } else { source };
        let is_new = names.insert(source.clone());
        found.name = if is_new { source } else { format!("{source}-{}", names.len() + 1) };
    }
    if let Some(it) = read.iter().find(|it| before.get("sources").and_then(|s| s.get(&it.name)).is_some()) {
        let more = format!("remove it, or add one: opdir import {} NAME --draft --from FILE", data.display());
        return Err(ImportError::output(&path, format!("[sources.{}] is there already: {more}", it.name)));
    }
    let mut text = String::from("# Each guess states its evidence; correct what is wrong.\n");
    let mut found_lines = vec![path.display().to_string()];
    for found in &read {
        text.push_str(&Draft::of(found, &read).text());
        let (rows, columns) = (found.sheet.rows.len(), found.sheet.columns.len());
        let (rows, columns) = (counted(rows, "row"), counted(columns, "column"));
        found_lines.push(format!("[sources.{}]: {rows}, {columns}", found.name));
        found_lines.extend(found.sheet.notes.iter().map(|note| format!("  {note}")));
    }
    std::fs::create_dir_all(data).map_err(|error| ImportError::output(data, error))?;
    let gap = if known.is_empty() { "" } else { "\n" };
    replace(&path, format!("{known}{gap}{text}").as_bytes())?;
    let about = data.join("dataset.json");
    if !about.exists() {
        replace(&about, dataset_json(data, jiff::Timestamp::now()).as_bytes())?;
        found_lines.push(format!("{}: name and title of the directory", about.display()));
    }
    // Every guess stands on the screen with its evidence.
    let guesses = text.lines().skip(1).filter(|line| line.contains("  # ") || line.starts_with("# ?"));
    found_lines.extend(guesses.map(|line| format!("  {line}")));
    let open = text.matches("# ?").count();
    let decide = || format!("decide {} marked `# ?`", counted(open, "line"));
    let next = if open == 0 { "read it".to_owned() } else { decide() };
    Ok(format!("{}\n{next}, then: opdir import {}", found_lines.join("\n"), data.display()))
}

impl Draft<'_> {
    /// The mapping, whose evidence is what an import with it takes.
    fn text(&self) -> String {
        Draft { source: mapping::read(&self.unproved()).unwrap_or_default().first(), ..*self }.unproved()
    }

    fn unproved(&self) -> String {
        let organizations = self.organizations();
        if let Some((column, proof)) = organizations.as_ref().filter(|_| !self.has_programs()) {
            return self.of_organizations(*column, proof);
        }
        let mut taken = self.taken();
        self.decide_facts(&mut taken);
        let money = self.money(&taken);
        if !money.has_dollars && taken.contains_key(&(Table::Programs, "fundingMaxUsd")) {
            // A fact has one sum.
            taken.remove(&(Table::Programs, "fundingMinUsd"));
        }
        self.decide_places(&mut taken);
        // The only address of a program is its page too.
        if let Some(address) = taken.get(&(Table::Cycles, "applicationUrl")).copied() {
            taken.entry((Table::Programs, "officialUrl")).or_insert(address);
        }
        let why = self.key(&taken);
        let keys = why.as_ref().map_or(&[][..], |(columns, _)| columns);
        let key = keys.first().copied();
        let has = |it: &Field| it.value_type() == ValueType::Date && taken.contains_key(&(it.table, it.name));
        if key.is_none() || !fields_of(Table::Cycles).any(has) {
            // There are no seasons.
            taken.retain(|(table, _), _| *table != Table::Cycles);
        }
        if key.is_none() {
            // A fact names its program by the key.
            taken.retain(|(table, field), _| *table != Table::Facts && *field != ELIGIBILITY);
        }
        let mut out = self.found.heading();
        let mut line = |text: String| out.push_str(&(text + "\n"));
        if let Some((column, proof)) = organizations {
            let column = quoted(&self.sheet.columns[column]);
            line(format!("# ? programs, as its columns say; or organizations by {column}, {proof}: which?"));
        }
        match &why {
            Some((columns, why)) => {
                let names: Vec<String> = columns.iter().map(|it| quoted(&self.sheet.columns[*it])).collect();
                let key = if names.len() > 1 { format!("[{}]", names.join(", ")) } else { names.concat() };
                line(format!("key     = {key}  # {why}"));
            }
            None => line("# ? key = \"…\"  # no columns distinguish rows: no seasons, no sums".to_owned()),
        }
        let translated = if keys.len() == 1 { self.translated(&taken) } else { None };
        let of_translations = translated.into_iter().flatten().map(|(_, text)| text.0);
        let mapped = taken.values().map(|(column, _)| *column).chain(keys.iter().copied());
        let used = mapped.chain(of_translations).collect();
        let declared = [
            self.dates(&taken),
            self.numbers(&taken),
            self.lists(&taken),
            self.empty_marks(),
            money.declared.clone(),
            key.and_then(|key| self.skipped(key, &used)),
            self.ignored(&used, &taken),
        ];
        declared.into_iter().flatten().for_each(line);
        self.tables(&mut out, &taken, keys, &money);
        out
    }

    /// Whether a sheet has what programs have: a name, an organization, and a day or a kind.
    fn has_programs(&self) -> bool {
        let taken = self.taken();
        let has = |field| taken.contains_key(&(Table::Programs, field));
        let has_deadline = taken.contains_key(&(Table::Cycles, "deadlineOn"));
        has("name") && has("organization") && (has("programType") || has_deadline)
    }

    /// The column with the names by which another sheet refers to organizations, and the evidence.
    fn organizations(&self) -> Option<(usize, String)> {
        let columns = 0..self.sheet.columns.len();
        let own: Vec<BTreeSet<String>> = columns.map(|column| self.column(column).collect()).collect();
        self.others().find_map(|other| {
            let theirs = Draft::of(other, &[]);
            let (column, _) = *theirs.taken().get(&(Table::Programs, "organization"))?;
            let named: BTreeSet<String> = theirs.column(column).collect();
            let is_named = |own: &BTreeSet<String>| {
                own.len() == self.sheet.rows.len() && named.intersection(own).count() * 2 > named.len()
            };
            let at = own.iter().position(is_named)?;
            let (shared, all) = (named.intersection(&own[at]).count(), named.len());
            let (theirs, sheet) = (&other.sheet.columns[column], other.title.as_deref().unwrap_or_default());
            Some((at, format!("{shared} of {all} in column {} of sheet {}", quoted(theirs), quoted(sheet))))
        })
    }

    /// A sheet of organizations.
    fn of_organizations(&self, column: usize, proof: &str) -> String {
        let columns = &self.sheet.columns;
        let mut used = BTreeSet::from([column]);
        let mut fields = format!("name = {}  # {proof}\n", quoted(&columns[column]));
        for field in fields_of(Table::Organizations) {
            if let Some(taken) = field.find(columns, |column| !used.contains(&column)) {
                used.insert(taken.0);
                self.field(&mut fields, field, taken);
            }
        }
        let mut out = self.found.heading();
        let _ = writeln!(out, "key     = {}  # what other sheets call them", quoted(&columns[column]));
        out.extend(self.rest(&used).map(|line| line + "\n"));
        let _ = write!(out, "\n[sources.{}.organizations]\n{fields}", self.found.name);
        out
    }

    /// A cell that may name two organizations: it has a sign between them, or a word where a part is the name of another cell
    /// or each part is called as organizations are.
    fn two_names(&self, column: usize) -> Option<String> {
        let names: BTreeSet<String> = self.column(column).collect();
        let parts = |text: &str, signs: &[&str]| signs.iter().map(|it| items(text, it)).collect::<Vec<_>>();
        let is_parted = |text: &&String| parts(text, &[";", "|", " / "]).iter().any(|it| it.len() > 1);
        let is_called = |part: &String| {
            let mut words = part.split(' ');
            let mut ends = [words.next(), words.next_back()].into_iter().flatten();
            ends.any(|word| value_of("organization", word).is_some())
        };
        let known = |it: &Vec<_>| {
            it.len() > 1 && (it.iter().any(|it| names.contains(it)) || it.iter().all(is_called))
        };
        let joints = [",", " and ", " & ", " + ", " y ", " et ", " und ", " e "];
        let is_joined = |text: &&String| parts(text, &joints).iter().any(known);
        names.iter().find(|text| is_parted(text) || is_joined(text)).cloned()
    }

    /// The columns that are mapped to nothing.
    fn free(&self, used: &BTreeSet<usize>) -> impl Iterator<Item = (usize, &String)> {
        let columns = self.sheet.columns.iter().enumerate();
        columns.filter(|(at, it)| !used.contains(at) && !it.is_empty() && !money::is_currency_column(it))
    }

    fn rest(&self, used: &BTreeSet<usize>) -> Option<String> {
        let rest: Vec<String> = self.free(used).map(|(_, name)| quoted(name)).collect();
        (!rest.is_empty()).then(|| format!("ignore  = [{}]", rest.join(", ")))
    }

    /// The columns that are mapped to nothing. Where no column is a deadline, a sum, the page of the program or a
    /// place, one with such cells is a question.
    fn ignored(&self, used: &BTreeSet<usize>, taken: &Taken) -> Option<String> {
        let unmapped = |at: (Table, &'static str), what: &'static str, count: fn(&Self, usize) -> usize| {
            self.free(used).filter(move |_| !taken.contains_key(&at)).filter_map(move |(column, name)| {
                let (count, filled) = (count(self, column), self.sheet.cells(column).count());
                let found = || format!("{} has {what} in {count} of {filled} cells: {}?", quoted(name), at.1);
                (count * 2 > filled).then(found)
            })
        };
        let days = unmapped((Table::Cycles, "deadlineOn"), "days", Self::days);
        let sums = unmapped((Table::Programs, "fundingMaxUsd"), "sums", Self::sums_shown);
        let places = ["eligibleCountries", "destinationCountries"].map(|field| (Table::Programs, field));
        let place = places.into_iter().find(|at| !taken.contains_key(at));
        let places = place.into_iter().flat_map(|at| unmapped(at, "places", Self::places_shown));
        let pages = unmapped((Table::Programs, "officialUrl"), "addresses", Self::addresses);
        let found: Vec<String> = days.chain(sums).chain(pages).chain(places).collect();
        let why = match found.is_empty() {
            true => "not published".to_owned(),
            false => format!("? not published; {}", found.join("; ")),
        };
        self.rest(used).map(|line| format!("{line}  # {why}"))
    }

    /// Keys of rows that have no other mapped value, or are named as sums.
    fn skipped(&self, key: usize, used: &BTreeSet<usize>) -> Option<String> {
        let has_value = |row: &&Row| {
            let name = row.cells.iter().position(|cell| cell.text() == row.name(key));
            let used = used.iter().filter(|at| **at != key && Some(**at) != name);
            used.filter_map(|at| row.cells.get(*at)).any(|cell| !cell.is_empty())
        };
        let poor: Vec<_> = self.sheet.rows.iter().filter(|row| is_sum_row(row) || !has_value(row)).collect();
        let poor = poor.iter().map(|row| (row.line, row.name(key))).filter(|(_, name)| !name.is_empty());
        // Notes below the rows.
        let notes = self.sheet.lone.iter().filter(|it| !it.has_rows).map(|it| (it.line, it.text.clone()));
        let (lines, keys): (Vec<String>, Vec<String>) =
            poor.chain(notes).map(|(line, text)| (line.to_string(), quoted(&text))).unzip();
        (!keys.is_empty() && used.len() > 1).then(|| {
            format!("skip    = [{}]  # sums and rows without values: {}", keys.join(", "), lines.join(", "))
        })
    }

    fn tables(&self, out: &mut String, taken: &Taken, keys: &[usize], money: &Currencies) {
        let source = &self.found.name;
        let mut others = self.others().map(|other| Draft::of(other, self.others));
        let elsewhere = others.any(|it| it.organizations().is_some() && !it.has_programs());
        if let Some((column, _)) = taken.get(&(Table::Programs, "organization")).filter(|_| !elsewhere) {
            let rule = Rule { distinct: true, ..self.rule(*column) };
            let doubt = self.two_names(*column).map_or_else(String::new, |cell| {
                let cell = quoted(&cell);
                format!(
                    "? {cell} is one, or add to both rules: values = {{ {cell} = \"…\", \"*\" = \"*\" }}; "
                )
            });
            let _ = writeln!(out, "\n[sources.{source}.organizations]");
            out.push_str(&rule.line("name", &format!("  # {doubt}one row for each value")));
        }
        let _ = writeln!(out, "\n[sources.{source}.programs]");
        let key = keys.first().copied().filter(|_| keys.len() == 1);
        let shared = self.shared(taken, key);
        out.extend(shared.iter().map(|(_, rule)| rule.as_str()));
        for field in fields_of(Table::Programs) {
            match (taken.get(&(Table::Programs, field.name)), field.name) {
                (Some(_), "fundingMinUsd" | "fundingMaxUsd") if !money.has_dollars => {}
                (Some((column, is_sure)), name @ "eligibleCountries") => {
                    let separator = self.separator(taken).map(|(separator, _)| separator);
                    self.places(out, name, (*column, *is_sure), separator);
                }
                (Some(own), name) => {
                    self.field(out, field, *own);
                    let form = self.form(taken);
                    let is_range = |text: &str| {
                        money::read(text, form).is_ok_and(|sum| sum.least.is_some() && sum.least != sum.most)
                    };
                    let has_least = taken.contains_key(&(Table::Programs, "fundingMinUsd"));
                    let (ranges, rest): (Vec<_>, Vec<_>) = self.column(own.0).partition(|it| is_range(it));
                    if let Some(first) = ranges.first().filter(|_| name == "fundingMaxUsd" && !has_least) {
                        // A column that is called the most has none but by a slip.
                        let doubt = if own.1 { "? " } else { "" };
                        let (count, all) = (ranges.len(), ranges.len() + rest.len());
                        let first = one_line(first);
                        let what = format!("  # {doubt}{count} of {all} cells have a least sum, as {first}");
                        out.push_str(&self.rule(own.0).line("fundingMinUsd", &what));
                    }
                }
                (None, "organization") => out.push_str(ONE_GIVES_ALL),
                (None, name @ ("name" | "officialUrl")) => {
                    let _ = writeln!(out, "# ? {name} = \"…\"  # needed, and no column looks like it");
                }
                (None, "programType") => out.push_str(ANY_KIND),
                (None, _) => {}
            }
        }
        let spanish = self.spanish(taken);
        out.extend(spanish.iter().map(|proof| format!("language = {{ value = \"es\" }}  # {proof}\n")));
        if !keys.is_empty() {
            let season = if spanish.is_some() { "Convocatoria actual" } else { "Current call" };
            let label = self.label(taken, keys, shared.as_ref().map_or(season, |(title, _)| title));
            let has_several = shared.is_some() || keys.len() > 1;
            self.sums(out, taken, Some(&label).filter(|_| has_several));
            key.into_iter().for_each(|key| self.translations(out, taken, key));
            self.cycles(out, taken, &label);
        }
    }

    /// A field whose cells need no words of their own, unless it has a closed list of values.
    fn field(&self, out: &mut String, field: &Field, taken: (usize, bool)) {
        if field.name == "programType" || field.allowed().next().is_some() {
            self.words(out, field, taken);
        } else {
            out.push_str(&self.rule(taken.0).line(field.name, &self.evidence(taken)));
        }
    }

    /// How many cells of a column an import takes, as a comment; a question if its name or cells leave doubts.
    fn evidence(&self, (column, is_sure): (usize, bool)) -> String {
        let name = &self.sheet.columns[column];
        let none = Source::default();
        let source = self.source.unwrap_or(&none);
        let fields = source.targets.iter().flat_map(|it| values::CellField::all(source, it, self.sheet));
        let fields: Vec<_> = fields.filter(|it| it.rule.columns.first() == Some(name)).collect();
        let fits = |row: &Row, cell: &Cell| {
            let make = |it: &values::CellField<'_>| it.make(cell, row);
            !fields.is_empty() && fields.iter().all(|it| make(it).is_ok_and(|made| it.is_taken(&made)))
        };
        let field = fields.last().map_or("name", |it| it.name);
        let meant = find_word("meaning", field).map_or_else(|| format!("is this `{field}`"), str::to_owned);
        let key = source.key.first().and_then(|key| self.sheet.column(key));
        let is_skipped = |row: &Row| key.is_some_and(|key| listed_in(&source.reading.skip, &row.name(key)));
        let cells = self.sheet.cells(column);
        let cells = cells.filter(|(row, cell)| !is_skipped(row) && !is_empty_mark(&cell.text()));
        let (fit, others): (Vec<_>, Vec<_>) = cells.partition(|(row, cell)| fits(row, cell));
        let (count, all) = (fit.len(), fit.len() + others.len());
        // What does not fit is an error of the import, or a note.
        let other = format!("{name} (2)");
        let doubt = match (is_sure, count * 2 >= all) {
            _ if self.sheet.column(&other).is_some() => format!("? or {}; ", quoted(&other)),
            (false, _) => format!("? {meant}? {} alone does not say; ", quoted(name)),
            (true, false) => "? ".to_owned(),
            (true, true) => String::new(),
        };
        let but = others.first().map(|(row, it)| format!(", not {}, row {}", one_line(&it.text()), row.line));
        format!("  # {doubt}{count} of {all} cells fit{}", but.unwrap_or_default())
    }

    /// What a season is called: the text of a column, else one that all have.
    fn label(&self, taken: &Taken, keys: &[usize], season: &str) -> String {
        let label = ["label", "cohortYear"].into_iter().find_map(|field| taken.get(&(Table::Cycles, field)));
        // Of two columns that are the key together, the one that is not mapped distinguishes rows of one name.
        let is_free = |at: &&usize| keys.len() > 1 && taken.values().all(|(column, _)| column != *at);
        let label = label.map(|(column, _)| column).or_else(|| keys.iter().find(is_free));
        let stated = || format!("{{ value = {} }}", quoted(season));
        label.map_or_else(stated, |column| quoted(&self.sheet.columns[*column]))
    }

    /// Seasons of the same row's program, if a column has dates.
    fn cycles(&self, out: &mut String, taken: &Taken, label: &str) {
        let taken_as = |field: &'static Field| Some((field, *taken.get(&(field.table, field.name))?));
        let cycles: Vec<_> = fields_of(Table::Cycles).filter_map(taken_as).collect();
        if cycles.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n[sources.{}.cycles]  # of the same row's program", self.found.name);
        let _ = writeln!(out, "label = {label}");
        // Words for "no deadline" in a column of dates.
        let deadline = taken.get(&(Table::Cycles, "deadlineOn")).into_iter();
        let words = deadline.flat_map(|(column, _)| self.column(*column));
        let rolling: BTreeSet<String> = words.filter(|word| value_of("status", word).is_some()).collect();
        for (field, taken @ (column, is_sure)) in cycles {
            let has_hours = field.value_type() == ValueType::Date && self.has_hours(column, field.name);
            let evidence = self.evidence((column, is_sure));
            let rule = Rule { notes: has_hours, ..self.rule(column) };
            let with_values = |to: &str, other: &str| {
                let pairs = rolling.iter().map(|word| (word.clone(), to.to_owned()));
                pairs.chain([("*".to_owned(), other.to_owned())]).collect()
            };
            match field.name {
                "label" => {}
                "status" if !rolling.is_empty() => {}
                "deadlineOn" if !rolling.is_empty() => {
                    let day = Rule { values: with_values("", "*"), ..rule };
                    let state = Rule { values: with_values("rolling", ""), ..self.rule(column) };
                    out.push_str(&(day.line("deadlineOn", &evidence) + &state.line("status", "")));
                }
                field if has_hours => {
                    out.push_str(&rule.line(field, &(evidence + "; hours and other texts become notes")));
                }
                _ => self.field(out, field, taken),
            }
        }
    }

    /// A column of a few words as a vocabulary: each word and what stands for it. A word that is not known is a question.
    fn words(&self, out: &mut String, field: &Field, taken: (usize, bool)) {
        let words: BTreeSet<String> = self.column(taken.0).filter(|word| !is_empty_mark(word)).collect();
        let (mut rule, name, all) = (self.rule(taken.0), field.name, words.len());
        if all > MOST_WORDS {
            return out.push_str(&rule.line(&format!("# ? {name}"), &format!("  # {all} different words")));
        }
        let few = words.iter().filter(|word| field.value_of(word).is_none()).count();
        let value = |word: String| (field.value_of(&word).unwrap_or_default().to_owned(), word);
        rule.values = words.into_iter().map(value).map(|(value, word)| (word, value)).collect();
        let known = field.allowed().collect::<Vec<_>>().join(", ");
        let any = "grant, fellowship, scholarship, prize … or a word of yours";
        let of = if known.is_empty() { any } else { &known };
        let doubt = format!("  # ? {few} of {all} words are not known: write for each \"\" what it is: {of}");
        // Words that are all known prove the column, whatever its name.
        let evidence = if few == 0 { self.evidence((taken.0, true)) } else { doubt };
        out.push_str(&rule.line(name, &evidence));
    }

    /// The rule that takes a column as it is.
    pub(super) fn rule(&self, column: usize) -> Rule {
        Rule::of(&self.sheet.columns[column])
    }

    fn taken(&self) -> Taken {
        let mut taken = Taken::new();
        let mut used = BTreeSet::new();
        // Names that leave no doubt come first; those with a language stand for the same texts as others, if there are any.
        for (is_sure, of_languages) in [(true, false), (false, false), (false, true)] {
            if of_languages && taken.contains_key(&(Table::Programs, "name")) {
                break;
            }
            let is_free = |at: usize| of_languages || language_of(&self.sheet.columns[at]).is_none();
            for field in FIELDS.iter().filter(|field| field.table != Table::Organizations) {
                let at = (field.table, field.name);
                let found = field.find(&self.sheet.columns, |at| is_free(at) && !used.contains(&at));
                if let Some(found) = found.filter(|it| it.1 == is_sure && !taken.contains_key(&at)) {
                    used.insert(found.0);
                    taken.insert(at, found);
                }
            }
        }
        taken
    }
}
