//! Other slugs of records, and their texts in another language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{EntityType, Locale, Publication, row};

row! {
    /// A former or shorter slug.
    Alias {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        entity_id: Uuid,
        /// The slug that is not canonical.
        slug: String,
    }
}

row! {
    /// Texts of a record in another language.
    Translation {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        entity_id: Uuid,
        /// In which language.
        locale: Locale,
        /// Field name to text.
        fields: BTreeMap<String, String>,
    }
}
