//! `verify`: whether every file of a snapshot is as it was published.

use std::path::Path;

use site::{number, size};
use store::VerifyMode;

use crate::exit_codes::{Failure, print_line, store_failure};

pub(crate) fn verify(root: &Path) -> Result<(), Failure> {
    let report = store::verify(root, None, VerifyMode::Deep);
    let report = report.map_err(|errors| store_failure(&errors, Failure::Input))?;
    let (files, bytes) = (number(report.files.count), size(report.files.bytes));
    print_line(format_args!("good: {} has {files} files, {bytes}, all as published", report.id()));
    Ok(())
}
