//! Cycles: prepared rows with a gap for the status, and the days that it follows from.

use crate::page::json::push_json;
use crate::page::shape::Shaper;
use crate::record::field_table::Object;
use crate::record::{CycleStatus, Directory, season_order};
use crate::search::{
    Observation, ObservationRow, Pair, SeasonRow, Strings, StringsWriter, check_below, column,
};
use crate::time::{Day, DisplayStatus, Season, staleness_days};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

const CYCLES: Pair = ("cycle.at", "cycle");

/// Numbers that other files use for programs and cycles.
pub struct Numbers {
    /// Document of each program.
    pub doc_of: Vec<u32>,
    /// Number of each cycle: its place in the list of all.
    pub cycle: Vec<u32>,
}

impl Numbers {
    /// Numbers of a directory; `order` gives the program of each document.
    pub fn new(directory: &Directory, order: &[usize]) -> Self {
        let mut doc_of = vec![0; order.len()];
        (0..).zip(order).for_each(|(doc, program)| doc_of[*program] = doc);
        let mut cycle = vec![0; directory.cycles.len()];
        (0..).zip(in_order(directory)).for_each(|(number, position)| cycle[position] = number);
        Self { doc_of, cycle }
    }
}

/// Cycles in the order of their numbers: the newest season first.
fn in_order(directory: &Directory) -> Vec<usize> {
    let mut cycles: Vec<usize> = (0..directory.cycles.len()).collect();
    cycles.sort_unstable_by(|a, b| season_order(&directory.cycles[*a], &directory.cycles[*b]));
    cycles
}

/// Cycles with the days that their status follows from.
pub struct Cycles {
    pub(in crate::page) rows: Strings,
    /// Document of each.
    pub(in crate::page) docs: Section<u32>,
    split: Section<u32>,
    /// Days of all cycles, and what their sources stated.
    seasons: Section<SeasonRow>,
    /// Lifecycle and last check of the program of each cycle.
    observed: Section<ObservationRow>,
    by_deadline: Section<u32>,
}

/// Cycles on a day.
pub struct CyclesToday {
    day: Day,
    status: Vec<CycleStatus>,
    /// Days of all cycles, and what their sources stated.
    seasons: Section<SeasonRow>,
    observed: Section<ObservationRow>,
    /// Upcoming cycles, by deadline.
    pub(in crate::page) upcoming: Vec<u32>,
}

/// Writes the sections: cycles by their numbers, the newest season first.
pub(super) fn write(shaper: &Shaper<'_>, numbers: &Numbers, writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let mut program_of = vec![0; directory.cycles.len()];
    for (program, links) in directory.program_links.iter().enumerate() {
        links.cycles.iter().for_each(|cycle| program_of[*cycle] = program);
    }
    let (mut rows, mut seasons) = (StringsWriter::default(), Vec::<SeasonRow>::new());
    let (mut split, mut docs, mut observed) = (Vec::<u32>::new(), Vec::<u32>::new(), Vec::new());
    let mut by_deadline = Vec::new();
    let mut json = Vec::new();
    for (number, cycle) in (0u32..).zip(in_order(directory)) {
        let program = program_of[cycle];
        docs.push(numbers.doc_of[program]);
        let mut reference = shaper.program_reference(program);
        // The contract has no id here.
        reference.0.retain(|(name, _)| *name != "id");
        let object = shaper.cycle(cycle, String::new(), None);
        split.push((b"{\"cycle\":".len() + place_of_text(&object, "status")) as u32);
        json.clear();
        push_json(&mut json, &Object::default().with("cycle", object).with("program", reference));
        rows.push(&json);
        let (it, program) = (&directory.cycles[cycle], &directory.programs[program]);
        let season = Season::of(it).with_program(program);
        seasons.push((&season).into());
        let (lifecycle, checked) = (program.lifecycle, Day::of(program.last_checked_at()));
        observed.push(ObservationRow::from(Observation { lifecycle, on: Day::NONE, checked }));
        by_deadline.push((season.deadline.known().map_or(i32::MAX, |day| day.0), it.id, number));
    }
    by_deadline.sort_unstable();
    rows.write(CYCLES, writer);
    writer.put("cycle.split", split);
    writer.put("cycle.doc", docs);
    writer.put("cycle.season", seasons);
    writer.put("cycle.observed", observed);
    writer.put("cycle.due", by_deadline.into_iter().map(|(.., number)| number).collect::<Vec<u32>>());
}

/// Where the text of a member, which is empty, belongs in the JSON of an object.
fn place_of_text(object: &Object<'_>, name: &str) -> usize {
    let members = object.0.iter().position(|(known, _)| *known == name).map_or(0, |at| at + 1);
    let mut json = Vec::new();
    push_json(&mut json, &Object(object.0[..members].to_vec()));
    json.len().saturating_sub(b"\"}".len())
}

impl Cycles {
    pub(in crate::page) fn open(sections: &Sections) -> Result<Self, SectionError> {
        let rows = Strings::open(sections, CYCLES)?;
        let count = rows.count();
        let cycles = Self {
            rows,
            docs: column(sections, "cycle.doc", count)?,
            split: column(sections, "cycle.split", count)?,
            seasons: column(sections, "cycle.season", count)?,
            observed: column(sections, "cycle.observed", count)?,
            by_deadline: sections.get("cycle.due")?,
        };
        check_below("cycle.due", &cycles.by_deadline, count)?;
        let split = |(row, at): (usize, &u32)| *at as usize <= cycles.rows.get(row).len();
        ensure(cycles.split.iter().enumerate().all(split), "cycle.split", "a number is out of bounds")?;
        Ok(cycles)
    }

    /// Status and order on a day.
    pub(crate) fn today(&self, day: Day) -> CyclesToday {
        let seasons: Vec<Season> = self.seasons.iter().map(Season::from).collect();
        let upcoming =
            self.by_deadline.iter().copied().filter(|cycle| seasons[*cycle as usize].is_upcoming(day));
        CyclesToday {
            day,
            seasons: self.seasons.clone(),
            observed: self.observed.clone(),
            upcoming: upcoming.collect(),
            status: seasons.iter().map(|season| season.status(day)).collect(),
        }
    }

    pub(in crate::page) fn push(&self, cycle: u32, today: &CyclesToday, out: &mut Vec<u8>) {
        let (start, end) = self.rows.get(cycle as usize).split_at(self.split[cycle as usize] as usize);
        out.extend_from_slice(start);
        out.extend_from_slice(today.status(cycle).as_str().as_bytes());
        out.extend_from_slice(end);
    }
}

impl CyclesToday {
    /// Status of a cycle; unknown for an unknown number.
    pub(crate) fn status(&self, cycle: u32) -> CycleStatus {
        self.status.get(cycle as usize).copied().unwrap_or(CycleStatus::Unknown)
    }

    /// The status of a cycle as people read it; `status` follows from source and dates alone.
    pub fn standing(&self, cycle: u32) -> DisplayStatus {
        let unknown = DisplayStatus::NotKnown { opened: None, months: None };
        self.on(cycle, self.day).map_or(unknown, |(_, standing)| standing)
    }

    /// Status of a cycle on another day, and the status that people read; `None` for an unknown number.
    pub fn on(&self, cycle: u32, day: Day) -> Option<(CycleStatus, DisplayStatus)> {
        let cycle = self.known(cycle)?;
        let (season, observed) =
            (Season::from(&self.seasons[cycle]), Observation::from(self.observed[cycle]));
        let standing = DisplayStatus::of_cycle(&season, observed.lifecycle, observed.checked, day);
        Some((season.status(day), standing))
    }

    /// Days up to this one on which either may turn.
    pub fn turning_days(&self, cycle: u32) -> impl Iterator<Item = Day> {
        let turns = |cycle: usize| {
            let ages = staleness_days(Observation::from(self.observed[cycle]).checked, self.day);
            Season::from(&self.seasons[cycle]).turning_days().chain(ages)
        };
        self.known(cycle).into_iter().flat_map(turns)
    }

    /// What the status of a cycle follows from on any day, as text.
    pub(crate) fn inputs(&self, cycle: u32) -> String {
        self.known(cycle).map(|cycle| Season::from(&self.seasons[cycle]).inputs()).unwrap_or_default()
    }

    fn known(&self, cycle: u32) -> Option<usize> {
        let cycle = cycle as usize;
        (cycle < self.status.len()).then_some(cycle)
    }
}
