#![doc = include_str!("../README.md")]

pub mod cli;
pub mod commands;
pub mod data;
pub mod diagnostics;
pub mod diff;
pub mod encode;
pub mod export;
pub mod failure;
pub mod fix;
pub mod generate;
pub mod import;
pub mod init;
pub mod keys;
pub mod link;
pub mod load;
mod places;
pub mod plan;
pub mod preview;
pub mod progress;
pub mod read;
pub mod recipe;
pub mod render;
pub mod sample;
pub mod site;
pub mod stamp;
pub mod travel;
mod words;
