//! Texts as pages have them: phrases filled in, escaped for HTML and XML, and numbers with their thousands grouped.

use std::fmt::{self, Write};

use crate::record::Locale;

/// A phrase with each `{name}` replaced.
pub fn phrase(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for part in text.split('}') {
        let (before, name) = part.split_once('{').unwrap_or((part, ""));
        out.push_str(before);
        out.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
    }
    out
}

/// A number with its thousands set apart: `12,345`; in Spanish `12 345`, and not below five digits.
pub fn grouped(number: u64, locale: Locale) -> String {
    let digits = number.to_string();
    let (separator, least) = match locale {
        Locale::En => (',', 4),
        Locale::Es => ('\u{202f}', 5),
    };
    if digits.len() < least {
        return digits;
    }
    let mut out = String::with_capacity(32);
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// Writes a text escaped for HTML and XML, also fit for attribute values. Unlike the template engine's own formatter, it
/// does not escape slashes, and drops control characters, which no XML document may hold.
///
/// # Errors
///
/// If it cannot be written.
pub fn push_escaped(out: &mut impl Write, text: &str) -> fmt::Result {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            0..=8 | 11 | 12 | 14..=31 | 127 => "",
            _ => continue,
        };
        out.write_str(&text[from..at])?;
        out.write_str(reference)?;
        from = at + 1;
    }
    out.write_str(&text[from..])
}

/// The same as a string.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    // A string takes any text.
    let _ = push_escaped(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped_as_each_language_does() {
        assert_eq!(grouped(999, Locale::En), "999");
        assert_eq!(grouped(1_234_567, Locale::En), "1,234,567");
        assert_eq!(grouped(1234, Locale::Es), "1234");
        assert_eq!(grouped(12_345, Locale::Es), "12\u{202f}345");
    }

    #[test]
    fn markup_in_a_text_is_escaped() {
        assert_eq!(escaped("\"><img onerror='x'>&\u{8}"), "&quot;&gt;&lt;img onerror=&#39;x&#39;&gt;&amp;");
    }
}
