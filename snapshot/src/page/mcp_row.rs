//! Prepared rows of MCP search answers: what a language model needs to choose among programs, in
//! about 450 bytes each. In the same file as the rows of [`super::row`].
//!
//! ```text
//! short.en.at short.en     row of each document, JSON, up to the value of nextDeadline
//! short.es.of              u32 of each document: its Spanish row, or u32::MAX when it is the English
//! short.es.at short.es     Spanish rows
//! ```

use std::borrow::Cow;

use crate::brief::cut;
use crate::page::bilingual::{self, Names};
use crate::page::money::Speech;
use crate::page::shape::Shaper;
use crate::page::{plain, push_json};
use crate::record::shown::{Object, Shows, Value};
use crate::record::{Directory, Fact};
use crate::store::sections::SectionWriter;

/// Longest summary of a row, in characters.
pub const SUMMARY_MAX: usize = 240;
/// Most places of a row.
pub const PLACES_MAX: usize = 12;
/// Longest name of an amount, in characters.
const LABEL_MAX: usize = 80;

/// Sections of the rows: each ends before the value of `nextDeadline`, its object still open.
pub const NAMES: Names = Names {
    english: ("short.en.at", "short.en"),
    spanish: ("short.es.at", "short.es"),
    spanish_of: "short.es.of",
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
        if tells(name, &value) {
            row.0.push((name, short(name, value)));
        }
    }
    let record = &shaper.directory.programs[program];
    let organization = shaper.directory.program_links[program].organization;
    let organization = shaper.organization_reference(organization);
    if let Some(funding) = funding(shaper, program) {
        row = row.with("funding", funding);
    }
    if record.eligible_countries.len() > PLACES_MAX {
        row = row.with("eligibleCountryCount", record.eligible_countries.len());
    }
    let row = row.with("organization", organization.text("name"));
    push_json(out, &row);
    out.pop();
    out.extend_from_slice(b",\"nextDeadline\":");
}

/// Whether a member says anything. The contract has `sourceCheckedAt` in every row.
fn tells(name: &str, value: &Value<'_>) -> bool {
    match value {
        Value::Null => name == "sourceCheckedAt",
        Value::Words(words) => !words.is_empty(),
        _ => true,
    }
}

/// As much of a value as a row has room for.
fn short<'a>(name: &str, value: Value<'a>) -> Value<'a> {
    match value {
        Value::Text(Cow::Borrowed(text)) if name == "summary" => Value::Text(cut(text, SUMMARY_MAX)),
        Value::Words(places) => Value::Words(&places[..places.len().min(PLACES_MAX)]),
        other => other,
    }
}

/// Amounts in words: those of the source first.
fn funding(shaper: &Shaper<'_>, program: usize) -> Option<String> {
    let (directory, locale) = (shaper.directory, shaper.locale);
    let links = &directory.program_links[program];
    let facts: Vec<&Fact> = links.facts.iter().map(|fact| &directory.facts[*fact]).collect();
    let label = |fact: &Fact| {
        let text = fact.label.as_deref().or(fact.value.as_deref())?;
        Some(cut(directory.text(fact.entity(), locale, "label", text), LABEL_MAX).into_owned())
    };
    let word = |key: &str| plain::word(key, locale);
    Speech { locale, word: &word }.funding(&directory.programs[program], &facts, label)
}
