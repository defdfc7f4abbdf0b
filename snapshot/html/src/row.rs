//! Search rows, stored with the positions of name, status and summary. Matching words are highlighted in the
//! name, and the passage with the most of them replaces the beginning of the summary.
//!
//! ```text
//! row.*.at  row.*        rows by document, without the status of the day
//! cut.*                  five numbers each: start and end of name and summary, position of the status
//! text.*.at  text.*      passages by document, see [`highlight`](super::highlight)
//! ```

use snapshot::search::{Strings, StringsWriter, check_len};
use store::sections::{Section, SectionError, SectionWriter, Sections};

/// Marks the place of the status in a rendered row. Records cannot contain this character, nor [`TEXT_MARKS`].
pub const STATE_MARK: char = '\u{2}';
/// Characters before and after the name of a record, and the beginning of its summary, in a rendered row.
pub const TEXT_MARKS: [char; 2] = ['\u{3}', '\u{4}'];

/// Numbers per row in `cut.*`.
const NUMBERS: usize = 5;

/// A rendered row without its marks, and their positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowTemplate {
    text: String,
    at: [u32; NUMBERS],
}

impl RowTemplate {
    /// Removes the marks from a row. The first text between marks is the name, the second the summary; these marks
    /// are ignored within a tag. Without a mark for it, the status comes last.
    pub fn new(rendered: &str) -> Self {
        let mut text = String::with_capacity(rendered.len());
        let (mut inside, mut from, mut state) = (false, None, None);
        let mut parts: Vec<(usize, usize)> = Vec::new();
        for c in rendered.chars() {
            match c {
                STATE_MARK => state = state.or(Some(text.len())),
                c if c == TEXT_MARKS[0] => from = (!inside).then_some(text.len()),
                c if c == TEXT_MARKS[1] => parts.extend(from.take().map(|from| (from, text.len()))),
                c => {
                    inside = c == '<' || inside && c != '>';
                    text.push(c);
                }
            }
        }
        let end = text.len();
        let part = |number: usize| parts.get(number).copied().unwrap_or((end, end));
        let ((name, named), (summary, summed)) = (part(0), part(1));
        Self { text, at: [name, named, state.unwrap_or(end), summary, summed].map(|at| at as u32) }
    }
}

/// Rows of a language being collected.
#[derive(Default)]
pub(super) struct RowsWriter {
    text: StringsWriter,
    at: Vec<u32>,
}

impl RowsWriter {
    pub(super) fn push(&mut self, row: &RowTemplate) {
        self.text.push(row.text.as_bytes());
        self.at.extend(row.at);
    }

    pub(super) fn write(
        self,
        (names, cuts): ((&'static str, &'static str), &'static str),
        writer: &mut SectionWriter,
    ) {
        self.text.write(names, writer);
        writer.put(cuts, self.at);
    }
}

/// The rows of a language.
pub(super) struct Rows {
    pub(super) text: Strings,
    at: Section<u32>,
}

impl Rows {
    pub(super) fn open(
        sections: &Sections,
        (names, cuts): ((&'static str, &'static str), &'static str),
        count: usize,
    ) -> Result<Self, SectionError> {
        let rows = Self { text: Strings::open(sections, names)?, at: sections.get(cuts)? };
        check_len(cuts, &rows.at, count * NUMBERS)?;
        let fits = |doc: usize| {
            let [name, named, state, summary, summed] = rows.at(doc);
            let end = rows.text.bytes(doc).len();
            name <= named && summary <= summed && [named, state, summed].iter().all(|at| *at <= end)
        };
        match rows.text.count() == count && (0..count).all(fits) {
            true => Ok(rows),
            false => Err(SectionError::Content(cuts, "does not fit the rows")),
        }
    }

    /// Whether a deadline in the words of the source follows the status, after a separator.
    pub(super) fn has_deadline_in_words(&self, doc: usize) -> bool {
        let [_, _, state, ..] = self.at(doc);
        self.text.bytes(doc).get(state..).is_some_and(|rest| rest.starts_with(b"<i>"))
    }

    pub(super) fn at(&self, doc: usize) -> [usize; NUMBERS] {
        std::array::from_fn(|number| {
            self.at.get(doc * NUMBERS + number).map_or(usize::MAX, |at| *at as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_removed_and_their_positions_kept() {
        let cut = RowTemplate::new("<h3>\u{3}Name\u{4}</h3><p>\u{2}</p><p>\u{3}Sum\u{4}</p>");
        assert_eq!(cut.text, "<h3>Name</h3><p></p><p>Sum</p>");
        assert_eq!(cut.at, [4, 8, 16, 23, 26]);
    }

    #[test]
    fn nothing_is_marked_within_a_tag_and_a_row_without_a_state_ends_with_it() {
        let cut = RowTemplate::new("<a title=\"\u{3}Name\u{4}\">\u{3}Name\u{4}</a>");
        assert_eq!(cut.text, "<a title=\"Name\">Name</a>");
        assert_eq!(cut.at, [16, 20, 24, 24, 24]);
    }
}
