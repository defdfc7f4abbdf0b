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
    /// Languages of the pages.
    #[serde(default = "all_locales")]
    pub locales: Vec<Locale>,
    /// Language of texts without a stated one, if stated, see [`Self::language`].
    pub default_locale: Option<Locale>,
    /// What ids of rows that have none are made in; follows from `name` when absent. Published rows have ids.
    #[serde(default, skip_serializing, deserialize_with = "super::strict_or_none")]
    pub id_namespace: Option<Uuid>,
}

fn all_locales() -> Vec<Locale> {
    Locale::ALL.to_vec()
}

impl Dataset {
    /// The language of the pages, if there is only one.
    pub(crate) fn only_locale(&self) -> Option<Locale> {
        if let [only] = self.locales[..] { Some(only) } else { None }
    }

    /// Language of texts without a stated one: that of a site in one language, else English.
    pub fn language(&self) -> Locale {
        self.default_locale.or(self.only_locale()).unwrap_or(Locale::En)
    }
}
