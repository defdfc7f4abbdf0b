//! `/changes`: which records changed since somebody asked, one JSON object a line. Every answer links the next one;
//! after an answer without a line there is nothing new yet, and the same address is to be asked again later.
//! `/changes.atom`: those that changed last, for feed readers.

use http::{HeaderValue, StatusCode};
use snapshot::page::address::CHANGES_TAG;
use snapshot::page::{changes, error};
use snapshot::query::{INVALID_VALUE_MAX, Page, ParameterError, is_slug};
use snapshot::store::{History, HistoryPosition, RECORD_KINDS};
use snapshot::truncate::at_char;

use super::{Asked, Attempt, Place, Question};
use crate::cache_control::Lifetime;
use crate::reply::Reply;
use crate::representation::Content;
use net::blocking_pool::{Outcome, is_heavy};

/// Most lines of an answer, and those of one that was not asked for fewer.
const LINES_MAX: usize = 1_000;

const NDJSON: HeaderValue = HeaderValue::from_static(changes::LINES_TYPE);
const ATOM: HeaderValue = HeaderValue::from_static(changes::FEED_TYPE);

/// Why there is no answer.
enum Wrong {
    /// What was asked is no question; every fault of it.
    Malformed(Vec<ParameterError>),
    /// It was, but is of another directory or too long ago.
    Gone,
}

impl Wrong {
    fn reply(&self) -> Reply {
        let (status, body) = match self {
            Self::Malformed(faults) => (StatusCode::BAD_REQUEST, error::changes_faults(faults)),
            Self::Gone => (StatusCode::GONE, error::message(GONE)),
        };
        Reply::error(status, body, Lifetime::Short)
    }
}

const SINCE: &str = "no position; take it from the Link header of an earlier answer, or leave it out to begin with all \
                     records";
const GONE: &str = "Removals since then are no longer known, or the directory was built anew: start again with \
                    /changes, or with /api/v1/exports/latest.";

impl Asked<'_> {
    pub(super) fn changes(&self) -> Attempt {
        let generation = self.epoch.generation();
        let history = generation.changes();
        let (from, limit) = match read(self.query(), history) {
            Ok(read) => read,
            Err(wrong) => return wrong.reply().into(),
        };
        let work = history.price(generation.files(), limit);
        if self.place == Place::Here && is_heavy(work) {
            return Outcome::Heavy(work);
        }
        let changed = history.after(generation.files(), &from, limit);
        let next = changed.last().map_or_else(|| from.clone(), |last| history.next(&from, last));
        let canonical = asked(history, &from, limit);
        let question = Question {
            path: None,
            validator: self.validator(changes::LINES, &canonical, &self.told()),
            canonical,
            depends_on_day: false,
            page: Page { offset: 0, limit: limit as u64 },
            work,
        };
        let content = || {
            let next = asked(history, &next, limit);
            Content::json().of(NDJSON).tag(CHANGES_TAG).link(changes::LINES, &next, "next")
        };
        let base_url = &generation.manifest().base_url;
        self.computed(&question, content, || {
            let mut lines = Vec::with_capacity(256 * changed.len());
            changed.iter().for_each(|changed| changes::push_line(&mut lines, base_url, changed));
            lines.into()
        })
    }

    pub(super) fn changes_feed(&self) -> Attempt {
        let (generation, site) = (self.epoch.generation(), self.epoch.site());
        let history = generation.changes();
        let most = changes::ENTRIES_MAX;
        let question = Question {
            path: None,
            validator: self.validator(changes::FEED, "", &self.told()),
            canonical: String::new(),
            depends_on_day: false,
            page: Page { offset: 0, limit: most as u64 },
            work: history.price(generation.files(), most) + changes::price(site),
        };
        let content = || Content::json().of(ATOM).tag(CHANGES_TAG);
        self.computed(&question, content, || {
            let manifest = generation.manifest();
            let newest = history.newest(generation.files(), most);
            changes::feed(site, &manifest.base_url, manifest.generated_at, &newest).into()
        })
    }

    /// What tells the histories of a generation from each other: one that is published again keeps its hash.
    fn told(&self) -> [String; 2] {
        let generation = self.epoch.generation();
        [generation.id().sequence.to_string(), generation.changes().name()]
    }
}

/// Where to begin and how many lines; without `since`, all records. Names that are not known are left to caches and
/// trackers.
fn read(query: &str, changes: &History) -> Result<(HistoryPosition, usize), Wrong> {
    let (mut from, mut limit, mut is_own) = (HistoryPosition::default(), LINES_MAX, true);
    let (mut faults, mut seen) = (Vec::new(), Vec::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some(name) = ["since", "limit"].into_iter().find(|known| *known == name) else { continue };
        let reason = match seen.iter().find(|(earlier, _)| *earlier == name) {
            Some((_, earlier)) if *earlier == value => continue,
            Some(_) => Some("given twice with different values".to_owned()),
            None if name == "since" => match position(&value, changes) {
                Some((of, at)) => {
                    (from, is_own) = (at, of);
                    None
                }
                None => Some(SINCE.to_owned()),
            },
            None => match number(&value).filter(|number| (1..=LINES_MAX as u64).contains(number)) {
                Some(number) => {
                    limit = number as usize;
                    None
                }
                None => Some(format!("not an integer from 1 to {LINES_MAX}")),
            },
        };
        if let Some(reason) = reason {
            let value = at_char(&value, INVALID_VALUE_MAX).into_owned();
            faults.push(ParameterError { parameter: name, value, reason });
        }
        seen.push((name, value));
    }
    match is_own && changes.reaches(&from) {
        _ if !faults.is_empty() => Err(Wrong::Malformed(faults)),
        true => Ok((from, limit)),
        false => Err(Wrong::Gone),
    }
}

/// A number in digits alone.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The question of what comes after a position.
fn asked(changes: &History, from: &HistoryPosition, limit: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &written(changes, from)).append_pair("limit", &limit.to_string()).finish()
}

/// `<root>.<publication>`, and within one `.<begun>.<kind>/<slug>`.
fn written(changes: &History, at: &HistoryPosition) -> String {
    let start = format!("{}.{}", changes.name(), at.sequence);
    match &at.record {
        Some(record) => format!("{start}.{}.{record}", at.begun),
        None => start,
    }
}

/// A position, and whether it is one of this history.
fn position(text: &str, changes: &History) -> Option<(bool, HistoryPosition)> {
    let mut parts = text.splitn(4, '.');
    let (root, name) = (parts.next()?, changes.name());
    let is_name =
        root.len() == name.len() && root.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let sequence = parts.next().and_then(number)?;
    let at = match (parts.next(), parts.next()) {
        (None, _) => HistoryPosition { sequence, ..HistoryPosition::default() },
        (Some(begun), Some(record)) if is_record(record) => {
            HistoryPosition { sequence, record: Some(record.to_owned()), begun: number(begun)? }
        }
        _ => return None,
    };
    is_name.then_some((root == name, at))
}

fn is_record(text: &str) -> bool {
    text.split_once('/').is_some_and(|(kind, slug)| RECORD_KINDS.contains(&kind) && is_slug(slug))
}
