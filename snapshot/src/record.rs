//! The records of a directory as plain data: what the dataset's tables hold, one struct each, what answers
//! show of them, one table each, and [`Directory`], the whole with its references resolved. Serde and
//! look-ups only, no rules.

mod award;
mod column;
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
mod strict_formats;

pub use self::award::{AWARD, Award, RECIPIENT, Recipient, award_order};
pub use self::column::{InternedStr, Number};
use self::column::{null_is_empty, row};
pub use self::cycle::{CYCLE, CYCLE_STAMPS, Cycle, season_order};
pub use self::dataset::Dataset;
pub use self::directory::{AwardLinks, Directory, OrganizationLinks, ProgramLinks};
pub(crate) use self::enums::words;
pub use self::enums::{
    Approval, CycleStatus, DurationUnit, EntityType, Lifecycle, Locale, Polarity, PublicationStatus,
    RecipientKind, Strength,
};
pub(crate) use self::fact::TRANSITION;
pub use self::fact::{FACT, Fact, SOURCE, Source, Transition};
pub use self::members::Members;
pub(crate) use self::organization::{CHANNEL, LEADER};
pub use self::organization::{Channel, Leader, ORGANIZATION, Organization, POST, Post};
pub use self::program::{PROGRAM, Program};
pub use self::reference::{Alias, EntityRef, Synonym, Term, Translation};
use self::strict_formats::{strict, strict_or_none};
