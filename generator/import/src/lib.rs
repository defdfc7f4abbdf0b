#![doc = include_str!("../README.md")]

mod days;
mod draft;
mod edits;
mod files;
mod import;
mod mapping;
mod money;
mod output;
mod source;
mod sums;
mod values;
mod vocabulary;

pub use files::{ImportError, replace};
pub use output::{ImportOptions, Imported};
pub use {draft::draft, import::import, import::origins, mapping::json_schema};

#[cfg(test)]
mod tests;
