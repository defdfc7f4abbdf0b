//! Sums of money as people write them: numbers, what currency they may be in, and what stands around them. A word that is
//! not known is an error, so that no sign is dropped.

use snapshot::text::fold;

use crate::forms::NumberForm;
use crate::vocabulary::find_word;

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
pub(super) fn agreed(evidence: impl Iterator<Item = Evidence>) -> Result<Option<Codes>, String> {
    let mut agreed: Option<Evidence> = None;
    for (what, codes) in evidence {
        let Some((before, known)) = &mut agreed else {
            agreed = Some((what, codes));
            continue;
        };
        if !known.iter().any(|code| codes.contains(code)) {
            return Err(format!("{before} shows {}, {what} {}", known.join("|"), codes.join("|")));
        }
        known.retain(|code| codes.contains(code));
    }
    Ok(agreed.map(|(_, codes)| codes))
}

/// The currencies of a word, a sign or a code.
pub(super) fn codes(word: &str) -> Option<Codes> {
    let known = find_word("currency", &fold(word)).or_else(|| find_word("currency", word));
    known.map(|codes| codes.split('|').map(str::to_owned).collect())
}

/// The currency that a number format shows, as `$€-407` or `$`.
pub(super) fn of_format(format: &str) -> Option<String> {
    let first = format.split(';').next().unwrap_or_default();
    if let Some((_, rest)) = first.split_once("[$") {
        let inner = rest.split(']').next().unwrap_or_default();
        let sign = inner.split('-').next().unwrap_or_default();
        let with_place = format!("${}", inner.to_lowercase());
        let exact = codes(&with_place).map(|codes| codes[0].clone());
        return exact.or_else(|| (!sign.trim().is_empty()).then(|| sign.trim().to_owned()));
    }
    let literal = first.replace(['"', '\\', '_', '*'], "");
    words(&literal).into_iter().find(|word| codes(word).is_some())
}

/// What a header shows: currencies, and what its numbers are multiplied by.
pub(super) fn of_header(name: &str) -> (Option<Codes>, f64) {
    let (mut currency, mut scale) = (None, 1.0);
    for word in words(name) {
        let is_code = word.chars().all(|c| !c.is_lowercase()) || word.chars().count() > 3;
        let is_common = ["usd", "eur", "gbp"].contains(&word.as_str());
        match codes(&word).filter(|_| is_code || is_common) {
            Some(codes) => currency = currency.or(Some(codes)),
            None if word.chars().count() > 1 || name.contains(['€', '£', '$']) => {
                let known = find_word("scale", &fold(&word)).and_then(|number| number.parse().ok());
                scale = known.unwrap_or(scale);
            }
            None => {}
        }
    }
    (currency, scale)
}

/// Whether a column holds currencies, by its name.
pub(super) fn is_currency_column(name: &str) -> bool {
    let last = name.rsplit(['/', '@']).next().unwrap_or(name);
    words(last).iter().any(|word| find_word("column", &fold(word)).is_some())
}

/// Letters, digits and signs in groups, as `£`, `000s`, `R$`.
fn words(text: &str) -> Vec<String> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_ascii() || c == '$';
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_alphanumeric() || is_sign(c) {
            // A dollar sign belongs to the letters before it: US$, R$.
            let joins = (before.is_alphanumeric() && c.is_alphanumeric())
                || (before.is_alphabetic() && before.is_uppercase() && c == '$');
            match words.last_mut().filter(|_| joins) {
                Some(last) => last.push(c),
                None => words.push(c.to_string()),
            }
        }
        before = c;
    }
    words
}

/// What a text is made of.
#[derive(Debug, PartialEq)]
enum Part {
    Number(f64),
    Word(String),
}

/// What is not understood of a range such as `$10-20k`.
pub(super) const HALF_SCALED: &str = "factor";

/// Reads a sum; the error names what is not understood.
pub(super) fn read(text: &str, form: Option<NumberForm>) -> Result<Sum, String> {
    let spaced: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    // An accountant's minus.
    if spaced.trim().starts_with('(') && spaced.trim().ends_with(')') {
        return Err(text.to_owned());
    }
    let parts = parts(spaced.trim(), form)?;
    let mut sum = Sum::default();
    let mut numbers: Vec<f64> = Vec::new();
    // Which numbers have a factor: `$10-20k` may begin at 10 or at 10,000.
    let (mut is_most, mut is_least, mut ranges, mut scaled) = (false, false, 0, [false; 2]);
    let mut at = 0;
    while at < parts.len() {
        if let Part::Number(number) = parts[at] {
            numbers.push(number);
            at += 1;
            continue;
        }
        // The longest phrase that is known.
        let phrases = (at + 1..=parts.len().min(at + 4)).rev();
        let found =
            phrases.filter_map(|end| Some((end, phrase(&parts[at..end])?))).find_map(|(end, phrase)| {
                let is = |list: &str| find_word(list, &fold(&phrase)).is_some();
                let is_between = numbers.len() == 1 && ranges == 0 && end < parts.len();
                if is_between && is("range") {
                    ranges += 1;
                } else if is("rate") {
                    sum.is_rate = true;
                } else if numbers.is_empty() && is("most") {
                    is_most = true;
                } else if numbers.is_empty() && is("least") {
                    is_least = true;
                } else if let Some(codes) = codes(&phrase) {
                    let known = sum.currency.get_or_insert_with(|| codes.clone());
                    known.retain(|code| codes.contains(code));
                    if known.is_empty() {
                        return None;
                    }
                } else if let (Some(scale), Some(last)) = (
                    find_word("scale", &fold(&phrase)).and_then(|it| it.parse::<f64>().ok()),
                    numbers.last_mut(),
                ) {
                    *last *= scale;
                    scaled[ranges.min(1)] = true;
                    sum.is_scaled = true;
                } else {
                    return None;
                }
                Some(end)
            });
        at = found.ok_or_else(|| phrase(&parts[at..=at]).unwrap_or_default())?;
    }
    (sum.least, sum.most) = match (&numbers[..], ranges) {
        ([one], 0) => ((!is_most).then_some(*one), (!is_least).then_some(*one)),
        ([_, _], 1) if scaled == [false, true] => return Err(HALF_SCALED.to_owned()),
        ([least, most], 1) if least <= most && !is_most => (Some(*least), Some(*most)),
        _ => return Err(text.to_owned()),
    };
    Ok(sum)
}

fn phrase(parts: &[Part]) -> Option<String> {
    let words = parts.iter().map(|part| match part {
        Part::Word(word) => Some(word.as_str()),
        Part::Number(_) => None,
    });
    words.collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

fn parts(text: &str, form: Option<NumberForm>) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’' | ' ');
        let end = if first.is_ascii_digit() {
            let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            let digits = rest[..end].trim_end_matches(|c: char| !c.is_ascii_digit());
            parts.push(Part::Number(number(digits, form).ok_or_else(|| digits.to_owned())?));
            digits.len()
        } else if first.is_whitespace() || matches!(first, '(' | ')' | ',' | ':') {
            first.len_utf8()
        } else if first.is_alphabetic() || first == '/' {
            let is_word = |c: char| c.is_alphabetic() || matches!(c, '.' | '$' | '\'' | '’');
            let after = &rest[first.len_utf8()..];
            let end = rest.len() - after.trim_start_matches(is_word).len();
            parts.push(Part::Word(rest[..end].to_owned()));
            end
        } else {
            parts.push(Part::Word(first.to_string()));
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    // A full stop belongs to an abbreviation only if it is known with it.
    for part in &mut parts {
        if let Part::Word(word) = part
            && word.len() > 1
            && let Some(bare) = word.strip_suffix('.')
            && ["currency", "most", "least", "rate"].iter().all(|list| find_word(list, &fold(word)).is_none())
        {
            *word = bare.to_owned();
        }
    }
    Ok(parts)
}

/// A number without its sign. Spaces and apostrophes separate thousands; what a point or comma separates, the form
/// declares, or the number of digits behind an only one decides.
pub(super) fn number(digits: &str, form: Option<NumberForm>) -> Option<f64> {
    let groups: Vec<&str> = digits.split([' ', '\'', '’']).collect();
    let (first, rest) = groups.split_first()?;
    let head = |group: &&str| group.split(['.', ',']).next().map_or(0, str::len) == 3;
    if !rest.iter().all(head) || (!rest.is_empty() && (first.len() > 3 || first.contains(['.', ',']))) {
        return None;
    }
    let joined = groups.concat();
    if let Some(form) = form {
        return formed(&joined, form);
    }
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match joined.split_once(['.', ',']) {
        None => is_digits(joined.strip_prefix('-').unwrap_or(&joined)).then(|| joined.parse().ok())?,
        Some((whole, cents)) => {
            let is_decimal = is_digits(whole) && is_digits(cents) && (cents.len() != 3 || !rest.is_empty());
            is_decimal.then(|| format!("{whole}.{cents}").parse().ok())?
        }
    }
}

/// A number in a declared form; three digits behind the sign of decimals are more likely thousands.
fn formed(text: &str, form: NumberForm) -> Option<f64> {
    let (whole, cents) = match form.decimal.and_then(|sign| text.split_once(sign)) {
        Some((_, cents)) if cents.len() == 3 => return None,
        Some((whole, cents)) => (whole, cents),
        None => (text, "0"),
    };
    let whole = match form.group {
        Some(sign) => {
            let groups: Vec<&str> = whole.split(sign).collect();
            let fits = groups.iter().skip(1).all(|group| group.len() == 3) && groups[0].len() <= 3
                || groups.len() == 1;
            fits.then(|| groups.concat())?
        }
        None => whole.to_owned(),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(&whole) && is_number(cents)).then(|| format!("{whole}.{cents}").parse().ok())?
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
            Err(word) => format!("! {word}"),
        }
    }

    #[test]
    fn sums_in_six_languages_have_one_reading_or_none() {
        for (text, expected) in [
            ("1 500,00 €", "1500..1500 EUR"),
            ("1\u{a0}500\u{202f}000 €", "1500000..1500000 EUR"),
            ("USD 10k", "10000..10000 USD"),
            ("$1.5M", "1500000..1500000 USD|CAD|AUD|NZD|MXN|ARS|CLP|COP|SGD|HKD|TWD|UYU"),
            ("US$ 2500", "2500..2500 USD"),
            ("R$ 2.5 milhões", "2500000..2500000 BRL"),
            ("1,5 Mio. EUR", "1500000..1500000 EUR"),
            ("up to £5000", "_..5000 GBP"),
            ("hasta 3000 euros", "_..3000 EUR"),
            ("bis zu 250 Tsd. €", "_..250000 EUR"),
            ("jusqu'à 800 €", "_..800 EUR"),
            ("3 000 € à 5 000 €", "3000..5000 EUR"),
            ("à partir de 500 €", "500.._ EUR"),
            ("à hauteur de 500 €", "_..500 EUR"),
            ("from 500 to 3000 EUR", "500..3000 EUR"),
            ("10k-20k EUR", "10000..20000 EUR"),
            ("$10-20k", "! factor"),
            ("£1 to 5 million", "! factor"),
            ("($500)", "! ($500)"),
            ("約5000円", "! 約"),
            ("from CHF 500", "500.._ CHF"),
            ("€500 – €3000", "500..3000 EUR"),
            ("500 to 3000 EUR", "500..3000 EUR"),
            ("£15 per hour", "15..15 GBP rate"),
            ("1200 €/month", "1200..1200 EUR rate"),
            ("900 € al mes", "900..900 EUR rate"),
            ("10,000 USD", "! 10,000"),
            ("3.000", "! 3.000"),
            ("1.500,00", "! 1.500,00"),
            ("£500 or €600", "! or"),
            ("£500 €600", "! €"),
            ("5000 doubloons", "! doubloons"),
            ("about 500", "! about"),
            ("3000-500", "! 3000-500"),
            ("varies", "! varies"),
            ("-500", "! -"),
        ] {
            assert_eq!(sum(text), expected, "{text}");
        }
    }

    #[test]
    fn headers_and_formats_show_currency_and_factor() {
        let header = |name: &str| {
            let (codes, scale) = of_header(name);
            (codes.map(|it| it.join("|")).unwrap_or_default(), scale as u64)
        };
        for (name, codes, scale) in [
            ("Amount (GBP)", "GBP", 1),
            ("£000s", "GBP", 1000),
            ("Max grant (£k)", "GBP", 1000),
            ("Budget in € million", "EUR", 1_000_000),
            ("Montant (en milliers d'euros)", "EUR", 1000),
            ("Amount awarded", "", 1),
            ("fundingMaxUsd", "", 1),
            ("Max USD", "USD", 1),
            ("try again", "", 1),
        ] {
            assert_eq!(header(name), (codes.to_owned(), scale), "{name}");
        }
        for (format, sign) in [
            ("[$£-809]#,##0.00", Some("£")),
            ("#,##0.00\\ [$€-407]", Some("€")),
            ("[$R$-416] #,##0.00", Some("BRL")),
            ("[$BRL] #,##0", Some("BRL")),
            ("[$$-1009]#,##0", Some("CAD")),
            ("_-* #,##0.00\\ \"€\"_-;-* #,##0", Some("€")),
            ("\"$\"#,##0", Some("$")),
            ("#,##0 \"CHF\"", Some("CHF")),
            ("General", None),
            ("0.00%", None),
            ("[Red]#,##0", None),
        ] {
            assert_eq!(of_format(format).as_deref(), sign, "{format}");
        }
    }
}
