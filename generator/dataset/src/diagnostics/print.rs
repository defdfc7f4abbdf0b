//! Problems printed for people, editors, programs and CI. Equal ones are one group: the same rule for the same value of
//! the same field of one file. Groups are formed before the output is limited, so that 600 equal mistakes are one problem.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::json;

use super::{Code, Diagnostic, Diagnostics, FileId};
use crate::text::{counted, escaped, printable};

/// GitHub shows at most so many messages of each severity for a step and drops the others silently.
const GITHUB_LIMIT: usize = 10;

/// Most groups of one code, file and field that are printed; the rest is counted.
const LIMIT_PER_FIELD: usize = 5;
/// How many of its lines a group lists.
const LINES_LISTED: usize = 3;

/// The format that problems are printed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// For people at a terminal.
    #[default]
    Human,
    /// One JSON object a line, complete
    Json,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// What is printed, and in which format.
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions {
    /// The format.
    pub format: MessageFormat,
    /// Most groups of equal problems to print for people and GitHub; 0 for all.
    pub limit: usize,
    /// For people: one line for each code, as an import shows its warnings.
    pub summary: bool,
}

impl PrintOptions {
    /// The limit if none is given.
    pub const LIMIT: usize = 100;
}

impl From<MessageFormat> for PrintOptions {
    fn from(format: MessageFormat) -> Self {
        Self { format, limit: Self::LIMIT, summary: false }
    }
}

/// One problem and every row that has it.
struct Group<'a> {
    /// As the first row has it.
    first: &'a Diagnostic,
    /// Physical lines, in order.
    lines: Vec<u32>,
}

/// The first of the groups of one code and file that are counted, not printed, and their number.
type Omitted<'a> = (&'a Diagnostic, usize);

/// An error without terminal colours: where it is, what is wrong, how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorSummary {
    /// `file:line`, or `file:line:column` where that is known.
    pub place: String,
    /// Its code.
    pub code: &'static str,
    /// What is wrong, and in which rows.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

impl<'a> Group<'a> {
    /// The summary of the group, safe to print.
    fn summary(&self, report: &Diagnostics) -> ErrorSummary {
        let first = self.first;
        let column = first.column.map(|column| format!(":{column}")).unwrap_or_default();
        ErrorSummary {
            place: format!("{}{column}", printable(&report.place(first.at))),
            code: first.code.id(),
            message: format!("{}{}", printable(&first.message), self.rows()),
            help: printable(self.help()),
        }
    }

    /// ` (14 rows: 2, 9, 31 …)`; empty for one row.
    fn rows(&self) -> String {
        if self.lines.len() < 2 {
            return String::new();
        }
        let listed: Vec<String> = self.lines.iter().take(LINES_LISTED).map(u32::to_string).collect();
        let more = if self.lines.len() > listed.len() { " …" } else { "" };
        format!(" ({} rows: {}{more})", self.lines.len(), listed.join(", "))
    }

    /// How to fix it: the problem's own help, else the rule's remedy.
    fn help(&self) -> &str {
        self.first.help.as_deref().unwrap_or_else(|| self.first.code.remedy())
    }
}

/// Every group, in the order of their first places.
fn groups(report: &Diagnostics) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: BTreeMap<(Code, FileId, &str, &str), usize> = BTreeMap::new();
    for diagnostic in report.sorted() {
        let next = groups.len();
        // A problem without a field is a group of its own.
        let position = diagnostic.field.as_deref().map_or(next, |field| {
            let value = diagnostic.value.as_deref().unwrap_or_default();
            *known.entry((diagnostic.code, diagnostic.at.file, field, value)).or_insert(next)
        });
        match groups.get_mut(position) {
            Some(group) => group.lines.push(diagnostic.at.line),
            None => groups.push(Group { first: diagnostic, lines: vec![diagnostic.at.line] }),
        }
    }
    groups
}

/// The groups to print: at most five of each code, file and field, and `limit` in all, errors first. A limit
/// of 0 keeps all.
fn limited(groups: Vec<Group<'_>>, limit: usize) -> (Vec<Group<'_>>, Vec<Omitted<'_>>) {
    let errors = groups.iter().filter(|group| group.first.code.is_error()).count();
    let (mut errors_left, mut warnings_left) = (limit, limit.saturating_sub(errors));
    let mut of_field: BTreeMap<(Code, FileId, Option<&str>), usize> = BTreeMap::new();
    let mut omitted: BTreeMap<(Code, FileId), Omitted<'_>> = BTreeMap::new();
    let mut kept = Vec::new();
    for group in groups {
        let (code, file) = (group.first.code, group.first.at.file);
        let same = of_field.entry((code, file, group.first.field.as_deref())).or_default();
        let left = if code.is_error() { &mut errors_left } else { &mut warnings_left };
        if limit == 0 || (*same < LIMIT_PER_FIELD && *left > 0) {
            *same += 1;
            *left = left.saturating_sub(1);
            kept.push(group);
        } else {
            omitted.entry((code, file)).or_insert((group.first, 0)).1 += 1;
        }
    }
    (kept, omitted.into_values().collect())
}

impl Diagnostics {
    /// The first errors, each with all its rows, and how many more groups of errors there are.
    pub fn errors(&self, limit: usize) -> (Vec<ErrorSummary>, usize) {
        let mut errors = groups(self);
        errors.retain(|group| group.first.code.is_error());
        let first = errors.iter().take(limit).map(|group| group.summary(self)).collect();
        (first, errors.len().saturating_sub(limit))
    }

    /// Prints problems. Human output has colours: wrap the writer in `anstream` to remove them where they
    /// are unwanted.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn print(&self, options: impl Into<PrintOptions>, out: &mut dyn Write) -> io::Result<()> {
        let options = options.into();
        match options.format {
            MessageFormat::Human if options.summary => self.summary(out),
            MessageFormat::Human => self.human(options.limit, out),
            MessageFormat::Json => self.json(out),
            MessageFormat::Github => self.github(options.limit, out),
        }
    }

    fn human(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        let (printed, omitted) = limited(groups(self), limit);
        let bold = Style::new().bold();
        for group in &printed {
            let (summary, style) = (group.summary(self), style(group.first.code));
            let (place, severity, code) = (&summary.place, group.first.code.severity(), summary.code);
            writeln!(out, "{bold}{place}{bold:#}: {style}{severity}[{code}]{style:#}: {}", summary.message)?;
            writeln!(out, "  help: {}", summary.help)?;
        }
        for (first, n) in &omitted {
            let (code, place) = (first.code.id(), printable(&self.place(first.at)));
            writeln!(
                out,
                "… and {n} more {code}, first in {place}; --limit 0 prints all, opdir explain {code} the rule"
            )?;
        }
        self.totals(out)
    }

    /// Notes, and the numbers of errors and warnings.
    fn totals(&self, out: &mut dyn Write) -> io::Result<()> {
        for note in &self.notes {
            writeln!(out, "{note}")?;
        }
        writeln!(out, "{}", self.counts())
    }

    fn counts(&self) -> String {
        let errors = self.error_count();
        format!("{}, {}", counted(errors, "error"), counted(self.list.len() - errors, "warning"))
    }

    /// A line for each code: how often it is found, where first, and how to fix it; the most frequent first. What is found
    /// once is stated in its own words.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut codes: BTreeMap<Code, Group<'_>> = BTreeMap::new();
        for first in self.sorted() {
            codes.entry(first.code).or_insert(Group { first, lines: Vec::new() }).lines.push(first.at.line);
        }
        let mut rows: Vec<_> = codes.into_iter().collect();
        rows.sort_by_key(|(code, group)| (!code.is_error(), Reverse(group.lines.len())));
        for (code, group) in rows {
            let (style, place) = (style(code), printable(&self.place(group.first.at)));
            let (id, count) = (code.id(), group.lines.len());
            let (what, remedy) = match count {
                1 => (printable(&group.first.message), printable(group.help())),
                _ => (code.title().to_owned(), code.remedy().to_owned()),
            };
            writeln!(out, "{style}{id}{style:#} {count:>7} {place}: {what}; {remedy}")?;
        }
        self.totals(out)
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        for group in groups(self) {
            let first = group.first;
            let line = json!({
                "reason": "diagnostic",
                "severity": first.code.severity(),
                "code": first.code.id(),
                "title": first.code.title(),
                "file": self.file_name(first.at.file),
                "line": first.at.line,
                "column": first.column,
                "field": first.field,
                "value": first.value,
                "message": first.message,
                "help": group.help(),
                "count": group.lines.len(),
                "lines": group.lines,
            });
            writeln!(out, "{line}")?;
        }
        let totals = json!({
            "reason": "summary",
            "errors": self.error_count(),
            "warnings": self.list.len() - self.error_count(),
            "notes": self.notes,
        });
        writeln!(out, "{totals}")
    }

    fn github(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        let (mut printed, omitted) = limited(groups(self), limit);
        printed.sort_by_key(|group| !group.first.code.is_error());
        let of_severity = printed.chunk_by(|a, b| a.first.code.is_error() == b.first.code.is_error());
        let shown: Vec<_> = of_severity.flat_map(|of| of.iter().take(GITHUB_LIMIT)).collect();
        let more = omitted.iter().map(|(_, groups)| groups).sum::<usize>() + printed.len() - shown.len();
        for group in shown {
            let (first, summary) = (group.first, group.summary(self));
            let column = first.column.map(|column| format!(",col={column}")).unwrap_or_default();
            let file = printable(self.file_name(first.at.file));
            let file = github_text(&file).replace(':', "%3A").replace(',', "%2C");
            let text = github_text(&format!("{} Help: {}", summary.message, summary.help));
            let (severity, line, code) = (first.code.severity(), first.at.line, summary.code);
            writeln!(out, "::{severity} file={file},line={line}{column},title={code}::{text}")?;
        }
        if more > 0 {
            writeln!(
                out,
                "::notice title=opdir::… and {more} more kinds of problems, in the step's summary"
            )?;
        }
        self.totals(out)
    }

    /// Every group as a Markdown table, for the summary of a CI step.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "| where | rule | what | rows |\n|---|---|---|---|")?;
        for group in groups(self) {
            let first = group.first;
            let cell = |text: &str| escaped(&printable(text));
            let (place, what) = (cell(&self.place(first.at)), cell(&first.message));
            writeln!(out, "| {place} | {} | {what} | {} |", first.code.id(), group.lines.len())?;
        }
        writeln!(out, "\n{}", self.counts())
    }
}

fn style(code: Code) -> Style {
    let color = if code.is_error() { AnsiColor::Red } else { AnsiColor::Yellow };
    Style::new().bold().fg_color(Some(color.into()))
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Location;

    fn report() -> Diagnostics {
        let mut report = Diagnostics::new();
        let b = report.add_file("b,c.csv");
        let a = report.add_file("a.ndjson");
        for line in (1..=7).rev() {
            report.push(Diagnostic::new(Code::DatesReversed, Location { file: b, line }, "late\u{1b}[31m"));
        }
        let url = Diagnostic::new(Code::BadUrl, Location { file: a, line: 9 }, "100%");
        report.push(Diagnostic { column: Some(4), ..url.help("correct it") });
        report.note("left out: 3 draft programs");
        report
    }

    /// 300 rows with each of two wrong values.
    fn misspelt() -> Diagnostics {
        let mut report = Diagnostics::new();
        let file = report.add_file("programs.csv");
        for line in 2..602 {
            let (value, code) = if line % 2 == 0 { ("UK", "GB") } else { ("Spain", "ES") };
            let at = Location { file, line };
            let message = format!("`eligibleCountries` is `{value}`, the name of a place");
            let error = Diagnostic::new(Code::BadPlace, at, message).value("eligibleCountries", value);
            report.push(error.help(format!("write `{code}`")));
        }
        report
    }

    fn text_of(report: &Diagnostics, options: impl Into<PrintOptions>) -> String {
        let mut out = Vec::new();
        report.print(options, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    fn printed(format: MessageFormat) -> String {
        text_of(&report(), format)
    }

    #[test]
    fn human_output_is_sorted_and_omits_after_five_groups_of_a_field() {
        let text = printed(MessageFormat::Human);
        let lines: Vec<&str> = text.lines().collect();
        let warning = "b,c.csv:1: warning[W0201]: late\u{fffd}[31m";
        assert_eq!(lines[..3], ["a.ndjson:9:4: error[E0601]: 100%", "  help: correct it", warning]);
        assert!(
            lines[3].starts_with("  help: check the source; if it is wrong there"),
            "of its rule: {text}"
        );
        let expected = "… and 2 more W0201, first in b,c.csv:6; --limit 0 prints all";
        assert!(lines[12].starts_with(expected), "{text}");
        assert_eq!(lines[13..], ["left out: 3 draft programs", "1 error, 7 warnings"]);
        let all = text_of(&report(), PrintOptions { limit: 0, ..MessageFormat::Human.into() });
        assert!(!all.contains('…'), "{all}");
    }

    #[test]
    fn equal_problems_are_one_group_with_its_rows() {
        let text = text_of(&misspelt(), MessageFormat::Human);
        let lines: Vec<&str> = text.lines().collect();
        let first = "programs.csv:2: error[E0203]: `eligibleCountries` is `UK`, the name of a place (300 rows: 2, 4, 6 …)";
        assert_eq!(lines[..2], [first, "  help: write `GB`"]);
        assert_eq!(lines[4..], ["600 errors, 0 warnings"]);
        let json: serde_json::Value =
            serde_json::from_str(text_of(&misspelt(), MessageFormat::Json).lines().next().unwrap()).unwrap();
        assert_eq!(json["count"], 300);
        assert_eq!(json["lines"].as_array().unwrap().len(), 300);
        assert_eq!(json["help"], "write `GB`");
    }

    #[test]
    fn a_summary_is_a_line_for_each_code_with_its_count_first_place_and_remedy() {
        let text = text_of(&misspelt(), PrintOptions { summary: true, ..MessageFormat::Human.into() });
        let expected = "E0203     600 programs.csv:2: the code is not a place; use the code: `GB`, `KE`";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn github_output_is_escaped_and_has_errors_first() {
        let text = printed(MessageFormat::Github);
        let first = "::error file=a.ndjson,line=9,col=4,title=E0601::100%25 Help: correct it\n";
        assert!(text.starts_with(first), "{text}");
        assert!(text.contains("::warning file=b%2Cc.csv,line=1,title=W0201::"));
        assert!(text.contains("::notice title=opdir::… and 2 more kinds of problems"), "{text}");
    }

    #[test]
    fn markdown_has_every_problem_and_escapes_the_data() {
        let mut out = Vec::new();
        let mut report = report();
        let file = report.add_file("d.csv");
        report.push(Diagnostic::new(Code::BadUrl, Location { file, line: 1 }, "<img src=x> | y"));
        report.markdown(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("| d.csv:1 | E0601 | &lt;img src=x> \\| y | 1 |"), "{text}");
        assert_eq!(text.matches("W0201").count(), 7);
    }

    #[test]
    fn equal_errors_are_one_summary_with_their_rows_and_warnings_are_none() {
        let mut report = misspelt();
        let at = Location { file: report.add_file("a.csv"), line: 1 };
        report.push(Diagnostic::new(Code::DatesReversed, at, "late"));
        let (errors, more) = report.errors(1);
        assert_eq!((errors.len(), more), (1, 1));
        assert_eq!(errors[0].place, "programs.csv:2");
        assert!(errors[0].message.ends_with(" (300 rows: 2, 4, 6 …)"), "{}", errors[0].message);
        assert_eq!(errors[0].help, "write `GB`");
    }
}
