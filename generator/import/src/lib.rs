#![doc = include_str!("../README.md")]

mod days;
mod draft;
mod edits;
mod fields;
mod files;
mod import;
mod labels;
mod mapping;
mod money;
mod output;
mod schema;
mod source;
mod sums;
mod values;
mod vocabulary;

pub use files::{ImportError, replace};
pub use output::{ImportOptions, Imported};
pub use {draft::draft, import::import, import::origins, schema::json_schema};

#[cfg(test)]
mod tests;
