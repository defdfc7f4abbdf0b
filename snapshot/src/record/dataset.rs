//! A dataset's description of itself: `dataset.json`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Locale;

/// `dataset.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dataset {
    /// Must be `1`.
    pub schema_version: String,
    /// Short machine name.
    pub name: String,
    /// What people read.
    pub title: String,
    /// Must be `CC BY 4.0`.
    pub license: String,
    /// Becomes `generatedAt` of export and manifest.
    #[serde(deserialize_with = "super::strict")]
    pub published_at: Timestamp,
    /// Published languages.
    #[serde(default = "all_locales")]
    pub locales: Vec<Locale>,
    /// Language of texts without a stated one.
    #[serde(default = "english")]
    pub default_locale: Locale,
    /// What ids of rows that have none are made in; follows from `name` when absent. Published rows have ids.
    #[serde(default, skip_serializing, deserialize_with = "super::strict_or_none")]
    pub id_namespace: Option<Uuid>,
}

fn all_locales() -> Vec<Locale> {
    Locale::ALL.to_vec()
}

fn english() -> Locale {
    Locale::En
}
