//! Any bytes as a message to the tool endpoint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::checks::tools::Tools;
use tests::snapshots::sample;

thread_local!(static TOOLS: Tools = Tools::new());

fuzz_target!(|bytes: &[u8]| TOOLS.with(|tools| tools.holds(sample(), bytes)));
