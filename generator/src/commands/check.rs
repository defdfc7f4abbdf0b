//! `check` and `due`: the problems of a dataset, and what is due for a look.

use std::path::Path;

use dataset::diagnostics::{Diagnostics, MessageFormat};
use dataset::text::counted;
use dataset::{LinkReport, link, read};

use crate::cli::{Check, DueOptions};
use crate::due_report;
use crate::exit_codes::{Failure, fail, print_line};
use crate::load::{input, print, show, today};

pub(crate) fn check(options: &Check) -> Result<(), Failure> {
    if options.data.is_none() && Path::new("dataset.json").exists() {
        let message =
            "this folder has a dataset.json; use `--data .` to check it, or another folder for the sample";
        return Err(fail(Failure::Usage, message));
    }
    let mut report = Diagnostics::new();
    let tables = read(&input(options.data.as_deref()), &mut report).map_err(unread)?;
    let directory = link(tables, &mut report);
    show(&report, &options.messages);
    let directory = directory.ok_or(Failure::Data)?;
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

/// Lists what is due. Errors of the dataset are printed; its warnings are those of `check`.
pub(crate) fn due(options: &DueOptions) -> Result<(), Failure> {
    let mut report = Diagnostics::new();
    let links = options.links.as_deref().map(LinkReport::read).transpose().map_err(unread)?;
    let mut tables = read(&input(Some(&options.data)), &mut report).map_err(unread)?;
    tables.links = links;
    let day = options.as_of.unwrap_or_else(today);
    let Some(list) = dataset::due::due(tables, &mut report, day) else {
        print(&report, options.messages.print_options());
        return Err(Failure::Data);
    };
    print_line(due_report::report(&list, options.format).trim_end());
    Ok(())
}

fn unread(error: impl std::fmt::Display) -> Failure {
    fail(Failure::Input, error)
}
