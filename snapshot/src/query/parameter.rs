//! The one table of search's parameters: name, how each is read, and in which order. Values of facets
//! and bounds of measures come from their own tables.

use std::sync::LazyLock;

use crate::facet::{FACETS, Facet, MEASURES, Measure};

/// How a parameter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Values of a facet, repeatable.
    Values(Facet),
    /// Free text.
    Text,
    /// Lower bound of a measure.
    Least(Measure),
    /// Upper bound of a measure.
    Most(Measure),
    /// Earliest next deadline.
    DeadlineFrom,
    /// Latest next deadline.
    DeadlineTo,
    /// Rolling only.
    Rolling,
    /// Funded only.
    Funded,
    /// Open only.
    Open,
    /// Language of the answer.
    Locale,
    /// The same, where `locale` is not given.
    Lang,
    /// Order of the results.
    Sort,
    /// Page number.
    Page,
    /// Page size.
    Limit,
    /// Rows to skip; wins over the page.
    Offset,
    /// `false` leaves the facets out.
    Facets,
    /// Earliest day of the record's last change.
    UpdatedFrom,
    /// Latest day of it.
    UpdatedTo,
    /// Slugs of organizations, repeatable.
    Organization,
}

/// A parameter of search and programs.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in query strings.
    pub name: &'static str,
    /// How it is read.
    pub kind: ParameterKind,
}

/// Whether an entry of `meta.invalid` was meant to filter: an unknown name was.
pub fn is_filter(entry: &str) -> bool {
    use ParameterKind::{Facets, Lang, Limit, Locale, Offset, Page, Sort};
    let name = entry.split_once('=').map_or(entry, |(name, _)| name);
    let known = PARAMETERS.iter().find(|parameter| parameter.name == name);
    !known.is_some_and(|it| matches!(it.kind, Locale | Lang | Sort | Page | Limit | Offset | Facets))
}

/// Parameters that are neither values of a facet nor bounds of a measure, with their place among all.
const CONTROLS: [(u8, &str, ParameterKind); 16] = [
    (17, "q", ParameterKind::Text),
    (20, "deadlineFrom", ParameterKind::DeadlineFrom),
    (21, "deadlineTo", ParameterKind::DeadlineTo),
    (22, "rolling", ParameterKind::Rolling),
    (23, "funded", ParameterKind::Funded),
    (28, "open", ParameterKind::Open),
    (29, "locale", ParameterKind::Locale),
    (30, "lang", ParameterKind::Lang),
    (31, "sort", ParameterKind::Sort),
    (32, "page", ParameterKind::Page),
    (33, "limit", ParameterKind::Limit),
    (34, "offset", ParameterKind::Offset),
    (35, "facets", ParameterKind::Facets),
    (36, "updatedFrom", ParameterKind::UpdatedFrom),
    (37, "updatedTo", ParameterKind::UpdatedTo),
    (38, "organization", ParameterKind::Organization),
];

/// Every parameter of search and programs, in the contract's order, additions to it last; which is also the order
/// of `meta.invalid`.
pub static PARAMETERS: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let facets =
        FACETS.iter().map(|spec| (spec.parameter_rank, spec.parameter, ParameterKind::Values(spec.facet)));
    let bounds = MEASURES.iter().flat_map(|spec| {
        let kinds = [ParameterKind::Least(spec.measure), ParameterKind::Most(spec.measure)];
        spec.parameters.into_iter().zip(kinds).map(|(name, kind)| (spec.parameter_rank, name, kind))
    });
    let mut all: Vec<_> = facets.chain(bounds).chain(CONTROLS).collect();
    all.sort_by_key(|(place, ..)| *place);
    all.into_iter().map(|(_, name, kind)| Parameter { name, kind }).collect()
});
