//! `due`: what is due for a look, as a table for a terminal, as CSV, and as Markdown for an issue.

use std::fmt::Write as _;

use dataset::diagnostics::Diagnostics;
use dataset::due::{Due, Reason};
use dataset::text::{counted, csv_of, escaped, printable};
use dataset::{LinkReport, read};

use crate::cli::DueOptions;
use crate::cli_values::DueFormat;
use crate::exit_codes::{Failure, print_line, unread};
use crate::load::{input, show, today};
use crate::plan_report::truncated;

/// Lists what is due. Errors of the dataset are printed; its warnings are those of `check`.
pub(crate) fn due(options: &DueOptions) -> Result<(), Failure> {
    let mut problems = Diagnostics::new();
    let links = options.links.as_deref().map(LinkReport::read).transpose().map_err(unread)?;
    let mut tables = read(&input(Some(&options.data)), &mut problems).map_err(unread)?;
    tables.links = links;
    let day = options.as_of.unwrap_or_else(today);
    let Some(list) = dataset::due::due(tables, &mut problems, day) else {
        show(&problems, &options.messages, false);
        return Err(Failure::Data);
    };
    print_line(report(&list, options.format).trim_end());
    Ok(())
}

/// The list in a format.
fn report(list: &[Due], format: DueFormat) -> String {
    let groups: Vec<&[Due]> = list.chunk_by(|a, b| a.organization == b.organization).collect();
    match format {
        DueFormat::Table => table(&groups),
        DueFormat::Csv => csv_of(list),
        DueFormat::Markdown => markdown(&groups),
    }
}

/// The slug of the record: of the program, or of the organization where that itself is due.
fn record(due: &Due) -> &str {
    if due.program.is_empty() { &due.organization } else { &due.program }
}

/// One group below the other, aligned; then the number of each reason.
fn table(groups: &[&[Due]]) -> String {
    let all = || groups.iter().copied().flatten();
    let width = all().map(|due| record(due).chars().count()).max().unwrap_or_default().min(40);
    let mut text = String::new();
    for group_of in groups {
        let _ = writeln!(text, "{}", printable(&group_of[0].organization));
        for due in *group_of {
            let (record, note) = (record(due), printable(&due.note));
            let _ = writeln!(text, "  {record:width$}  {note}  ({}:{})", due.file, due.line);
        }
    }
    let mut reasons: Vec<Reason> = all().map(|due| due.reason).collect();
    reasons.sort_unstable();
    let counts = reasons.chunk_by(|a, b| a == b).map(|same| format!("{} {}", same.len(), title(same[0])));
    match counts.collect::<Vec<_>>() {
        counts if counts.is_empty() => text.push_str("nothing is due\n"),
        counts => {
            let _ = writeln!(text, "{} in all: {}", counted(reasons.len(), "line"), counts.join(", "));
        }
    }
    text
}

const fn title(reason: Reason) -> &'static str {
    match reason {
        Reason::DeadLink => "with a dead link",
        Reason::MovedLink => "with a moved link",
        Reason::Contradicted => "contradicted",
        Reason::DeadlinePassed => "past the deadline",
        Reason::OpenForYears => "open for years",
        Reason::Unchecked => "unchecked",
        Reason::SameAddress => "with the same address",
        Reason::Untranslated => "untranslated",
    }
}

fn markdown(groups: &[&[Due]]) -> String {
    let mut text = String::new();
    for group_of in groups {
        let _ = writeln!(text, "### {}\n", escaped(&group_of[0].organization));
        for due in *group_of {
            let [record, note, file] = [record(due), &due.note, &due.file].map(escaped);
            let _ = writeln!(text, "- [ ] **{record}**: {note} ({file}:{})", due.line);
        }
        text.push('\n');
    }
    match text.as_str() {
        "" => "Nothing is due.\n".to_owned(),
        _ => truncated(text, "opdir due --format csv"),
    }
}
