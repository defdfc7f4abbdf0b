//! Problems as people, editors, programs and CI read them. Every way of printing tells groups: what is
//! wrong, how to mend it, and every row that has it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::groups::{Group, Hidden, Shown, groups, shown};
use super::{Code, Diagnostics, Fix, Safety, Severity, counted, printable, sarif};

/// How many lines a group names.
const LINES_NAMED: usize = 3;
/// GitHub shows so many messages of each severity for a step and drops the others without a word.
const GITHUB_SHOWS: usize = 10;

/// How diagnostics are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// For people at a terminal.
    #[default]
    Human,
    /// For editors: `file:line:col: severity[code]: message`, every row on its own line.
    Short,
    /// One JSON object a line; nothing is left out.
    Json,
    /// Workflow commands of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for tools that collect findings.
    Sarif,
}

/// How much is told, and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// The form.
    pub format: MessageFormat,
    /// Most groups that are told; 0 is all.
    pub limit: usize,
    /// Only codes, files and counts.
    pub summary: bool,
}

impl Telling {
    /// Most groups that are told unless somebody asks for more.
    pub const LIMIT: usize = 100;

    /// As much as anybody reads.
    #[must_use]
    pub const fn new(format: MessageFormat) -> Self {
        Self { format, limit: Self::LIMIT, summary: false }
    }
}

impl Diagnostics {
    /// Prints as much as anybody reads. Human output carries colours: wrap the writer in `anstream` to
    /// lose them where they are unwanted.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn print(&self, format: MessageFormat, out: &mut dyn Write) -> io::Result<()> {
        self.tell(Telling::new(format), out)
    }

    /// Prints problems.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn tell(&self, how: Telling, out: &mut dyn Write) -> io::Result<()> {
        if how.summary && matches!(how.format, MessageFormat::Human | MessageFormat::Short) {
            return self.summary(out);
        }
        match how.format {
            MessageFormat::Human => self.human(how.limit, out),
            MessageFormat::Short => self.short(out),
            MessageFormat::Json => self.json(out),
            MessageFormat::Github => self.github(how.limit, out),
            MessageFormat::Sarif => sarif::write(self, &groups(self), out),
        }
    }

    fn human(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        let Shown { told, hidden } = shown(groups(self), limit);
        let bold = Style::new().bold();
        for group in &told {
            let (first, style) = (group.first, style(group.first.code));
            let column = first.column.map(|column| format!(":{column}")).unwrap_or_default();
            let file = printable(self.file_name(first.at.file));
            writeln!(
                out,
                "{bold}{file}:{}{column}{bold:#}: {style}{}[{}]{style:#}: {}{}",
                first.at.line,
                first.code.severity().as_str(),
                first.code.id(),
                printable(&first.message),
                group.rows(),
            )?;
            if let Some(help) = group.help() {
                writeln!(out, "  help: {}", printable(&help))?;
            }
        }
        for Hidden { first, groups } in &hidden {
            let (code, file) = (first.code.id(), printable(self.file_name(first.at.file)));
            let line = first.at.line;
            writeln!(
                out,
                "… and {groups} more {code}, first in {file}:{line}; --limit 0 tells all, opdir explain {code} why"
            )?;
        }
        self.closing(out)
    }

    fn closing(&self, out: &mut dyn Write) -> io::Result<()> {
        for note in &self.notes {
            writeln!(out, "{note}")?;
        }
        let (errors, warnings) = (self.error_count(), self.warning_count());
        let fixable = self.fixable();
        let mends = match fixable {
            (0, 0) => String::new(),
            (0, also) => format!("; `check --fix --unsafe` mends {also}"),
            (safe, 0) => format!("; `check --fix` mends {safe}"),
            (safe, also) => format!("; `check --fix` mends {safe}, --unsafe {also} more"),
        };
        writeln!(out, "{}, {}{mends}", counted(errors, "error"), counted(warnings, "warning"))
    }

    /// How many problems `--fix` mends, and how many more with `--unsafe`.
    #[must_use]
    pub fn fixable(&self) -> (usize, usize) {
        let of = |safety| {
            self.list.iter().filter(|it| it.fix.as_ref().is_some_and(|fix| fix.safety == safety)).count()
        };
        (of(Safety::Safe), of(Safety::Unsafe))
    }

    fn short(&self, out: &mut dyn Write) -> io::Result<()> {
        for it in self.sorted() {
            let (file, message) = (printable(self.file_name(it.at.file)), printable(&it.message));
            let (line, column) = (it.at.line, it.column.unwrap_or(1));
            let severity = it.code.severity().as_str();
            writeln!(out, "{file}:{line}:{column}: {severity}[{}]: {message}", it.code.id())?;
        }
        Ok(())
    }

    /// Codes by file with their counts, the most first.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut counts: BTreeMap<(Code, &str), (usize, usize)> = BTreeMap::new();
        for it in &self.list {
            let entry = counts.entry((it.code, self.file_name(it.at.file))).or_default();
            entry.0 += 1;
            entry.1 += usize::from(it.fix.is_some());
        }
        let mut rows: Vec<_> = counts.into_iter().collect();
        rows.sort_by_key(|((code, file), (count, _))| {
            (code.severity() != Severity::Error, usize::MAX - count, *file)
        });
        for ((code, file), (count, fixable)) in rows {
            let style = style(code);
            let mends = if fixable > 0 { format!(", {fixable} fixable") } else { String::new() };
            let (id, title, file) = (code.id(), code.title(), printable(file));
            writeln!(out, "{style}{id}{style:#} {count:>7} {file}: {title}{mends}")?;
        }
        self.closing(out)
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        for group in groups(self) {
            json_line(out, &JsonGroup::new(&group, self))?;
        }
        let (safe, more) = self.fixable();
        let summary = JsonSummary {
            reason: "summary",
            errors: self.error_count(),
            warnings: self.warning_count(),
            fixable: [safe, more],
            notes: &self.notes,
        };
        json_line(out, &summary)
    }

    fn github(&self, limit: usize, out: &mut dyn Write) -> io::Result<()> {
        let Shown { mut told, hidden } = shown(groups(self), limit);
        told.sort_by_key(|group| group.first.code.severity() != Severity::Error);
        let mut left = [GITHUB_SHOWS; 2];
        let mut cut = 0;
        for group in &told {
            let severity = group.first.code.severity();
            let left = &mut left[usize::from(severity == Severity::Warning)];
            if *left == 0 {
                cut += 1;
                continue;
            }
            *left -= 1;
            let first = group.first;
            let column = first.column.map(|column| format!(",col={column}")).unwrap_or_default();
            let help = group.help().map(|help| format!(" Help: {help}")).unwrap_or_default();
            let file = github_property(&printable(self.file_name(first.at.file)));
            let text = format!("{}{}{help}", printable(&first.message), group.rows());
            let (line, code) = (first.at.line, first.code.id());
            let severity = severity.as_str();
            writeln!(
                out,
                "::{severity} file={file},line={line}{column},title={code}::{}",
                github_text(&text)
            )?;
        }
        let cut = cut + hidden.iter().map(|hidden| hidden.groups).sum::<usize>();
        if cut > 0 {
            writeln!(
                out,
                "::notice title=opdir::… and {cut} more kinds of problems; the step's summary has them"
            )?;
        }
        self.closing(out)
    }

    /// Every group as a table in Markdown, for the summary of a step of CI.
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
        let (errors, warnings) = (self.error_count(), self.warning_count());
        writeln!(out, "\n{}, {}", counted(errors, "error"), counted(warnings, "warning"))
    }
}

fn style(code: Code) -> Style {
    let color = match code.severity() {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

impl Group<'_> {
    /// ` (14 rows: 2, 9, 31 …)`; nothing of one row.
    pub(super) fn rows(&self) -> String {
        if self.lines.len() < 2 {
            return String::new();
        }
        let named: Vec<String> = self.lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
        let more = if self.lines.len() > named.len() { " …" } else { "" };
        format!(" ({} rows: {}{more})", self.lines.len(), named.join(", "))
    }

    /// The way to mend it; what the rule says of all where this row has none of its own.
    pub(super) fn help(&self) -> Option<String> {
        let first = self.first;
        let own = first.help.clone();
        let mended = first.fix.as_ref().filter(|fix| fix.safety == Safety::Safe);
        match (own, mended) {
            (None, Some(_)) => Some("`opdir check --fix` writes it down".to_owned()),
            (None, None) => Some(first.code.remedy().to_owned()),
            (own, _) => own,
        }
    }
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

#[derive(Serialize)]
struct JsonGroup<'a> {
    reason: &'static str,
    severity: Severity,
    code: &'static str,
    title: &'static str,
    file: &'a str,
    line: u32,
    column: Option<u32>,
    field: Option<&'a str>,
    value: Option<&'a str>,
    message: &'a str,
    help: Option<String>,
    count: usize,
    lines: &'a [u32],
    fix: Option<&'a Fix>,
}

impl<'a> JsonGroup<'a> {
    fn new(group: &'a Group<'a>, all: &'a Diagnostics) -> Self {
        let first = group.first;
        Self {
            reason: "diagnostic",
            severity: first.code.severity(),
            code: first.code.id(),
            title: first.code.title(),
            file: all.file_name(first.at.file),
            line: first.at.line,
            column: first.column,
            field: first.field.as_deref(),
            value: first.value.as_deref(),
            message: &first.message,
            help: group.help(),
            count: group.lines.len(),
            lines: &group.lines,
            fix: first.fix.as_ref(),
        }
    }
}

#[derive(Serialize)]
struct JsonSummary<'a> {
    reason: &'static str,
    errors: usize,
    warnings: usize,
    /// Safely, and with `--unsafe` besides.
    fixable: [usize; 2],
    notes: &'a [String],
}

fn json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
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
            .help("mend it"),
        );
        report.note("left out: 3 draft programs");
        report
    }

    /// 300 rows of each of two values.
    fn spoilt() -> Diagnostics {
        let mut report = Diagnostics::new();
        let file = report.add_file("programs.csv");
        for line in 2..602 {
            let (value, code) = if line % 2 == 0 { ("UK", "GB") } else { ("Spain", "ES") };
            let at = Location { file, line };
            let fix = Fix::value(Safety::Safe, "eligibleCountries", value, code);
            let message = format!("`eligibleCountries`: `{value}` understood as `{code}`");
            report.push(
                Diagnostic::new(Code::BadPlace, at, message).about("eligibleCountries", value).fix(fix),
            );
        }
        report
    }

    fn told(report: &Diagnostics, how: Telling) -> String {
        let mut out = Vec::new();
        report.tell(how, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    fn printed(format: MessageFormat) -> String {
        told(&report(), Telling::new(format))
    }

    #[test]
    fn human_output_is_sorted_and_counts_what_has_no_field_after_five() {
        let text = printed(MessageFormat::Human);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.ndjson:9:4: error[E0601]: 100%");
        assert_eq!(lines[1], "  help: mend it");
        assert_eq!(lines[2], "b,c.csv:1: warning[W0201]: late\u{fffd}[31m");
        assert!(
            lines[12].starts_with("… and 2 more W0201, first in b,c.csv:6; --limit 0 tells all"),
            "{text}"
        );
        assert_eq!(lines[13], "left out: 3 draft programs");
        assert_eq!(lines[14], "1 error, 7 warnings");
        assert_eq!(lines.len(), 15);
        let all = told(&report(), Telling { limit: 0, ..Telling::new(MessageFormat::Human) });
        assert!(!all.contains('…'), "{all}");
    }

    #[test]
    fn six_hundred_equal_mistakes_are_two_problems_with_their_rows() {
        let text = told(&spoilt(), Telling::new(MessageFormat::Human));
        let lines: Vec<&str> = text.lines().collect();
        let first = "programs.csv:2: error[E0203]: `eligibleCountries`: `UK` understood as `GB` (300 rows: 2, 4, 6 …)";
        assert_eq!(lines[0], first);
        assert_eq!(lines[1], "  help: `opdir check --fix` writes it down");
        assert_eq!(lines[4], "600 errors, 0 warnings; `check --fix` mends 600");
        assert_eq!(lines.len(), 5);
        let json: serde_json::Value =
            serde_json::from_str(told(&spoilt(), Telling::new(MessageFormat::Json)).lines().next().unwrap())
                .unwrap();
        assert_eq!(json["count"], 300);
        assert_eq!(json["lines"].as_array().unwrap().len(), 300);
        assert_eq!(json["fix"]["edits"][0]["to"], "GB");
    }

    #[test]
    fn short_output_has_a_line_for_every_row() {
        let text = told(&spoilt(), Telling::new(MessageFormat::Short));
        assert_eq!(text.lines().count(), 600);
        assert!(text.starts_with("programs.csv:2:1: error[E0203]: "), "{text}");
    }

    #[test]
    fn a_summary_counts_codes_by_file() {
        let text = told(&spoilt(), Telling { summary: true, ..Telling::new(MessageFormat::Human) });
        assert!(
            text.starts_with("E0203     600 programs.csv: the code is not a place, 600 fixable\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn github_output_escapes_what_its_syntax_uses_and_tells_errors_first() {
        let text = printed(MessageFormat::Github);
        assert!(text.starts_with("::error file=a.ndjson,line=9,col=4,title=E0601::100%25 Help: mend it\n"));
        assert!(text.contains("::warning file=b%2Cc.csv,line=1,title=W0201::"));
        assert!(text.contains("::notice title=opdir::… and 2 more kinds of problems"), "{text}");
    }

    #[test]
    fn a_markdown_summary_has_every_problem_and_no_markup_of_the_data() {
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
    fn json_output_leaves_nothing_out() {
        let lines: Vec<serde_json::Value> =
            printed(MessageFormat::Json).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0]["code"], "E0601");
        assert_eq!(lines[0]["column"], 4);
        assert_eq!(lines[8]["warnings"], 7);
    }

    #[test]
    fn sarif_names_every_rule_that_has_a_result() {
        let text = printed(MessageFormat::Sarif);
        let log: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 8);
        let rules: Vec<&str> = run["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| rule["id"].as_str().unwrap())
            .collect();
        assert_eq!(rules, ["E0601", "W0201"]);
        let result = &run["results"][0];
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 9);
        assert_eq!(result["ruleId"], "E0601");
    }

    #[test]
    fn every_problem_has_a_remedy_even_without_one_of_its_own() {
        let text = printed(MessageFormat::Human);
        assert!(text.contains("  help: check the source; if it is wrong there"), "{text}");
    }
}
