//! What both forms of a record are made of: the stored answer, and words that depend on the day.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use snapshot::page::caution;
use snapshot::page::mcp_row;
use snapshot::page::status_text;
use snapshot::record::Locale;

use crate::context::Context;
use crate::state::state;
use crate::statements::{Members, Object, text};

#[derive(Deserialize)]
pub(crate) struct Body<T> {
    pub(crate) data: Detail<T>,
}

/// The members of ProgramDetailResponse that are read, each record as a `T`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Detail<T> {
    pub(crate) program: T,
    pub(crate) organization: T,
    pub(crate) cycles: Vec<T>,
    pub(crate) awards: Vec<T>,
    pub(crate) sources: Vec<T>,
    pub(crate) lifecycle_history: Vec<T>,
    pub(crate) opportunity_facts: Vec<T>,
    pub(crate) history: History,
}

/// Fields of the program whose texts are long.
const TEXTS: [&str; 3] = ["name", "summary", "description"];

/// What has to be known of the texts of a record before they are read.
pub(crate) struct TextNotes {
    /// Members whose text speaks to language models.
    pub(crate) caution: Vec<&'static str>,
    /// Members whose text ends at its source before it is over.
    pub(crate) cut_at_source: Vec<&'static str>,
}

impl TextNotes {
    /// Reads the texts of a record; `read` gives its parts as objects.
    pub(crate) fn new<'a, T>(detail: &'a Detail<T>, read: impl Fn(&'a T) -> Cow<'a, Object>) -> Self {
        let program = read(&detail.program);
        let texts = TEXTS.into_iter().filter_map(|name| Some((name, text(&program, name)?)));
        let of_program =
            texts.clone().filter(|(_, text)| caution::to_models(text).is_some()).map(|(name, _)| name);
        let parts = [
            ("organization", std::slice::from_ref(&detail.organization)),
            ("opportunityFacts", &detail.opportunity_facts),
            ("cycles", &detail.cycles),
            ("sources", &detail.sources),
            ("awards", &detail.awards),
        ];
        let has_any = |part: &'a T| read(part).values().any(speaks_to_models);
        let of_parts = parts.iter().filter(|(_, parts)| parts.iter().any(has_any)).map(|(name, _)| *name);
        let is_cut = |text: &str| text.trim_end().ends_with(['\u{2026}']) || text.trim_end().ends_with("...");
        Self {
            caution: of_program.chain(of_parts).collect(),
            cut_at_source: texts.skip(1).filter(|(_, text)| is_cut(text)).map(|(name, _)| name).collect(),
        }
    }
}

fn speaks_to_models(value: &Value) -> bool {
    match value {
        Value::String(text) => caution::to_models(text).is_some(),
        Value::Object(members) => members.values().any(speaks_to_models),
        Value::Array(items) => items.iter().any(speaks_to_models),
        _ => false,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    pub(crate) award_count: usize,
}

/// Values that are computed for the record, the day and the language.
pub(crate) struct Words {
    pub(crate) locale: Locale,
    /// The state on the day, as a sentence.
    pub(crate) state: String,
    /// The state on the day, as members that can be compared.
    pub(crate) day: Option<Members>,
    /// The funding amounts, as in search rows.
    pub(crate) funding: Option<String>,
}

impl Words {
    pub(crate) fn new(context: &Context<'_>, doc: u32, locale: Locale) -> Self {
        let program_state = context.dated.today.state(doc);
        let mut row = Vec::new();
        mcp_row::push(context.site.mcp_rows.row(doc, locale), &[], locale, &mut row);
        row.push(b'}');
        let row: Object = serde_json::from_slice(&row).unwrap_or_default();
        let (day, in_words) = (context.dated.today.day, row.contains_key("deadlineText"));
        Self {
            locale,
            state: program_state
                .map(|state| status_text::state(&state, day, locale, in_words))
                .unwrap_or_default(),
            day: state(context, doc),
            funding: text(&row, "funding").map(str::to_owned),
        }
    }
}
