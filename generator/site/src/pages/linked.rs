//! Linked data (schema.org) of records, as JSON that is safe inside a `script` element.

use minijinja::Value;
use serde_json::json;
use snapshot::page::hole::Rule;
use snapshot::page::money::conversion;
use snapshot::record::{Number, Organization, Recipient, RecipientKind};

use super::{Local, ProgramPage};
use crate::downloads::Download;
use crate::files::stated;

/// JSON without characters that could end the element. The quotes around the mark of a placeholder are removed:
/// its value brings its own.
pub(super) fn embed(value: serde_json::Value) -> Value {
    let mut whole = stated(value);
    whole["@context"] = "https://schema.org".into();
    let text = whole.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Value::from_safe_string(text.replace("\"\\u0001", "\u{1}").replace("\\u0001\"", "\u{1}"))
}

impl ProgramPage<'_> {
    pub(super) fn json_ld(&self) -> Value {
        let it = self.it;
        let organization = self.organization_of(self.number);
        let provider = json!({
            "@type": "Organization",
            "name": self.directory.text(organization.entity(), self.locale, "name", &organization.name),
            "url": self.address(&format!("/organizations/{}", organization.slug)),
        });
        let funded = it.funding_min_usd.is_some() || it.funding_max_usd.is_some();
        // If the source's amount was converted, the original amount is the exact one.
        let (currency, min, max) = match conversion(it, &self.facts) {
            Some((currency, [min, max])) => (currency, min.map(Number), max.map(Number)),
            None => ("USD", it.funding_min_usd, it.funding_max_usd),
        };
        let bounds =
            json!({ "@type": "MonetaryAmount", "currency": currency, "minValue": min, "maxValue": max });
        let language = self.foreign(self.about(), "summary");
        embed(json!({
            "@type": if funded {
                json!(["MonetaryGrant", "EducationalOccupationalProgram"])
            } else {
                json!("EducationalOccupationalProgram")
            },
            "name": self.directory.text(it.entity(), self.locale, "name", &it.name),
            "description": self.summary,
            "url": self.address(&format!("/programs/{}", it.slug)),
            "sameAs": it.official_url,
            "provider": provider,
            "funder": funded.then(|| provider.clone()),
            "amount": funded.then(|| stated(bounds)),
            "applicationDeadline": Rule::NextDeadline.mark(self.doc as usize),
            "inLanguage": language.as_deref().unwrap_or(self.locale.as_str()),
            "license": "https://creativecommons.org/licenses/by/4.0/",
        }))
    }
}

impl Local<'_> {
    pub(super) fn organization_json_ld(&self, it: &Organization) -> Value {
        embed(json!({
            "@type": "Organization",
            "name": self.directory.text(it.entity(), self.locale, "name", &it.name),
            "description": self.directory.translation(it.entity(), self.locale, "description").or(it.description.as_deref()),
            "url": it.website_url,
            "mainEntityOfPage": self.address(&format!("/organizations/{}", it.slug)),
        }))
    }

    pub(super) fn recipient_json_ld(&self, it: &Recipient) -> Value {
        embed(json!({
            "@type": if it.kind == RecipientKind::Person { "Person" } else { "Organization" },
            "name": self.directory.text(it.entity(), self.locale, "displayName", &it.display_name),
            "url": it.website_url,
            "mainEntityOfPage": self.address(&format!("/recipients/{}", it.slug)),
        }))
    }

    pub(super) fn dataset_json_ld(&self) -> Value {
        let table = |it: &Download| {
            json!({
                "@type": "DataDownload",
                "name": it.name,
                "contentUrl": format!("{}{}", self.base_url(), it.path()),
                "encodingFormat": it.media_type,
                "contentSize": format!("{} B", it.body.len),
                "sha256": it.body.sha256,
            })
        };
        embed(json!({
            "@type": "Dataset",
            "name": self.directory.dataset.title,
            "description": self.word("about_1"),
            "url": self.address("/data"),
            "license": "https://creativecommons.org/licenses/by/4.0/",
            "dateModified": self.directory.dataset.published_at,
            "isAccessibleForFree": true,
            "distribution": self.downloads.iter().map(table).collect::<Vec<_>>(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script_element() {
        let embedded = embed(json!({ "name": "</script><script>alert(1)", "gone": null })).to_string();
        assert!(!embedded.contains('<'));
        let back: serde_json::Value = serde_json::from_str(&embedded).unwrap();
        assert_eq!(back, json!({ "@context": "https://schema.org", "name": "</script><script>alert(1)" }));
    }

    #[test]
    fn a_hole_takes_its_quotes_with_it() {
        let embedded = embed(json!({ "a": Rule::NextDeadline.mark(7) })).to_string();
        assert!(embedded.ends_with("\"a\":\u{1}2.7\u{1}}"), "{embedded}");
    }
}
