//! Any conditions, ranges and wishes: the first byte chooses a resource, each line a header.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tests::checks::request::Resource;
use tests::snapshots::sample;

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| Resource::all(sample()));

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, lines)) = bytes.split_first() else { return };
    let resource = &RESOURCES[usize::from(*choice) % RESOURCES.len()];
    resource.holds(sample(), &resource.headers(lines));
});
