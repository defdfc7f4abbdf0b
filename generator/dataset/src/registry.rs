//! What rules over all rows need of each row: its id, slug, references and publication. Rows are added table by table,
//! owners before the rows that belong to them, all at once or in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use snapshot::record::{EntityRef, EntityType, Locale, PublicationStatus};
use store::spill::{Column, Sorter, Spill};
use uuid::Uuid;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::record::{Record, Reference};
use crate::rows::{Row, Tables};
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

/// Parts in which ids are compared.
const BUCKETS: usize = 32;
/// The row of an id that was announced.
const ANNOUNCED: u32 = u32::MAX;

/// The rows of a table.
#[derive(Default)]
struct Rows {
    statuses: Vec<Status>,
    /// Row of each id, of tables that others refer to.
    by_id: FxHashMap<Uuid, u32>,
}

/// All rows that were added.
pub(crate) struct Registry {
    tables: [Rows; Table::ALL.len()],
    /// The program of each cycle.
    cycle_programs: Vec<Uuid>,
    /// Ids of awards and facts that other rows refer to; `None` if all are to be kept.
    pub(crate) wanted: Option<FxHashSet<Uuid>>,
    /// Two halves of an id, then table and place.
    ids: Vec<Column<[u64; 3]>>,
    /// Kind, slug, whether it is an alias, place.
    slugs: Sorter,
    translations: Vec<(EntityRef, Locale, Location)>,
    /// Tables without a file.
    absent: BTreeSet<Table>,
    /// Tables that lost rows to errors so far: references into them are not checked.
    pub(crate) incomplete: BTreeSet<Table>,
    /// Absent tables that rows refer to: the first place, and the number of references.
    missing: BTreeMap<Table, (Location, usize)>,
    errors: Vec<Diagnostic>,
}

impl Registry {
    pub(crate) fn new(absent: BTreeSet<Table>, spill: &Spill) -> Self {
        Self {
            tables: Default::default(),
            cycle_programs: Vec::new(),
            wanted: None,
            ids: (0..BUCKETS).map(|_| Column::new(spill)).collect(),
            slugs: Sorter::new(spill),
            translations: Vec::new(),
            absent,
            incomplete: BTreeSet::new(),
            missing: BTreeMap::new(),
            errors: Vec::new(),
        }
    }

    /// Of all rows of a dataset.
    pub(crate) fn of(tables: &mut Tables) -> Self {
        let mut registry = Self::new(tables.absent.clone(), &Spill::default());
        registry.incomplete.clone_from(&tables.incomplete);
        tables.sources.iter().for_each(|row| registry.announce_source(row.record.id));
        each_table!(tables, |table, rows| registry.add(table, rows));
        registry
    }

    /// Makes the id of a source known: rows that are added before sources refer to them.
    pub(crate) fn announce_source(&mut self, id: Uuid) {
        self.tables[Table::Sources as usize].by_id.entry(id).or_insert(ANNOUNCED);
    }

    /// Row of a record.
    fn row(&self, table: Table, id: Uuid) -> Option<u32> {
        self.tables[table as usize].by_id.get(&id).copied()
    }

    /// Whether a record is there and published.
    pub(crate) fn is_published(&self, table: Table, id: Uuid) -> bool {
        self.row(table, id).is_some_and(|row| self.status(table, row) == Some(Status::Published))
    }

    /// The status of a row.
    pub(crate) fn status(&self, table: Table, row: u32) -> Option<Status> {
        self.tables[table as usize].statuses.get(row as usize).copied()
    }

    /// Number of published rows of a table.
    pub(crate) fn published(&self, table: Table) -> usize {
        self.count(table, Status::Published)
    }

    fn count(&self, table: Table, wanted: Status) -> usize {
        self.tables[table as usize].statuses.iter().filter(|status| **status == wanted).count()
    }

    /// Adds rows of a table. Returns the number of the first.
    pub(crate) fn add<T: Record>(&mut self, table: Table, rows: &[Row<T>]) -> u32 {
        self.count_missing(rows);
        let first = self.tables[table as usize].statuses.len() as u32;
        let judged = parallel::flat_map(rows, |row| Some(self.judge(row)));
        for (row, (status, errors)) in rows.iter().zip(judged) {
            self.errors.extend(errors);
            let number = self.tables[table as usize].statuses.len() as u32;
            self.tables[table as usize].statuses.push(status);
            if let Some(id) = row.record.profile().id {
                self.add_id(table, id, number, row.at);
            }
            self.add_keys(&row.record, row.at);
        }
        first
    }

    fn add_id(&mut self, table: Table, id: Uuid, number: u32, at: Location) {
        let (high, low) = id.as_u64_pair();
        // Ids are random, or the last digits differ.
        let bucket = (high ^ low) as usize % BUCKETS;
        self.ids[bucket].push([high, low, (table as u64) << 56 | at.to_bits()]);
        let is_referred_to = match table {
            Table::Organizations | Table::Programs | Table::Recipients | Table::Cycles | Table::Sources => {
                true
            }
            Table::Awards | Table::Facts => self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&id)),
            _ => false,
        };
        if is_referred_to {
            let row = self.tables[table as usize].by_id.entry(id).or_insert(number);
            if *row == ANNOUNCED {
                *row = number;
            }
        }
    }

    fn add_keys(&mut self, record: &impl Record, at: Location) {
        let profile = record.profile();
        self.cycle_programs.extend(profile.cycle_program);
        if let Some((kind, slug, is_alias)) = profile.slug {
            let place = at.to_bits().to_be_bytes();
            self.slugs.push(&[&[kind as u8], slug.as_bytes(), &[0, is_alias.into()], &place]);
        }
        self.translations.extend(profile.translated.map(|(of, locale)| (of, locale, at)));
    }

    /// The status of a row, and errors of its references.
    fn judge(&self, row: &Row<impl Record>) -> (Status, Vec<Diagnostic>) {
        let references = || row.record.references();
        let dangling = references().filter_map(|to| self.dangling(row.at, to));
        (self.status_of(&row.record), dangling.chain(self.other_program(row)).collect())
    }

    fn status_of(&self, record: &impl Record) -> Status {
        let has_owners = || {
            let mut owners = record.references().filter(|to| to.is_owner);
            owners.all(|to| self.is_published(to.table, to.id))
        };
        match record.publication() {
            PublicationStatus::Draft => Status::Draft,
            PublicationStatus::Withdrawn => Status::Withdrawn,
            PublicationStatus::Published if !has_owners() => Status::OwnerLeftOut,
            PublicationStatus::Published if record.profile().is_unapproved => Status::NotApproved,
            PublicationStatus::Published => Status::Published,
        }
    }

    fn dangling(&self, at: Location, to: Reference) -> Option<Diagnostic> {
        let Reference { field, table, id, .. } = to;
        let is_unknown = self.incomplete.contains(&table) || self.absent.contains(&table);
        if is_unknown || self.row(table, id).is_some() {
            return None;
        }
        let message = format!("`{field}` is {id}, which is not in {}", table.name());
        let elsewhere = EntityType::ALL.iter().map(|kind| Table::of(*kind));
        let elsewhere = elsewhere.filter(|table| self.row(*table, id).is_some());
        let help = elsewhere.map(|table| format!("a record with this id is in {}", table.name())).next();
        Some(Diagnostic::new(Code::Dangling, at, message).value(field, id.to_string()).maybe_help(help))
    }

    /// A season of another program than the one that the row is of.
    fn other_program(&self, row: &Row<impl Record>) -> Option<Diagnostic> {
        let (program, cycle) = row.record.profile().season?;
        let of_cycle = *self.cycle_programs.get(self.row(Table::Cycles, cycle)? as usize)?;
        let message = || format!("`programId` is {program}, but the cycle belongs to program {of_cycle}");
        (of_cycle != program)
            .then(|| Diagnostic::new(Code::OtherProgram, row.at, message()).field("programId"))
    }

    /// Adds a note of what is left out, by reason.
    pub(crate) fn note_left_out(&self, report: &mut Diagnostics) {
        let tables = Table::ALL.iter().zip(&self.tables).filter_map(|(table, rows)| {
            let left_out = rows.statuses.len() - self.count(*table, Status::Published);
            let reasons = REASONS.iter().map(|(status, reason)| (self.count(*table, *status), reason));
            let reasons = reasons.filter(|(count, _)| *count > 0);
            let reasons: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
            (left_out > 0).then(|| format!("{} {left_out}{reasons}", table.name()))
        });
        let tables: Vec<String> = tables.collect();
        if !tables.is_empty() {
            report.note(format!("left out, with the rows that belong to it: {}", tables.join(", ")));
        }
    }

    /// Reports references that lead nowhere, and what occurs twice. `start` is where the dataset begins.
    pub(crate) fn report(&mut self, start: Option<Location>, report: &mut Diagnostics) -> io::Result<()> {
        report.extend(std::mem::take(&mut self.errors));
        self.report_missing_tables(start, report);
        self.report_ids(report)?;
        self.report_slugs(report)?;
        self.translations.sort_unstable();
        for same in self.translations.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for (of, locale, at) in &same[1..] {
                let (kind, locale) = (of.kind.as_str(), locale.as_str());
                let message = format!("the {kind} already has a translation in `{locale}`");
                let value = ("locale", format!("{} {locale}", of.id));
                report.push(repeated(Code::DuplicateKey, (*at, same[0].2), &message, value, report));
            }
        }
        Ok(())
    }

    /// Tables that must exist, or that rows refer to, and do not.
    fn report_missing_tables(&self, start: Option<Location>, report: &mut Diagnostics) {
        let needed = [Table::Organizations, Table::Programs].into_iter();
        let needed = needed.filter(|table| self.absent.contains(table) && !self.missing.contains_key(table));
        let needed = needed.filter_map(|table| Some((table, start?, None)));
        let referred = self.missing.iter().map(|(table, (at, count))| (*table, *at, Some(*count)));
        let is_read = |table: &Table| !self.incomplete.contains(table);
        for (table, at, count) in needed.chain(referred).filter(|(table, ..)| is_read(table)) {
            let name = table.name();
            let references = count.map(|count| format!(", but {} to it", counted(count, "reference")));
            let message = format!("there is no table `{name}`{}", references.unwrap_or_default());
            let help = format!("add {name}.csv or {name}.ndjson");
            report.push(Diagnostic::new(Code::NoTable, at, message).help(help));
        }
    }

    fn report_ids(&mut self, report: &mut Diagnostics) -> io::Result<()> {
        let buckets = std::mem::take(&mut self.ids).into_iter().map(Column::finish);
        let buckets: Vec<_> = buckets.collect::<io::Result<_>>()?;
        let repeated_ids = buckets.into_par_iter().flat_map_iter(|bucket| {
            let table = |entry: &[u64; 3]| entry[2] >> 56;
            let mut entries = bucket.to_vec();
            entries.sort_unstable_by_key(|entry| (table(entry), *entry));
            let same = entries.chunk_by(|a, b| (a[0], a[1], table(a)) == (b[0], b[1], table(b)));
            same.filter(|same| same.len() > 1).map(<[_]>::to_vec).collect::<Vec<_>>()
        });
        for same in repeated_ids.collect::<Vec<_>>() {
            let [first, others @ ..] = &same[..] else { continue };
            let id = Uuid::from_u64_pair(first[0], first[1]);
            for other in others {
                let places = (Location::from_bits(other[2]), Location::from_bits(first[2]));
                let message = format!("the id {id} is taken");
                report.push(repeated(Code::DuplicateId, places, &message, ("id", id.to_string()), report));
            }
        }
        Ok(())
    }

    /// Slugs that occur again, aliases that do, and aliases that are slugs.
    fn report_slugs(&mut self, report: &mut Diagnostics) -> io::Result<()> {
        let slugs = std::mem::replace(&mut self.slugs, Sorter::new(&Spill::default()));
        // What was read last: kind and slug, and the places of the first slug and of the first alias.
        let (mut key, mut firsts): (Vec<u8>, [Option<Location>; 2]) = Default::default();
        slugs.finish(|record| {
            let Some((rest, at)) = record.split_last_chunk::<8>() else { return };
            let Some((of, [0, is_alias])) = rest.split_last_chunk::<2>() else { return };
            let (at, slug) =
                (Location::from_bits(u64::from_be_bytes(*at)), String::from_utf8_lossy(&of[1..]));
            if key != of {
                (key, firsts) = (of.to_vec(), [None; 2]);
            }
            let value = || ("slug", slug.clone().into_owned());
            let first = firsts[usize::from(*is_alias)].get_or_insert(at);
            let (code, what) = match is_alias {
                0 => (Code::DuplicateSlug, "slug"),
                _ => (Code::DuplicateAlias, "alias"),
            };
            if *first != at {
                let message = format!("the {what} {} is taken", quoted(&slug));
                report.push(repeated(code, (at, *first), &message, value(), report));
            }
            if let (1, Some(own)) = (is_alias, firsts[0]) {
                let message = format!("the alias {} is the slug of {}", quoted(&slug), report.place(own));
                report.push(Diagnostic::new(Code::AliasIsSlug, at, message).value("slug", slug.clone()));
            }
        })
    }

    /// Counts references into tables that are absent.
    fn count_missing<T: Record>(&mut self, rows: &[Row<T>]) {
        if self.absent.is_empty() {
            return;
        }
        for row in rows {
            for to in row.record.references() {
                if self.absent.contains(&to.table) {
                    self.missing.entry(to.table).or_insert((row.at, 0)).1 += 1;
                }
            }
        }
    }
}

/// The problem of a key that occurs at a place again, after its first place.
pub(crate) fn repeated(
    code: Code,
    (at, first): (Location, Location),
    message: &str,
    (field, value): (&'static str, String),
    report: &Diagnostics,
) -> Diagnostic {
    let message = format!("{message}, see {}", report.place(first));
    Diagnostic::new(code, at, message).value(field, value)
}
