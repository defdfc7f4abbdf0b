//! The values that common words of cells and of names of columns stand for.

use std::collections::HashMap;
use std::sync::LazyLock;

use dataset::text::data_rows;
use snapshot::text::fold;

/// The value of a list of `words.csv` that a word stands for, in whatever case and accents.
pub(super) fn value_of(list: &str, word: &str) -> Option<&'static str> {
    find_word(list, &fold(word))
}

/// Whether a cell stands for no value.
pub(super) fn is_empty_mark(text: &str) -> bool {
    text.is_empty() || value_of("empty", text).is_some()
}

/// Whether a column's name is one of keys.
pub(super) fn is_key(column: &str) -> bool {
    find_word("key", &key_of(column)).is_some()
}

/// The value of a list that a folded word, sign or phrase stands for.
pub(super) fn find_word(list: &str, word: &str) -> Option<&'static str> {
    static WORDS: LazyLock<HashMap<(&str, &str), &str>> = LazyLock::new(|| {
        let files = [include_str!("vocabulary/words.csv"), include_str!("vocabulary/money.csv")];
        files
            .into_iter()
            .flat_map(data_rows)
            .flat_map(|[list, value, words]| words.split('|').map(move |it| ((list, it), value)))
            .collect()
    });
    WORDS.get(&(list, word)).copied()
}

/// A column's name for comparison: its letters and digits, without case and accents.
pub(super) fn key_of(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}
