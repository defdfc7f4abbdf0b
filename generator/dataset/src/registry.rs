//! Which rows are published, references that lead nowhere or in a loop, and what occurs twice.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::record::{EntityType, PublicationStatus};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::rows::{Profile, Profiles, Reference, Tables};
use crate::table::Table;
use crate::text::{counted, quoted};

/// Whether a row is published, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    Published,
    Draft,
    Withdrawn,
    NotApproved,
    /// A row that it belongs to is left out.
    OwnerLeftOut,
}

/// The reasons that a note states.
const REASONS: [(Status, &str); 3] =
    [(Status::Draft, "draft"), (Status::Withdrawn, "withdrawn"), (Status::NotApproved, "not approved")];

/// More than the levels of any vocabulary: a longer chain of `broader` is a loop.
const DEEPEST: usize = 64;

/// The ids of every table, in the order of its rows, which is ascending where others refer to them.
#[derive(Default)]
pub(crate) struct Ids([Vec<Uuid>; Table::ALL.len()]);

impl Ids {
    /// Of sorted tables.
    pub(crate) fn of(tables: &mut Tables) -> Self {
        let mut all = Self::default();
        let ids = |rows: &dyn Profiles| rows.iter().filter_map(|(_, profile)| profile.id).collect();
        each_table!(tables, |table, rows| all.0[table as usize] = ids(rows));
        all
    }

    /// Position of the first row with an id.
    pub(crate) fn position(&self, table: Table, id: Uuid) -> Option<usize> {
        let ids = &self.0[table as usize];
        let row = ids.partition_point(|known| *known < id);
        (ids.get(row) == Some(&id)).then_some(row)
    }
}

/// The statuses of all rows.
#[derive(Default)]
pub(crate) struct Registry {
    ids: Ids,
    statuses: [Vec<Status>; Table::ALL.len()],
    /// The program of each cycle.
    cycle_programs: Vec<Uuid>,
    /// Tables without a file.
    absent: BTreeSet<Table>,
    /// Tables that lost rows to errors: references into them are not checked.
    incomplete: BTreeSet<Table>,
    /// Absent tables that rows refer to: the first place, and the number of references.
    missing: BTreeMap<Table, (Location, usize)>,
}

impl Registry {
    /// Judges all rows of sorted tables, owners before the rows that belong to them. Reports references that lead nowhere,
    /// and what occurs twice.
    pub(crate) fn of(tables: &mut Tables, report: &mut Diagnostics) -> Self {
        let mut registry = Self {
            cycle_programs: tables.cycles.iter().map(|row| row.record.program_id).collect(),
            absent: tables.absent.clone(),
            incomplete: tables.incomplete.clone(),
            ids: Ids::of(tables),
            ..Self::default()
        };
        each_table!(tables, |table, rows| {
            registry.judge(table, rows, report);
            report_ids(rows, report);
        });
        registry.report_missing_tables(tables.dataset.as_ref().map(|row| row.at), report);
        report_slugs(tables, report);
        report_translations(tables, report);
        report_terms(tables, report);
        report.extend(broader(tables));
        registry
    }

    /// Whether a record is there and published.
    pub(crate) fn is_published(&self, table: Table, id: Uuid) -> bool {
        self.ids.position(table, id).is_some_and(|row| self.status(table, row) == Some(Status::Published))
    }

    /// The status of a row.
    pub(crate) fn status(&self, table: Table, row: usize) -> Option<Status> {
        self.statuses[table as usize].get(row).copied()
    }

    fn count(&self, table: Table, wanted: Status) -> usize {
        self.statuses[table as usize].iter().filter(|status| **status == wanted).count()
    }

    fn judge(&mut self, table: Table, rows: &dyn Profiles, report: &mut Diagnostics) {
        self.count_missing(rows);
        let positions: Vec<usize> = (0..rows.count()).collect();
        report.extend(parallel::flat_map(&positions, |row| {
            let (at, profile) = rows.profile(*row);
            let dangling = profile.references.into_iter().flatten().filter_map(|to| self.dangling(at, to));
            dangling.chain(self.other_program(at, profile.season)).collect::<Vec<_>>()
        }));
        let status = |row: &usize| [self.status_of(&rows.profile(*row).1)];
        self.statuses[table as usize] = parallel::flat_map(&positions, status);
    }

    fn status_of(&self, profile: &Profile<'_>) -> Status {
        let has_owners = || {
            let mut owners = profile.references.iter().flatten().filter(|to| to.is_owner);
            owners.all(|to| self.is_published(to.table, to.id))
        };
        match profile.publication {
            None | Some(PublicationStatus::Draft) => Status::Draft,
            Some(PublicationStatus::Withdrawn) => Status::Withdrawn,
            Some(PublicationStatus::Published) if !has_owners() => Status::OwnerLeftOut,
            Some(PublicationStatus::Published) if profile.is_unapproved => Status::NotApproved,
            Some(PublicationStatus::Published) => Status::Published,
        }
    }

    fn dangling(&self, at: Location, to: Reference) -> Option<Diagnostic> {
        let Reference { field, table, id, .. } = to;
        let is_unknown = self.incomplete.contains(&table) || self.absent.contains(&table);
        if is_unknown || self.ids.position(table, id).is_some() {
            return None;
        }
        let message = format!("`{field}` is {id}, which is not in {}", table.name());
        let elsewhere = EntityType::ALL.iter().map(|kind| Table::of(*kind));
        let elsewhere = elsewhere.filter(|table| self.ids.position(*table, id).is_some());
        let help = elsewhere.map(|table| format!("a record with this id is in {}", table.name())).next();
        Some(Diagnostic::new(Code::Dangling, at, message).value(field, id.to_string()).maybe_help(help))
    }

    /// A season of another program than the one that the row is of.
    fn other_program(&self, at: Location, season: Option<(Uuid, Uuid)>) -> Option<Diagnostic> {
        let (program, cycle) = season?;
        let of_cycle = *self.cycle_programs.get(self.ids.position(Table::Cycles, cycle)?)?;
        let message = || format!("`programId` is {program}, but the cycle belongs to program {of_cycle}");
        (of_cycle != program).then(|| Diagnostic::new(Code::OtherProgram, at, message()).field("programId"))
    }

    /// Adds a note of what is left out, by reason.
    pub(crate) fn note_left_out(&self, report: &mut Diagnostics) {
        let tables = Table::ALL.iter().zip(&self.statuses).filter_map(|(table, rows)| {
            let left_out = rows.len() - self.count(*table, Status::Published);
            let reasons = REASONS.iter().map(|(status, reason)| (self.count(*table, *status), reason));
            let reasons = reasons.filter(|(count, _)| *count > 0);
            let reasons: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
            (left_out > 0).then(|| format!("{} {left_out}{reasons}", table.name()))
        });
        let tables: Vec<String> = tables.collect();
        if !tables.is_empty() {
            report.note(format!("not published, with all that belongs to it: {}", tables.join(", ")));
        }
    }

    /// Tables that must exist, or that rows refer to, and do not.
    fn report_missing_tables(&mut self, start: Option<Location>, report: &mut Diagnostics) {
        let needed = [Table::Organizations, Table::Programs].into_iter();
        let needed = needed.filter(|table| self.absent.contains(table));
        for (table, start) in needed.filter_map(|table| Some((table, start?))) {
            self.missing.entry(table).or_insert((start, 0));
        }
        for (table, (at, count)) in self.missing.iter().filter(|(table, _)| !self.incomplete.contains(table))
        {
            let name = table.name();
            let references = (*count > 0).then(|| format!(", but {} to it", counted(*count, "reference")));
            let message = format!("there is no table `{name}`{}", references.unwrap_or_default());
            let help = format!("add {name}.csv or {name}.ndjson");
            report.push(Diagnostic::new(Code::NoTable, *at, message).help(help));
        }
    }

    /// Counts references into tables that are absent.
    fn count_missing(&mut self, rows: &dyn Profiles) {
        if self.absent.is_empty() {
            return;
        }
        for (at, profile) in rows.iter() {
            for to in profile.references.into_iter().flatten().filter(|to| self.absent.contains(&to.table)) {
                self.missing.entry(to.table).or_insert((at, 0)).1 += 1;
            }
        }
    }
}

fn report_ids(rows: &dyn Profiles, report: &mut Diagnostics) {
    let ids = rows.iter().filter_map(|(at, profile)| Some((profile.id?, at))).collect();
    report_repeated(ids, report, |id| {
        (Code::DuplicateId, format!("the id {id} is taken"), "id", id.to_string())
    });
}

/// Slugs that occur again, aliases that do, and aliases that are slugs.
fn report_slugs(tables: &Tables, report: &mut Diagnostics) {
    let of: [&dyn Profiles; 4] =
        [&tables.organizations, &tables.programs, &tables.recipients, &tables.aliases];
    let rows = of.into_iter().flat_map(<dyn Profiles>::iter);
    let mut slugs: Vec<_> = rows.filter_map(|(at, profile)| Some((profile.slug?, at))).collect();
    slugs.sort_unstable();
    for ((kind, slug, _), at) in slugs.iter().filter(|((.., is_alias), _)| *is_alias) {
        let own = (*kind, *slug, false);
        let first = slugs.partition_point(|(known, _)| *known < own);
        if let Some((_, place)) = slugs.get(first).filter(|(known, _)| *known == own) {
            let message = format!("the alias {} is the slug of {}", quoted(slug), report.place(*place));
            report.push(Diagnostic::new(Code::AliasIsSlug, *at, message).value("slug", *slug));
        }
    }
    report_repeated(slugs, report, |(_, slug, is_alias)| {
        let (code, what) =
            if *is_alias { (Code::DuplicateAlias, "alias") } else { (Code::DuplicateSlug, "slug") };
        (code, format!("the {what} {} is taken", quoted(slug)), "slug", (*slug).to_owned())
    });
}

fn report_translations(tables: &Tables, report: &mut Diagnostics) {
    let all = tables.translations.iter().map(|row| ((row.record.about(), row.record.locale), row.at));
    report_repeated(all.collect(), report, |(of, locale)| {
        let (kind, locale) = (of.kind.as_str(), locale.as_str());
        let message = format!("the {kind} already has a translation in `{locale}`");
        (Code::DuplicateKey, message, "locale", format!("{} {locale}", of.id))
    });
}

fn report_terms(tables: &Tables, report: &mut Diagnostics) {
    let all = tables.vocabulary.iter().map(|row| ((&*row.record.facet, &*row.record.value), row.at));
    report_repeated(all.collect(), report, |(facet, value)| {
        let message = format!("{} of `{}` already has a label", quoted(value), facet.escape_debug());
        (Code::DuplicateKey, message, "value", (*value).to_owned())
    });
}

/// Reports each key that occurs again, after its first place: the code, message, field and value of a key.
fn report_repeated<K: Ord>(
    mut keys: Vec<(K, Location)>,
    report: &mut Diagnostics,
    problem: impl Fn(&K) -> (Code, String, &'static str, String),
) {
    keys.sort_unstable();
    for same in keys.chunk_by(|(a, _), (b, _)| a == b) {
        for (key, at) in &same[1..] {
            let (code, message, field, value) = problem(key);
            let message = format!("{message}, see {}", report.place(same[0].1));
            report.push(Diagnostic::new(code, *at, message).value(field, value));
        }
    }
}

/// Vocabulary values whose `broader` is no value of the facet, or leads back to themselves.
fn broader(tables: &Tables) -> impl Iterator<Item = Diagnostic> {
    let terms = tables.vocabulary.iter().map(|row| &row.record);
    let broader: BTreeMap<(&str, &str), Option<&str>> =
        terms.map(|term| ((term.facet.as_str(), term.value.as_str()), term.broader.as_deref())).collect();
    tables.vocabulary.iter().filter_map(move |row| {
        let (facet, start) = (row.record.facet.as_str(), row.record.value.as_str());
        let above = row.record.broader.as_deref()?;
        if !broader.contains_key(&(facet, above)) {
            if tables.incomplete.contains(&Table::Vocabulary) {
                return None;
            }
            let message = format!("`broader` is {}, which is no value of this facet", quoted(above));
            return Some(Diagnostic::new(Code::Dangling, row.at, message).value("broader", above));
        }
        let mut value = above;
        for _ in 0..DEEPEST {
            value = broader.get(&(facet, value)).copied().flatten()?;
        }
        let message = format!("following `broader` from {} never ends", quoted(start));
        Some(Diagnostic::new(Code::BroaderLoop, row.at, message).value("broader", above))
    })
}
