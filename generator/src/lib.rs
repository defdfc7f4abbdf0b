//! Generator.
pub mod diagnostics;
pub mod encode;
pub mod generate;
pub mod link;
pub mod progress;
pub mod read;
pub mod render;
