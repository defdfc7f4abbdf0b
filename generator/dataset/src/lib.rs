#![doc = include_str!("../README.md")]

pub mod diagnostics;
pub mod failure;
pub mod init;
pub mod link;
pub mod places;
pub mod read;
pub mod sample;
pub mod schema;
pub mod slug;

/// Records of a dataset that has no errors; for tests and benchmarks.
///
/// # Panics
///
/// If the dataset cannot be read or has errors.
#[must_use]
pub fn directory(input: &read::Input<'_>) -> snapshot::record::Directory {
    let mut report = diagnostics::Diagnostics::new();
    let tables = read::read(input, &mut report).expect("the files can be read");
    link::link(tables, &mut report).expect("the dataset has no errors")
}
