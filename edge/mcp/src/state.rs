//! Where a record stands on the day, in members that a model can compare: the state, what it follows
//! from, and the days that decide.

use serde::Serialize;
use snapshot::record::Lifecycle;
use snapshot::search::ProgramState;
use snapshot::time::{Day, DisplayStatus, OPEN_STATES};

use crate::context::Context;
use crate::reply::json;
use crate::write::push;

/// Bits of [`OPEN_STATES`] in the order in which one is told.
const FIRST: [usize; 6] = [1, 0, 2, 3, 4, 5];

/// What a state follows from where no day that is told decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Basis {
    /// What is published of a season.
    Season,
    /// The source's word about the program.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    closes_in_days: Option<i32>,
    /// Openness that nothing ends is only as good as its check: its age, where that is over a year.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_months_ago: Option<u32>,
}

impl State {
    /// The state of a record; `None` for a number from nowhere.
    pub(crate) fn new(context: &Context<'_>, doc: u32) -> Option<Self> {
        let today = &context.dated.today;
        let told = today.state(doc)?;
        let next = told.openness.next_deadline;
        let state = FIRST.into_iter().find(|bit| told.openness.states >> bit & 1 == 1).unwrap_or(5);
        let opens = (OPEN_STATES[state] == "upcoming").then(|| {
            let ahead = today.turning_days(doc).filter(|day| *day > today.day).min();
            // The day after the deadline turns a season too.
            ahead.filter(|day| next.known().is_none_or(|next| *day <= next))
        });
        let opens = opens.flatten();
        let text = |day: Day| day.date().map(|date| date.to_string());
        let checked_months_ago = match told.standing {
            DisplayStatus::OpenWhenChecked { months } => Some(months),
            _ => None,
        };
        Some(Self {
            open_state: OPEN_STATES[state],
            basis: basis(&told, OPEN_STATES[state], opens.is_some()),
            next_deadline: text(next),
            last_deadline: text(told.openness.last_deadline).filter(|_| next == Day::NONE),
            opens_on: opens.and_then(text),
            closes_in_days: next.known().filter(|_| told.openness.ends).map(|next| next.0 - today.day.0),
            checked_months_ago,
        })
    }
}

impl State {
    /// Without what follows from the day of the answer and the next deadline.
    pub(crate) fn without_count(self) -> Self {
        Self { closes_in_days: None, ..self }
    }

    /// Appends it behind the members of an object that is still open.
    pub(crate) fn push_members(&self, out: &mut Vec<u8>) {
        let members = json(self);
        push(out, ",");
        push(out, members.trim_start_matches('{').trim_end_matches('}'));
    }
}

/// What a state follows from: nothing where it is not known, and where the deadline or the opening day
/// that decides it is told beside it.
fn basis(told: &ProgramState, state: &str, opening_is_told: bool) -> Option<Basis> {
    let (openness, lifecycle) = (&told.openness, told.observed.lifecycle);
    let stopped = matches!(lifecycle, Lifecycle::Paused | Lifecycle::Ended | Lifecycle::ActiveNoApplications);
    let is_told = match state {
        "unknown" => true,
        "upcoming" => opening_is_told,
        "rolling" => false,
        "closed" => !stopped && openness.last_deadline != Day::NONE,
        _ => openness.ends,
    };
    let by_word = !openness.dated && !openness.rolling && lifecycle == Lifecycle::ActiveAccepting;
    let basis = if stopped || by_word { Basis::Source } else { Basis::Season };
    (!is_told).then_some(basis)
}
