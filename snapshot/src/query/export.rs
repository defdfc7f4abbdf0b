//! Queries to the export.

use super::INVALID_VALUE_MAX;
use super::value::pairs;
use crate::truncate::at_char;

/// File format of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// ExportResponse.
    Json,
    /// RFC 4180.
    Csv,
}

/// Reads `format` of the export.
///
/// # Errors
///
/// The value, cut, when it is neither format.
pub fn parse_export(query: &str) -> Result<ExportFormat, String> {
    let format = pairs(query).find(|(name, value)| name == "format" && !value.is_empty());
    match format.as_ref().map(|(_, value)| value.as_ref()) {
        None | Some("json") => Ok(ExportFormat::Json),
        Some("csv") => Ok(ExportFormat::Csv),
        Some(other) => Err(at_char(other, INVALID_VALUE_MAX).into_owned()),
    }
}
