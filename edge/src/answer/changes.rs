//! `/changes`: which records changed since a position, one JSON object a line, and `/api/v1/changes`, the same in one object.
//! Every answer links the next one; after an answer without a line there is nothing new yet, and the same address is to
//! be requested again later.
//! `/changes.atom`: the latest changes, for feed readers.

use http::{HeaderValue, StatusCode};
use snapshot::page::address::CHANGES_TAG;
use snapshot::page::{changes, error};
use snapshot::query::{faults, is_slug, pairs};
use store::{ChangeLog, ChangePosition, RECORD_KINDS};

use super::computed::{Computed, Query};
use crate::cache_control;
use crate::reply::Reply;
use crate::representation::Representation;
use crate::request::{Answer, Request};

/// Most lines of an answer.
const LINES_MAX: u64 = 5_000;
const LINES_DEFAULT: usize = 1_000;

const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");
const ATOM: HeaderValue = HeaderValue::from_static("application/atom+xml; charset=utf-8");

/// How many publications an edge may be behind the one that returned a position.
const AHEAD_MAX: u64 = 16;

const SINCE: &str = "no position; take it from the Link header of an earlier answer, or leave it out to begin with all \
                     records";
const GONE: &str = "Removals since then are no longer known, or the directory was built anew: start again with \
                    /changes, or with /api/v1/exports/latest.";

impl Request {
    /// Answers with lines, or with one object that holds them; `path` is that of the form.
    pub(super) fn changes(&self, path: &'static str) -> Answer {
        let generation = self.state.generation();
        let history = generation.changes();
        let (from, limit) = match read(self.head.query(), history) {
            Ok(read) => read,
            Err(reply) => return (*reply).into(),
        };
        let computed = Query {
            work: history.price(generation.files(), limit),
            ..self.query(path, query(history, &from, limit), &self.history_id())
        };
        let representation = move || {
            let lines = path == changes::LINES;
            let form = if lines { Representation::new(NDJSON) } else { Representation::json() };
            form.tag(CHANGES_TAG)
        };
        self.computed(computed, representation, move |request| {
            let generation = request.state.generation();
            let history = generation.changes();
            let changed = history.after(generation.files(), &from, limit);
            let next = history.next(&from, &changed, limit);
            let base_url = request.state.base_url();
            let bytes = match path {
                changes::PAGE => changes::page(base_url, &changed, limit, &cursor(history, &next)),
                _ => changes::lines(base_url, &changed),
            };
            Computed { next: Some((path, query(history, &next, limit))), ..bytes.into() }
        })
    }

    pub(super) fn changes_feed(&self) -> Answer {
        const LIMIT: usize = changes::ENTRIES_MAX;
        let generation = self.state.generation();
        let computed = Query {
            work: generation.changes().price(generation.files(), LIMIT),
            ..self.query(changes::FEED, String::new(), &self.history_id())
        };
        let representation = || Representation::new(ATOM).tag(CHANGES_TAG);
        self.computed(computed, representation, |request| {
            let (generation, site) = (request.state.generation(), request.state.site());
            let newest = generation.changes().newest(generation.files(), LIMIT);
            let generated = generation.manifest().generated_at;
            changes::feed(site, request.state.base_url(), generated, &newest).into()
        })
    }

    /// The query for all changes after the live generation, which downloads link.
    pub(super) fn position(&self) -> String {
        let history = self.state.generation().changes();
        let newest = ChangePosition { sequence: history.newest_sequence(), ..ChangePosition::default() };
        query(history, &newest, LINES_DEFAULT)
    }

    /// Identifies the history of a generation: one that is published again keeps its hash.
    fn history_id(&self) -> [String; 2] {
        let generation = self.state.generation();
        [generation.id().sequence.to_string(), generation.changes().name()]
    }
}

/// Reads the position and the number of lines; without `since`, from the start. Unknown names are ignored, since caches
/// and trackers add them.
fn read(query: &str, changes: &ChangeLog) -> Result<(ChangePosition, usize), Box<Reply>> {
    let (mut from, mut limit, mut is_own) = (ChangePosition::default(), LINES_DEFAULT, true);
    let faults = faults(pairs(query), &["since", "limit"], |name, value| {
        match (name, position(value, changes), number(value)) {
            ("since", Some((true, at)), _) if is_ahead(&at, changes) => return Err(beyond(changes)),
            ("since", Some((of, at)), _) => (from, is_own) = (at, of),
            ("since", None, _) => return Err(SINCE.to_owned()),
            (_, _, Some(lines @ 1..=LINES_MAX)) => limit = lines as usize,
            _ => return Err(format!("not an integer from 1 to {LINES_MAX}")),
        }
        Ok(())
    });
    if !faults.is_empty() {
        return Err(Box::new(Reply::bad_request(error::changes_faults(&faults))));
    }
    if !is_own || !changes.reaches(&from) {
        let gone = Reply::error(StatusCode::GONE, error::message(GONE), cache_control::SHORT);
        return Err(Box::new(gone));
    }
    Ok((from, limit))
}

/// Whether a position is further than any edge could be.
fn is_ahead(at: &ChangePosition, changes: &ChangeLog) -> bool {
    at.sequence.max(at.begun) > changes.newest_sequence().saturating_add(AHEAD_MAX)
}

fn beyond(changes: &ChangeLog) -> String {
    let newest = ChangePosition { sequence: changes.newest_sequence(), ..ChangePosition::default() };
    format!("beyond the newest position, which is {}", cursor(changes, &newest))
}

/// A number in digits alone.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The query for what follows a position.
fn query(changes: &ChangeLog, from: &ChangePosition, limit: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &cursor(changes, from)).append_pair("limit", &limit.to_string()).finish()
}

/// A position as a cursor: `<root>.<publication>`, and within one `.<begun>.<kind>/<slug>`, `-` before a removed one.
fn cursor(changes: &ChangeLog, at: &ChangePosition) -> String {
    let start = format!("{}.{}", changes.name(), at.sequence);
    match &at.record {
        Some(record) => format!("{start}.{}.{record}", at.begun),
        None => start,
    }
}

/// The position of a cursor, and whether it is one of this history.
fn position(text: &str, changes: &ChangeLog) -> Option<(bool, ChangePosition)> {
    let mut parts = text.splitn(4, '.');
    let (root, name) = (parts.next()?, changes.name());
    let is_name =
        root.len() == name.len() && root.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let sequence = parts.next().and_then(number)?;
    let at = match (parts.next(), parts.next()) {
        (None, _) => ChangePosition { sequence, ..ChangePosition::default() },
        (Some(begun), Some(record)) if is_record(record) => {
            ChangePosition { sequence, record: Some(record.to_owned()), begun: number(begun)? }
        }
        _ => return None,
    };
    is_name.then_some((root == name, at))
}

fn is_record(text: &str) -> bool {
    text.strip_prefix('-')
        .unwrap_or(text)
        .split_once('/')
        .is_some_and(|(kind, slug)| RECORD_KINDS.contains(&kind) && is_slug(slug))
}
