//! Linked data (schema.org) of records, as JSON that is safe inside a `script` element.

use minijinja::Value;
use serde_json::json;
use snapshot::page::hole::Rule;
use snapshot::page::money::conversion;
use snapshot::record::{Locale, Number, RecipientKind};

use super::Pages;
use crate::downloads::Download;
use crate::files::stated;

/// JSON without characters that could end the element. The quotes around the mark of a placeholder are removed:
/// its value brings its own.
pub(super) fn embed(value: serde_json::Value) -> Value {
    let mut whole = json!({ "@context": "https://schema.org" });
    if let (Some(whole), Some(members)) = (whole.as_object_mut(), stated(value).as_object_mut()) {
        whole.append(members);
    }
    let text = whole.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    Value::from_safe_string(text.replace("\"\\u0001", "\u{1}").replace("\\u0001\"", "\u{1}"))
}

impl Pages<'_> {
    pub(super) fn address(&self, path: &str, locale: Locale) -> String {
        format!("{}{}", self.base_url(), html::templates::here(path, locale))
    }

    pub(super) fn program_json_ld(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let organization = self.organization_of(program);
        let provider = json!({
            "@type": "Organization",
            "name": self.directory.text(organization.entity(), locale, "name", &organization.name),
            "url": self.address(&format!("/organizations/{}", organization.slug), locale),
        });
        let funded = it.funding_min_usd.is_some() || it.funding_max_usd.is_some();
        // If the source's amount was converted, the original amount is the exact one.
        let (currency, min, max) = match conversion(it, &self.facts(program)) {
            Some((currency, [min, max])) => (currency, min.map(Number), max.map(Number)),
            None => ("USD", it.funding_min_usd, it.funding_max_usd),
        };
        let bounds =
            json!({ "@type": "MonetaryAmount", "currency": currency, "minValue": min, "maxValue": max });
        let doc = self.numbers.doc_of[program] as usize;
        let language = self.foreign((it.entity(), self.language(it)), locale, "summary");
        let language = language.unwrap_or_else(|| locale.as_str().to_owned());
        embed(json!({
            "@type": if funded {
                json!(["MonetaryGrant", "EducationalOccupationalProgram"])
            } else {
                json!("EducationalOccupationalProgram")
            },
            "name": self.directory.text(it.entity(), locale, "name", &it.name),
            "description": self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref()),
            "url": self.address(&format!("/programs/{}", it.slug), locale),
            "sameAs": it.official_url,
            "provider": provider,
            "funder": funded.then(|| provider.clone()),
            "amount": funded.then(|| stated(bounds)),
            "applicationDeadline": Rule::NextDeadline.mark(doc),
            "inLanguage": language,
            "license": "https://creativecommons.org/licenses/by/4.0/",
        }))
    }

    pub(super) fn organization_json_ld(&self, organization: usize, locale: Locale) -> Value {
        let it = &self.directory.organizations[organization];
        embed(json!({
            "@type": "Organization",
            "name": self.directory.text(it.entity(), locale, "name", &it.name),
            "description": self.directory.optional_text(it.entity(), locale, "description", it.description.as_deref()),
            "url": it.website_url,
            "mainEntityOfPage": self.address(&format!("/organizations/{}", it.slug), locale),
        }))
    }

    pub(super) fn recipient_json_ld(&self, recipient: usize, locale: Locale) -> Value {
        let it = &self.directory.recipients[recipient];
        embed(json!({
            "@type": if it.kind == RecipientKind::Person { "Person" } else { "Organization" },
            "name": self.directory.text(it.entity(), locale, "displayName", &it.display_name),
            "url": it.website_url,
            "mainEntityOfPage": self.address(&format!("/recipients/{}", it.slug), locale),
        }))
    }

    pub(super) fn dataset_json_ld(&self, locale: Locale) -> Value {
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
            "description": self.word(locale, "about_1"),
            "url": self.address("/data", locale),
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
