//! `opdir check --fix`: applies the fixes of diagnostics to files. Only the bytes of the fixed cells change;
//! separators, quotes, byte order marks and line ends stay.

mod change;
mod csv;
mod json;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files::{ImportError, replace};
use dataset::diagnostics::{Diagnostics, Safety};
use dataset::text::counted;

use change::Change;
use csv::csv;
use json::{json, text_of};

/// The bytes of a JSON file of one object, on a line, with another text in a field.
pub fn replace_text(bytes: &[u8], line: u32, field: &str, text: &str) -> Vec<u8> {
    json(bytes, &[Change::value(line, field, &text_of(bytes, field), text)])
}

/// Files before and after their fixes.
#[derive(Debug, Default)]
pub struct FixedFiles {
    files: Vec<(PathBuf, Vec<u8>, Vec<u8>)>,
    /// Number of problems fixed.
    pub problems: usize,
    /// Number of problems that `--unsafe` would also fix.
    pub more: usize,
    /// Files that are skipped because they are not UTF-8, and their numbers of problems.
    left: Vec<(PathBuf, usize)>,
}

impl FixedFiles {
    /// The fixes of a report up to a safety.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn plan(report: &Diagnostics, most: Safety) -> Result<Self, ImportError> {
        let mut fixed = Self::default();
        let mut changes: BTreeMap<&str, (usize, Vec<Change>)> = BTreeMap::new();
        for problem in report.sorted() {
            let Some(fix) = &problem.fix else { continue };
            if fix.safety > most {
                fixed.more += 1;
                continue;
            }
            let edits = fix.edits.iter().map(|edit| Change { line: problem.at.line, edit: edit.clone() });
            let of_file = changes.entry(report.file_name(problem.at.file)).or_default();
            of_file.0 += 1;
            of_file.1.extend(edits);
        }
        for (name, (problems, mut changes)) in changes {
            changes.sort();
            changes.dedup();
            let path = PathBuf::from(name);
            let before = std::fs::read(&path).map_err(|error| ImportError::input(&path, error))?;
            if std::str::from_utf8(&before).is_err() {
                fixed.left.push((path, problems));
                continue;
            }
            fixed.problems += problems;
            let after = spliced(&path, &before, &changes);
            if after != before {
                fixed.files.push((path, before, after));
            }
        }
        Ok(fixed)
    }

    /// Whether nothing would be written.
    pub const fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes the files, each whole or not at all.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn write(&self) -> Result<(), ImportError> {
        self.files.iter().try_for_each(|(path, _, after)| replace(path, after))
    }

    /// The lines that change, as `diff -u` shows them.
    pub fn diff(&self) -> String {
        let mut text = String::new();
        for (path, before, after) in &self.files {
            let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
            let name = path.display().to_string();
            let lines = similar::TextDiff::from_lines(before.as_ref(), after.as_ref());
            text.push_str(&lines.unified_diff().context_radius(1).header(&name, &name).to_string());
        }
        text
    }

    /// A line for each skipped file.
    pub fn skipped(&self) -> Vec<String> {
        let line = |(path, problems): &(PathBuf, usize)| {
            let problems = counted(*problems, "problem");
            format!(
                "{}: {problems} skipped: the file is not UTF-8; save it as UTF-8 and try again",
                path.display()
            )
        };
        self.left.iter().map(line).collect()
    }

    /// `fixed 600 problems in 1 file; --unsafe fixes 2 more`.
    pub fn summary(&self) -> String {
        let more = match self.more {
            0 => String::new(),
            more => format!("; --unsafe fixes {more} more, which need review"),
        };
        let (problems, files) = (counted(self.problems, "problem"), counted(self.files.len(), "file"));
        if self.is_empty() {
            format!("nothing to fix{more}")
        } else {
            format!("fixed {problems} in {files}{more}")
        }
    }
}

/// A file's bytes with changes in them. Bytes that are not UTF-8 stay.
fn spliced(path: &Path, bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => csv(bytes, changes),
        Some("json" | "ndjson" | "jsonl") => json(bytes, changes),
        _ => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests;
