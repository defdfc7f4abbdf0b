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

/// What is due on a day, sorted by organization, program and reason; none if the dataset has errors.
pub fn due(mut tables: Tables, report: &mut Diagnostics, day: Date) -> Option<Vec<Due>> {
    if !link::check(&mut tables, report) {
        return None;
    }
    let organizations = tables.organizations.iter().map(|row| (row.record.id, row.record.slug.as_str()));
    let organizations = organizations.collect();
    let mut list = DueList { tables: &tables, report, day, organizations, found: Vec::new() };
    list.add_diagnostics();
    list.add_states();
    list.add_unchecked();
    list.add_same_addresses();
    list.add_untranslated();
    list.found.sort_unstable();
    list.found.dedup();
    Some(list.found)
}

/// The id of an organization, and the slug of its program; empty for the organization itself.
type Subject<'t> = (Uuid, &'t str);

struct DueList<'t> {
    tables: &'t Tables,
    report: &'t Diagnostics,
    day: Date,
    /// Their slugs.
    organizations: HashMap<Uuid, &'t str>,
    found: Vec<Due>,
}

impl DueList<'_> {
    fn add(&mut self, at: Location, of: Subject<'_>, reason: Reason, since: Option<Date>, note: String) {
        let Some(organization) = self.organizations.get(&of.0) else { return };
        self.found.push(Due {
            organization: (*organization).to_owned(),
            program: of.1.to_owned(),
            reason,
            since,
            note,
            file: self.report.file_name(at.file).to_owned(),
            line: at.line,
        });
    }

    fn add_program(&mut self, row: &Row<Program>, reason: Reason, since: Option<Date>, note: String) {
        self.add(row.at, subject(&row.record), reason, since, note);
    }

    /// Warnings that only a look at the source can settle.
    fn add_diagnostics(&mut self) {
        let tables = self.tables;
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
        for problem in self.report.sorted() {
            if let Some((reason, of)) = reason_of(problem.code).zip(subjects.get(&problem.at)) {
                self.add(problem.at, *of, reason, None, problem.message.clone());
            }
        }
    }

    fn add_states(&mut self) {
        let mut seasons: HashMap<Uuid, Vec<Season>> = HashMap::new();
        for row in &self.tables.cycles {
            seasons.entry(row.record.program_id).or_default().push(Season::of(&row.record));
        }
        for row in &self.tables.programs {
            let of_program = seasons.get(&row.record.id).into_iter().flatten();
            let of_program = of_program.map(|season| season.with_program(&row.record));
            let openness = Openness::new(row.record.lifecycle, of_program, Day::new(self.day));
            if let Some(opened) = openness.doubtful_since {
                let note = "open without a deadline for so long that it may be over".to_owned();
                self.add_program(row, Reason::OpenForYears, opened.date(), note);
            }
            let is_over = !openness.is_open()
                && openness.next_deadline == Day::NONE
                && openness.next_opening == Day::NONE
                && may_open_again(row.record.lifecycle);
            if let Some(last) = openness.last_deadline.date().filter(|_| is_over) {
                let note = format!("the deadline of {last} has passed, and no next season is known");
                self.add_program(row, Reason::DeadlinePassed, Some(last), note);
            }
        }
    }

    fn add_unchecked(&mut self) {
        let year_before = Day::new(self.day.saturating_sub(1.year()));
        for row in &self.tables.programs {
            let checked = Day::of(row.record.last_checked_at());
            let note = match checked.date() {
                None => "no check of its source is recorded".to_owned(),
                Some(day) if checked < year_before => format!("its source was last checked on {day}"),
                Some(_) => continue,
            };
            self.add_program(row, Reason::Unchecked, checked.date(), note);
        }
    }

    fn add_same_addresses(&mut self) {
        let mut by_address: BTreeMap<Url, Vec<&Row<Program>>> = BTreeMap::new();
        for row in &self.tables.programs {
            let address = Url::parse(&row.record.official_url).ok();
            address.into_iter().for_each(|address| by_address.entry(address).or_default().push(row));
        }
        for (address, rows) in by_address.into_iter().filter(|(_, rows)| rows.len() > 1) {
            for row in &rows {
                let other = rows.iter().find(|it| it.at != row.at).map_or("", |other| &other.record.slug);
                let more = match rows.len() - 2 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let note = format!("has the official URL of {other}{more}: {address}");
                self.add_program(row, Reason::SameAddress, None, note);
            }
        }
    }

    fn add_untranslated(&mut self) {
        let tables = self.tables;
        let Some(dataset) = &tables.dataset else { return };
        for &locale in &dataset.record.locales {
            let [organizations, programs] = link::untranslated(tables, &dataset.record, locale);
            let note = format!("has no text in `{}`", locale.as_str());
            for row in tables.organizations.iter().filter(|row| organizations.contains(&row.at)) {
                self.add(row.at, (row.record.id, ""), Reason::Untranslated, None, note.clone());
            }
            for row in tables.programs.iter().filter(|row| programs.contains(&row.at)) {
                self.add_program(row, Reason::Untranslated, None, note.clone());
            }
        }
    }
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
    matches!(
        lifecycle,
        Lifecycle::ActiveAccepting
            | Lifecycle::ActiveBetweenCycles
            | Lifecycle::Inaccessible
            | Lifecycle::Unclear
    )
}
