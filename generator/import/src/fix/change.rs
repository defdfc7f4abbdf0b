//! A change of one line, and the text with changes in it.

use dataset::diagnostics::Edit;

/// An edit and the line of its row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Change {
    /// Physical line, from 1.
    pub(super) line: u32,
    pub(super) edit: Edit,
}

impl Change {
    pub(super) fn value(line: u32, field: &str, from: &str, to: &str) -> Self {
        Self { line, edit: Edit::value(field, from, to) }
    }
}

/// Puts texts in the places of ranges; of ranges that overlap the first wins.
pub(super) fn splice(text: &str, mut parts: Vec<(std::ops::Range<usize>, String)>) -> String {
    parts.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (range, new) in parts {
        if range.start < kept {
            continue;
        }
        out.push_str(text.get(kept..range.start).unwrap_or_default());
        out.push_str(&new);
        kept = range.end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out
}
