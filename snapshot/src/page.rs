//! Pages: the bytes of every JSON answer, from prepared parts. The generator writes some of them as
//! files and the edge makes the others; both call the functions of this module.
//!
//! What depends on the day is never stored: rows end before their next deadline, and bodies that
//! are files have [`hole`]s.

pub mod address;
pub(crate) mod bilingual;
pub mod caution;
pub mod changes;
pub mod detail;
pub mod details;
pub mod error;
pub mod export;
pub mod facet;
pub mod findings;
pub mod hole;
mod json;
pub mod list;
pub mod listing;
pub mod mcp_row;
pub mod money;
pub mod row;
pub mod search;
pub mod shape;
mod site;
pub mod status_text;
pub mod text;
pub mod when;

pub(crate) use self::json::{push_date, push_day, push_json, push_number};
pub use self::site::{Dated, Paged, Site};
