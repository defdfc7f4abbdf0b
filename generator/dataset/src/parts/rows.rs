//! The rows of a part as bytes in a temporary file.

use serde::Serialize;

use crate::diagnostics::Location;
use crate::rows::Row;
use crate::table::Table;

/// The part of organizations, recipients and what belongs to them.
pub(super) const OTHERS: usize = 0;
/// Bytes before a row: table, place, number of the row, length.
const HEADER: usize = 1 + size_of::<u64>() + 2 * size_of::<u32>();

/// Appends a row to the bytes of a part. Rows are written as they are published, which is as they are read.
pub(super) fn push_row<T: Serialize>(table: Table, row: &Row<T>, number: u32, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.push(table as u8);
    bytes.extend_from_slice(&row.at.to_bits().to_le_bytes());
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(&[0; size_of::<u32>()]);
    // Writing plain structs to memory cannot fail.
    let _ = serde_json::to_writer(&mut *bytes, &row.record);
    let length = (bytes.len() - start - HEADER) as u32;
    bytes[start + HEADER - size_of::<u32>()..start + HEADER].copy_from_slice(&length.to_le_bytes());
}

/// A row in the bytes of a part.
#[derive(Clone, Copy)]
pub(super) struct WrittenRow<'a> {
    pub(super) table: u8,
    pub(super) at: Location,
    pub(super) number: u32,
    pub(super) json: &'a [u8],
    /// All of it.
    pub(super) bytes: &'a [u8],
}

/// The rows of a part, in the order in which they were read.
pub(super) fn rows_of(part: &[u8]) -> impl Iterator<Item = WrittenRow<'_>> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let (header, after) = rest.split_first_chunk::<HEADER>()?;
        let (at, numbers) = header[1..].split_first_chunk::<8>()?;
        let (number, length) = numbers.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        let json = after.get(..length)?;
        let bytes = &rest[..HEADER + length];
        rest = &rest[bytes.len()..];
        let at = Location::from_bits(u64::from_le_bytes(*at));
        Some(WrittenRow { table: header[0], at, number: u32::from_le_bytes(*number), json, bytes })
    })
}
