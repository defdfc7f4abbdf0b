//! Shared by the test binary and the benches: synthetic datasets and questions to ask of them.

pub mod questions;
pub mod synth;
