//! Prepared rows of MCP search answers: what a language model needs to choose among programs, in
//! about 300 bytes each. In the same file as the rows of [`super::row`]. Behind the members stands what the line about
//! eligibility is made of, since it begins with the values that a question has: U+0001 and a name, then U+0002 and a
//! value, for each; first, as a name without a value, a quotation. Records hold neither.
//!
//! ```text
//! brief.en.at brief.en     row of each document: JSON, its object still open, and the parts of its eligibility
//! brief.es.of              u32 of each document: its Spanish row, or u32::MAX when it is the English
//! brief.es.at brief.es     Spanish rows
//! ```

use crate::facet::{
    Applicants, Facet, Interval, Measure, detail_page_facets, excluded_values, intervals, named_values,
    place_label, without_ages_served,
};
use crate::page::bilingual::{self, Names};
use crate::page::findings::Findings;
use crate::page::money;
use crate::page::shape::Shaper;
use crate::page::text::phrase;
use crate::page::when::deadline_in_words;
use crate::page::{caution, push_json, status_text};
use crate::place;
use crate::record::field_table::{Object, Value, Visibility};
use crate::record::{Directory, Fact, Locale, Program};
use crate::truncate::at_word;
use store::sections::SectionWriter;

/// Longest name of an organization, and of a value, in characters.
const NAME_MAX: usize = 40;
/// The same of an amount in the words of its source.
const FUNDING_MAX: usize = 60;
/// The same of who may apply.
const QUOTED_MAX: usize = 80;
const VALUE_MAX: usize = 28;
/// Most values of one kind that a row names, besides those that a question has.
const VALUES_MAX: usize = 2;
/// What stands before a name and before each value of it, and what begins the name of excluded values.
const NAME: u8 = 1;
const VALUE: u8 = 2;
const NOT: &str = "not ";
/// From here on an amount is rounded.
const ROUNDED: u64 = 10_000;
/// The type that rows do not name.
const USUAL_TYPE: &str = "grant";

/// Sections of the rows: what depends on the day and on the query follows in the same object.
pub(crate) const NAMES: Names = (("brief.en.at", "brief.en"), ("brief.es.at", "brief.es"), "brief.es.of");

/// Writes the rows; `order` gives the program of each document, `findings` has those of each program.
pub fn write(directory: &Directory, findings: &[Findings<'_>], order: &[usize], writer: &mut SectionWriter) {
    let row = |program, locale, out: &mut Vec<u8>| row(&Shaper { directory, locale }, findings, program, out);
    bilingual::write(order, row, NAMES, writer);
}

fn row(shaper: &Shaper<'_>, findings: &[Findings<'_>], program: usize, out: &mut Vec<u8>) {
    let (it, found, mut row) = (&shaper.directory.programs[program], &findings[program], Object::default());
    let facts: Vec<&Fact> = shaper.directory.facts_of(program).collect();
    for (name, value) in shaper.program(program, Visibility::TOOL).0 {
        // The contract has `sourceCheckedAt` in every row; most programs are grants.
        let is_usual = name == "type" && it.program_type == USUAL_TYPE;
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
    let is_in_name = it.name.contains(organization);
    let organization = (!is_in_name).then(|| at_word(organization, NAME_MAX).into_owned());
    let deadline = deadline_in_words(shaper.directory, program, shaper.locale).map(|(text, ..)| text);
    let extra = [
        ("organization", organization),
        (
            "deadlineText",
            deadline.filter(|it| is_quotable(it)).map(|text| at_word(text, NAME_MAX).into_owned()),
        ),
        ("funding", funding(it, &facts, found.pays, shaper.locale)),
        ("fundingShape", shape(it, &facts)),
    ];
    row.0.extend(extra.into_iter().filter_map(|(name, value)| Some((name, value?.into()))));
    push_json(out, &row);
    out.pop();
    let quoted = &found.eligibility[shaper.locale as usize];
    if let Some((text, _)) = quoted.as_ref().filter(|(text, _)| is_quotable(text)) {
        out.push(NAME);
        out.extend_from_slice(format!("\u{201c}{}\u{201d}", at_word(text, QUOTED_MAX)).as_bytes());
    }
    push_eligibility(it, &facts, &found.applicants, out);
}

/// Appends who may apply: people, then places, then ages, then places that are shut out.
fn push_eligibility(program: &Program, facts: &[&Fact], stated: &Applicants<'_>, out: &mut Vec<u8>) {
    let mut push = |name: String, values: &[&str]| {
        if !values.is_empty() {
            out.push(NAME);
            out.extend_from_slice(name.as_bytes());
        }
        for value in values {
            out.push(VALUE);
            out.extend_from_slice(value.as_bytes());
        }
    };
    for (spec, values) in stated.iter().filter(|(spec, _)| spec.in_eligibility_line) {
        push(spec.parameter.to_owned(), values);
    }
    let ages: Vec<String> =
        intervals(Measure::Age, program, &without_ages_served(facts)).iter().map(years).collect();
    push("age".to_owned(), &ages.iter().map(String::as_str).collect::<Vec<_>>());
    let who = detail_page_facets().filter(|spec| spec.in_eligibility_line);
    who.for_each(|spec| push(format!("{NOT}{}", spec.parameter), &excluded_values(spec.facet, facts)));
}

/// Appends a row, an object that is still open. `requested` are values of facets that the question has.
pub fn push(row: &[u8], requested: &[(Facet, &str)], locale: Locale, out: &mut Vec<u8>) {
    let mut parts = row.split(|byte| *byte == NAME);
    out.extend_from_slice(parts.next().unwrap_or_default());
    let parts: Vec<String> = parts.filter_map(|part| stated(part, requested, locale)).collect();
    if !parts.is_empty() {
        out.extend_from_slice(b",\"eligible\":");
        push_json(out, &parts.join("; "));
    }
}

/// A part of the line about eligibility: the values that the question has, then others, and the number of the rest. A part
/// without values is a quotation.
fn stated(part: &[u8], requested: &[(Facet, &str)], locale: Locale) -> Option<String> {
    let mut texts = part.split(|byte| *byte == VALUE).filter_map(|text| std::str::from_utf8(text).ok());
    let name = texts.next()?;
    let parameter = name.strip_prefix(NOT).unwrap_or(name);
    let facet = Facet::of_parameter(parameter);
    let distance = |value: &str| facet.map_or(FAR, |facet| distance(facet, value, requested));
    let mut values: Vec<&str> = texts.collect();
    values.sort_by_cached_key(|value| distance(value));
    let shown = values.iter().filter(|value| distance(value) == 0).count().max(VALUES_MAX);
    let label = |value: &&str| {
        let label = facet.and_then(|facet| place_label(facet, value, locale));
        at_word(label.unwrap_or(*value), VALUE_MAX).into_owned()
    };
    let labels: Vec<String> = values.iter().take(shown).map(label).collect();
    let more = values.len().saturating_sub(shown);
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    Some(if labels.is_empty() { name.to_owned() } else { format!("{name}: {}{more}", labels.join(", ")) })
}

/// The distance of a value that the question has nothing to do with.
const FAR: u8 = 2;

/// 0 of a value that the question has, 1 of a place that contains one.
fn distance(facet: Facet, value: &str, requested: &[(Facet, &str)]) -> u8 {
    let is_place = facet.spec().is_place;
    let of = |(other, wanted): &(Facet, &str)| match *wanted == value {
        true if *other == facet || is_place && other.spec().is_place => 0,
        false if is_place && other.spec().is_place && place::with_ancestors(wanted).any(|it| it == value) => {
            1
        }
        _ => FAR,
    };
    requested.iter().map(of).min().unwrap_or(FAR)
}

/// `18-35`, open where it has no bound.
fn years(age: &Interval) -> String {
    let bound = |years: f64| if years.is_finite() { years.to_string() } else { String::new() };
    format!("{}-{}", bound(age.min), bound(age.max))
}

/// Whether a text of a source may stand in a row: none that speaks to language models.
fn is_quotable(text: &str) -> bool {
    caution::to_models(text).is_none()
}

/// What a program pays: the words of its source, else its own amounts in the source's currency, `EUR 4M-6.5M`, else what a
/// fact names.
fn funding(program: &Program, facts: &[&Fact], stated: Option<&str>, locale: Locale) -> Option<String> {
    if let Some(text) = stated.filter(|text| is_quotable(text)) {
        return Some(at_word(text, FUNDING_MAX).into_owned());
    }
    let source = money::conversion(program, facts);
    let (currency, bounds) = source.unwrap_or_else(|| ("USD", money::bounds(program)));
    let one_bound = |key: &str, name: &str, amount: f64| {
        phrase(status_text::word(key, locale), &[(name, &format!("{currency} {}", short(amount)))])
    };
    let range = match bounds {
        [Some(min), Some(max)] if short(min) == short(max) => format!("{currency} {}", short(min)),
        [Some(min), Some(max)] => format!("{currency} {}-{}", short(min), short(max)),
        [Some(min), None] => one_bound("funding_from", "min", min),
        [None, Some(max)] => one_bound("funding_up_to", "max", max),
        [None, None] => return named(facts),
    };
    let per = money::per(program, facts).filter(|_| source.is_none());
    Some(per.map_or(range.clone(), |per| phrase(status_text::word(&per.key(), locale), &[("money", &range)])))
}

/// The first amount that facts name with its label, `Award EUR 4M`.
fn named(facts: &[&Fact]) -> Option<String> {
    let (fact, amount, currency) = money::named_amounts(facts).next()?;
    Some(format!("{} {currency} {}", at_word(fact.label.as_deref()?, NAME_MAX), short(amount)))
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
fn shape(program: &Program, facts: &[&Fact]) -> Option<String> {
    let values = named_values(Facet::FundingShapes, program, facts);
    let is_no_grant = |value: &&&str| value.split('-').any(|word| NO_GRANT.contains(&word));
    let shape = values.iter().find(is_no_grant)?;
    (!shape.contains(&*program.program_type)).then(|| (*shape).to_owned())
}

/// A whole amount, a great one rounded to three digits: thousands, millions or billions by their letter.
fn short(amount: f64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")];
    let amount = amount.max(0.0).round() as u64;
    let step = 10u64.pow(amount.checked_ilog10().unwrap_or_default().saturating_sub(2));
    let amount = if amount < ROUNDED { amount } else { amount.saturating_add(step / 2) / step * step };
    let is_exact = |unit: u64| amount >= unit && amount.is_multiple_of(unit / 100);
    let unit = UNITS.into_iter().find(|(unit, _)| is_exact(*unit));
    match unit {
        Some((unit, letter)) => format!("{}{letter}", amount as f64 / unit as f64),
        None => amount.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of a row with these parts, of a question that has some values.
    fn line(parts: &str, requested: &[(Facet, &str)]) -> String {
        let mut out = Vec::new();
        push(format!("{{\"slug\":\"a\"{parts}").as_bytes(), requested, Locale::En, &mut out);
        out.push(b'}');
        let row: serde_json::Value = serde_json::from_slice(&out).unwrap();
        row["eligible"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn the_values_of_the_question_come_first() {
        let career = "\u{1}career\u{2}doctoral\u{2}postdoc\u{2}under\"graduate";
        assert_eq!(line(career, &[]), "career: doctoral, postdoc +1");
        let requested = (Facet::Careers, "under\"graduate");
        assert_eq!(line(career, &[requested]), "career: under\"graduate, doctoral +1");
        let two = [(Facet::Careers, "postdoc"), requested];
        assert_eq!(line(career, &two), "career: postdoc, under\"graduate +1");
        let three = [(Facet::Careers, "doctoral"), (Facet::Careers, "postdoc"), requested];
        assert_eq!(line(career, &three), "career: doctoral, postdoc, under\"graduate");
        assert_eq!(line(career, &[(Facet::Applicants, "postdoc")]), "career: doctoral, postdoc +1");
        let country =
            "\u{1}country\u{2}AR\u{2}BO\u{2}002\u{2}KE\u{1}not citizenship\u{2}SS\u{1}age\u{2}18-35";
        let rest = "; not citizenship: South Sudan; age: 18-35";
        assert_eq!(line(country, &[(Facet::Citizenships, "KE")]), format!("country: Kenya, Africa +2{rest}"));
        let expected = format!("country: Africa, Argentina +2{rest}");
        assert_eq!(line(country, &[(Facet::Countries, "UG")]), expected);
        assert_eq!(line("", &[requested]), "");
        let quoted = "\u{1}\u{201c}Only cities may apply.\u{201d}";
        let expected = "\u{201c}Only cities may apply.\u{201d}; career: doctoral, postdoc +1";
        assert_eq!(line(&format!("{quoted}{career}"), &[]), expected);
    }

    #[test]
    fn an_age_without_a_bound_is_open_there() {
        assert_eq!(years(&Interval { min: 18.0, max: 35.5 }), "18-35.5");
        assert_eq!(years(&Interval { min: 18.0, max: f64::INFINITY }), "18-");
        assert_eq!(years(&Interval { min: f64::NEG_INFINITY, max: 30.0 }), "-30");
        assert_eq!(line("\u{1}age\u{2}16-21\u{2}60-\u{2}0-5", &[]), "age: 16-21, 60- +1");
    }

    #[test]
    fn a_great_amount_has_three_digits_and_a_small_one_all() {
        for (amount, expected) in [
            (0.0, "0"),
            (20_000.0, "20k"),
            (9_876.0, "9876"),
            (12_345.0, "12.3k"),
            (999_999.0, "1M"),
            (388_568_780.0, "389M"),
            (1_250_000_000.0, "1.25B"),
            (1.5e12, "1500B"),
            (f64::INFINITY, "18400000000B"),
        ] {
            assert_eq!(short(amount), expected);
        }
    }
}
