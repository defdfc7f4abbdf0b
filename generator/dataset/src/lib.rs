#![doc = include_str!("../README.md")]

#[macro_use]
mod rows;

pub mod diagnostics;
pub mod due;
mod facet_values;
mod init;
mod link;
mod link_report;
pub mod parallel;
mod places;
mod read;
mod registry;
pub mod sample;
pub mod schema;
mod stamps;
mod table;
pub mod text;

pub use facet_values::Labels;
pub use init::{dataset_json, init};
pub use link::link;
pub use link_report::LinkReport;
pub use read::{Input, InputError, csv, identities, read, sources};
pub use rows::Tables;
pub use stamps::Stamps;
pub use table::Table;

/// The day of a time in UTC.
pub fn day_of(time: jiff::Timestamp) -> jiff::civil::Date {
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// Records of a dataset that has no errors; for tests and benchmarks.
///
/// # Panics
///
/// If the dataset cannot be read or has errors.
pub fn directory(input: &Input<'_>) -> snapshot::record::Directory {
    let mut report = diagnostics::Diagnostics::new();
    let tables = read(input, &mut report).expect("the files can be read");
    link(tables, &mut report).expect("the dataset has no errors")
}
