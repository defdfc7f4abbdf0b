//! Rows and lines of programs: in results, on the home page, and on the page of an organization.

use std::ops::Range;

use snapshot::page::Dated;
use snapshot::time::{Day, DisplayStatus};

use crate::fragments::{Language, push};
use crate::highlight::Highlighter;
use crate::organization::Organizations;

/// Maximum number of programs on the page of an organization.
const PROGRAMS: usize = 60;
/// Maximum number of programs in the home page's list of next deadlines.
const CLOSING: usize = 8;

/// A part of a row that is changed when the row is written.
#[derive(Clone, Copy)]
enum Part {
    Name,
    State,
    Summary,
}

impl Language {
    /// Writes the row of a document, with matching words highlighted.
    pub(super) fn push_row(
        &self,
        out: &mut Vec<u8>,
        doc: u32,
        dated: &Dated,
        highlighter: Option<&Highlighter>,
    ) {
        let row = self.rows.text.bytes(doc as usize);
        let [name, named, state, summary, summed] = self.rows.at(doc as usize);
        let mut parts =
            [(name..named, Part::Name), (state..state, Part::State), (summary..summed, Part::Summary)];
        parts.sort_by_key(|(range, _)| range.start);
        let slice = |range: Range<usize>| row.get(range).unwrap_or_default();
        let (mut from, mut name_bits) = (0, None);
        for (range, part) in parts {
            out.extend_from_slice(slice(from..range.start));
            from = range.end;
            match (part, highlighter) {
                (Part::State, _) => self.push_status(out, doc, dated),
                (_, None) => out.extend_from_slice(slice(range)),
                (Part::Name, Some(highlighter)) => name_bits = Some(highlighter.push(out, slice(range))),
                (Part::Summary, Some(highlighter)) => {
                    let mut passages = self.passages.iter().map(|passages| passages.bytes(doc as usize));
                    let passages = passages.find(|passages| !passages.is_empty()).unwrap_or_default();
                    let name_bits = name_bits.unwrap_or_else(|| highlighter.bits(slice(name..named)));
                    highlighter.push_passage(out, name_bits, [slice(range), passages]);
                }
            }
        }
        out.extend_from_slice(slice(from..row.len()));
    }

    pub(super) fn push_closing(&self, out: &mut Vec<u8>, dated: &Dated) {
        let due = dated.today.order.docs.iter().filter(|doc| dated.today.is_due(**doc, None, None));
        let open: Vec<u32> = due.copied().filter(|doc| dated.today.is_open(*doc)).take(CLOSING).collect();
        if open.is_empty() {
            return self.push_none(out);
        }
        push(out, "<ol class=\"rows\">");
        open.into_iter().for_each(|doc| self.push_row(out, doc, dated, None));
        push(out, "</ol>");
    }

    /// Writes the programs of an organization, by state and then by deadline.
    pub(super) fn push_organization(
        &self,
        out: &mut Vec<u8>,
        of: &Organizations,
        number: u32,
        dated: &Dated,
    ) {
        let key = |doc: u32| {
            let state = dated.today.state(doc)?;
            let next = state.openness.next_deadline;
            let rank = dated.today.order.rank.get(doc as usize).copied()?;
            Some((place(state.standing), if next == Day::NONE { i32::MAX } else { next.0 }, rank, doc))
        };
        let mut docs: Vec<(u8, i32, u32, u32)> = of.docs(number).iter().filter_map(|doc| key(*doc)).collect();
        docs.sort_unstable();
        push(out, "<ul class=\"due\">");
        for (.., doc) in docs.into_iter().take(PROGRAMS) {
            // The page is about the provider: only the link of the line is needed.
            let line = self.lines.text(doc as usize);
            push(out, format_args!("<li>{}", line.split_inclusive("</a>").next().unwrap_or(line)));
            let kind = of.kinds.get(doc as usize).map_or(usize::MAX, |kind| *kind as usize);
            if kind < self.labels.count() {
                push(out, format_args!(" <span class=\"dim\">{}</span>", self.labels.text(kind)));
            }
            push(out, "<p class=\"when\">");
            self.push_status(out, doc, dated);
            push(out, "</p></li>");
        }
        push(out, "</ul>");
    }
}

/// Sort key of a status in the list of an organization: programs that accept applications come first.
const fn place(standing: DisplayStatus) -> u8 {
    match standing {
        DisplayStatus::ClosingSoon | DisplayStatus::Open => 0,
        DisplayStatus::Rolling => 1,
        DisplayStatus::Upcoming => 2,
        DisplayStatus::OpenWhenChecked { .. }
        | DisplayStatus::OpenSince { .. }
        | DisplayStatus::Undated
        | DisplayStatus::Doubtful => 3,
        DisplayStatus::Passed => 4,
        DisplayStatus::Closed => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_accept_applications_come_first() {
        assert!(place(DisplayStatus::Open) < place(DisplayStatus::Rolling));
        assert!(place(DisplayStatus::Rolling) < place(DisplayStatus::Upcoming));
        assert!(place(DisplayStatus::Upcoming) < place(DisplayStatus::OpenWhenChecked { months: 15 }));
        assert!(place(DisplayStatus::OpenWhenChecked { months: 15 }) < place(DisplayStatus::Closed));
    }
}
