//! Texts of messages (counts, quotes, suggestions), names as they are compared and become slugs, and lines of a text.

use serde::Serialize;
use snapshot::text::fold;

/// Most bytes of a slug: with its endings it must stay a file name.
pub(crate) const LONGEST_SLUG: usize = 200;

/// The active codes of ISO 4217 (list one, 2024), without metals, testing and "no currency".
const CURRENCIES: &str = include_str!("currencies.txt");

/// Letters, and how they are written in Latin ones.
const CYRILLIC: &str = "аa бb вv гg дd еe ёe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe юyu яya іi їyi єye ґg јj љlj њnj ћc ђdj џdz ўu қq ғg үu ұu өo әa һh ңn";
const GREEK: &str = "αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo άa έe ήi ίi όo ύy ώo ϊi ϋy ΐi ΰy";

/// A slug from a name: its folded words, joined by hyphens.
pub fn slug_of(name: &str) -> String {
    let mut latin = String::with_capacity(name.len());
    for c in name.to_lowercase().chars() {
        match transliterated(c) {
            Some(letters) => latin.push_str(letters),
            None => latin.push(c),
        }
    }
    let folded = fold(&latin);
    let groups = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|group| !group.is_empty());
    let mut slug = groups.collect::<Vec<_>>().join("-");
    slug.truncate(LONGEST_SLUG);
    slug.trim_end_matches('-').to_owned()
}

/// The Latin letters of a Cyrillic or Greek one.
fn transliterated(c: char) -> Option<&'static str> {
    let mut pairs = [CYRILLIC, GREEK].into_iter().flat_map(str::split_whitespace).filter(|_| !c.is_ascii());
    pairs.find_map(|pair| pair.strip_prefix(c))
}

/// A text without what distinguishes its spellings: capitals and spaces.
pub fn lowered(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a slug has most letters of a name: others are of scripts without a Latin form.
pub(crate) fn is_spelt(name: &str, slug: &str) -> bool {
    let own = name.chars().filter(|c| c.is_alphanumeric()).count();
    slug.bytes().filter(u8::is_ascii_alphanumeric).count() * 2 >= own.min(LONGEST_SLUG)
}

/// A cell of CSV without the guard that our export, as others, puts before what spreadsheets take for a formula.
pub fn unguarded(cell: &str) -> &str {
    let is_formula = |it: &&str| it.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
    cell.strip_prefix('\'').filter(is_formula).unwrap_or(cell)
}

/// The rows below the header of an embedded CSV table, whose cells hold neither commas nor quotes.
pub fn data_rows<const N: usize>(csv: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    csv.lines().skip(1).map(|line| {
        let mut cells = line.split(',');
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    })
}

/// Rows as CSV, with a header. Writing them to memory does not fail.
pub fn csv_of<T: Serialize>(rows: impl IntoIterator<Item = T>) -> String {
    let mut text = ::csv::Writer::from_writer(Vec::new());
    rows.into_iter().for_each(|row| drop(text.serialize(row)));
    String::from_utf8(text.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The ISO 4217 code that a text is.
pub fn currency(text: &str) -> Option<&'static str> {
    CURRENCIES.lines().find(|code| *code == text)
}

/// Number of line ends in the bytes.
pub(crate) fn newlines(bytes: &[u8]) -> u32 {
    // Counted in blocks of at most 255 so that the compiler can count bytes with bytes.
    let blocks = bytes.chunks(255);
    blocks.map(|block| u32::from(block.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>())).sum()
}

/// `1 error`, `2 errors`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `1 of 3 programs has`, `2 of 3 programs have`, from the verb for one and the verb for several.
pub(crate) fn part_of(count: usize, all: usize, noun: &str, verbs: [&str; 2]) -> String {
    format!("{count} of {} {}", counted(all, noun), verbs[usize::from(count != 1)])
}

/// `a program`, `an organization`.
pub(crate) fn with_article(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

/// A value from the input in backticks: cut to 60 characters, with control characters escaped.
pub fn quoted(value: &str) -> String {
    const LONGEST: usize = 60;
    let mut short = String::new();
    for c in snapshot::truncate::at_char(value, LONGEST).chars() {
        match c {
            '"' | '\'' | '\\' => short.push(c),
            _ => short.extend(c.escape_debug()),
        }
    }
    format!("`{short}`")
}

/// Text with its control characters replaced, safe for terminals and logs.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Escapes the syntax of Markdown and HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '@' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// The candidate that `word` is most likely a misspelling of.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?` with the known word nearest to `word`; all known ones after other words if none is near.
pub fn suggestion(word: &str, known: &[&str], otherwise: &str) -> String {
    nearest(word, known.iter().copied())
        .map_or_else(|| format!("{otherwise} {}", known.join(", ")), |near| format!("did you mean `{near}`?"))
}

/// Whether two different words are a few letters apart: one in words of five letters and more, two in words
/// of nine and more. Case does not count.
pub(crate) fn is_near(word: &str, other: &str) -> bool {
    let length = word.chars().count();
    let allowed = match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    };
    word != other
        && length.abs_diff(other.chars().count()) <= allowed
        && distance(&word.to_lowercase(), &other.to_lowercase()) <= allowed
}

/// Edit distance, two swapped neighbours counted as one; infinite for words of more than 40 letters.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 40;
    let is_long = |word: &str| word.chars().nth(LONGEST).is_some();
    if is_long(a) || is_long(b) { usize::MAX } else { strsim::osa_distance(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_currency_codes_are_currencies() {
        for code in ["AED", "EUR", "USD", "XOF", "ZWG"] {
            assert_eq!(currency(code), Some(code));
        }
        for other in ["XXQ", "XTS", "usd", "EUR USD", "Euro", "€", ""] {
            assert_eq!(currency(other), None, "{other}");
        }
        assert!(CURRENCIES.lines().is_sorted() && CURRENCIES.lines().all(|code| code.len() == 3));
    }

    #[test]
    fn a_noun_gets_its_article_a_part_the_verb_of_its_number_and_the_whole_its_noun() {
        assert_eq!(["program", "organization"].map(with_article), ["a program", "an organization"]);
        let parts = [(1, 1), (1, 3), (2, 3), (0, 1)]
            .map(|(part, all)| part_of(part, all, "program", ["has", "have"]));
        let expected =
            ["1 of 1 program has", "1 of 3 programs has", "2 of 3 programs have", "0 of 1 program have"];
        assert_eq!(parts, expected);
    }

    #[test]
    fn a_misspelt_name_is_found_and_another_name_is_not() {
        assert_eq!(nearest("sumary", ["slug", "summary"]), Some("summary"));
        assert_eq!(nearest("Programs", ["programs"]), Some("programs"));
        assert_eq!(nearest("nmae", ["name", "slug"]), Some("name"));
        assert_eq!(nearest("budget", ["name", "slug"]), None);
    }
}
