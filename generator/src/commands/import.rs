//! `import`: tables of others into a dataset, which is then checked.

use dataset::diagnostics::{Diagnostics, PrintOptions};
use dataset::{Input, link, read};

use crate::cli::Import;
use crate::exit_codes::{Failure, import_failure, print_line, unread};
use crate::load::show;

/// Imports tables, and then checks the dataset.
pub(crate) fn import(options: &Import) -> Result<(), Failure> {
    if options.draft {
        let name = options.sources.first().map(String::as_str);
        let draft = import::draft(&options.data, options.from.as_deref(), name);
        return draft.map(print_line).map_err(import_failure);
    }
    let mut report = Diagnostics::new();
    let imported = import::import(&options.data, &options.sources, options.from.as_deref(), &mut report);
    let imported = imported.map_err(|error| {
        if report.error_count() > 0 {
            show(&report, &options.messages, false);
        }
        import_failure(error)
    })?;
    // The dataset is checked as it would be; one with errors is not written.
    let input = Input::Overlaid(options.data.clone(), &imported.files);
    let tables = read(&input, &mut report).map_err(unread)?;
    drop(link(tables, &mut report));
    imported.relocate(&options.data, &mut report);
    // Warnings of an import that is accepted take a line for each code.
    let is_accepted = report.error_count() == 0;
    show(&report, &options.messages, is_accepted && options.messages.limit == PrintOptions::LIMIT);
    if !is_accepted {
        return Err(Failure::Data);
    }
    imported.lines.iter().for_each(print_line);
    if options.dry_run {
        return Ok(());
    }
    imported.write(&options.data).map_err(import_failure)
}
