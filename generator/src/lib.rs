#![doc = include_str!("../README.md")]

mod cli;
mod commands;
mod dataset_commands;
mod diff;
mod due_report;
mod exit_codes;
mod export;
mod guards;
mod keys;
mod log;
mod manuals;
mod plan;
mod plan_report;
mod preview;
mod remote_commands;
mod snapshot_commands;

pub use cli::Cli;
pub use commands::run;
pub use diff::{DiffFormat, report as report_diff};
pub use export::{ExportError, SUMS, export};
