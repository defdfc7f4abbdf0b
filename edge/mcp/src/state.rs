//! The state of a record on the day, in members that a model can compare: the state, its basis and the days that
//! determine it.

use serde::Serialize;
use snapshot::record::Lifecycle;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, OPEN_STATES};

use crate::context::Context;
use crate::reply::json;
use crate::write::push;

/// Bits of [`OPEN_STATES`], the one that is reported first in front.
const FIRST: [usize; 6] = [1, 0, 2, 3, 4, 5];

/// The basis of a state that no reported day determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Basis {
    /// The published dates and status of a season.
    Season,
    /// The source's statement about the program.
    Source,
}

/// Members of a row or a record that depend on the day.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct State {
    open_state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_deadline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_deadline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_on: Option<String>,
    /// Where the round that makes it open may be over: its opening day.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_on: Option<String>,
    /// Whether the next deadline is projected.
    #[serde(skip_serializing_if = "Option::is_none")]
    projected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closes_in_days: Option<i32>,
    /// Months since the source was checked, where the program is open without an end and that is over a year.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_months_ago: Option<u32>,
}

impl State {
    /// The state of a record; `None` for an unknown document number.
    pub(crate) fn new(context: &Context<'_>, doc: u32) -> Option<Self> {
        let today = &context.dated.today;
        let program_state = today.state(doc)?;
        let next = program_state.openness.next_deadline;
        let state = FIRST.into_iter().find(|bit| program_state.openness.states >> bit & 1 == 1).unwrap_or(5);
        let is_upcoming = OPEN_STATES[state] == "upcoming";
        let opens = program_state.openness.next_opening.known().filter(|_| is_upcoming);
        let opened = program_state.openness.doubtful_since.and_then(Day::known);
        let text = |day: Day| day.date().map(|date| date.to_string());
        let checked_months_ago = match program_state.standing {
            DisplayStatus::OpenWhenChecked { months } => Some(months),
            _ => None,
        };
        Some(Self {
            open_state: OPEN_STATES[state],
            basis: basis(&program_state, OPEN_STATES[state], opens.or(opened).is_some()),
            next_deadline: text(next),
            last_deadline: text(program_state.openness.last_deadline).filter(|_| next == Day::NONE),
            opens_on: opens.and_then(text),
            opened_on: opened.and_then(text),
            projected: (program_state.openness.projected && next != Day::NONE).then_some(true),
            closes_in_days: next
                .known()
                .filter(|_| program_state.openness.ends)
                .map(|next| next.0 - today.day.0),
            checked_months_ago,
        })
    }
}

impl State {
    /// Without `closesInDays`, which follows from the day of the answer and the next deadline.
    pub(crate) fn without_count(self) -> Self {
        Self { closes_in_days: None, ..self }
    }

    /// Appends the members to an object that is not closed yet.
    pub(crate) fn push_members(&self, out: &mut Vec<u8>) {
        let members = json(self);
        push(out, ",");
        push(out, members.trim_start_matches('{').trim_end_matches('}'));
    }
}

/// The basis of a state: none for an unknown state, and none where the deadline or the opening day that determines
/// it is reported too.
fn basis(program_state: &ProgramState, state: &str, has_opening_day: bool) -> Option<Basis> {
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
    let basis = if stopped || is_stated { Basis::Source } else { Basis::Season };
    (!has_no_basis).then_some(basis)
}
