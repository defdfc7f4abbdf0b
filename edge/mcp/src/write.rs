//! Appends JSON that is already encoded, and numbers.

/// Appends a text without escaping it.
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends a number.
pub(crate) fn push_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    push(out, itoa::Buffer::new().format(number));
}
