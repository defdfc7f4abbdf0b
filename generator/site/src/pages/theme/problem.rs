//! Faults of an operator's folder: file, line, description and suggestion.

use std::fmt;

use dataset::text::nearest;

/// A fault of a theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeProblem {
    file: String,
    line: Option<usize>,
    what: String,
    help: Option<String>,
}

impl ThemeProblem {
    pub(super) fn new(file: &str, line: Option<usize>, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into(), help: None }
    }

    /// The same fault in another file and line.
    pub(super) fn at(mut self, file: &str, line: Option<usize>) -> Self {
        file.clone_into(&mut self.file);
        self.line = line;
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the known word nearest to `word`, else lists a few known words.
    pub(super) fn known<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        const LISTED_MAX: usize = 24;
        let known: Vec<&str> = known.into_iter().collect();
        if let Some(near) = nearest(word, known.iter().copied()) {
            return self.help(format!("did you mean `{near}`?"));
        }
        if known.is_empty() {
            return self;
        }
        let more = if known.len() > LISTED_MAX { " …" } else { "" };
        let listed: Vec<String> = known.iter().take(LISTED_MAX).map(|known| format!("`{known}`")).collect();
        self.help(format!("known are {}{more}", listed.join(", ")))
    }
}

impl fmt::Display for ThemeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, "\n  help: {help}"))
    }
}
