//! Reads a file: its text, then the rows of its format.

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::files::{File, Format, InputError};
use super::parsed::{Context, Parsed};
use super::text::{decode, merge_conflict};
use super::{csv, json};
use crate::diagnostics::{Code, Diagnostic};
use crate::parallel;
use crate::table::Table;

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
        parsed = parse_bytes(&bytes, format, context);
    });
    Ok((parsed, digest))
}

fn parse_bytes<T: DeserializeOwned + Send + Sync>(
    bytes: &[u8],
    format: Format,
    context: Context,
) -> Parsed<T> {
    let text = match decode(bytes, context.file) {
        Ok(text) => text,
        Err(problem) => return Parsed::problem(*problem),
    };
    if text.trim().is_empty() {
        return Parsed::problem(Diagnostic::new(Code::EmptyFile, context.at(1), "the file is empty"));
    }
    if let Some(problem) = merge_conflict(text, context.file) {
        return Parsed::problem(problem);
    }
    match format {
        Format::Ndjson => json::lines(text, context),
        Format::Json => json::document(text, context),
        Format::Csv => csv::table(text, context),
    }
}
