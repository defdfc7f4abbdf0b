//! Facts and seasons that a text of their program contradicts: people whom it shuts out, and a day beside a rolling season.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use snapshot::facet::exclusion;
use snapshot::patterns::Patterns;
use snapshot::record::{CycleStatus, Fact, Polarity, Program};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::rows::{Row, Tables};
use crate::text::quoted;

/// Names of months, English and Spanish.
const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|\
                      apr|jun|jul|aug|sep|sept|oct|nov|dec|enero|febrero|marzo|abril|mayo|junio|julio|agosto|\
                      septiembre|setiembre|octubre|noviembre|diciembre";

/// Days in words of a text. The order of day and month in numbers is not known: both are a day.
static DEADLINES: LazyLock<Patterns> = LazyLock::new(|| {
    let numbers = |last: u32| (1..=last).flat_map(|number| [format!("{number}"), format!("{number:02}")]);
    let ordinals = (1..=31).flat_map(|day| ["st", "nd", "rd", "th", "o"].map(|end| format!("{day}{end}")));
    let join = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>().join("|");
    let (day, month) = (join(&mut numbers(31)), join(&mut numbers(12)));
    let named = join(&mut numbers(31).chain(ordinals));
    let year = join(&mut (2020..2040).map(|year| year.to_string()));
    let dates = [[&day, &month, &year], [&month, &day, &year], [&year, &month, &day]];
    let dates = dates.map(|date| date.map(String::as_str).join(" "));
    let slot = |slot: &str, date: &str| match slot {
        "D" => named.clone(),
        "M" => MONTHS.to_owned(),
        "DATE" => date.to_owned(),
        words => words.to_owned(),
    };
    let lines = include_str!("deadlines.txt").lines().filter(|line| !line.starts_with('#'));
    let of_line = |line: &str| {
        let orders = if line.ends_with(" DATE") { &dates[..] } else { &dates[..1] };
        let lines =
            orders.iter().map(|date| line.split(' ').map(|it| slot(it, date)).collect::<Vec<_>>().join(" "));
        lines.collect::<Vec<_>>()
    };
    Patterns::new(&lines.flat_map(of_line).collect::<Vec<_>>().join("\n"))
});

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

/// Reports what texts contradict.
pub(super) fn check(tables: &Tables, report: &Diagnostics) -> Vec<Diagnostic> {
    let mut facts: BTreeMap<Uuid, Vec<&Row<Fact>>> = BTreeMap::new();
    for row in &tables.facts {
        facts.entry(row.record.program_id).or_default().push(row);
    }
    let of = |program: &Uuid| facts.get(program).map_or(&[][..], Vec::as_slice);
    let excluded = parallel::flat_map(&tables.programs, |row| excluded(row, of(&row.record.id), report));
    let programs: BTreeMap<Uuid, &Row<Program>> =
        tables.programs.iter().map(|row| (row.record.id, row)).collect();
    let rolling = parallel::flat_map(&tables.cycles, |row| {
        if row.record.status != Some(CycleStatus::Rolling) || row.record.deadline_on.is_some() {
            return None;
        }
        let program = programs.get(&row.record.program_id)?;
        let mut texts = texts(program, of(&row.record.program_id));
        let (at, part) = texts.find_map(|(at, text)| Some((at, deadline(text)?)))?;
        let message =
            format!("the season is `rolling`, but a text has {}, see {}", quoted(part), report.place(at));
        Some(Diagnostic::new(Code::RollingWithDay, row.at, message).field("status"))
    });
    [excluded, rolling].concat()
}

/// Each value that facts or career stages include and a text excludes.
fn excluded(program: &Row<Program>, facts: &[&Row<Fact>], report: &Diagnostics) -> Vec<Diagnostic> {
    let included = facts.iter().filter(|row| row.record.polarity == Polarity::Include);
    let stated = included.filter_map(|row| Some((row.record.value.as_deref()?, row.at, "value")));
    let stages = program.record.career_stages.iter().map(|stage| (&**stage, program.at, "careerStages"));
    let mut values: Vec<(&str, Location, &str)> = stated.chain(stages).collect();
    values.sort_by_key(|(value, at, _)| (*value, *at));
    values.dedup_by_key(|(value, ..)| *value);
    let contradicted = values.into_iter().filter_map(|(value, at, field)| {
        let (place, part) =
            texts(program, facts).find_map(|(at, text)| Some((at, exclusion(value, text)?)))?;
        let message = format!(
            "`{field}` has {}, but a text has {}, see {}",
            quoted(value),
            quoted(part),
            report.place(place)
        );
        Some(Diagnostic::new(Code::ExcludedByText, at, message).field(field))
    });
    contradicted.collect()
}

/// The texts of a program and where each one is.
fn texts<'a>(
    program: &'a Row<Program>,
    facts: &'a [&Row<Fact>],
) -> impl Iterator<Item = (Location, &'a str)> {
    let own = [program.record.summary.as_deref(), program.record.description.as_deref()];
    let own = own.into_iter().flatten().map(|text| (program.at, text));
    own.chain(facts.iter().filter_map(|row| Some((row.at, row.record.text.as_deref()?))))
}
