//! Prepared rows of programs in both languages. A Spanish row is there only where it differs from the
//! English.

use crate::record::Locale;
use crate::search::{Strings, StringsWriter, check_len};
use store::sections::{Section, SectionError, SectionWriter, Sections, ensure};
use store::spill::{Column, Spill};

/// There is no Spanish row of its own.
const NONE: u32 = u32::MAX;

/// Names of the sections.
pub struct Names {
    /// Row of each document.
    pub english: (&'static str, &'static str),
    /// Spanish rows.
    pub spanish: (&'static str, &'static str),
    /// `u32` of each document: its Spanish row, or `u32::MAX` when it is the English.
    pub spanish_of: &'static str,
}

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
    pub fn open(sections: &Sections, names: &Names, count: usize) -> Result<Self, SectionError> {
        let rows = Self {
            english: Strings::open(sections, names.english)?,
            spanish: Strings::open(sections, names.spanish)?,
            spanish_of: sections.get(names.spanish_of)?,
        };
        check_len(names.spanish_of, &rows.spanish_of, count)?;
        let in_bounds = |row: &u32| *row == NONE || (*row as usize) < rows.spanish.len();
        let fits = rows.english.len() == count && rows.spanish_of.iter().all(in_bounds);
        ensure(fits, names.english.0, "does not fit the search index")?;
        Ok(rows)
    }

    /// A document's row.
    pub fn row(&self, doc: u32, locale: Locale) -> &[u8] {
        match (locale, self.spanish_of.get(doc as usize)) {
            (Locale::Es, Some(&row)) if row != NONE => self.spanish.bytes(row as usize),
            _ => self.english.bytes(doc as usize),
        }
    }
}

/// Rows being collected, in the order of the documents.
pub(crate) struct BilingualWriter {
    english: StringsWriter,
    spanish: StringsWriter,
    spanish_of: Column<u32>,
    /// The rows of the document that is being added.
    rows: [Vec<u8>; 2],
}

impl BilingualWriter {
    pub(crate) fn new(spill: &Spill) -> Self {
        Self {
            english: StringsWriter::new(spill),
            spanish: StringsWriter::new(spill),
            spanish_of: Column::new(spill),
            rows: Default::default(),
        }
    }

    /// Adds the next document; `row` appends its row in a language.
    pub(crate) fn add(&mut self, row: impl Fn(Locale, &mut Vec<u8>)) {
        for (locale, bytes) in Locale::ALL.iter().zip(&mut self.rows) {
            bytes.clear();
            row(*locale, bytes);
        }
        let [english, spanish] = &self.rows;
        self.english.push(english);
        self.spanish_of.push(if english == spanish { NONE } else { self.spanish.push(spanish) as u32 });
    }

    pub(crate) fn write(self, names: &Names, writer: &mut SectionWriter) {
        self.english.write(names.english, writer);
        self.spanish.write(names.spanish, writer);
        writer.put_column(names.spanish_of, self.spanish_of);
    }
}
