//! Queries for whole records: the details of several, and the export of all.

use super::INVALID_VALUE_MAX;
use super::facet::ParameterError;
use super::value::{Complaints, is_junk, pairs, parse_locale};
use crate::record::{EntityType, Locale, words};
use crate::truncate::at_char;

/// Most slugs of a query.
const DETAILS_MAX: usize = 100;

/// Parameters that name records, in the order of `meta.invalid`.
const KINDS: [EntityType; 3] = [EntityType::Program, EntityType::Organization, EntityType::Recipient];

/// A query for details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetailsQuery {
    /// Kind and slug of each record, as they were requested, each once.
    pub records: Vec<(EntityType, String)>,
    /// Language of programs.
    pub locale: Locale,
}

/// Reads a query for details, and what of it was not used.
///
/// # Errors
///
/// The fault, if it names too many records.
pub fn parse_details(query: &str) -> Result<(DetailsQuery, Vec<String>), ParameterError> {
    let (mut records, mut complaints) = (Vec::new(), Complaints::default());
    for (name, value) in pairs(query).filter(|(_, value)| !value.is_empty()) {
        let record =
            KINDS.into_iter().find(|kind| kind.as_str() == name).map(|kind| (kind, value.to_string()));
        match record {
            Some(record) if records.contains(&record) => {}
            Some(record) => records.push(record),
            None if matches!(&*name, "locale" | "lang") && Locale::parse(&value).is_some() => {}
            None if is_junk(&name) => {}
            None => complaints.add(0, &name, &value),
        }
    }
    if records.len() <= DETAILS_MAX {
        return Ok((DetailsQuery { records, locale: parse_locale(query) }, complaints.finish()));
    }
    let reason = format!("more than {DETAILS_MAX} slugs in all");
    Err(ParameterError {
        parameter: "program, organization, recipient",
        value: records.len().to_string(),
        reason,
    })
}

words! {
    /// File format of the export.
    ExportFormat {
        /// ExportResponse.
        Json = "json",
        /// RFC 4180.
        Csv = "csv",
    }
}

/// Reads `format` of the export.
///
/// # Errors
///
/// The value, cut, when it is neither format.
pub fn parse_export(query: &str) -> Result<ExportFormat, String> {
    let format = pairs(query).find(|(name, value)| name == "format" && !value.is_empty());
    format.map_or(Ok(ExportFormat::Json), |(_, value)| {
        ExportFormat::parse(&value).ok_or_else(|| at_char(&value, INVALID_VALUE_MAX).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_hundred_slugs_are_refused_and_none_are_none() {
        let slugs = |count: usize| (0..count).map(|number| format!("program=p{number}&")).collect::<String>();
        assert_eq!(parse_details(&slugs(100)).unwrap().0.records.len(), 100);
        assert_eq!(parse_details(&format!("{}program=p7", slugs(100))).unwrap().0.records.len(), 100);
        assert_eq!(parse_details(&slugs(101)).unwrap_err().value, "101");
        for none in ["", "program=", "locale=es"] {
            assert_eq!(parse_details(none).unwrap().0.records.len(), 0);
        }
    }
}
