//! Sums of money as people write them: numbers, what currency they may be in, and what stands around them. A word that is
//! not known is an error, so that no sign is dropped.

use crate::mapping::NumberForm;
use crate::vocabulary::{find_word, value_of};
use dataset::text::currency;

/// Currencies that a sign or a word may stand for.
pub(super) type Codes = Vec<String>;

/// What shows the currency of a sum: a description, and the currencies that are possible.
pub(super) type Evidence = (String, Codes);

/// A sum or a range.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub least: Option<f64>,
    pub most: Option<f64>,
    pub currency: Option<Codes>,
    /// Whether it is paid by the hour, month or other time.
    pub is_rate: bool,
    pub is_scaled: bool,
}

impl Sum {
    pub(super) fn of(number: f64) -> Self {
        Self { least: Some(number), most: Some(number), ..Self::default() }
    }
}

/// The currencies that all evidence allows; the error names two that exclude each other.
pub(super) fn agreed(mut evidence: impl Iterator<Item = Evidence>) -> Result<Option<Codes>, String> {
    let Some((before, mut known)) = evidence.next() else { return Ok(None) };
    for (what, codes) in evidence {
        if !known.iter().any(|code| codes.contains(code)) {
            return Err(format!("{before} shows {}, {what} {}", known.join("|"), codes.join("|")));
        }
        known.retain(|code| codes.contains(code));
    }
    Ok(Some(known))
}

/// Codes of currencies that are English words in capitals.
const WORDS: [&str; 2] = ["ALL", "TOP"];

/// The currencies of a word, a sign or a code; rarer codes only in capitals.
pub(super) fn codes(word: &str) -> Option<Codes> {
    let known = value_of("currency", word).or_else(|| find_word("currency", word));
    let known = known.or_else(|| currency(word).filter(|code| !WORDS.contains(code)));
    known.map(|codes| codes.split('|').map(str::to_owned).collect())
}

/// The currency that a number format shows, as `$€-407` or `$`.
pub(super) fn of_format(format: &str) -> Option<String> {
    let first = format.split(';').next().unwrap_or_default();
    if let Some((_, rest)) = first.split_once("[$") {
        let inner = rest.split(']').next().unwrap_or_default();
        let sign = inner.split('-').next().unwrap_or_default();
        let exact = codes(&format!("${}", inner.to_lowercase())).map(|codes| codes[0].clone());
        return exact.or_else(|| (!sign.trim().is_empty()).then(|| sign.trim().to_owned()));
    }
    words(&first.replace(['"', '\\', '_', '*'], "")).into_iter().find(|word| codes(word).is_some())
}

/// What a header shows: currencies, and what its numbers are multiplied by.
pub(super) fn of_header(name: &str) -> (Option<Codes>, f64) {
    let words = words(name);
    let codes: Vec<Option<Codes>> = words.iter().map(|word| header_codes(word)).collect();
    let is_beside = |at: usize| codes.iter().take(at + 2).skip(at.max(1) - 1).any(Option::is_some);
    let mut scale = 1.0;
    for (at, word) in words.iter().enumerate().filter(|(at, _)| codes[*at].is_none()) {
        let is_known = |it: &f64| *it != scale && (word.len() > 1 || is_beside(at));
        // A letter is a factor only beside a currency: `€m` a million, `m€` perhaps `miles`. `miles de millones` has two.
        match scale_of(word, false).filter(is_known) {
            Some(_) if word == "m" && codes.get(at + 1).is_some_and(Option::is_some) => scale = f64::NAN,
            Some(known) => scale *= known,
            None => {}
        }
    }
    (codes.into_iter().flatten().next(), scale)
}

/// The currencies that a word of a header shows; words such as `try` and `all` are none.
fn header_codes(word: &str) -> Option<Codes> {
    let is_code = word.chars().all(|c| !c.is_lowercase()) || word.chars().count() > 3;
    codes(word).filter(|_| is_code || ["usd", "eur", "gbp"].contains(&word))
}

/// Whether the name of a column says that its sums are paid by the month or another time.
pub(super) fn is_of_rates(header: &str) -> bool {
    let parts = header.match_indices(' ').flat_map(|(at, _)| <[&str; 2]>::from(header.split_at(at)));
    parts.chain([header]).any(|part| read(&format!("1 {part}"), None).is_ok_and(|sum| sum.is_rate))
}

/// The words of a header without those that show a currency or a factor, if it has others.
pub(super) fn bare_header(name: &str) -> String {
    let is_shown = |word: &String| header_codes(word).is_some() || scale_of(word, false).is_some();
    let (shown, mut others): (Vec<String>, Vec<String>) = words(name).into_iter().partition(is_shown);
    others.retain(|word| value_of("of", word).is_none());
    if shown.is_empty() || others.is_empty() { name.to_owned() } else { others.join(" ") }
}

/// What a word multiplies a number by; no number where it may be either of two: `mil` is a thousand in Spanish and
/// a million in English.
fn scale_of(word: &str, is_spanish: bool) -> Option<f64> {
    let known = value_of("scale", word)?;
    let (first, other) = known.split_once('|').unwrap_or((known, ""));
    if other.is_empty() || is_spanish { first.parse().ok() } else { Some(f64::NAN) }
}

/// Whether a column holds currencies, by its name.
pub(super) fn is_currency_column(name: &str) -> bool {
    let last = name.rsplit(['/', '@']).next().unwrap_or(name);
    words(last).iter().any(|word| value_of("column", word).is_some())
}

/// Letters, digits and signs in groups, as `£`, `000s`, `R$`.
fn words(text: &str) -> Vec<String> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_ascii() || c == '$';
    let letters: Vec<char> = text.chars().collect();
    // A dollar sign belongs to the letters before it: US$, R$.
    let joins =
        |a: &char, b: &char| a.is_alphanumeric() && b.is_alphanumeric() || a.is_uppercase() && *b == '$';
    let words = letters.chunk_by(joins).filter(|it| it[0].is_alphanumeric() || is_sign(it[0]));
    let words = words.map(|word| word.iter().collect::<String>());
    // `kEUR`, `M$`.
    let parted = words.flat_map(|word| match word.split_at_checked(1) {
        Some((factor @ ("k" | "K" | "M" | "T"), rest))
            if codes(rest).is_some() && codes(&word).is_none() && (rest == "$" || rest.len() == 3) =>
        {
            vec![factor.to_owned(), rest.to_owned()]
        }
        _ => vec![word],
    });
    parted.collect()
}

/// What a text is made of.
enum Part {
    /// A number, and whether its thousands are separated.
    Number(f64, bool),
    Word(String),
}

/// Why a text is no sum.
pub(super) enum NoSum {
    /// What is not understood.
    Part(String),
    /// A range whose ends are not written alike, such as `$10-20k` and `5-10,000`.
    Unlike,
    /// A factor that may be either of two, such as `3 mil`.
    TwoFactors,
    /// Two numbers that nothing shows to be money: years, or parts of another number, such as `555-1234`.
    Bare,
}

/// Reads a sum.
pub(super) fn read(text: &str, form: Option<NumberForm>) -> Result<Sum, NoSum> {
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    // An accountant's minus.
    if spaced.trim().starts_with('(') && spaced.trim().ends_with(')') {
        return Err(NoSum::Part(text.to_owned()));
    }
    let parts = parts(spaced.trim(), form).map_err(NoSum::Part)?;
    let is_word = |part: &Part| matches!(part, Part::Word(it) if value_of("spanish", it).is_some());
    let is_spanish = form.is_some_and(|form| form.decimal == Some(',')) || parts.iter().any(is_word);
    let mut reading = SumParser { is_spanish, ..SumParser::default() };
    let mut at = 0;
    while at < parts.len() {
        if let Part::Number(number, is_grouped) = parts[at] {
            reading.numbers.push(number);
            reading.is_grouped = is_grouped;
            at += 1;
            continue;
        }
        let is_scale = |part: &Part| matches!(part, Part::Word(word) if scale_of(word, false).is_some());
        let is_behind_scale = parts[..at].last().is_some_and(is_scale);
        // The longest phrase that is known.
        let found = (at + 1..=parts.len().min(at + 4)).rev().find(|end| {
            phrase(&parts[at..*end]).is_some_and(|it| reading.take(&it, *end == parts.len(), is_behind_scale))
        });
        at = found.ok_or_else(|| NoSum::Part(phrase(&parts[at..=at]).unwrap_or_default()))?;
    }
    reading.sum(text)
}

/// What is read of a sum.
#[derive(Default)]
struct SumParser {
    sum: Sum,
    numbers: Vec<f64>,
    is_spanish: bool,
    /// Words that make it a limit or a range.
    bounds: Vec<&'static str>,
    ranges: usize,
    /// How many currencies it shows, and whether the last number separates its thousands.
    signs: usize,
    is_grouped: bool,
    /// Which numbers have a factor: `$10-20k` may begin at 10 or at 10,000.
    scaled: [bool; 2],
}

impl SumParser {
    /// Takes a phrase, if it is known at this place.
    fn take(&mut self, phrase: &str, is_last: bool, is_behind_scale: bool) -> bool {
        let find = |list: &str| value_of(list, phrase);
        let is = |list: &str| find(list).is_some();
        let is_only = self.numbers.len() == 1 && self.ranges == 0;
        let before = find("before").filter(|_| self.numbers.is_empty());
        let bound = before.or_else(|| find("behind").filter(|_| is_only && is_last));
        if is_only && !is_last && is("range") {
            self.ranges += 1;
        } else if let Some(bound) = bound {
            self.bounds.push(bound);
        } else if is("rate") {
            self.sum.is_rate = true;
        } else if is_behind_scale && is("of") {
            // `3 millones de euros`.
        } else if let Some(codes) = codes(phrase) {
            self.signs += 1;
            let known = self.sum.currency.get_or_insert_with(|| codes.clone());
            known.retain(|code| codes.contains(code));
            return !known.is_empty();
        } else if let (Some(scale), Some(last)) = (scale_of(phrase, self.is_spanish), self.numbers.last_mut())
        {
            *last *= scale;
            self.scaled[self.ranges.min(1)] = true;
            self.sum.is_scaled = true;
        } else {
            return false;
        }
        true
    }

    fn sum(self, text: &str) -> Result<Sum, NoSum> {
        let is = |bound| self.bounds.contains(&bound);
        let is_bare = self.signs == 0 && !self.sum.is_scaled && !self.sum.is_rate && !self.is_grouped;
        let (least, most) = match (&self.numbers[..], self.ranges) {
            _ if self.numbers.iter().any(|it| it.is_nan()) => return Err(NoSum::TwoFactors),
            ([one], 0) if !(is("between") || is("most") && is("least")) => {
                ((!is("most")).then_some(*one), (!is("least")).then_some(*one))
            }
            ([_, _], 1) if self.scaled == [false, true] => return Err(NoSum::Unlike),
            // `5-10,000` may begin at 5 or at 5,000.
            ([a, b], 1) if self.is_grouped && *a > 0.0 && a * 1000.0 < *b && self.signs < 2 => {
                return Err(NoSum::Unlike);
            }
            ([a, b], 1) if is_bare && is_no_sum([*a, *b]) => return Err(NoSum::Bare),
            ([least, most], 1) if least <= most && !is("most") => (Some(*least), Some(*most)),
            _ => return Err(NoSum::Part(text.to_owned())),
        };
        Ok(Sum { least, most, ..self.sum })
    }
}

/// Whether a range of numbers is one of years, or a number in two parts, such as that of a telephone: of unlike length, and
/// not rounded as sums are.
fn is_no_sum(ends: [f64; 2]) -> bool {
    let [one, other] = ends.map(|it| it.log10().floor());
    ends.iter().all(|it| (1900.0..=2100.0).contains(it) && it.fract() == 0.0)
        || one < other && other > 2.0 && ends.iter().any(|it| it % 10.0 != 0.0)
}

fn phrase(parts: &[Part]) -> Option<String> {
    let words = parts.iter().map(|part| if let Part::Word(word) = part { Some(word.as_str()) } else { None });
    words.collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

fn parts(text: &str, form: Option<NumberForm>) -> Result<Vec<Part>, String> {
    const KNOWN: [&str; 4] = ["currency", "before", "rate", "behind"];
    let is_known = |word: &str| KNOWN.iter().any(|list| value_of(list, word).is_some());
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’' | ' ');
        let end = if first.is_ascii_digit() {
            let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            let digits = rest[..end].trim_end_matches(|c: char| !c.is_ascii_digit());
            let (power, length) = exponent(&rest[digits.len()..]);
            let is_grouped = digits.bytes().filter(u8::is_ascii_digit).count() < digits.len();
            let read = number(digits, form).ok_or_else(|| digits.to_owned())? * power;
            parts.push(Part::Number(read, is_grouped && read >= 1000.0));
            digits.len() + length
        } else if first.is_whitespace() || matches!(first, '(' | ')' | ',' | ':') {
            first.len_utf8()
        } else if first.is_alphabetic() || first == '/' {
            let is_word = |c: char| c.is_alphabetic() || matches!(c, '.' | '$' | '\'' | '’');
            let after = &rest[first.len_utf8()..];
            let end = rest.len() - after.trim_start_matches(is_word).len();
            // `S/` and `S/.` are signs.
            let is_sign = |sign: &&str| rest[end..].starts_with(*sign) && is_known(&rest[..end + sign.len()]);
            let end = end + ["/.", "/"].into_iter().find(is_sign).map_or(0, str::len);
            // A full stop belongs to an abbreviation only if it is known with it.
            let bare = rest[..end].strip_suffix('.').filter(|_| !is_known(&rest[..end]));
            parts.push(Part::Word(bare.unwrap_or(&rest[..end]).to_owned()));
            end
        } else {
            parts.push(Part::Word(first.to_string()));
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    Ok(parts)
}

/// The power of ten that a text begins with, as `E5` of `1E5`, and its length.
fn exponent(text: &str) -> (f64, usize) {
    let power = text.strip_prefix(['e', 'E']).map_or("", |it| it.strip_prefix('+').unwrap_or(it));
    let end = power.find(|c: char| !c.is_ascii_digit()).unwrap_or(power.len());
    let is_end = power[end..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    match power[..end].parse::<u8>() {
        Ok(exponent @ ..=12) if is_end => (10f64.powi(exponent.into()), text.len() - power.len() + end),
        _ => (1.0, 0),
    }
}

/// A number without its sign. Spaces and apostrophes separate thousands; what a point or comma separates, the form
/// declares, or the number of digits behind an only one decides.
pub(super) fn number(digits: &str, form: Option<NumberForm>) -> Option<f64> {
    let groups: Vec<&str> = digits.split([' ', '\'', '’']).collect();
    let joined = groups.concat();
    // What begins with a zero is a name, as those of telephones.
    if joined.len() > 1 && joined.starts_with('0') && joined.as_bytes()[1].is_ascii_digit() {
        return None;
    }
    let (first, rest) = groups.split_first()?;
    let head = |group: &&str| group.split(['.', ',']).next().map_or(0, str::len) == 3;
    if !rest.iter().all(head) || (!rest.is_empty() && (first.len() > 3 || first.contains(['.', ',']))) {
        return None;
    }
    // Undeclared, an only sign may be that of decimals.
    let only = || NumberForm { group: None, decimal: joined.chars().find(|c| matches!(c, '.' | ',')) };
    formed(&joined, form.unwrap_or_else(only))
}

/// A number in a declared form; three digits behind the sign of decimals are more likely thousands.
fn formed(text: &str, form: NumberForm) -> Option<f64> {
    let (whole, cents) = form.decimal.and_then(|sign| text.split_once(sign)).unwrap_or((text, "0"));
    let groups: Vec<&str> = form.group.map_or_else(|| vec![whole], |sign| whole.split(sign).collect());
    // What begins with a zero has decimals behind the sign, or is a name.
    let is_grouped = (1..=3).contains(&groups[0].len()) && groups[0] != "0";
    let is_grouped = is_grouped && groups[1..].iter().all(|group| group.len() == 3);
    let whole = groups.concat();
    let fits = (groups.len() == 1 || is_grouped) && cents.len() != 3 && is_digits(&whole) && is_digits(cents);
    fits.then(|| format!("{whole}.{cents}").parse().ok())?
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> String {
        match read(text, None) {
            Ok(sum) => {
                let end = |end: Option<f64>| end.map_or_else(|| "_".to_owned(), |it| it.to_string());
                let codes = sum.currency.map_or_else(|| "?".to_owned(), |it| it.join("|"));
                let rate = if sum.is_rate { " rate" } else { "" };
                format!("{}..{} {codes}{rate}", end(sum.least), end(sum.most))
            }
            Err(NoSum::Part(word)) => format!("! {word}"),
            Err(NoSum::Unlike) => "! factor".to_owned(),
            Err(NoSum::TwoFactors) => "! factors".to_owned(),
            Err(NoSum::Bare) => "! bare".to_owned(),
        }
    }

    #[test]
    fn sums_in_six_languages_have_one_reading_or_none() {
        for (text, expected) in [
            ("1 500,00 €", "1500..1500 EUR"),
            ("5000 TRY", "5000..5000 TRY"),
            ("S/ 5000", "5000..5000 PEN"),
            ("S/. 5000", "5000..5000 PEN"),
            ("ALL 500", "! ALL"),
            ("$1.5M", "1500000..1500000 USD|CAD|AUD|NZD|MXN|ARS|CLP|COP|SGD|HKD|TWD|UYU"),
            ("R$ 2.5 milhões", "2500000..2500000 BRL"),
            ("1,5 Mio. EUR", "1500000..1500000 EUR"),
            ("up to £5000", "_..5000 GBP"),
            ("$10-20k", "! factor"),
            ("($500)", "! ($500)"),
            ("約5000円", "! 約"),
            ("between £500 and £900", "500..900 GBP"),
            ("de 1000 €", "! de 1000 €"),
            ("hasta 3 mil USD", "_..3000 USD"),
            ("USD 3 mil", "! factors"),
            ("2 mil millones de euros", "2000000000..2000000000 EUR"),
            ("al menos 500 €", "500.._ EUR"),
            ("500 € o más", "500.._ EUR"),
            ("up to £500 or more", "! up to £500 or more"),
            ("£10k pa", "10000..10000 GBP rate"),
            ("£500 or €600", "! or"),
            ("varies", "! varies"),
            ("-500", "! -"),
        ] {
            assert_eq!(sum(text), expected, "{text}");
        }
    }

    #[test]
    fn a_range_has_two_numbers_that_are_written_alike_and_an_exponent_is_none() {
        for (text, expected) in [
            ("5-10 000", "! factor"),
            ("€50 – €100 000", "50..100000 EUR"),
            ("1E5", "100000..100000 ?"),
            ("$2e3", "2000..2000 USD|CAD|AUD|NZD|MXN|ARS|CLP|COP|SGD|HKD|TWD|UYU"),
            ("1.5E+05 EUR", "150000..150000 EUR"),
            ("1E5K", "! factor"),
            ("1 e 5 EUR", "1..5 EUR"),
            ("020 7946 0958", "! 020 7946 0958"),
            ("2027-001", "! 001"),
            // Years and numbers of telephones, until something shows that they are money.
            ("2026-2027", "! bare"),
            ("555-1234", "! bare"),
            ("€2000-2100", "2000..2100 EUR"),
            ("2000-2500", "2000..2500 ?"),
        ] {
            assert_eq!(sum(text), expected, "{text}");
        }
    }

    #[test]
    fn headers_and_formats_show_currency_and_factor() {
        let header = |name: &str| {
            let (codes, scale) = of_header(name);
            let scale = if scale.is_nan() { 0.0 } else { scale };
            (codes.map(|it| it.join("|")).unwrap_or_default(), scale as u64)
        };
        for (name, codes, scale) in [
            ("Amount (GBP)", "GBP", 1),
            ("£000s", "GBP", 1000),
            ("Max grant (£k)", "GBP", 1000),
            ("Montant (en milliers d'euros)", "EUR", 1000),
            ("Importe (miles €)", "EUR", 1000),
            ("Miles de millones de $", "USD|CAD|AUD|NZD|MXN|ARS|CLP|COP|SGD|HKD|TWD|UYU", 1_000_000_000),
            ("Betrag (in 1.000 EUR)", "EUR", 1000),
            ("Amount (kEUR)", "EUR", 1000),
            ("Amount (€m)", "EUR", 1_000_000),
            ("Importe (m€)", "EUR", 0),
            ("Amount awarded", "", 1),
            ("try again", "", 1),
        ] {
            assert_eq!(header(name), (codes.to_owned(), scale), "{name}");
        }
        for (format, sign) in [
            ("[$BRL] #,##0", Some("BRL")),
            ("[$$-1009]#,##0", Some("CAD")),
            ("_-* #,##0.00\\ \"€\"_-;-* #,##0", Some("€")),
            ("#,##0 \"CHF\"", Some("CHF")),
            ("0.00%", None),
        ] {
            assert_eq!(of_format(format).as_deref(), sign, "{format}");
        }
    }
}
