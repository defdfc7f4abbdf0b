//! `search_opportunities`: a question in arguments is put into the words of the REST interface, so
//! that one table and one parser decide what it means.

use std::sync::LazyLock;

use form_urlencoded::Serializer;
use serde_json::value::RawValue;
use snapshot::facet::{Facet, Interval, MEASURES, place_label, state_label};
use snapshot::page::hole::Rule;
use snapshot::page::plain;
use snapshot::place;
use snapshot::query::{
    Kind, LIMIT_RANGE, PARAMETERS, Parameter, Query, Sort, TEXT_PHRASES_MAX, TEXT_WORDS_MAX, parse_date,
    parse_search,
};
use snapshot::record::Locale;
use snapshot::search::rank::{self, Ranked, Row, Understood, Wish};
use snapshot::search::text::words_of;

use super::Scope;
use super::arguments::{Arguments, Failure, Mistake};
use super::nearest::Nearest;
use super::reply::{json, shown};
use super::write::{push, push_number, push_optional};

const QUERY_MAX: usize = 300;
const ITEMS_MAX: usize = 20;
const ITEM_MAX: usize = 100;
const LIMIT_DEFAULT: u64 = 10;
const OFFSET_MAX: u64 = 10_000;
/// Longest code that is suggested for a wrong value.
const CODE_MAX: usize = 64;

const NOTHING: &str = "No record matches. Fewer words or filters find more; list_filter_options lists the values \
                       that filters accept.";
const NEAR_ONLY: &str = "No record has all of the query. These rows come near: match says how, missing what they \
                         lack.";
const NEAR_TOO: &str = "Rows whose match is not \"name\" or \"all\" come near: match says how, missing what they \
                        lack; total does not count them.";
const PAST: &str = "The offset is past the last row; total says how many records match.";
const WORDS_CUT: &str = "Only the first 32 words and 8 phrases of the query were used.";

/// The argument that stands for a parameter of the REST interface, if there is one.
fn argument(parameter: &Parameter) -> Option<&'static str> {
    match parameter.kind {
        Kind::Text => Some("query"),
        Kind::Funded => Some("fundedOnly"),
        Kind::Open => Some("openOnly"),
        Kind::Lang | Kind::Page | Kind::Facets => None,
        _ => Some(parameter.name),
    }
}

/// Arguments that the REST interface has no parameter for.
const OWN: [&str; 2] = ["includeUnstated", "plain"];

static ARGUMENTS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| PARAMETERS.iter().filter_map(argument).chain(OWN).collect());

const ALIASES: [(&str, &str); 4] =
    [("q", "query"), ("text", "query"), ("open", "openOnly"), ("funded", "fundedOnly")];

/// How much work a call is; a wrong one is none.
pub(super) fn price(scope: &Scope<'_>, raw: Option<&RawValue>) -> u64 {
    let arguments = Arguments::read(raw, &ARGUMENTS, &ALIASES);
    let query = arguments.ok().and_then(|arguments| read(scope, &arguments).ok());
    query.map_or(0, |(query, _)| scope.site.index.price_ranked(&query))
}

/// The question, and what of it is not accepted.
fn read(scope: &Scope<'_>, arguments: &Arguments<'_>) -> Result<(Query, Vec<String>), Mistake> {
    let asked = encode(arguments)?;
    let values = &scope.site.index.values;
    let (query, invalid) = parse_search(&asked, |facet, value| values.find(facet, value));
    Ok((Query { facets: false, ..query }, invalid))
}

/// Answers a call.
pub(super) fn call(scope: &Scope<'_>, raw: Option<&RawValue>) -> Result<Vec<u8>, Failure> {
    let arguments = Arguments::read(raw, &ARGUMENTS, &ALIASES)?;
    let (query, invalid) = read(scope, &arguments)?;
    let mut words_cut = false;
    for entry in &invalid {
        match rejected(entry) {
            Some((Kind::Text, ..)) => words_cut = true,
            Some((Kind::Values(facet), name, value)) => {
                return Err(unknown_value(scope, facet, name, value, query.locale).into());
            }
            _ => return Err(Mistake(format!("{} is not accepted.", json(&shown(entry)))).into()),
        }
    }
    check_order(&query)?;
    let sort = arguments.choice("sort", &SORTS)?;
    let by_relevance = query.text.is_some() && sort.is_none_or(|sort| sort == "relevance");
    let plain = arguments.texts("plain", ITEMS_MAX, ITEM_MAX)?;
    let wish = Wish {
        by_relevance,
        plain: &plain.iter().map(|words| words_of(words).join(" ")).collect::<Vec<_>>(),
        silent: arguments.flag("includeUnstated")?.unwrap_or(false),
        completes: false,
    };
    let ranked = rank::search(&scope.site.index, &query, &scope.dated.today, wish);
    Ok(render(scope, &query, wish, words_cut, &ranked))
}

const SORTS: [&str; 4] = ["relevance", Sort::Deadline.as_str(), Sort::Name.as_str(), Sort::Recent.as_str()];

/// The question as a query string of the REST interface.
fn encode(arguments: &Arguments<'_>) -> Result<String, Mistake> {
    let mut out = Serializer::new(String::new());
    for parameter in PARAMETERS.iter() {
        let Some(name) = argument(parameter) else { continue };
        if let Kind::Values(_) = parameter.kind {
            for value in arguments.texts(name, ITEMS_MAX, ITEM_MAX)? {
                out.append_pair(parameter.name, &value);
            }
        } else if let Some(value) = single(parameter.kind, name, arguments)? {
            out.append_pair(parameter.name, &value);
        }
    }
    Ok(out.finish())
}

/// The value of a parameter that has one.
fn single(kind: Kind, name: &str, arguments: &Arguments<'_>) -> Result<Option<String>, Mistake> {
    Ok(match kind {
        Kind::Text => arguments.text(name, QUERY_MAX)?.map(Into::into),
        Kind::Least(_) | Kind::Most(_) => arguments.amount(name)?.map(|number| number.to_string()),
        Kind::DeadlineFrom | Kind::DeadlineTo => match arguments.text(name, ITEM_MAX)? {
            Some(day) if parse_date(&day).is_none() => {
                return Err(arguments.wrong(name, "a day that exists, written YYYY-MM-DD"));
            }
            day => day.map(Into::into),
        },
        Kind::Rolling | Kind::Funded | Kind::Open => arguments.flag(name)?.map(|on| on.to_string()),
        Kind::Locale => arguments.choice(name, &["en", "es"])?.map(str::to_owned),
        Kind::Sort => arguments.choice(name, &SORTS)?.filter(|sort| *sort != SORTS[0]).map(str::to_owned),
        Kind::Limit => Some(arguments.integer(name, LIMIT_RANGE)?.unwrap_or(LIMIT_DEFAULT).to_string()),
        Kind::Offset => arguments.integer(name, (0, OFFSET_MAX))?.map(|offset| offset.to_string()),
        Kind::Values(_) | Kind::Lang | Kind::Page | Kind::Facets => None,
    })
}

/// What an entry of the parser's complaints is about: kind, argument and value.
fn rejected(entry: &str) -> Option<(Kind, &'static str, &str)> {
    let (name, value) = entry.split_once('=')?;
    let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    Some((parameter.kind, argument(parameter)?, value))
}

/// Ranges that hold nothing are mistakes rather than empty answers.
fn check_order(query: &Query) -> Result<(), Mistake> {
    for (spec, bounds) in MEASURES.iter().zip(query.measures) {
        if let Some(Interval { min, max }) = bounds.filter(|bounds| bounds.min > bounds.max)
            && let [Some(least), Some(most)] = spec.parameters
        {
            return Err(Mistake(format!("{least} {min} is greater than {most} {max}. Swap or drop one.")));
        }
    }
    match (query.deadline_from, query.deadline_to) {
        (Some(from), Some(to)) if from > to => {
            Err(Mistake("deadlineFrom is later than deadlineTo. Swap or drop one.".to_owned()))
        }
        _ => Ok(()),
    }
}

/// Names the values that are closest to one that a filter does not know. Only what looks like a
/// code is named, with a label only where the label is this project's own: values and labels of
/// records are strangers' text.
fn unknown_value(scope: &Scope<'_>, facet: Facet, name: &str, value: &str, locale: Locale) -> Mistake {
    let (values, rows) = (&scope.site.index.values, &scope.site.rows);
    let mut nearest: Nearest<(Facet, String)> = Nearest::new(value);
    let mut consider = |facet: Facet| {
        for ordinal in values.of(facet) {
            let code = values.text(ordinal as u32);
            if !is_code(code) {
                continue;
            }
            let item = || (facet, code.to_owned());
            let pick = snapshot::query::Pick::Value(ordinal as u32);
            nearest.consider(code, item);
            Locale::ALL.iter().for_each(|locale| nearest.consider(rows.label(facet, &pick, *locale), item));
        }
        for place in place::all().filter(|_| facet.spec().places) {
            let item = || (facet, place.code.to_owned());
            nearest.consider(place.code, item);
            Locale::ALL.iter().for_each(|locale| nearest.consider(place.name(*locale), item));
        }
    };
    consider(facet);
    if facet.group() != facet {
        // The parameter takes values of the other too.
        consider(facet.group());
    }
    let named: Vec<String> =
        nearest.finish().iter().map(|(facet, code)| labelled(*facet, code, locale)).collect();
    let nearest = if named.is_empty() { String::new() } else { format!(" Nearest: {}.", named.join(", ")) };
    let part: String = value.chars().filter(|c| c.is_alphanumeric() || *c == ' ').take(3).collect();
    Mistake(format!(
        "Unknown {name} value {}.{nearest} Live values: list_filter_options {{\"facet\":{},\"q\":{}}}.",
        json(&shown(value)),
        json(facet.spec().name),
        json(part.trim()),
    ))
}

fn is_code(value: &str) -> bool {
    value.len() <= CODE_MAX && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn labelled(facet: Facet, code: &str, locale: Locale) -> String {
    match place_label(facet, code, locale).or_else(|| state_label(facet, code, locale)) {
        Some(label) => format!("{} ({label})", json(code)),
        None => json(code),
    }
}

fn render(scope: &Scope<'_>, query: &Query, wish: Wish<'_>, words_cut: bool, ranked: &Ranked) -> Vec<u8> {
    let mut out = Vec::with_capacity(300 + 700 * ranked.rows.len());
    push(&mut out, "{\"opportunities\":[");
    for (position, row) in ranked.rows.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        push_row(scope, row, query.locale, &mut out);
    }
    let next = query.page.offset + ranked.rows.len() as u64;
    push(&mut out, "],\"total\":");
    push_number(&mut out, ranked.total);
    push(&mut out, ",\"limit\":");
    push_number(&mut out, query.page.limit);
    push(&mut out, ",\"offset\":");
    push_number(&mut out, query.page.offset);
    push(&mut out, ",\"nextOffset\":");
    push_optional(&mut out, Some(next).filter(|next| ranked.more && *next <= OFFSET_MAX));
    push(&mut out, ",\"sort\":\"");
    push(&mut out, if wish.by_relevance { SORTS[0] } else { query.sort.as_str() });
    out.push(b'"');
    push_reading(scope, query.locale, ranked, &mut out);
    if let Some(notice) = notice(query, wish, words_cut, ranked) {
        push(&mut out, ",\"notice\":");
        push(&mut out, &json(&notice));
    }
    out.push(b'}');
    out
}

fn push_row(scope: &Scope<'_>, row: &Row, locale: Locale, out: &mut Vec<u8>) {
    out.extend_from_slice(scope.site.mcp_rows.row(row.doc, locale));
    Rule::NextDeadline.fill(row.doc, scope.dated, out);
    if let Some(told) = scope.dated.today.told(row.doc) {
        push(out, ",\"state\":");
        push(out, &json(&plain::state(&told, locale)));
    }
    push(out, ",\"recordUrl\":\"");
    push(out, scope.base_url);
    push(out, "/programs/");
    push(out, scope.site.index.slug(row.doc));
    push(out, "\",\"match\":\"");
    push(out, row.tier.as_str());
    out.push(b'"');
    if !row.missing.is_empty() {
        push(out, ",\"missing\":");
        push(out, &json(&row.missing));
    }
    out.push(b'}');
}

/// How the query was read: what words were taken for, guessed to be, and which stand nowhere.
fn push_reading(scope: &Scope<'_>, locale: Locale, ranked: &Ranked, out: &mut Vec<u8>) {
    let mut before = ",\"understood\":[";
    for understood in &ranked.understood {
        push(out, before);
        before = ",";
        push_understood(scope, locale, understood, out);
    }
    for said in &ranked.said {
        push(out, before);
        before = ",";
        push(out, "{\"words\":");
        push(out, &json(&said.words));
        push(out, ",\"filters\":[{\"parameter\":");
        push(out, &json(&said.parameter));
        push(out, ",\"value\":");
        push(out, &json(&said.value));
        push(out, "}]}");
    }
    push(out, if before == "," { "]" } else { "" });
    let mut before = ",\"guessed\":[";
    for guess in &ranked.guesses {
        push(out, before);
        before = ",";
        push(out, "{\"typed\":");
        push(out, &json(&guess.word));
        push(out, ",\"shown\":");
        push(out, &json(&guess.read_as));
        out.push(b'}');
    }
    push(out, if ranked.guesses.is_empty() { "" } else { "]" });
    if !ranked.unknown.is_empty() {
        push(out, ",\"unknown\":");
        push(out, &json(&ranked.unknown));
    }
}

/// Only what looks like a code is named: other values are strangers' text.
fn push_understood(scope: &Scope<'_>, locale: Locale, understood: &Understood, out: &mut Vec<u8>) {
    push(out, "{\"words\":");
    push(out, &json(&understood.words));
    push(out, ",\"filters\":[");
    let values = &scope.site.index.values;
    let place = understood.place.iter().map(|code| (Facet::Countries, code.as_str()));
    let named = understood.values.iter().map(|(facet, ordinal)| (*facet, values.text(*ordinal)));
    for (position, (facet, value)) in place.chain(named.filter(|(_, value)| is_code(value))).enumerate() {
        push(out, if position > 0 { ",{\"facet\":" } else { "{\"facet\":" });
        push(out, &json(facet.spec().name));
        push(out, ",\"value\":");
        push(out, &json(value));
        if let Some(label) = place_label(facet, value, locale) {
            push(out, ",\"label\":");
            push(out, &json(label));
        }
        out.push(b'}');
    }
    push(out, "]}");
}

/// What a reader should know about the rows; constant texts and a count only.
fn notice(query: &Query, wish: Wish<'_>, words_cut: bool, ranked: &Ranked) -> Option<String> {
    const { assert!(TEXT_WORDS_MAX == 32 && TEXT_PHRASES_MAX == 8) };
    let near = ranked.rows.iter().any(|row| !row.tier.is_full());
    let past = ranked.rows.is_empty() && query.page.offset > 0 && ranked.total > 0;
    let mut parts: Vec<String> = Vec::new();
    match (ranked.total, near) {
        _ if past => parts.push(PAST.to_owned()),
        (0, true) => parts.push(NEAR_ONLY.to_owned()),
        (0, false) => parts.push(NOTHING.to_owned()),
        (_, true) => parts.push(NEAR_TOO.to_owned()),
        (_, false) => {}
    }
    if ranked.silent > 0 && !wish.silent {
        parts.push(format!(
            "{} more records match but do not say who may apply; includeUnstated lists them.",
            ranked.silent
        ));
    }
    parts.extend(words_cut.then(|| WORDS_CUT.to_owned()));
    (!parts.is_empty()).then(|| parts.join(" "))
}
