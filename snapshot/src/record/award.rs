//! Awards, and who received them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::shown::{Field, Kind, Shows, field};
use super::{Number, Publication, RecipientKind, Shared, row};

const DETAIL: Shows = Shows::DETAIL;
/// Wherever the record is, even if only named.
const NAMED: Shows = Shows::REFERENCE.and(Shows::LISTED).and(Shows::ROW).and(Shows::DETAIL);
/// Where the record itself is.
const SHOWN: Shows = Shows::ROW.and(Shows::DETAIL);

row! {
    /// Something granted to somebody.
    Award {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// By which program.
        #[serde(deserialize_with = "super::written::id")]
        program_id: Uuid,
        /// In which season.
        #[serde(default, deserialize_with = "super::written::id_or_none")]
        cycle_id: Option<Uuid>,
        /// To whom.
        #[serde(deserialize_with = "super::written::id")]
        recipient_id: Uuid,
        /// When.
        award_year: i32,
        /// How much, US dollars.
        award_amount_usd: Option<Number>,
        /// For what.
        project_title: Option<String>,
        /// More about it.
        public_notes: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "super::written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// Somebody who received an award.
    Recipient {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name.
        display_name: String,
        /// What they are.
        kind: RecipientKind,
        /// ISO 3166-1 alpha-2.
        country_code: Option<Shared>,
        /// Home page.
        website_url: Option<String>,
        /// About them.
        biography: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "super::written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::written::moment")]
        updated_at: Timestamp,
    }
}

/// What answers show of an award.
pub static AWARD: &[Field<Award>] = &[
    field("id", Kind::Id, SHOWN, |it| it.id.into()),
    field("programId", Kind::Id, SHOWN, |it| it.program_id.into()),
    field("cycleId", Kind::Id, SHOWN, |it| it.cycle_id.into()),
    field("recipientId", Kind::Id, SHOWN, |it| it.recipient_id.into()),
    field("awardYear", Kind::Integer, SHOWN, |it| it.award_year.into()),
    field("awardAmountUsd", Kind::Amount, SHOWN, |it| it.award_amount_usd.into()),
    field("projectTitle", Kind::Text, SHOWN, |it| (&it.project_title).into()),
    field("publicNotes", Kind::Text, SHOWN, |it| (&it.public_notes).into()),
    field("createdAt", Kind::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", Kind::Time, SHOWN, |it| it.updated_at.into()),
];

/// What answers show of a recipient.
pub static RECIPIENT: &[Field<Recipient>] = &[
    field("id", Kind::Id, NAMED, |it| it.id.into()),
    field("slug", Kind::Slug, NAMED, |it| (&it.slug).into()),
    field("displayName", Kind::Text, NAMED, |it| (&it.display_name).into()),
    field("kind", Kind::Word, NAMED, |it| it.kind.as_str().into()),
    field("countryCode", Kind::Word, SHOWN, |it| (&it.country_code).into()),
    field("websiteUrl", Kind::Url, DETAIL, |it| (&it.website_url).into()),
    field("biography", Kind::Text, SHOWN, |it| (&it.biography).into()),
    field("createdAt", Kind::Time, DETAIL, |it| it.created_at.into()),
    field("updatedAt", Kind::Time, DETAIL, |it| it.updated_at.into()),
];

/// Newest award first.
pub fn award_order(a: &Award, b: &Award) -> std::cmp::Ordering {
    b.award_year
        .cmp(&a.award_year)
        .then_with(|| b.created_at.cmp(&a.created_at))
        .then_with(|| a.id.cmp(&b.id))
}
