#![doc = include_str!("../README.md")]

pub mod csv_rows;
pub mod downloads;
pub mod encode;
pub mod files;
pub mod fingerprint;
pub mod generate;
pub mod pages;
pub mod progress;
pub mod rest;
