//! `/changes`: which records changed since somebody asked, one JSON object a line. Every answer links the next one;
//! after an answer without a line there is nothing new yet, and the same address is to be asked again later.
//! `/changes.atom`: those that changed last, for feed readers.

use http::{HeaderValue, StatusCode};
use snapshot::page::address::CHANGES_TAG;
use snapshot::page::{changes, error};
use snapshot::query::{Page, is_slug};
use snapshot::store::{Changes, KINDS, Position};

use super::{Asked, Attempt, Place, Question};
use crate::content::Content;
use crate::lifetime::Lifetime;
use crate::reply::Reply;
use crate::searches::{Outcome, is_heavy};

/// Most lines of an answer, and those of one that was not asked for fewer.
const LINES_MAX: usize = 1_000;

const NDJSON: HeaderValue = HeaderValue::from_static(changes::LINES_TYPE);
const ATOM: HeaderValue = HeaderValue::from_static(changes::FEED_TYPE);

/// Why there is no answer.
enum Wrong {
    /// The parameter is none of ours.
    Unknown(&'static str),
    /// It was, but is of another directory or too long ago.
    Gone,
}

impl Wrong {
    fn reply(&self) -> Reply {
        match self {
            Self::Unknown(message) => {
                Reply::error(StatusCode::BAD_REQUEST, error::message(message), Lifetime::Short)
            }
            Self::Gone => Reply::error(StatusCode::GONE, error::message(GONE), Lifetime::Short),
        }
    }
}

const SINCE: &str = "since is no position: take it from the Link header of an earlier answer, or leave it out to \
                     begin with all records.";
const LIMIT: &str = "limit is a number from 1 to 1000.";
const GONE: &str = "What was removed since then is no longer known, or the directory was built anew: begin again \
                    with /changes, or with /api/v1/exports/latest.";

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

/// Where to begin and how many lines; without `since`, all records.
fn read(query: &str, changes: &Changes) -> Result<(Position, usize), Wrong> {
    let (mut from, mut limit) = (Position::default(), LINES_MAX);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "since" => from = position(&value, changes)?,
            "limit" => {
                let number = value.parse().ok().filter(|limit| (1..=LINES_MAX).contains(limit));
                limit = number.ok_or(Wrong::Unknown(LIMIT))?;
            }
            _ => {}
        }
    }
    if changes.reaches(&from) { Ok((from, limit)) } else { Err(Wrong::Gone) }
}

/// The question of what comes after a position.
fn asked(changes: &Changes, from: &Position, limit: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &written(changes, from)).append_pair("limit", &limit.to_string()).finish()
}

/// `<root>.<publication>`, and within one `.<begun>.<kind>/<slug>`.
fn written(changes: &Changes, at: &Position) -> String {
    let start = format!("{}.{}", changes.name(), at.sequence);
    match &at.record {
        Some(record) => format!("{start}.{}.{record}", at.begun),
        None => start,
    }
}

fn position(text: &str, changes: &Changes) -> Result<Position, Wrong> {
    let wrong = || Wrong::Unknown(SINCE);
    let mut parts = text.splitn(4, '.');
    let name = changes.name();
    let is_name = |text: &&str| text.len() == name.len() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let own = parts.next().filter(is_name).ok_or_else(wrong)?;
    let sequence = parts.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    let at = match (parts.next(), parts.next()) {
        (None, _) => Position { sequence, ..Position::default() },
        (Some(begun), Some(record)) if is_record(record) => {
            let begun = begun.parse().map_err(|_| wrong())?;
            Position { sequence, record: Some(record.to_owned()), begun }
        }
        _ => return Err(wrong()),
    };
    if own == name { Ok(at) } else { Err(Wrong::Gone) }
}

fn is_record(text: &str) -> bool {
    text.split_once('/').is_some_and(|(kind, slug)| KINDS.contains(&kind) && is_slug(slug))
}
