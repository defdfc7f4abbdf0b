//! Problems of the input: collected while it is read and checked, then printed at once, sorted by `file:line`.
//! A problem is which rule, where, about which value, and how to fix it.

mod codes;
mod print;

use std::borrow::Cow;

use crate::text::{counted, newlines};

pub use codes::{Code, explain};
pub use print::{ErrorSummary, MessageFormat, PrintOptions};

/// An input file; [`Diagnostics`] knows its name.
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

impl Location {
    /// The place behind some bytes that begin here.
    pub(crate) fn below(self, bytes: &[u8]) -> Self {
        Self { line: self.line + newlines(bytes), ..self }
    }
}

/// A problem of a row.
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
    /// How to fix it, where more is known than the rule's own remedy.
    pub help: Option<String>,
    /// The field, as files name it.
    pub field: Option<Cow<'static, str>>,
    /// The value found there. Equal values of a field are reported once, with all their rows.
    pub value: Option<String>,
}

impl Diagnostic {
    /// A problem of a row.
    pub fn new(code: Code, at: Location, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, at, column: None, message, help: None, field: None, value: None }
    }

    /// The same with its field.
    pub fn field(self, field: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// The same with its field and the value found there.
    pub fn value(self, field: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Self { field: Some(field.into()), value: Some(value.into()), ..self }
    }

    /// The same with a way to fix it.
    pub fn help(self, help: impl Into<String>) -> Self {
        self.maybe_help(Some(help.into()))
    }

    /// The same with a way to fix it, if there is one.
    pub fn maybe_help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }
}

/// Problems and notes, and the names of the files that they are in.
#[derive(Debug, Default)]
pub struct Diagnostics {
    files: Vec<String>,
    pub(crate) list: Vec<Diagnostic>,
    pub(crate) notes: Vec<String>,
}

impl Diagnostics {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a file by the name that messages show.
    pub fn add_file(&mut self, name: impl Into<String>) -> FileId {
        self.files.push(name.into());
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The name that messages show.
    pub fn file_name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", String::as_str)
    }

    /// `file:line`.
    pub(crate) fn place(&self, at: Location) -> String {
        format!("{}:{}", self.file_name(at.file), at.line)
    }

    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds problems.
    pub(crate) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.list.extend(diagnostics);
    }

    /// Moves problems, and the places that they name, to where their rows come from. The second function gets each with the
    /// name of the file where it was, to add what is known of its source, and keeps it by `true`.
    pub fn relocate(
        &mut self,
        origin: impl Fn(&str, u32) -> Option<Location>,
        keep: impl Fn(&mut Diagnostic, &str) -> bool,
    ) {
        let files = &self.files;
        let moved = |text: &str| -> String {
            let words = text.split_inclusive(' ').map(|word| {
                let place = word.trim_matches([' ', ',', ';', '(', ')']);
                let at = place.rsplit_once(':').and_then(|(name, line)| origin(name, line.parse().ok()?));
                let shown = at.and_then(|at| Some(format!("{}:{}", files.get(at.file.0 as usize)?, at.line)));
                shown.map_or_else(|| word.to_owned(), |shown| word.replace(place, &shown))
            });
            words.collect()
        };
        self.list.retain_mut(|it| {
            it.message = moved(&it.message);
            it.help = it.help.as_deref().map(moved);
            let name = files.get(it.at.file.0 as usize).map_or("", String::as_str);
            if let Some(at) = origin(name, it.at.line) {
                (it.at, it.column) = (at, None);
            }
            keep(it, name)
        });
    }

    /// Leaves errors alone, if there are any: what is wrong would drown in what may stay so.
    pub fn hold_warnings(&mut self) {
        let count = self.list.len() - self.error_count();
        if (1..self.list.len()).contains(&count) {
            self.list.retain(|it| it.code.is_error());
            self.note(format!("{} left for later, as there are errors", counted(count, "warning")));
        }
    }

    /// Adds a remark that is no problem, such as how many drafts were left out.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Number of problems that stop the build.
    pub fn error_count(&self) -> usize {
        self.list.iter().filter(|it| it.code.is_error()).count()
    }

    /// All problems by file name, line, column and code.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut list: Vec<&Diagnostic> = self.list.iter().collect();
        list.sort_by_key(|d| (self.file_name(d.at.file), d.at.line, d.column, d.code.id()));
        list
    }
}
