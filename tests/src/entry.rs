//! Damage to a `site.zip`, whose entries are found by the headers before their data (APPNOTE 4.3.7) instead of by the program's own table.

use std::ops::Range;
use std::path::Path;

const HEADER: usize = 30;

/// Where the data of an entry is in an archive.
fn data(archive: &[u8], path: &str) -> Range<usize> {
    let number = |at: usize, bytes: usize| {
        archive[at..at + bytes].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    };
    let mut at = 0;
    while archive[at..].starts_with(b"PK\x03\x04") {
        let start = at + HEADER + number(at + 26, 2);
        let end = start + number(at + 18, 4);
        if &archive[at + HEADER..start] == path.as_bytes() {
            return start..end;
        }
        at = end;
    }
    panic!("{path} is not in the archive");
}

/// Puts another archive in the place of one, in which the data of an entry is other bytes. Returns the good one.
pub fn damage(archive: &Path, path: &str) -> Vec<u8> {
    let good = std::fs::read(archive).unwrap();
    let mut bad = good.clone();
    bad[data(&good, path)].fill(b'x');
    replace(archive, &bad);
    good
}

/// Puts another file in the place of one, which is read-only.
pub fn replace(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}
