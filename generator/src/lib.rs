#![doc = include_str!("../README.md")]

mod cli;
mod cli_values;
mod commands;
mod exit_codes;
mod guards;
mod keys;
mod load;
mod manuals;
mod plan;
mod plan_report;
mod preview;

pub use cli::Cli;
pub use cli_values::DiffFormat;
pub use commands::diff::report as report_diff;
pub use commands::export::{ExportError, SUMS, export};
pub use commands::run;
