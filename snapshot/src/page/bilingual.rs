//! Prepared rows of programs in both languages. A Spanish row is there only where it differs from the
//! English.

use crate::record::Locale;
use crate::search::{Pair, Strings, StringsWriter, column};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};

/// There is no Spanish row of its own.
const NONE: u32 = u32::MAX;

/// Names of the sections: row of each document; Spanish rows; `u32` of each document: its Spanish row, or `u32::MAX`
/// when it is the English.
pub(crate) type Names = (Pair, Pair, &'static str);

/// Rows, open.
pub struct Bilingual {
    english: Strings,
    spanish: Strings,
    spanish_of: Section<u32>,
}

impl Bilingual {
    /// Opens the rows of `count` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub(crate) fn open(sections: &Sections, names: Names, count: usize) -> Result<Self, SectionError> {
        let (english, spanish, spanish_of) = names;
        let rows = Self {
            english: Strings::open_len(sections, english, count)?,
            spanish: Strings::open(sections, spanish)?,
            spanish_of: column(sections, spanish_of, count)?,
        };
        let in_bounds = |row: &u32| *row == NONE || (*row as usize) < rows.spanish.count();
        ensure(rows.spanish_of.iter().all(in_bounds), spanish_of, "a number is out of bounds")?;
        Ok(rows)
    }

    /// A document's row.
    pub fn row(&self, doc: u32, locale: Locale) -> &[u8] {
        match (locale, self.spanish_of.get(doc as usize)) {
            (Locale::Es, Some(&row)) if row != NONE => self.spanish.get(row as usize),
            _ => self.english.get(doc as usize),
        }
    }
}

/// Writes the rows of programs in the order of their documents; `row` appends one in a language.
pub(crate) fn write(
    order: &[usize],
    row: impl Fn(usize, Locale, &mut Vec<u8>),
    names: Names,
    writer: &mut SectionWriter,
) {
    let (mut english, mut spanish) = (StringsWriter::default(), StringsWriter::default());
    let mut spanish_of = Vec::with_capacity(order.len());
    let mut rows = [Vec::new(), Vec::new()];
    for program in order {
        for (locale, bytes) in Locale::ALL.iter().zip(&mut rows) {
            bytes.clear();
            row(*program, *locale, bytes);
        }
        english.push(&rows[0]);
        spanish_of.push(if rows[0] == rows[1] { NONE } else { spanish.push(&rows[1]) as u32 });
    }
    english.write(names.0, writer);
    spanish.write(names.1, writer);
    writer.put(names.2, spanish_of);
}
