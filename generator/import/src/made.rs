//! What a cell makes: a value and what is noted beside it, or what is wrong.

use std::fmt::Display;

use serde_json::Value;

use crate::mapping::{self, Source};
use crate::vocabulary::is_empty_mark;
use dataset::diagnostics::Code;
use dataset::text::quoted;

/// Why a cell makes no value.
pub(super) struct Wrong {
    pub code: Code,
    pub message: String,
    pub help: String,
    /// Whether the cell is a text that a note may keep.
    pub is_unread: bool,
}

pub(super) fn wrong(code: Code, message: impl Into<String>, help: impl Into<String>) -> Wrong {
    Wrong { code, message: message.into(), help: help.into(), is_unread: false }
}

/// Why a cell has a value that the field does not take.
pub(super) fn bad(message: impl Into<String>, help: impl Into<String>) -> Wrong {
    wrong(Code::BadValue, message, help)
}

/// Why a field does not take the text of a cell, which the message begins with.
pub(super) fn refused(field: &str, text: &str, what: impl Display, help: impl Into<String>) -> Wrong {
    bad(format!("`{field}` is {}{what}", quoted(text)), help)
}

/// Why a cell has words that are not understood.
pub(super) fn unread(field: &str, text: &str, what: impl Display, help: impl Into<String>) -> Wrong {
    let empty = || format!("list it in its source: empty = [{}]", mapping::quoted(text));
    let empty = is_empty_mark(text).then(|| refused(field, text, ", which stands for nothing", empty()));
    Wrong { is_unread: true, ..empty.unwrap_or_else(|| refused(field, text, what, help)) }
}

/// A value, and what is to be noted beside it.
#[derive(Default)]
pub(super) struct Made {
    pub value: Value,
    pub note: Option<String>,
    /// Of a sum.
    pub currency: Option<String>,
    /// The text of a sum that is more than one number, such as a range.
    pub text: Option<String>,
    /// What a sum is counted as, and what became of it, where people should know: it has no place where it could be shown, or
    /// nothing but the field shows its currency.
    pub counted: Option<(&'static str, &'static str)>,
    /// Whether another field has the sum.
    pub is_elsewhere: bool,
}

/// What a cell makes, or why it makes nothing.
pub(super) type Read = Result<Made, Wrong>;

pub(super) fn no_number(field: &str, text: &str, source: &Source) -> Wrong {
    let (what, help) = match source.numbers {
        None => (", expected a number".into(), "declare its form: numbers = \"1.234,56\" or \"1,234.56\""),
        Some(form) => (
            format!(", which is not written as `numbers = \"{form}\"` says"),
            "correct it in the source; or, if most are written so, correct `numbers`",
        ),
    };
    Wrong { code: Code::Separators, ..refused(field, text, what, help) }
}
