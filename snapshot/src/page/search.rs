//! SearchResponse: rows and facet items spliced from prepared bytes.

use crate::page::{Dated, Paged, Site, push_json, push_number};
use crate::query::{Page, Query};
use crate::record::Locale;
use crate::search::matching::Read;
use crate::search::{Answer, FacetCounts};

/// A row and a facet item are about this long; a first guess at the size of an answer.
const ROW_BYTES: usize = 1200;
const ITEM_BYTES: usize = 80;

/// Answers a question to search and programs.
#[must_use]
pub fn search(site: &Site, dated: &Dated, query: &Query, invalid: &[String]) -> Paged {
    render(site, dated, query, invalid, &site.index.search(query, &dated.today))
}

/// The same of a question that is looked up already.
#[must_use]
pub fn search_read(
    site: &Site,
    dated: &Dated,
    query: &Query,
    read: Option<&Read<'_>>,
    invalid: &[String],
) -> Paged {
    render(site, dated, query, invalid, &site.index.search_read(query, read, &dated.today))
}

/// The bytes of an answer.
#[must_use]
pub fn render(site: &Site, dated: &Dated, query: &Query, invalid: &[String], answer: &Answer) -> Paged {
    let items: usize = answer.facets.iter().flatten().map(|facet| facet.items.len()).sum();
    let mut out = Vec::with_capacity(400 + ROW_BYTES * answer.docs.len() + ITEM_BYTES * items);
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
