//! The CSV export: RFC 4180, CRLF, no byte order mark, lists joined by `|`, null empty.

use snapshot::page::export::documents;
use snapshot::page::hole::{Filled, Rule, Syntax, cut};
use snapshot::page::shape::{ProgramSummary, Shaper};
use snapshot::record::{Locale, Shared};

use super::Renderer;

const COLUMNS: [&str; 19] = [
    "id",
    "slug",
    "name",
    "summary",
    "type",
    "lifecycle",
    "lifecycleCheckedAt",
    "fields",
    "eligibleCountries",
    "destinationCountries",
    "careerStages",
    "fundingMinUsd",
    "fundingMaxUsd",
    "officialUrl",
    "sourceCheckedAt",
    "organizationId",
    "organizationSlug",
    "organizationName",
    "nextDeadline",
];

/// The CSV export of the same rows, in the same order, as the JSON export.
pub(super) fn export(renderer: &Renderer<'_>) -> Filled {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let shaper = Shaper { directory: renderer.directory, locale: Locale::En };
    let mut program_of = vec![0; renderer.numbers.doc_of.len()];
    renderer.numbers.doc_of.iter().enumerate().for_each(|(program, doc)| program_of[*doc as usize] = program);
    // Writing to memory cannot fail.
    let _ = writer.write_record(COLUMNS);
    for doc in documents(renderer.site) {
        let row = shaper.program_summary(program_of[*doc as usize]);
        let _ = writer.write_record(cells(&row, Rule::NextDeadlineText.mark(*doc as usize)));
    }
    cut(&writer.into_inner().unwrap_or_default(), Syntax::Text, renderer.dated)
}

/// The head of a table, with its line end.
pub(crate) fn head() -> String {
    format!("{}\r\n", COLUMNS.join(","))
}

/// A row up to its last cell, the next deadline.
pub(crate) fn start(row: &ProgramSummary<'_>) -> String {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(cells(row, String::new()));
    let line = String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default();
    line.trim_end_matches("\r\n").to_owned()
}

fn cells(row: &ProgramSummary<'_>, next_deadline: String) -> [String; COLUMNS.len()] {
    let list = |values: &[Shared]| {
        let values: Vec<&str> = values.iter().map(Shared::as_str).collect();
        text(&values.join("|"))
    };
    let time = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    let money =
        |money: Option<snapshot::record::Number>| money.map(|money| money.to_string()).unwrap_or_default();
    [
        row.id.to_string(),
        text(row.slug),
        text(row.name),
        text(row.summary.unwrap_or_default()),
        text(row.r#type),
        row.lifecycle.as_str().to_owned(),
        time(row.lifecycle_checked_at),
        list(row.fields),
        list(row.eligible_countries),
        list(row.destination_countries),
        list(row.career_stages),
        money(row.funding_min_usd),
        money(row.funding_max_usd),
        text(row.official_url),
        time(row.source_checked_at),
        row.organization.id.to_string(),
        text(row.organization.slug),
        text(row.organization.name),
        next_deadline,
    ]
}

/// A text that no spreadsheet takes for a formula.
pub(crate) fn text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_spreadsheet_would_run_is_text() {
        assert_eq!(super::text("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(super::text("-5 °C"), "'-5 °C");
        assert_eq!(super::text("a=b"), "a=b");
    }
}
