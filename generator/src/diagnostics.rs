//! Every problem of the input, collected and printed at once, sorted by `file:line`.

mod codes;

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

pub use codes::Code;

/// How many diagnostics of one code are printed in full before the rest are counted.
const SHOWN_PER_CODE: usize = 5;

/// Whether a problem stops the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It does.
    Error,
    /// It does not.
    Warning,
}

impl Severity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// How diagnostics are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// For people at a terminal; repeats are counted.
    #[default]
    Human,
    /// One JSON object a line; nothing is left out.
    Json,
    /// Workflow commands of GitHub Actions; repeats are counted.
    Github,
}

/// One input file, as [`Diagnostics`] knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// Where a row starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// In which file.
    pub file: FileId,
    /// Physical line, from 1.
    pub line: u32,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which rule.
    pub code: Code,
    /// Where.
    pub at: Location,
    /// Character in the line, from 1, where known.
    pub column: Option<u32>,
    /// What is wrong, in one line.
    pub message: String,
    /// How to mend it, where known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A problem at a row.
    pub fn new(code: Code, at: Location, message: impl Into<String>) -> Self {
        Self { code, at, column: None, message: message.into(), help: None }
    }

    /// The same with a way to mend it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same with help where there is any.
    #[must_use]
    pub fn maybe_help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// The problems of one input.
#[derive(Debug, Default)]
pub struct Diagnostics {
    files: Vec<String>,
    list: Vec<Diagnostic>,
    notes: Vec<String>,
}

impl Diagnostics {
    /// Nothing found yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a file known by the name that people read.
    pub fn add_file(&mut self, name: impl Into<String>) -> FileId {
        self.files.push(name.into());
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The name that people read.
    #[must_use]
    pub fn file_name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", String::as_str)
    }

    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds problems.
    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(diagnostics);
    }

    /// Adds a remark that is no problem, such as what was left out.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Remarks that are no problems.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many problems stop the build.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.count(Severity::Error)
    }

    /// How many problems do not.
    #[must_use]
    pub fn warning_count(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.code.severity() == severity).count()
    }

    /// All problems by file name, line, column, code.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut list: Vec<&Diagnostic> = self.list.iter().collect();
        list.sort_by_key(|d| (self.file_name(d.at.file), d.at.line, d.column, d.code.id()));
        list
    }

    /// Prints everything. Human output carries colours: wrap the writer in `anstream` to lose them
    /// where they are unwanted.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn print(&self, format: MessageFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            MessageFormat::Human => self.print_grouped(out, &Human),
            MessageFormat::Github => self.print_grouped(out, &Github),
            MessageFormat::Json => self.print_json(out),
        }
    }

    fn print_json(&self, out: &mut dyn Write) -> io::Result<()> {
        for diagnostic in self.sorted() {
            json_line(out, &JsonDiagnostic::new(diagnostic, self))?;
        }
        json_line(
            out,
            &JsonSummary {
                reason: "summary",
                errors: self.error_count(),
                warnings: self.warning_count(),
                notes: &self.notes,
            },
        )
    }

    fn print_grouped(&self, out: &mut dyn Write, style: &dyn Lines) -> io::Result<()> {
        let mut hidden: BTreeMap<&str, Hidden<'_>> = BTreeMap::new();
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        for diagnostic in self.sorted() {
            let shown = shown.entry(diagnostic.code.id()).or_default();
            if *shown < SHOWN_PER_CODE {
                *shown += 1;
                style.diagnostic(out, diagnostic, &self.place(diagnostic))?;
            } else {
                let entry = hidden.entry(diagnostic.code.id());
                entry.or_insert(Hidden { first: diagnostic, count: 0 }).count += 1;
            }
        }
        for rest in hidden.values() {
            style.hidden(out, rest, &self.place(rest.first))?;
        }
        for note in &self.notes {
            writeln!(out, "{note}")?;
        }
        let (errors, warnings) = (self.error_count(), self.warning_count());
        writeln!(out, "{}, {}", counted(errors, "error"), counted(warnings, "warning"))
    }

    fn place(&self, diagnostic: &Diagnostic) -> Place {
        Place {
            file: printable(self.file_name(diagnostic.at.file)),
            line: diagnostic.at.line,
            column: diagnostic.column,
        }
    }
}

/// Diagnostics of one code that are counted rather than printed.
struct Hidden<'a> {
    first: &'a Diagnostic,
    count: usize,
}

struct Place {
    file: String,
    line: u32,
    column: Option<u32>,
}

/// How one output prints its lines.
trait Lines {
    fn diagnostic(&self, out: &mut dyn Write, diagnostic: &Diagnostic, place: &Place) -> io::Result<()>;
    fn hidden(&self, out: &mut dyn Write, rest: &Hidden<'_>, place: &Place) -> io::Result<()>;
}

struct Human;

impl Lines for Human {
    fn diagnostic(&self, out: &mut dyn Write, diagnostic: &Diagnostic, place: &Place) -> io::Result<()> {
        let severity = diagnostic.code.severity();
        let color = match severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
        };
        let (style, bold) = (Style::new().bold().fg_color(Some(color.into())), Style::new().bold());
        let column = place.column.map(|column| format!(":{column}")).unwrap_or_default();
        writeln!(
            out,
            "{bold}{}:{}{column}{bold:#}: {style}{}[{}]{style:#}: {}",
            place.file,
            place.line,
            severity.as_str(),
            diagnostic.code.id(),
            printable(&diagnostic.message),
        )?;
        match &diagnostic.help {
            Some(help) => writeln!(out, "  help: {}", printable(help)),
            None => Ok(()),
        }
    }

    fn hidden(&self, out: &mut dyn Write, rest: &Hidden<'_>, place: &Place) -> io::Result<()> {
        let code = rest.first.code.id();
        let (file, line) = (&place.file, place.line);
        writeln!(out, "… and {} more {code}, first in {file}:{line}; opdir explain {code}", rest.count)
    }
}

struct Github;

impl Lines for Github {
    fn diagnostic(&self, out: &mut dyn Write, diagnostic: &Diagnostic, place: &Place) -> io::Result<()> {
        let column = place.column.map(|column| format!(",col={column}")).unwrap_or_default();
        let help = diagnostic.help.as_ref().map(|help| format!(" Help: {help}")).unwrap_or_default();
        writeln!(
            out,
            "::{} file={},line={}{column},title={}::{}",
            diagnostic.code.severity().as_str(),
            github_property(&place.file),
            place.line,
            diagnostic.code.id(),
            github_text(&format!("{}{help}", printable(&diagnostic.message))),
        )
    }

    fn hidden(&self, out: &mut dyn Write, rest: &Hidden<'_>, place: &Place) -> io::Result<()> {
        let code = rest.first.code;
        let (file, line, id) = (github_property(&place.file), place.line, code.id());
        writeln!(
            out,
            "::{} file={file},line={line},title={id}::… and {} more {id}; opdir explain {id}",
            code.severity().as_str(),
            rest.count,
        )
    }
}

fn github_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn github_property(text: &str) -> String {
    github_text(text).replace(':', "%3A").replace(',', "%2C")
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    reason: &'static str,
    severity: Severity,
    code: &'static str,
    title: &'static str,
    file: &'a str,
    line: u32,
    column: Option<u32>,
    message: &'a str,
    help: Option<&'a str>,
}

impl<'a> JsonDiagnostic<'a> {
    fn new(diagnostic: &'a Diagnostic, all: &'a Diagnostics) -> Self {
        Self {
            reason: "diagnostic",
            severity: diagnostic.code.severity(),
            code: diagnostic.code.id(),
            title: diagnostic.code.title(),
            file: all.file_name(diagnostic.at.file),
            line: diagnostic.at.line,
            column: diagnostic.column,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct JsonSummary<'a> {
    reason: &'static str,
    errors: usize,
    warnings: usize,
    notes: &'a [String],
}

fn json_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// The long text about a code: its title, why it is a rule, an example, how to mend it.
#[must_use]
pub fn explain(code: &str) -> Option<&'static str> {
    Code::ALL.iter().find(|known| known.id().eq_ignore_ascii_case(code)).map(|known| known.text())
}

/// `1 error`, `2 errors`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A value from the input, quoted, short, and harmless on a terminal.
#[must_use]
pub fn quoted(value: &str) -> String {
    const SHOWN: usize = 60;
    let mut short = String::new();
    for c in snapshot::brief::start(value, SHOWN).chars() {
        match c {
            '"' | '\'' | '\\' => short.push(c),
            _ => short.extend(c.escape_debug()),
        }
    }
    format!("`{short}`")
}

/// Text without characters that a terminal or a log would act on.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The candidate that `word` was probably meant to be.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Whether two different words are one but for a slip of the pen: a letter in words of five and more, two
/// in words of nine and more; case does not count.
#[must_use]
pub fn is_near(word: &str, other: &str) -> bool {
    let length = word.chars().count();
    let allowed = match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    word != other
        && length.abs_diff(other.chars().count()) <= allowed
        && distance(&word.to_lowercase(), &other.to_lowercase()) <= allowed
}

/// Edit distance with neighbouring letters swapped counted as one; long words are like no other.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 40;
    let is_long = |word: &str| word.chars().nth(LONGEST).is_some();
    if is_long(a) || is_long(b) { usize::MAX } else { strsim::osa_distance(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn printed(format: MessageFormat) -> String {
        let mut out = Vec::new();
        report().print(format, &mut out).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn human_output_is_sorted_and_counts_repeats_after_five() {
        let text = printed(MessageFormat::Human);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "a.ndjson:9:4: error[E0601]: 100%");
        assert_eq!(lines[1], "  help: mend it");
        assert_eq!(lines[2], "b,c.csv:1: warning[W0201]: late\u{fffd}[31m");
        assert_eq!(lines[7], "… and 2 more W0201, first in b,c.csv:6; opdir explain W0201");
        assert_eq!(lines[8], "left out: 3 draft programs");
        assert_eq!(lines[9], "1 error, 7 warnings");
        assert_eq!(lines.len(), 10);
    }

    #[test]
    fn github_output_escapes_what_its_syntax_uses() {
        let text = printed(MessageFormat::Github);
        assert!(text.starts_with("::error file=a.ndjson,line=9,col=4,title=E0601::100%25 Help: mend it\n"));
        assert!(text.contains("::warning file=b%2Cc.csv,line=1,title=W0201::"));
        assert!(text.contains("::warning file=b%2Cc.csv,line=6,title=W0201::… and 2 more W0201;"));
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
    fn every_code_is_explained_with_an_example_and_a_fix() {
        for code in Code::ALL {
            let text = explain(code.id()).unwrap();
            assert!(text.starts_with(code.id()), "{text}");
            assert!(text.contains("Example: ") && text.contains("Fix: "), "{text}");
        }
        assert_eq!(explain("E9999"), None);
        assert!(explain("e0601").is_some());
    }

    #[test]
    fn codes_are_unique_and_their_letter_is_their_severity() {
        let ids: std::collections::BTreeSet<&str> = Code::ALL.iter().map(|code| code.id()).collect();
        assert_eq!(ids.len(), Code::ALL.len());
        assert_eq!(Code::BadUrl.severity(), Severity::Error);
        assert_eq!(Code::DatesReversed.severity(), Severity::Warning);
    }

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("sumary", ["slug", "summary"]), Some("summary"));
        assert_eq!(nearest("Programs", ["programs"]), Some("programs"));
        assert_eq!(nearest("nmae", ["name", "slug"]), Some("name"));
        assert_eq!(nearest("budget", ["name", "slug"]), None);
    }
}
