//! Awards, and who received them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{CONCISE, DETAIL, Field, FieldType, NAMED, SHOWN, field};
use super::{InternedStr, Number, PublicationStatus, RecipientKind, row};

row! {
    /// A grant, prize or place that a program gave to a recipient.
    Award {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// By which program.
        #[serde(deserialize_with = "super::strict")] program_id: Uuid,
        /// In which season.
        #[serde(default, deserialize_with = "super::strict_or_none")] cycle_id: Option<Uuid>,
        /// To whom.
        #[serde(deserialize_with = "super::strict")] recipient_id: Uuid,
        /// When.
        award_year: i32,
        /// How much, US dollars.
        award_amount_usd: Option<Number>,
        /// For what.
        project_title: Option<String>,
        /// More about it.
        public_notes: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }

    /// A person or organization that received an award.
    Recipient {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name.
        display_name: String,
        /// What they are.
        kind: RecipientKind,
        /// ISO 3166-1 alpha-2.
        country_code: Option<InternedStr>,
        /// Home page.
        website_url: Option<String>,
        /// About them.
        biography: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }
}

/// What answers show of an award.
pub static AWARD: &[Field<Award>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("programId", FieldType::Id, SHOWN, |it| it.program_id.into()),
    field("cycleId", FieldType::Id, SHOWN, |it| it.cycle_id.into()),
    field("recipientId", FieldType::Id, SHOWN, |it| it.recipient_id.into()),
    field("awardYear", FieldType::Integer, SHOWN.and(CONCISE), |it| it.award_year.into()),
    field("awardAmountUsd", FieldType::Amount, SHOWN.and(CONCISE), |it| it.award_amount_usd.into()),
    field("projectTitle", FieldType::Text, SHOWN.and(CONCISE), |it| (&it.project_title).into()),
    field("publicNotes", FieldType::Text, SHOWN, |it| (&it.public_notes).into()),
    field("createdAt", FieldType::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, SHOWN, |it| it.updated_at.into()),
];

/// What answers show of a recipient.
pub static RECIPIENT: &[Field<Recipient>] = &[
    field("id", FieldType::Id, NAMED, |it| it.id.into()),
    field("slug", FieldType::Slug, NAMED, |it| (&it.slug).into()),
    field("displayName", FieldType::Text, NAMED, |it| (&it.display_name).into()),
    field("kind", FieldType::Word, NAMED, |it| it.kind.as_str().into()),
    field("countryCode", FieldType::Word, SHOWN, |it| (&it.country_code).into()),
    field("websiteUrl", FieldType::Url, DETAIL, |it| (&it.website_url).into()),
    field("biography", FieldType::Text, SHOWN, |it| (&it.biography).into()),
    field("createdAt", FieldType::Time, DETAIL, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, DETAIL, |it| it.updated_at.into()),
];

/// Newest award first.
pub fn award_order(a: &Award, b: &Award) -> std::cmp::Ordering {
    b.award_year
        .cmp(&a.award_year)
        .then_with(|| b.created_at.cmp(&a.created_at))
        .then_with(|| a.id.cmp(&b.id))
}
