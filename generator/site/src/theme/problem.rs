//! Faults of an operator's folder: file, line, description and suggestion.

use std::fmt::Display;
use std::path::PathBuf;

use dataset::text::suggestion;
use minijinja::Error;

/// A fault of a theme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ThemeProblem(String);

impl ThemeProblem {
    pub(super) fn new(file: &str, line: Option<usize>, what: impl Display) -> Self {
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        Self(format!("{file}{line}: {what}"))
    }

    pub(super) fn help(self, help: impl Display) -> Self {
        Self(format!("{self}\n  help: {help}"))
    }

    /// Suggests the known word nearest to `word`, else lists all known words.
    pub(super) fn known<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        if known.is_empty() { self } else { self.help(suggestion(word, &known, "known are")) }
    }
}

/// Why templates or words cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// A file of the operator's folder cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The operator's folder has faults.
    #[error("{} in the theme {}:\n{}", dataset::text::counted(.1.len(), "fault"), .0.display(), listed(.1))]
    Faults(PathBuf, Vec<ThemeProblem>),
    /// A new theme would overwrite a file.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The program has no file of this name to copy; the nearest name, or all of them.
    #[error("the program has no file `{0}`; {1}")]
    NoFile(String, String),
    /// A file of a new theme cannot be written.
    #[error("{}: {}", .0.display(), .1)]
    Unwritable(PathBuf, #[source] std::io::Error),
    /// A template is wrong.
    #[error("{}", html::templates::with_location(.0))]
    Template(#[from] Error),
}

fn listed(faults: &[ThemeProblem]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
