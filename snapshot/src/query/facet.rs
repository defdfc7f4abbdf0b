//! Queries to the facet endpoint, which are read strictly.

use std::borrow::Cow;

use super::value::{clamp, pairs, parse_locale};
use super::{FACET_LIMIT_DEFAULT, INVALID_VALUE_MAX, LIMIT_RANGE, LIST_TEXT_MAX, OFFSET_RANGE, Page};
use crate::record::Locale;
use crate::truncate::at_char;

/// A query to the facet endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetQuery {
    /// Part of value or label; empty matches all.
    pub text: String,
    /// Which rows.
    pub page: Page,
    /// Language of labels.
    pub locale: Locale,
}

impl Default for FacetQuery {
    fn default() -> Self {
        Self { text: String::new(), page: Page { offset: 0, limit: FACET_LIMIT_DEFAULT }, locale: Locale::En }
    }
}

/// A fault that the facet endpoint refuses a query for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ParameterError {
    /// Which parameter.
    pub parameter: &'static str,
    /// Its value, cut.
    pub value: String,
    /// What is wrong, and what is accepted.
    pub reason: String,
}

/// Reads a query to the facet endpoint, strictly: every fault at once. Names that it does not
/// know are left to caches and trackers.
///
/// # Errors
///
/// A fault for each value that is too long, no number, out of bounds, or given twice and differently.
pub fn parse_facet(query: &str) -> Result<FacetQuery, Vec<ParameterError>> {
    let mut parsed = FacetQuery { locale: parse_locale(query), ..FacetQuery::default() };
    let stated = pairs(query).filter(|(_, value)| !value.is_empty());
    let faults = faults(stated, &["q", "limit", "offset"], |name, value| parsed.take(name, value));
    if faults.is_empty() { Ok(parsed) } else { Err(faults) }
}

/// Every fault of a query that is read strictly. `take` takes the first value of each of the names, or says what is wrong
/// with it; other names are left to caches and trackers.
pub fn faults<'q>(
    pairs: impl Iterator<Item = (Cow<'q, str>, Cow<'q, str>)>,
    names: &[&'static str],
    mut take: impl FnMut(&str, &str) -> Result<(), String>,
) -> Vec<ParameterError> {
    let (mut faults, mut seen) = (Vec::new(), Vec::new());
    for (name, value) in pairs {
        let Some(name) = names.iter().copied().find(|known| *known == name) else { continue };
        let taken = match seen.iter().find(|(earlier, _)| *earlier == name) {
            Some((_, earlier)) if *earlier == value => continue,
            Some(_) => Err("given twice with different values".to_owned()),
            None => take(name, &value),
        };
        if let Err(reason) = taken {
            let value = at_char(&value, INVALID_VALUE_MAX).into_owned();
            faults.push(ParameterError { parameter: name, value, reason });
        }
        seen.push((name, value));
    }
    faults
}

impl FacetQuery {
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "q" if value.chars().count() > LIST_TEXT_MAX => {
                Err(format!("longer than {LIST_TEXT_MAX} characters"))
            }
            "q" => {
                value.clone_into(&mut self.text);
                Ok(())
            }
            "limit" => in_range(value, LIMIT_RANGE).map(|limit| self.page.limit = limit),
            _ => in_range(value, OFFSET_RANGE).map(|offset| self.page.offset = offset),
        }
    }
}

fn in_range(value: &str, (least, most): (u64, u64)) -> Result<u64, String> {
    let mut number = None;
    let is_within = clamp(value, (least, most), &mut number);
    number.filter(|_| is_within).ok_or_else(|| format!("not an integer from {least} to {most}"))
}
