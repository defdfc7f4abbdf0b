//! Facts and seasons that a text of their program contradicts: people whom it shuts out, and a day beside a rolling season.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use snapshot::patterns::Patterns;
use snapshot::record::{CycleStatus, Fact, Polarity, Program};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::rows::{Row, Tables};
use crate::text::quoted;

/// For each value of a fact the ways in which a text excludes it.
static EXCLUSIONS: LazyLock<HashMap<&str, Patterns>> = LazyLock::new(|| {
    let mut lists: HashMap<&str, String> = HashMap::new();
    let who = include_str!("excluded.txt").lines().filter_map(|line| line.split_once(" = "));
    for (value, words) in who {
        for line in include_str!("exclusions.txt").lines().filter(|line| !line.starts_with('#')) {
            let slots = line.split(' ').map(|slot| if slot == "X" { words } else { slot });
            let list = lists.entry(value).or_default();
            list.push_str(&slots.collect::<Vec<_>>().join(" "));
            list.push('\n');
        }
    }
    lists.into_iter().map(|(value, list)| (value, Patterns::new(&list))).collect()
});

static DEADLINES: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("deadlines.txt")));

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
        let (at, part) = texts.find_map(|(at, text)| Some((at, DEADLINES.find(text)?)))?;
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
        let patterns = EXCLUSIONS.get(value)?;
        let (place, part) = texts(program, facts).find_map(|(at, text)| Some((at, patterns.find(text)?)))?;
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
