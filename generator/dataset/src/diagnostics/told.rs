//! Errors in plain words and without a terminal's colours, for those who show them elsewhere.

use serde::Serialize;

use super::groups::{Group, groups};
use super::{Diagnostics, Severity, printable};

/// An error, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// `file:line`, or with the column where that is known.
    pub place: String,
    /// Its code.
    pub code: &'static str,
    /// What is wrong, and in which rows.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostics {
    /// The first errors, each told once with all its rows, and how many kinds there are besides.
    #[must_use]
    pub fn errors(&self, limit: usize) -> (Vec<Told>, usize) {
        let is_error = |group: &Group<'_>| group.first.code.severity() == Severity::Error;
        let errors: Vec<Group<'_>> = groups(self).into_iter().filter(is_error).collect();
        let told = errors.iter().take(limit).map(|group| self.told_of(group)).collect();
        (told, errors.len().saturating_sub(limit))
    }

    fn told_of(&self, group: &Group<'_>) -> Told {
        let first = group.first;
        let column = first.column.map(|column| format!(":{column}")).unwrap_or_default();
        Told {
            place: format!("{}:{}{column}", printable(self.file_name(first.at.file)), first.at.line),
            code: first.code.id(),
            message: format!("{}{}", printable(&first.message), group.rows()),
            help: group.help().map(|help| printable(&help)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};

    #[test]
    fn errors_are_told_once_with_their_rows_and_warnings_are_not() {
        let mut report = Diagnostics::new();
        let file = report.add_file("programs.csv");
        for line in [2, 5, 9] {
            let at = Location { file, line };
            report.push(
                Diagnostic::new(Code::BadPlace, at, "`Narnia`")
                    .about("country", "Narnia")
                    .help("write a code"),
            );
            report.push(Diagnostic::new(Code::DatesReversed, at, "late"));
        }
        report.push(Diagnostic::new(Code::BadUrl, Location { file, line: 7 }, "no address"));
        let (told, more) = report.errors(1);
        assert_eq!(more, 1);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].place, "programs.csv:2");
        assert_eq!(told[0].message, "`Narnia` (3 rows: 2, 5, 9)");
        assert_eq!(told[0].help.as_deref(), Some("write a code"));
    }
}
