//! The archive that a workbook is: unpacked no further than its bound, and its files part by part.

use std::io::{BufReader, Cursor, Read as _};

use super::sheet::Done;
use super::xml::{Node, each_part};

/// Most bytes that a workbook unpacks to.
pub(super) const LARGEST_UNPACKED: u64 = 256 << 20;

/// A sheet's name, whether it can be seen, and in .xlsx the path of its part.
pub(super) type Name = (String, bool, String);

pub(super) type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// Unpacks everything once and discards it, because the stated sizes may be false or missing; and gives the size.
pub(crate) fn unpacks(bytes: &[u8], most: u64) -> Result<(Archive<'_>, u64), String> {
    let broken = |error| format!("it is no workbook: {error}");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let mut left = most;
    for number in 0..archive.len() {
        let mut file = archive.by_index(number).map_err(|error| format!("it is damaged: {error}"))?;
        let read = std::io::copy(&mut (&mut file).take(left + 1), &mut std::io::sink());
        let read = read.map_err(|error| format!("it is damaged: {error}"))?;
        let large = || format!("it unpacks to more than {} MB", most >> 20);
        left = left.checked_sub(read).ok_or_else(large)?;
    }
    Ok((archive, most - left))
}

/// Calls a function with each part of a file of a workbook.
pub(super) fn each_part_of(from: &mut Archive<'_>, path: &str, take: impl FnMut(Node<'_>) -> Done) -> Done {
    let file = from.by_name(path).map_err(|_| format!("it is no workbook: it has no {path}"))?;
    each_part(BufReader::new(file), "it is damaged", take)
}
