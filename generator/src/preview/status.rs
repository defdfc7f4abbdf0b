//! The status of a preview: which snapshot is served, whether another is being built, and the problems of the data. Pages
//! follow it, and a page of its own shows it while there is no snapshot.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

use dataset::diagnostics::ErrorSummary;

/// How long a request for news waits for a change. The edge cuts a request after 15 s.
const HELD: Duration = Duration::from_secs(10);
const WAITING: &str = include_str!("waiting.html");

/// Why there is no new snapshot.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Trouble {
    /// In a few words.
    pub title: String,
    /// The first problems.
    pub problems: Vec<ErrorSummary>,
    /// How many kinds of problems there are besides.
    pub more: usize,
}

#[derive(Clone, Debug, Default)]
struct State {
    /// Number of changes.
    version: u64,
    /// Name of the snapshot that is served, and since when.
    serving: Option<(String, Timestamp)>,
    building: bool,
    trouble: Option<Arc<Trouble>>,
}

/// The status of a preview, shared by the builder and the pages.
pub(super) struct Status {
    state: watch::Sender<State>,
    /// Distinguishes this run from earlier ones, whose pages may still be open.
    run: i64,
}

impl Status {
    pub(super) fn new() -> Self {
        let state = State { building: true, ..State::default() };
        Self { state: watch::Sender::new(state), run: Timestamp::now().as_millisecond() }
    }

    /// A build begins.
    pub(super) fn begin(&self) {
        self.change(|state| state.building = true);
    }

    /// A snapshot is served, or a build failed and what was served still is.
    pub(super) fn settle(&self, made: Result<String, Trouble>) {
        self.change(|state| {
            state.building = false;
            state.trouble = None;
            match made {
                Ok(known) if state.serving.as_ref().is_some_and(|(serving, _)| *serving == known) => {}
                Ok(generation) => state.serving = Some((generation, Timestamp::now())),
                Err(trouble) => state.trouble = Some(Arc::new(trouble)),
            }
        });
    }

    /// Answers all requests for news, so that shutdown does not wait for them.
    pub(super) fn end(&self) {
        self.change(|_| {});
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(|state| {
            state.version += 1;
            change(state);
        });
    }

    fn token(&self, state: &State) -> String {
        format!("{}.{}", self.run, state.version)
    }

    /// The status as JSON, as soon as it differs from the one that `query` names.
    pub(super) async fn news(&self, query: &str) -> Vec<u8> {
        let seen = query.strip_prefix("seen=").unwrap_or_default();
        let mut changes = self.state.subscribe();
        // Without a change within that time, the same status is the answer.
        let _ = tokio::time::timeout(HELD, changes.wait_for(|state| self.token(state) != seen)).await;
        let state = changes.borrow().clone();
        let news = json!({
            // To be sent with the next request, which is answered when it has changed.
            "seen": self.token(&state),
            "generation": state.serving.as_ref().map(|(generation, _)| generation),
            "since": state.serving.as_ref().map(|(_, since)| since),
            "building": state.building,
            "trouble": state.trouble.as_deref(),
        });
        news.to_string().into()
    }

    /// The page that is shown while there is no snapshot.
    pub(super) fn waiting_page(&self) -> Option<String> {
        let state = self.state.borrow().clone();
        if state.serving.is_some() {
            return None;
        }
        let context = context! { seen => self.token(&state), trouble => Serde(state.trouble.as_deref()) };
        let page = Environment::new().render_named_str("waiting.html", WAITING, context);
        Some(page.unwrap_or_else(|error| error.to_string()))
    }

    /// The script that is put into every page of the served snapshot.
    pub(super) fn script(&self) -> String {
        let state = self.state.borrow();
        let generation = state.serving.as_ref().map_or("", |(generation, _)| generation);
        format!("<script src=\"/__opdir/preview.js\" data-generation=\"{generation}\" defer></script>\n")
    }
}
