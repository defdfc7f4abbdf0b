//! Queries: bounds, defaults and the parsers that turn the query string of a request into plain data, one
//! for each endpoint. Search and lists accept any input: unusable values are left out and reported.

mod details;
mod facet;
mod list;
mod parameter;
mod search;
mod value;

pub use self::details::{DetailsQuery, ExportFormat, parse_details, parse_export};
pub use self::facet::{FacetQuery, ParameterError, faults, parse_facet};
pub use self::list::{List, ListQuery, parse_list};
pub use self::parameter::{PARAMETERS, Parameter, ParameterKind, is_filter};
pub(crate) use self::search::parse_search;
pub use self::search::{FacetValue, Query, Sort};
pub use self::value::{is_slug, pairs, parse_date, parse_locale};

/// Least and greatest page size everywhere.
pub const LIMIT_RANGE: (u64, u64) = (1, 100);
/// Page size when none is requested.
pub(crate) const LIMIT_DEFAULT: u64 = 20;
/// Page size of the facet endpoint when none is requested.
pub const FACET_LIMIT_DEFAULT: u64 = 50;
/// Least and greatest page number.
pub const PAGE_RANGE: (u64, u64) = (1, 10_000);
/// Greatest offset: the greatest integer that every JSON reader keeps exact.
pub(crate) const OFFSET_MAX: u64 = (1 << 53) - 1;
const OFFSET_RANGE: (u64, u64) = (0, OFFSET_MAX);
/// Longest `q` of facets and recipients, in characters.
pub const LIST_TEXT_MAX: usize = 100;
/// Longest `q` of a search, in characters; the rest is cut and reported.
pub const TEXT_MAX: usize = 400;
/// Most words of a search; the rest is cut and reported.
pub const TEXT_WORDS_MAX: usize = 32;
/// Most quoted phrases of a search; the rest is cut and reported.
pub const TEXT_PHRASES_MAX: usize = 8;
/// Years that a list accepts as a filter.
const YEAR_RANGE: (i32, i32) = (1900, 2100);
/// Most entries of `meta.invalid`.
const INVALID_MAX: usize = 50;
/// Longest value in an entry of `meta.invalid`, in characters.
const INVALID_VALUE_MAX: usize = 100;

/// The requested rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to give.
    pub limit: u64,
}

/// The first rows.
impl Default for Page {
    fn default() -> Self {
        Self { offset: 0, limit: LIMIT_DEFAULT }
    }
}

impl Page {
    /// Number of the page that holds the first row, from 1.
    pub const fn number(&self) -> u64 {
        self.offset / self.limit + 1
    }

    /// The part of `total` rows that it covers.
    pub fn range(&self, total: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(self.offset).map_or(total, |offset| offset.min(total));
        start..start.saturating_add(self.limit as usize).min(total)
    }
}
