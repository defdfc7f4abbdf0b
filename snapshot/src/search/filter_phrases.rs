//! Modifiers: words of a question that say a filter rather than a subject, such as `open now`, `over
//! $50,000`, `closes before March` or `under 30`. Only ranked answers read them, and say so; in the REST
//! interface they are words. A filter that was picked wins over one that was said.

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::facet::{Interval, MEASURES, Measure};
use crate::query::Query;
use crate::search::text::fold;
use crate::time::Day;

/// Words that said a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterPhrase {
    /// The words, folded.
    pub words: String,
    /// Parameter of the REST interface.
    pub parameter: &'static str,
    /// Its value.
    pub value: String,
}

/// A number of people's years is at most this; greater ones are money.
const AGE_MAX: f64 = 120.0;

/// What a run of words says.
enum Filter {
    Open,
    Rolling,
    Funded,
    AgeMax(f64),
    FundingMin(f64),
    FundingMax(f64),
    Due(Option<Date>, Option<Date>),
}

/// Takes the filter_phrases out of a question's text and makes filters of them. Words that are listed as
/// `plain` stay words.
#[must_use]
pub fn extract(query: &Query, plain: &[String], today: Day) -> (Query, Vec<FilterPhrase>) {
    let (mut left, mut said) = (query.clone(), Vec::new());
    let (Some(text), Some(today)) = (&query.text, today.date()) else { return (left, said) };
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let words: Vec<String> = pieces.iter().map(|piece| normalized(piece)).collect();
    let mut rest: Vec<&str> = Vec::with_capacity(pieces.len());
    let (mut at, mut quoted) = (0, false);
    while at < pieces.len() {
        let found = if quoted || pieces[at].contains('"') || pieces[at].starts_with('-') {
            None
        } else {
            read(&words, at, today)
        };
        let run = |length: usize| words[at..at + length].join(" ");
        let taken = found.filter(|(length, _)| !plain.contains(&run(*length)));
        match taken.and_then(|(length, filter)| Some((length, apply(&filter, &mut left, query)?))) {
            Some((length, values)) => {
                let words = run(length);
                said.extend(values.into_iter().map(|(parameter, value)| FilterPhrase {
                    words: words.clone(),
                    parameter,
                    value,
                }));
                at += length;
            }
            None => {
                quoted ^= pieces[at].matches('"').count() % 2 == 1;
                rest.push(pieces[at]);
                at += 1;
            }
        }
    }
    if !said.is_empty() {
        left.text = Some(rest.join(" ")).filter(|text| text.chars().any(char::is_alphanumeric));
    }
    (left, said)
}

/// The filters that a question has after its filter_phrases were taken, and had not before: what said each,
/// and a question of nothing else.
pub(super) fn filters(before: &Query, after: &Query, said: &[FilterPhrase]) -> Vec<(Vec<String>, Query)> {
    let mut filters = Vec::new();
    let mut add = |parameters: &[&str], only: Query| {
        let mut words: Vec<String> = Vec::new();
        for said in said.iter().filter(|said| parameters.contains(&said.parameter)) {
            if !words.contains(&said.words) {
                words.push(said.words.clone());
            }
        }
        filters.push((words, only));
    };
    for spec in &MEASURES {
        let of = spec.measure as usize;
        if before.measures[of] != after.measures[of] {
            let mut only = Query::default();
            only.measures[of] = after.measures[of];
            add(&spec.parameters.map(Option::unwrap_or_default), only);
        }
    }
    let (from, to) = (after.deadline_from, after.deadline_to);
    if (before.deadline_from, before.deadline_to) != (from, to) {
        let only = Query { deadline_from: from, deadline_to: to, ..Query::default() };
        add(&["deadlineFrom", "deadlineTo"], only);
    }
    if before.open != after.open {
        add(&["open"], Query { open: true, ..Query::default() });
    }
    if before.rolling != after.rolling {
        add(&["rolling"], Query { rolling: true, ..Query::default() });
    }
    if before.funded != after.funded {
        add(&["funded"], Query { funded: true, ..Query::default() });
    }
    filters
}

/// A word folded, without the marks around it.
pub(super) fn normalized(piece: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '$' | '€');
    fold(piece.trim_matches(|c| !kept(c)))
}

/// Puts a filter into a question, unless one of its kind was picked; what it is there.
fn apply(filter: &Filter, query: &mut Query, picked: &Query) -> Option<Vec<(&'static str, String)>> {
    let switch =
        |on: &mut bool, name| (!std::mem::replace(on, true)).then(|| vec![(name, "true".to_owned())]);
    let was_picked = |measure: Measure| picked.measures[measure as usize].is_some();
    match *filter {
        Filter::Open => switch(&mut query.open, "open"),
        Filter::Rolling => switch(&mut query.rolling, "rolling"),
        Filter::Funded => switch(&mut query.funded, "funded"),
        Filter::AgeMax(years) if !was_picked(Measure::Age) => {
            bounds(query, Measure::Age).max = years;
            Some(vec![("ageMax", years.to_string())])
        }
        Filter::FundingMin(dollars) if !was_picked(Measure::Funding) => {
            bounds(query, Measure::Funding).min = dollars;
            Some(vec![("fundingMin", dollars.to_string())])
        }
        Filter::FundingMax(dollars) if !was_picked(Measure::Funding) => {
            bounds(query, Measure::Funding).max = dollars;
            Some(vec![("fundingMax", dollars.to_string())])
        }
        Filter::Due(from, to) if picked.deadline_from.is_none() && picked.deadline_to.is_none() => {
            query.deadline_from = from.map(Day::new);
            query.deadline_to = to.map(Day::new);
            let from = from.map(|from| ("deadlineFrom", from.to_string()));
            Some(from.into_iter().chain(to.map(|to| ("deadlineTo", to.to_string()))).collect())
        }
        _ => None,
    }
}

fn bounds(query: &mut Query, measure: Measure) -> &mut Interval {
    query.measures[measure as usize].get_or_insert(Interval::EVERYTHING)
}

/// What the words at a position say, and how many they are.
fn read(words: &[String], at: usize, today: Date) -> Option<(usize, Filter)> {
    let rest: Vec<&str> = words[at..].iter().map(String::as_str).collect();
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    switch(&rest, before).or_else(|| money(&rest)).or_else(|| due(&rest, today))
}

type Switch = fn() -> Filter;

/// Runs of words that switch something on, the longest first.
const SWITCHES: [(&str, Switch); 24] = [
    ("currently accepting applications", || Filter::Open),
    ("now accepting applications", || Filter::Open),
    ("accepting applications now", || Filter::Open),
    ("accepting applications", || Filter::Open),
    ("currently open", || Filter::Open),
    ("open today", || Filter::Open),
    ("open now", || Filter::Open),
    ("abiertas ahora", || Filter::Open),
    ("abierta ahora", || Filter::Open),
    ("abiertas", || Filter::Open),
    ("abierta", || Filter::Open),
    ("vigentes", || Filter::Open),
    ("vigente", || Filter::Open),
    ("rolling applications", || Filter::Rolling),
    ("rolling deadlines", || Filter::Rolling),
    ("rolling deadline", || Filter::Rolling),
    ("rolling basis", || Filter::Rolling),
    ("no deadline", || Filter::Rolling),
    ("sin fecha limite", || Filter::Rolling),
    ("sin plazo", || Filter::Rolling),
    ("fully funded", || Filter::Funded),
    ("con estipendio", || Filter::Funded),
    ("totalmente financiadas", || Filter::Funded),
    ("totalmente financiada", || Filter::Funded),
];
/// What is open in another sense.
const OPEN_THINGS: [&str; 8] =
    ["ciencia", "ciencias", "puertas", "fuente", "universidad", "carta", "innovacion", "licencia"];

fn switch(rest: &[&str], before: &str) -> Option<(usize, Filter)> {
    let (words, filter) = SWITCHES
        .iter()
        .find(|(words, _)| words.split(' ').enumerate().all(|(n, word)| rest.get(n) == Some(&word)))?;
    let other = words.starts_with("abierta") && OPEN_THINGS.contains(&before);
    (!other).then(|| (words.split(' ').count(), filter()))
}

const LEAST: [&str; 8] = ["more than", "at least", "mas de", "desde", "over", "above", "minimum", "minimo"];
const MOST: [&str; 10] = [
    "less than",
    "at most",
    "up to",
    "menos de",
    "menores de",
    "hasta",
    "under",
    "below",
    "maximum",
    "maximo",
];

/// The first of some runs of words that stand at the start, and how many words it has.
fn starting(rest: &[&str], runs: &[&str]) -> Option<usize> {
    let starts = |run: &&&str| run.split(' ').enumerate().all(|(n, word)| rest.get(n) == Some(&word));
    runs.iter().find(starts).map(|run| run.split(' ').count())
}

fn money(rest: &[&str]) -> Option<(usize, Filter)> {
    let (least, most) = (starting(rest, &LEAST), starting(rest, &MOST));
    let bound = least.or(most)?;
    let (length, amount, is_money) = amount(&rest[bound..])?;
    let length = bound + length;
    match (is_money || amount > AGE_MAX, least.is_some()) {
        (true, true) => Some((length, Filter::FundingMin(amount))),
        (true, false) => Some((length, Filter::FundingMax(amount))),
        (false, false) => Some((length, Filter::AgeMax(amount))),
        (false, true) => None,
    }
}

/// An amount: how many words it has, how much it is, and whether a sign or unit says that it is money.
fn amount(rest: &[&str]) -> Option<(usize, f64, bool)> {
    let first = rest.first()?;
    let bare = first.trim_start_matches("us").trim_start_matches('$');
    let digits = bare.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.'))).unwrap_or(bare.len());
    let (number, unit) = bare.split_at(digits);
    let mut amount: f64 = plain_number(number)?;
    let mut is_money = bare.len() < first.len();
    let mut length = 1;
    let times = |unit: &str| match unit {
        "k" | "mil" | "thousand" => Some(1e3),
        "m" | "million" | "millon" | "millones" => Some(1e6),
        _ => None,
    };
    if !unit.is_empty() {
        amount *= times(unit)?;
        is_money = true;
    }
    while let Some(factor) = rest.get(length).and_then(|word| times(word)) {
        amount *= factor;
        length += 1;
        is_money = true;
    }
    let of = usize::from(rest.get(length) == Some(&"de"));
    if rest.get(length + of).is_some_and(|word| ["usd", "dollars", "dolares", "dollar", "us$"].contains(word))
    {
        length += 1 + of;
        is_money = true;
    }
    (amount.is_finite()).then_some((length, amount, is_money))
}

/// `10,000`, `10.000` and `2.5`: marks before three digits set thousands apart.
fn plain_number(text: &str) -> Option<f64> {
    let groups: Vec<&str> = text.split([',', '.']).collect();
    let thousands = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    if thousands { groups.concat().parse().ok() } else { text.replace(',', ".").parse().ok() }
}

const DUE: [&str; 16] = [
    "with a deadline",
    "deadlines",
    "deadline",
    "due",
    "closes",
    "closing",
    "close",
    "que cierran",
    "que cierra",
    "cierran",
    "cierra",
    "con plazo",
    "plazo",
    "que vencen",
    "vencen",
    "vence",
];
const BEFORE: [&str; 5] = ["before", "antes de", "antes del", "until", "hasta"];
const AFTER: [&str; 4] = ["after", "despues de", "despues del", "from"];
const WITHIN: [&str; 8] =
    ["by the end of", "by", "in the next", "within", "in", "en los proximos", "durante", "en"];
const MONTHS: [[&str; 4]; 12] = [
    ["january", "jan", "enero", "ene"],
    ["february", "feb", "febrero", "febr"],
    ["march", "mar", "marzo", "marz"],
    ["april", "apr", "abril", "abr"],
    ["may", "may", "mayo", "may"],
    ["june", "jun", "junio", "jun"],
    ["july", "jul", "julio", "jul"],
    ["august", "aug", "agosto", "ago"],
    ["september", "sep", "septiembre", "setiembre"],
    ["october", "oct", "octubre", "octubre"],
    ["november", "nov", "noviembre", "noviembre"],
    ["december", "dec", "diciembre", "dic"],
];

/// `closes before March 2027`: a word of deadlines, what of the time, and the time.
fn due(rest: &[&str], today: Date) -> Option<(usize, Filter)> {
    let said = starting(rest, &DUE)?;
    let rest = &rest[said..];
    let this = match rest {
        ["this", "month", ..] | ["este", "mes", ..] => Some((2, 0)),
        ["next", "month", ..] | ["proximo", "mes", ..] => Some((2, 1)),
        _ => None,
    };
    if let Some((length, ahead)) = this {
        let day = today.first_of_month().checked_add(i32::from(ahead as u8).months()).ok()?;
        return Some((said + length, Filter::Due(Some(day.max(today)), Some(day.last_of_month()))));
    }
    let (before, after) = (starting(rest, &BEFORE), starting(rest, &AFTER));
    let how = before.or(after).or_else(|| starting(rest, &WITHIN))?;
    if let Some(days) = rest.get(how).and_then(|word| word.parse::<i32>().ok()).filter(|days| *days <= 366)
        && rest.get(how + 1).is_some_and(|word| ["days", "day", "dias", "dia"].contains(word))
    {
        let until = today.checked_add(days.days()).ok()?;
        return Some((said + how + 2, Filter::Due(Some(today), Some(until))));
    }
    let (length, first, last) = time(&rest[how..], today)?;
    let filter = match (before.is_some(), after.is_some()) {
        (true, _) => Filter::Due(None, first.yesterday().ok()),
        (_, true) => Filter::Due(last.tomorrow().ok(), None),
        _ => Filter::Due(Some(first), Some(last)),
    };
    Some((said + how + length, filter))
}

/// A month, with its year or the next one of its name; a year; or a day as numbers: how many words it
/// has, its first and its last day.
fn time(rest: &[&str], today: Date) -> Option<(usize, Date, Date)> {
    let year = |word: &&str| word.parse::<i16>().ok().filter(|year| (2000..2100).contains(year));
    let first = rest.first()?;
    if let Ok(day) = first.parse::<Date>() {
        return Some((1, day, day));
    }
    if let Some(year) = year(first) {
        return Some((1, Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?));
    }
    let month = MONTHS.iter().position(|names| names.contains(first))? as i8 + 1;
    let of = usize::from(matches!(rest.get(1), Some(&("de" | "del" | "of"))));
    let named = rest.get(1 + of).and_then(year);
    let next = if month < today.month() { today.year() + 1 } else { today.year() };
    let start = Date::new(named.unwrap_or(next), month, 1).ok()?;
    let length = if named.is_some() { 2 + of } else { 1 };
    Some((length, start, start.last_of_month()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn read(text: &str) -> (String, String) {
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let (left, said) = extract(&query, &[], Day::new(date(2026, 11, 21)));
        let filters = said.iter().map(|said| format!("{}={}", said.parameter, said.value));
        (left.text.unwrap_or_default(), filters.collect::<Vec<_>>().join("&"))
    }

    #[test]
    fn words_that_say_a_filter_become_one() {
        for (text, rest, filters) in [
            ("solar grants open now", "solar grants", "open=true"),
            ("becas abiertas para música", "becas para música", "open=true"),
            ("rolling deadline arts grants", "arts grants", "rolling=true"),
            ("sin fecha límite innovación", "innovación", "rolling=true"),
            ("fully funded phd", "phd", "funded=true"),
            ("grants over $500,000 for water", "grants for water", "fundingMin=500000"),
            ("prizes over $1 million", "prizes", "fundingMin=1000000"),
            ("préstamos de menos de 50 mil dólares", "préstamos de", "fundingMax=50000"),
            ("up to 10k", "", "fundingMax=10000"),
            ("más de 10.000 dólares", "", "fundingMin=10000"),
            ("fellowships for journalists under 30", "fellowships for journalists", "ageMax=30"),
            ("deadline before March 2027 climate", "climate", "deadlineTo=2027-02-28"),
            (
                "convocatorias que cierran en enero",
                "convocatorias",
                "deadlineFrom=2027-01-01&deadlineTo=2027-01-31",
            ),
            ("due in 2027", "", "deadlineFrom=2027-01-01&deadlineTo=2027-12-31"),
            ("closes in 10 days", "", "deadlineFrom=2026-11-21&deadlineTo=2026-12-01"),
            ("mathematics deadline after January 2027", "mathematics", "deadlineFrom=2027-02-01"),
            ("closing next month", "", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
        ] {
            assert_eq!(read(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn words_that_only_look_like_it_stay() {
        for text in [
            "open source software",
            "open access publishing",
            "ciencia abierta",
            "\"open now\" art",
            "\"a b open now c\"",
            "-open now",
            "rolling stock",
            "programs for people over 60",
            "premios 2027",
            "under construction",
            "due diligence",
            "deadline",
            "under",
            "over $",
            "menos de mil",
        ] {
            assert_eq!(read(text), (text.to_owned(), String::new()), "{text}");
        }
    }

    #[test]
    fn a_picked_filter_wins_over_one_that_is_said_and_plain_words_stay() {
        let day = Day::new(date(2026, 11, 21));
        let mut query = Query { text: Some("over $100 open now".to_owned()), ..Query::default() };
        bounds(&mut query, Measure::Funding).min = 5.0;
        let (left, said) = extract(&query, &["open now".to_owned()], day);
        assert_eq!((left, said), (query, Vec::new()));
    }
}
