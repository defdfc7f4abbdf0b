//! A plan in words for a terminal, as Markdown for a pull request, and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Counted, Plan, TablePlan};
use dataset::text::quoted;

/// How many records of a kind are named in words.
const NAMED: usize = 10;
/// GitHub takes comments of 65,536 characters.
const LONGEST_COMMENT: usize = 60_000;

/// How a plan is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanFormat {
    /// For people at a terminal
    #[default]
    Words,
    /// For a comment of a pull request, which the next one replaces
    Markdown,
    /// One JSON object, with every record
    Json,
}

/// A plan in a format; `held` is why it would be held back.
#[must_use]
pub fn report(plan: &Plan, held: &[String], format: PlanFormat) -> String {
    match format {
        PlanFormat::Words => words(plan, held, NAMED),
        PlanFormat::Markdown => markdown(plan, held),
        PlanFormat::Json => format!("{}\n", json!({ "plan": plan, "held": held })),
    }
}

fn words(plan: &Plan, held: &[String], most: usize) -> String {
    let mut text = match &plan.against {
        None => "nothing is live: everything would be new\n".to_owned(),
        Some(live) if plan.is_empty() => format!("against {live}: no record changes\n"),
        Some(live) => format!("against {live}:\n"),
    };
    text.push_str(&counts(plan));
    for table in &plan.tables {
        let _ = writeln!(text, "{}", headline(table));
        lines(&mut text, table, most);
    }
    let values = |text: &mut String, what: &str, values: &[String]| {
        if !values.is_empty() {
            let named: Vec<&str> = values.iter().take(most).map(String::as_str).collect();
            let more = if values.len() > most {
                format!(" and {} more", values.len() - most)
            } else {
                String::new()
            };
            let _ = writeln!(text, "filter values that {what}: {}{more}", plain(&named.join(", ")));
        }
    };
    values(&mut text, "come", &plan.values_added);
    values(&mut text, "go", &plan.values_removed);
    if plan.same_moment {
        text.push_str("records change and `publishedAt` does not: `opdir stamp` moves it\n");
    }
    held.iter().for_each(|held| {
        let _ = writeln!(text, "held back: {held}");
    });
    text
}

/// What can be told of what was built without tables.
fn counts(plan: &Plan) -> String {
    if plan.counts.is_empty() {
        return String::new();
    }
    let mut text =
        "it was built with --index-only: which records change cannot be told, only how many there are\n"
            .to_owned();
    for Counted { table, live, new } in &plan.counts {
        let _ = writeln!(text, "{table}: {live}, would be {new}");
    }
    text
}

/// `programs: 12 added, 40 changed, 412 removed of 1871 (22 %)`.
fn headline(table: &TablePlan) -> String {
    let TablePlan { table: name, live, added, changed, removed, .. } = table;
    let part = if *live > 0 { removed.len() * 100 / live } else { 0 };
    let removed = match removed.len() {
        0 => "0 removed".to_owned(),
        count => format!("{count} removed of {live} ({part} %)"),
    };
    format!("{name}: {} added, {} changed, {removed}", added.len(), changed.len())
}

fn lines(text: &mut String, table: &TablePlan, most: usize) {
    let mut list = |sign: char, names: &mut dyn Iterator<Item = String>, count: usize| {
        for name in names.take(most) {
            let _ = writeln!(text, "  {sign} {name}");
        }
        if count > most {
            let _ = writeln!(text, "  {sign} … and {} more", count - most);
        }
    };
    list('-', &mut table.removed.iter().map(|name| plain(name)), table.removed.len());
    let moved = table.moved.iter().map(|moved| {
        let noun = table.table.trim_end_matches('s');
        let alias = if moved.has_alias {
            String::new()
        } else {
            format!("; add to aliases.csv: {noun},{},{}", moved.name, moved.was)
        };
        format!("{} was {}{alias}", plain(&moved.name), plain(&moved.was))
    });
    list('>', &mut { moved }, table.moved.len());
    let changed = table.changed.iter().map(|changed| {
        let fields: Vec<String> = changed
            .fields
            .iter()
            .map(|it| format!("{} {} → {}", it.field, brief(&it.old), brief(&it.new)))
            .collect();
        format!("{}   {}", plain(&changed.name), fields.join(", "))
    });
    list('~', &mut { changed }, table.changed.len());
    list('+', &mut table.added.iter().map(|name| plain(name)), table.added.len());
    if table.renumbered > 0 {
        let count = table.renumbered;
        let _ = writeln!(
            text,
            "  {count} keep their slug and have another id: did `idNamespace` or a `key` change?"
        );
    }
}

/// A name without what a terminal would act on.
fn plain(text: &str) -> String {
    quoted(text).trim_matches('`').to_owned()
}

fn brief(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

fn markdown(plan: &Plan, held: &[String]) -> String {
    let mut text = format!("<!-- opdir-plan {} -->\n", plan.name);
    for held in held {
        let _ = writeln!(text, "> **Held back:** {}\n", escaped(&held.replace('\n', " ")));
    }
    for table in &plan.tables {
        let _ = writeln!(text, "### {}\n", headline(table));
        let mut all = String::new();
        lines(&mut all, table, 200);
        all.lines().for_each(|line| {
            let _ = writeln!(text, "- {}", escaped(line.trim()));
        });
        text.push('\n');
    }
    let rest = words(&Plan { tables: Vec::new(), ..plan.clone() }, &[], 50);
    for line in
        rest.lines().filter(|line| plan.against.is_none() || !line.starts_with("against") || plan.is_empty())
    {
        let _ = writeln!(text, "{}\n", escaped(line));
    }
    cut(text)
}

/// What Markdown and HTML would act on is text here.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '@' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

fn cut(mut text: String) -> String {
    const NOTE: &str = "\n… cut here: `opdir plan` shows all of it.\n";
    if text.chars().count() > LONGEST_COMMENT {
        let kept: String = text.chars().take(LONGEST_COMMENT - NOTE.chars().count()).collect();
        let end = kept.rfind('\n').unwrap_or(kept.len());
        text = format!("{}{NOTE}", &kept[..end]);
    }
    text
}
