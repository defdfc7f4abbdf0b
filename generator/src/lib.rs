#![doc = include_str!("../README.md")]

mod cli;
mod cli_values;
mod commands;
mod diff;
mod due_report;
mod exit_codes;
mod export;
mod guards;
mod keys;
mod load;
mod log;
mod manuals;
mod plan;
mod plan_report;
mod preview;
mod stores;

pub use cli::Cli;
pub use commands::run;
pub use diff::{DiffFormat, report as report_diff};
pub use export::{ExportError, SUMS, export};
