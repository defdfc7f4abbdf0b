//! Where statements were read.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::shown::{Field, Kind, Shows, field};
use super::{EntityType, Publication, Shared, row};

/// Where the record itself is.
const SHOWN: Shows = Shows::ROW.and(Shows::DETAIL);

row! {
    /// Where a statement was read.
    Source {
        /// Identity.
        #[serde(deserialize_with = "super::written::id")]
        id: Uuid,
        /// What it supports.
        entity_type: EntityType,
        /// Which one.
        #[serde(deserialize_with = "super::written::id")]
        entity_id: Uuid,
        /// Kind of document.
        kind: Shared,
        /// Address.
        url: Option<String>,
        /// Title.
        title: Option<String>,
        /// Who published it.
        publisher: Option<Shared>,
        /// When.
        #[serde(default, deserialize_with = "super::written::day")]
        published_on: Option<Date>,
        /// When it was read.
        #[serde(deserialize_with = "super::written::moment")]
        retrieved_at: Timestamp,
        /// When it was last checked.
        #[serde(default, deserialize_with = "super::written::moment_or_none")]
        source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "super::written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::written::moment")]
        updated_at: Timestamp,
    }
}

/// What answers show of a source.
pub static SOURCE: &[Field<Source>] = &[
    field("id", Kind::Id, SHOWN, |it| it.id.into()),
    field("entityType", Kind::Word, SHOWN, |it| it.entity_type.as_str().into()),
    field("entityId", Kind::Id, SHOWN, |it| it.entity_id.into()),
    field("kind", Kind::Word, SHOWN, |it| (&it.kind).into()),
    field("url", Kind::Url, SHOWN, |it| (&it.url).into()),
    field("title", Kind::Quote, SHOWN, |it| (&it.title).into()),
    field("publisher", Kind::Quote, SHOWN, |it| (&it.publisher).into()),
    field("publishedOn", Kind::Day, SHOWN, |it| it.published_on.into()),
    field("retrievedAt", Kind::Time, SHOWN, |it| it.retrieved_at.into()),
    field("sourceCheckedAt", Kind::Time, SHOWN, |it| it.source_checked_at.into()),
    field("createdAt", Kind::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", Kind::Time, SHOWN, |it| it.updated_at.into()),
];
