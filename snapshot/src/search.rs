//! Search.
pub mod set;
pub mod table;
pub mod terms;
pub mod text;
