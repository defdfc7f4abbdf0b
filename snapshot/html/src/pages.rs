//! Links to the pages around one of some.

use serde::Serialize;
use snapshot::query::PAGE_RANGE;

/// Where to go from a page; template `pages.html`.
#[derive(Serialize)]
pub(crate) struct PageLinks {
    previous: Option<String>,
    next: Option<String>,
    number: u64,
    of: u64,
}

impl PageLinks {
    /// None where there is only one page.
    pub(crate) fn new((page, pages): (u64, u64), address: impl Fn(u64) -> String) -> Option<Self> {
        let link = |is_there: bool, page: u64| is_there.then(|| address(page));
        (pages > 1).then(|| Self {
            previous: link(page > 1, page.saturating_sub(1).min(pages)),
            next: link(page < pages.min(PAGE_RANGE.1), page + 1),
            number: page,
            of: pages,
        })
    }
}
