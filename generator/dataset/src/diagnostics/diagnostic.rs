//! One problem: which rule, where, about which value, and how to fix it.

use std::borrow::Cow;

use super::Code;

/// An input file; [`super::Diagnostics`] knows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

/// Where a row starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// In which file.
    pub file: FileId,
    /// Physical line, from 1.
    pub line: u32,
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
