//! The state of a record on the day, in members that a model can compare: the state, its basis and the days that
//! determine it.

use serde_json::Value;
use snapshot::record::Lifecycle;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, OPEN_STATES};

use crate::context::Context;
use crate::statements::Members;

/// Bits of [`OPEN_STATES`], the one that is reported first in front.
const FIRST: [usize; 6] = [1, 0, 2, 3, 4, 5];
/// Member that follows from the day of the answer and the next deadline.
pub(crate) const DAYS_LEFT: &str = "closesInDays";

/// The state of a record on the day; `None` for an unknown document number.
pub(crate) fn state(context: &Context<'_>, doc: u32) -> Option<Members> {
    let today = &context.dated.today;
    let program_state = today.state(doc)?;
    let openness = &program_state.openness;
    let next = openness.shown_deadline;
    let first = FIRST.into_iter().find(|bit| openness.states >> bit & 1 == 1);
    // What people read as not known to be open, models read so too, though the filter keeps it as open.
    let is_known = !matches!(program_state.standing, DisplayStatus::Ahead | DisplayStatus::NotKnown { .. });
    let state = OPEN_STATES[first.filter(|_| is_known).unwrap_or(5)];
    let opens = openness.next_opening.known().filter(|_| state == "upcoming");
    let opened = openness.doubtful_since.and_then(Day::known);
    let text = |day: Day| day.date().map(|date| Value::from(date.to_string()));
    let days_left = next.known().filter(|_| openness.ends).map(|next| (next.0 - today.day.0).into());
    let checked_months_ago = match program_state.standing {
        DisplayStatus::NotKnown { months, .. } => months.map(Value::from),
        _ => None,
    };
    let members = [
        ("openState", Some(state.into())),
        ("basis", basis(&program_state, state, opens.or(opened).is_some()).map(Value::from)),
        ("nextDeadline", text(next)),
        ("lastDeadline", text(openness.last_deadline).filter(|_| next == Day::NONE)),
        ("opensOn", opens.and_then(text)),
        // Where the round that makes it open may be over: its opening day.
        ("openedOn", opened.and_then(text)),
        // Whether the next deadline is projected.
        ("projected", (openness.projected && next != Day::NONE).then_some(true.into())),
        (DAYS_LEFT, days_left),
        // Since the source was checked, where the program is open without an end and that is over a year.
        ("checkedMonthsAgo", checked_months_ago),
    ];
    Some(Members(members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()))
}

/// The basis of a state: none for an unknown state, and none where the deadline or the opening day that determines
/// it is reported too. Else the published dates and status of a season, or the source's statement about the program.
fn basis(program_state: &ProgramState, state: &str, has_opening_day: bool) -> Option<&'static str> {
    let (openness, lifecycle) = (&program_state.openness, program_state.observed.lifecycle);
    let stopped = matches!(lifecycle, Lifecycle::Paused | Lifecycle::Ended | Lifecycle::ActiveNoApplications);
    let has_no_basis = match state {
        _ if has_opening_day => true,
        "unknown" => true,
        "upcoming" | "rolling" => false,
        "closed" => !stopped && openness.last_deadline != Day::NONE,
        _ => openness.ends,
    };
    let is_stated = !openness.dated && !openness.rolling && lifecycle == Lifecycle::ActiveAccepting;
    let basis = if stopped || is_stated { "source" } else { "season" };
    (!has_no_basis).then_some(basis)
}
