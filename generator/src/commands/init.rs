//! `init`: a folder for a dataset.

use std::path::Path;

use dataset::text::counted;

use crate::exit_codes::{Failure, fail, print_line};

pub(crate) fn init(dir: &Path, with_sample: bool) -> Result<(), Failure> {
    let files = dataset::init(dir, with_sample).map_err(|error| fail(Failure::Output, error))?;
    let files = counted(files, "file");
    let dir = dir.display();
    print_line(format_args!("{files} in {dir}\nnext: opdir preview --data {dir}"));
    Ok(())
}
