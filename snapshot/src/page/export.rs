//! ExportResponse: every program, by name then id, in one body.

use crate::page::hole::Filled;
use crate::page::{Dated, Site, push_json};
use crate::record::{Dataset, Locale};

/// Most rows of an export.
pub const ROWS_MAX: usize = 10_000;

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
        filled.push_next_deadline(*doc, dated);
        filled.bytes.push(b'}');
    }
    filled.bytes.extend_from_slice(b"]}");
    filled
}
