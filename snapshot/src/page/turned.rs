//! Since when a body with holes has been what it is: the last day, up to the one it is filled for, on which
//! a hole holds something else than the day before.

use crate::page::Dated;
use crate::page::hole::Rule;
use crate::record::Locale;
use crate::search::today::Told;
use crate::store::Hole;
use crate::time::{Day, ageing_days};

/// The last day up to that of `dated` on which one of the holes turned.
#[must_use]
pub fn last(holes: &[Hole], dated: &Dated) -> Option<Day> {
    holes.iter().filter_map(|hole| of(hole, dated)).max()
}

fn of(hole: &Hole, dated: &Dated) -> Option<Day> {
    let (today, arg) = (dated.day(), hole.arg);
    let cycle = |number| dated.cycles.turning_days(number);
    match Rule::of(hole.rule)? {
        Rule::CycleStatus => {
            last_change(cycle(arg), today, |day| dated.cycles.on(arg, day).map(|(status, _)| status))
        }
        Rule::Status => last_change(cycle(arg / 2), today, |day| {
            dated.cycles.on(arg / 2, day).map(|(_, standing)| standing)
        }),
        Rule::NextDeadline | Rule::NextDeadlineText => {
            last_change(dated.today.turning_days(arg), today, |day| {
                dated.today.told_on(arg, day).map(|told| told.openness.next_deadline)
            })
        }
        Rule::When | Rule::WhenText => told_otherwise(dated, arg / 2, |told, day| words(dated, told, day)),
        Rule::Differs => {
            told_otherwise(dated, arg / 2, |told, _| told.standing.differs(told.observed.lifecycle))
        }
        // The order follows from what is said of each.
        Rule::Organization => {
            let docs = dated.html.as_ref().map_or(&[][..], |html| html.organizations.docs(arg / 2));
            let turned = |doc: &u32| told_otherwise(dated, *doc, |told, day| words(dated, told, day));
            docs.iter().filter_map(turned).max()
        }
        // They speak of the day itself or of every program's.
        Rule::Closing | Rule::Deadlines | Rule::Months | Rule::OpenCount | Rule::Day | Rule::YearDay => {
            Some(today)
        }
    }
}

/// The last day up to today on which what is said about a document is not what was said the day before.
fn told_otherwise<T: PartialEq>(dated: &Dated, doc: u32, said: impl Fn(&Told, Day) -> T) -> Option<Day> {
    let today = dated.day();
    let ages = ageing_days(dated.today.told(doc)?.observed.checked, today);
    // Days left are fewer every day.
    let days = dated.today.turning_days(doc).chain(ages).chain([today]);
    last_change(days, today, |day| dated.today.told_on(doc, day).map(|told| said(&told, day)))
}

/// State and deadline in words; those of one language turn when those of the other do.
fn words(dated: &Dated, told: &Told, day: Day) -> Vec<u8> {
    let mut words = Vec::new();
    if let Some(html) = &dated.html {
        html.language(Locale::En).push_told(&mut words, told, day);
    }
    words
}

/// The last of some days up to today on which something is not what it was the day before.
fn last_change<T: PartialEq>(
    days: impl Iterator<Item = Day>,
    today: Day,
    on: impl Fn(Day) -> T,
) -> Option<Day> {
    days.filter(|day| *day <= today && on(*day) != on(day.before())).max()
}
