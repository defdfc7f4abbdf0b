//! Prepared rows of MCP search answers: what a language model needs to choose among programs, in
//! about 300 bytes each. In the same file as the rows of [`super::row`].
//!
//! ```text
//! brief.en.at brief.en     row of each document, JSON, its object still open
//! brief.es.of              u32 of each document: its Spanish row, or u32::MAX when it is the English
//! brief.es.at brief.es     Spanish rows
//! ```

use crate::facet::{
    Facet, Interval, Measure, detail_page_facets, excluded_values, intervals, named_values, place_label,
};
use crate::page::bilingual::{self, Names};
use crate::page::money::{self, phrase};
use crate::page::shape::Shaper;
use crate::page::{caution, push_json, status_text};
use crate::record::field_table::{Object, Value, Visibility};
use crate::record::{Directory, Fact};
use crate::truncate::at_word;
use store::sections::SectionWriter;

/// Longest name of an organization, and of a value, in characters.
const NAME_MAX: usize = 40;
const VALUE_MAX: usize = 28;
/// Most values of one kind that a row names.
const VALUES_MAX: usize = 2;
/// The type that rows do not name.
const USUAL_TYPE: &str = "grant";

/// Sections of the rows: what depends on the day and on the query follows in the same object.
pub(crate) const NAMES: Names = Names {
    english: ("brief.en.at", "brief.en"),
    spanish: ("brief.es.at", "brief.es"),
    spanish_of: "brief.es.of",
};

/// Writes the rows; `order` gives the program of each document.
pub fn write(directory: &Directory, order: &[usize], writer: &mut SectionWriter) {
    let row = |program, locale, out: &mut Vec<u8>| row(&Shaper { directory, locale }, program, out);
    bilingual::write(order, row, &NAMES, writer);
}

fn row(shaper: &Shaper<'_>, program: usize, out: &mut Vec<u8>) {
    let mut row = Object::default();
    for (name, value) in shaper.program(program, Visibility::TOOL).0 {
        // The contract has `sourceCheckedAt` in every row; most programs are grants.
        let is_usual = name == "type" && shaper.directory.programs[program].program_type == USUAL_TYPE;
        if name == "sourceCheckedAt" || value != Value::Null && !is_usual {
            row.0.push((name, value));
        }
    }
    if caution::to_models(row.text("name")).is_some() {
        row.0.insert(0, ("caution", "name".into()));
    }
    let organization = shaper.directory.program_links[program].organization;
    let organization = shaper.organization_reference(organization);
    let organization = organization.text("name");
    // Many programs have the organization in their own name.
    let is_in_name = shaper.directory.programs[program].name.contains(organization);
    let organization = (!is_in_name).then(|| at_word(organization, NAME_MAX).into_owned());
    let deadline = shaper.directory.deadline_in_words(program).and_then(|fact| fact.text.as_deref());
    let extra = [
        ("organization", organization),
        ("deadlineText", deadline.map(|text| at_word(text, NAME_MAX).into_owned())),
        ("eligible", eligible(shaper, program)),
        ("funding", funding(shaper, program).or_else(|| total(shaper, program))),
        ("fundingShape", shape(shaper, program)),
    ];
    row.0.extend(extra.into_iter().filter_map(|(name, value)| Some((name, value?.into()))));
    push_json(out, &row);
    out.pop();
}

/// Who may apply, in brief: people, then places, then ages, then places that are shut out.
fn eligible(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let directory = shaper.directory;
    let facts: Vec<&Fact> =
        directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let program = &directory.programs[program];
    let who = || detail_page_facets().filter(|spec| spec.in_eligibility_line);
    let listed = |facet: Facet, values: &[&str]| {
        let name = |value: &&str| {
            at_word(place_label(facet, value, shaper.locale).unwrap_or(*value), VALUE_MAX).into_owned()
        };
        few(values.iter().map(name))
    };
    let mut parts: Vec<String> = Vec::new();
    for spec in who() {
        let values = listed(spec.facet, &named_values(spec.facet, program, &facts));
        parts.extend(values.map(|values| format!("{}: {values}", spec.parameter)));
    }
    let ages = few(intervals(Measure::Age, program, &facts).iter().map(years));
    parts.extend(ages.map(|ages| format!("age: {ages}")));
    for spec in who() {
        let values = listed(spec.facet, &excluded_values(spec.facet, &facts));
        parts.extend(values.map(|values| format!("not {}: {values}", spec.parameter)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The first values and the number of others; `None` without any.
fn few(values: impl ExactSizeIterator<Item = String>) -> Option<String> {
    let more = values.len().saturating_sub(VALUES_MAX);
    let first: Vec<String> = values.take(VALUES_MAX).collect();
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    (!first.is_empty()).then(|| format!("{}{more}", first.join(", ")))
}

/// `18-35`, open where it has no bound.
fn years(age: &Interval) -> String {
    let bound = |years: f64| if years.is_finite() { years.to_string() } else { String::new() };
    format!("{}-{}", bound(age.min), bound(age.max))
}

/// The program's own amounts, in the source's currency: `EUR 4M-6.5M`.
fn funding(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let (directory, locale) = (shaper.directory, shaper.locale);
    let links = &directory.program_links[program];
    let facts: Vec<&Fact> = links.facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let program = &directory.programs[program];
    let source = money::conversion(program, &facts);
    let (currency, min, max) = match &source {
        Some(source) => (source.currency, source.min, source.max),
        None => ("USD", program.funding_min_usd.map(|it| it.0), program.funding_max_usd.map(|it| it.0)),
    };
    let one_bound = |key: &str, name: &str, amount: f64| {
        phrase(status_text::word(key, locale), &[(name, &format!("{currency} {}", short(amount)))])
    };
    let range = match (min, max) {
        (Some(min), Some(max)) if min == max => format!("{currency} {}", short(min)),
        (Some(min), Some(max)) => format!("{currency} {}-{}", short(min), short(max)),
        (Some(min), None) => one_bound("funding_from", "min", min),
        (None, Some(max)) => one_bound("funding_up_to", "max", max),
        (None, None) => return None,
    };
    let per = money::per(program, &facts).filter(|_| source.is_none());
    Some(per.map_or(range.clone(), |per| phrase(status_text::word(per.key(), locale), &[("money", &range)])))
}

/// The first amount that facts name, where the program has no amount for one award: `total EUR 1.78B`.
fn total(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let directory = shaper.directory;
    let facts: Vec<&Fact> =
        directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let named = || money::named_amounts(&facts);
    let (fact, amount, currency) =
        named().find(|(fact, ..)| money::is_total(fact)).or_else(|| named().next())?;
    let what = match (money::is_total(fact), &fact.label) {
        (false, Some(label)) => at_word(label, NAME_MAX).into_owned(),
        _ => "total".to_owned(),
    };
    Some(format!("{what} {currency} {}", short(amount)))
}

/// Words of funding shapes that are no grant.
const NO_GRANT: [&str; 10] = [
    "equity",
    "loan",
    "loans",
    "guarantee",
    "guaranteed",
    "investment",
    "convertible",
    "debt",
    "credit",
    "reimbursement",
];

/// How a program pays, where that is no grant and its type does not state it.
fn shape(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let directory = shaper.directory;
    let facts: Vec<&Fact> =
        directory.program_links[program].facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let program = &directory.programs[program];
    let values = named_values(Facet::FundingShapes, program, &facts);
    let is_no_grant = |value: &&&str| value.split('-').any(|word| NO_GRANT.contains(&word));
    let shape = values.iter().find(is_no_grant)?;
    (!shape.contains(&*program.program_type)).then(|| (*shape).to_owned())
}

/// A whole amount, to the last digit: up to 999 thousand, million or billion by their letter where that is exact.
fn short(amount: f64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")];
    let amount = amount.max(0.0).round() as u64;
    let is_exact = |unit: u64| amount >= unit && amount / unit < 1000 && amount.is_multiple_of(unit / 100);
    let unit = UNITS.into_iter().find(|(unit, _)| is_exact(*unit));
    match unit {
        Some((unit, letter)) => format!("{}{letter}", amount as f64 / unit as f64),
        None => amount.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_without_a_bound_is_open_there() {
        assert_eq!(years(&Interval { min: 18.0, max: 35.5 }), "18-35.5");
        assert_eq!(years(&Interval { min: 18.0, max: f64::INFINITY }), "18-");
        assert_eq!(years(&Interval { min: f64::NEG_INFINITY, max: 30.0 }), "-30");
        let ages = [[16.0, 21.0], [60.0, f64::INFINITY], [0.0, 5.0]];
        let ages = ages.iter().map(|[min, max]| years(&Interval { min: *min, max: *max }));
        assert_eq!(few(ages).unwrap(), "16-21, 60- +1");
    }

    #[test]
    fn an_amount_is_short_and_still_exact() {
        for (amount, expected) in [
            (0.0, "0"),
            (950.0, "950"),
            (20_000.0, "20k"),
            (12_500.0, "12.5k"),
            (12_345.0, "12345"),
            (6_300_000.0, "6.3M"),
            (19_999_999.0, "19999999"),
            (1_234_000.0, "1234000"),
            (1_250_000_000.0, "1.25B"),
        ] {
            assert_eq!(short(amount), expected);
        }
    }
}
