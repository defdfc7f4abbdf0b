//! Texts that are too long for where they are shown.

use std::borrow::Cow;

/// The first `most` characters, with a mark when more were there: untrusted text is shown unchanged up to
/// the cut.
pub fn at_char(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// At most `most` characters of a text, whole words where it has any, with a mark when more were there.
pub fn at_word(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(end, _)| end);
    let words = text[..end].rfind(char::is_whitespace).filter(|space| *space > end / 2);
    let kept = text[..words.unwrap_or(end)].trim_end_matches([',', ';', ':', '.', ' ']).trim_end();
    Cow::Owned(format!("{kept}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_marked() {
        assert_eq!(at_word("one two three", 13), "one two three");
        assert_eq!(at_word("one two three", 12), "one two…");
        assert_eq!(at_word("one two, three", 11), "one two…");
        assert_eq!(at_word("ñññññ", 4), "ñññ…");
        assert_eq!(at_word("a bbbbbbbbbb", 8), "a bbbbb…");
        assert_eq!(at_word("", 0), "");
    }

    #[test]
    fn what_was_typed_is_shown_to_the_letter_as_far_as_it_goes() {
        assert_eq!(at_char("one, two", 8), "one, two");
        assert_eq!(at_char("one, two", 4), "one,…");
        assert_eq!(at_char("éé", 1), "é…");
    }
}
