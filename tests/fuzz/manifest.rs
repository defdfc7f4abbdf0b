//! Any bytes in place of `CURRENT`, a manifest, a file list or a history: the first chooses which.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tests::checks::store::{Other, Root};

static ROOT: LazyLock<Root> = LazyLock::new(Root::default);

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    ROOT.holds(Other::ALL[usize::from(*choice) % Other::ALL.len()], bytes);
});
