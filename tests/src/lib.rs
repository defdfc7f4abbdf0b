#![doc = include_str!("../README.md")]

pub mod checks;
pub mod client;
pub mod folder;
pub mod in_process;
pub mod judge;
pub mod questions;
pub mod snapshots;
pub mod storm;
pub mod synth;
pub mod world;
