#![doc = include_str!("../README.md")]

pub mod facet;
pub mod page;
pub mod place;
pub mod query;
pub mod record;
pub mod search;
pub mod store;
pub mod time;
