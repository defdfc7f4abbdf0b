//! Cycles: prepared rows with a gap for the status, and the days that it follows from.

use crate::page::json::{SectionNames, push_json};
use crate::page::shape::Shaper;
use crate::record::field_table::Object;
use crate::record::{CycleStatus, Directory, season_order};
use crate::search::{ColumnNames, SeasonColumns, Strings, StringsWriter, check_len};
use crate::time::{Day, DisplayStatus, Season, staleness_days};
use store::sections::{Section, SectionError, SectionWriter, Sections};

const SEASONS: ColumnNames =
    ["cycle.opens", "cycle.deadline", "cycle.starts", "cycle.stated", "cycle.fiscal", "cycle.projected"];
const CYCLES: SectionNames = ("cycle.at", "cycle");

/// Numbers that other files use for programs and cycles.
pub struct Numbers {
    /// Document of each program.
    pub doc_of: Vec<u32>,
    /// Number of each cycle: its place in the list of all.
    pub cycle: Vec<u32>,
}

impl Numbers {
    /// Numbers of a directory; `order` gives the program of each document.
    #[must_use]
    pub fn new(directory: &Directory, order: &[usize]) -> Self {
        let mut doc_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(doc, program)| doc_of[*program] = doc as u32);
        let mut cycle = vec![0; directory.cycles.len()];
        for (number, position) in self::order(directory).into_iter().enumerate() {
            cycle[position] = number as u32;
        }
        Self { doc_of, cycle }
    }
}

/// Cycles with the days that their status follows from.
pub struct Cycles {
    pub(in crate::page) rows: Strings,
    split: Section<u32>,
    /// Days of all cycles, and what their sources stated.
    seasons: SeasonColumns,
    checked: Section<Day>,
    by_deadline: Section<u32>,
}

/// Cycles on a day.
pub struct CyclesToday {
    day: Day,
    status: Vec<CycleStatus>,
    /// Days of all cycles, and what their sources stated.
    seasons: SeasonColumns,
    checked: Section<Day>,
    /// Upcoming cycles, by deadline.
    pub(in crate::page) upcoming: Vec<u32>,
}

/// Cycles, newest season first.
pub(in crate::page) fn order(directory: &Directory) -> Vec<usize> {
    let mut order: Vec<usize> = (0..directory.cycles.len()).collect();
    order.sort_by(|a, b| season_order(&directory.cycles[*a], &directory.cycles[*b]));
    order
}

pub(in crate::page) fn write(shaper: &Shaper<'_>, program_of_cycle: &[usize], writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let order = order(directory);
    let (mut rows, mut split, mut bytes) = (StringsWriter::default(), Vec::new(), Vec::new());
    for cycle in &order {
        let mut program = shaper.program_reference(program_of_cycle[*cycle]);
        // The contract has no id here.
        program.0.retain(|(name, _)| *name != "id");
        let cycle = shaper.cycle(*cycle, String::new(), None);
        split.push((b"{\"cycle\":".len() + place_of_text(&cycle, "status")) as u32);
        let row = Object::default().with("cycle", cycle).with("program", program);
        bytes.clear();
        push_json(&mut bytes, &row);
        rows.push(&bytes);
    }
    rows.write(CYCLES, writer);
    let season = |cycle: usize| {
        Season::of(&directory.cycles[cycle]).with_program(&directory.programs[program_of_cycle[cycle]])
    };
    let seasons: Vec<Season> = order.iter().map(|cycle| season(*cycle)).collect();
    let mut by_deadline: Vec<u32> = (0..order.len() as u32).collect();
    by_deadline.sort_by_key(|number| {
        let deadline = seasons[*number as usize].deadline.known().map_or(i32::MAX, |day| day.0);
        (deadline, directory.cycles[order[*number as usize]].id)
    });
    writer.put("cycle.split", split);
    SeasonColumns::write(SEASONS, &seasons, writer);
    let checked = order.iter().map(|cycle| directory.programs[program_of_cycle[*cycle]].last_checked_at());
    writer.put("cycle.checked", checked.map(Day::of).collect::<Vec<_>>());
    writer.put("cycle.due", by_deadline);
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
        let cycles = Self {
            rows: Strings::open(sections, CYCLES)?,
            split: sections.get("cycle.split")?,
            seasons: SeasonColumns::open(sections, SEASONS)?,
            checked: sections.get("cycle.checked")?,
            by_deadline: sections.get("cycle.due")?,
        };
        let count = cycles.rows.len();
        check_len("cycle.split", &cycles.split, count)?;
        if cycles.seasons.count() != count {
            return Err(SectionError::Content("cycle.stated", "has another length"));
        }
        check_len("cycle.checked", &cycles.checked, count)?;
        let split = |(row, at): (usize, &u32)| *at as usize <= cycles.rows.bytes(row).len();
        if cycles.split.iter().enumerate().all(split)
            && cycles.by_deadline.iter().all(|c| (*c as usize) < count)
        {
            Ok(cycles)
        } else {
            Err(SectionError::Content("cycle.split", "a number is out of bounds"))
        }
    }

    /// Status and order on a day.
    #[must_use]
    pub fn today(&self, day: Day) -> CyclesToday {
        let seasons: Vec<Season> = (0..self.rows.len()).map(|cycle| self.seasons.get(cycle)).collect();
        let upcoming =
            self.by_deadline.iter().copied().filter(|cycle| seasons[*cycle as usize].is_upcoming(day));
        CyclesToday {
            day,
            seasons: self.seasons.clone(),
            checked: self.checked.clone(),
            upcoming: upcoming.collect(),
            status: seasons.iter().map(|season| season.status(day)).collect(),
        }
    }

    pub(in crate::page) fn push(&self, cycle: u32, today: &CyclesToday, out: &mut Vec<u8>) {
        let (start, end) = self.rows.bytes(cycle as usize).split_at(self.split[cycle as usize] as usize);
        out.extend_from_slice(start);
        out.extend_from_slice(today.status(cycle).as_str().as_bytes());
        out.extend_from_slice(end);
    }
}

impl CyclesToday {
    /// Status of a cycle; unknown for an unknown number.
    #[must_use]
    pub(crate) fn status(&self, cycle: u32) -> CycleStatus {
        self.status.get(cycle as usize).copied().unwrap_or(CycleStatus::Unknown)
    }

    /// The status of a cycle as people read it; `status` follows from source and dates alone.
    #[must_use]
    pub fn standing(&self, cycle: u32) -> DisplayStatus {
        self.on(cycle, self.day).map_or(DisplayStatus::Undated, |(_, standing)| standing)
    }

    /// Status of a cycle on another day, and the status that people read; `None` for an unknown number.
    #[must_use]
    pub fn on(&self, cycle: u32, day: Day) -> Option<(CycleStatus, DisplayStatus)> {
        let cycle = self.known(cycle)?;
        let season = self.seasons.get(cycle);
        Some((season.status(day), DisplayStatus::of_cycle(&season, self.checked[cycle], day)))
    }

    /// Days up to this one on which either may turn.
    pub fn turning_days(&self, cycle: u32) -> impl Iterator<Item = Day> {
        let turns = |cycle: usize| {
            let ages = staleness_days(self.checked[cycle], self.day);
            self.seasons.get(cycle).turning_days().chain(ages)
        };
        self.known(cycle).into_iter().flat_map(turns)
    }

    fn known(&self, cycle: u32) -> Option<usize> {
        let cycle = cycle as usize;
        (cycle < self.status.len()).then_some(cycle)
    }
}
