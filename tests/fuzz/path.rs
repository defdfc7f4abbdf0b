//! Any bytes as the target of a request.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::checks::request::target_holds;
use tests::snapshots::sample;

fuzz_target!(|bytes: &[u8]| target_holds(sample(), bytes));
