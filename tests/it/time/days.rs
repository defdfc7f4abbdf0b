//! What depends on the day: the rules as tables worked out by hand, and days within 400 on which an old
//! snapshot must answer as one that was built that day.

use jiff::civil::Date;
use snapshot::page::hole::{Filled, refill};
use snapshot::page::list::Numbers;
use snapshot::page::shape::Shaper;
use snapshot::page::{Dated, Site, detail, export, facet, listing, search, status_text};
use snapshot::query::{FacetQuery, List, ListQuery, parse_list};
use snapshot::record::{CycleStatus, Directory, Lifecycle, Locale};
use snapshot::search::document_order;
use snapshot::time::{Day, DisplayStatus, Openness, Season};
use tests::synth::TODAY;

use tests::world::{World, day_after, site};

const DAYS: i32 = 400;

/// A site with the bodies that are files, rendered on the day it was built.
struct Snapshot<'a> {
    directory: &'a Directory,
    site: Site,
    built: Date,
}

impl<'a> Snapshot<'a> {
    fn new(directory: &'a Directory, built: Date) -> Self {
        Self { directory, site: site(directory, built).0, built }
    }

    /// Details of programs and organizations, and the export.
    fn files(&self) -> Vec<Filled> {
        let day = Day::new(self.built);
        let dated = self.site.dated(day);
        let numbers = Numbers::new(self.directory, &document_order(self.directory, day));
        let mut files = vec![export::json(&self.site, &dated, &self.directory.dataset)];
        for locale in Locale::ALL {
            let shaper = Shaper { directory: self.directory, locale: *locale };
            let programs = 0..self.directory.programs.len();
            files.extend(programs.map(|program| detail::program(&shaper, &numbers, &dated, program)));
            let organizations = 0..self.directory.organizations.len();
            files.extend(organizations.map(|it| detail::organization(&shaper, &numbers, &dated, it)));
        }
        files
    }
}

/// Everything that is answered on a day without files.
fn answers(site: &Site, dated: &Dated, day: i32) -> Vec<Vec<u8>> {
    let soon = day_after(day + 30);
    let mut questions = vec![
        String::new(),
        format!("deadlineFrom={}&deadlineTo={soon}", day_after(day)),
        "sort=name&locale=es&openState=closed&openState=closing_soon".to_owned(),
    ];
    let rotating = ["open=true&limit=100", "rolling=true", "lifecycle=unclear", "q=program&openState=open"];
    questions.push(rotating[day as usize % rotating.len()].to_owned());
    let mut answers: Vec<Vec<u8>> = Vec::new();
    for question in questions {
        let (query, invalid) = site.index.parse(&question);
        answers.push(search::search(site, dated, &query, &invalid).bytes);
    }
    for question in ["limit=100", "upcoming=false&limit=100"] {
        let (query, invalid): (ListQuery, _) = parse_list(List::Cycles, question, |_| None);
        answers.push(listing::list(site, dated, List::Cycles, &query, &invalid).bytes);
    }
    let page = snapshot::query::Page { offset: 0, limit: 100 };
    let all = FacetQuery { page, ..FacetQuery::default() };
    answers.push(facet::facet(site, dated, snapshot::facet::Facet::OpenStates, &all).bytes);
    answers
}

/// The concise tool answer about every program, by slug.
fn concise_records(site: &Site, dated: &Dated) -> String {
    let record = |(doc, locale): (&u32, &Locale)| {
        let state = status_text::state(&dated.today.state(*doc).unwrap(), dated.today.day, *locale, false);
        format!("{}: {state}\n", site.index.slug(*doc))
    };
    let docs = site.index.by_slug();
    docs.iter().flat_map(|doc| Locale::ALL.iter().map(move |locale| (doc, locale))).map(record).collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Checks each of so many days.
fn stays_right(world: &World, every: usize) {
    let old = Snapshot::new(&world.directory, TODAY);
    let old_files = old.files();
    for day in (0..DAYS).step_by(every) {
        let today = day_after(day);
        let old_dated = old.site.dated(Day::new(today));
        let new = Snapshot::new(&world.directory, today);
        let new_dated = new.site.dated(Day::new(today));
        let [found, expected] = [(&old.site, &old_dated), (&new.site, &new_dated)]
            .map(|(site, dated)| concise_records(site, dated));
        assert_eq!(found, expected, "{today}");
        let expected = answers(&new.site, &new_dated, day);
        for (found, expected) in answers(&old.site, &old_dated, day).iter().zip(&expected) {
            assert_eq!(text(found), text(expected), "{today}");
        }
        for (found, expected) in old_files.iter().zip(new.files()) {
            let refilled = refill(&found.bytes, &found.holes, &old_dated).unwrap();
            assert_eq!(text(&refilled), text(&expected.bytes), "{today}");
        }
    }
}

#[test]
fn a_snapshot_answers_on_days_of_a_year_as_one_built_that_day() {
    stays_right(&World::synthetic(30, 3), 9);
}

#[test]
fn a_snapshot_of_colliding_days_answers_on_days_of_a_year_as_one_built_that_day() {
    stays_right(&World::tiny(dense_seed()), 3);
}

/// A tiny dataset with a few dozen programs.
fn dense_seed() -> u64 {
    (0..).find(|seed| World::tiny(*seed).directory.programs.len() > 12).unwrap()
}

/// Day 0 is today in the tables below.
fn season(stated: Option<CycleStatus>, opens: Option<i32>, deadline: Option<i32>) -> Season {
    let day = |days: Option<i32>| days.map_or(Day::NONE, Day);
    Season { opens: day(opens), deadline: day(deadline), stated, ..Season::default() }
}

#[test]
fn a_cycle_is_upcoming_while_it_takes_applications_or_has_not_begun() {
    let starts = |days: i32| Season { starts: Day(days), ..season(None, None, Some(-1)) };
    assert!(starts(0).is_upcoming(Day(0)));
    assert!(!starts(-1).is_upcoming(Day(0)));
    assert!(season(None, Some(4), None).is_upcoming(Day(0)));
    assert!(season(Some(CycleStatus::Rolling), None, None).is_upcoming(Day(0)));
    assert!(!season(None, None, None).is_upcoming(Day(0)));
    assert!(!season(Some(CycleStatus::Closed), None, Some(4)).is_upcoming(Day(0)));
}

/// What a page shows of a program on day 0, checked so many days ago.
fn standing(lifecycle: Lifecycle, seasons: &[Season], checked: i32) -> DisplayStatus {
    Openness::new(lifecycle, seasons.iter().copied(), Day(0)).standing(Day(-checked), Day(0))
}

fn shows(table: &[(Lifecycle, &[Season], i32, DisplayStatus)]) {
    for (lifecycle, seasons, checked, expected) in table {
        assert_eq!(standing(*lifecycle, seasons, *checked), *expected, "{lifecycle:?} {seasons:?} {checked}");
    }
}

#[test]
fn what_is_shown_follows_from_past_rounds_and_deadlines() {
    use Lifecycle::{ActiveAccepting, ActiveBetweenCycles, Ended, Unclear};
    let passed = season(None, None, Some(-1));
    let open = season(None, Some(-1), Some(15));
    let upcoming = season(None, Some(3), Some(9));
    let opened = season(None, Some(-3), None);
    let closed = season(Some(CycleStatus::Closed), None, None);
    let ahead = season(None, None, Some(15));
    let named = |season: Season, days: i32| Season { named: Day(days), ..season };
    let unknown = season(None, None, None);
    let guessed = Season { projected: true, ..passed };
    let far = season(None, Some(-3), Some(9 * 366));
    let no_call = Season { no_call: true, ..open };
    let over = DisplayStatus::Over { is_guess: false };
    let probably_over = DisplayStatus::Over { is_guess: true };
    let nothing = DisplayStatus::NotKnown { opened: None, months: None };
    let old = DisplayStatus::NotKnown { opened: None, months: Some(12) };
    let late = season(None, Some(-740), None);
    let since = |days: i32| DisplayStatus::NotKnown { opened: Some(Day(days)), months: None };
    let table: [(Lifecycle, &[Season], i32, DisplayStatus); 27] = [
        // Where nothing states whether it opens again, every known round is past: by its deadline, by its source's
        // word, or, which is a guess, by its name or by a projected deadline.
        (Unclear, &[passed], 0, over),
        (Unclear, &[passed, unknown], 0, over),
        (Unclear, &[closed], 0, over),
        (Unclear, &[closed, named(closed, 300)], 0, over),
        (Unclear, &[passed, opened], 0, nothing),
        (Unclear, &[guessed], 0, probably_over),
        (Unclear, &[guessed, closed], 0, probably_over),
        (Unclear, &[guessed, passed], 0, over),
        (ActiveBetweenCycles, &[named(unknown, -1)], 0, probably_over),
        (ActiveBetweenCycles, &[named(unknown, 0)], 0, nothing),
        (ActiveBetweenCycles, &[named(unknown, -1), named(unknown, 9)], 0, nothing),
        (ActiveBetweenCycles, &[guessed], 0, probably_over),
        (Ended, &[guessed], 0, DisplayStatus::Closed),
        (ActiveBetweenCycles, &[passed], 0, DisplayStatus::Closed),
        (Ended, &[passed], 0, DisplayStatus::Closed),
        // A round that no lifecycle confirms is not known to be open.
        (Unclear, &[passed, upcoming], 0, nothing),
        (Unclear, &[opened], 0, nothing),
        (Unclear, &[], 0, nothing),
        // Nor is one that only has a deadline ahead, unless its source states that it is open.
        (ActiveBetweenCycles, &[ahead], 0, DisplayStatus::Ahead),
        (ActiveBetweenCycles, &[ahead, late], 0, DisplayStatus::Ahead),
        (ActiveBetweenCycles, &[ahead, open], 0, DisplayStatus::Open),
        (ActiveBetweenCycles, &[season(Some(CycleStatus::Open), None, Some(15))], 0, DisplayStatus::Open),
        (ActiveAccepting, &[ahead], 0, DisplayStatus::Open),
        // A deadline that stands for none ends nothing.
        (ActiveBetweenCycles, &[season(None, None, Some(9 * 366))], 0, nothing),
        (ActiveAccepting, &[far], 365, DisplayStatus::Open),
        (ActiveAccepting, &[far], 366, old),
        // Nobody can apply to a call for information.
        (ActiveAccepting, &[no_call], 0, since(-1)),
    ];
    shows(&table);
}

#[test]
fn what_is_shown_follows_from_the_age_of_rounds_and_checks() {
    use Lifecycle::{ActiveAccepting, Ended};
    let passed = season(None, None, Some(-1));
    let open = season(None, Some(-1), Some(15));
    let undated = season(Some(CycleStatus::Open), None, None);
    let rolling = season(Some(CycleStatus::Rolling), None, None);
    let upcoming = season(None, Some(3), Some(9));
    let announced = season(Some(CycleStatus::Upcoming), None, None);
    let opened = season(None, Some(-3), None);
    let named = |season: Season, days: i32| Season { named: Day(days), ..season };
    let nothing = DisplayStatus::NotKnown { opened: None, months: None };
    let old = DisplayStatus::NotKnown { opened: None, months: Some(12) };
    let (late, later) = (season(None, Some(-740), None), season(None, Some(-800), None));
    let since = |days: i32| DisplayStatus::NotKnown { opened: Some(Day(days)), months: None };
    let table: [(Lifecycle, &[Season], i32, DisplayStatus); 21] = [
        // Openness that nothing ends is believed for a year: 1969 had 365 days.
        (ActiveAccepting, &[undated], 365, DisplayStatus::Open),
        (ActiveAccepting, &[undated], 366, old),
        (ActiveAccepting, &[rolling], 365, DisplayStatus::Rolling),
        (ActiveAccepting, &[rolling], 366, old),
        (ActiveAccepting, &[], 366, old),
        (ActiveAccepting, &[undated, upcoming], 366, old),
        (ActiveAccepting, &[undated, open], 366, DisplayStatus::Open),
        (ActiveAccepting, &[upcoming], 366, DisplayStatus::Upcoming),
        (ActiveAccepting, &[announced], 365, DisplayStatus::Upcoming),
        (ActiveAccepting, &[announced], 366, nothing),
        // A round without a deadline may be over after two years, of which 1968 had 366 days, or after the end
        // of the year in its name.
        (ActiveAccepting, &[season(None, Some(-731), None)], 0, DisplayStatus::Open),
        (ActiveAccepting, &[season(None, Some(-732), None)], 0, since(-732)),
        (ActiveAccepting, &[late, later, passed], 366, since(-740)),
        (ActiveAccepting, &[late, opened], 0, DisplayStatus::Open),
        (ActiveAccepting, &[late, open], 0, DisplayStatus::Open),
        (ActiveAccepting, &[late, rolling], 0, DisplayStatus::Open),
        (ActiveAccepting, &[named(opened, -1)], 0, since(-3)),
        (ActiveAccepting, &[named(opened, 0)], 0, DisplayStatus::Open),
        (ActiveAccepting, &[named(undated, -1)], 0, nothing),
        (ActiveAccepting, &[season(None, None, Some(14))], 0, DisplayStatus::ClosingSoon),
        (Ended, &[late], 0, DisplayStatus::Closed),
    ];
    shows(&table);
}
