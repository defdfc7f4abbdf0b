#![doc = include_str!("../README.md")]

mod canonical;
mod days;
mod draft;
mod edits;
mod field_value;
mod fields;
mod files;
mod forms;
mod import;
mod kept;
mod keys;
mod mapping;
mod money;
mod output;
mod schema;
mod source;
mod sums;
mod values;
mod vocabulary;
mod written;

pub use files::{ImportError, replace};
pub use output::{ImportOptions, Imported};
pub use {draft::draft, import::import, import::origins, schema::json_schema};

#[cfg(test)]
mod tests;
