//! Reads a file whole or in blocks, so that it does not have to fit into memory.

use std::fs;
use std::io::{self, Read as _};

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::files::{File, Format, InputError};
use super::parsed::{Context, Parsed};
use super::text::{decode, merge_conflict, newlines};
use super::{csv, json};
use crate::diagnostics::{Code, Diagnostic};
use crate::parallel;
use crate::table::Table;

/// Bytes that are read at once; a longer line is read whole.
const BLOCK: usize = 16 << 20;

/// The rows of a file, and its SHA-256.
pub(super) fn parse_file<T: DeserializeOwned + Send + Sync>(
    file: &File<'_>,
    table: Option<Table>,
    format: Format,
) -> Result<(Parsed<T>, [u8; 32]), InputError> {
    let bytes = file.load()?;
    let context = Context { file: file.id, table };
    let (mut digest, mut parsed) = (<[u8; 32]>::default(), Parsed::empty());
    parallel::both(&mut || digest = Sha256::digest(&*bytes).into(), &mut || {
        parsed = parse_bytes(&bytes, format, None, context);
    });
    Ok((parsed, digest))
}

/// The rows of a file, or of a block of its lines, which begins at line `block`.
fn parse_bytes<T: DeserializeOwned + Send + Sync>(
    bytes: &[u8],
    format: Format,
    block: Option<u32>,
    context: Context,
) -> Parsed<T> {
    let first = block.unwrap_or(1);
    let fault = |mut problem: Diagnostic| {
        problem.at.line = problem.at.line.saturating_add(first - 1);
        Parsed::problem(problem)
    };
    let text = match decode(bytes, context.file) {
        Ok(text) => text,
        Err(problem) => return fault(*problem),
    };
    if block.is_none() && text.trim().is_empty() {
        return fault(Diagnostic::new(Code::EmptyFile, context.at(1), "the file is empty"));
    }
    if let Some(problem) = merge_conflict(text, context.file) {
        return fault(problem);
    }
    match format {
        Format::Ndjson => json::lines(text, first, context),
        Format::Json => json::document(text, context),
        Format::Csv => csv::table(text, context),
    }
}

/// The next lines of a file.
struct Blocks {
    file: fs::File,
    /// The beginning of a line whose end was not read yet.
    rest: Vec<u8>,
}

impl Blocks {
    /// Whole lines; empty at the end of the file.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            let before = block.len();
            let read = (&mut self.file).take(BLOCK as u64).read_to_end(&mut block)?;
            let end = block[before..].iter().rposition(|byte| *byte == b'\n').map(|end| before + end + 1);
            match end {
                _ if read == 0 => return Ok(block),
                Some(end) => {
                    self.rest = block.split_off(end);
                    return Ok(block);
                }
                None => {}
            }
        }
    }
}

/// What uses the rows of a block.
pub(super) type EachParsed<'e, T> = &'e mut (dyn FnMut(Parsed<T>) + Send);

/// Passes the rows of a file to a function, block by block, and the file's bytes to a hasher. A short file, and one that
/// is not of lines of UTF-8, is one block.
pub(super) fn read_blocks<T: DeserializeOwned + Send + Sync>(
    file: &File<'_>,
    table: Table,
    hasher: Option<&mut Sha256>,
    each: EachParsed<'_, T>,
) -> Result<(), InputError> {
    let context = Context { file: file.id, table: Some(table) };
    match file.open_lines(BLOCK as u64)? {
        Some((lines, path)) => {
            let error = |error| InputError::Unreadable(path.to_owned(), error);
            read_lines(lines, context, hasher, each).map_err(error)
        }
        None => {
            let Some(format) = file.format_of(table) else { return Ok(()) };
            let bytes = file.load()?;
            hasher.into_iter().for_each(|hasher| hasher.update(&*bytes));
            each(parse_bytes(&bytes, format, None, context));
            Ok(())
        }
    }
}

fn read_lines<T: DeserializeOwned + Send + Sync>(
    file: fs::File,
    context: Context,
    mut hasher: Option<&mut Sha256>,
    each: EachParsed<'_, T>,
) -> io::Result<()> {
    let (mut blocks, mut line) = (Blocks { file, rest: Vec::new() }, 1u32);
    let mut hash = |block: &[u8]| hasher.iter_mut().for_each(|hasher| hasher.update(block));
    let mut parse_next = || {
        let block = blocks.next()?;
        let mut parsed = (!block.is_empty()).then(Parsed::empty);
        if let Some(parsed) = &mut parsed {
            parallel::both(&mut || hash(&block), &mut || {
                *parsed = parse_bytes(&block, Format::Ndjson, Some(line), context);
            });
            line = line.saturating_add(newlines(&block));
        }
        Ok(parsed)
    };
    let mut next: io::Result<Option<Parsed<T>>> = parse_next();
    // A block is used while the one behind it is parsed.
    while let Some(parsed) = next? {
        let mut parsed = Some(parsed);
        next = Ok(None);
        parallel::both(&mut || next = parse_next(), &mut || parsed.take().into_iter().for_each(&mut *each));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_lines_and_together_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.ndjson");
        let long = "x".repeat(BLOCK + 10);
        for text in ["", "a\n", "a\nb", &format!("a\n{long}\nb\n"), &long, &"line\n".repeat(BLOCK / 4)] {
            fs::write(&path, text).unwrap();
            let mut blocks = Blocks { file: fs::File::open(&path).unwrap(), rest: Vec::new() };
            let mut all = Vec::new();
            loop {
                let block = blocks.next().unwrap();
                if block.is_empty() {
                    break;
                }
                assert!(all.is_empty() || all.ends_with(b"\n"));
                all.extend(block);
            }
            assert!(all == text.as_bytes());
        }
    }
}
