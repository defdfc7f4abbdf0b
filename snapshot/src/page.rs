//! Pages: the bytes of every JSON answer, from prepared parts. The generator writes some of them as
//! files and the edge makes the others; both call the functions of this module.
//!
//! What depends on the day is never stored: rows end before their next deadline, and bodies that
//! are files have [`hole`]s.

pub mod address;
pub(crate) mod bilingual;
pub mod changes;
pub mod detail;
pub mod error;
pub mod export;
pub mod facet;
pub mod hole;
pub mod list;
pub mod mcp_row;
pub mod money;
pub mod row;
pub mod search;
pub mod shape;
pub mod status_text;
pub mod text;

use crate::page::bilingual::Bilingual;
use crate::page::list::{CyclesToday, Lists};
use crate::page::row::Rows;
use crate::search::{Index, Today};
use crate::time::Day;
use store::sections::{SectionError, Sections};

/// Everything of a snapshot that answers are made of. Immutable.
pub struct Site {
    /// Programs: search.
    pub index: Index,
    /// Programs: prepared rows and facet items.
    pub rows: Rows,
    /// Programs: prepared rows of MCP answers.
    pub mcp_rows: Bilingual,
    /// Organizations, cycles, awards and recipients.
    pub lists: Lists,
}

impl Site {
    /// Opens the three files of `index/` and checks that they fit each other.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(search: &Sections, rows: &Sections, lists: &Sections) -> Result<Self, SectionError> {
        let index = Index::open(search)?;
        let mcp_rows = Bilingual::open(rows, &mcp_row::NAMES, index.len())?;
        let rows = Rows::open(rows, index.len(), index.values.ordinals())?;
        Ok(Self { lists: Lists::open(lists, index.len())?, index, rows, mcp_rows })
    }

    /// Derives what depends on the day.
    #[must_use]
    pub fn dated(&self, day: Day) -> Dated {
        Dated { today: self.index.today(day), cycles: self.lists.cycles.today(day) }
    }
}

/// What depends on the day. Built for each day beside the running one, then swapped.
pub struct Dated {
    /// Programs.
    pub today: Today,
    /// Cycles.
    pub cycles: CyclesToday,
}

impl Dated {
    /// The day.
    #[must_use]
    pub fn day(&self) -> Day {
        self.today.day
    }
}

/// An answer that shows a page of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paged {
    /// The answer.
    pub bytes: Vec<u8>,
    /// How many rows there are on all pages.
    pub total: usize,
}

/// Writes an integer.
pub fn push_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Writes a value as JSON. Values here are strings, numbers and plain structs, which cannot fail.
pub(crate) fn push_json(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Writes a day as a JSON string, or `null`.
pub(crate) fn push_day(out: &mut Vec<u8>, day: Day) {
    match day.date() {
        Some(date) => {
            out.push(b'"');
            push_date(out, date);
            out.push(b'"');
        }
        None => out.extend_from_slice(b"null"),
    }
}

/// Writes a date as `YYYY-MM-DD`.
pub fn push_date(out: &mut Vec<u8>, date: jiff::civil::Date) {
    let digit = |number: i16| b'0' + (number % 10) as u8;
    let (year, month, day) = (date.year(), i16::from(date.month()), i16::from(date.day()));
    out.extend([digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), b'-']);
    out.extend([digit(month / 10), digit(month), b'-', digit(day / 10), digit(day)]);
}
