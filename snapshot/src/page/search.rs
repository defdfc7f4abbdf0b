//! SearchResponse: rows and facet items spliced from prepared bytes.

use crate::page::json::{push_json, push_number};
use crate::page::site::{Dated, Paged, Site};
use crate::query::{Page, Query};
use crate::record::Locale;
use crate::search::{FacetCounts, ResolvedText, SearchResult};

/// Everything of an answer but its rows, its facet items and what was invalid, and names and brackets of
/// all facets.
const FRAME_BYTES: usize = 800;
/// A day in quotes, a brace and a comma: what a row has besides its prepared bytes.
const ROW_END_BYTES: usize = 14;

/// Answers a query to search and programs.
#[must_use]
pub fn search(site: &Site, dated: &Dated, query: &Query, invalid: &[String]) -> Paged {
    render(site, dated, query, invalid, &site.index.search(query, &dated.today))
}

/// The same of a query that is looked up already.
#[must_use]
pub fn search_resolved(
    site: &Site,
    dated: &Dated,
    query: &Query,
    read: Option<&ResolvedText<'_>>,
    invalid: &[String],
) -> Paged {
    render(site, dated, query, invalid, &site.index.search_resolved(query, read, &dated.today))
}

/// The bytes of an answer.
#[must_use]
pub fn render(site: &Site, dated: &Dated, query: &Query, invalid: &[String], answer: &SearchResult) -> Paged {
    let mut out = Vec::with_capacity(bytes(site, query, invalid, answer));
    out.extend_from_slice(b"{\"data\":[");
    for (position, doc) in answer.docs.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        site.rows.push(*doc, query.locale, &dated.today, &mut out);
    }
    out.extend_from_slice(b"],\"meta\":{");
    push_paging(&mut out, &query.page, answer.docs.len(), answer.total);
    out.extend_from_slice(b",\"sort\":\"");
    out.extend_from_slice(query.sort.as_str().as_bytes());
    out.extend_from_slice(b"\",\"invalid\":");
    push_json(&mut out, &invalid);
    if let Some(facets) = &answer.facets {
        out.extend_from_slice(b",\"facets\":");
        push_facets(site, facets, query.locale, &mut out);
    }
    out.extend_from_slice(b"}}");
    Paged { bytes: out, total: answer.total }
}

/// How long an answer is, or a little more, so that it is written without growing.
fn bytes(site: &Site, query: &Query, invalid: &[String], answer: &SearchResult) -> usize {
    let row = |doc: &u32| site.rows.row(*doc, query.locale).len() + ROW_END_BYTES;
    let items = answer.facets.iter().flatten().flat_map(|facet| &facet.items);
    let items = items.map(|(value, _)| site.rows.item_bytes(value, query.locale));
    let invalid: usize = invalid.iter().map(|name| 2 * name.len() + 3).sum();
    FRAME_BYTES + invalid + answer.docs.iter().map(row).sum::<usize>() + items.sum::<usize>()
}

/// `limit`, `offset`, `count`, `total`, `page` and `pages`.
pub(crate) fn push_paging(out: &mut Vec<u8>, page: &Page, count: usize, total: usize) {
    out.extend_from_slice(b"\"limit\":");
    push_number(out, page.limit);
    out.extend_from_slice(b",\"offset\":");
    push_number(out, page.offset);
    out.extend_from_slice(b",\"count\":");
    push_number(out, count);
    out.extend_from_slice(b",\"total\":");
    push_number(out, total);
    out.extend_from_slice(b",\"page\":");
    push_number(out, page.number());
    out.extend_from_slice(b",\"pages\":");
    push_number(out, (total as u64).div_ceil(page.limit));
}

fn push_facets(site: &Site, facets: &[FacetCounts], locale: Locale, out: &mut Vec<u8>) {
    let mut open = b'{';
    for counts in facets {
        out.push(open);
        open = b',';
        out.push(b'"');
        out.extend_from_slice(counts.facet.spec().name.as_bytes());
        out.extend_from_slice(b"\":[");
        for (position, (value, count)) in counts.items.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            site.rows.push_item(counts.facet, value, *count, locale, out);
        }
        out.push(b']');
    }
    out.push(b'}');
}
