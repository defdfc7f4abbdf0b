//! Filter phrases: words of a query that mean a filter, such as `open now`, `over $50,000`, `closes before March` or
//! `under 30`. Only ranked searches apply them. A selected filter takes precedence over a phrase.

mod ages;
mod amounts;
mod times;

use std::sync::LazyLock;

use jiff::ToSpan as _;
use jiff::civil::Date;
use rustc_hash::FxHashSet;

use crate::facet::{Interval, Measure};
use crate::query::Query;
use crate::search::filter_phrases::times::{season, time};
use crate::search::lexicon::{self, is_in, starting};
use crate::search::text_query::TextQuery;
use crate::text::{fold, words_of};
use crate::time::{CLOSING_SOON_DAYS, Day};

/// Key of the note about words that were not applied.
type Note = Option<&'static str>;

/// It remains text and the filter is offered, as no word for deadlines is beside it.
const DAY: Note = Some("search_day");

/// Words that mean a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterPhrase {
    /// The words, folded.
    pub words: String,
    /// Parameter of the REST interface; empty if there is none.
    pub parameter: &'static str,
    /// Its value.
    pub value: String,
    /// Key of the note about them; none if they were applied.
    pub note: Option<&'static str>,
}

/// The first and the last day of a deadline.
type Days = [Option<Date>; 2];

/// The filter that a phrase means.
enum Filter {
    Open,
    Rolling,
    /// The least and the greatest of a measure.
    Bounds(Measure, [Option<f64>; 2]),
    /// A filter that does not exist: the key of the note.
    LeftOut(&'static str),
    Due(Days, Note),
}

impl Filter {
    /// The filter for what this one leaves out, as far as there is one.
    fn opposite(self) -> Self {
        match self {
            Self::Bounds(of, [least, most]) if least.xor(most).is_some() => Self::Bounds(of, [most, least]),
            Self::Due([None, Some(last)], note) => Self::Due([last.tomorrow().ok(), None], note),
            Self::Due([Some(first), None], note) => Self::Due([None, first.yesterday().ok()], note),
            Self::LeftOut(key) => Self::LeftOut(key),
            _ => Self::LeftOut("search_negated"),
        }
    }

    fn note(&self) -> Note {
        match self {
            // Few records state ages: the filter is offered.
            Self::Bounds(Measure::Age, _) => Some("search_or_filter"),
            Self::LeftOut(key) => Some(key),
            Self::Due(_, note) => *note,
            _ => None,
        }
    }
}

/// A query whose filter phrases are replaced by filters, and the phrases. `literal` phrases remain text.
pub(super) fn extract(query: &Query, literal: &[String], today: Day) -> (Query, Vec<FilterPhrase>) {
    let (mut unphrased, mut phrases) = (query.clone(), Vec::new());
    let (Some(text), Some(today)) = (&query.text, today.date()) else { return (unphrased, phrases) };
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let words: Vec<String> = pieces.iter().map(|piece| normalized(piece)).collect();
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut rest: Vec<&str> = Vec::with_capacity(pieces.len());
    let (mut at, mut quoted) = (0, false);
    while at < pieces.len() {
        let is_plain = !quoted && !pieces[at].contains('"') && !pieces[at].starts_with('-');
        let is_negated = rest.last() == at.checked_sub(1).map(|before| &pieces[before])
            && is_in("not-a-filter", at.checked_sub(1).map(|before| &texts[before]));
        let from = at - usize::from(is_negated);
        let run = |length: usize| words[from..at + length].join(" ");
        let found = is_plain.then(|| parse(&texts, at, today)).flatten();
        let found =
            found.map(|(length, filter)| (length, if is_negated { filter.opposite() } else { filter }));
        let is_literal = |run: String| literal.contains(&run) || literal.contains(&words_of(&run).join(" "));
        let found = found.filter(|(length, _)| !is_literal(run(*length)));
        let applied = found.and_then(|(length, filter)| {
            Some((length, filter.note(), apply(&filter, &mut unphrased, query)?))
        });
        match applied {
            Some((length, note, values)) => {
                let phrase = |(parameter, value)| FilterPhrase { words: run(length), parameter, value, note };
                rest.truncate(rest.len() - (at - from));
                rest.extend(pieces[at..at + length].iter().filter(|_| note == DAY));
                phrases.extend(values.into_iter().map(phrase));
                at += length;
            }
            None => {
                quoted ^= pieces[at].matches('"').count() % 2 == 1;
                rest.push(pieces[at]);
                at += 1;
            }
        }
    }
    if rest.len() < pieces.len() {
        unphrased.text = Some(rest.join(" ")).filter(|text| TextQuery::ranked(text, literal).is_meaningful());
    }
    (unphrased, phrases)
}

/// The filters that phrases were applied as: the phrases of each, and a query with nothing else.
pub(super) fn filters(unphrased: &Query, phrases: &[FilterPhrase]) -> Vec<(Vec<String>, Query)> {
    let (deadline_from, deadline_to) = (unphrased.deadline_from, unphrased.deadline_to);
    let mut funding = Query::default();
    funding.measures[Measure::Funding as usize] = unphrased.measures[Measure::Funding as usize];
    let filters = [
        (Measure::Funding.spec().parameters, funding),
        (["deadlineFrom", "deadlineTo"], Query { deadline_from, deadline_to, ..Query::default() }),
        (["open", ""], Query { open: true, ..Query::default() }),
        (["rolling", ""], Query { rolling: true, ..Query::default() }),
    ];
    let of_filter = |(parameters, only): ([&str; 2], Query)| {
        let phrases = phrases.iter().filter(|it| it.note.is_none() && parameters.contains(&it.parameter));
        let mut words: Vec<String> = phrases.map(|phrase| phrase.words.clone()).collect();
        words.dedup();
        (words, only)
    };
    filters.into_iter().map(of_filter).filter(|(words, _)| !words.is_empty()).collect()
}

/// A folded word without punctuation at its ends, except a plus behind it: `60+`.
pub(super) fn normalized(piece: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '¥' | '₹' | '%');
    fold(piece.trim_start_matches(|c| !kept(c)).trim_end_matches(|c| !kept(c) && c != '+'))
}

/// Applies a filter unless one of its kind is selected, and returns its parameters and values.
fn apply(filter: &Filter, query: &mut Query, selected: &Query) -> Option<Vec<(&'static str, String)>> {
    let switch =
        |on: &mut bool, name| (!std::mem::replace(on, true)).then(|| vec![(name, "true".to_owned())]);
    match *filter {
        Filter::Open => switch(&mut query.open, "open"),
        Filter::Rolling => switch(&mut query.rolling, "rolling"),
        Filter::Bounds(measure, bounds) if selected.measures[measure as usize].is_none() => {
            if filter.note().is_none() {
                let known = query.measures[measure as usize].get_or_insert(Interval::EVERYTHING);
                known.min = bounds[0].unwrap_or(known.min);
                known.max = bounds[1].unwrap_or(known.max);
            }
            let stated = measure.spec().parameters.into_iter().zip(bounds);
            Some(stated.filter_map(|(parameter, bound)| Some((parameter, bound?.to_string()))).collect())
        }
        Filter::LeftOut(_) => Some(vec![("", String::new())]),
        Filter::Due(days, note) if selected.deadline_from.is_none() && selected.deadline_to.is_none() => {
            if note.is_none() {
                query.deadline_from = days[0].map(Day::new).or(query.deadline_from);
                query.deadline_to = days[1].map(Day::new).or(query.deadline_to);
            }
            let stated = ["deadlineFrom", "deadlineTo"].into_iter().zip(days);
            Some(stated.filter_map(|(parameter, day)| Some((parameter, day?.to_string()))).collect())
        }
        _ => None,
    }
}

/// The first words of filter phrases: most words of a query are none of these.
static FIRST_WORDS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| lexicon::words("beginning").flat_map(lexicon::words).collect());

fn begins(word: &str) -> bool {
    FIRST_WORDS.contains(word.split('-').next().unwrap_or(word))
        || word.contains(|c: char| c.is_ascii_digit())
        || lexicon::month(word).is_some()
}

/// The phrase at a position: its number of words, and the filter.
fn parse(words: &[&str], at: usize, today: Date) -> Option<(usize, Filter)> {
    if !begins(words[at]) {
        return None;
    }
    let (before, rest) = words.split_at(at);
    let number = || ages::age(rest).or_else(|| amounts::bound(rest));
    let length = || Some((times::length(rest)?, Filter::LeftOut("search_length")));
    switch(rest, before).or_else(number).or_else(|| deadline(rest, today)).or_else(length)
}

/// A phrase that switches a filter on.
fn switch(rest: &[&str], before: &[&str]) -> Option<(usize, Filter)> {
    let whole = |length: &usize| before.is_empty() && rest.len() == *length;
    let alone = starting(rest, "rolling-beside").filter(whole);
    let beside = || beside_a_kind("rolling-beside", rest, before);
    if let Some(length) = starting(rest, "rolling").or(alone).or_else(beside) {
        return Some((length, Filter::Rolling));
    }
    let is_other = || rest[0].starts_with("abiert") && is_in("not-open-after", before.last());
    let alone = starting(rest, "open").or_else(|| beside_a_kind("open-beside", rest, before));
    alone.filter(|_| !is_other()).map(|length| (length, Filter::Open))
}

/// `open grants`, `grants open for artists` and `concurso ANID abierto`, but not `grants open to women` or
/// `grants open science`.
fn beside_a_kind(list: &str, rest: &[&str], before: &[&str]) -> Option<usize> {
    let length = starting(rest, list)?;
    let next = rest.get(length);
    let goes_on = |next: &&str| !is_in("open-to", Some(next)) && lexicon::is_stop_word(next);
    // `Open in January` is about another day.
    let is_later = rest.get(length + 1).is_some_and(|word| lexicon::month(word).is_some());
    let is_last = next.is_none_or(goes_on) && !is_later;
    // In Spanish the name of a body may stand between.
    let reach = if matches!(rest[0], "open" | "rolling") { 1 } else { 2 };
    let follows = before.iter().rev().take(reach).any(|word| is_in("kind", Some(word)));
    (is_in("kind", next) || follows && is_last).then_some(length)
}

/// `closes before March 2027`: a word for deadlines, a relation and a time. After `opens` it is no deadline.
fn deadline(rest: &[&str], today: Date) -> Option<(usize, Filter)> {
    let opens = starting(rest, "opens");
    let head = opens.or_else(|| starting(rest, "deadline")).unwrap_or(0);
    let (length, days, note) = due(&rest[head..], head > 0, today)?;
    let filter = match opens {
        Some(_) => Filter::LeftOut("search_opening"),
        None if rest[..head + length].iter().any(|word| times::days_in_numbers(word).len() > 1) => {
            Filter::LeftOut("search_two_days")
        }
        None => Filter::Due(days, note.filter(|_| head == 0)),
    };
    Some((head + length, filter))
}

/// A time of a deadline, after a word for deadlines or without one, and the note about it there.
fn due(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Days, Note)> {
    // `Soon` at the end needs no deadline word; `as soon as possible` is no time.
    let soon = starting(rest, "soon").filter(|length| has_head || *length == rest.len());
    let until = i64::from(CLOSING_SOON_DAYS).days();
    let soon = soon.map(|length| (length, [Some(today), today.checked_add(until).ok()]));
    let sure = soon.or_else(|| times::period(rest, today)).or_else(|| times::ahead(rest, has_head, today));
    let sure = sure.map(|(length, days)| (length, days, None));
    let between = || times::between(rest, has_head, today).map(|(length, days)| (length, days, DAY));
    let related = || by_relation(rest, has_head, today);
    sure.or_else(between).or_else(related).or_else(|| without_relation(rest, has_head, today))
}

/// `before March 2027`: after a word for deadlines, or with a day, a month of a year, or a season.
fn by_relation(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Days, Note)> {
    let [before, after, since, until] =
        ["before", "after", "since", "until"].map(|list| starting(rest, list));
    let is_until = until.is_some_and(|until| before.is_none_or(|before| until >= before));
    let relation = before.or(after).or(since).or(until).or_else(|| starting(rest, "within"))?;
    let rest = &rest[relation..];
    let is_season = season(rest, today).is_some();
    let (length, first, last) = time(rest, today)?;
    let days = match (before.is_some(), after.is_some()) {
        (is_before, _) if is_until && !(is_before && is_season) => [None, Some(last)],
        (true, _) => [None, first.yesterday().ok()],
        (_, true) => [last.tomorrow().ok(), None],
        _ => [Some(first), Some(last).filter(|_| since.is_none())],
    };
    let is_sure = if is_season { before.is_some() } else { is_dated(rest, (length, first, last)) };
    // `In 2020` is hardly about a deadline.
    let may_be = has_head || is_sure || lexicon::month(rest[0]).is_some();
    let is_due = is_sure && (before.is_some() || is_until);
    may_be.then_some((relation + length, days, DAY.filter(|_| !is_due)))
}

/// Whether a time is a day, or a month of a year.
fn is_dated(rest: &[&str], (length, first, last): (usize, Date, Date)) -> bool {
    first == last || length > 1 && lexicon::month(rest[0]).is_some()
}

/// A time beside a word for deadlines: `deadline December 2026`, or `December deadline`. Without one, a day may be one.
fn without_relation(rest: &[&str], has_head: bool, today: Date) -> Option<(usize, Days, Note)> {
    let of = usize::from(has_head && is_in("of", rest.first()));
    let (length, first, last) = time(rest.get(of..)?, today)?;
    let days = [Some(first), Some(last)];
    if !has_head && is_in("deadline-noun", rest.get(length)) {
        return Some((length + 1, days, None));
    }
    // `The deadline may change` names no month.
    let is_time = has_head && (length > 1 || !lexicon::is_stop_word(rest[of]));
    (is_time || is_dated(&rest[of..], (length, first, last))).then_some((of + length, days, DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    pub(super) fn parsed(text: &str) -> (String, String) {
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let (unphrased, phrases) = extract(&query, &[], Day::new(date(2026, 11, 21)));
        let filters = phrases.iter().map(|phrase| format!("{}={}", phrase.parameter, phrase.value));
        (unphrased.text.unwrap_or_default(), filters.collect::<Vec<_>>().join("&"))
    }

    #[test]
    fn filter_phrases_become_filters() {
        for (text, rest, filters) in [
            ("solar grants open now", "solar grants", "open=true"),
            ("becas abiertas para música", "becas para música", "open=true"),
            ("rolling deadline arts grants", "arts grants", "rolling=true"),
            ("sin fecha límite innovación", "innovación", "rolling=true"),
            ("grants not over $5,000", "grants", "fundingMax=5000"),
            ("becas no superiores a 5.000 dólares", "becas", "fundingMax=5000"),
            ("grants not due before March 2027", "grants", "deadlineFrom=2027-03-01"),
            ("grants not open now", "grants", "="),
            ("grants not $5,000-$10,000", "grants", "="),
            ("becas que no cierren en diciembre", "becas que", "="),
            ("grants over $10 000", "grants", "fundingMin=10000"),
            ("al menos US$ 1 000 000", "", "fundingMin=1000000"),
            ("grants over 100 000 USD now", "grants now", "fundingMin=100000"),
            ("closing in summer 2028", "", "deadlineFrom=2028-06-01&deadlineTo=2028-08-31"),
            ("winter 2027 deadline", "", "deadlineFrom=2026-12-01&deadlineTo=2027-02-28"),
            ("que cierre en invierno de 2026", "", "deadlineFrom=2026-12-01&deadlineTo=2027-02-28"),
            ("grants over $500,000 for water", "grants for water", "fundingMin=500000"),
            ("prizes over $1 million", "prizes", "fundingMin=1000000"),
            ("préstamos de menos de 50 mil dólares", "préstamos de", "fundingMax=50000"),
            ("up to 10k", "", "fundingMax=10000"),
            ("más de 10.000 dólares", "", "fundingMin=10000"),
            ("open grants for artists", "grants for artists", "open=true"),
            ("grants open for artists", "grants for artists", "open=true"),
            ("fondos abiertos ahora", "", "open=true"),
            ("concurso ANID abierto", "concurso ANID", "open=true"),
            ("fellowships due December 2026", "fellowships", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
            ("grants due January 15, 2027", "grants", "deadlineFrom=2027-01-15&deadlineTo=2027-01-15"),
            ("becas con plazo hasta el 15 de enero", "becas", "deadlineTo=2027-01-15"),
            ("January deadline grants", "grants", "deadlineFrom=2027-01-01&deadlineTo=2027-01-31"),
            ("becas que cierren en diciembre", "becas", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
            ("deadline before March 2027 climate", "climate", "deadlineTo=2027-02-28"),
            ("convocatorias que cierran en enero", "", "deadlineFrom=2027-01-01&deadlineTo=2027-01-31"),
            ("due in 2027", "", "deadlineFrom=2027-01-01&deadlineTo=2027-12-31"),
            ("closes in 10 days", "", "deadlineFrom=2026-11-21&deadlineTo=2026-12-01"),
            ("mathematics deadline after January 2027", "mathematics", "deadlineFrom=2027-02-01"),
            ("closing next month", "", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
            ("grants this week", "grants", "deadlineFrom=2026-11-21&deadlineTo=2026-11-22"),
            ("becas esta semana", "becas", "deadlineFrom=2026-11-21&deadlineTo=2026-11-22"),
            ("grants this month", "grants", "deadlineFrom=2026-11-21&deadlineTo=2026-11-30"),
            ("premios el mes que viene", "premios", "deadlineFrom=2026-12-01&deadlineTo=2026-12-31"),
            ("closing soon", "", "deadlineFrom=2026-11-21&deadlineTo=2026-12-05"),
            ("becas que cierran pronto", "becas", "deadlineFrom=2026-11-21&deadlineTo=2026-12-05"),
            ("grants soon", "grants", "deadlineFrom=2026-11-21&deadlineTo=2026-12-05"),
            ("becas pronto", "becas", "deadlineFrom=2026-11-21&deadlineTo=2026-12-05"),
            ("internships before summer", "internships", "deadlineTo=2027-05-31"),
            ("becas antes del verano", "becas", "deadlineTo=2027-05-31"),
            ("apply any time grants", "grants", "rolling=true"),
            ("becas siempre abiertas", "becas", "rolling=true"),
            ("subvenciones abiertas todo el año", "subvenciones", "rolling=true"),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_always_open_is_a_filter_and_an_opening_day_is_none() {
        for (text, rest, filters) in [
            ("rolling", "", "rolling=true"),
            ("rolling grants for artists", "grants for artists", "rolling=true"),
            ("becas todo el año", "becas", "rolling=true"),
            ("plazo abierto", "", "rolling=true"),
            ("grants without a deadline", "grants", "rolling=true"),
            ("convocatorias permanentes", "", "rolling=true"),
            ("becas que abren en marzo", "becas", "="),
            ("opens in March", "", "="),
            ("grants opening next month", "grants", "="),
            ("apertura antes de marzo de 2027", "", "="),
        ] {
            assert_eq!(parsed(text), (rest.to_owned(), filters.to_owned()), "{text}");
        }
    }

    #[test]
    fn similar_words_remain_text() {
        for text in [
            "open source software",
            "fully funded phd with a stipend and no fee",
            "beca completa con estipendio sin costo",
            "open access publishing",
            "ciencia abierta",
            "\"open now\" art",
            "\"a b open now c\"",
            "-open now",
            "rolling stock",
            "grants open to women",
            "opening doors",
            "fellowship open science",
            "call for open topics",
            "concurso de datos abiertos",
            "the deadline may change",
            "until the end of the project",
            "companies with up to 50 employees",
            "under construction",
            "summer school",
            "before birth",
            "as soon as possible",
            "due diligence",
            "deadline",
            "under",
            "over $",
            "menos de mil",
        ] {
            assert_eq!(parsed(text), (text.to_owned(), String::new()), "{text}");
        }
    }

    #[test]
    fn selected_filters_take_precedence_and_literal_phrases_remain_text() {
        let day = Day::new(date(2026, 11, 21));
        let mut query = Query { text: Some("over $100 open now".to_owned()), ..Query::default() };
        query.measures[Measure::Funding as usize] = Some(Interval { min: 5.0, max: f64::INFINITY });
        let (unphrased, phrases) = extract(&query, &["open now".to_owned()], day);
        assert_eq!((unphrased, phrases), (query, Vec::new()));
    }
}
