//! What changed, as files: `changes/<publication>-<hash>.ndjson` hold the lines that an edge answers `/changes` with,
//! those of one publication each, and `changes/index.json` names them. History tells a record once, at its last change:
//! with later exports a publication has fewer lines, or none. A file is named after what it says, therefore, and never
//! says anything else; the index alone is to be asked again. `changes.atom` is the feed of the edge.

use serde::Serialize;
use snapshot::page::Site;
use snapshot::page::changes::{ENTRIES_MAX, FEED, feed, push_line};
use snapshot::store::{Digest, Generation, Hex, HistoryPosition, RecordChange};

use super::{ExportError, Out};

/// Where the lines are.
const FOLDER: &str = "changes";
/// How many digits of its hash a file is named by.
const DIGITS: usize = 16;

/// `changes/index.json`.
#[derive(Serialize)]
struct Index {
    root: String,
    sequence: u64,
    floor: u64,
    generation: String,
    files: Vec<Listed>,
}

/// A file of lines.
#[derive(Serialize)]
struct Listed {
    seq: u64,
    name: String,
    lines: usize,
    bytes: usize,
    sha256: String,
}

/// Writes all of them.
pub(super) fn write(generation: &Generation, out: &Out<'_>) -> Result<(), ExportError> {
    let history = generation.changes();
    let all = history.after(generation.files(), &HistoryPosition::default(), usize::MAX);
    let files = all.chunk_by(|one, next| one.sequence == next.sequence);
    let base_url = &generation.manifest().base_url;
    let index = Index {
        root: history.name(),
        sequence: generation.id().sequence,
        floor: history.floor(),
        generation: Hex(&generation.id().hash).to_string(),
        files: files.map(|lines| write_lines(base_url, lines, out)).collect::<Result<_, _>>()?,
    };
    let mut text = serde_json::to_vec(&index).unwrap_or_default();
    text.push(b'\n');
    out.put(&format!("{FOLDER}/index.json"), &text, Digest::of(&text))?;
    let [search, rows, lists] = ["search.bin", "rows.bin", "lists.bin"].map(|name| generation.index(name));
    let site = Site::open(&search?, &rows?, &lists?)?;
    let newest = history.newest(generation.files(), ENTRIES_MAX);
    let feed = feed(&site, base_url, generation.manifest().generated_at, &newest);
    out.put(FEED.trim_start_matches('/'), &feed, Digest::of(&feed))
}

/// Writes the lines of a publication.
fn write_lines(base_url: &str, lines: &[RecordChange<'_>], out: &Out<'_>) -> Result<Listed, ExportError> {
    let seq = lines.first().map_or(0, |line| line.sequence);
    let mut text = Vec::with_capacity(256 * lines.len());
    lines.iter().for_each(|line| push_line(&mut text, base_url, line));
    let digest = Digest::of(&text);
    let sha256 = digest.to_string();
    let name = format!("{seq:06}-{}.ndjson", sha256.get(..DIGITS).unwrap_or_default());
    out.put(&format!("{FOLDER}/{name}"), &text, digest)?;
    Ok(Listed { seq, name, lines: lines.len(), bytes: text.len(), sha256 })
}
