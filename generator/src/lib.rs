//! Generator.
pub mod encode;
pub mod generate;
pub mod progress;
pub mod render;
