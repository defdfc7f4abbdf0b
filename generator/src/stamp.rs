//! `opdir stamp`: writes down when each row without times of its own was made and changed, and when the
//! dataset is published. Only rows whose content changed move.

use std::path::Path;

use jiff::Timestamp;

use crate::exit_codes::{Failure, fail, import_failure};
use crate::load::print;
use dataset::diagnostics::{Diagnostics, MessageFormat};
use dataset::text::counted;
use dataset::{Input, STAMPS, read};
use import::fix::{self, Change};
use import::replace;

/// Stamps a dataset at a time, now when none is given; says what moved.
///
/// # Errors
///
/// If the dataset cannot be read or has errors of form, or its files cannot be written.
pub fn stamp(data: &Path, at: Option<Timestamp>) -> Result<String, Failure> {
    let mut report = Diagnostics::new();
    let input = Input::Folder(data.to_owned());
    let tables = read(&input, &mut report).map_err(|error| fail(Failure::Input, error))?;
    if report.error_count() > 0 {
        print(&report, MessageFormat::Human.into());
        return Err(Failure::Data);
    }
    let Some(dataset) = &tables.dataset else { return Err(Failure::Data) };
    let now = Timestamp::now();
    let at = at.unwrap_or_else(|| Timestamp::from_second(now.as_second()).unwrap_or(now));
    let (stamps, new, changed) = tables.stamps.updated(&tables.unstamped, at);
    let text = stamps.text().map_err(|error| fail(Failure::Output, error))?;
    replace(&data.join(STAMPS), text.as_bytes()).map_err(|error| import_failure(&error))?;
    let path = data.join("dataset.json");
    let before = std::fs::read(&path).map_err(|error| fail(Failure::Input, error))?;
    let change = Change::value(
        dataset.at.line,
        "publishedAt",
        &fix::raw_text(&before, "publishedAt"),
        &at.to_string(),
    );
    let after = fix::json(&before, &[change]);
    replace(&path, &after).map_err(|error| import_failure(&error))?;
    let (new, changed) = (counted(new, "new row"), counted(changed, "changed row"));
    Ok(format!("{new}, {changed}, published {at}"))
}
