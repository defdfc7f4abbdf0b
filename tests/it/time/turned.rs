//! The date of a body with holes against its bytes, over many days: it moves to the day on which they are
//! others than the day before, and stays where they are the same.

use html::{Filler, Html, Rule as Page};
use snapshot::page::Dated;
use snapshot::page::hole::{Fill, Rule, last_modified};
use snapshot::record::{Directory, Locale};
use snapshot::time::Day;
use store::{Generation, Hole};
use tests::world::{World, day_after};

use crate::data::words::cases;
use crate::server::Live;

/// Long enough for openness to age by more than a year.
const DAYS: i32 = 800;

const fn hole(rule: Rule, arg: usize) -> Hole {
    Hole { start: 0, len: 0, rule: rule as u32, arg: arg as u32 }
}

const fn page_hole(rule: Page, number: usize, locale: Locale) -> Hole {
    Hole { start: 0, len: 0, rule: rule as u32, arg: (2 * number + locale as usize) as u32 }
}

/// Every hole that speaks of one record, and one of each that speaks of all or of the day.
fn holes(directory: &Directory) -> [Vec<Hole>; 2] {
    let mut of_one = Vec::new();
    let mut of_all = Vec::new();
    for locale in Locale::ALL {
        for doc in 0..directory.programs.len() {
            of_one.extend([Rule::NextDeadline, Rule::NextDeadlineText].map(|rule| hole(rule, doc)));
            let words = [Page::When, Page::WhenText, Page::Differs];
            of_one.extend(words.map(|rule| page_hole(rule, doc, *locale)));
        }
        for organization in 0..directory.organizations.len() {
            // A page shows the first 20 programs of an organization: one of the others may change without it.
            let is_whole = directory.organization_links[organization].programs.len() <= 20;
            let holes = if is_whole { &mut of_one } else { &mut of_all };
            holes.push(page_hole(Page::Organization, organization, *locale));
        }
        for cycle in 0..directory.cycles.len() {
            of_one.push(hole(Rule::CycleStatus, cycle));
            of_one.push(page_hole(Page::Status, cycle, *locale));
        }
        let rules = [Page::Closing, Page::Deadlines, Page::OpenCount, Page::Day];
        of_all.extend(rules.map(|rule| page_hole(rule, 0, *locale)));
    }
    [of_one, of_all]
}

fn filled(hole: &Hole, day: &dyn Fill) -> Vec<u8> {
    let mut bytes = Vec::new();
    day.fill(hole.rule, hole.arg, &mut bytes).unwrap();
    bytes
}

/// What fills a hole on a day, and since when.
type Shown = (Vec<u8>, Option<Day>);

/// Turns that were seen, so that a test of nothing is none.
fn dates_follow_bytes(world: &World) -> usize {
    let live = Live::of(world);
    let (state, generation) = (live.server.state(), Generation::open_current(live.folder.path()).unwrap());
    let html = Html::open(&generation.index("pages.bin").unwrap(), state.site()).unwrap();
    let [of_one, of_all] = holes(&world.directory);
    let shown = |dated: &Dated| -> Vec<Shown> {
        let day = Filler::new(&html, dated);
        let shown = |hole| (filled(hole, &day), last_modified(std::slice::from_ref(hole), &day));
        of_one.iter().chain(&of_all).map(shown).collect()
    };
    let mut before = shown(&state.dated);
    let mut turns = 0;
    for days in 1..DAYS {
        let today = Day::new(day_after(days));
        let now = shown(&state.site().dated(today));
        for (at, hole) in of_one.iter().chain(&of_all).enumerate() {
            let [(bytes, date), (then, was)] = [&now[at], &before[at]];
            if bytes != then {
                turns += 1;
                assert_eq!(*date, Some(today), "{hole:?} changed on {:?}", today.date());
            } else if at < of_one.len() {
                assert_eq!(date, was, "{hole:?} did not change on {:?}", today.date());
            }
        }
        before = now;
    }
    turns
}

#[test]
fn whatever_fills_a_hole_its_date_moves_on_the_day_on_which_it_is_something_else() {
    for world in [cases(), World::synthetic(25, 4)] {
        assert!(dates_follow_bytes(&world) > 1000);
    }
}
