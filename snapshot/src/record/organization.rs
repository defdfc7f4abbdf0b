//! Organizations, and who leads them, where they can be reached and what they tell.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::shown::{Field, Kind, Shows, field};
use super::{Publication, Shared, row};

/// Wherever the record is, even if only named.
const NAMED: Shows = Shows::REFERENCE.and(Shows::LISTED).and(Shows::ROW).and(Shows::DETAIL);
/// Where the record itself is.
const SHOWN: Shows = Shows::ROW.and(Shows::DETAIL);

row! {
    /// A body that runs programs.
    Organization {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in its own language.
        name: String,
        /// ISO 3166-1 alpha-2.
        country_code: Option<Shared>,
        /// Home page.
        website_url: Option<String>,
        /// What it does.
        description: Option<String>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "super::null_is_empty")] aliases: Vec<String>,
        /// First seen.
        #[serde(deserialize_with = "super::written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// Somebody who leads an organization.
    Leader {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::written::id")]
        organization_id: Uuid,
        /// Name.
        name: String,
        /// Office.
        role: Option<String>,
        /// Page about them.
        url: Option<String>,
        /// First day in office.
        #[serde(default, deserialize_with = "super::written::day")]
        started_on: Option<Date>,
        /// Last day in office.
        #[serde(default, deserialize_with = "super::written::day")]
        ended_on: Option<Date>,
    }
}

row! {
    /// Where an organization can be followed or reached.
    Channel {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::written::id")]
        organization_id: Uuid,
        /// `website`, `newsletter`, `mastodon`, …
        kind: Shared,
        /// What people read.
        label: Option<String>,
        /// Address.
        url: String,
    }
}

row! {
    /// News of an organization.
    Post {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// Which organization.
        #[serde(deserialize_with = "super::written::id")]
        organization_id: Uuid,
        /// Headline.
        title: String,
        /// Address.
        url: String,
        /// A sentence about it.
        summary: Option<String>,
        /// When it appeared.
        #[serde(default, deserialize_with = "super::written::day")]
        published_on: Option<Date>,
    }
}

/// What answers show of an organization.
pub static ORGANIZATION: &[Field<Organization>] = &[
    field("id", Kind::Id, NAMED, |it| it.id.into()),
    field("slug", Kind::Slug, NAMED, |it| (&it.slug).into()),
    field("name", Kind::Text, NAMED, |it| (&it.name).into()),
    field("countryCode", Kind::Word, SHOWN, |it| (&it.country_code).into()),
    field("websiteUrl", Kind::Url, SHOWN, |it| (&it.website_url).into()),
    field("description", Kind::Text, SHOWN, |it| (&it.description).into()),
    field("createdAt", Kind::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", Kind::Time, SHOWN, |it| it.updated_at.into()),
];

/// What answers show of a leader.
pub static LEADER: &[Field<Leader>] = &[
    field("id", Kind::Id, SHOWN, |it| it.id.into()),
    field("name", Kind::Quote, SHOWN, |it| (&it.name).into()),
    field("role", Kind::Quote, SHOWN, |it| (&it.role).into()),
    field("url", Kind::Url, SHOWN, |it| (&it.url).into()),
    field("startedOn", Kind::Day, SHOWN, |it| it.started_on.into()),
    field("endedOn", Kind::Day, SHOWN, |it| it.ended_on.into()),
];

/// What answers show of a channel.
pub static CHANNEL: &[Field<Channel>] = &[
    field("id", Kind::Id, SHOWN, |it| it.id.into()),
    field("kind", Kind::Word, SHOWN, |it| (&it.kind).into()),
    field("url", Kind::Url, SHOWN, |it| (&it.url).into()),
    field("label", Kind::Quote, SHOWN, |it| (&it.label).into()),
];

/// What answers show of a post.
pub static POST: &[Field<Post>] = &[
    field("id", Kind::Id, SHOWN, |it| it.id.into()),
    field("title", Kind::Quote, SHOWN, |it| (&it.title).into()),
    field("url", Kind::Url, SHOWN, |it| (&it.url).into()),
    field("summary", Kind::Quote, SHOWN, |it| (&it.summary).into()),
    field("publishedOn", Kind::Day, SHOWN, |it| it.published_on.into()),
];
