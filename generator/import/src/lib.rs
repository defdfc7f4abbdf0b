#![doc = include_str!("../README.md")]

mod days;
mod draft;
mod fields;
mod files;
mod import;
mod made;
mod mapping;
mod money;
mod output;
mod source;
mod sums;
mod values;
mod vocabulary;

pub use files::{ImportError, replace};
pub use import::{import, origins, outdated};
pub use {draft::draft, mapping::FILE, mapping::json_schema, output::Imported};

#[cfg(test)]
mod tests;
