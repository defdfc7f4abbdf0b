//! Any text as the query of search, lists, facets, pages and feeds.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use tests::checks::query;
use tests::snapshots::sample;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    query::holds(sample(), text);
    Corpus::Keep
});
