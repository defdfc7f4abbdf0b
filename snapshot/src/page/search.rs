//! SearchResponse: rows and facet items spliced from prepared bytes.

use crate::page::json::{push_items, push_json, push_name, push_numbers};
use crate::page::row::{Items, push_row};
use crate::page::site::{Dated, Paged, Site};
use crate::query::{Page, Query};
use crate::search::{FacetCounts, SearchResult};

/// Everything of an answer but its rows, its facet items and what was invalid, and names and brackets of
/// all facets.
const FRAME_BYTES: usize = 800;
/// A day in quotes, a brace and a comma: what a row has besides its prepared bytes.
const ROW_END_BYTES: usize = 14;

/// Answers a query to search and programs.
pub fn search(site: &Site, dated: &Dated, query: &Query, invalid: &[String]) -> Paged {
    render(site, dated, query, invalid, &site.index.search(query, &dated.today))
}

/// The bytes of an answer.
pub fn render(site: &Site, dated: &Dated, query: &Query, invalid: &[String], answer: &SearchResult) -> Paged {
    let (rows, items) = (site.rows.rows(&answer.docs, query.locale), site.rows.items(query.locale));
    let mut out = Vec::with_capacity(bytes(&rows, items, invalid, answer));
    out.extend_from_slice(b"{\"data\":[");
    let docs = answer.docs.iter().map(|doc| dated.today.next_deadline[*doc as usize]);
    push_items(&mut out, rows.iter().zip(docs), |(row, day), out| push_row(row, day, out));
    out.extend_from_slice(b"],\"meta\":{");
    push_paging(&mut out, &query.page, answer.docs.len(), answer.total);
    out.extend_from_slice(b",\"sort\":\"");
    out.extend_from_slice(query.sort.as_str().as_bytes());
    out.extend_from_slice(b"\",\"invalid\":");
    push_json(&mut out, &invalid);
    if let Some(facets) = &answer.facets {
        out.extend_from_slice(b",\"facets\":");
        push_facets(items, facets, &mut out);
    }
    out.extend_from_slice(b"}}");
    Paged { bytes: out, total: answer.total }
}

/// How long an answer is, or a little more, so that it is written without growing.
fn bytes(rows: &[&[u8]], items: Items<'_>, invalid: &[String], answer: &SearchResult) -> usize {
    let rows: usize = rows.iter().map(|row| row.len() + ROW_END_BYTES).sum();
    let counted = answer.facets.iter().flatten().flat_map(|facet| &facet.items);
    let counted = counted.map(|(value, _)| items.bytes(value));
    let invalid: usize = invalid.iter().map(|name| 2 * name.len() + 3).sum();
    FRAME_BYTES + invalid + rows + counted.sum::<usize>()
}

/// `limit`, `offset`, `count`, `total`, `page` and `pages`.
pub(crate) fn push_paging(out: &mut Vec<u8>, page: &Page, count: usize, total: usize) {
    let pages = (total as u64).div_ceil(page.limit);
    let totals =
        [("count", count as u64), ("total", total as u64), ("page", page.number()), ("pages", pages)];
    push_numbers(out, [("limit", page.limit), ("offset", page.offset)].into_iter().chain(totals));
}

fn push_facets(items: Items<'_>, facets: &[FacetCounts], out: &mut Vec<u8>) {
    out.push(b'{');
    push_items(out, facets, |counts, out| {
        push_name(out, counts.facet.spec().name);
        out.push(b'[');
        push_items(out, &counts.items, |(value, count), out| items.push(counts.facet, value, *count, out));
        out.push(b']');
    });
    out.push(b'}');
}
