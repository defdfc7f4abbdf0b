//! Problems as SARIF 2.1.0 (OASIS), the format in which code hosts and editors collect findings.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::groups::Group;
use super::{Code, Diagnostics};
use crate::text::printable;

/// Most locations of one result: hosts refuse more.
const LOCATIONS: usize = 100;

pub(super) fn write(report: &Diagnostics, groups: &[Group<'_>], out: &mut dyn Write) -> io::Result<()> {
    let codes: BTreeSet<&'static str> = groups.iter().map(|group| group.first.code.id()).collect();
    let rules: Vec<Value> =
        Code::ALL.iter().filter(|code| codes.contains(code.id())).map(|code| rule(*code)).collect();
    let results: Vec<Value> = groups.iter().map(|group| result(report, group)).collect();
    let driver = json!({ "name": "opdir", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }]
    });
    serde_json::to_writer(&mut *out, &log)?;
    out.write_all(b"\n")
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.id(),
        "shortDescription": { "text": code.title() },
        "fullDescription": { "text": code.explanation() },
        "help": { "text": code.remedy() },
    })
}

fn result(report: &Diagnostics, group: &Group<'_>) -> Value {
    let first = group.first;
    // A URI has no backslashes.
    let uri = report.file_name(first.at.file).replace('\\', "/");
    let locations = group.lines.iter().take(LOCATIONS).enumerate().map(|(number, line)| {
        let mut region = json!({ "startLine": line });
        if let (0, Some(column)) = (number, first.column) {
            region["startColumn"] = column.into();
        }
        json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } })
    });
    json!({
        "ruleId": first.code.id(),
        "level": group.severity().as_str(),
        "message": { "text": format!("{}\nhelp: {}", printable(&first.message), printable(group.help())) },
        "locations": locations.collect::<Vec<_>>(),
        "occurrenceCount": group.lines.len(),
    })
}
