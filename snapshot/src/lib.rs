//! What generator and edge share.
pub mod record;
pub mod store;
pub mod time;
