//! Pages of unchanged records, renewed: holes get the numbers that their subjects have now, and the bytes of the day.
//!
//! The JSON page of a record lists its cycles, or its programs, in the order of the directory. Their numbers there are
//! the key to those on the record's other pages.

use std::cell::RefCell;

use html::{Filler, Subject};
use snapshot::page::hole::{Fill as _, filled_again};
use snapshot::time::Day;
use store::Hole;
use store::reuse::{LivePage, RenewedPage};

/// What the holes of a record's pages number.
pub(super) struct Renewal<'a> {
    filler: Filler<'a>,
    /// The record itself: the document of a program, or the number of an organization.
    own: Option<(Subject, u32)>,
    /// What its JSON page lists: cycles of a program, or documents of an organization's programs.
    listed: Vec<u32>,
    /// The same numbers in the live generation, once that page was seen.
    live: RefCell<Vec<u32>>,
}

impl<'a> Renewal<'a> {
    pub(super) fn new(filler: Filler<'a>, own: Option<(Subject, u32)>, listed: Vec<u32>) -> Self {
        Self { filler, own, listed, live: RefCell::default() }
    }

    /// The page as it is now; `None` if it has to be rendered.
    pub(super) fn renew(&self, page: &LivePage<'_>) -> Option<RenewedPage> {
        if page.path.starts_with("public/api/") {
            if page.holes.len() != self.listed.len() {
                return None;
            }
            *self.live.borrow_mut() = page.holes.iter().map(|hole| hole.arg).collect();
        }
        let holes = page.holes.iter().map(|hole| self.renumbered(hole)).collect::<Option<Vec<_>>>()?;
        let since = Day::new(page.as_of);
        if holes.iter().all(|hole| !self.has_moved(hole, since)) {
            return Some(RenewedPage { holes, body: None });
        }
        let body = page.body()?;
        let filled = filled_again(body, &holes, &self.filler)?;
        let differs = filled.bytes != body;
        Some(RenewedPage { holes: filled.holes, body: differs.then_some(filled.bytes) })
    }

    fn renumbered(&self, hole: &Hole) -> Option<Hole> {
        let number = match (Subject::of(hole.rule, hole.arg)?, self.own) {
            ((Subject::Whole, number), _) => number,
            ((subject, _), Some((own, number))) if subject == own => number,
            ((_, number), _) => {
                let at = self.live.borrow().iter().position(|live| *live == number)?;
                *self.listed.get(at)?
            }
        };
        Some(Hole { arg: Subject::renumbered(hole.rule, hole.arg, number), ..*hole })
    }

    /// Whether a hole may have other bytes than on an earlier day, or a later one.
    fn has_moved(&self, hole: &Hole, since: Day) -> bool {
        let today = self.filler.dated.day();
        let changed = || self.filler.last_change(hole.rule, hole.arg);
        today < since || today > since && changed().is_some_and(|day| day > since)
    }
}
