//! Interprets the values of filters: a value is a code, or a name or label of one. The error for an ambiguous value
//! lists its candidates; that for an unknown value the nearest ones, else the commonest, and the arguments that know
//! it. Values and labels of records are text of third parties: only values that look like codes are ever named.

use std::collections::BTreeSet;

use snapshot::facet::{FACETS, Facet, FacetSpec, place_label, state_label};
use snapshot::page::facet::options;
use snapshot::place::{self, NameKind};
use snapshot::query::{FacetValue, Page, Query};
use snapshot::record::Locale;
use snapshot::search::{RankOptions, label_runs};
use snapshot::text::{normalized, words_of};

use crate::context::Context;
use crate::nearest::closest;
use crate::reply::{json, shown};
use net::blocking_pool::TEXT_UNITS;

/// Longest code that is suggested for a wrong value.
const CODE_MAX: usize = 64;
/// Most values that are listed as near.
const NEAREST_MAX: usize = 3;
/// Most values that are listed where none is near.
const NAMED_MAX: usize = 10;
/// Work of looking up one value among the names of places, in units of the search.
const PLACES_UNITS: u64 = 1_000 * TEXT_UNITS;

/// How a value was interpreted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is a value of the facet.
    Exact,
    /// It names these values together.
    Resolved(Vec<String>),
    /// It is ambiguous: each candidate is a list of values.
    Several(Vec<Vec<String>>),
    /// It is unknown.
    Nothing,
}

impl Reading {
    fn of(readings: BTreeSet<Vec<String>>) -> Option<Self> {
        let mut readings: Vec<Vec<String>> = readings.into_iter().collect();
        match readings.len() {
            0 => None,
            1 => readings.pop().map(Self::Resolved),
            _ => Some(Self::Several(readings)),
        }
    }
}

/// The values of a facet and their names.
pub(crate) struct Vocabulary<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) facet: Facet,
    pub(crate) locale: Locale,
}

impl Vocabulary<'_> {
    /// The facets whose values the parameter accepts.
    fn facets(&self) -> impl Iterator<Item = Facet> + use<> {
        let group = self.facet.group();
        std::iter::once(self.facet).chain((group != self.facet).then_some(group))
    }

    /// Whether `given` is a value of the facet.
    pub(crate) fn has(&self, given: &str) -> bool {
        let values = &self.context.site.index.values;
        self.facets().any(|facet| values.find(facet, given).is_some())
            || self.facet.spec().is_place && place::is_place(given)
    }

    /// Interprets a value: by the whole of a name, by the part of one before any bracket, by a synonym of a whole, then
    /// by any part, and as the search interprets its words. What is unambiguous comes first.
    pub(crate) fn read(&self, given: &str) -> Reading {
        if self.has(given) {
            return Reading::Exact;
        }
        let name = normalized(given);
        if name.is_empty() {
            return Reading::Nothing;
        }
        let (one, others) = (singular(&name), self.others(given));
        let outer =
            |text: &str| text.split('(').next().is_some_and(|text| parts(text).any(|part| part == one));
        let attempts: [&dyn Fn() -> BTreeSet<Vec<String>>; 6] = [
            &|| self.named(|text| joined(&normalized(text)) == joined(&name)),
            &|| self.named(outer),
            &|| self.named(|text| others.contains(&singular(&normalized(text)))),
            &|| self.named(|text| parts(text).any(|part| part == one)),
            &|| self.interpreted(given, &name),
            &|| self.named(|text| parts(text).any(|part| others.contains(&part))),
        ];
        let mut several = None;
        for reading in attempts.iter().filter_map(|attempt| Reading::of(attempt())) {
            match reading {
                Reading::Several(_) => several = several.or(Some(reading)),
                _ => return reading,
            }
        }
        several.unwrap_or(Reading::Nothing)
    }

    /// The work of interpreting a value that is none of the facet, in units of the search.
    pub(crate) fn units(&self, given: &str) -> u64 {
        let index = &self.context.site.index;
        let places = if self.facet.spec().is_place { PLACES_UNITS } else { 0 };
        let scanned = 2 * index.values.of(self.facet).len() + index.values.ordinals();
        scanned as u64 * TEXT_UNITS + places + index.ranked_cost(&as_search(given))
    }

    /// Synonyms of a text, in the singular; places have names of their own.
    fn others(&self, text: &str) -> BTreeSet<String> {
        let names = if self.facet.spec().is_place { BTreeSet::new() } else { label_runs(text) };
        names.into_iter().map(|words| singular(&words.join(" "))).collect()
    }

    /// The values of the facets, also as those of a filter.
    fn values(&self) -> Vec<(Facet, &str, FacetValue)> {
        let values = &self.context.site.index.values;
        let all = self.facets().flat_map(|facet| values.of(facet).map(move |it| (facet, it as u32)));
        all.map(|(facet, it)| (facet, values.text(it), FacetValue::Value(it))).collect()
    }

    /// Values for which `fits` accepts the value or one of its labels.
    fn named(&self, fits: impl Fn(&str) -> bool) -> BTreeSet<Vec<String>> {
        let (rows, mut found) = (&self.context.site.rows, BTreeSet::new());
        for (facet, value, pick) in &self.values() {
            let labels = |locale: &Locale| {
                let own = state_label(*facet, value, *locale);
                [Some(rows.label(*facet, pick, *locale)), own].into_iter().flatten()
            };
            if fits(value) || Locale::ALL.iter().flat_map(labels).any(&fits) {
                found.insert(vec![(*value).to_owned()]);
            }
        }
        if self.facet.spec().is_place {
            for known in place::names() {
                let is_one = known.codes.len() == 1;
                let is_name = !matches!(known.kind, NameKind::City | NameKind::Demonym | NameKind::Offered);
                if is_name && (fits(known.text) || is_one && fits(known.codes[0])) {
                    found.insert(known.codes.iter().map(|code| (*code).to_owned()).collect());
                }
            }
        }
        found
    }

    /// The values of this vocabulary that the search interprets the whole text as.
    fn interpreted(&self, given: &str, name: &str) -> BTreeSet<Vec<String>> {
        let index = &self.context.site.index;
        let ranked = index.ranked(&as_search(given), &self.context.dated.today, RankOptions::by_relevance());
        let mut found = BTreeSet::new();
        for understood in
            ranked.interpretations.iter().filter(|understood| normalized(&understood.words) == name)
        {
            let ours = understood.values.iter().filter(|(facet, _)| self.facets().any(|it| it == *facet));
            found.extend(ours.map(|(_, ordinal)| vec![index.values.text(*ordinal).to_owned()]));
            let place = understood.place.iter().filter(|_| self.facet.spec().is_place);
            found.extend(place.map(|code| vec![code.clone()]));
        }
        found
    }

    /// The error for an ambiguous or unknown value.
    pub(crate) fn refuse(&self, argument: &str, given: &str, reading: &Reading) -> String {
        let quoted = json(&shown(given));
        if let Reading::Several(readings) = reading {
            let named: Vec<String> = readings.iter().filter_map(|values| self.name_all(values)).collect();
            return match named.is_empty() {
                true => format!("{argument} value {quoted} may be one of several. Give one of them."),
                false => format!(
                    "{argument} value {quoted} may be {}. Give the one that is meant.",
                    named.join(" or ")
                ),
            };
        }
        let (lead, codes) = match self.nearest(given) {
            nearest if nearest.is_empty() => ("Values", self.commonest()),
            nearest => ("Nearest", nearest),
        };
        let listed = codes.iter().map(|code| self.name(code)).collect::<Vec<_>>().join(", ");
        let listed = if codes.is_empty() { listed } else { format!(" {lead}: {listed}.") };
        format!("Unknown {argument} value {quoted}.{}{listed}", self.elsewhere(given))
    }

    /// Sentences that name the other arguments that have an unknown value as one of theirs.
    fn elsewhere(&self, given: &str) -> String {
        let own = self.facet.group();
        let mut meant = self.others(given);
        meant.insert(singular(&normalized(given)));
        let others = FACETS.iter().filter(|spec| spec.names_entities && spec.group != own);
        let sentence = |spec: &FacetSpec| {
            let other = Vocabulary { facet: spec.facet, ..*self };
            let values = other.named(|text| parts(text).any(|part| meant.contains(&part)));
            let codes: Vec<String> = values.iter().filter_map(|values| other.name_all(values)).collect();
            (1..=NEAREST_MAX)
                .contains(&codes.len())
                .then(|| format!(" As {} it is {}.", spec.parameter, codes.join(" or ")))
        };
        others.filter_map(sentence).collect()
    }

    fn name_all(&self, values: &[String]) -> Option<String> {
        let named: Vec<String> = values.iter().filter(|it| is_code(it)).map(|it| self.name(it)).collect();
        (!named.is_empty()).then(|| named.join(" "))
    }

    /// A code, followed by its label if that is this project's own.
    fn name(&self, code: &str) -> String {
        match self.label(code) {
            Some(label) => format!("{} ({label})", json(code)),
            None => json(code),
        }
    }

    /// This project's own label of a code.
    pub(crate) fn label(&self, code: &str) -> Option<&'static str> {
        let place = || place_label(self.facet, code, self.locale);
        place().or_else(|| state_label(self.facet, code, self.locale))
    }

    /// The codes that are closest to an unknown value: those that one of its words means, then those that look like it.
    fn nearest(&self, given: &str) -> Vec<String> {
        let meant: BTreeSet<String> = words_of(given).iter().flat_map(|word| self.others(word)).collect();
        let meant = self.named(|text| parts(text).any(|part| meant.contains(&part)));
        let mut codes: Vec<String> = meant.into_iter().flatten().filter(|code| is_code(code)).collect();
        codes.truncate(NEAREST_MAX);
        for code in self.spelled_like(given) {
            if codes.len() < NEAREST_MAX && !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes
    }

    fn spelled_like(&self, given: &str) -> Vec<String> {
        let (values, rows) = (self.values(), &self.context.site.rows);
        let coded = values.iter().filter(|(_, value, _)| is_code(value));
        let of_values = coded.flat_map(|(facet, code, pick)| {
            let labels = Locale::ALL.iter().map(|locale| rows.label(*facet, pick, *locale));
            std::iter::once(*code).chain(labels).map(move |text| (text, *code))
        });
        let places = place::all().filter(|_| self.facet.spec().is_place);
        let of_places =
            places.flat_map(|it| Locale::ALL.iter().map(move |locale| (it.name(*locale), it.code)));
        closest(given, of_values.chain(of_places)).into_iter().map(str::to_owned).collect()
    }

    /// The most frequent codes.
    fn commonest(&self) -> Vec<String> {
        let Context { site, dated, .. } = self.context;
        let all = options(site, dated, self.facet, "", self.locale);
        let codes = all.iter().map(|(pick, _)| site.index.value_text(pick)).filter(|code| is_code(code));
        codes.take(NAMED_MAX).map(str::to_owned).collect()
    }
}

/// The search that interprets a value.
fn as_search(given: &str) -> Query {
    let page = Page { offset: 0, limit: 1 };
    Query { text: Some(given.replace('"', " ")), page, no_facets: true, ..Query::default() }
}

/// Whether a value looks like a code rather than like free text.
pub(crate) fn is_code(value: &str) -> bool {
    value.len() <= CODE_MAX && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Words written together: `non-profit` is `nonprofit`.
fn joined(words: &str) -> String {
    words.replace(' ', "")
}

/// Words without the `s` of a plural.
fn singular(words: &str) -> String {
    let one = |word: &str| match word.strip_suffix('s').filter(|stem| stem.chars().count() > 2) {
        Some(stem) => stem.to_owned(),
        None => word.to_owned(),
    };
    words.split(' ').map(one).collect::<Vec<_>>().join(" ")
}

/// A text and the items that it lists, in the singular: `Stipend or salary` has `stipend` and `salary`.
fn parts(text: &str) -> impl Iterator<Item = String> {
    let listed = text.split(['/', ',', '(', ')']).flat_map(|part| part.split(" or "));
    let listed = listed.flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" y "));
    std::iter::once(text)
        .chain(listed)
        .map(|part| singular(&normalized(part)))
        .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_split_into_the_items_it_lists() {
        let parts = |text| parts(text).collect::<Vec<_>>();
        assert_eq!(parts("Fellowship"), ["fellowship", "fellowship"]);
        assert_eq!(parts("Stipend or salary"), ["stipend or salary", "stipend", "salary"]);
        assert_eq!(parts("Scientist/Researchers"), ["scientist researcher", "scientist", "researcher"]);
        assert_eq!(normalized(" Côte d’Ivoire! "), "cote d ivoire");
    }
}
