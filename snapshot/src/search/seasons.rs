//! The days of seasons as columns, and what their sources stated of them: what a status follows from.

use crate::record::CycleStatus;
use crate::search::table::check_len;
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};
use crate::time::{Day, Season};

const NOT_STATED: u8 = u8::MAX;

/// Names of the columns: opens, deadline, starts, stated.
pub type ColumnNames = [&'static str; 4];

/// Seasons as columns: a [`Day`] each for three of them, and of the fourth a position in
/// [`CycleStatus::ALL`], or 255.
#[derive(Clone)]
pub struct SeasonColumns {
    opens: Section<Day>,
    deadline: Section<Day>,
    starts: Section<Day>,
    stated: Section<u8>,
}

impl SeasonColumns {
    /// Writes the columns of seasons.
    pub fn write(
        [opens, deadline, starts, stated]: ColumnNames,
        seasons: &[Season],
        writer: &mut SectionWriter,
    ) {
        let position = |status: CycleStatus| CycleStatus::ALL.iter().position(|known| *known == status);
        let word = |season: &Season| season.stated.and_then(position).map_or(NOT_STATED, |n| n as u8);
        writer.put(opens, seasons.iter().map(|season| season.opens).collect::<Vec<_>>());
        writer.put(deadline, seasons.iter().map(|season| season.deadline).collect::<Vec<_>>());
        writer.put(starts, seasons.iter().map(|season| season.starts).collect::<Vec<_>>());
        writer.put(stated, seasons.iter().map(word).collect::<Vec<_>>());
    }

    /// Opens the columns.
    ///
    /// # Errors
    ///
    /// If one is missing, damaged, or of another length than the others.
    pub fn open(sections: &Sections, names: ColumnNames) -> Result<Self, SectionError> {
        let [opens, deadline, starts, stated] = names;
        let columns = Self {
            opens: sections.get(opens)?,
            deadline: sections.get(deadline)?,
            starts: sections.get(starts)?,
            stated: sections.get(stated)?,
        };
        let length = columns.stated.len();
        check_len(opens, &columns.opens, length)?;
        check_len(deadline, &columns.deadline, length)?;
        check_len(starts, &columns.starts, length)?;
        Ok(columns)
    }

    /// How many seasons there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stated.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stated.is_empty()
    }

    /// A season by its position.
    #[must_use]
    pub fn get(&self, position: usize) -> Season {
        Season {
            opens: self.opens[position],
            deadline: self.deadline[position],
            starts: self.starts[position],
            stated: CycleStatus::ALL.get(usize::from(self.stated[position])).copied(),
        }
    }
}
