//! The facts of a program.

use std::io;

use serde_json::{Value, json};

use super::output::Output;
use super::program::Program;
use super::world::{Kind, money};

/// Typical age limits.
const AGES: [(Option<i32>, Option<i32>); 8] = [
    (Some(18), None),
    (Some(18), Some(35)),
    (Some(16), Some(21)),
    (None, Some(30)),
    (None, Some(40)),
    (Some(60), None),
    (Some(13), Some(25)),
    (Some(21), Some(45)),
];
const NOTES: [&str; 4] = ["eligibility-text", "total-budget", "accomplishments", "deadline-text"];

/// Writes the facts of a program.
pub(super) fn write(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    write_values(program, output)?;
    write_places(program, output)?;
    write_intervals(program, output)?;
    write_notes(program, output)
}

fn write_values(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    let kinds = [
        ("topic", "topics", [5, 20, 25, 25, 15, 10]),
        ("applicant", "applicants", [10, 15, 20, 20, 20, 15]),
        ("audience", "audiences", [10, 15, 20, 20, 20, 15]),
        ("benefit", "benefits", [25, 25, 20, 15, 10, 5]),
        ("career", "careers", [60, 20, 10, 10, 0, 0]),
        ("education", "education", [40, 30, 20, 10, 0, 0]),
        ("enrollment", "enrollments", [60, 30, 10, 0, 0, 0]),
        ("fundingShape", "fundingShapes", [15, 45, 25, 15, 0, 0]),
    ];
    for (kind, facet, weights) in kinds {
        let count = program.rng.weighted(&weights);
        for value in program.world.facets.of(facet).draw_distinct(&mut program.rng, count) {
            write_fact(program, output, json!({"kind": kind, "value": value}))?;
        }
    }
    Ok(())
}

/// Citizenships follow the shape of the country lists, but name areas instead of long lists; residences
/// are few and often a state; exclusions take single countries out again.
fn write_places(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    let places = &program.world.places;
    let rng = &mut program.rng;
    let citizenships = match rng.weighted(&[52, 15, 9, 8, 16]) {
        0 => places.few(rng),
        1 => distinct((0..rng.between(1, 3)).map(|_| places.region(rng)).collect()),
        2 => distinct((0..rng.between(5, 40)).map(|_| places.country(rng)).collect()),
        3 => vec!["001"],
        _ => Vec::new(),
    };
    let residences = match rng.weighted(&[55, 27, 18]) {
        0 => Vec::new(),
        1 => places.few(rng),
        _ => vec![places.subdivision(rng)],
    };
    let countries = if rng.percent(15) { places.few(rng) } else { Vec::new() };
    let destinations = if rng.percent(8) { places.few(rng) } else { Vec::new() };
    let lists = [
        ("citizenship", citizenships),
        ("residence", residences),
        ("country", countries),
        ("destination", destinations),
    ];
    for (kind, list) in lists {
        for value in list {
            write_fact(program, output, json!({"kind": kind, "value": value}))?;
        }
    }
    if program.rng.percent(4) {
        let kind = program.rng.pick(&["country", "citizenship", "residence"]);
        let value = places.country(&mut program.rng);
        write_fact(program, output, json!({"kind": kind, "value": value, "polarity": "exclude"}))?;
    }
    Ok(())
}

fn write_intervals(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    for _ in 0..program.rng.weighted(&[75, 22, 3]) {
        let (min, max) = program.rng.pick(&AGES);
        write_fact(program, output, json!({"kind": "age", "min": min, "max": max}))?;
    }
    for _ in 0..program.rng.weighted(&[45, 50, 5]) {
        let unit = program.world.facets.of("durationUnits").draw(&mut program.rng);
        let min = program.rng.between(1, 12);
        let max = program.rng.percent(70).then(|| min + program.rng.between(0, 12));
        write_fact(program, output, json!({"kind": "duration", "min": min, "max": max, "unit": unit}))?;
    }
    Ok(())
}

fn write_notes(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    if program.rng.percent(40) {
        let value = program.rng.pick(&NOTES);
        let text = program.world.words.text(&mut program.rng, program.language, 8..=30);
        let mut fact = json!({"kind": "note", "value": value, "text": text});
        if value == "total-budget" {
            fact["amount"] = money(&mut program.rng).into();
            fact["currency"] = "USD".into();
        }
        write_fact(program, output, fact)?;
    }
    Ok(())
}

/// Writes a fact with the members every one may have. One fact in a hundred is not approved, one in sixteen is not a
/// requirement.
fn write_fact(program: &mut Program<'_>, output: &mut Output, mut fact: Value) -> io::Result<()> {
    fact["id"] = program.world.uuid(Kind::Fact, program.index, program.facts).into();
    program.facts += 1;
    fact["programId"] = program.id.as_str().into();
    fact["sourceId"] = program.rng.percent(15).then(|| program.source_id()).into();
    let rng = &mut program.rng;
    fact["strength"] = [None, Some("preferred"), Some("info")][rng.weighted(&[94, 4, 2])].into();
    fact["status"] = [None, Some("proposed"), Some("rejected")][rng.weighted(&[990, 6, 4])].into();
    fact["updatedAt"] = program.age.updated.as_str().into();
    output.write("facts", fact)
}

fn distinct(mut values: Vec<&'static str>) -> Vec<&'static str> {
    values.sort_unstable();
    values.dedup();
    values
}
