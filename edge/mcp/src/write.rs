//! Appends JSON that is already encoded.

use std::fmt::Display;
use std::io::Write as _;

/// Appends a text without escaping it.
pub(crate) fn push(out: &mut Vec<u8>, text: impl Display) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{text}");
}
