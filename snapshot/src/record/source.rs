//! Where statements were read.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{CONCISE, Field, FieldType, SHOWN, field};
use super::{EntityType, InternedStr, PublicationStatus, row};

row! {
    /// Where a statement was read.
    Source {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// What it supports.
        entity_type: EntityType,
        /// Which one.
        #[serde(deserialize_with = "super::strict")] entity_id: Uuid,
        /// Kind of document.
        kind: InternedStr,
        /// Address.
        url: Option<String>,
        /// Title.
        title: Option<String>,
        /// Who published it.
        publisher: Option<InternedStr>,
        /// When.
        #[serde(default, deserialize_with = "super::strict_or_none")] published_on: Option<Date>,
        /// When it was read.
        #[serde(deserialize_with = "super::strict")] retrieved_at: Timestamp,
        /// When it was last checked.
        #[serde(default, deserialize_with = "super::strict_or_none")] source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "super::strict")] created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }
}

/// What answers show of a source.
pub static SOURCE: &[Field<Source>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("entityType", FieldType::Word, SHOWN, |it| it.entity_type.as_str().into()),
    field("entityId", FieldType::Id, SHOWN, |it| it.entity_id.into()),
    field("kind", FieldType::Word, SHOWN.and(CONCISE), |it| (&it.kind).into()),
    field("url", FieldType::Url, SHOWN.and(CONCISE), |it| (&it.url).into()),
    field("title", FieldType::Quote, SHOWN.and(CONCISE), |it| (&it.title).into()),
    field("publisher", FieldType::Quote, SHOWN.and(CONCISE), |it| (&it.publisher).into()),
    field("publishedOn", FieldType::Day, SHOWN.and(CONCISE), |it| it.published_on.into()),
    field("retrievedAt", FieldType::Time, SHOWN, |it| it.retrieved_at.into()),
    field("sourceCheckedAt", FieldType::Time, SHOWN.and(CONCISE), |it| it.source_checked_at.into()),
    field("createdAt", FieldType::Time, SHOWN, |it| it.created_at.into()),
    field("updatedAt", FieldType::Time, SHOWN, |it| it.updated_at.into()),
];
