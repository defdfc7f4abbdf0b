//! `opdir check --fix`: writes into the files what was understood anyway. Bytes are spliced: everything
//! outside the mended cells stays as it is, separators, quotes, marks and line ends included.

mod csv;
mod json;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::files::{ImportError, replace};
use dataset::diagnostics::{Diagnostics, Edit, Safety};
use dataset::text::counted;

pub use csv::csv;
pub use json::{json, raw_text};

/// An edit and the line of the row that it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Physical line, from 1.
    pub line: u32,
    /// What is written where.
    pub edit: Edit,
}

impl Change {
    /// One value for another.
    #[must_use]
    pub fn value(line: u32, field: &str, from: &str, to: &str) -> Self {
        Self { line, edit: Edit::value(field, from, to) }
    }
}

/// What would be written: files with what they hold now and then.
#[derive(Debug, Default)]
pub struct FixedFiles {
    files: Vec<(PathBuf, Vec<u8>, Vec<u8>)>,
    /// How many problems are mended.
    pub problems: usize,
    /// How many more `--unsafe` would mend.
    pub more: usize,
    /// Files that are left alone, for they are not UTF-8, and how many problems they have.
    left: Vec<(PathBuf, usize)>,
}

impl FixedFiles {
    /// What mends the problems of a report, as far as allowed.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn plan(report: &Diagnostics, most: Safety) -> Result<Self, ImportError> {
        let mut mended = Self::default();
        let mut changes: BTreeMap<&str, (usize, Vec<Change>)> = BTreeMap::new();
        for told in report.sorted() {
            let Some(fix) = &told.fix else { continue };
            if fix.safety > most {
                mended.more += 1;
                continue;
            }
            let edits = fix.edits.iter().map(|edit| Change { line: told.at.line, edit: edit.clone() });
            let of_file = changes.entry(report.file_name(told.at.file)).or_default();
            of_file.0 += 1;
            of_file.1.extend(edits);
        }
        for (name, (problems, mut changes)) in changes {
            changes.sort();
            changes.dedup();
            let path = PathBuf::from(name);
            let before = std::fs::read(&path).map_err(|error| ImportError::input(&path, error))?;
            if std::str::from_utf8(&before).is_err() {
                mended.left.push((path, problems));
                continue;
            }
            mended.problems += problems;
            let after = spliced(&path, &before, &changes);
            if after != before {
                mended.files.push((path, before, after));
            }
        }
        Ok(mended)
    }

    /// Whether nothing would be written.
    #[must_use]
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
    #[must_use]
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

    /// What was left alone, a line each.
    #[must_use]
    pub fn skipped(&self) -> Vec<String> {
        let told = |(path, problems): &(PathBuf, usize)| {
            let problems = counted(*problems, "problem");
            format!("{}: {problems} left alone: it is not UTF-8; save it so, and try again", path.display())
        };
        self.left.iter().map(told).collect()
    }

    /// `mended 600 problems in 1 file; --unsafe mends 2 more`.
    #[must_use]
    pub fn summary(&self) -> String {
        let more = match self.more {
            0 => String::new(),
            more => format!("; --unsafe mends {more} more, which somebody should look at"),
        };
        let (problems, files) = (counted(self.problems, "problem"), counted(self.files.len(), "file"));
        if self.is_empty() {
            format!("nothing to mend{more}")
        } else {
            format!("mended {problems} in {files}{more}")
        }
    }
}

/// A file's bytes with changes in them. What is not UTF-8 is left alone.
fn spliced(path: &Path, bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => csv(bytes, changes),
        Some("json" | "ndjson" | "jsonl") => json(bytes, changes),
        _ => bytes.to_vec(),
    }
}

/// Puts texts in the places of ranges; of ranges that overlap the first wins.
fn splice(text: &str, mut parts: Vec<(std::ops::Range<usize>, String)>) -> String {
    parts.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (range, new) in parts {
        if range.start < kept {
            continue;
        }
        out.push_str(text.get(kept..range.start).unwrap_or_default());
        out.push_str(&new);
        kept = range.end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests;
