#![doc = include_str!("../README.md")]

pub mod questions;
pub mod storm;
pub mod synth;
