//! Bytes to text: UTF-8 with or without a byte order mark, else a message that names the way out;
//! and offsets to lines and columns.

use crate::diagnostics::{Code, Diagnostic, FileId, Location};

/// Bytes that stand for nothing in Windows-1252, which is what spreadsheets mean by Latin-1.
const NOT_WINDOWS_1252: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// Columns of lines longer than this are not worth counting.
const LONGEST_LINE: usize = 100_000;

/// The text of a file, without its byte order mark.
pub(super) fn decode(bytes: &[u8], file: FileId) -> Result<&str, Diagnostic> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to(), file))
}

fn not_utf8(bytes: &[u8], offset: usize, file: FileId) -> Diagnostic {
    let line = 1 + newlines(&bytes[..offset]);
    let at = Location { file, line };
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let message = "file is not UTF-8; it looks like UTF-16";
        return Diagnostic::new(Code::NotUtf8, at, message).help("iconv -f utf-16 -t utf-8");
    }
    let byte = bytes[offset];
    if bytes.iter().any(|byte| NOT_WINDOWS_1252.contains(byte)) {
        let message = format!("file is not UTF-8 (byte {byte:02X} at offset {offset})");
        let help = "save it as UTF-8 in the program that wrote it";
        return Diagnostic::new(Code::NotUtf8, at, message).help(help);
    }
    let message =
        format!("file is not UTF-8; it looks like Windows-1252 (byte {byte:02X} at offset {offset})");
    Diagnostic::new(Code::NotUtf8, at, message).help("iconv -f windows-1252 -t utf-8")
}

/// How many lines end in the bytes.
pub(super) fn newlines(bytes: &[u8]) -> u32 {
    // Counted in blocks of at most 255 so that the compiler can count bytes with bytes.
    let blocks = bytes.chunks(255);
    blocks.map(|block| u32::from(block.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>())).sum()
}

/// Character of its line, from 1, that stands at a byte offset.
pub(super) fn column(text: &str, offset: usize) -> Option<u32> {
    let before = &text[..text.floor_char_boundary(offset)];
    let from = before.floor_char_boundary(before.len().saturating_sub(LONGEST_LINE));
    let line = match before[from..].rfind('\n') {
        Some(newline) => &before[from + newline + 1..],
        None if from == 0 => before,
        None => return None,
    };
    u32::try_from(line.chars().count() + 1).ok()
}

/// Byte offset of a line and column, both from 1, as parsers tell them.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}
