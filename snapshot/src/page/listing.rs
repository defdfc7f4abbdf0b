//! Answers to queries of the lists.

use std::borrow::Cow;

use crate::page::json::{push_items, push_json};
use crate::page::list::{Recipients, filters};
use crate::page::search::push_paging;
use crate::page::site::{Dated, Paged, Site};
use crate::query::{List, ListQuery};

/// What answering a query costs, in units of the search: rows that are filtered are looked through.
pub fn price(site: &Site, list: List, query: &ListQuery) -> u64 {
    const ROW: u64 = 16;
    let is_filtered = Recipients::is_filtered(query) || !query.organizations.is_empty();
    if is_filtered { site.lists.strings(list).count() as u64 * ROW } else { 0 }
}

/// Answers a query to a list.
pub fn list(site: &Site, dated: &Dated, list: List, query: &ListQuery, invalid: &[String]) -> Paged {
    let mut out = Vec::with_capacity(16 * 1024);
    out.extend_from_slice(b"{\"data\":[");
    let found = found(site, dated, list, query);
    let total = found.as_ref().map_or_else(|| site.lists.strings(list).count(), |found| found.len());
    push_items(&mut out, query.page.range(total), |place, out| {
        let row = found.as_ref().map_or(place, |found| found[place] as usize);
        match list {
            List::Cycles => site.lists.cycles.push(row as u32, &dated.cycles, out),
            _ => out.extend_from_slice(site.lists.strings(list).get(row)),
        }
    });
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

/// The rows that a query finds, in order; `None` for all in the order of the list.
fn found<'a>(site: &Site, dated: &'a Dated, list: List, query: &ListQuery) -> Option<Cow<'a, [u32]>> {
    let lists = &site.lists;
    let of = site.index.organizations.docs_of_any(&query.organizations, site.index.programs());
    let rows = match (list, &of) {
        (List::Recipients, _) if Recipients::is_filtered(query) => lists.recipients.find(&site.index, query),
        (List::Cycles, None) if !query.past => return Some(Cow::Borrowed(&dated.cycles.upcoming)),
        (List::Cycles, Some(of)) => {
            let docs = &*lists.cycles.docs;
            let is_of = |row: &u32| of.contains(docs[*row as usize]);
            match query.past {
                true => (0..docs.len() as u32).filter(is_of).collect(),
                false => dated.cycles.upcoming.iter().copied().filter(is_of).collect(),
            }
        }
        (List::Awards, Some(of)) => {
            let docs = (0..).zip(&*lists.award_docs);
            docs.filter(|(_, doc)| of.contains(**doc)).map(|(row, _)| row).collect()
        }
        _ => return None,
    };
    Some(Cow::Owned(rows))
}
