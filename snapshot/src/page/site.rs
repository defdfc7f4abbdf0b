//! The open data of a snapshot that answers are made of, and the part of it that depends on the day.

use crate::page::bilingual::Bilingual;
use crate::page::list::{CyclesToday, Lists};
use crate::page::mcp_row;
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
        let mcp_rows = Bilingual::open(rows, mcp_row::NAMES, index.programs())?;
        let rows = Rows::open(rows, index.programs(), index.values.ordinals())?;
        Ok(Self { lists: Lists::open(lists, index.programs())?, index, rows, mcp_rows })
    }

    /// Derives what depends on the day.
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
