#![doc = include_str!("../README.md")]
// Requests reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

mod deadlines;
mod feed;
mod fragments;
mod highlight;
mod hints;
mod hole;
mod messages;
mod organization;
pub mod prepare;
mod recipients;
mod row;
mod rows;
mod search;
mod slot;
mod status;

pub use deadlines::{bar_width, month_number, month_path};
pub use feed::{Feed, depends_on_day, feed, feed_path, feed_query};
pub use fragments::{Html, Language};
pub use hole::{Filler, Rule};
pub use messages::Message;
pub use organization::Organizations;
pub use search::{PageOptions, search_page, search_path};
