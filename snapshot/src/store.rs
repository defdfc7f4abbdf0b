//! Files on disk. The only module of this crate that touches them.
pub mod sections;
