//! Groups of equal problems: the same rule for the same value of the same field of one file. They are formed
//! before the output is limited, so that 600 equal mistakes are one problem.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Code, Diagnostic, Diagnostics, FileId, Severity};
use crate::text::printable;

/// Most groups of one code, file and field that are printed; the rest is counted.
const LIMIT_PER_FIELD: usize = 5;
/// How many of its lines a group lists.
const LINES_LISTED: usize = 3;

/// One problem and every row that has it.
pub(super) struct Group<'a> {
    /// As the first row has it.
    pub first: &'a Diagnostic,
    /// Physical lines, in order.
    pub lines: Vec<u32>,
}

/// Groups of one code and file that are counted, not printed.
pub(super) struct Omitted<'a> {
    pub first: &'a Diagnostic,
    pub groups: usize,
}

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
    pub(super) fn severity(&self) -> Severity {
        self.first.code.severity()
    }

    /// The summary of the group, safe to print.
    pub(super) fn summary(&self, report: &Diagnostics) -> ErrorSummary {
        let first = self.first;
        let column = first.column.map(|column| format!(":{column}")).unwrap_or_default();
        ErrorSummary {
            place: format!("{}:{}{column}", printable(report.file_name(first.at.file)), first.at.line),
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
    pub(super) fn help(&self) -> &str {
        self.first.help.as_deref().unwrap_or_else(|| self.first.code.remedy())
    }
}

/// Every group, in the order of their first places.
pub(super) fn groups(report: &Diagnostics) -> Vec<Group<'_>> {
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
pub(super) fn limited(groups: Vec<Group<'_>>, limit: usize) -> (Vec<Group<'_>>, Vec<Omitted<'_>>) {
    let errors = groups.iter().filter(|group| group.severity() == Severity::Error).count();
    let (mut errors_left, mut warnings_left) = (limit, limit.saturating_sub(errors));
    let mut of_field: BTreeMap<(Code, FileId, Option<&str>), usize> = BTreeMap::new();
    let mut omitted: BTreeMap<(Code, FileId), Omitted<'_>> = BTreeMap::new();
    let mut kept = Vec::new();
    for group in groups {
        let (code, file) = (group.first.code, group.first.at.file);
        let same = of_field.entry((code, file, group.first.field.as_deref())).or_default();
        let left = match group.severity() {
            Severity::Error => &mut errors_left,
            Severity::Warning => &mut warnings_left,
        };
        if limit == 0 || (*same < LIMIT_PER_FIELD && *left > 0) {
            *same += 1;
            *left = left.saturating_sub(1);
            kept.push(group);
        } else {
            omitted.entry((code, file)).or_insert(Omitted { first: group.first, groups: 0 }).groups += 1;
        }
    }
    (kept, omitted.into_values().collect())
}

impl Diagnostics {
    /// The first errors, each with all its rows, and how many more groups of errors there are.
    pub fn errors(&self, limit: usize) -> (Vec<ErrorSummary>, usize) {
        let mut errors = groups(self);
        errors.retain(|group| group.severity() == Severity::Error);
        let first = errors.iter().take(limit).map(|group| group.summary(self)).collect();
        (first, errors.len().saturating_sub(limit))
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};

    #[test]
    fn equal_errors_are_one_summary_with_their_rows_and_warnings_are_none() {
        let mut report = Diagnostics::new();
        let file = report.add_file("programs.csv");
        for line in [2, 5, 9] {
            let at = Location { file, line };
            let error = Diagnostic::new(Code::BadPlace, at, "`Narnia`").value("country", "Narnia");
            report.push(error.help("write a code"));
            report.push(Diagnostic::new(Code::DatesReversed, at, "late"));
        }
        report.push(Diagnostic::new(Code::BadUrl, Location { file, line: 7 }, "no address"));
        let (errors, more) = report.errors(1);
        assert_eq!((errors.len(), more), (1, 1));
        assert_eq!(errors[0].place, "programs.csv:2");
        assert_eq!(errors[0].message, "`Narnia` (3 rows: 2, 5, 9)");
        assert_eq!(errors[0].help, "write a code");
    }
}
