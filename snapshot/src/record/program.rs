//! Opportunities.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::shown::{Field, Kind, Shows, field};
use super::{Lifecycle, Number, Publication, Shared, row};

const ROW: Shows = Shows::ROW;
const LISTED: Shows = Shows::LISTED;
const DETAIL: Shows = Shows::DETAIL;
const TOOL: Shows = Shows::TOOL;
/// Wherever the record is, even if only named.
const NAMED: Shows = Shows::REFERENCE.and(Shows::LISTED).and(Shows::ROW).and(Shows::DETAIL);
/// Where the record itself is.
const SHOWN: Shows = Shows::ROW.and(Shows::DETAIL);

row! {
    /// An opportunity.
    Program {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Who runs it.
        #[serde(deserialize_with = "super::written::id")]
        organization_id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in `language`.
        name: String,
        /// One or two sentences.
        summary: Option<String>,
        /// The long text.
        description: Option<String>,
        /// Value of the `types` facet.
        program_type: Shared,
        /// Values of the `fields` facet.
        #[serde(default, deserialize_with = "super::null_is_empty")] fields: Vec<Shared>,
        /// Places whose people may apply.
        #[serde(default, deserialize_with = "super::null_is_empty")] eligible_countries: Vec<Shared>,
        /// Places where it happens.
        #[serde(default, deserialize_with = "super::null_is_empty")] destination_countries: Vec<Shared>,
        /// Values of the `careers` facet.
        #[serde(default, deserialize_with = "super::null_is_empty")] career_stages: Vec<Shared>,
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
        #[serde(default, deserialize_with = "super::written::moment_or_none")]
        lifecycle_checked_at: Option<Timestamp>,
        /// When the source was last read.
        #[serde(default, deserialize_with = "super::written::moment_or_none")]
        source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "super::written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::written::moment")]
        updated_at: Timestamp,
        /// BCP 47 language of the original text; the dataset's default when absent.
        language: Option<Shared>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "super::null_is_empty")] aliases: Vec<String>,
    }
}

impl Program {
    /// When its lifecycle was observed: where no time of that is recorded, when its source was read.
    #[must_use]
    pub fn lifecycle_observed_at(&self) -> Option<Timestamp> {
        self.lifecycle_checked_at.or(self.source_checked_at)
    }

    /// When anything of it was last checked.
    #[must_use]
    pub fn last_checked_at(&self) -> Option<Timestamp> {
        self.lifecycle_checked_at.max(self.source_checked_at)
    }
}

/// What answers show of a program, in the order of the contract.
pub static PROGRAM: &[Field<Program>] = &[
    field("id", Kind::Id, NAMED, |it| it.id.into()),
    field("organizationId", Kind::Id, DETAIL, |it| it.organization_id.into()),
    field("slug", Kind::Slug, NAMED.and(TOOL), |it| (&it.slug).into()),
    field("name", Kind::Text, NAMED.and(TOOL), |it| (&it.name).into()),
    field("summary", Kind::Text, SHOWN, |it| (&it.summary).into()),
    field("description", Kind::Text, DETAIL, |it| (&it.description).into()),
    field("programType", Kind::Word, DETAIL, |it| (&it.program_type).into()),
    field("type", Kind::Word, LISTED.and(ROW).and(TOOL), |it| (&it.program_type).into()),
    // Rows tell the lifecycle early, the record itself beside `active`.
    field("lifecycle", Kind::Word, LISTED.and(ROW), |it| it.lifecycle.as_str().into()),
    field("lifecycleCheckedAt", Kind::Time, ROW, |it| it.lifecycle_checked_at.into()),
    field("fields", Kind::Words, SHOWN, |it| (&it.fields).into()),
    field("eligibleCountries", Kind::Places, SHOWN, |it| (&it.eligible_countries).into()),
    field("destinationCountries", Kind::Places, SHOWN, |it| (&it.destination_countries).into()),
    field("careerStages", Kind::Words, SHOWN, |it| (&it.career_stages).into()),
    field("fundingMinUsd", Kind::Amount, SHOWN, |it| it.funding_min_usd.into()),
    field("fundingMaxUsd", Kind::Amount, SHOWN, |it| it.funding_max_usd.into()),
    field("officialUrl", Kind::Url, SHOWN.and(TOOL), |it| (&it.official_url).into()),
    field("active", Kind::Flag, DETAIL, |it| it.lifecycle.is_active().into()),
    field("lifecycle", Kind::Word, DETAIL, |it| it.lifecycle.as_str().into()),
    field("lifecycleCheckedAt", Kind::Time, DETAIL, |it| it.lifecycle_checked_at.into()),
    field("sourceCheckedAt", Kind::Time, SHOWN.and(TOOL), |it| it.source_checked_at.into()),
    field("createdAt", Kind::Time, DETAIL, |it| it.created_at.into()),
    field("updatedAt", Kind::Time, DETAIL, |it| it.updated_at.into()),
];
