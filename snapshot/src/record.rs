//! The records of a directory as plain data: what the dataset's tables hold, one struct each, what answers
//! show of them, one table each, and [`Directory`], the whole with its references resolved. Serde and
//! look-ups only, no rules.

mod award;
mod cycle;
mod dataset;
mod directory;
mod enums;
mod fact;
pub mod field_table;
mod members;
mod organization;
mod program;
mod reference;
mod source;
mod strict_formats;
mod vocabulary;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that many records share, as values of a vocabulary are: kept once in memory, however many
/// records have it, and never freed. Compared and sorted as its text.
pub use ustr::Ustr as InternedStr;

pub use self::award::{AWARD, Award, RECIPIENT, Recipient, award_order};
pub use self::cycle::{CYCLE, CYCLE_STAMPS, Cycle, season_day, season_order};
pub use self::dataset::Dataset;
pub use self::directory::{AwardLinks, Directory, OrganizationLinks, ProgramLinks};
pub use self::enums::{
    Approval, CycleStatus, DurationUnit, EntityType, Lifecycle, Locale, Polarity, PublicationStatus,
    RecipientKind, Strength,
};
pub use self::fact::{FACT, Fact, TRANSITION, Transition};
pub use self::members::Members;
pub use self::organization::{CHANNEL, Channel, LEADER, Leader, ORGANIZATION, Organization, POST, Post};
pub use self::program::{PROGRAM, Program};
pub use self::reference::{Alias, EntityRef, Translation};
pub use self::source::{SOURCE, Source};
pub use self::vocabulary::{Synonym, Term};

/// A number that prints without a fraction when it has none, as JSON written by hand does.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Integers up to here are exact in an `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn published() -> PublicationStatus {
    PublicationStatus::Published
}

fn approved() -> Approval {
    Approval::Approved
}

fn include() -> Polarity {
    Polarity::Include
}

fn required() -> Strength {
    Strength::Required
}

/// Declares a table's row: camelCase, unknown fields refused, `publication` understood. What is
/// written is published, so `publication` is not.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)+
            /// Only published records leave the building.
            #[serde(default = "super::published", skip_serializing)]
            pub publication: PublicationStatus,
        }
    };
}

use row;

fn null_is_empty<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}
