//! Generator.
pub mod diagnostics;
pub mod link;
pub mod read;
