//! A plan as text for a terminal, as Markdown for a pull request, and as JSON.

use std::fmt::Write as _;

use dataset::text::{escaped, quoted};
use serde_json::{Value, json};

use crate::plan::{Counted, Plan, TablePlan};

/// Number of records that the text names of each kind of change.
const TEXT_RECORDS: usize = 10;
/// The same for Markdown.
const MARKDOWN_RECORDS: usize = 200;
/// Characters of a comment; GitHub accepts 65,536.
const COMMENT_MAX: usize = 60_000;

/// Output formats of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PlanFormat {
    /// Text for a terminal
    #[default]
    Words,
    /// Markdown for a comment on a pull request, which the next one replaces
    Markdown,
    /// One JSON object, with every record
    Json,
}

/// A plan in a format; `violations` are the reasons why a build would stop.
pub(crate) fn report(plan: &Plan, violations: &[String], format: PlanFormat) -> String {
    match format {
        PlanFormat::Words => text(plan, violations, TEXT_RECORDS),
        PlanFormat::Markdown => markdown(plan, violations),
        PlanFormat::Json => format!("{}\n", json!({ "plan": plan, "held": violations })),
    }
}

fn text(plan: &Plan, violations: &[String], most: usize) -> String {
    let mut text = match &plan.against {
        None => "nothing is live: everything would be new\n".to_owned(),
        Some(live) if plan.is_empty() => format!("against {live}: no record changes\n"),
        Some(live) => format!("against {live}:\n"),
    };
    if !plan.counts.is_empty() {
        text.push_str("it was built with --index-only: only numbers of records can be compared\n");
    }
    for Counted { table, live, new } in &plan.counts {
        let _ = writeln!(text, "{table}: {live}, would be {new}");
    }
    for table in &plan.tables {
        let _ = writeln!(text, "{}", headline(table));
        push_records(&mut text, table, most);
    }
    text.extend(aliases(plan));
    if plan.same_moment {
        text.push_str("records change but `publishedAt` does not: `opdir stamp` updates it\n");
    }
    text.extend(violations.iter().map(|violation| format!("held back: {violation}\n")));
    text
}

/// `programs: 12 added, 40 changed, 412 removed of 1871 (22 %)`.
fn headline(table: &TablePlan) -> String {
    let TablePlan { table: name, live, added, changed, removed, .. } = table;
    let removed = match removed.len() {
        0 => "0 removed".to_owned(),
        count => format!("{count} removed of {live} ({} %)", count * 100 / live.max(&1)),
    };
    format!("{name}: {} added, {} changed, {removed}", added.len(), changed.len())
}

/// Appends a line for each record, removed ones first.
fn push_records(text: &mut String, table: &TablePlan, most: usize) {
    let mut push = |sign: char, count: usize, line: &dyn Fn(usize) -> String| {
        (0..count.min(most)).for_each(|at| _ = writeln!(text, "  {sign} {}", line(at)));
        if count > most {
            let _ = writeln!(text, "  {sign} … and {} more", count - most);
        }
    };
    push('-', table.removed.len(), &|at| plain(&table.removed[at]));
    push('>', table.moved.len(), &|at| {
        let moved = &table.moved[at];
        format!("{} was {}", plain(&moved.name), plain(&moved.was))
    });
    push('~', table.changed.len(), &|at| {
        let changed = &table.changed[at];
        let fields = changed.fields.iter();
        let fields = fields.map(|it| format!("{} {} → {}", it.field, value(&it.old), value(&it.new)));
        let from = changed.from.as_deref().map(|from| format!("   ({})", plain(from))).unwrap_or_default();
        format!("{}   {}{from}", plain(&changed.name), fields.collect::<Vec<_>>().join(", "))
    });
    push('+', table.added.len(), &|at| plain(&table.added[at]));
}

/// The addresses that go, as a table that keeps them.
pub(crate) fn aliases(plan: &Plan) -> Option<String> {
    let moved = plan.tables.iter().flat_map(|table| table.moved.iter().map(move |moved| (table, moved)));
    let rows = moved.filter(|(_, moved)| !moved.has_alias).map(|(table, moved)| {
        format!("{},{},{}\n", table.table.trim_end_matches('s'), plain(&moved.name), plain(&moved.was))
    });
    let rows: String = rows.collect();
    (!rows.is_empty()).then(|| {
        format!("addresses that go; aliases.csv redirects them, with the first line if it is new:\nentityType,entity,slug\n{rows}")
    })
}

/// A name without control characters.
fn plain(text: &str) -> String {
    quoted(text).trim_matches('`').to_owned()
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

fn markdown(plan: &Plan, violations: &[String]) -> String {
    let mut markdown = format!("<!-- opdir-plan {} -->\n", plan.name);
    for violation in violations {
        let _ = writeln!(markdown, "> **Held back:** {}\n", escaped(&violation.replace('\n', " ")));
    }
    for table in &plan.tables {
        let _ = writeln!(markdown, "### {}\n", headline(table));
        let mut records = String::new();
        push_records(&mut records, table, MARKDOWN_RECORDS);
        markdown.extend(records.lines().map(|line| format!("- {}\n", escaped(line.trim()))));
        markdown.push('\n');
    }
    if let Some((head, rows)) = aliases(plan).as_deref().and_then(|lines| lines.split_once('\n')) {
        let _ = writeln!(markdown, "{head}\n\n```csv\n{rows}```\n");
    }
    let rest = text(&Plan { tables: Vec::new(), ..plan.clone() }, &[], 50);
    let is_shown = |line: &&str| plan.against.is_none() || !line.starts_with("against") || plan.is_empty();
    markdown.extend(rest.lines().filter(is_shown).map(|line| format!("{}\n\n", escaped(line))));
    truncated(markdown, "opdir plan")
}

/// Cuts it at a line to the length of a comment, and names the command that shows all.
pub(crate) fn truncated(mut text: String, command: &str) -> String {
    let note = format!("\n… cut here: `{command}` shows all of it.\n");
    if text.chars().count() > COMMENT_MAX {
        let kept: String = text.chars().take(COMMENT_MAX - note.chars().count()).collect();
        let end = kept.rfind('\n').unwrap_or(kept.len());
        text = format!("{}{note}", &kept[..end]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::plan;

    #[test]
    fn text_lists_removed_records_first_and_cuts_long_lists() {
        let text = report(&plan(100, 12, 1), &["why".to_owned()], PlanFormat::Words);
        let lines: Vec<&str> = text.lines().collect();
        let head = "programs: 1 added, 1 changed, 12 removed of 100 (12 %)";
        assert_eq!(lines[..3], ["against 000041-5dff:", head, "  - removed-0"]);
        let changed = "  ~ changed-0   deadlineOn 2026-12-01 → 2027-01-15   (grants.csv:2)";
        assert_eq!(lines[12..15], ["  - … and 2 more", "  > acme was acme-travel", changed]);
        assert_eq!(lines[17..19], ["entityType,entity,slug", "program,acme,acme-travel"]);
        assert!(lines[19].starts_with("records change but `publishedAt` does not"));
        assert_eq!(lines[20], "held back: why");
    }

    #[test]
    fn markdown_is_marked_escaped_and_short_enough_for_a_comment() {
        let text = report(&plan(100, 3, 1), &[], PlanFormat::Markdown);
        assert!(text.starts_with("<!-- opdir-plan t -->\n"), "{text}");
        assert!(text.contains("new\\|&lt;b>"), "{text}");
        assert!(text.contains("```csv\nentityType,entity,slug\nprogram,acme,acme-travel\n```"), "{text}");
        let mut long = plan(100, 3, 1);
        long.tables = vec![long.tables[0].clone(); 3000];
        let text = report(&long, &[], PlanFormat::Markdown);
        assert!(text.chars().count() <= 60_000 && text.ends_with("shows all of it.\n"));
    }
}
