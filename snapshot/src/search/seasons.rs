//! The seasons of programs and what was observed of them, as rows of numbers.

use crate::record::{CycleStatus, Directory, Lifecycle};
use crate::search::table::{ListsOf, Pair, column};
use crate::time::{Day, Openness, Season};
use store::sections::{Section, SectionError, SectionWriter, Sections};

const SEASONS: Pair = ("season.at", "season");
const OBSERVED: &str = "doc.observed";
const NOT_STATED: u8 = u8::MAX;

/// A [`Season`]: the day on which it opens, its deadline, the day on which it starts and the day that its name states;
/// then four bytes: the position of its status in [`CycleStatus::ALL`] or 255, two flags, and 0.
pub(crate) type SeasonRow = [i32; 5];

impl From<&Season> for SeasonRow {
    fn from(season: &Season) -> Self {
        let Season { opens, deadline, starts, stated, named, projected, no_call } = *season;
        let stated = stated.map_or(NOT_STATED, |status| status as u8);
        let rest = i32::from_le_bytes([stated, projected.into(), no_call.into(), 0]);
        [opens.0, deadline.0, starts.0, named.0, rest]
    }
}

impl From<&SeasonRow> for Season {
    fn from([days @ .., rest]: &SeasonRow) -> Self {
        let [opens, deadline, starts, named] = days.map(Day);
        let [stated, projected, no_call, _] = rest.to_le_bytes();
        let stated = CycleStatus::ALL.get(usize::from(stated)).copied();
        Self { opens, deadline, starts, stated, named, projected: projected != 0, no_call: no_call != 0 }
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

/// An [`Observation`]: its days, then the position of the lifecycle in [`Lifecycle::ALL`].
pub(crate) type ObservationRow = [i32; 3];

impl From<Observation> for ObservationRow {
    fn from(Observation { lifecycle, on, checked }: Observation) -> Self {
        [on.0, checked.0, lifecycle as i32]
    }
}

impl From<ObservationRow> for Observation {
    fn from([on, checked, lifecycle]: ObservationRow) -> Self {
        let lifecycle = Lifecycle::ALL.get(lifecycle as usize).copied();
        Self { lifecycle: lifecycle.unwrap_or(Lifecycle::Unclear), on: Day(on), checked: Day(checked) }
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

/// Writes the rows; `order` gives the program of each document.
pub(super) fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let seasons = order.iter().map(|program| -> Vec<SeasonRow> {
        let cycles = directory.program_links[*program].cycles.iter().map(|cycle| &directory.cycles[*cycle]);
        let it = &directory.programs[*program];
        cycles.map(|cycle| (&Season::of(cycle).with_program(it)).into()).collect()
    });
    ListsOf::write(writer, SEASONS, seasons);
    let observed = order.iter().map(|program| -> ObservationRow {
        let it = &directory.programs[*program];
        let [on, checked] = [it.lifecycle_observed_at(), it.last_checked_at()].map(Day::of);
        Observation { lifecycle: it.lifecycle, on, checked }.into()
    });
    writer.put(OBSERVED, observed.collect::<Vec<_>>());
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
