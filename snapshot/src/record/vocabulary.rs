//! Labels of facet values, and words that mean the same.

use serde::{Deserialize, Serialize};

use super::{Locale, PublicationStatus, row};

row! {
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
