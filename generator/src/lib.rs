#![doc = include_str!("../README.md")]

pub mod cli;
pub mod commands;
pub mod diff;
mod exit_codes;
pub mod export;
pub mod keys;
pub mod load;
pub mod log;
pub mod plan;
pub mod preview;
pub mod remote_commands;
pub mod stamp;
pub mod status;
