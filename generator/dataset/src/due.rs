//! What maintainers should look at next: published records that are out of date, incomplete or contradicted.

use std::collections::{BTreeMap, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use snapshot::record::{Lifecycle, Program};
use snapshot::time::{Day, Openness, Season};
use url::Url;
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostics, Location};
use crate::link;
use crate::rows::{Row, Tables};

/// Why a record is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// An address of it fails.
    DeadLink,
    /// An address of it has moved for good.
    MovedLink,
    /// Texts, dates or states of it contradict each other.
    Contradicted,
    /// Its deadline has passed, and no next season is known.
    DeadlinePassed,
    /// It is open without a deadline for so long that it may be over.
    OpenForYears,
    /// Its source was not checked for a year.
    Unchecked,
    /// Another program has the same official URL.
    SameAddress,
    /// It has no text in a language of the dataset.
    Untranslated,
}

/// A record that is due for one reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Due {
    /// Slug of its organization.
    pub organization: String,
    /// Slug of the program; empty for the organization itself.
    pub program: String,
    /// Why.
    pub reason: Reason,
    /// Since when, where a day is known.
    pub since: Option<Date>,
    /// What was found, in a sentence.
    pub note: String,
    /// Name of the file.
    pub file: String,
    /// Its line.
    pub line: u32,
}

/// The id of an organization, and the slug of its program; empty for the organization itself.
type Subject<'t> = (Uuid, &'t str);

/// What is found of a record: where it is, what it belongs to, why it is due, since when, and in a sentence.
type Finding<'t> = (Location, Subject<'t>, Reason, Option<Date>, String);

/// What is due on a day, sorted by organization, program and reason; none if the dataset has errors.
pub fn due(mut tables: Tables, report: &mut Diagnostics, day: Date) -> Option<Vec<Due>> {
    if !link::check(&mut tables, report) {
        return None;
    }
    let organizations = tables.organizations.iter().map(|row| (row.record.id, row.record.slug.as_str()));
    let organizations: HashMap<Uuid, &str> = organizations.collect();
    let due = |(at, (organization, program), reason, since, note): Finding<'_>| {
        let organization = (*organizations.get(&organization)?).to_owned();
        let (program, file) = (program.to_owned(), report.file_name(at.file).to_owned());
        Some(Due { organization, program, reason, since, note, file, line: at.line })
    };
    let found = [
        contradicted(&tables, report),
        out_of_date(&tables, day),
        unchecked(&tables, day),
        same_addresses(&tables),
        untranslated(&tables),
    ];
    let mut list: Vec<Due> = found.into_iter().flatten().filter_map(due).collect();
    list.sort_unstable();
    list.dedup();
    Some(list)
}

/// Warnings that only a look at the source can settle.
fn contradicted<'t>(tables: &'t Tables, report: &Diagnostics) -> Vec<Finding<'t>> {
    let programs: HashMap<Uuid, Subject<'_>> =
        tables.programs.iter().map(|row| (row.record.id, subject(&row.record))).collect();
    let of_programs = tables.programs.iter().map(|row| (row.at, row.record.id));
    let of_cycles = tables.cycles.iter().map(|row| (row.at, row.record.program_id));
    let of_facts = tables.facts.iter().map(|row| (row.at, row.record.program_id));
    let of_sources = tables.sources.iter().map(|row| (row.at, row.record.entity_id));
    let of_programs = of_programs.chain(of_cycles).chain(of_facts).chain(of_sources);
    let of_programs = of_programs.filter_map(|(at, id)| Some((at, *programs.get(&id)?)));
    let of_organizations = tables.organizations.iter().map(|row| (row.at, (row.record.id, "")));
    let subjects: HashMap<Location, Subject<'_>> = of_organizations.chain(of_programs).collect();
    let found = report.sorted().into_iter().filter_map(|problem| {
        let (reason, of) = reason_of(problem.code).zip(subjects.get(&problem.at))?;
        Some((problem.at, *of, reason, None, problem.message.clone()))
    });
    found.collect()
}

/// Programs that are open for very long, or that no next season is known of.
fn out_of_date(tables: &Tables, day: Date) -> Vec<Finding<'_>> {
    let (mut found, mut seasons): (_, HashMap<Uuid, Vec<Season>>) = (Vec::new(), HashMap::new());
    for row in &tables.cycles {
        seasons.entry(row.record.program_id).or_default().push(Season::of(&row.record));
    }
    for row in &tables.programs {
        let of_program = seasons.get(&row.record.id).into_iter().flatten();
        let of_program = of_program.map(|season| season.with_program(&row.record));
        let openness = Openness::new(row.record.lifecycle, of_program, Day::new(day));
        if let Some(opened) = openness.doubtful_since {
            let note = "open without a deadline for so long that it may be over".to_owned();
            found.push(of(row, Reason::OpenForYears, opened.date(), note));
        }
        let is_over = !openness.is_open()
            && openness.next_deadline == Day::NONE
            && openness.next_opening == Day::NONE
            && may_open_again(row.record.lifecycle);
        if let Some(last) = openness.last_deadline.date().filter(|_| is_over) {
            let note = format!("the deadline of {last} has passed, and no next season is known");
            found.push(of(row, Reason::DeadlinePassed, Some(last), note));
        }
    }
    found
}

fn unchecked(tables: &Tables, day: Date) -> Vec<Finding<'_>> {
    let year_before = Day::new(day.saturating_sub(1.year()));
    let found = tables.programs.iter().filter_map(|row| {
        let checked = Day::of(row.record.last_checked_at());
        let note = match checked.date() {
            None => "no check of its source is recorded".to_owned(),
            Some(day) if checked < year_before => format!("its source was last checked on {day}"),
            Some(_) => return None,
        };
        Some(of(row, Reason::Unchecked, checked.date(), note))
    });
    found.collect()
}

fn same_addresses(tables: &Tables) -> Vec<Finding<'_>> {
    let mut by_address: BTreeMap<Url, Vec<&Row<Program>>> = BTreeMap::new();
    for row in &tables.programs {
        let address = Url::parse(&row.record.official_url).ok();
        address.into_iter().for_each(|address| by_address.entry(address).or_default().push(row));
    }
    let mut found = Vec::new();
    for (address, rows) in by_address.into_iter().filter(|(_, rows)| rows.len() > 1) {
        let more = if rows.len() > 2 { format!(" and {} more", rows.len() - 2) } else { String::new() };
        for row in &rows {
            let other = rows.iter().find(|it| it.at != row.at).map_or("", |other| &other.record.slug);
            let note = format!("has the official URL of {other}{more}: {address}");
            found.push(of(row, Reason::SameAddress, None, note));
        }
    }
    found
}

fn untranslated(tables: &Tables) -> Vec<Finding<'_>> {
    let dataset = tables.dataset.as_ref().map(|row| &row.record);
    let locales =
        dataset.into_iter().flat_map(|dataset| dataset.locales.iter().map(move |it| (dataset, *it)));
    let found = locales.flat_map(|(dataset, locale)| {
        let [organizations, programs] = link::untranslated(tables, dataset, locale);
        let note = format!("has no text in `{}`", locale.as_str());
        let of_organizations = tables.organizations.iter().map(|row| (row.at, (row.record.id, "")));
        let of_programs = tables.programs.iter().map(|row| (row.at, subject(&row.record)));
        let all = of_organizations.filter(move |(at, _)| organizations.contains(at));
        let all = all.chain(of_programs.filter(move |(at, _)| programs.contains(at)));
        all.map(move |(at, of)| (at, of, Reason::Untranslated, None, note.clone()))
    });
    found.collect()
}

fn of(row: &Row<Program>, reason: Reason, since: Option<Date>, note: String) -> Finding<'_> {
    (row.at, subject(&row.record), reason, since, note)
}

fn subject(program: &Program) -> Subject<'_> {
    (program.organization_id, &program.slug)
}

const fn reason_of(code: Code) -> Option<Reason> {
    Some(match code {
        Code::DeadLink => Reason::DeadLink,
        Code::MovedLink => Reason::MovedLink,
        Code::StatusContradicts
        | Code::AcceptingAfterDeadline
        | Code::HistoryDisagrees
        | Code::ExcludedByText
        | Code::RollingWithDay
        | Code::DatesReversed => Reason::Contradicted,
        _ => return None,
    })
}

const fn may_open_again(lifecycle: Lifecycle) -> bool {
    use Lifecycle::{ActiveAccepting, ActiveBetweenCycles, Inaccessible, Unclear};
    matches!(lifecycle, ActiveAccepting | ActiveBetweenCycles | Inaccessible | Unclear)
}
