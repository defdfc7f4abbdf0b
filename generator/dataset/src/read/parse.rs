//! Reads a file: its text, which is UTF-8, with or without a byte order mark, then the rows of its format.

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::files::{File, Format, IMPORT, InputError};
use super::parsed::Parsed;
use super::{csv, json};
use crate::diagnostics::{Code, Diagnostic, Location};
use crate::table::Table;

/// Bytes of a file of lines that are in memory at once: its rows are kept, and its text need not be beside all of them.
const BLOCK: u64 = 32 << 20;
/// Bytes that are undefined in Windows-1252, the encoding that spreadsheets call Latin-1.
const NOT_WINDOWS_1252: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The rows of a file, and its SHA-256.
pub(super) fn parse_file<T: DeserializeOwned + Send + Sync>(
    file: &File<'_>,
    table: Option<Table>,
    format: Format,
) -> Result<(Parsed<T>, [u8; 32]), InputError> {
    let start = Location { file: file.id, line: 1 };
    let (mut hash, mut all, mut at) = (Sha256::new(), Parsed::empty(), start);
    let (mut is_empty, mut wrong) = (true, None);
    let least = if format == Format::Ndjson { BLOCK } else { u64::MAX };
    file.blocks(least, |bytes| {
        hash.update(bytes);
        let text = decode(bytes, at).map_err(|problem| *problem);
        let text = text.and_then(|text| merge_conflict(text, at).map_or(Ok(text), Err));
        let parsed = text.and_then(|text| {
            is_empty &= text.trim().is_empty();
            match (format, table) {
                _ if text.trim().is_empty() => Ok(Parsed::empty()),
                (Format::Csv, Some(table)) => csv::table(text, table, at),
                (Format::Ndjson, _) => json::lines(text, at).map(|rows| json::records(&rows, table)),
                _ => json::document(text, at).map(|rows| json::records(&rows, table)),
            }
        });
        match parsed {
            Ok(parsed) => all.append(parsed),
            Err(problem) => drop(wrong.get_or_insert(problem)),
        }
        at = at.below(bytes);
    })?;
    let problem =
        wrong.or_else(|| is_empty.then(|| Diagnostic::new(Code::EmptyFile, start, "the file is empty")));
    Ok((problem.map_or(all, Parsed::problem), hash.finalize().into()))
}

/// The text of a file or of a part of it, without its byte order mark.
pub(super) fn decode(bytes: &[u8], start: Location) -> Result<&str, Box<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| error.valid_up_to());
    // Letters of ASCII are right UTF-8 with NUL bytes between them.
    let text = text.and_then(|text| if is_utf16(bytes) { Err(0) } else { Ok(text) });
    text.map_err(|offset| Box::new(not_utf8(bytes, offset, start)))
}

/// Whether bytes begin with a mark of UTF-16, or without one with two letters of ASCII.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, 0, _, ..] | [_, 0, _, 0, ..])
}

/// The first conflict marker of an unfinished merge.
fn merge_conflict(text: &str, start: Location) -> Option<Diagnostic> {
    const MARK: &str = "<<<<<<< ";
    let offset = if text.starts_with(MARK) { 0 } else { text.find("\n<<<<<<< ")? + 1 };
    let at = start.below(&text.as_bytes()[..offset]);
    let message = "a merge conflict: the file has two versions of these lines";
    let help = "keep one version, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>";
    Some(Diagnostic::new(Code::BadSyntax, at, message).help(help))
}

fn not_utf8(bytes: &[u8], offset: usize, start: Location) -> Diagnostic {
    let at = start.below(&bytes[..offset]);
    let number = 1 + offset - bytes[..offset].iter().rposition(|it| *it == b'\n').map_or(0, |end| end + 1);
    let byte = format!(" (byte {:02X}, number {number} of its line)", bytes[offset]);
    let (what, help) = match bytes {
        _ if is_utf16(bytes) => ("; it looks like UTF-16".to_owned(), IMPORT),
        _ if bytes.iter().any(|byte| NOT_WINDOWS_1252.contains(byte)) => {
            (byte, "save it as UTF-8 in the program that wrote it")
        }
        _ => (format!("; it looks like Windows-1252{byte}"), "iconv -f windows-1252 -t utf-8"),
    };
    Diagnostic::new(Code::NotUtf8, at, format!("file is not UTF-8{what}")).help(help)
}
