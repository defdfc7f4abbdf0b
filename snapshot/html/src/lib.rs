#![doc = include_str!("../README.md")]
// Requests reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

pub mod calendar;
mod entry;
pub mod feed;
mod functions;
mod highlight;
mod hints;
mod hole;
pub mod index;
mod recipients;
mod rows;
mod search;
mod status;
pub mod templates;
pub mod view;

pub use highlight::passages;
pub use hole::{Filler, Rule};
pub use index::{Html, PagesError};
pub use rows::{month_number, month_path};
pub use search::{PageOptions, page_units, search_address, search_page, search_path};
