//! SearchResponse: rows and facet items spliced from prepared bytes.

use crate::page::json::{push_items, push_json, push_name, push_numbers};
use crate::page::row::{Rows, push_row};
use crate::page::site::{Dated, Paged, Site};
use crate::query::{Page, Query};
use crate::record::Locale;
use crate::search::{FacetCounts, SearchResult};

/// Bytes of most answers.
const MOST_BYTES: usize = 48 * 1024;

/// Answers a query to search and programs.
pub fn search(site: &Site, dated: &Dated, query: &Query, invalid: &[String]) -> Paged {
    render(site, dated, query, invalid, &site.index.search(query, &dated.today))
}

/// The bytes of an answer.
pub fn render(site: &Site, dated: &Dated, query: &Query, invalid: &[String], answer: &SearchResult) -> Paged {
    let mut out = Vec::with_capacity(MOST_BYTES);
    out.extend_from_slice(b"{\"data\":[");
    let docs = answer.docs.iter().map(|doc| dated.today.next_deadline[*doc as usize]);
    let rows = site.rows.rows(&answer.docs, query.locale);
    push_items(&mut out, rows.iter().zip(docs), |(row, day), out| push_row(row, day, out));
    out.extend_from_slice(b"],\"meta\":{");
    push_paging(&mut out, &query.page, answer.docs.len(), answer.total);
    out.extend_from_slice(b",\"sort\":\"");
    out.extend_from_slice(query.sort.as_str().as_bytes());
    out.extend_from_slice(b"\",\"invalid\":");
    push_json(&mut out, &invalid);
    if let Some(facets) = &answer.facets {
        out.extend_from_slice(b",\"facets\":");
        push_facets(&site.rows, query.locale, facets, &mut out);
    }
    out.extend_from_slice(b"}}");
    // Answers are cached.
    out.shrink_to_fit();
    Paged { bytes: out, total: answer.total }
}

/// `limit`, `offset`, `count`, `total`, `page` and `pages`.
pub(crate) fn push_paging(out: &mut Vec<u8>, page: &Page, count: usize, total: usize) {
    let pages = (total as u64).div_ceil(page.limit);
    let totals =
        [("count", count as u64), ("total", total as u64), ("page", page.number()), ("pages", pages)];
    push_numbers(out, [("limit", page.limit), ("offset", page.offset)].into_iter().chain(totals));
}

fn push_facets(rows: &Rows, locale: Locale, facets: &[FacetCounts], out: &mut Vec<u8>) {
    out.push(b'{');
    push_items(out, facets, |counts, out| {
        push_name(out, counts.facet.spec().name);
        out.push(b'[');
        push_items(out, &counts.items, |(value, count), out| {
            rows.push_item(counts.facet, value, *count, locale, out);
        });
        out.push(b']');
    });
    out.push(b'}');
}
