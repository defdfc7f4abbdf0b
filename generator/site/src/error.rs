//! Why a build fails.

use snapshot::search::TooManyValues;
use store::StoreError;
use store::sections::SectionError;

use crate::theme::ThemeError;

/// Why a build failed after its data was found good.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The output could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The facets have too many values.
    #[error(transparent)]
    Values(#[from] TooManyValues),
    /// The written index could not be opened: a fault of this program.
    #[error("the index that was just written cannot be read: {0}")]
    Index(#[from] SectionError),
    /// What pages are rendered from cannot be opened.
    #[error(transparent)]
    Pages(#[from] html::PagesError),
    /// Templates or words cannot be used.
    #[error(transparent)]
    Theme(#[from] ThemeError),
    /// The review of the tables held the build back, and has reported why.
    #[error("the build is held back")]
    HeldBack,
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<minijinja::Error> for GenerateError {
    fn from(error: minijinja::Error) -> Self {
        Self::Theme(error.into())
    }
}
