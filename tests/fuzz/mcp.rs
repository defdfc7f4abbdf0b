//! Any bytes as a message to the tool endpoint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::checks::tools::holds;
use tests::snapshots::sample;

fuzz_target!(|bytes: &[u8]| holds(sample(), bytes));
