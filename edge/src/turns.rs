//! On which day the bytes of a body last turned: the last passed day on which what fills one of its
//! holes became something else. Reads the columns that the index keeps of seasons.

use snapshot::page::hole::Rule;
use snapshot::record::CycleStatus;
use snapshot::store::Hole;
use snapshot::store::sections::{Section, SectionError, Sections};
use snapshot::time::{Day, Season};

/// Days of seasons and what their sources stated, as columns.
struct Seasons {
    opens: Section<Day>,
    deadline: Section<Day>,
    stated: Section<u8>,
}

impl Seasons {
    fn season(&self, position: usize) -> Option<Season> {
        Some(Season {
            opens: *self.opens.get(position)?,
            deadline: *self.deadline.get(position)?,
            starts: Day::NONE,
            stated: CycleStatus::ALL.get(usize::from(*self.stated.get(position)?)).copied(),
        })
    }
}

/// Seasons of cycles and of programs.
pub struct Turns {
    cycles: Seasons,
    programs: Seasons,
    /// First season of each program, and the end.
    at: Section<u64>,
}

impl Turns {
    /// Opens the columns of `index/search.bin` and `index/lists.bin`.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(search: &Sections, lists: &Sections) -> Result<Self, SectionError> {
        Ok(Self {
            cycles: Seasons {
                opens: lists.get("cycle.opens")?,
                deadline: lists.get("cycle.deadline")?,
                stated: lists.get("cycle.stated")?,
            },
            programs: Seasons {
                opens: search.get("season.opens")?,
                deadline: search.get("season.deadline")?,
                stated: search.get("season.stated")?,
            },
            at: search.get("season.at")?,
        })
    }

    /// The last day up to `today` on which one of the holes turned.
    #[must_use]
    pub fn last(&self, holes: &[Hole], today: Day) -> Option<Day> {
        holes.iter().filter_map(|hole| self.of(hole, today)).max()
    }

    fn of(&self, hole: &Hole, today: Day) -> Option<Day> {
        let arg = hole.arg as usize;
        if hole.rule == Rule::CycleStatus as u32 {
            return last_status(&self.cycles.season(arg)?, today);
        }
        let seasons =
            usize::try_from(*self.at.get(arg)?).ok()?..usize::try_from(*self.at.get(arg + 1)?).ok()?;
        seasons.filter_map(|season| last_deadline(&self.programs.season(season)?, today)).max()
    }
}

/// When the status last became another one.
fn last_status(season: &Season, today: Day) -> Option<Day> {
    let turned = |day: &Day| *day <= today && season.status(*day) != season.status(day_before(*day));
    season.turning_days().filter(turned).max()
}

/// When its deadline, which counted until then, passed.
fn last_deadline(season: &Season, today: Day) -> Option<Day> {
    let deadline = season.deadline.known().filter(|deadline| *deadline < today)?;
    let counted = matches!(season.status(deadline), CycleStatus::Open | CycleStatus::Upcoming);
    counted.then_some(Day(deadline.0.saturating_add(1)))
}

fn day_before(day: Day) -> Day {
    Day(day.0.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEASON: Season = Season { opens: Day(10), deadline: Day(20), starts: Day::NONE, stated: None };

    #[test]
    fn a_status_turns_when_applications_open_and_the_day_after_the_deadline() {
        for (today, turned) in [(9, None), (10, Some(10)), (20, Some(10)), (21, Some(21)), (90, Some(21))] {
            assert_eq!(last_status(&SEASON, Day(today)), turned.map(Day), "{today}");
        }
        let closed = Season { stated: Some(CycleStatus::Closed), ..SEASON };
        assert_eq!(last_status(&closed, Day(90)), None, "stated closed, it never was anything else");
    }

    #[test]
    fn a_next_deadline_turns_the_day_after_it() {
        for (today, turned) in [(20, None), (21, Some(21)), (90, Some(21))] {
            assert_eq!(last_deadline(&SEASON, Day(today)), turned.map(Day), "{today}");
        }
        let rolling = Season { stated: Some(CycleStatus::Rolling), ..SEASON };
        assert_eq!(last_deadline(&rolling, Day(90)), None, "a rolling season lends no next deadline");
    }
}
