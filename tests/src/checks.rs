//! What must hold whatever comes: asked by property tests, and of any bytes at all by the fuzz targets.

#![expect(clippy::unwrap_used, reason = "a check that cannot go on has failed")]

pub mod index;
pub mod query;
pub mod request;
pub mod store;
pub mod tools;
pub mod understand;
