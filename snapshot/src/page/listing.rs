//! Answers to queries of the lists.

use crate::page::json::push_json;
use crate::page::list::{Recipients, filters};
use crate::page::search::push_paging;
use crate::page::site::{Dated, Paged, Site};
use crate::query::{List, ListQuery, Page};
use crate::search::Strings;

/// What answering a query costs, in units of the search: filtered recipients are looked through.
pub fn price(site: &Site, list: List, query: &ListQuery) -> u64 {
    const RECIPIENT: u64 = 16;
    match list {
        List::Recipients if Recipients::is_filtered(query) => {
            site.lists.recipients.rows.count() as u64 * RECIPIENT
        }
        _ => 0,
    }
}

/// Answers a query to a list.
pub fn list(site: &Site, dated: &Dated, list: List, query: &ListQuery, invalid: &[String]) -> Paged {
    let mut out = Vec::with_capacity(16 * 1024);
    out.extend_from_slice(b"{\"data\":[");
    let lists = &site.lists;
    let strings = |strings: &Strings, out: &mut Vec<u8>| {
        push_rows(out, &query.page, strings.count(), |row, out| out.extend_from_slice(strings.bytes(row)))
    };
    let total = match list {
        List::Organizations => strings(&lists.organizations, &mut out),
        List::Awards => strings(&lists.awards, &mut out),
        List::Cycles if query.upcoming => {
            let upcoming = &dated.cycles.upcoming;
            push_rows(&mut out, &query.page, upcoming.len(), |row, out| {
                lists.cycles.push(upcoming[row], &dated.cycles, out);
            })
        }
        List::Cycles => push_rows(&mut out, &query.page, lists.cycles.rows.count(), |row, out| {
            lists.cycles.push(row as u32, &dated.cycles, out);
        }),
        List::Recipients if Recipients::is_filtered(query) => {
            let found = lists.recipients.find(&site.index, query);
            push_rows(&mut out, &query.page, found.len(), |row, out| {
                out.extend_from_slice(lists.recipients.rows.bytes(found[row]));
            })
        }
        List::Recipients => strings(&lists.recipients.rows, &mut out),
    };
    out.extend_from_slice(b"],\"meta\":{");
    let count = query.page.range(total).len();
    push_paging(&mut out, &query.page, count, total);
    if list == List::Recipients {
        out.extend_from_slice(b",\"filters\":");
        push_json(&mut out, &filters(query));
    }
    out.extend_from_slice(b",\"invalid\":");
    push_json(&mut out, &invalid);
    out.extend_from_slice(b"}}");
    Paged { bytes: out, total }
}

/// Appends the rows of a page, separated by commas; gives the total back.
fn push_rows(out: &mut Vec<u8>, page: &Page, total: usize, push: impl Fn(usize, &mut Vec<u8>)) -> usize {
    super::json::push_items(out, page.range(total), push);
    total
}
