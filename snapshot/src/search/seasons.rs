//! The seasons of programs and what was observed of them, as columns.

use crate::record::{CycleStatus, Lifecycle};
use crate::search::table::{column, offsets};
use crate::time::{Day, Openness, Season};
use store::sections::{Section, SectionError, SectionWriter, Sections};

/// Names of the columns: opens, deadline, starts, stated status, last day named, flags.
pub(crate) type ColumnNames = [&'static str; 6];

const SEASONS: ColumnNames =
    ["season.opens", "season.deadline", "season.starts", "season.stated", "season.named", "season.projected"];
const NOT_STATED: u8 = u8::MAX;

/// Seasons as columns: four of [`Day`]s, one of positions in [`CycleStatus::ALL`], or 255, and one of flags.
#[derive(Clone)]
pub(crate) struct SeasonColumns {
    /// Opens, deadline, starts, last day named.
    days: [Section<Day>; 4],
    stated: Section<u8>,
    flags: Section<u8>,
}

/// Seasons being collected.
#[derive(Default)]
pub(crate) struct SeasonColumnsWriter {
    /// Opens, deadline, starts, last day named.
    days: [Vec<Day>; 4],
    stated: Vec<u8>,
    flags: Vec<u8>,
}

impl SeasonColumnsWriter {
    /// Adds a season.
    pub(crate) fn push(&mut self, season: &Season) {
        let position = |status: CycleStatus| CycleStatus::ALL.iter().position(|known| *known == status);
        let days = [season.opens, season.deadline, season.starts, season.named];
        self.days.iter_mut().zip(days).for_each(|(column, day)| column.push(day));
        self.stated.push(season.stated.and_then(position).map_or(NOT_STATED, |n| n as u8));
        self.flags.push(u8::from(season.projected) | u8::from(season.no_call) << 1);
    }

    /// Writes the columns.
    pub(crate) fn write(self, names: ColumnNames, writer: &mut SectionWriter) {
        let [opens, deadline, starts, named] = self.days;
        writer.put(names[0], opens);
        writer.put(names[1], deadline);
        writer.put(names[2], starts);
        writer.put(names[3], self.stated);
        writer.put(names[4], named);
        writer.put(names[5], self.flags);
    }
}

impl SeasonColumns {
    /// Opens the columns.
    ///
    /// # Errors
    ///
    /// If one is missing, damaged, or of another length than the others.
    pub(crate) fn open(sections: &Sections, names: ColumnNames) -> Result<Self, SectionError> {
        let stated = sections.get::<u8>(names[3])?;
        let days = |name| column(sections, name, stated.len());
        Ok(Self {
            days: [days(names[0])?, days(names[1])?, days(names[2])?, days(names[4])?],
            flags: column(sections, names[5], stated.len())?,
            stated,
        })
    }

    /// Number of seasons.
    pub(crate) fn count(&self) -> usize {
        self.stated.len()
    }

    /// A season by its position.
    pub(crate) fn get(&self, position: usize) -> Season {
        let [opens, deadline, starts, named] = self.days.each_ref().map(|column| column[position]);
        let stated = CycleStatus::ALL.get(usize::from(self.stated[position])).copied();
        let [projected, no_call] = [1, 2].map(|flag| self.flags[position] & flag != 0);
        Season { opens, deadline, starts, stated, named, projected, no_call }
    }
}

/// What is known of a program besides its seasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Its lifecycle.
    pub lifecycle: Lifecycle,
    /// When the lifecycle was observed, or [`Day::NONE`].
    pub on: Day,
    /// When the program was last checked, or [`Day::NONE`].
    pub checked: Day,
}

/// Seasons and observations of all documents.
///
/// ```text
/// season.at                        u64: first season of each document, and the end
/// season.opens .deadline .starts   Day of each season
/// season.stated                    u8: position in CycleStatus::ALL, or 255
/// season.named                    Day of each season: last day that its name leaves possible
/// season.projected                 u8: 1 where its days are projected, plus 2 where it is no call
/// doc.lifecycle                    u8 of each document: position in Lifecycle::ALL
/// doc.observed                     Day of each document: when its lifecycle was observed
/// doc.checked                      Day of each document: when it was last checked
/// ```
pub(super) struct Seasons {
    at: Section<u64>,
    columns: SeasonColumns,
    lifecycle: Section<u8>,
    observed: Section<Day>,
    checked: Section<Day>,
}

/// Seasons and observations being collected, in document order.
#[derive(Default)]
pub(super) struct SeasonsWriter {
    at: Vec<u64>,
    columns: SeasonColumnsWriter,
    lifecycle: Vec<u8>,
    observed: Vec<Day>,
    checked: Vec<Day>,
}

impl SeasonsWriter {
    /// Adds the next document.
    pub(super) fn add(&mut self, observation: Observation, seasons: impl Iterator<Item = Season>) {
        self.at.push(self.columns.stated.len() as u64);
        seasons.for_each(|season| self.columns.push(&season));
        self.lifecycle.push(observation.lifecycle as u8);
        self.observed.push(observation.on);
        self.checked.push(observation.checked);
    }

    /// Writes the columns.
    pub(super) fn write(mut self, writer: &mut SectionWriter) {
        self.at.push(self.columns.stated.len() as u64);
        writer.put("season.at", self.at);
        self.columns.write(SEASONS, writer);
        writer.put("doc.lifecycle", self.lifecycle);
        writer.put("doc.observed", self.observed);
        writer.put("doc.checked", self.checked);
    }
}

impl Seasons {
    /// Opens the columns of `count` documents.
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let columns = SeasonColumns::open(sections, SEASONS)?;
        Ok(Self {
            at: offsets(sections, "season.at", count, columns.count())?,
            columns,
            lifecycle: column(sections, "doc.lifecycle", count)?,
            observed: column(sections, "doc.observed", count)?,
            checked: column(sections, "doc.checked", count)?,
        })
    }

    /// Seasons of a document.
    pub(super) fn of(&self, doc: usize) -> impl Iterator<Item = Season> {
        (self.at[doc] as usize..self.at[doc + 1] as usize).map(|position| self.columns.get(position))
    }

    /// Openness of a document on a day.
    pub(super) fn openness(&self, doc: usize, day: Day) -> Openness {
        Openness::new(self.observed(doc).lifecycle, self.of(doc), day)
    }

    /// What was observed of a document.
    pub(super) fn observed(&self, doc: usize) -> Observation {
        let lifecycle = Lifecycle::ALL.get(usize::from(self.lifecycle[doc])).copied();
        Observation {
            lifecycle: lifecycle.unwrap_or(Lifecycle::Unclear),
            on: self.observed[doc],
            checked: self.checked[doc],
        }
    }
}
