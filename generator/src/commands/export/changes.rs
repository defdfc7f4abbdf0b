//! The changes as files: `changes/<sequence>-<hash>.ndjson` has the lines of one publication that an edge answers
//! `/changes` with, and `changes/index.json` lists these files. The history has a record once, at its last change, so
//! that in later exports a publication has fewer lines or none: files are named after their content and never change,
//! and clients only fetch the index again. `changes.atom` is the feed of the edge.

use snapshot::page::Site;
use snapshot::page::changes::{self, ENTRIES_MAX, FEED, feed};
use snapshot::record::field_table::Object;
use store::{Digest, Generation, Hex, RecordChange};

use super::addresses::Addresses;
use super::folder::{ExportError, ExportFolder};

/// Folder of the lines.
const FOLDER: &str = "changes";
/// Hex digits of its hash in the name of a file.
const DIGITS: usize = 16;

/// Writes all files about changes.
pub(super) fn write(
    generation: &Generation,
    addresses: &Addresses<'_>,
    out: &ExportFolder<'_>,
) -> Result<(), ExportError> {
    let history = generation.changes();
    let mut all = history.newest(generation.files(), usize::MAX);
    all.reverse();
    let files = all.chunk_by(|one, next| one.sequence == next.sequence);
    let files: Vec<Object<'_>> =
        files.map(|lines| write_lines(addresses, lines, out)).collect::<Result<_, _>>()?;
    let index = Object::default()
        .with("root", history.name())
        .with("sequence", generation.id().sequence as usize)
        .with("floor", history.floor as usize)
        .with("generation", Hex(&generation.id().hash).to_string())
        .with("files", files);
    let mut text = serde_json::to_vec(&index).unwrap_or_default();
    text.push(b'\n');
    out.put(&format!("{FOLDER}/index.json"), &text, Digest::of(&text))?;
    let [search, rows, lists] = ["search.bin", "rows.bin", "lists.bin"].map(|name| generation.index(name));
    let site = Site::open(&search?, &rows?, &lists?)?;
    let newest = history.newest(generation.files(), ENTRIES_MAX);
    let feed = feed(&site, addresses.base_url, generation.manifest().generated_at, &newest);
    let feed = addresses.apply(FEED, &feed).unwrap_or(feed);
    out.put(FEED.trim_start_matches('/'), &feed, Digest::of(&feed))
}

/// Writes the lines of a publication.
fn write_lines(
    addresses: &Addresses<'_>,
    lines: &[RecordChange<'_>],
    out: &ExportFolder<'_>,
) -> Result<Object<'static>, ExportError> {
    let seq = lines.first().map_or(0, |line| line.sequence);
    let text = changes::lines(addresses.base_url, lines);
    let text = addresses.apply("lines.ndjson", &text).unwrap_or(text);
    let digest = Digest::of(&text);
    let sha256 = digest.to_string();
    let name = format!("{seq:06}-{}.ndjson", sha256.get(..DIGITS).unwrap_or_default());
    out.put(&format!("{FOLDER}/{name}"), &text, digest)?;
    let listed = Object::default().with("seq", seq as usize).with("name", name);
    Ok(listed.with("lines", lines.len()).with("bytes", text.len()).with("sha256", sha256))
}
