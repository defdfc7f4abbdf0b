//! The context of a request: one directory on one day.

use bytes::Bytes;
use snapshot::page::{Dated, Site};
use snapshot::record::Locale;

use crate::reply::json;

/// The data that an answer is computed from; the same for the whole request.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Scheme and authority of the public address, without a slash at the end.
    pub base_url: &'a str,
    /// The directory.
    pub site: &'a Site,
    /// What depends on the day.
    pub dated: &'a Dated,
    /// ProgramDetailResponse of a published slug, for that day; none if it cannot be read.
    pub detail: &'a ReadDetail<'a>,
}

/// Reads the detail of a slug in a language.
pub type ReadDetail<'a> = dyn Fn(&str, Locale) -> Result<Option<Bytes>, Unreadable> + Sync + 'a;

/// A record cannot be read as it was published.
#[derive(Clone, Copy, Debug)]
pub struct Unreadable;

impl Context<'_> {
    /// The day that answers are valid for, as JSON.
    pub(crate) fn day(&self) -> String {
        json(&self.dated.day().date().map(|date| date.to_string()))
    }
}
