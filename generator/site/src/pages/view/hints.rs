//! Suggestions while text is typed: programs, organizations, recipients and filters, by all of their names.

use html::prepare::HintEntry;
use rayon::prelude::*;
use serde_json::{Value, json};
use snapshot::page::text::grouped;
use snapshot::place;
use snapshot::record::{EntityRef, Locale};

use super::search_address;
use crate::pages::{Pages, here};

impl Pages<'_> {
    /// Of equal weight, filters come first, then organizations, programs and recipients.
    pub(in crate::pages) fn hints(&self) -> Vec<HintEntry> {
        let (directory, language) = (self.directory, self.default_language());
        let values = 0..self.site.index.values.ordinals() as u32;
        let mut hints: Vec<HintEntry> = values.filter_map(|ordinal| self.value_hint(ordinal)).collect();
        hints.par_extend(directory.organizations.par_iter().enumerate().map(|(at, it)| {
            let count = directory.organization_links[at].programs.len();
            let about = |locale| self.about(locale, "search_organization", "results", count);
            let names = ("name", &*it.name, &*it.aliases);
            self.record_hint((it.entity(), language), names, ("/organizations/", &it.slug, count), about)
        }));
        hints.par_extend(directory.programs.par_iter().enumerate().map(|(at, it)| {
            let organization = &directory.organizations[directory.program_links[at].organization];
            let about = |locale| {
                let provider = directory.text(organization.entity(), locale, "name", &organization.name);
                format!("{} · {provider}", self.word(locale, "award_program"))
            };
            let names = ("name", &*it.name, &*it.aliases);
            self.record_hint((it.entity(), self.language(it)), names, ("/programs/", &it.slug, 1), about)
        }));
        hints.par_extend(directory.recipients.par_iter().enumerate().map(|(at, it)| {
            let count = directory.recipient_awards[at].len();
            let about = |locale| self.about(locale, "award_recipient", "awards", count);
            let names = ("displayName", &*it.display_name, &[][..]);
            self.record_hint((it.entity(), language), names, ("/recipients/", &it.slug, count), about)
        }));
        hints
    }

    /// `Recipient · 12 awards`
    fn about(&self, locale: Locale, kind: &str, gives: &str, count: usize) -> String {
        let number = if count == 1 { "one" } else { "other" };
        let count = grouped(count as u64, locale);
        let gives = self.phrase(locale, &format!("{gives}_{number}"), &[("n", &count)]);
        format!("{} · {gives}", self.word(locale, kind))
    }

    fn record_hint(
        &self,
        of: (EntityRef, &str),
        (field, name, aliases): (&str, &str, &[String]),
        (folder, slug, count): (&str, &str, usize),
        about: impl Fn(Locale) -> String,
    ) -> HintEntry {
        let text = |locale| self.directory.text(of.0, locale, field, name).to_owned();
        let names = Locale::ALL.iter().map(|locale| text(*locale)).chain(aliases.iter().cloned());
        let object = |locale| -> Value {
            let (lang, href) = (self.foreign(of, locale, field), here(&format!("{folder}{slug}"), locale));
            json!({"text": text(locale), "lang": lang, "about": about(locale), "count": count, "href": href})
        };
        HintEntry { names: names.collect(), count, objects: self.objects(object) }
    }

    /// A value that people use as words of a query, by its labels; a place by any of its names.
    fn value_hint(&self, ordinal: u32) -> Option<HintEntry> {
        let values = &self.site.index.values;
        let (spec, value) = (values.facet_of(ordinal).spec(), values.text(ordinal));
        let count = values.docs(ordinal).len();
        if count == 0 || !(spec.names_entities || spec.is_place || spec.group != spec.facet) {
            return None;
        }
        let label = |locale| self.spoken_label(spec.facet, value, locale);
        let known = place::names().iter().filter(|name| spec.is_place && name.codes == [value]);
        let labels = Locale::ALL.iter().map(|locale| label(*locale).0);
        let names = labels.chain(known.map(|name| name.text.to_owned())).collect();
        let object = |locale| -> Value {
            let (text, lang) = label(locale);
            let about = self.about(locale, &format!("facet_{}", spec.name), "results", count);
            let href = search_address(locale, spec.parameter, value);
            json!({"text": text, "lang": lang, "about": about, "count": count, "href": href})
        };
        Some(HintEntry { names, count, objects: self.objects(object) })
    }

    fn objects(&self, object: impl Fn(Locale) -> Value) -> [String; 2] {
        let of = |locale| self.locales().contains(&locale).then(|| object(locale).to_string());
        [Locale::En, Locale::Es].map(|locale| of(locale).unwrap_or_default())
    }
}
