//! People whom a text shuts out, although a fact of the same record includes them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::{FACETS, Facet, named_values};
use crate::patterns::Patterns;
use crate::record::{Fact, Program};

type PatternsByValue = FxHashMap<&'static str, Patterns>;

/// For each value of a fact the ways in which a text excludes it.
static EXCLUSIONS: LazyLock<PatternsByValue> = LazyLock::new(|| {
    let own = listed(" : ").map(|(value, pattern)| (value, pattern.to_owned()));
    let general = listed(" = ").flat_map(|(value, words)| {
        // `Not for profit` is a word for others, and no exclusion.
        let is_other = move |line: &&str| line.starts_with("^ not") && value == "for-profit";
        let lines = include_str!("exclusions.txt").lines().filter(|line| !line.starts_with('#'));
        lines.filter(move |line| !is_other(line)).map(move |line| {
            let slots = line.split(' ').map(|slot| if slot == "X" { words } else { slot });
            (value, slots.collect::<Vec<_>>().join(" "))
        })
    });
    by_value(own.chain(general))
});

/// For each value the words of a text that are like its own and name nobody who applies: a faculty sponsor is no applicant,
/// and shuts no faculty out.
static OTHER_SENSES: LazyLock<PatternsByValue> = LazyLock::new(|| by_value(listed(" ~ ")));

/// Values with what stands behind a mark.
fn listed(mark: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("excluded.txt").lines().filter_map(move |line| line.split_once(mark))
}

fn by_value(patterns: impl Iterator<Item = (&'static str, impl AsRef<str>)>) -> PatternsByValue {
    let mut lists: FxHashMap<&str, String> = FxHashMap::default();
    patterns.for_each(|(value, line)| lists.entry(value).or_default().extend([line.as_ref(), "\n"]));
    lists.into_iter().map(|(value, list)| (value, Patterns::from(list))).collect()
}

/// The part of a text that excludes whom a value of a fact names.
pub fn exclusion<'t>(value: &str, text: &'t str) -> Option<&'t str> {
    EXCLUSIONS.get(value)?.find(text)
}

/// The values of a facet that no text of the record excludes or has in another sense only.
pub fn admitted_values<'a>(facet: Facet, program: &'a Program, facts: &[&'a Fact]) -> Vec<&'a str> {
    let mut values = named_values(facet, program, facts);
    values.retain(|value| {
        [&EXCLUSIONS, &OTHER_SENSES].iter().all(|lists| !is_found(lists, value, program, facts))
    });
    values
}

/// Whether a fact includes applicants whom a text of the record excludes.
pub fn is_excluded_by_text(fact: &Fact, program: &Program, facts: &[&Fact]) -> bool {
    let is_of_applicants = FACETS.iter().any(|spec| spec.is_eligibility && spec.is_fed_by(&fact.kind));
    is_of_applicants
        && fact.value.as_deref().is_some_and(|value| is_found(&EXCLUSIONS, value, program, facts))
}

fn is_found(lists: &PatternsByValue, value: &str, program: &Program, facts: &[&Fact]) -> bool {
    let own = [program.summary.as_deref(), program.description.as_deref()].into_iter().flatten();
    lists.get(value).is_some_and(|patterns| {
        let mut texts = own.chain(facts.iter().filter_map(|fact| fact.text.as_deref()));
        texts.any(|text| patterns.find(text).is_some())
    })
}
