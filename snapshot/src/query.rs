//! Queries: bounds, defaults and the parsers that turn the query string of a request into plain data, one
//! for each endpoint. Search and lists accept any input: unusable values are left out and reported.

mod bounds;
mod details;
mod export;
mod facet;
mod invalid;
mod list;
mod parameter;
mod search;
mod value;

pub use self::bounds::{
    FACET_LIMIT_DEFAULT, INVALID_VALUE_MAX, LIMIT_DEFAULT, LIMIT_RANGE, LIST_TEXT_MAX, OFFSET_MAX,
    PAGE_RANGE, Page, TEXT_MAX, TEXT_PHRASES_MAX, TEXT_WORDS_MAX,
};
use self::bounds::{INVALID_MAX, YEAR_RANGE};
pub use self::details::{DetailsQuery, parse_details};
pub use self::export::{ExportFormat, parse_export};
pub use self::facet::{FacetQuery, ParameterError, parse_facet};
pub use self::list::{List, ListQuery, parse_list};
pub use self::parameter::{PARAMETERS, Parameter, ParameterKind, is_filter};
pub(crate) use self::search::parse_search;
pub use self::search::{FacetValue, Query, Sort};
pub use self::value::{is_slug, pairs, parse_date, parse_locale};
