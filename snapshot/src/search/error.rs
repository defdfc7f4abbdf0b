//! Why an index cannot be written.

use std::io;

/// Why an index cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The facets have too many values.
    #[error(transparent)]
    Values(#[from] TooManyValues),
    /// A temporary file could not be written or read.
    #[error(
        "cannot use a temporary file in the output folder: {0}; a build in parts needs about five times the size of the dataset there"
    )]
    Io(#[from] io::Error),
}

/// The dataset has more facet values than an index can number.
#[derive(Debug, thiserror::Error)]
#[error("{found} different facet values; an index holds at most {most}")]
pub struct TooManyValues {
    /// Number of values.
    pub found: usize,
    /// What an index can number.
    pub most: usize,
}
