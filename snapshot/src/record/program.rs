//! Opportunities.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{CONCISE, DETAIL, Field, FieldType, NAMED, SHOWN, Visibility, field};
use super::{InternedStr, Lifecycle, Number, PublicationStatus, row};

const ROW: Visibility = Visibility::ROW;
const LISTED: Visibility = Visibility::LISTED;
const TOOL: Visibility = Visibility::TOOL;

row! {
    /// An opportunity.
    Program {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Who runs it.
        #[serde(deserialize_with = "super::strict")] organization_id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in `language`.
        name: String,
        /// One or two sentences.
        summary: Option<String>,
        /// The long text.
        description: Option<String>,
        /// Value of the `types` facet.
        program_type: InternedStr,
        /// Values of the `fields` facet.
        #[serde(default, deserialize_with = "super::null_is_empty")] fields: Vec<InternedStr>,
        /// Places whose people may apply.
        #[serde(default, deserialize_with = "super::null_is_empty")] eligible_countries: Vec<InternedStr>,
        /// Places where it happens.
        #[serde(default, deserialize_with = "super::null_is_empty")] destination_countries: Vec<InternedStr>,
        /// Values of the `careers` facet.
        #[serde(default, deserialize_with = "super::null_is_empty")] career_stages: Vec<InternedStr>,
        /// Least funding, US dollars.
        funding_min_usd: Option<Number>,
        /// Most funding, US dollars.
        funding_max_usd: Option<Number>,
        /// The provider's page.
        official_url: String,
        /// True exactly when `lifecycle` starts with `active_`.
        active: Option<bool>,
        /// Where it stands.
        lifecycle: Lifecycle,
        /// When that was observed.
        #[serde(default, deserialize_with = "super::strict_or_none")] lifecycle_checked_at: Option<Timestamp>,
        /// When the source was last read.
        #[serde(default, deserialize_with = "super::strict_or_none")] source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
        /// BCP 47 language of the original text; the dataset's default when absent.
        language: Option<InternedStr>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "super::null_is_empty")] aliases: Vec<String>,
    }
}

impl Program {
    /// When its lifecycle was observed: where no time of that is recorded, when its source was read.
    pub fn lifecycle_observed_at(&self) -> Option<Timestamp> {
        self.lifecycle_checked_at.or(self.source_checked_at)
    }

    /// When anything of it was last checked.
    pub fn last_checked_at(&self) -> Option<Timestamp> {
        self.lifecycle_checked_at.max(self.source_checked_at)
    }
}

/// What answers show of a program, in the order of the contract.
pub static PROGRAM: &[Field<Program>] = &[
    field("id", FieldType::Id, NAMED, |it| it.id.into()),
    field("organizationId", FieldType::Id, DETAIL, |it| it.organization_id.into()),
    field("slug", FieldType::Slug, NAMED.and(TOOL), |it| (&it.slug).into()),
    field("name", FieldType::Text, NAMED.and(TOOL), |it| (&it.name).into()),
    field("summary", FieldType::Text, SHOWN.and(CONCISE), |it| (&it.summary).into()),
    field("description", FieldType::Text, DETAIL.and(CONCISE), |it| (&it.description).into()),
    field("programType", FieldType::Word, DETAIL, |it| (&it.program_type).into()),
    field("type", FieldType::Word, LISTED.and(ROW).and(TOOL), |it| (&it.program_type).into()),
    // Rows have the lifecycle early, the detail has it beside `active`.
    field("lifecycle", FieldType::Word, LISTED.and(ROW), |it| it.lifecycle.as_str().into()),
    field("lifecycleCheckedAt", FieldType::Time, ROW, |it| it.lifecycle_checked_at.into()),
    field("fields", FieldType::Words, SHOWN.and(CONCISE), |it| (&it.fields).into()),
    field("eligibleCountries", FieldType::Places, SHOWN.and(CONCISE), |it| (&it.eligible_countries).into()),
    field("destinationCountries", FieldType::Places, SHOWN.and(CONCISE), |it| {
        (&it.destination_countries).into()
    }),
    field("careerStages", FieldType::Words, SHOWN.and(CONCISE), |it| (&it.career_stages).into()),
    field("fundingMinUsd", FieldType::Amount, SHOWN.and(CONCISE), |it| it.funding_min_usd.into()),
    field("fundingMaxUsd", FieldType::Amount, SHOWN.and(CONCISE), |it| it.funding_max_usd.into()),
    field("officialUrl", FieldType::Url, SHOWN.and(TOOL), |it| (&it.official_url).into()),
    field("active", FieldType::Flag, DETAIL, |it| it.lifecycle.is_active().into()),
    field("lifecycle", FieldType::Word, DETAIL, |it| it.lifecycle.as_str().into()),
    field("lifecycleCheckedAt", FieldType::Time, DETAIL, |it| it.lifecycle_checked_at.into()),
    field("sourceCheckedAt", FieldType::Time, SHOWN.and(TOOL), |it| it.source_checked_at.into()),
    field("createdAt", FieldType::Time, DETAIL, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, DETAIL, |it| it.updated_at.into()),
];
