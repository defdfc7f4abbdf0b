//! The seasons of programs and what was observed of them, as rows of numbers.

use bytemuck::{Pod, Zeroable};

use crate::record::{CycleStatus, Lifecycle};
use crate::search::table::{ListsOf, ListsWriter, Pair, column};
use crate::time::{Day, Openness, Season};
use store::sections::{Section, SectionError, SectionWriter, Sections};

const SEASONS: Pair = ("season.at", "season");
const OBSERVED: &str = "doc.observed";
const NOT_STATED: u8 = u8::MAX;

/// A [`Season`].
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SeasonRow {
    opens: Day,
    deadline: Day,
    starts: Day,
    named: Day,
    /// Position in [`CycleStatus::ALL`], or 255.
    stated: u8,
    projected: u8,
    no_call: u8,
    unused: u8,
}

impl From<&Season> for SeasonRow {
    fn from(season: &Season) -> Self {
        let Season { opens, deadline, starts, stated, named, projected, no_call } = *season;
        let stated = stated.map_or(NOT_STATED, |status| status as u8);
        let [projected, no_call] = [projected, no_call].map(u8::from);
        Self { opens, deadline, starts, named, stated, projected, no_call, unused: 0 }
    }
}

impl From<&SeasonRow> for Season {
    fn from(row: &SeasonRow) -> Self {
        let SeasonRow { opens, deadline, starts, named, stated, projected, no_call, .. } = *row;
        let stated = CycleStatus::ALL.get(usize::from(stated)).copied();
        let [projected, no_call] = [projected, no_call].map(|flag| flag != 0);
        Self { opens, deadline, starts, stated, named, projected, no_call }
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

/// An [`Observation`].
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ObservationRow {
    on: Day,
    checked: Day,
    /// Position in [`Lifecycle::ALL`].
    lifecycle: u32,
}

impl From<Observation> for ObservationRow {
    fn from(Observation { lifecycle, on, checked }: Observation) -> Self {
        Self { on, checked, lifecycle: lifecycle as u32 }
    }
}

impl From<ObservationRow> for Observation {
    fn from(ObservationRow { on, checked, lifecycle }: ObservationRow) -> Self {
        let lifecycle = Lifecycle::ALL.get(lifecycle as usize).copied();
        Self { lifecycle: lifecycle.unwrap_or(Lifecycle::Unclear), on, checked }
    }
}

/// Seasons and observations of all documents.
///
/// ```text
/// season.at .season   SeasonRow: the seasons of each document
/// doc.observed        ObservationRow of each document
/// ```
pub(super) struct Seasons {
    seasons: ListsOf<SeasonRow>,
    observed: Section<ObservationRow>,
}

/// Seasons and observations being collected, in document order.
#[derive(Default)]
pub(super) struct SeasonsWriter {
    seasons: ListsWriter<SeasonRow>,
    observed: Vec<ObservationRow>,
}

impl SeasonsWriter {
    /// Adds the next document.
    pub(super) fn add(&mut self, observation: Observation, seasons: impl Iterator<Item = Season>) {
        self.seasons.push(&seasons.map(|season| (&season).into()).collect::<Vec<_>>());
        self.observed.push(observation.into());
    }

    /// Writes the rows.
    pub(super) fn write(self, writer: &mut SectionWriter) {
        self.seasons.write(SEASONS, writer);
        writer.put(OBSERVED, self.observed);
    }
}

impl Seasons {
    /// Opens the rows of `count` documents.
    pub(super) fn open(sections: &Sections, count: usize) -> Result<Self, SectionError> {
        let seasons = ListsOf::open_len(sections, SEASONS, count)?;
        Ok(Self { seasons, observed: column(sections, OBSERVED, count)? })
    }

    /// Seasons of a document.
    pub(super) fn of(&self, doc: usize) -> impl Iterator<Item = Season> {
        self.seasons.get(doc).iter().map(Season::from)
    }

    /// Openness of a document on a day.
    pub(super) fn openness(&self, doc: usize, day: Day) -> Openness {
        Openness::new(self.observed(doc).lifecycle, self.of(doc), day)
    }

    /// What was observed of a document.
    pub(super) fn observed(&self, doc: usize) -> Observation {
        self.observed[doc].into()
    }
}
