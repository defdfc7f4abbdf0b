//! References to records of any kind, their other slugs, and their texts in another language; labels of facet values,
//! and words that mean the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Award, Cycle, EntityType, Fact, Locale, Organization, Program, PublicationStatus, Recipient, Source, row,
};

/// Which record: an id is unique among the records of one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityRef {
    /// Of what kind.
    pub kind: EntityType,
    /// With which id.
    pub id: Uuid,
}

row! {
    /// A former or shorter slug.
    Alias {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        #[serde(deserialize_with = "super::strict")] entity_id: Uuid,
        /// The slug that is not canonical.
        slug: String,
    }

    /// Texts of a record in another language.
    Translation {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        #[serde(deserialize_with = "super::strict")] entity_id: Uuid,
        /// In which language.
        locale: Locale,
        /// Field name to text.
        fields: BTreeMap<String, String>,
    }

    /// What people read for a facet value.
    Term {
        /// Facet, by its path name.
        facet: String,
        /// The value.
        value: String,
        /// English.
        label_en: Option<String>,
        /// Spanish.
        label_es: Option<String>,
        /// The value that contains this one.
        broader: Option<String>,
    }

    /// Words that a search treats as equal in meaning.
    Synonym {
        /// In which language.
        locale: Locale,
        /// The words; each may be several words long.
        terms: Vec<String>,
    }
}

macro_rules! entities {
    ($($kind:ident)+) => {
        $(impl $kind {
            /// The record as others refer to it.
            pub const fn entity(&self) -> EntityRef {
                EntityRef { kind: EntityType::$kind, id: self.id }
            }
        })+
    };
}

entities! { Organization Program Cycle Award Recipient Fact }

macro_rules! about_entities {
    ($($kind:ident)+) => {
        $(impl $kind {
            /// The record that this row is about.
            pub const fn about(&self) -> EntityRef {
                EntityRef { kind: self.entity_type, id: self.entity_id }
            }
        })+
    };
}

about_entities! { Source Alias Translation }
