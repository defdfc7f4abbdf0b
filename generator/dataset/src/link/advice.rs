//! Warnings about the published rows taken together. The only day they depend on is the day of publication.

use std::collections::{BTreeMap, HashSet};
use std::io;

use jiff::Timestamp;
use jiff::civil::Date;
use snapshot::page::money::per;
use snapshot::record::{CycleStatus, Dataset, EntityRef, Fact, Lifecycle, Locale};
use snapshot::time::{Day, Season};
use store::spill::{Sorter, Spill};
use uuid::Uuid;

use super::contradicted;
use super::rules::day_of;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::facet_values::ValueUses;
use crate::parallel;
use crate::rows::Tables;
use crate::text::{folded, part_of, quoted};

/// Warnings about rows together. Tables are added all at once or in parts; what counts all of them comes at the end.
pub(crate) struct Advice {
    /// Organization, folded name, 0, place and slug of each program.
    names: Sorter,
    values: ValueUses,
    programs: usize,
    organizations: usize,
    stale: Stale,
    /// Organizations and programs without a text: the first place, and their number.
    untranslated: BTreeMap<Locale, [(Option<Location>, usize); 2]>,
}

/// Programs that were last checked long ago.
#[derive(Default)]
struct Stale {
    count: usize,
    first: Option<Location>,
    /// The oldest check: its day, the place and the slug of its program.
    oldest: Option<(Date, Location, String)>,
}

impl Advice {
    pub(crate) fn new(spill: &Spill) -> Self {
        let (values, programs, organizations, stale, untranslated) = Default::default();
        Self { names: Sorter::new(spill), values, programs, organizations, stale, untranslated }
    }

    /// Adds programs with what belongs to them.
    pub(crate) fn add_programs(&mut self, tables: &mut Tables, report: &mut Diagnostics) {
        report.extend(histories(tables));
        report.extend(rates_of_pay(tables));
        let contradicted = contradicted::check(tables, report);
        report.extend(contradicted);
        self.values.add(tables);
        self.programs += tables.programs.len();
        for row in &tables.programs {
            let it = &row.record;
            let (name, at) = (folded(&it.name), row.at.to_bits().to_be_bytes());
            self.names.push(&[it.organization_id.as_bytes(), name.as_bytes(), &[0], &at, it.slug.as_bytes()]);
        }
        let Some(dataset) = &tables.dataset else { return };
        let published = day_of(dataset.record.published_at);
        report.extend(contradictions(tables, Day::new(published)));
        report.extend(accepting_after_deadline(tables, Day::new(published)));
        self.stale.add(tables, published);
        self.add_untranslated(tables, &dataset.record, 1);
    }

    /// Adds organizations.
    pub(crate) fn add_organizations(&mut self, tables: &Tables) {
        self.organizations += tables.organizations.len();
        let Some(dataset) = &tables.dataset else { return };
        self.add_untranslated(tables, &dataset.record, 0);
    }

    /// Adds organizations without a text, or programs.
    fn add_untranslated(&mut self, tables: &Tables, dataset: &Dataset, kind: usize) {
        for &locale in &dataset.locales {
            let places = &untranslated(tables, dataset, locale)[kind];
            let (first, count) = &mut self.untranslated.entry(locale).or_default()[kind];
            *first = first.iter().chain(places).min().copied();
            *count += places.len();
        }
    }

    /// Reports what counts all rows; dataset and vocabulary are those of some tables.
    pub(crate) fn finish(self, tables: &Tables, report: &mut Diagnostics) -> io::Result<()> {
        report_near_duplicates(self.names, report)?;
        self.values.report(tables, report);
        let Some(dataset) = &tables.dataset else { return Ok(()) };
        // After errors the programs may be missing because of them.
        if self.programs == 0 && report.error_count() == 0 {
            report.push(Diagnostic::new(Code::NoPrograms, dataset.at, "no program is published"));
        }
        report.extend(self.stale.diagnostic(self.programs, day_of(dataset.record.published_at)));
        for (locale, [organizations, programs]) in self.untranslated {
            for ((first, count), noun, of) in
                [(organizations, "organization", self.organizations), (programs, "program", self.programs)]
            {
                let Some(first) = first else { continue };
                let part = part_of(count, of, noun, ["has", "have"]);
                let message = format!("{part} no text in `{}`", locale.as_str());
                report.push(Diagnostic::new(Code::MissingTranslation, first, message));
            }
        }
        Ok(())
    }
}

/// Reports programs that have the name of another one of their organization.
fn report_near_duplicates(names: Sorter, report: &mut Diagnostics) -> io::Result<()> {
    // The first program of a name: organization and name, place, slug.
    let mut first: (Vec<u8>, Option<Location>, String) = Default::default();
    names.finish(|record| {
        let name = record.iter().skip(16).position(|byte| *byte == 0).map_or(record.len(), |end| 16 + end);
        let (key, rest) = record.split_at(name);
        let Some((at, slug)) = rest.get(1..).and_then(<[u8]>::split_first_chunk::<8>) else { return };
        let at = Location::from_bits(u64::from_be_bytes(*at));
        match &first {
            (known, Some(place), slug) if known == key => {
                let place = report.place(*place);
                let message = format!(
                    "the organization has another program of this name, {}, see {place}",
                    quoted(slug)
                );
                report.push(Diagnostic::new(Code::NearDuplicate, at, message));
            }
            _ => first = (key.to_vec(), Some(at), String::from_utf8_lossy(slug).into_owned()),
        }
    })
}

impl Stale {
    fn add(&mut self, tables: &Tables, published: Date) {
        let Some(year_before) = year_before(published) else { return };
        for row in &tables.programs {
            let Some(day) = row.record.source_checked_at.map(day_of).filter(|day| *day < year_before) else {
                continue;
            };
            self.count += 1;
            self.first = Some(self.first.map_or(row.at, |first| first.min(row.at)));
            if self.oldest.as_ref().is_none_or(|(oldest, at, _)| (day, row.at) < (*oldest, *at)) {
                self.oldest = Some((day, row.at, row.record.slug.clone()));
            }
        }
    }

    fn diagnostic(self, programs: usize, published: Date) -> Option<Diagnostic> {
        let (day, _, slug) = self.oldest?;
        let message = format!(
            "{} last checked before {}, a year before publication; the oldest is {} on {day}",
            part_of(self.count, programs, "program", ["was", "were"]),
            year_before(published)?,
            quoted(&slug),
        );
        Some(Diagnostic::new(Code::StaleChecks, self.first?, message))
    }
}

fn year_before(published: Date) -> Option<Date> {
    published.checked_sub(jiff::Span::new().years(1)).ok()
}

fn histories(tables: &Tables) -> Vec<Diagnostic> {
    let mut newest: BTreeMap<Uuid, (Timestamp, Uuid, Lifecycle)> = BTreeMap::new();
    for row in &tables.transitions {
        let record = &row.record;
        let entry = (record.observed_at, record.id, record.to_lifecycle);
        let known = newest.entry(record.program_id).or_insert(entry);
        *known = (*known).max(entry);
    }
    let warnings = tables.programs.iter().filter_map(|row| {
        let (.., end) = newest.get(&row.record.id)?;
        let message = format!(
            "`lifecycle` is `{}`, but the history ends in `{}`",
            row.record.lifecycle.as_str(),
            end.as_str()
        );
        (*end != row.record.lifecycle)
            .then(|| Diagnostic::new(Code::HistoryDisagrees, row.at, message).field("lifecycle"))
    });
    warnings.collect()
}

/// Amounts that are probably a wage, not the total.
fn rates_of_pay(tables: &Tables) -> Vec<Diagnostic> {
    let mut facts: BTreeMap<Uuid, Vec<&Fact>> = BTreeMap::new();
    for row in &tables.facts {
        facts.entry(row.record.program_id).or_default().push(&row.record);
    }
    let warnings = tables.programs.iter().filter_map(|row| {
        let of_program = facts.get(&row.record.id).map_or(&[][..], Vec::as_slice);
        let per = per(&row.record, of_program)?.as_str();
        let message = format!(
            "the funding of {} is paid by the {} according to its text",
            quoted(&row.record.slug),
            quoted(per),
        );
        Some(Diagnostic::new(Code::RateOfPay, row.at, message))
    });
    warnings.collect()
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

fn accepting_after_deadline(tables: &Tables, day: Day) -> Vec<Diagnostic> {
    let mut over: BTreeMap<Uuid, bool> = BTreeMap::new();
    for row in &tables.cycles {
        let is_over = Season::of(&row.record).status(day) == CycleStatus::Closed;
        *over.entry(row.record.program_id).or_insert(true) &= is_over;
    }
    let accepting = tables.programs.iter().filter(|row| row.record.lifecycle == Lifecycle::ActiveAccepting);
    let warnings = accepting.filter(|row| over.get(&row.record.id) == Some(&true)).map(|row| {
        let message = format!("{} is `active_accepting`, but every season is over", quoted(&row.record.slug));
        Diagnostic::new(Code::AcceptingAfterDeadline, row.at, message).field("lifecycle")
    });
    warnings.collect()
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
