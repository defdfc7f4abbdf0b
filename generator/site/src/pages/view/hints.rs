//! Suggestions while text is typed: programs, organizations, recipients and filters, by all of their names.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use dataset::parallel;
use html::index::HintEntry;
use serde_json::{Value, json};
use snapshot::facet::{FACETS, FacetSpec};
use snapshot::place;
use snapshot::record::{EntityRef, Locale};
use snapshot::search::label_runs;

use crate::pages::{Local, Pages};

const RECIPIENTS: &str = "/recipients/";

/// The hint of each record of a table.
fn each<T: Sync>(records: &[T], hint: impl Fn(usize, &T) -> HintEntry + Sync) -> Vec<HintEntry> {
    let positions: Vec<usize> = (0..records.len()).collect();
    parallel::flat_map(&positions, |at| [hint(*at, &records[*at])])
}

impl Pages<'_> {
    /// Of equal weight, filters come first, then organizations and programs; recipients come after all of them.
    pub(in crate::pages) fn hints(&self) -> Vec<HintEntry> {
        let (directory, language) = (self.directory, self.default_language());
        let mut hints = self.value_hints();
        hints.extend(each(&directory.organizations, |at, it| {
            let count = directory.organization_links[at].programs.len();
            let about = |it: Local<'_>| it.hint_about("recipient_kind_organization", "results", count);
            let names = ("name", &*it.name, &*it.aliases);
            self.record_hint((it.entity(), language), names, ("/organizations/", &it.slug, count), about)
        }));
        hints.extend(each(&directory.programs, |at, it| {
            let organization = self.organization_of(at);
            let about = |it: Local<'_>| {
                let provider = directory.text(organization.entity(), it.locale, "name", &organization.name);
                format!("{} · {provider}", it.word("award_program"))
            };
            let names = ("name", &*it.name, &*it.aliases);
            let language = it.language.as_deref().unwrap_or(language);
            self.record_hint((it.entity(), language), names, ("/programs/", &it.slug, 1), about)
        }));
        hints.extend(each(&directory.recipients, |at, it| {
            let count = directory.recipient_awards[at].len();
            let about = |it: Local<'_>| it.hint_about("award_recipient", "awards", count);
            let names = ("displayName", &*it.display_name, &[][..]);
            self.record_hint((it.entity(), language), names, (RECIPIENTS, &it.slug, count), about)
        }));
        hints
    }

    fn record_hint(
        &self,
        of: (EntityRef, &str),
        (field, name, aliases): (&str, &str, &[String]),
        (folder, slug, count): (&str, &str, usize),
        about: impl Fn(Local<'_>) -> String,
    ) -> HintEntry {
        let text = |locale| self.directory.text(of.0, locale, field, name).to_owned();
        let names = Locale::ALL.iter().map(|locale| text(*locale)).chain(aliases.iter().cloned());
        let object = |it: Local<'_>| -> Value {
            let (lang, href) = (it.foreign(of, field), it.here(&format!("{folder}{slug}")));
            json!({"text": text(it.locale), "lang": lang, "about": about(it), "count": count, "href": href})
        };
        let weight = if folder == RECIPIENTS { 0 } else { count };
        HintEntry::new([names.collect(), Vec::new()], weight, self.objects(object))
    }

    /// The values that people use as words of a query, and places that records admit without naming them.
    fn value_hints(&self) -> Vec<HintEntry> {
        let values = &self.site.index.values;
        let named = (0..values.ordinals() as u32).map(|ordinal| {
            (values.facet_of(ordinal).spec(), values.text(ordinal), values.docs(ordinal).len())
        });
        let is_spoken = |spec: &FacetSpec| spec.names_entities || spec.is_place || spec.group != spec.facet;
        let named = named.filter(|(spec, ..)| is_spoken(spec));
        let codes: BTreeSet<&str> = place::names().iter().flat_map(|it| it.codes.iter().copied()).collect();
        let places: Vec<(&FacetSpec, &str)> = (FACETS.iter().filter(|spec| spec.is_place))
            .flat_map(|spec| codes.iter().map(move |code| (spec, *code)))
            .filter(|(spec, code)| values.find(spec.facet, code).is_none())
            .collect();
        let admitted = parallel::flat_map(&places, |(spec, code)| {
            [(*spec, *code, values.docs_of_place(spec.facet, code).len())]
        });
        let mut all: Vec<_> = named.chain(admitted).filter(|(.., count)| *count > 0).collect();
        all.sort_by_key(|(.., count)| Reverse(*count));
        parallel::flat_map(&all, |(spec, value, count)| [self.value_hint(spec, value, *count)])
    }

    /// A value by its labels and what means the same; a place by any of its names.
    fn value_hint(&self, spec: &FacetSpec, value: &str, count: usize) -> HintEntry {
        let is_named = self.site.index.values.find(spec.facet, value).is_some();
        let label = |locale| match is_named {
            true => self.local(locale).spoken_label(spec.facet, value),
            false => (place::label_with_country(value, locale), None),
        };
        let known = place::names().iter().filter(|name| spec.is_place && name.codes == [value]);
        let labels: Vec<String> = Locale::ALL.iter().map(|locale| label(*locale).0).collect();
        let others = labels.iter().filter(|_| !spec.is_place).flat_map(|label| label_runs(label));
        let others = others.map(|words| words.join(" ")).flat_map(|it| [plurals(&it), vec![it]].concat());
        let object = |it: Local<'_>| -> Value {
            let (text, lang) = label(it.locale);
            let about = it.hint_about(&format!("facet_{}", spec.name), "results", count);
            let href = it.search(&[(spec.parameter, value)]);
            json!({"text": text, "lang": lang, "about": about, "count": count, "href": href})
        };
        let (objects, others) = (self.objects(object), others.collect());
        let names = labels.into_iter().chain(known.map(|name| name.text.to_owned())).collect();
        // A region admits every place in it: these come after the names of records.
        HintEntry::new([names, others], if is_named { count } else { 0 }, objects)
    }

    fn objects(&self, object: impl Fn(Local<'_>) -> Value) -> [String; 2] {
        let of = |locale| self.locales().contains(&locale).then(|| object(self.local(locale)).to_string());
        [Locale::En, Locale::Es].map(|locale| of(locale).unwrap_or_default())
    }
}

impl Local<'_> {
    /// `Recipient · 12 awards`
    fn hint_about(&self, kind: &str, gives: &str, count: usize) -> String {
        let number = if count == 1 { "one" } else { "other" };
        let gives = self.phrase(&format!("{gives}_{number}"), &[("n", &self.number(count))]);
        format!("{} · {gives}", self.word(kind))
    }
}

/// A name with its first or last word in the plural of English and of Spanish.
fn plurals(name: &str) -> Vec<String> {
    let of_word = |word: &str| match word.chars().last() {
        Some('s') | None => Vec::new(),
        Some('a' | 'e' | 'i' | 'o' | 'u') => vec![format!("{word}s")],
        Some('y') => vec![format!("{word}s"), format!("{}ies", &word[..word.len() - 1])],
        Some(_) => vec![format!("{word}s"), format!("{word}es")],
    };
    let first = name.split_once(' ').map(|(first, rest)| (first, format!(" {rest}")));
    let (before, last) =
        name.rsplit_once(' ').map_or(("", name), |(rest, last)| (&name[..=rest.len()], last));
    let by_first =
        first.into_iter().flat_map(|(first, rest)| of_word(first).into_iter().map(move |it| it + &rest));
    by_first.chain(of_word(last).into_iter().map(|last| format!("{before}{last}"))).collect()
}
