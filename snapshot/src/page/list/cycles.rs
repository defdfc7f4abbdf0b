//! Cycles: prepared rows with a gap for the status, and the days that it follows from.

use std::io;

use bytemuck::{Pod, Zeroable};
use uuid::Uuid;

use crate::page::json::{SectionNames, push_json};
use crate::page::shape::Shaper;
use crate::record::field_table::Object;
use crate::record::{Cycle, CycleStatus, Directory, season_day, season_order};
use crate::search::{ColumnNames, SeasonColumns, SeasonColumnsWriter, Strings, StringsWriter, check_len};
use crate::time::{Day, DisplayStatus, Season, staleness_days};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};
use store::spill::{Column, Sorter, Spill};

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
    pub fn new(directory: &Directory, order: &[usize]) -> Self {
        let mut cycles: Vec<usize> = (0..directory.cycles.len()).collect();
        cycles.sort_by(|a, b| season_order(&directory.cycles[*a], &directory.cycles[*b]));
        let mut cycle = vec![0; cycles.len()];
        (0..).zip(cycles).for_each(|(number, position)| cycle[position] = number);
        Self { doc_of: documents(order, 0), cycle }
    }

    /// Numbers of a part, with the documents of its programs; these numbers are those of the whole.
    pub fn of_part(&self, whole: &Directory, part: &Directory, doc_of: Vec<u32>) -> Self {
        let position = |cycle: &Cycle| whole.cycles.binary_search_by_key(&cycle.id, |it| it.id);
        let number = |cycle| position(cycle).map_or(u32::MAX, |at| self.cycle[at]);
        Self { doc_of, cycle: part.cycles.iter().map(number).collect() }
    }
}

/// The document of each program; `order` gives the program of each document, the first of which is `first`.
pub fn documents(order: &[usize], first: u32) -> Vec<u32> {
    let mut doc_of = vec![0; order.len()];
    (first..).zip(order).for_each(|(doc, program)| doc_of[*program] = doc);
    doc_of
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

/// What a sorted record of a cycle begins with.
const KEY: usize = size_of::<i32>() + size_of::<Uuid>();

/// Cycles being collected.
pub(super) struct CyclesWriter {
    /// Of each cycle: key, place of the status, season, check of the program, row.
    records: Sorter,
}

/// What is known of a cycle besides its row, in the bytes of a record.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Columns {
    split: u32,
    opens: Day,
    deadline: Day,
    starts: Day,
    fiscal: Day,
    checked: Day,
    /// Position in [`CycleStatus::ALL`], or more.
    stated: u32,
    projected: u32,
}

impl Columns {
    fn season(&self) -> Season {
        Season {
            opens: self.opens,
            deadline: self.deadline,
            starts: self.starts,
            stated: CycleStatus::ALL.get(self.stated as usize).copied(),
            fiscal: self.fiscal,
            projected: self.projected != 0,
        }
    }
}

impl CyclesWriter {
    pub(super) fn new(spill: &Spill) -> Self {
        Self { records: Sorter::new(spill) }
    }

    /// Adds the cycles of a directory.
    pub(super) fn add(&mut self, shaper: &Shaper<'_>) {
        let mut json = Vec::new();
        for (program, links) in shaper.directory.program_links.iter().enumerate() {
            let mut reference = shaper.program_reference(program);
            // The contract has no id here.
            reference.0.retain(|(name, _)| *name != "id");
            for cycle in &links.cycles {
                let object = shaper.cycle(*cycle, String::new(), None);
                let columns = columns(shaper.directory, program, *cycle, &object);
                let row = Object::default().with("cycle", object).with("program", reference.clone());
                json.clear();
                push_json(&mut json, &row);
                let key = key(&shaper.directory.cycles[*cycle]);
                self.records.push(&[&key, bytemuck::bytes_of(&columns), &json]);
            }
        }
    }

    /// Writes the sections.
    pub(super) fn finish(self, writer: &mut SectionWriter) -> io::Result<()> {
        let spill = writer.spill().clone();
        let (mut rows, mut seasons) = (StringsWriter::new(&spill), SeasonColumnsWriter::new(&spill));
        let (mut split, mut checked) = (Column::<u32>::new(&spill), Column::<Day>::new(&spill));
        let mut by_deadline = Vec::new();
        self.records.finish(|record| {
            let (key, rest) = record.split_at(KEY);
            let (columns, row) = rest.split_at(size_of::<Columns>());
            let columns: Columns = bytemuck::pod_read_unaligned(columns);
            let mut id = [0; 16];
            id.copy_from_slice(&key[KEY - 16..]);
            let number = by_deadline.len() as u32;
            by_deadline.push((columns.deadline.known().map_or(i32::MAX, |day| day.0), id, number));
            rows.push(row);
            split.push(columns.split);
            seasons.push(&columns.season());
            checked.push(columns.checked);
        })?;
        by_deadline.sort_unstable();
        rows.write(CYCLES, writer);
        writer.put_column("cycle.split", split);
        seasons.write(SEASONS, writer);
        writer.put_column("cycle.checked", checked);
        writer.put("cycle.due", by_deadline.into_iter().map(|(.., number)| number).collect::<Vec<u32>>());
        Ok(())
    }
}

/// Bytes in the order of [`season_order`](crate::record::season_order): newest season first.
fn key(cycle: &Cycle) -> [u8; KEY] {
    // Without a day it is before all days, and so last.
    let day = Day::or_none(season_day(cycle)).0;
    let mut key = [0; KEY];
    key[..4].copy_from_slice(&(!(day as u32 ^ 1 << 31)).to_be_bytes());
    key[4..].copy_from_slice(cycle.id.as_bytes());
    key
}

fn columns(directory: &Directory, program: usize, cycle: usize, object: &Object<'_>) -> Columns {
    let program = &directory.programs[program];
    let Season { opens, deadline, starts, stated, fiscal, projected } =
        Season::of(&directory.cycles[cycle]).with_program(program);
    Columns {
        split: (b"{\"cycle\":".len() + place_of_text(object, "status")) as u32,
        opens,
        deadline,
        starts,
        fiscal,
        checked: Day::of(program.last_checked_at()),
        stated: stated.map_or(u32::MAX, |stated| stated as u32),
        projected: projected.into(),
    }
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
        ensure(cycles.seasons.count() == count, "cycle.stated", "has another length")?;
        check_len("cycle.checked", &cycles.checked, count)?;
        let split = |(row, at): (usize, &u32)| *at as usize <= cycles.rows.bytes(row).len();
        let fits = cycles.split.iter().enumerate().all(split)
            && cycles.by_deadline.iter().all(|cycle| (*cycle as usize) < count);
        ensure(fits, "cycle.split", "a number is out of bounds")?;
        Ok(cycles)
    }

    /// Status and order on a day.
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
    pub(crate) fn status(&self, cycle: u32) -> CycleStatus {
        self.status.get(cycle as usize).copied().unwrap_or(CycleStatus::Unknown)
    }

    /// The status of a cycle as people read it; `status` follows from source and dates alone.
    pub fn standing(&self, cycle: u32) -> DisplayStatus {
        self.on(cycle, self.day).map_or(DisplayStatus::Undated, |(_, standing)| standing)
    }

    /// Status of a cycle on another day, and the status that people read; `None` for an unknown number.
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
