//! ExportResponse: every program, by name then id, in one body.

use crate::page::hole::{Filled, Rule};
use crate::page::{Dated, Site, push_json};
use crate::record::{Dataset, Locale};

/// Most rows of an export.
const ROWS_MAX: usize = 10_000;

/// Whether an export lacks rows of so many programs. Who has not all cannot go on with the changes.
pub const fn is_cut(programs: usize) -> bool {
    programs > ROWS_MAX
}

/// Documents of an export, in order.
pub fn documents(site: &Site) -> &[u32] {
    let all = site.index.by_name();
    &all[..all.len().min(ROWS_MAX)]
}

/// The JSON export.
pub fn json(site: &Site, dated: &Dated, dataset: &Dataset) -> Filled {
    let mut filled = Filled::default();
    let out = &mut filled.bytes;
    out.extend_from_slice(b"{\"license\":\"CC BY 4.0\",\"generatedAt\":");
    push_json(out, &dataset.published_at);
    out.extend_from_slice(b",\"data\":[");
    for (position, doc) in documents(site).iter().enumerate() {
        if position > 0 {
            filled.bytes.push(b',');
        }
        filled.bytes.extend_from_slice(site.rows.row(*doc, Locale::En));
        filled.push(Rule::NextDeadline as u32, *doc, dated);
        filled.bytes.push(b'}');
    }
    filled.bytes.extend_from_slice(b"]}");
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_cut_after_ten_thousand_rows() {
        assert_eq!([0, 1, 10_000, 10_001].map(is_cut), [false, false, false, true]);
    }
}
