//! Any changes to the files of an index, eight bytes each.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tests::checks::index::{Edit, Files};

static GOOD: LazyLock<Files> = LazyLock::new(Files::tiny);

fuzz_target!(|bytes: &[u8]| {
    let mut files = GOOD.clone();
    let (edits, _) = bytes.as_chunks();
    edits.iter().for_each(|edit| files.edit(Edit::from_bytes(*edit)));
    files.holds();
});
