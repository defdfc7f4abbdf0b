//! Rows of small directories: what every row of a kind has, and what a test gives it besides.

use serde_json::{Value, json};
use tests::world::World;

const ORGANIZATION: usize = 9_999;

/// A world of some programs of one organization.
pub(crate) fn world(programs: Vec<Value>) -> World {
    world_with(programs, &[])
}

/// The same, with rows of other tables.
pub(crate) fn world_with(programs: Vec<Value>, others: &[(&'static str, Vec<Value>)]) -> World {
    World::tables(&[&[organization(), ("programs", programs)], others].concat())
}

pub(crate) fn organization() -> (&'static str, Vec<Value>) {
    ("organizations", vec![record(ORGANIZATION, json!({"slug": "body", "name": "Body"}))])
}

/// Programs with the slugs `p1`, `p2` and so on, which differ in a few members only.
pub(crate) fn programs(members: &[Value]) -> (&'static str, Vec<Value>) {
    let numbered = (1..).zip(members).map(|(number, members)| {
        let mut program = program(number, "Program 0", members.clone());
        program["slug"] = json!(format!("p{number}"));
        program
    });
    ("programs", numbered.collect())
}

/// Facts of the first program: kind, value and English label.
pub(crate) fn values(facts: &[(&str, &str, &str)]) -> (&'static str, Vec<Value>) {
    let of = |(number, (kind, value, label)): (usize, &(&str, &str, &str))| {
        fact(number, 1, json!({"kind": kind, "value": value, "label": label}))
    };
    ("facts", facts.iter().enumerate().map(of).collect())
}

pub(crate) fn program(number: usize, name: &str, more: Value) -> Value {
    let program = json!({
        "organizationId": id(ORGANIZATION), "slug": format!("program-{number}"), "name": name,
        "programType": "grant", "officialUrl": "https://example.org/", "lifecycle": "active_accepting"
    });
    row(number, program, more)
}

/// A season of a program.
pub(crate) fn cycle(number: usize, program: usize, more: Value) -> Value {
    row(100 + number, json!({"programId": id(program), "label": "2026"}), more)
}

/// A statement about a program.
pub(crate) fn fact(number: usize, program: usize, more: Value) -> Value {
    let mut fact = row(200 + number, json!({"programId": id(program), "kind": "note"}), more);
    fact.as_object_mut().unwrap().remove("createdAt");
    fact
}

/// A row of another kind, with the times of its making.
pub(crate) fn record(number: usize, members: Value) -> Value {
    row(number, members, json!({}))
}

fn row(number: usize, row: Value, more: Value) -> Value {
    with(with(timed(row), json!({"id": id(number)})), more)
}

/// A row with the times of its making.
pub(crate) fn timed(row: Value) -> Value {
    with(row, json!({"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}))
}

/// A row with more members.
pub(crate) fn with(mut row: Value, mut more: Value) -> Value {
    row.as_object_mut().unwrap().append(more.as_object_mut().unwrap());
    row
}

pub(crate) fn id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}
