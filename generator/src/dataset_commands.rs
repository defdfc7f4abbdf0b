//! Commands about datasets: check, import, stamp, schema, init, explain; and how every command loads a dataset.

use std::path::Path;

use dataset::diagnostics::{Diagnostics, MessageFormat, PrintOptions, explain};
use dataset::text::counted;
use dataset::{Input, InputError, LinkReport, STAMPS, Table, Tables, link, read, sample};
use import::replace;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::value::RawValue;
use site::Progress;
use snapshot::record::{Directory, Members};
use store::Digest;

use crate::cli::{Check, DueOptions, Import, Messages};
use crate::due_report;
use crate::exit_codes::{Failure, fail, import_failure, print_line};

/// A valid dataset.
pub(crate) struct Loaded {
    pub(crate) directory: Directory,
    /// Hash of the input files.
    pub(crate) source: Digest,
}

/// Today, UTC.
pub(crate) fn today() -> Date {
    Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// The dataset folder, or the embedded sample.
pub(crate) fn input(data: Option<&Path>) -> Input<'static> {
    match data {
        Some(folder) => Input::Folder(folder.to_owned()),
        None => Input::Embedded(sample::FILES),
    }
}

/// Reads and links a dataset, and passes its diagnostics to `show`; `None` if there are errors among them.
pub(crate) fn load(
    input: &Input<'_>,
    show: impl FnOnce(&Diagnostics),
    progress: &Progress,
) -> Result<Option<Loaded>, InputError> {
    let mut report = Diagnostics::new();
    let tables = progress.step("read", || read(input, &mut report))?;
    let source = Digest(tables.source_sha256);
    let directory = progress.step("check", || Ok::<_, InputError>(link(tables, &mut report)))?;
    show(&report);
    Ok(directory.map(|directory| Loaded { directory, source }))
}

/// Loads the dataset of a command and prints its diagnostics.
pub(crate) fn load_for(data: Option<&Path>, messages: &Messages) -> Result<Loaded, Failure> {
    match load(&input(data), |report| show(report, messages), &Progress::new(messages.quiet)) {
        Ok(Some(loaded)) => Ok(loaded),
        Ok(None) => Err(Failure::Data),
        Err(error) => Err(fail(Failure::Input, error)),
    }
}

/// Prints diagnostics of a command.
pub(crate) fn show(report: &Diagnostics, messages: &Messages) {
    show_as(report, messages, messages.print_options());
}

/// Prints diagnostics, and in GitHub Actions also writes them to the job summary.
fn show_as(report: &Diagnostics, messages: &Messages, options: PrintOptions) {
    print(report, options);
    let summary = messages.step_summary.as_ref();
    if let Some(path) = summary.filter(|_| messages.message_format == MessageFormat::Github) {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Err(error) = file.and_then(|mut file| report.markdown(&mut file)) {
            anstream::eprintln!("cannot write the job summary: {}: {error}", path.display());
        }
    }
}

/// Prints diagnostics: text to standard error, other formats to standard output.
pub(crate) fn print(report: &Diagnostics, options: PrintOptions) {
    let printed = match options.format {
        MessageFormat::Human | MessageFormat::Short => report.print(options, &mut anstream::stderr()),
        _ => report.print(options, &mut std::io::stdout()),
    };
    // A closed pipe is no error.
    drop(printed);
}

pub(crate) fn check(options: &Check) -> Result<(), Failure> {
    if options.data.is_none() && Path::new("dataset.json").exists() {
        let message =
            "this folder has a dataset.json; use `--data .` to check it, or another folder for the sample";
        return Err(fail(Failure::Usage, message));
    }
    let mut report = Diagnostics::new();
    let tables = read_with_links(options.data.as_deref(), options.links.as_deref(), &mut report)?;
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

/// Reads a dataset, and the report of a link checker if there is one.
fn read_with_links(
    data: Option<&Path>,
    links: Option<&Path>,
    report: &mut Diagnostics,
) -> Result<Tables, Failure> {
    let links = links.map(LinkReport::read).transpose().map_err(|error| fail(Failure::Input, error))?;
    let mut tables = read(&input(data), report).map_err(|error| fail(Failure::Input, error))?;
    tables.links = links;
    Ok(tables)
}

/// Lists what is due. Errors of the dataset are printed; its warnings are those of `check`.
pub(crate) fn due(options: &DueOptions) -> Result<(), Failure> {
    let mut report = Diagnostics::new();
    let tables = read_with_links(Some(&options.data), options.links.as_deref(), &mut report)?;
    let day = options.as_of.unwrap_or_else(today);
    let Some(list) = dataset::due::due(tables, &mut report, day) else {
        print(&report, options.messages.print_options());
        return Err(Failure::Data);
    };
    print_line(due_report::report(list, options.by, options.format).trim_end());
    Ok(())
}

/// Imports tables, and then checks the dataset.
pub(crate) fn import(options: &Import) -> Result<(), Failure> {
    if options.draft {
        let name = options.sources.first().map(String::as_str);
        let draft = import::draft(&options.data, options.from.as_deref(), name);
        return draft.map(print_line).map_err(import_failure);
    }
    let import_options = import::ImportOptions {
        data: &options.data,
        sources: &options.sources,
        from: options.from.as_deref(),
    };
    if options.propose {
        let proposed = import::propose(&import_options);
        return proposed.map(print_line).map_err(import_failure);
    }
    let mut report = Diagnostics::new();
    let mut shown = options.messages.print_options();
    let imported = import::import(&import_options, &mut report).map_err(|error| {
        if report.error_count() > 0 {
            show_as(&report, &options.messages, shown);
        }
        import_failure(error)
    })?;
    // The dataset is checked as it would be; one with errors is not written.
    let input = Input::Overlaid(options.data.clone(), &imported.files);
    let tables = read(&input, &mut report).map_err(|error| fail(Failure::Input, error))?;
    drop(link(tables, &mut report));
    imported.relocate(&options.data, &mut report);
    // Warnings of an import that is accepted take a line for each code.
    shown.summary |= report.error_count() == 0 && shown.limit == PrintOptions::LIMIT;
    show_as(&report, &options.messages, shown);
    if report.error_count() > 0 {
        return Err(Failure::Data);
    }
    imported.lines.iter().for_each(print_line);
    if options.dry_run {
        return Ok(());
    }
    imported.write(&options.data).map_err(import_failure)
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
    replace(&data.join(STAMPS), text.as_bytes()).map_err(import_failure)?;
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

pub(crate) fn explain_code(code: &str) -> Result<(), Failure> {
    let unknown =
        || fail(Failure::Usage, format_args!("there is no code {code}; check prints them in brackets"));
    explain(code).map(|text| print_line(text.trim_end())).ok_or_else(unknown)
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

pub(crate) fn init(dir: &Path, with_sample: bool) -> Result<(), Failure> {
    let files = dataset::init(dir, with_sample).map_err(|error| fail(Failure::Output, error))?;
    let files = counted(files, "file");
    let dir = dir.display();
    print_line(format_args!("{files} in {dir}\nnext: opdir preview --data {dir}"));
    Ok(())
}
