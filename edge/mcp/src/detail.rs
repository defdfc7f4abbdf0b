//! What both forms of a record are made of: the stored answer, and words that depend on the day.

use serde::Deserialize;
use snapshot::page::status_text;
use snapshot::record::Locale;

use crate::context::Context;
use crate::state::State;

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
    pub(crate) day: Option<State>,
    /// The funding amounts, as in search rows.
    pub(crate) funding: Option<String>,
}

impl Words {
    pub(crate) fn new(context: &Context<'_>, doc: u32, locale: Locale) -> Self {
        #[derive(Deserialize)]
        struct Row {
            funding: Option<String>,
        }
        let state = context.dated.today.state(doc);
        // A stored row lacks its closing brace.
        let row = [context.site.mcp_rows.row(doc, locale), b"}"].concat();
        Self {
            locale,
            state: state.map(|state| status_text::state(&state, locale)).unwrap_or_default(),
            day: State::new(context, doc),
            funding: serde_json::from_slice::<Row>(&row).ok().and_then(|row| row.funding),
        }
    }
}
