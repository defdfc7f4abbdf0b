//! What generator and edge share.
pub mod store;
