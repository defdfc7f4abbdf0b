//! The facts of a program.

use std::io;

use super::output::{Object, Output};
use super::program::{Program, numbers};
use super::rng::Rng;
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
    let facets = &program.world.facets;
    let kinds = [
        ("topic", &facets.topics, [5, 20, 25, 25, 15, 10]),
        ("applicant", &facets.applicants, [10, 15, 20, 20, 20, 15]),
        ("audience", &facets.audiences, [10, 15, 20, 20, 20, 15]),
        ("benefit", &facets.benefits, [25, 25, 20, 15, 10, 5]),
        ("career", &facets.careers, [60, 20, 10, 10, 0, 0]),
        ("education", &facets.education, [40, 30, 20, 10, 0, 0]),
        ("enrollment", &facets.enrollments, [60, 30, 10, 0, 0, 0]),
        ("fundingShape", &facets.funding_shapes, [15, 45, 25, 15, 0, 0]),
    ];
    for (kind, facet, weights) in kinds {
        let count = program.rng.weighted(&weights);
        for value in facet.draw_distinct(&mut program.rng, count) {
            let object = begin(program, kind).text("value", value);
            end(program, output, object)?;
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
            let object = begin(program, kind).text("value", value);
            end(program, output, object)?;
        }
    }
    if program.rng.percent(4) {
        let kind = program.rng.pick(&["country", "citizenship", "residence"]);
        let value = places.country(&mut program.rng);
        let object = begin(program, kind).text("value", value).text("polarity", "exclude");
        end(program, output, object)?;
    }
    Ok(())
}

fn write_intervals(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    for _ in 0..program.rng.weighted(&[75, 22, 3]) {
        let (min, max) = program.rng.pick(&AGES);
        let object = numbers(begin(program, "age"), &[("min", min), ("max", max)]);
        end(program, output, object)?;
    }
    for _ in 0..program.rng.weighted(&[45, 50, 5]) {
        let unit = program.world.facets.duration_units.draw(&mut program.rng);
        let min = program.rng.between(1, 12);
        let max = program.rng.percent(70).then(|| min + program.rng.between(0, 12));
        let object =
            numbers(begin(program, "duration"), &[("min", Some(min)), ("max", max)]).text("unit", unit);
        end(program, output, object)?;
    }
    Ok(())
}

fn write_notes(program: &mut Program<'_>, output: &mut Output) -> io::Result<()> {
    if program.rng.percent(40) {
        let value = program.rng.pick(&NOTES);
        let text = program.world.words.text(&mut program.rng, program.language, 8..=30);
        let mut object = begin(program, "note").text("value", value).text("text", &text);
        if value == "total-budget" {
            object = object.number("amount", money(&mut program.rng)).text("currency", "USD");
        }
        end(program, output, object)?;
    }
    Ok(())
}

fn begin(program: &mut Program<'_>, kind: &str) -> Object {
    let id = program.world.uuid(Kind::Fact, program.index, program.facts);
    program.facts += 1;
    Object::new().text("id", &id).text("programId", &program.id).text("kind", kind)
}

/// Adds the members every fact may have and writes it. One fact in a hundred is not approved, one in
/// sixteen is not a requirement.
fn end(program: &mut Program<'_>, output: &mut Output, object: Object) -> io::Result<()> {
    let source = program.rng.percent(15).then(|| program.source_id());
    let rng: &mut Rng = &mut program.rng;
    let object = object
        .maybe("strength", [None, Some("preferred"), Some("info")][rng.weighted(&[94, 4, 2])])
        .maybe("status", [None, Some("proposed"), Some("rejected")][rng.weighted(&[990, 6, 4])])
        .maybe("sourceId", source)
        .text("updatedAt", &program.age.updated);
    output.write("facts", object)
}

fn distinct(mut values: Vec<&'static str>) -> Vec<&'static str> {
    values.sort_unstable();
    values.dedup();
    values
}
