//! `/changes`: which records changed since somebody asked, one JSON object a line. Every answer links the next one;
//! after an answer without a line there is nothing new yet, and the same address is to be asked again later.

use http::{HeaderValue, StatusCode};
use serde_json::json;
use snapshot::page::address::CHANGES_TAG;
use snapshot::page::error;
use snapshot::query::{Page, is_slug};
use snapshot::store::{Changed, Changes, Hex, KINDS, Position};

use super::{Asked, Attempt, Place, Question};
use crate::content::Content;
use crate::lifetime::Lifetime;
use crate::reply::Reply;
use crate::searches::{Outcome, is_heavy};

/// Most lines of an answer, and those of one that was not asked for fewer.
const LINES_MAX: usize = 1_000;
/// How many digits of the history's name a position begins with.
const ROOT: usize = 16;

const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

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
        let changes = generation.changes();
        let (from, limit) = match read(self.query(), changes) {
            Ok(read) => read,
            Err(wrong) => return wrong.reply().into(),
        };
        let work = changes.price(generation.files(), limit);
        if self.place == Place::Here && is_heavy(work) {
            return Outcome::Heavy(work);
        }
        let changed = changes.after(generation.files(), &from, limit);
        let next = changed.last().map_or_else(|| from.clone(), |last| changes.next(&from, last));
        let canonical = asked(changes, &from, limit);
        // A generation that is published again keeps its hash and not its history.
        let sequence = generation.id().sequence.to_string();
        let question = Question {
            path: None,
            validator: self.validator("changes", &canonical, &[sequence]),
            canonical,
            depends_on_day: false,
            page: Page { offset: 0, limit: limit as u64 },
            work,
        };
        let content = || {
            Content::json().of(NDJSON).tag(CHANGES_TAG).link(
                "/changes",
                &asked(changes, &next, limit),
                "next",
            )
        };
        let base_url = &generation.manifest().base_url;
        self.computed(&question, content, || {
            let lines = changed.iter().flat_map(|changed| line(base_url, changed).into_bytes());
            lines.collect::<Vec<u8>>().into()
        })
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

fn root(changes: &Changes) -> String {
    Hex(&changes.root().0[..ROOT / 2]).to_string()
}

/// The question of what comes after a position.
fn asked(changes: &Changes, from: &Position, limit: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("since", &written(changes, from)).append_pair("limit", &limit.to_string()).finish()
}

/// `<root>.<publication>`, and within one `.<begun>.<kind>/<slug>`.
fn written(changes: &Changes, at: &Position) -> String {
    let start = format!("{}.{}", root(changes), at.sequence);
    match &at.record {
        Some(record) => format!("{start}.{}.{record}", at.begun),
        None => start,
    }
}

fn position(text: &str, changes: &Changes) -> Result<Position, Wrong> {
    let wrong = || Wrong::Unknown(SINCE);
    let mut parts = text.splitn(4, '.');
    let own =
        parts.next().filter(|root| root.len() == ROOT && root.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let own = own.ok_or_else(wrong)?;
    let sequence = parts.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    let at = match (parts.next(), parts.next()) {
        (None, _) => Position { sequence, ..Position::default() },
        (Some(begun), Some(record)) if is_record(record) => {
            let begun = begun.parse().map_err(|_| wrong())?;
            Position { sequence, record: Some(record.to_owned()), begun }
        }
        _ => return Err(wrong()),
    };
    if own == root(changes) { Ok(at) } else { Err(Wrong::Gone) }
}

fn is_record(text: &str) -> bool {
    text.split_once('/').is_some_and(|(kind, slug)| KINDS.contains(&kind) && is_slug(slug))
}

fn line(base_url: &str, changed: &Changed<'_>) -> String {
    let Changed { sequence, at, kind, slug, version } = changed;
    let singular = kind.strip_suffix('s').unwrap_or(kind);
    let mut line = json!({
        "seq": sequence,
        "op": if version.is_some() { "upsert" } else { "delete" },
        "kind": singular,
        "slug": slug,
        "url": format!("{base_url}/api/v1/{kind}/{slug}"),
        "at": at.to_string(),
    });
    if let Some(version) = version {
        line["version"] = Hex(version).to_string().into();
    }
    format!("{line}\n")
}
