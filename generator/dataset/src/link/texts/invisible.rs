//! Invisible characters, letters lost in wrong conversions, and HTML tags in texts.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Windows-1252 from 80 to 9F; undefined bytes stand for themselves. Decoded as Latin-1, its letters become controls.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Whether the text may contain any of the characters below: a quick check of leading bytes, never wrongly false.
pub(super) fn may_contain(text: &str) -> bool {
    text.bytes().any(|byte| {
        (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'))
            || matches!(byte, 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf0 | 0xf3)
    })
}

/// C0 without TAB LF CR, DEL, C1, Unicode's `Default_Ignorable_Code_Point` (which holds `Bidi_Control`, the
/// tags and the variation selectors) and the interlinear marks. The two joiners are wanted, which spell words in
/// Persian and Hindi and join emoji, and the selector of emoji.
pub(super) const fn is_unwanted(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// `U+200B, U+E0041 …`: at most three of the characters.
pub(super) fn listed(unwanted: &BTreeSet<char>) -> String {
    let names: Vec<String> = unwanted.iter().take(3).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if unwanted.len() > names.len() { " …" } else { "" };
    format!("{}{more}", names.join(", "))
}

/// The text with UTF-8 restored that was decoded as Latin-1: `â`, U+0080, U+0099 are the bytes of `’`. Only
/// where a control is among them, which is never typed; borrowed if there is none.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    for (start, c) in text.char_indices() {
        if start < kept {
            continue;
        }
        if let Some((letter, end)) = misread(&text[start..], c) {
            out.push_str(&text[kept..start]);
            out.push(letter);
            kept = start + end;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The letter whose UTF-8, decoded as Latin-1, the text starts with, and where that ends.
fn misread(text: &str, first: char) -> Option<(char, usize)> {
    let length = match u32::from(first) {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let start: Vec<char> = text.chars().take(length).collect();
    if !start.iter().any(|c| matches!(c, '\u{80}'..='\u{9f}')) {
        return None;
    }
    let bytes: Vec<u8> = start.iter().map(|c| u8::try_from(u32::from(*c))).collect::<Result<_, _>>().ok()?;
    let letter = std::str::from_utf8(&bytes).ok()?.chars().next().filter(|c| !is_unwanted(*c))?;
    Some((letter, start.iter().map(|c| c.len_utf8()).sum()))
}

/// A control that was a letter before Windows-1252 was decoded as Latin-1, and the letter.
pub(super) fn lost_letter(text: &str) -> Option<(char, char)> {
    let lost = |c: char| {
        let position = u32::from(c).checked_sub(0x80)?;
        let letter = *WINDOWS_1252.get(position as usize)?;
        (letter != c).then_some((c, letter))
    };
    text.chars().find_map(lost)
}

/// The first HTML tag or comment of a text.
pub(super) fn html_tag(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(start, _)| {
        let rest = &text[start..];
        let end = rest.find('>')?;
        let inside = rest[1..end].strip_prefix('/').unwrap_or(&rest[1..end]);
        let name = inside.split([' ', '\t', '\n', '/']).next().unwrap_or_default();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        ((is_name || inside.starts_with("!--")) && !inside.contains('<')).then(|| &rest[..=end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_8_decoded_as_latin_1_is_restored() {
        assert_eq!(decoded("world\u{e2}\u{80}\u{99}s \u{c3}\u{89}cole"), "world’s École");
        for other in ["plain", "señor «ok»", "P \u{80} Two", "Ã©", "Â\u{20ac}\u{9d}"] {
            assert_eq!(decoded(other), other);
        }
    }

    #[test]
    fn a_letter_that_became_a_control_is_found() {
        assert_eq!(lost_letter("P \u{80} Two"), Some(('\u{80}', '€')));
        assert_eq!(lost_letter("\u{93}x\u{94}"), Some(('\u{93}', '“')));
        assert_eq!(lost_letter("\u{81}\u{9d}\u{7f}€"), None);
    }

    #[test]
    fn html_tags_differ_from_comparison_signs() {
        assert_eq!(html_tag("a <b>bold</b>"), Some("<b>"));
        assert_eq!(html_tag("x < y </p>"), Some("</p>"));
        assert_eq!(html_tag("<a href=\"x\">"), Some("<a href=\"x\">"));
        assert_eq!(html_tag("<!-- td {width: 1px} -->Burial"), Some("<!-- td {width: 1px} -->"));
        for none in "a < b > c|<https://a.example>|<me@a.example>|1<2|<3 >|<b|<-- see >|a <! b>".split('|') {
            assert_eq!(html_tag(none), None, "{none}");
        }
    }

    #[test]
    fn the_quick_check_finds_every_unwanted_character() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| is_unwanted(*c)) {
            assert!(may_contain(c.encode_utf8(&mut [0; 4])), "U+{:04X}", u32::from(c));
        }
    }
}
