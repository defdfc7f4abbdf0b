//! Words: the one way in which documents and questions are folded, cut into tokens and stemmed.

use std::borrow::Cow;

use pagefind_stem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Tokens are cut here, in bytes; nothing that people search for is longer.
pub const TOKEN_MAX: usize = 64;

/// Lower case, without accents and compatibility forms: `Ñandú` and `ÑANDÚ` are both `nandu`.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        for lower in c.to_lowercase().filter(|c| !is_combining_mark(*c)) {
            match plain(lower) {
                Some(letters) => out.push_str(letters),
                None => out.push(lower),
            }
        }
    }
}

/// Latin letters for letters that decomposition leaves alone, and for the Cyrillic and Greek
/// letters that cannot be told from Latin ones by eye.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ı' | 'і' | 'ι' => "i",
        'а' | 'α' => "a",
        'е' => "e",
        'о' | 'ο' => "o",
        'р' | 'ρ' => "p",
        'с' => "c",
        'у' => "y",
        'х' => "x",
        'ѕ' => "s",
        'ј' => "j",
        'ν' => "v",
        _ => return None,
    })
}

/// Calls `each` with every token of a text, folded. A word such as `lndian`, which nobody writes on
/// purpose, is a capital I that was read as a small L: `each` gets it a second time as `indian`,
/// marked as standing at the same position.
pub fn tokens(text: &str, mut each: impl FnMut(&str, SamePosition)) {
    let mut folded = String::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || is_combining_mark(c))) {
        folded.clear();
        fold_into(word, &mut folded);
        truncate(&mut folded);
        if folded.is_empty() {
            continue;
        }
        each(&folded, SamePosition(false));
        if looks_misread(word, &folded) {
            folded.replace_range(..1, "i");
            each(&folded, SamePosition(true));
        }
    }
}

/// The tokens of a text in order, each position's plain reading.
#[must_use]
pub fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokens(text, |token, SamePosition(same)| {
        if !same {
            words.push(token.to_owned());
        }
    });
    words
}

/// Whether a token is another reading of the token before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamePosition(pub bool);

fn truncate(token: &mut String) {
    if token.len() > TOKEN_MAX {
        let end = (0..=TOKEN_MAX).rev().find(|end| token.is_char_boundary(*end)).unwrap_or(0);
        token.truncate(end);
    }
}

/// No word of English or Spanish starts with a small l and another consonant than l.
fn looks_misread(word: &str, folded: &str) -> bool {
    let second = folded.as_bytes().get(1).copied().unwrap_or(b'a');
    let consonant = second.is_ascii_lowercase() && !b"aeiouyl".contains(&second);
    word.starts_with('l') && consonant && folded.len() >= 5
}

/// Light stemming in both languages of the directory.
pub struct Stems {
    english: Stemmer,
    spanish: Stemmer,
}

impl Default for Stems {
    fn default() -> Self {
        Self { english: Stemmer::create(Algorithm::English), spanish: Stemmer::create(Algorithm::Spanish) }
    }
}

impl Stems {
    /// English stem of a folded token.
    #[must_use]
    pub fn english<'a>(&self, token: &'a str) -> Cow<'a, str> {
        if is_stemmable(token) { self.english.stem(token) } else { Cow::Borrowed(token) }
    }

    /// Spanish stem of a folded token. The stemmer knows endings by their accents, which folding
    /// took away: `-ion` gets its accent back.
    #[must_use]
    pub fn spanish(&self, token: &str) -> String {
        if !is_stemmable(token) {
            return token.to_owned();
        }
        match token.strip_suffix("ion") {
            Some(start) => fold(&self.spanish.stem(&format!("{start}ión"))),
            None => self.spanish.stem(token).into_owned(),
        }
    }
}

/// Short tokens, numbers and codes stand for themselves.
fn is_stemmable(token: &str) -> bool {
    token.len() >= 4 && token.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokens(text, |token, _| found.push(token.to_owned()));
        found
    }

    #[test]
    fn accents_case_and_compatibility_forms_fold_away() {
        assert_eq!(
            all("ASTRONOMÍA y Ñandú, ﬁeld-work №5"),
            ["astronomia", "y", "nandu", "field", "work", "5"]
        );
        assert_eq!(all("Straße cœur"), ["strasse", "coeur"]);
    }

    #[test]
    fn a_mark_without_a_base_an_emoji_and_an_empty_text_give_nothing() {
        assert!(all("\u{301}\u{302} 🎓 …").is_empty());
        assert!(all("").is_empty());
    }

    #[test]
    fn letters_that_look_alike_are_one_letter() {
        assert_eq!(all("lndian"), ["lndian", "indian"]);
        assert_eq!(all("LGBTIQ llamado lyric"), ["lgbtiq", "llamado", "lyric"]);
        assert_eq!(all("сорус"), ["copyc"]);
    }

    #[test]
    fn plural_and_singular_share_a_stem_in_both_languages() {
        let stems = Stems::default();
        assert_eq!(stems.english("nursing"), stems.english("nurses"));
        assert_eq!(stems.spanish("investigacion"), stems.spanish("investigaciones"));
        assert_eq!(stems.spanish("becas"), stems.spanish("beca"));
    }
}
