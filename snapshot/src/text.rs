//! Words: the one way in which documents and queries are folded and cut into tokens.

use smol_str::SmolStr;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use crate::stem::stems;

/// Tokens are cut here, in bytes; nothing that people search for is longer.
pub const TOKEN_MAX: usize = 64;

/// Lower case, without accents and compatibility forms: `Ñandú` and `ÑANDÚ` are both `nandu`.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// What a name is sorted by: folded, from its first letter or digit on. Quotes, `¿` and `¡` do not count.
pub(crate) fn sort_key(name: &str) -> String {
    fold(name.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

/// A text folded, its words separated by single spaces and without punctuation.
pub fn normalized(text: &str) -> String {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// A text without a comment of HTML at its beginning, which exports of sheets leave there.
pub fn without_comment(text: &str) -> &str {
    let comment = text.trim_start().strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
    comment.map_or(text, |(_, rest)| rest).trim_start()
}

fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        return;
    }
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            // Marks are left out, so that their order does not matter.
            decompose_compatible(c, |c| fold_char(c, out));
        }
    }
}

fn fold_char(c: char, out: &mut String) {
    if is_combining_mark(c) {
        return;
    }
    for lower in c.to_lowercase().filter(|c| !is_combining_mark(*c)) {
        match plain(lower) {
            Some(letters) => out.push_str(letters),
            None => out.push(lower),
        }
    }
}

/// Latin letters for letters that decomposition leaves alone, and for the Cyrillic and Greek
/// letters that look like Latin ones.
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
        'ς' => "σ",
        _ => return None,
    })
}

/// Calls `each` with every token of a text, folded, and with other readings of the same position:
///
/// - `non-profit` and `and/or` are two tokens, and at the second one `nonprofit` and `andor`;
/// - `O'Brien` likewise, while the `s` of `master's` is dropped;
/// - `U.S.`, `Ph.D.` and `R&D` are one token each;
/// - `10,000` is two tokens, and at the second one `10000`; `Deno.js` is `denojs` at its second one;
/// - `C++`, `C#` and `.NET` are tokens with their signs, the last one `net` too.
pub fn tokens(text: &str, mut each: impl FnMut(&str, SamePosition)) {
    let mut chain: Vec<(&str, Joint)> = Vec::new();
    let mut folded = String::new();
    for (word, joint) in words(text) {
        chain.push((word, joint));
        if joint == Joint::None || chain.len() == CHAIN_MAX {
            read_chain(&chain, &mut folded, &mut each);
            chain.clear();
        }
    }
    read_chain(&chain, &mut folded, &mut each);
}

/// Most words that are read as written together.
const CHAIN_MAX: usize = 8;

/// What stands between a word and the next one, when it is one mark and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    Hyphen,
    Dot,
    And,
    Apostrophe,
    Comma,
    None,
}

impl Joint {
    fn new(between: &str) -> Self {
        match between {
            "-" | "/" | "\u{2010}" | "\u{2011}" => Self::Hyphen,
            "." => Self::Dot,
            "&" => Self::And,
            "'" | "\u{2019}" | "\u{2bc}" => Self::Apostrophe,
            "," => Self::Comma,
            _ => Self::None,
        }
    }
}

/// Words as they stand in a text, each with what joins it to the next.
fn words(text: &str) -> impl Iterator<Item = (&str, Joint)> {
    let mut next = text.find(is_part);
    std::iter::from_fn(move || {
        let start = next?;
        let end = start + word_length(&text[start..]);
        next = text[end..].find(is_part).map(|length| end + length);
        let joint = next.map_or(Joint::None, |next| Joint::new(&text[end..next]));
        Some((&text[start - usize::from(is_dotted(text, start))..end], joint))
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// The length of the word at the start of a text: one character of a script without spaces, and `C++` and `C#` whole.
fn word_length(text: &str) -> usize {
    let mut rest = text.chars();
    if rest.next().is_some_and(has_no_spaces) {
        return text.len() - rest.as_str().trim_start_matches(is_combining_mark).len();
    }
    let end = text.find(|c| !is_part(c) || has_no_spaces(c)).unwrap_or(text.len());
    let sign = ["++", "#"].into_iter().find(|sign| end == 1 && text[end..].starts_with(sign));
    let whole = end + sign.map_or(0, str::len);
    if text[whole..].starts_with(is_part) { end } else { whole }
}

/// Whether a period before a word is a part of it, as in `.NET`: no word stands before the period.
fn is_dotted(text: &str, start: usize) -> bool {
    let opens = |before: &str| before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == '(');
    text[..start].strip_suffix('.').is_some_and(opens) && text[start..].starts_with(char::is_alphabetic)
}

/// Whether a character belongs to a script that writes words without spaces between them: Thai, Lao, Burmese, Khmer,
/// Japanese, Chinese. Each character is a token, and a word is found as several in a row.
fn has_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Reads words that are joined by single marks, the longest readings first.
fn read_chain(chain: &[(&str, Joint)], folded: &mut String, each: &mut impl FnMut(&str, SamePosition)) {
    let mut rest = chain;
    while let Some((_, joint)) = rest.first() {
        let run =
            |joined: &dyn Fn(Joint) -> bool| 1 + rest.iter().take_while(|(_, joint)| joined(*joint)).count();
        let initials = run(&|joint| matches!(joint, Joint::Dot | Joint::And)).min(rest.len());
        if are_initials(&rest[..initials]) {
            let whole: String = rest[..initials].iter().map(|(word, _)| *word).collect();
            emit(&whole, folded, each);
            rest = &rest[initials..];
            continue;
        }
        let length = match joint {
            Joint::Hyphen => run(&|joint| joint == Joint::Hyphen),
            Joint::Comma | Joint::Dot => run(&|other| other == *joint),
            Joint::Apostrophe => 2,
            _ => 1,
        };
        let length = length.min(rest.len());
        read_run(&rest[..length], *joint, folded, each);
        rest = &rest[length..];
    }
}

/// Reads words with the same mark between them: each one, and all of them as one where that is a word.
fn read_run(
    run: &[(&str, Joint)],
    joint: Joint,
    folded: &mut String,
    each: &mut impl FnMut(&str, SamePosition),
) {
    let words = run.iter().map(|(word, _)| *word);
    if let (Joint::Apostrophe, [(word, _), ("s" | "S", _)]) = (joint, run) {
        return emit(word, folded, each);
    }
    words.clone().for_each(|word| emit(word, folded, each));
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = match joint {
        Joint::Hyphen | Joint::Apostrophe => !words.clone().all(digits),
        Joint::Dot if run.last().is_some_and(|(word, _)| is_ending(word)) => true,
        Joint::Comma | Joint::Dot => {
            run[0].0.len() <= 3
                && digits(run[0].0)
                && words.clone().skip(1).all(|w| w.len() == 3 && digits(w))
        }
        Joint::And | Joint::None => false,
    };
    let length: usize = words.clone().map(str::len).sum();
    if run.len() > 1 && is_word && length <= TOKEN_MAX {
        folded.clear();
        words.for_each(|word| fold_into(word, folded));
        if !folded.is_empty() && folded.len() <= TOKEN_MAX {
            each(folded, SamePosition(true));
        }
    }
}

/// Whether what stands after a period may end a name, as in `Deno.js`.
fn is_ending(word: &str) -> bool {
    matches!(word.len(), 2..=3) && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Letters that are called one by one: at most two at a time, and somewhere only one.
fn are_initials(run: &[(&str, Joint)]) -> bool {
    let letters = |word: &str| if word.chars().all(char::is_alphabetic) { word.chars().count() } else { 9 };
    run.len() > 1
        && run.iter().all(|(word, _)| letters(word) <= 2)
        && run.iter().any(|(word, _)| letters(word) == 1)
}

fn emit(word: &str, folded: &mut String, each: &mut impl FnMut(&str, SamePosition)) {
    folded.clear();
    fold_into(word, folded);
    folded.truncate(folded.floor_char_boundary(TOKEN_MAX));
    if folded.is_empty() {
        return;
    }
    each(folded, SamePosition(false));
    if let Some(plain) = folded.strip_prefix('.') {
        each(plain, SamePosition(true));
    }
}

/// The tokens of a text in order, each position's plain reading.
pub fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokens(text, |token, SamePosition(same)| {
        if !same {
            words.push(token.to_owned());
        }
    });
    words
}

/// A word of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryWord {
    /// Folded; written together where marks join it.
    pub text: SmolStr,
    /// The words that it is made of, when marks join several; none otherwise.
    pub parts: Vec<String>,
    /// Whether it was typed in capitals.
    pub capitals: bool,
    /// Its stems in English and Spanish.
    pub stems: [SmolStr; 2],
}

/// The words of a query: what marks join is one word.
pub fn query_words(text: &str) -> Vec<QueryWord> {
    let mut typed: Vec<QueryWord> = Vec::new();
    for piece in text.split_whitespace() {
        let letters = || piece.chars().filter(|c| c.is_alphabetic());
        let capitals = letters().count() > 1 && letters().all(char::is_uppercase);
        let from = typed.len();
        let mut whole = None;
        tokens(piece, |token, SamePosition(same)| match same {
            false => typed.push(QueryWord { text: token.into(), capitals, ..QueryWord::default() }),
            true => whole = Some(SmolStr::from(token)),
        });
        let positions = || typed[from..].iter().map(|word| word.text.as_str());
        let joined = |whole: &SmolStr| positions().count() > 1 && positions().collect::<SmolStr>() == *whole;
        if let Some(text) = whole.filter(joined) {
            let parts = positions().map(str::to_owned).collect();
            typed.truncate(from);
            typed.push(QueryWord { text, parts, capitals, ..QueryWord::default() });
        }
        join_characters(&mut typed, from);
        typed[from..].iter_mut().for_each(|word| word.stems = stems(&word.text));
    }
    typed
}

/// Joins the characters of scripts without spaces: documents have to have them in a row.
fn join_characters(typed: &mut Vec<QueryWord>, from: usize) {
    let is_character = |word: &QueryWord| word.text.starts_with(has_no_spaces);
    let characters = typed.split_off(from);
    for run in characters.chunk_by(|word, next| is_character(word) && is_character(next)) {
        for run in run.chunks(CHAIN_MAX) {
            match run {
                [only] => typed.push(only.clone()),
                run => typed.push(QueryWord {
                    text: run.iter().map(|word| word.text.as_str()).collect(),
                    parts: run.iter().map(|word| word.text.to_string()).collect(),
                    ..QueryWord::default()
                }),
            }
        }
    }
}

/// Whether a token is another reading of the token before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamePosition(pub bool);

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokens(text, |token, _| found.push(token.to_owned()));
        found
    }

    #[test]
    fn a_comment_at_the_beginning_is_left_out() {
        assert_eq!(without_comment(" <!--td {}--> A grant"), "A grant");
        assert_eq!(without_comment("A <!-- b --> c"), "A <!-- b --> c");
        assert_eq!(without_comment("<!-- a grant"), "<!-- a grant");
    }

    #[test]
    fn texts_are_read_as_words() {
        for (text, words) in [
            // Accents, case and compatibility forms fold away.
            ("ASTRONOMÍA y Ñandú, ﬁeld-work №5", "astronomia y nandu field work fieldwork 5"),
            ("Straße cœur", "strasse coeur"),
            // A mark without a base, an emoji and an empty text give nothing.
            ("\u{301}\u{302} 🎓 …", ""),
            ("", ""),
            // Letters that look alike are one letter.
            ("сорус", "copyc"),
            // Names with signs are words of their own.
            ("C/C++, C#, F#. (.NET) A+ #1", "c c++ cc++ c# f# .net net a 1"),
            ("Deno.js on nsf.gov. Then", "deno js denojs on nsf gov nsfgov then"),
            ("c#1 c++x ...", "c 1 c x"),
            // Scripts without spaces are read by character.
            ("AI奨学金2027", "ai 奨 学 金 2027"),
            ("ทุนวิจัย", "ท น ว จ ย"),
            // What marks join is read apart and together.
            ("non-profit and/or x", "non profit nonprofit and or andor x"),
            ("the U.S. and a Ph.D. in R&D, e.g.", "the us and a phd in rd eg"),
            ("master's O'Brien students\u{2019} women\u{2019}s", "master o brien obrien students women"),
            ("10,000 2.500 3.14 2021-2027", "10 000 10000 2 500 2500 3 14 2021 2027"),
            ("H-2020 end. Next,then", "h 2020 h2020 end next then"),
        ] {
            assert_eq!(all(text).join(" "), words, "{text}");
        }
        assert_eq!(all("ΟΔΥΣΣΕΥΣ Οδυσσεύς"), vec![all("Οδυσσευσ")[0].clone(); 2]);
        assert_eq!(words_of("state-of-the-art"), ["state", "of", "the", "art"]);
    }

    #[test]
    fn names_sort_from_their_first_letter() {
        let names = [("«Ópera»", "opera»"), ("¿Qué? 3", "que? 3"), ("“3D” print", "3d” print"), ("—", "")];
        for (name, key) in names {
            assert_eq!(sort_key(name), key);
        }
    }

    #[test]
    fn words_of_a_query_know_their_parts_and_capitals() {
        assert_eq!(query_words("C++")[0].text, "c++");
        let words = query_words("AI奨学金 研究");
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!((texts, words[1].parts.join(" ")), (vec!["ai", "奨学金", "研究"], "奨 学 金".to_owned()));
        let found = query_words("non-profit WHO U.S. grants -");
        let texts: Vec<&str> = found.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["nonprofit", "who", "us", "grants"]);
        assert_eq!(found[0].parts, ["non", "profit"]);
        assert_eq!(found.iter().map(|word| word.capitals).collect::<Vec<_>>(), [false, true, true, false]);
    }
}
