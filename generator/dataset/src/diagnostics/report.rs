//! The problems of one input.

use super::{Diagnostic, FileId, Location, Severity};

/// Problems and notes, and the names of the files that they are in.
#[derive(Debug, Default)]
pub struct Diagnostics {
    files: Vec<String>,
    pub(super) list: Vec<Diagnostic>,
    notes: Vec<String>,
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

    /// Number of problems.
    pub(crate) const fn problem_count(&self) -> usize {
        self.list.len()
    }

    /// Leaves out problems behind the first ones, unless the function wants them.
    pub(crate) fn retain_behind(&mut self, first: usize, is_wanted: impl Fn(&Diagnostic) -> bool) {
        let behind = self.list.split_off(first);
        self.list.extend(behind.into_iter().filter(is_wanted));
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

    /// Adds a remark that is no problem, such as how many drafts were left out.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Remarks that are no problems.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of problems that stop the build.
    pub fn error_count(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Number of problems that do not.
    pub(crate) fn warning_count(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.code.severity() == severity).count()
    }

    /// All problems by file name, line, column and code.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut list: Vec<&Diagnostic> = self.list.iter().collect();
        list.sort_by_key(|d| (self.file_name(d.at.file), d.at.line, d.column, d.code.id()));
        list
    }
}
