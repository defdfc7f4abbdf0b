//! What a browser sees of a preview beside the pages: whether they are of the newest data, what is wrong with
//! it, and a page that says so while there is no other.

use std::sync::Arc;
use std::time::Duration;

use edge::beside::{Beside, Said};
use jiff::Timestamp;
use minijinja::value::Serde;
use minijinja::{Environment, context};
use net::request_head::Head;
use serde::Serialize;
use tokio::sync::watch;

use dataset::diagnostics::ErrorSummary;

/// How long a question for news is held. The edge gives an answer 15 s to begin.
const HELD: Duration = Duration::from_secs(10);
const SCRIPT: &str = include_str!("preview.js");
const STYLE: &str = include_str!("preview.css");
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

/// What a browser is told.
#[derive(Clone, Debug, Default)]
struct State {
    /// How often it changed.
    version: u64,
    /// Name of the snapshot that is served, and since when.
    serving: Option<(String, Timestamp)>,
    building: bool,
    trouble: Option<Arc<Trouble>>,
}

#[derive(Serialize)]
struct Status<'a> {
    /// To be sent with the next question, which is answered when there is another.
    seen: &'a str,
    generation: Option<&'a str>,
    since: Option<Timestamp>,
    building: bool,
    trouble: Option<&'a Trouble>,
}

/// What stands before the pages of a preview.
pub(super) struct Face {
    state: watch::Sender<State>,
    /// Tells this run from those before, whose pages may still be open.
    run: i64,
}

impl Face {
    pub(super) fn new() -> Self {
        let state = State { building: true, ..State::default() };
        Self { state: watch::Sender::new(state), run: Timestamp::now().as_millisecond() }
    }

    /// A build begins.
    pub(super) fn begins(&self) {
        self.change(|state| state.building = true);
    }

    /// A snapshot is served.
    pub(super) fn serves(&self, generation: String) {
        self.change(|state| {
            state.building = false;
            state.trouble = None;
            if state.serving.as_ref().is_none_or(|(known, _)| *known != generation) {
                state.serving = Some((generation, Timestamp::now()));
            }
        });
    }

    /// A build failed; what was served still is.
    pub(super) fn fails(&self, trouble: Trouble) {
        self.change(|state| {
            state.building = false;
            state.trouble = Some(Arc::new(trouble));
        });
    }

    /// Answers everybody who waits for news, so that nobody is waited for.
    pub(super) fn ends(&self) {
        self.change(|_| {});
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(|state| {
            state.version += 1;
            change(state);
        });
    }

    fn seen(&self, state: &State) -> String {
        format!("{}.{}", self.run, state.version)
    }

    /// What is new, as soon as it is not what the browser has seen.
    async fn status(&self, query: Option<&str>) -> Vec<u8> {
        let seen = query.and_then(|query| query.strip_prefix("seen=")).unwrap_or_default();
        let mut news = self.state.subscribe();
        // Nothing new within that time is an answer too.
        let _ = tokio::time::timeout(HELD, news.wait_for(|state| self.seen(state) != seen)).await;
        let state = news.borrow().clone();
        let status = Status {
            seen: &self.seen(&state),
            generation: state.serving.as_ref().map(|(generation, _)| generation.as_str()),
            since: state.serving.as_ref().map(|(_, since)| *since),
            building: state.building,
            trouble: state.trouble.as_deref(),
        };
        serde_json::to_vec(&status).unwrap_or_default()
    }

    /// The page of a preview that has no other.
    fn waiting(&self, state: &State) -> String {
        let mut environment = Environment::new();
        let said = environment.add_template("waiting.html", WAITING).and_then(|()| {
            let context = context! { seen => self.seen(state), trouble => Serde(state.trouble.as_deref()) };
            environment.get_template("waiting.html")?.render(context)
        });
        said.unwrap_or_else(|error| error.to_string())
    }
}

impl Beside for Face {
    async fn answer(&self, head: &Head) -> Option<Said> {
        match head.path.as_str() {
            "/__opdir/preview.js" => return Some(Said::Script(SCRIPT)),
            "/__opdir/preview.css" => return Some(Said::Style(STYLE)),
            "/__opdir/status" => return Some(Said::Json(self.status(head.query.as_deref()).await)),
            _ => {}
        }
        let state = self.state.borrow().clone();
        match state.serving {
            Some(_) => None,
            None if head.path.starts_with("/api/") || head.path == "/mcp" => {
                Some(Said::Refusal("No snapshot could be built yet; the first page says why."))
            }
            None => Some(Said::Unready(self.waiting(&state))),
        }
    }

    fn head_end(&self) -> String {
        let state = self.state.borrow();
        let generation = state.serving.as_ref().map_or("", |(generation, _)| generation);
        format!("<script src=\"/__opdir/preview.js\" data-generation=\"{generation}\" defer></script>\n")
    }
}
