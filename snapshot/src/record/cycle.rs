//! Application seasons.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{CONCISE, Field, FieldType, SHOWN, field};
use super::{CycleStatus, PublicationStatus, row};

row! {
    /// An application season.
    Cycle {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Of which program.
        #[serde(deserialize_with = "super::strict")] program_id: Uuid,
        /// What people call it.
        label: String,
        /// First day of applications.
        #[serde(default, deserialize_with = "super::strict_or_none")] opens_on: Option<Date>,
        /// Last day of applications, inclusive.
        #[serde(default, deserialize_with = "super::strict_or_none")] deadline_on: Option<Date>,
        /// Day of the selection.
        #[serde(default, deserialize_with = "super::strict_or_none")] selection_on: Option<Date>,
        /// Day of the decision.
        #[serde(default, deserialize_with = "super::strict_or_none")] decision_on: Option<Date>,
        /// First day of what is funded.
        #[serde(default, deserialize_with = "super::strict_or_none")] starts_on: Option<Date>,
        /// Last day of what is funded.
        #[serde(default, deserialize_with = "super::strict_or_none")] ends_on: Option<Date>,
        /// Year that the cohort is named after.
        cohort_year: Option<i32>,
        /// Where to apply.
        application_url: Option<String>,
        /// The status that the source stated; the published status is derived, see [`crate::time`].
        status: Option<CycleStatus>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }
}

/// What answers show of a cycle before its status, which depends on the day.
pub static CYCLE: &[Field<Cycle>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("programId", FieldType::Id, SHOWN, |it| it.program_id.into()),
    field("label", FieldType::Text, SHOWN.and(CONCISE), |it| (&it.label).into()),
    field("opensOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.opens_on.into()),
    field("deadlineOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.deadline_on.into()),
    field("selectionOn", FieldType::Day, SHOWN, |it| it.selection_on.into()),
    field("decisionOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.decision_on.into()),
    field("startsOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.starts_on.into()),
    field("endsOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.ends_on.into()),
    field("cohortYear", FieldType::Integer, SHOWN, |it| it.cohort_year.into()),
    field("applicationUrl", FieldType::Url, SHOWN.and(CONCISE), |it| (&it.application_url).into()),
];

/// What stands after the status and the sources.
pub static CYCLE_STAMPS: &[Field<Cycle>] = &[
    field("createdAt", FieldType::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, SHOWN, |it| it.updated_at.into()),
];

/// The day that places a season in time: deadline, else opening, else start. Newest season first
/// means by this day descending, without a day last, then by id.
fn season_day(cycle: &Cycle) -> Option<Date> {
    cycle.deadline_on.or(cycle.opens_on).or(cycle.starts_on)
}

/// Newest season first.
pub fn season_order(a: &Cycle, b: &Cycle) -> std::cmp::Ordering {
    season_day(b).cmp(&season_day(a)).then_with(|| a.id.cmp(&b.id))
}
