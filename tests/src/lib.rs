#![doc = include_str!("../README.md")]

pub mod questions;
pub mod synth;
