//! `check`: the problems of a dataset.

use std::path::Path;

use dataset::diagnostics::MessageFormat;
use dataset::text::counted;

use crate::cli::Check;
use crate::exit_codes::{Failure, fail, print_line};
use crate::load::load_for;

pub(crate) fn check(options: &Check) -> Result<(), Failure> {
    if options.data.is_none() && Path::new("dataset.json").exists() {
        let message =
            "this folder has a dataset.json; use `--data .` to check it, or another folder for the sample";
        return Err(fail(Failure::Usage, message));
    }
    let directory = load_for(options.data.as_deref(), &options.messages)?.directory;
    if options.messages.message_format == MessageFormat::Human {
        print_line(format_args!(
            "good{}: {}, {}, {}, {}, {}",
            if options.data.is_some() { "" } else { ", the embedded sample" },
            counted(directory.programs.len(), "program"),
            counted(directory.organizations.len(), "organization"),
            counted(directory.cycles.len(), "cycle"),
            counted(directory.awards.len(), "award"),
            counted(directory.recipients.len(), "recipient"),
        ));
    }
    Ok(())
}
