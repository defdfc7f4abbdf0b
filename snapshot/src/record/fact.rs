//! Checked statements about programs, the changes of their lifecycle, and where statements were read.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::field_table::{CONCISE, Field, FieldType, SHOWN, field};
use super::{
    Approval, EntityType, InternedStr, Lifecycle, Number, Polarity, PublicationStatus, Strength, row,
};

row! {
    /// One checked statement about a program.
    Fact {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// About which program.
        #[serde(deserialize_with = "super::strict")] program_id: Uuid,
        /// About one season only.
        #[serde(default, deserialize_with = "super::strict_or_none")] cycle_id: Option<Uuid>,
        /// Which statement: a facet's fact kind, `age`, `duration`, `note` or any other word.
        kind: InternedStr,
        /// Value of a vocabulary.
        value: Option<InternedStr>,
        /// What people read for the value.
        label: Option<InternedStr>,
        /// The source's words.
        text: Option<String>,
        /// Lower bound, inclusive.
        min: Option<Number>,
        /// Upper bound, inclusive.
        max: Option<Number>,
        /// Unit of the bounds.
        unit: Option<InternedStr>,
        /// A sum of money.
        amount: Option<Number>,
        /// ISO 4217 of the amount.
        currency: Option<InternedStr>,
        /// In or out.
        #[serde(default)] polarity: Polarity,
        /// How much it binds.
        #[serde(default)] strength: Strength,
        /// Where it was read.
        #[serde(default, deserialize_with = "super::strict_or_none")] source_id: Option<Uuid>,
        /// Only approved facts leave the building.
        #[serde(default, skip_serializing)] status: Approval,
        /// Last changed.
        #[serde(deserialize_with = "super::strict")] updated_at: Timestamp,
    }

    /// A change of a program's lifecycle.
    Transition {
        /// Identity.
        #[serde(deserialize_with = "super::strict")] id: Uuid,
        /// Of which program.
        #[serde(deserialize_with = "super::strict")] program_id: Uuid,
        /// What it was.
        from_lifecycle: Option<Lifecycle>,
        /// What it became.
        to_lifecycle: Lifecycle,
        /// When that was seen.
        #[serde(deserialize_with = "super::strict")] observed_at: Timestamp,
        /// Why.
        reason: Option<String>,
        /// Where it was read.
        #[serde(default, deserialize_with = "super::strict_or_none")] source_id: Option<Uuid>,
    }

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

impl Fact {
    /// Whether it is a note of the deadline in the words of the source.
    pub fn is_deadline(&self) -> bool {
        self.value.as_deref() == Some("deadline-text")
    }
}

/// What answers show of a fact.
pub static FACT: &[Field<Fact>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("programId", FieldType::Id, SHOWN, |it| it.program_id.into()),
    field("cycleId", FieldType::Id, SHOWN, |it| it.cycle_id.into()),
    field("kind", FieldType::Word, SHOWN, |it| (&it.kind).into()),
    field("value", FieldType::Word, SHOWN, |it| (&it.value).into()),
    field("label", FieldType::Text, SHOWN, |it| (&it.label).into()),
    field("text", FieldType::Text, SHOWN, |it| (&it.text).into()),
    field("min", FieldType::Number, SHOWN, |it| it.min.into()),
    field("max", FieldType::Number, SHOWN, |it| it.max.into()),
    field("unit", FieldType::Word, SHOWN, |it| (&it.unit).into()),
    field("amount", FieldType::Amount, SHOWN, |it| it.amount.into()),
    field("currency", FieldType::Word, SHOWN, |it| (&it.currency).into()),
    field("polarity", FieldType::Word, SHOWN, |it| it.polarity.as_str().into()),
    field("strength", FieldType::Word, SHOWN, |it| it.strength.as_str().into()),
    field("sourceId", FieldType::Id, SHOWN, |it| it.source_id.into()),
    field("updatedAt", FieldType::Time, SHOWN, |it| it.updated_at.into()),
];

/// What answers show of a change.
pub(crate) static TRANSITION: &[Field<Transition>] = &[
    field("id", FieldType::Id, SHOWN, |it| it.id.into()),
    field("fromLifecycle", FieldType::Word, SHOWN, |it| it.from_lifecycle.map(Lifecycle::as_str).into()),
    field("toLifecycle", FieldType::Word, SHOWN, |it| it.to_lifecycle.as_str().into()),
    field("observedAt", FieldType::Time, SHOWN, |it| it.observed_at.into()),
    field("reason", FieldType::Quote, SHOWN, |it| (&it.reason).into()),
    field("sourceId", FieldType::Id, SHOWN, |it| it.source_id.into()),
];

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
