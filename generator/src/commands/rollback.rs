//! `rollback`: an earlier snapshot is live again.

use std::path::Path;

use super::log;
use crate::exit_codes::{Failure, print_line, store_failure};
use crate::load::today;

pub(crate) fn rollback(root: &Path, generation: Option<&str>) -> Result<(), Failure> {
    let to = generation.map(|name| log::resolve(root, name)).transpose()?;
    let [live, of] =
        store::rollback(root, to, today()).map_err(|errors| store_failure(&errors, Failure::Output))?;
    print_line(format_args!("{live} is live, with the content of {of}"));
    Ok(())
}
