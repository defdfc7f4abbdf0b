#![doc = include_str!("../README.md")]

pub mod checks;
pub mod client;
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
pub mod entry;
pub mod folder;
pub mod in_process;
pub mod judge;
pub mod questions;
pub mod snapshots;
pub mod synth;
pub mod world;
