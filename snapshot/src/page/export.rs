//! ExportResponse: every program, by name then id, in one body.

use crate::page::hole::{Filled, Rule};
use crate::page::{Dated, Site, push_json};
use crate::record::{Dataset, Locale};
use crate::store::Hole;

/// Most rows of an export.
pub const ROWS_MAX: usize = 10_000;

/// Documents of an export, in order.
#[must_use]
pub fn documents(site: &Site) -> &[u32] {
    let all = site.index.by_name();
    &all[..all.len().min(ROWS_MAX)]
}

/// The JSON export.
#[must_use]
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
        push_hole(&mut filled, Rule::NextDeadline, *doc, dated);
        filled.bytes.push(b'}');
    }
    filled.bytes.extend_from_slice(b"]}");
    filled
}

/// Appends a hole, filled for a day.
pub fn push_hole(filled: &mut Filled, rule: Rule, arg: u32, dated: &Dated) {
    let start = filled.bytes.len();
    rule.fill(arg, dated, &mut filled.bytes);
    let len = (filled.bytes.len() - start) as u32;
    filled.holes.push(Hole { start: start as u32, len, rule: rule as u32, arg });
}
