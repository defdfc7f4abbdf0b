#![doc = include_str!("../README.md")]

mod csv_rows;
mod downloads;
mod files;
mod generate;
mod pages;
mod progress;
mod rest;
mod theme;

pub use downloads::table_lines;
pub use generate::{BuildOptions, GenerateError, findings, generate, in_memory, index_files, record_counts};
pub use pages::{PageCache, Pages};
pub use progress::{Progress, number, seconds, size};
pub use theme::{Theme, ThemeError};
