//! Any text as a question of words, as people and language models ask it.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use tests::checks::understand;
use tests::snapshots::sample;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    understand::holds(sample(), text);
    Corpus::Keep
});
