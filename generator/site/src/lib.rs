#![doc = include_str!("../README.md")]

mod csv_rows;
mod downloads;
mod error;
mod files;
mod generate;
mod index_files;
mod options;
mod page_files;
mod pages;
mod progress;
mod rest;
mod theme;

pub use downloads::{TableReview, table_lines};
pub use error::GenerateError;
pub use generate::{generate, in_memory, index_files, record_counts};
pub use options::BuildOptions;
pub use pages::{PageCache, Pages};
pub use progress::{Progress, number, seconds, size};
pub use rest::RestPages;
pub use theme::{Theme, ThemeError};
