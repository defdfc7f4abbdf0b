//! Organizations with their leaders, contact channels and posts.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{Field, FieldType, NAMED, SHOWN, field};
use super::{InternedStr, PublicationStatus, row};

row! {
    /// A body that runs programs.
    Organization {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in its own language.
        name: String,
        /// ISO 3166-1 alpha-2.
        country_code: Option<InternedStr>,
        /// Home page.
        website_url: Option<String>,
        /// What it does.
        description: Option<String>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "super::null_is_empty")] aliases: Vec<String>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }

    /// A person who leads an organization.
    Leader {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::strict")] organization_id: Uuid,
        /// Name.
        name: String,
        /// Office.
        role: Option<String>,
        /// Page about them.
        url: Option<String>,
        /// First day in office.
        #[serde(default, deserialize_with = "super::strict_or_none")] started_on: Option<Date>,
        /// Last day in office.
        #[serde(default, deserialize_with = "super::strict_or_none")] ended_on: Option<Date>,
    }

    /// Where an organization can be followed or reached.
    Channel {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::strict")] organization_id: Uuid,
        /// `website`, `newsletter`, `mastodon`, …
        kind: InternedStr,
        /// What people read.
        label: Option<String>,
        /// Address.
        url: String,
    }

    /// News of an organization.
    Post {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::strict")] organization_id: Uuid,
        /// Headline.
        title: String,
        /// Address.
        url: String,
        /// A sentence about it.
        summary: Option<String>,
        /// When it appeared.
        #[serde(default, deserialize_with = "super::strict_or_none")] published_on: Option<Date>,
    }
}

/// What answers show of an organization.
pub static ORGANIZATION: &[Field<Organization>] = &[
    field("id", FieldType::Id, NAMED, |it| it.id.into()),
    field("slug", FieldType::Slug, NAMED, |it| (&it.slug).into()),
    field("name", FieldType::Text, NAMED, |it| (&it.name).into()),
    field("countryCode", FieldType::Word, SHOWN, |it| (&it.country_code).into()),
    field("websiteUrl", FieldType::Url, SHOWN, |it| (&it.website_url).into()),
    field("description", FieldType::Text, SHOWN, |it| (&it.description).into()),
    field("createdAt", FieldType::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, SHOWN, |it| it.updated_at.into()),
];

/// What answers show of a leader.
pub(crate) static LEADER: &[Field<Leader>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("name", FieldType::Quote, SHOWN, |it| (&it.name).into()),
    field("role", FieldType::Quote, SHOWN, |it| (&it.role).into()),
    field("url", FieldType::Url, SHOWN, |it| (&it.url).into()),
    field("startedOn", FieldType::Day, SHOWN, |it| it.started_on.into()),
    field("endedOn", FieldType::Day, SHOWN, |it| it.ended_on.into()),
];

/// What answers show of a channel.
pub(crate) static CHANNEL: &[Field<Channel>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("kind", FieldType::Word, SHOWN, |it| (&it.kind).into()),
    field("url", FieldType::Url, SHOWN, |it| (&it.url).into()),
    field("label", FieldType::Quote, SHOWN, |it| (&it.label).into()),
];

/// What answers show of a post.
pub static POST: &[Field<Post>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("title", FieldType::Quote, SHOWN, |it| (&it.title).into()),
    field("url", FieldType::Url, SHOWN, |it| (&it.url).into()),
    field("summary", FieldType::Quote, SHOWN, |it| (&it.summary).into()),
    field("publishedOn", FieldType::Day, SHOWN, |it| it.published_on.into()),
];
