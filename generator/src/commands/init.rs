//! A maintainer's folder and its words: `init`, `stamp`, `schema`, `explain`.

use std::path::Path;

use dataset::diagnostics::{Diagnostics, MessageFormat, explain};
use dataset::text::counted;
use dataset::{Stamps, Table, read};
use import::replace;
use jiff::Timestamp;
use serde_json::value::RawValue;
use snapshot::record::Members;

use crate::exit_codes::{Failure, fail, import_failure, print_line};
use crate::load::{input, print};

pub(crate) fn init(dir: &Path, with_sample: bool) -> Result<(), Failure> {
    let files = dataset::init(dir, with_sample).map_err(|error| fail(Failure::Output, error))?;
    let files = counted(files, "file");
    let dir = dir.display();
    print_line(format_args!("{files} in {dir}\nnext: opdir preview --data {dir}"));
    Ok(())
}

/// Records when each row without times of its own was created or changed, and when the dataset is published. Rows with
/// the same content keep their times.
pub(crate) fn stamp(data: &Path, at: Option<Timestamp>) -> Result<(), Failure> {
    let mut report = Diagnostics::new();
    let tables = read(&input(Some(data)), &mut report).map_err(|error| fail(Failure::Input, error))?;
    if report.error_count() > 0 {
        print(&report, MessageFormat::Human.into());
        return Err(Failure::Data);
    }
    let now = Timestamp::now();
    let at = at.unwrap_or_else(|| Timestamp::from_second(now.as_second()).unwrap_or(now));
    let (stamps, new, changed) = tables.stamps.updated(&tables.unstamped, at);
    let text = stamps.text().map_err(|error| fail(Failure::Output, error))?;
    replace(&data.join(Stamps::FILE), text.as_bytes()).map_err(import_failure)?;
    let path = data.join("dataset.json");
    let before = std::fs::read_to_string(&path).map_err(|error| fail(Failure::Input, error))?;
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

pub(crate) fn schema(name: &str) -> Result<(), Failure> {
    let text = match Table::parse(name) {
        Some(table) => table.json_schema().to_owned(),
        None if name == "dataset" => dataset::schema::DATASET.to_owned(),
        None if name == "import" => import::json_schema(),
        None => {
            let known = Table::ALL.map(Table::name).join(", ");
            let message = format_args!("there is no table {name}; there are dataset, import, {known}");
            return Err(fail(Failure::Usage, message));
        }
    };
    print_line(text.trim_end());
    Ok(())
}

pub(crate) fn explain_code(code: &str) -> Result<(), Failure> {
    let unknown =
        || fail(Failure::Usage, format_args!("there is no code {code}; check prints them in brackets"));
    explain(code).map(|text| print_line(text.trim_end())).ok_or_else(unknown)
}
