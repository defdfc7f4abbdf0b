//! The CSV export: RFC 4180, CRLF, no byte order mark, lists joined by `|`, null empty. Its columns are the
//! members of a search row; those of the organization in it are named after both, as `organizationSlug`.

use serde_json::Value as Json;
use snapshot::record::field_table::{Object, Value, Visibility};
use snapshot::record::{ORGANIZATION, PROGRAM};

/// The header of a table, with its line end.
pub(crate) fn head() -> String {
    let organization = ORGANIZATION.iter().filter(|field| field.shows.has(Visibility::REFERENCE));
    let organization = organization.map(|field| {
        let (first, rest) = field.name.split_at(1);
        format!("organization{}{rest}", first.to_uppercase())
    });
    let program = PROGRAM.iter().filter(|it| it.shows.has(Visibility::ROW)).map(|it| it.name.to_owned());
    let columns: Vec<String> = program.chain(organization).chain(["nextDeadline".to_owned()]).collect();
    format!("{}\r\n", columns.join(","))
}

/// A row up to its last cell, the next deadline.
pub(crate) fn start(row: &Object<'_>) -> String {
    String::from_utf8_lossy(&line(row, String::new())).trim_end_matches("\r\n").to_owned()
}

pub(crate) fn line(row: &Object<'_>, next_deadline: String) -> Vec<u8> {
    let mut cells = Vec::new();
    row.0.iter().for_each(|(_, value)| push_cells(value, &mut cells));
    cells.push(next_deadline);
    rows(std::iter::once(cells))
}

/// Rows as CSV. Writing to memory cannot fail.
pub(crate) fn rows(rows: impl Iterator<Item = Vec<impl AsRef<[u8]>>>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    rows.for_each(|row| drop(writer.write_record(row)));
    writer.into_inner().unwrap_or_default()
}

/// The cells of a value: one, or one of each member.
fn push_cells(value: &Value<'_>, cells: &mut Vec<String>) {
    match value {
        Value::Object(object) => object.0.iter().for_each(|(_, value)| push_cells(value, cells)),
        value => cells.push(serde_json::to_value(value).map(|value| cell(&value)).unwrap_or_default()),
    }
}

/// The cell of a value.
pub(crate) fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(it) => text(it),
        Json::Array(items) => text(&items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("|")),
        other => other.to_string(),
    }
}

/// A text that spreadsheets do not interpret as a formula. What begins as a guarded one does is guarded too, so that the
/// guard can be taken off.
fn text(text: &str) -> String {
    let is_formula = text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn formulas_are_escaped_as_text() {
        for (text, cell) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("-5 °C", "'-5 °C"),
            ("a=b", "a=b"),
            ("'=1", "''=1"),
            ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ] {
            assert_eq!(super::cell(&json!(text)), cell);
        }
        assert_eq!(super::cell(&json!({ "name": "x" })), "{\"name\":\"x\"}");
    }

    #[test]
    fn the_columns_are_those_of_the_contracts_example() {
        assert!(crate::rest::OPENAPI.contains(&format!("\"{}\\r\\n", super::head().trim_end())));
    }
}
