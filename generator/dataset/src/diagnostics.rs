//! Every problem of the input, collected and printed at once, sorted by `file:line`.

mod codes;
mod groups;
mod print;
mod sarif;
mod told;

use std::borrow::Cow;

use serde::Serialize;

pub use codes::Code;
pub use print::{MessageFormat, Telling};
pub use told::Told;

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
    /// The field that it is about, as files name it.
    pub field: Option<Cow<'static, str>>,
    /// What stands there; what is wrong in many rows is told once for each value.
    pub value: Option<String>,
    /// What would have to be written instead, where that can be said.
    pub fix: Option<Fix>,
}

/// Whether a fix keeps what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// It does: there is one reading.
    Safe,
    /// It is the likeliest reading; somebody should look.
    Unsafe,
}

/// What would mend a problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fix {
    /// Whether that keeps what was meant.
    pub safety: Safety,
    /// What is written where.
    pub edits: Vec<Edit>,
}

/// A value that takes another one's place in a row. The bytes around it stay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Edit {
    /// Of which field.
    pub field: String,
    /// What stands there, or is an item of the list that stands there; nothing when the field is absent
    /// or empty.
    pub from: Option<String>,
    /// What should; of a column, its name.
    pub to: String,
    /// Whether it is the column's name that changes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub header: bool,
}

impl Fix {
    /// One value for another.
    pub fn value(safety: Safety, field: impl Into<String>, from: &str, to: &str) -> Self {
        Self { safety, edits: vec![Edit::value(field, from, to)] }
    }
}

impl Edit {
    /// One value for another.
    pub fn value(field: impl Into<String>, from: &str, to: &str) -> Self {
        Self { field: field.into(), from: Some(from.to_owned()), to: to.to_owned(), header: false }
    }

    /// A value where there is none.
    pub fn insert(field: impl Into<String>, to: &str) -> Self {
        Self { field: field.into(), from: None, to: to.to_owned(), header: false }
    }

    /// Another name for a column.
    pub fn header(from: &str, to: &str) -> Self {
        Self { field: from.to_owned(), from: Some(from.to_owned()), to: to.to_owned(), header: true }
    }
}

impl Diagnostic {
    /// A problem at a row.
    pub fn new(code: Code, at: Location, message: impl Into<String>) -> Self {
        Self {
            code,
            at,
            column: None,
            message: message.into(),
            help: None,
            field: None,
            value: None,
            fix: None,
        }
    }

    /// The same with the field that it is about.
    #[must_use]
    pub fn of(self, field: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// The same with the field that it is about, and what stands there.
    #[must_use]
    pub fn about(self, field: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Self { field: Some(field.into()), value: Some(value.into()), ..self }
    }

    /// The same with what would mend it.
    #[must_use]
    pub fn fix(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
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

    /// Adds what another report found, and its files.
    pub fn append(&mut self, other: &Self) {
        let before = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        self.files.extend(other.files.iter().cloned());
        self.list.extend(other.list.iter().cloned().map(|mut diagnostic| {
            diagnostic.at.file = FileId(diagnostic.at.file.0.saturating_add(before));
            diagnostic
        }));
        self.notes.extend(other.notes.iter().cloned());
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

/// `a program`, `an organization`.
#[must_use]
pub fn one(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

/// A value from the input, quoted, short, and harmless on a terminal.
#[must_use]
pub fn quoted(value: &str) -> String {
    const SHOWN: usize = 60;
    let mut short = String::new();
    for c in snapshot::truncate::at_char(value, SHOWN).chars() {
        match c {
            '"' | '\'' | '\\' => short.push(c),
            _ => short.extend(c.escape_debug()),
        }
    }
    format!("`{short}`")
}

/// Text without characters that a terminal or a log would act on.
pub fn printable(text: &str) -> String {
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
    fn a_noun_has_the_article_that_it_is_spoken_with() {
        assert_eq!(
            (one("program"), one("organization")),
            ("a program".to_owned(), "an organization".to_owned())
        );
        assert_eq!((one("award"), one("recipient")), ("an award".to_owned(), "a recipient".to_owned()));
    }

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("sumary", ["slug", "summary"]), Some("summary"));
        assert_eq!(nearest("Programs", ["programs"]), Some("programs"));
        assert_eq!(nearest("nmae", ["name", "slug"]), Some("name"));
        assert_eq!(nearest("budget", ["name", "slug"]), None);
    }
}
