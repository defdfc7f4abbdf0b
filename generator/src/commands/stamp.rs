//! `stamp`: records when rows without times of their own were created or changed.

use std::path::Path;

use dataset::diagnostics::{Diagnostics, MessageFormat};
use dataset::text::counted;
use dataset::{Stamps, read};
use import::replace;
use jiff::Timestamp;
use serde_json::value::RawValue;
use snapshot::record::Members;

use crate::exit_codes::{Failure, fail, import_failure, print_line, unread};
use crate::load::{input, print};

/// Records when each row without times of its own was created or changed, and when the dataset is published. Rows with
/// the same content keep their times.
pub(crate) fn stamp(data: &Path, at: Option<Timestamp>) -> Result<(), Failure> {
    let mut report = Diagnostics::new();
    let tables = read(&input(Some(data)), &mut report).map_err(unread)?;
    if report.error_count() > 0 {
        print(&report, MessageFormat::Human.into());
        return Err(Failure::Data);
    }
    let now = Timestamp::now();
    let at = at.unwrap_or_else(|| Timestamp::from_second(now.as_second()).unwrap_or(now));
    let (stamps, new, changed) = tables.stamps.updated(&tables.unstamped, at);
    replace(&data.join(Stamps::FILE), stamps.text().as_bytes()).map_err(import_failure)?;
    let path = data.join("dataset.json");
    let before = std::fs::read_to_string(&path).map_err(unread)?;
    let after = published_at(&before, at)
        .ok_or_else(|| fail(Failure::Input, format_args!("{}: it is not one object", path.display())))?;
    replace(&path, after.as_bytes()).map_err(import_failure)?;
    let (new, changed) = (counted(new, "new row"), counted(changed, "changed row"));
    print_line(format_args!("{new}, {changed}, published {at}"));
    Ok(())
}

/// The text of `dataset.json` with another time of publication; no other byte changes.
fn published_at(text: &str, at: Timestamp) -> Option<String> {
    let members: Members<&RawValue> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let (_, before) = members.0.iter().find(|(name, _)| name == "publishedAt")?;
    let start = before.get().as_ptr() as usize - text.as_ptr() as usize;
    Some(format!("{}\"{at}\"{}", &text[..start], &text[start + before.get().len()..]))
}
