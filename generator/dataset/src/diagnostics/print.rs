//! Problems printed for people, editors, programs and CI.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::json;

use super::groups::{Group, Omitted, groups, limited};
use super::{Code, Diagnostics, Severity};
use crate::text::{counted, printable};

/// GitHub shows at most so many messages of each severity for a step and drops the others silently.
const GITHUB_LIMIT: usize = 10;

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

impl Diagnostics {
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
            let (place, severity, code) = (&summary.place, group.severity().as_str(), summary.code);
            writeln!(out, "{bold}{place}{bold:#}: {style}{severity}[{code}]{style:#}: {}", summary.message)?;
            writeln!(out, "  help: {}", summary.help)?;
        }
        for Omitted { first, groups } in &omitted {
            let (code, file) = (first.code.id(), printable(self.file_name(first.at.file)));
            let line = first.at.line;
            writeln!(
                out,
                "… and {groups} more {code}, first in {file}:{line}; --limit 0 prints all, opdir explain {code} the rule"
            )?;
        }
        self.totals(out)
    }

    /// Notes, and the numbers of errors and warnings.
    fn totals(&self, out: &mut dyn Write) -> io::Result<()> {
        for note in self.notes() {
            writeln!(out, "{note}")?;
        }
        writeln!(out, "{}", self.counts())
    }

    fn counts(&self) -> String {
        format!("{}, {}", counted(self.error_count(), "error"), counted(self.warning_count(), "warning"))
    }

    /// A line for each code: how often it is found, where first, and how to fix it; the most frequent first. What is found
    /// once is stated in its own words.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut codes: BTreeMap<Code, Group<'_>> = BTreeMap::new();
        for first in self.sorted() {
            codes.entry(first.code).or_insert(Group { first, lines: Vec::new() }).lines.push(first.at.line);
        }
        let mut rows: Vec<_> = codes.into_iter().collect();
        rows.sort_by_key(|(code, group)| {
            (code.severity() != Severity::Error, usize::MAX - group.lines.len())
        });
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
                "severity": group.severity(),
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
            "warnings": self.warning_count(),
            "notes": self.notes(),
        });
        writeln!(out, "{totals}")
    }

    fn github(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        let (mut printed, omitted) = limited(groups(self), limit);
        printed.sort_by_key(|group| group.severity() != Severity::Error);
        let mut left = [GITHUB_LIMIT; 2];
        let mut more = omitted.iter().map(|omitted| omitted.groups).sum::<usize>();
        for group in &printed {
            let left = &mut left[usize::from(group.severity() == Severity::Warning)];
            if *left == 0 {
                more += 1;
                continue;
            }
            *left -= 1;
            let (first, summary) = (group.first, group.summary(self));
            let column = first.column.map(|column| format!(",col={column}")).unwrap_or_default();
            let file = printable(self.file_name(first.at.file));
            let file = github_text(&file).replace(':', "%3A").replace(',', "%2C");
            let text = github_text(&format!("{} Help: {}", summary.message, summary.help));
            let (severity, line, code) = (group.severity().as_str(), first.at.line, summary.code);
            writeln!(out, "::{severity} file={file},line={line}{column},title={code}::{text}")?;
        }
        if more > 0 {
            writeln!(
                out,
                "::notice title=opdir::… and {more} more kinds of problems; the step's summary lists them"
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
            let place = format!("{}:{}", self.file_name(first.at.file), first.at.line);
            let cell =
                |text: &str| printable(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;");
            let (place, what) = (cell(&place), cell(&first.message));
            writeln!(out, "| {place} | {} | {what} | {} |", first.code.id(), group.lines.len())?;
        }
        writeln!(out, "\n{}", self.counts())
    }
}

fn style(code: Code) -> Style {
    let color = match code.severity() {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Diagnostic, Location};

    fn report() -> Diagnostics {
        let mut report = Diagnostics::new();
        let b = report.add_file("b,c.csv");
        let a = report.add_file("a.ndjson");
        for line in (1..=7).rev() {
            report.push(Diagnostic::new(Code::DatesReversed, Location { file: b, line }, "late\u{1b}[31m"));
        }
        report.push(
            Diagnostic {
                column: Some(4),
                ..Diagnostic::new(Code::BadUrl, Location { file: a, line: 9 }, "100%")
            }
            .help("correct it"),
        );
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
        assert_eq!(lines[0], "a.ndjson:9:4: error[E0601]: 100%");
        assert_eq!(lines[1], "  help: correct it");
        assert_eq!(lines[2], "b,c.csv:1: warning[W0201]: late\u{fffd}[31m");
        let expected = "… and 2 more W0201, first in b,c.csv:6; --limit 0 prints all";
        assert!(lines[12].starts_with(expected), "{text}");
        assert_eq!(lines[13], "left out: 3 draft programs");
        assert_eq!(lines[14], "1 error, 7 warnings");
        assert_eq!(lines.len(), 15);
        let all = text_of(&report(), PrintOptions { limit: 0, ..MessageFormat::Human.into() });
        assert!(!all.contains('…'), "{all}");
    }

    #[test]
    fn equal_problems_are_one_group_with_its_rows() {
        let text = text_of(&misspelt(), MessageFormat::Human);
        let lines: Vec<&str> = text.lines().collect();
        let first = "programs.csv:2: error[E0203]: `eligibleCountries` is `UK`, the name of a place (300 rows: 2, 4, 6 …)";
        assert_eq!(lines[0], first);
        assert_eq!(lines[1], "  help: write `GB`");
        assert_eq!(lines[4], "600 errors, 0 warnings");
        assert_eq!(lines.len(), 5);
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
        assert!(
            text.starts_with("::error file=a.ndjson,line=9,col=4,title=E0601::100%25 Help: correct it\n")
        );
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
    fn a_problem_without_help_gets_the_remedy_of_its_rule() {
        let text = printed(MessageFormat::Human);
        assert!(text.contains("  help: check the source; if it is wrong there"), "{text}");
    }
}
