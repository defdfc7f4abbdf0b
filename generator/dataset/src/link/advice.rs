//! Warnings about the published rows taken together: what contradicts itself or a text of its program, and what is
//! old. The only day they depend on is the day of publication.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use snapshot::facet::exclusion;
use snapshot::page::money::per;
use snapshot::patterns::Patterns;
use snapshot::record::{CycleStatus, Dataset, EntityRef, Fact, Lifecycle, Locale, Polarity, Program};
use snapshot::text::normalized;
use snapshot::time::{Day, Season, is_filler};
use uuid::Uuid;

use super::rules::SENTINELS;
use crate::day_of;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::facet_values;
use crate::parallel;
use crate::rows::{Row, Tables};
use crate::text::{part_of, quoted};

/// Days in words of a text.
static DEADLINES: Patterns = Patterns::new(include_str!("deadlines.txt"));

/// The part of a text that names a deadline. What stands after a colon or in brackets belongs to the words before it.
fn deadline(text: &str) -> Option<&str> {
    let mut bytes = text.as_bytes().to_vec();
    for at in 1..bytes.len().saturating_sub(1) {
        let is_in_number = bytes[at - 1].is_ascii_digit() && bytes[at + 1].is_ascii_digit();
        if matches!(bytes[at], b':' | b'(') || bytes[at] == b'.' && is_in_number {
            bytes[at] = b' ';
        }
    }
    let joined = String::from_utf8(bytes).ok()?;
    let part = DEADLINES.find(&joined)?;
    let from = joined.find(part)?;
    text.get(from..from + part.len())
}

/// The facts of each program.
type Facts<'t> = BTreeMap<Uuid, Vec<&'t Row<Fact>>>;

/// Reports the warnings.
pub(super) fn check(tables: &mut Tables, report: &mut Diagnostics) {
    report.extend(histories(tables));
    let mut facts = Facts::new();
    for row in &tables.facts {
        facts.entry(row.record.program_id).or_default().push(row);
    }
    report.extend(rates_of_pay(tables, &facts));
    report.extend(parallel::flat_map(&tables.programs, |row| excluded(row, &facts, report)));
    report.extend(rolling_with_day(tables, &facts, report));
    facet_values::check(tables, report);
    report_near_duplicates(tables, report);
    let Some(dataset) = &tables.dataset else { return };
    // After errors the programs may be missing because of them.
    if tables.programs.is_empty() && report.error_count() == 0 {
        report.push(Diagnostic::new(Code::NoPrograms, dataset.at, "no program is published"));
    }
    let published = day_of(dataset.record.published_at);
    report.extend(fillers(tables, published));
    report.extend(contradictions(tables, Day::new(published)));
    report.extend(accepting_after_deadline(tables, Day::new(published)));
    report.extend(stale_checks(tables, published));
    note_untranslated(tables, &dataset.record, report);
}

/// Reports programs that have the name of another one of their organization.
fn report_near_duplicates(tables: &Tables, report: &mut Diagnostics) {
    // C, C++ and C# are three names.
    let signs = |name: &str| name.chars().filter(|c| matches!(c, '+' | '#')).collect::<String>();
    let name_of = |name: &str| (normalized(name), signs(name));
    let key = |row: &'_ Row<Program>| (row.record.organization_id, name_of(&row.record.name), row.at);
    let mut names: Vec<_> = tables.programs.iter().map(|row| (key(row), row.record.slug.as_str())).collect();
    names.sort_unstable();
    for same in names.chunk_by(|((a, name, _), _), ((b, other, _), _)| (a, name) == (b, other)) {
        let ((_, _, first), slug) = &same[0];
        for ((_, _, at), _) in &same[1..] {
            let (slug, place) = (quoted(slug), report.place(*first));
            let message = format!("the organization has another program of this name, {slug}, see {place}");
            report.push(Diagnostic::new(Code::NearDuplicate, *at, message));
        }
    }
}

/// Deadlines, as days and in notes, that sources enter where there is none.
fn fillers(tables: &Tables, published: Date) -> Vec<Diagnostic> {
    let of = |at: Location, field: &'static str, day: Date| {
        let message = format!("`{field}` is {day}, which stands for no deadline");
        is_filler(day, published)
            .then(|| Diagnostic::new(Code::SentinelDate, at, message).value(field, day.to_string()))
    };
    let cycles = parallel::flat_map(&tables.cycles, |row| {
        let is_known = |day: &Date| day.year() < SENTINELS.1.year();
        of(row.at, "deadlineOn", row.record.deadline_on.filter(is_known)?)
    });
    let notes = parallel::flat_map(&tables.facts, |row| {
        let is_deadline = row.record.value.as_deref() == Some("deadline-text");
        of(row.at, "text", row.record.text.as_deref().filter(|_| is_deadline)?.trim().parse().ok()?)
    });
    [cycles, notes].concat()
}

/// Programs that were last checked long ago.
fn stale_checks(tables: &Tables, published: Date) -> Option<Diagnostic> {
    let year_before = published.checked_sub(jiff::Span::new().years(1)).ok()?;
    let checked = tables.programs.iter().filter_map(|row| Some((day_of(row.record.source_checked_at?), row)));
    let stale: Vec<_> = checked.filter(|(day, _)| *day < year_before).collect();
    let (day, oldest) = stale.iter().min_by_key(|(day, row)| (*day, row.at))?;
    let few = part_of(stale.len(), tables.programs.len(), "program", ["was", "were"]);
    let slug = quoted(&oldest.record.slug);
    let message = format!("{few} last checked before {year_before}; the oldest is {slug} on {day}");
    let first = stale.iter().map(|(_, row)| row.at).min()?;
    Some(Diagnostic::new(Code::StaleChecks, first, message))
}

/// Notes how many organizations and programs have no text, by language; `due` lists them.
fn note_untranslated(tables: &Tables, dataset: &Dataset, report: &mut Diagnostics) {
    for &locale in &dataset.locales {
        let [organizations, programs] = untranslated(tables, dataset, locale);
        let counts = [("organizations", organizations), ("programs", programs)];
        let counts = counts.iter().filter(|(_, missing)| !missing.is_empty());
        let counts: Vec<String> = counts.map(|(table, rows)| format!("{table} {}", rows.len())).collect();
        if !counts.is_empty() {
            report.note(format!("no text in `{}`: {}", locale.as_str(), counts.join(", ")));
        }
    }
}

fn histories(tables: &Tables) -> impl Iterator<Item = Diagnostic> {
    let mut newest: BTreeMap<Uuid, (Timestamp, Uuid, Lifecycle)> = BTreeMap::new();
    for row in &tables.transitions {
        let record = &row.record;
        let entry = (record.observed_at, record.id, record.to_lifecycle);
        let known = newest.entry(record.program_id).or_insert(entry);
        *known = (*known).max(entry);
    }
    tables.programs.iter().filter_map(move |row| {
        let (.., end) = newest.get(&row.record.id)?;
        let (stated, end) = (row.record.lifecycle.as_str(), end.as_str());
        let message = format!("`lifecycle` is `{stated}`, but the history ends in `{end}`");
        (end != stated).then(|| Diagnostic::new(Code::HistoryDisagrees, row.at, message).field("lifecycle"))
    })
}

/// Amounts that are probably a wage, not the total.
fn rates_of_pay(tables: &Tables, facts: &Facts<'_>) -> impl Iterator<Item = Diagnostic> {
    tables.programs.iter().filter_map(|row| {
        let of_program = facts.get(&row.record.id).into_iter().flatten();
        let of_program: Vec<&Fact> = of_program.map(|row| &row.record).collect();
        let per = quoted(per(&row.record, &of_program)?.as_str());
        let slug = quoted(&row.record.slug);
        let message = format!("the funding of {slug} is paid by the {per} according to its text");
        Some(Diagnostic::new(Code::RateOfPay, row.at, message))
    })
}

fn contradictions(tables: &Tables, day: Day) -> Vec<Diagnostic> {
    parallel::flat_map(&tables.cycles, |row| {
        let stated = row.record.status?;
        let season = Season::of(&row.record);
        let dates = Season { stated: None, ..season }.status(day);
        let message = || format!("`status` is `{}`, but the dates say `{}`", stated.as_str(), dates.as_str());
        contradicts(stated, dates, &season)
            .then(|| Diagnostic::new(Code::StatusContradicts, row.at, message()).field("status"))
    })
}

fn contradicts(stated: CycleStatus, dates: CycleStatus, season: &Season) -> bool {
    use CycleStatus::{Closed, Open, Rolling, Unknown, Upcoming};
    match (stated, dates) {
        (Unknown, _) | (_, Unknown) => false,
        (Rolling, dates) => dates == Closed,
        // Without an opening date, a deadline ahead gives "open", which is compatible with a later opening.
        (Upcoming, Open) => season.opens.known().is_some(),
        (stated, dates) => stated != dates,
    }
}

fn accepting_after_deadline(tables: &Tables, day: Day) -> impl Iterator<Item = Diagnostic> {
    let mut over: BTreeMap<Uuid, bool> = BTreeMap::new();
    for row in &tables.cycles {
        let is_over = Season::of(&row.record).status(day) == CycleStatus::Closed;
        *over.entry(row.record.program_id).or_insert(true) &= is_over;
    }
    let accepting = tables.programs.iter().filter(|row| row.record.lifecycle == Lifecycle::ActiveAccepting);
    accepting.filter(move |row| over.get(&row.record.id) == Some(&true)).map(|row| {
        let message = format!("{} is `active_accepting`, but every season is over", quoted(&row.record.slug));
        Diagnostic::new(Code::AcceptingAfterDeadline, row.at, message).field("lifecycle")
    })
}

/// The organizations and the programs without a text in a language.
pub(crate) fn untranslated(tables: &Tables, dataset: &Dataset, locale: Locale) -> [HashSet<Location>; 2] {
    let translated = tables.translations.iter().filter(|row| row.record.locale == locale);
    let translated: HashSet<EntityRef> = translated.map(|row| row.record.about()).collect();
    let default = dataset.language().as_str();
    let is_missing = |of: EntityRef, language: &str| {
        language.split('-').next() != Some(locale.as_str()) && !translated.contains(&of)
    };
    let organizations = tables.organizations.iter().filter(|row| is_missing(row.record.entity(), default));
    let programs = tables.programs.iter().filter(|row| {
        let language = row.record.language.as_deref().unwrap_or(default);
        is_missing(row.record.entity(), language)
    });
    [organizations.map(|row| row.at).collect(), programs.map(|row| row.at).collect()]
}

/// Rolling seasons beside which a text of the program has a day.
fn rolling_with_day(tables: &Tables, facts: &Facts<'_>, report: &Diagnostics) -> Vec<Diagnostic> {
    let programs: BTreeMap<Uuid, _> = tables.programs.iter().map(|row| (row.record.id, row)).collect();
    parallel::flat_map(&tables.cycles, |row| {
        if row.record.status != Some(CycleStatus::Rolling) || row.record.deadline_on.is_some() {
            return None;
        }
        let program = programs.get(&row.record.program_id)?;
        let mut texts = texts(program, facts);
        let (at, part) = texts.find_map(|(at, text)| Some((at, deadline(text)?)))?;
        let message = format!("it is `rolling`, but a text has {}, see {}", quoted(part), report.place(at));
        Some(Diagnostic::new(Code::RollingWithDay, row.at, message).field("status"))
    })
}

/// Each value of a program that facts or career stages include and a text excludes.
fn excluded(program: &Row<Program>, facts: &Facts<'_>, report: &Diagnostics) -> Vec<Diagnostic> {
    let of_program = facts.get(&program.record.id).into_iter().flatten();
    let included = of_program.filter(|row| row.record.polarity == Polarity::Include);
    let stated = included.filter_map(|row| Some((row.record.value.as_deref()?, row.at, "value")));
    let stages = program.record.career_stages.iter().map(|stage| (&**stage, program.at, "careerStages"));
    let mut values: Vec<(&str, Location, &str)> = stated.chain(stages).collect();
    values.sort_by_key(|(value, at, _)| (*value, *at));
    values.dedup_by_key(|(value, ..)| *value);
    let contradicted = values.into_iter().filter_map(|(value, at, field)| {
        let (place, part) =
            texts(program, facts).find_map(|(at, text)| Some((at, exclusion(value, text)?)))?;
        let (value, part, place) = (quoted(value), quoted(part), report.place(place));
        let message = format!("`{field}` has {value}, but a text has {part}, see {place}");
        Some(Diagnostic::new(Code::ExcludedByText, at, message).field(field))
    });
    contradicted.collect()
}

/// The texts of a program and where each one is.
fn texts<'a>(program: &'a Row<Program>, facts: &'a Facts<'_>) -> impl Iterator<Item = (Location, &'a str)> {
    let of_program = facts.get(&program.record.id).into_iter().flatten();
    let own = [program.record.summary.as_deref(), program.record.description.as_deref()];
    let own = own.into_iter().flatten().map(|text| (program.at, text));
    own.chain(of_program.filter_map(|row| Some((row.at, row.record.text.as_deref()?))))
}
