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
    /// Whom readers write to: a mail address, or a web address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
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

    /// The address of a link to its contact, `mailto:…` or of a web page; `None` if it has none, or it is neither.
    pub fn contact_address(&self) -> Option<String> {
        let contact = self.contact.as_deref()?;
        let is_plain = |text: &str| {
            !text.is_empty()
                && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "\"<>".contains(c))
        };
        if ["http://", "https://"].iter().any(|scheme| contact.strip_prefix(scheme).is_some_and(is_plain)) {
            return Some(contact.to_owned());
        }
        let is_part = |part: &str| is_plain(part) && !part.contains(['@', ':', '/', '?']);
        let (name, host) = contact.split_once('@')?;
        (is_part(name) && is_part(host)).then(|| format!("mailto:{contact}"))
    }

    /// Language of texts without a stated one: that of a site in one language, else English.
    pub fn language(&self) -> Locale {
        self.default_locale.or(self.only_locale()).unwrap_or(Locale::En)
    }
}
