//! Prepared rows of MCP search answers: what a language model needs to choose among programs, in
//! about 300 bytes each. In the same file as the rows of [`super::row`].
//!
//! ```text
//! brief.en.at brief.en     row of each document, JSON, its object still open
//! brief.es.of              u32 of each document: its Spanish row, or u32::MAX when it is the English
//! brief.es.at brief.es     Spanish rows
//! ```

use crate::brief::cut;
use crate::facet::{Facet, Interval, Measure, excluded_values, intervals, listed, named_values, place_label};
use crate::page::bilingual::{self, Names};
use crate::page::money::Speech;
use crate::page::shape::Shaper;
use crate::page::{plain, push_json};
use crate::record::shown::{Object, Shows, Value};
use crate::record::{Directory, Fact};
use crate::store::sections::SectionWriter;

/// Longest name of an organization, and of a value, in characters.
const NAME_MAX: usize = 40;
/// Most values of one kind that a row names.
const VALUES_MAX: usize = 3;

/// Sections of the rows: what depends on the day and on the question follows in the same object.
pub const NAMES: Names = Names {
    english: ("brief.en.at", "brief.en"),
    spanish: ("brief.es.at", "brief.es"),
    spanish_of: "brief.es.of",
};

/// Writes the rows; `order` gives the program of each document.
pub fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    bilingual::write(
        &NAMES,
        order,
        |program, locale, out| row(&Shaper { directory, locale }, program, out),
        writer,
    );
}

fn row(shaper: &Shaper<'_>, program: usize, out: &mut Vec<u8>) {
    let mut row = Object::default();
    for (name, value) in shaper.program(program, Shows::TOOL).0 {
        // The contract has `sourceCheckedAt` in every row.
        if value != Value::Null || name == "sourceCheckedAt" {
            row.0.push((name, value));
        }
    }
    let organization = shaper.directory.program_links[program].organization;
    let organization = shaper.organization_reference(organization);
    let mut row = row.with("organization", cut(organization.text("name"), NAME_MAX).into_owned());
    let said = [("eligible", eligible(shaper, program)), ("funding", funding(shaper, program))];
    row.0.extend(said.into_iter().filter_map(|(name, value)| Some((name, value?.into()))));
    push_json(out, &row);
    out.pop();
}

/// Who may apply, in brief: people, then places, then ages, then places that are shut out.
fn eligible(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let directory = shaper.directory;
    let facts: Vec<&Fact> =
        directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let program = &directory.programs[program];
    let who = || listed().filter(|spec| spec.who);
    let said = |facet: Facet, values: &[&str]| {
        let name = |value: &&str| {
            cut(place_label(facet, value, shaper.locale).unwrap_or(*value), NAME_MAX).into_owned()
        };
        let named: Vec<String> = values.iter().take(VALUES_MAX).map(name).collect();
        let more = values.len().saturating_sub(VALUES_MAX);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
    };
    let mut parts: Vec<String> = Vec::new();
    for spec in who() {
        let values = said(spec.facet, &named_values(spec.facet, program, &facts));
        parts.extend(values.map(|values| format!("{}: {values}", spec.parameter)));
    }
    parts.extend(intervals(Measure::Age, program, &facts).first().map(age));
    for spec in who() {
        let values = said(spec.facet, &excluded_values(spec.facet, &facts));
        parts.extend(values.map(|values| format!("not {}: {values}", spec.parameter)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `age: 18-35`, open where it has no bound.
fn age(years: &Interval) -> String {
    let bound = |years: f64| if years.is_finite() { years.to_string() } else { String::new() };
    format!("age: {}-{}", bound(years.min), bound(years.max))
}

/// The program's own amounts in words; those of the source first.
fn funding(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let (directory, locale) = (shaper.directory, shaper.locale);
    let links = &directory.program_links[program];
    let facts: Vec<&Fact> = links.facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let word = |key: &str| plain::word(key, locale);
    Speech { locale, word: &word }.funding(&directory.programs[program], &facts, |_| None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_without_a_bound_is_open_there() {
        assert_eq!(age(&Interval { min: 18.0, max: 35.5 }), "age: 18-35.5");
        assert_eq!(age(&Interval { min: 18.0, max: f64::INFINITY }), "age: 18-");
        assert_eq!(age(&Interval { min: f64::NEG_INFINITY, max: 30.0 }), "age: -30");
    }
}
