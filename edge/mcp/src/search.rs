//! `search_opportunities`: rows for a model to choose from, and how the question was interpreted.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use snapshot::facet::{Facet, place_label};
use snapshot::page::mcp_row;
use snapshot::place::label_with_country;
use snapshot::query::Page;
use snapshot::record::Locale;
use snapshot::search::{
    Constraint, FilterPhrase, Interpretation, OfferedPlaces, RankOptions, RankedPage, RankedRow, Tier,
};
use snapshot::text::words_of;

use crate::arguments::{Arguments, ToolError};
use crate::context::Context;
use crate::question::{self, ALIASES, ITEM_MAX, ITEMS_MAX, OFFSET_MAX, Question, SORTS};
use crate::reply::{json as quoted, push};
use crate::state::{DAYS_LEFT, state};
use crate::vocabulary::is_code;

const NOTHING: &str = "No record matches. Try fewer or other words or filters; list_filter_options lists the values that \
                       filters accept.";
const NOTHING_BUT_WITHOUT: &str = "No record matches. without says how many do when a word or filter is left out; \
                                   list_filter_options lists the values that filters accept.";
const NOTHING_BUT_ALONE: &str = "No record matches, nor would one if a word or filter were left out. alone says how many \
                                 have each, and first which words records have together; list_filter_options lists the values that filters accept.";
const NOTHING_CLOSE: &str =
    "Nothing comes close: each row has less than half of the query. Search for fewer words.";
const NO_RECORD: &str = "No record is published.";
const NEAR_TOO: &str = "Rows with a match other than \"name\" or \"more\" come near: match says how, missing what they lack; \
                        total does not count them.";
const PAST: &str = "The offset is past the last row; total says how many records match.";

const UNAPPLIED: &str = "Words in understood without filters were not applied: amounts are compared in US dollars only; no filter \
                         bounds the day on which a record opens or how long something lasts, or is the opposite of \
                         another; a day such as 1/2/2027 has two readings; words such as not limited to neither require \
                         nor exclude anything.";

/// Arguments that the REST interface has no parameter for.
const OWN: [&str; 3] = ["includeUnstated", "partial", "plain"];

static ARGUMENTS: LazyLock<Vec<&'static str>> = LazyLock::new(|| question::arguments().chain(OWN).collect());

/// The work that a call takes, in units of the search; 0 for an invalid call.
pub(crate) fn price(context: &Context<'_>, raw: Option<&RawValue>) -> u64 {
    let Ok(arguments) = Arguments::read(raw, &ARGUMENTS, &ALIASES) else { return 0 };
    let (work, query) = question::price(context, &arguments);
    work + context.site.index.ranked_cost(&query)
}

/// Answers a call.
pub(crate) fn call(context: &Context<'_>, raw: Option<&RawValue>) -> Result<Vec<u8>, ToolError> {
    let arguments = Arguments::read(raw, &ARGUMENTS, &ALIASES)?;
    let question = question::read(context, &arguments)?;
    let sort = arguments.choice("sort", &SORTS)?;
    let by_relevance = question.query.text.is_some() && sort.is_none_or(|sort| sort == "relevance");
    let plain = arguments.texts("plain", ITEMS_MAX, ITEM_MAX)?;
    let partial = arguments.flag("partial")?.unwrap_or(false);
    let options = RankOptions {
        by_relevance,
        open_first: sort.is_none(),
        literal: &plain.iter().map(|words| words_of(words).join(" ")).collect::<Vec<_>>(),
        with_unstated: arguments.flag("includeUnstated")?.unwrap_or(false),
        partial_if_needed: !partial,
        partial_unless_named: !partial,
        ..RankOptions::default()
    };
    let ranked = context.site.index.ranked(&question.query, &context.dated.today, options);
    Ok(render(context, &question, options, &ranked))
}

fn render(
    context: &Context<'_>,
    question: &Question,
    options: RankOptions<'_>,
    ranked: &RankedPage,
) -> Vec<u8> {
    let query = &question.query;
    let requested = requested(context, question, ranked);
    let mut out = Vec::with_capacity(300 + 700 * ranked.rows.len());
    push(&mut out, "{\"opportunities\":[");
    for (position, row) in ranked.rows.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        push_row(context, row, (&requested, query.locale), &mut out);
    }
    let (Page { offset, limit }, total) = (query.page, ranked.total);
    push(&mut out, format_args!("],\"total\":{total},\"limit\":{limit},\"offset\":{offset}"));
    let unconfirmed = ranked.unconfirmed;
    if unconfirmed > 0 {
        push(&mut out, format_args!(",\"unconfirmed\":{unconfirmed}"));
    }
    let next = offset + ranked.rows.len() as u64;
    if ranked.more && next <= OFFSET_MAX {
        push(&mut out, format_args!(",\"nextOffset\":{next}"));
    }
    let sort = if options.by_relevance { SORTS[0] } else { query.sort.as_str() };
    push(&mut out, format_args!(",\"sort\":\"{sort}\",\"asOf\":{}", context.day()));
    push_reading(context, question, ranked, &mut out);
    let way = if ranked.total == 0 { push_ways_out(context, question, options, &mut out) } else { None };
    if let Some(notice) = notice(question, options, ranked, way) {
        push(&mut out, format_args!(",\"notice\":{}", quoted(&notice)));
    }
    out.push(b'}');
    out
}

/// The values that a question has, as filters or in words. A place in words is meant in any facet.
fn requested<'a>(
    context: &'a Context<'_>,
    question: &'a Question,
    ranked: &'a RankedPage,
) -> Vec<(Facet, &'a str)> {
    let index = &context.site.index;
    let selected = question.query.selected.iter().map(|(facet, value)| (*facet, index.value_text(value)));
    let meant = ranked.interpretations.iter().filter(|it| it.left_out.is_none()).flat_map(|it| {
        let place = it.place.as_deref().map(|code| (Facet::Countries, code));
        place
            .into_iter()
            .chain(it.values.iter().map(|(facet, ordinal)| (*facet, index.values.text(*ordinal))))
    });
    selected.chain(meant).collect()
}

/// Appends a row, in a language, with the values that the question has first. `match` is left out of full matches, the
/// usual case, by whichever words.
fn push_row(
    context: &Context<'_>,
    row: &RankedRow,
    (requested, locale): (&[(Facet, &str)], Locale),
    out: &mut Vec<u8>,
) {
    mcp_row::push(context.site.mcp_rows.row(row.doc, locale), requested, locale, out);
    if let Some(mut state) = state(context, row.doc) {
        state.0.retain(|(name, _)| *name != DAYS_LEFT);
        state.push(out);
    }
    let (base_url, slug) = (context.base_url, context.site.index.slug(row.doc));
    push(out, format_args!(",\"recordUrl\":\"{base_url}/programs/{slug}\""));
    if !matches!(row.tier, Tier::All | Tier::Unconfirmed) {
        push(out, format_args!(",\"match\":\"{}\"", row.tier.as_str()));
    }
    if !row.shown_for.is_empty() {
        push(out, format_args!(",\"shownFor\":{}", quoted(&row.shown_for.join(", "))));
    }
    if !row.missing.is_empty() {
        push(out, format_args!(",\"missing\":{}", quoted(&row.missing)));
    }
    out.push(b'}');
}

/// Appends how the question was interpreted: values and words that were replaced, guessed or not found.
fn push_reading(context: &Context<'_>, question: &Question, ranked: &RankedPage, out: &mut Vec<u8>) {
    let locale = question.query.locale;
    let mut read = question::understood(&question.interpreted);
    read.extend(ranked.interpretations.iter().map(|it| understood(context, locale, it)));
    read.extend(ranked.filter_phrases.iter().map(|phrase| {
        let filter = json!({"parameter": phrase.parameter, "value": phrase.value});
        json!({"words": phrase.words, "filters": [filter]})
    }));
    read.extend(ranked.unapplied.chunk_by(|a, b| a.words == b.words).map(unapplied));
    read.extend(ranked.offered.iter().map(|it| offered(locale, it)));
    let guessed = ranked.guesses.iter().map(|guess| json!({"typed": guess.word, "shown": guess.read_as}));
    let unknown = ranked.unknown.iter().map(|word| json!(word));
    let all = [("understood", read), ("guessed", guessed.collect()), ("unknown", unknown.collect())];
    for (name, list) in all.into_iter().filter(|(_, list)| !list.is_empty()) {
        push(out, format_args!(",\"{name}\":{}", quoted(&list)));
    }
}

/// Members that show in place of records what a question that nothing matches would find without each word and filter,
/// and with each alone.
const WITHOUT: &str = "without";
const ALONE: &str = "alone";

/// Appends how many records match without each word and filter of a question that nothing matches, or where none does,
/// how many have each. Only values that look like codes are named. Gives the name of the member.
fn push_ways_out(
    context: &Context<'_>,
    question: &Question,
    options: RankOptions<'_>,
    out: &mut Vec<u8>,
) -> Option<&'static str> {
    let (index, today) = (&context.site.index, &context.dated.today);
    let relaxations = index.relaxations(&question.query, today, options.literal);
    let (name, ways) = match relaxations.is_empty() {
        true => (ALONE, index.parts_found(&question.query, today, options.literal)),
        false => (WITHOUT, relaxations.into_iter().map(|way| (way, None)).collect()),
    };
    // A part by itself is news where there are others.
    if name == ALONE && ways.len() < 2 {
        return None;
    }
    let entries = ways.iter().map(|(way, best)| {
        let mut entry = match &way.removed {
            Constraint::Words(words) => json!({"words": words}),
            Constraint::Filter { parameter, value } => {
                let value = Some(value).filter(|value| is_code(value));
                json!({"parameter": question::named(parameter), "value": value})
            }
            Constraint::Role { facet, place } => {
                let parameter = question::named(facet.spec().parameter);
                json!({"instead": {"parameter": parameter, "value": place}})
            }
        };
        entry["total"] = way.total.into();
        if let Some(best) = best {
            entry["best"] = index.slug(*best).into();
        }
        entry
    });
    push(out, format_args!(",\"{name}\":{}", quoted(&entries.collect::<Vec<_>>())));
    Some(name)
}

/// An interpretation as JSON. Only values that look like codes are named: others are text of third parties.
fn understood(context: &Context<'_>, locale: Locale, understood: &Interpretation) -> Value {
    let values = &context.site.index.values;
    let place = understood.place.iter().map(|code| (Facet::Countries, code.as_str()));
    let named = understood.values.iter().map(|(facet, ordinal)| (*facet, values.text(*ordinal)));
    let filter = |(facet, value): (Facet, &str)| {
        let mut filter = json!({"facet": facet.spec().name, "value": value});
        if let Some(label) = place_label(facet, value, locale) {
            filter["label"] = label.into();
        }
        filter
    };
    let mut filters = place.chain(named.filter(|(_, value)| is_code(value))).map(filter);
    if let Some(words) = &understood.left_out {
        let outside = filters.next().unwrap_or_else(|| json!({"facet": "text", "value": words}));
        return json!({"words": understood.words, "filters": [], "outside": outside});
    }
    let filters: Vec<Value> = filters.collect();
    let mut entry = json!({"words": understood.words, "filters": filters});
    if understood.is_alternative {
        entry["or"] = true.into();
    }
    if !understood.roles.is_empty() {
        let name = |role: Option<Facet>| role.map_or("text", |facet| facet.spec().name);
        let roles = understood.roles.iter().map(|(role, total)| (name(*role).to_owned(), json!(total)));
        entry["role"] = "any".into();
        entry["roles"] = roles.collect::<serde_json::Map<_, _>>().into();
    }
    entry
}

/// Words that mean a filter and were not applied, and the filters that they mean.
fn unapplied(phrases: &[FilterPhrase]) -> Value {
    let mut entry = json!({"words": phrases[0].words, "filters": []});
    let offered = phrases.iter().filter(|phrase| !phrase.parameter.is_empty());
    let offered: Vec<Value> =
        offered.map(|phrase| json!({"parameter": phrase.parameter, "value": phrase.value})).collect();
    if !offered.is_empty() {
        entry["offered"] = offered.into();
    }
    entry
}

/// A word that was searched as text, with the places that it may name.
fn offered(locale: Locale, OfferedPlaces { words, places }: &OfferedPlaces) -> Value {
    let place = |((code, facet), total): &((&str, Facet), usize)| {
        let (label, parameter) = (label_with_country(code, locale), question::named(facet.spec().parameter));
        json!({"parameter": parameter, "value": code, "label": label, "total": total})
    };
    json!({"words": words, "filters": [], "offered": places.iter().map(place).collect::<Vec<_>>()})
}

/// The notice about the rows; made of constant texts and a count only.
fn notice(
    question: &Question,
    options: RankOptions<'_>,
    ranked: &RankedPage,
    way: Option<&str>,
) -> Option<String> {
    let near = ranked.rows.iter().any(|row| !row.tier.is_full());
    let close = ranked.rows.iter().filter(|row| row.tier != Tier::Some).count();
    let past = ranked.rows.is_empty() && question.query.page.offset > 0 && ranked.total > 0;
    let mut parts: Vec<String> = Vec::new();
    match (ranked.total, near) {
        _ if past => parts.push(PAST.to_owned()),
        (0, true) if close == 0 => {
            let fewer = way.map_or(String::new(), |name| format!(" {name} has what would be found."));
            parts.push(format!("{NOTHING_CLOSE}{fewer}"));
        }
        (0, true) => parts.push(format!(
            "No exact match. {close} of these come close: match says how, missing what they lack."
        )),
        (0, false) if way == Some(WITHOUT) => parts.push(NOTHING_BUT_WITHOUT.to_owned()),
        (0, false) if way == Some(ALONE) => parts.push(NOTHING_BUT_ALONE.to_owned()),
        (0, false) if question.query.is_narrowed() => parts.push(NOTHING.to_owned()),
        (0, false) => parts.push(NO_RECORD.to_owned()),
        (_, true) => parts.push(NEAR_TOO.to_owned()),
        (_, false) => {}
    }
    if ranked.unstated > 0 && !options.with_unstated {
        parts.push(format!(
            "Records that do not state what a filter asks for, and may match: {}; includeUnstated lists them.",
            ranked.unstated
        ));
    }
    let is_left_out = |phrase: &FilterPhrase| phrase.parameter.is_empty();
    parts.extend(ranked.unapplied.iter().any(is_left_out).then(|| UNAPPLIED.to_owned()));
    parts.extend(question.text_notice.map(str::to_owned));
    (!parts.is_empty()).then(|| parts.join(" "))
}
