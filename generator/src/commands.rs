//! Runs a command: results go to standard output, everything else to standard error, failures become exit codes.

mod build;
mod check;
pub(crate) mod diff;
mod due;
pub(crate) mod export;
mod generations;
mod import;
mod plan;
mod stamp;
mod stores;

use std::path::Path;
use std::process::ExitCode;

use dataset::text::counted;
use dataset::{Table, diagnostics};
use site::{Theme, ThemeError};

use crate::cli::{self, Cli, Command, Keys};
use crate::exit_codes::{Failure, fail, print_line, theme_failure};
use crate::{keys, manuals, preview};

/// Runs a command.
pub fn run(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Command::Build(options) => build::build(options),
        Command::Check(options) => check::check(options),
        Command::Import(options) => import::import(options),
        Command::Due(options) => due::due(options),
        Command::Plan(options) => plan::plan(options),
        Command::Preview(options) => preview::preview(options),
        Command::Verify { root } => generations::verify(root),
        Command::Diff { old, new, format } => diff::diff(old, new.as_deref(), *format),
        Command::Log { root } => generations::log(root),
        Command::Rollback { root, generation } => generations::rollback(root, generation.as_deref()),
        Command::Export { root, dir, pretty, prefix } => export::command(root, dir, (*pretty, prefix)),
        Command::Push(options) => stores::push(options).map(print_line),
        Command::Pull(options) => stores::pull(options).map(print_line),
        Command::Gc { root, keep, days, signing } => generations::gc(root, *keep, *days, signing),
        Command::Keys(Keys::New { file }) => keys::new(file).map(print_line),
        Command::Keys(Keys::Public { file }) => keys::public(file.as_deref()).map(print_line),
        Command::Theme(cli::Theme::New { dir, files }) => theme(Theme::create(dir, files)),
        Command::Explain { code } => explain(code),
        Command::Man { out } => manuals::manuals(out),
        Command::Schema { table } => schema(table),
        Command::Init { dir, sample } => init(dir, *sample),
        Command::Stamp { data, at } => stamp::stamp(data, *at),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure as u8),
    }
}

/// Explains the rule behind a code of a message.
fn explain(code: &str) -> Result<(), Failure> {
    let unknown =
        || fail(Failure::Usage, format_args!("there is no code {code}; check prints them in brackets"));
    diagnostics::explain(code).map(|text| print_line(text.trim_end())).ok_or_else(unknown)
}

/// Creates a folder for a dataset.
fn init(dir: &Path, with_sample: bool) -> Result<(), Failure> {
    let files = dataset::init(dir, with_sample).map_err(|error| fail(Failure::Output, error))?;
    let files = counted(files, "file");
    let dir = dir.display();
    print_line(format_args!("{files} in {dir}\nnext: opdir preview --data {dir}"));
    Ok(())
}

/// Prints the schema of a table, of `dataset.json`, or of a mapping.
fn schema(name: &str) -> Result<(), Failure> {
    let text = match Table::parse(name) {
        Some(table) => table.json_schema().to_owned(),
        None if name == "dataset" => dataset::schema::DATASET.to_owned(),
        None if name == "import" => ::import::json_schema(),
        None => {
            let known = Table::ALL.map(Table::name).join(", ");
            let message = format_args!("there is no table {name}; there are dataset, import, {known}");
            return Err(fail(Failure::Usage, message));
        }
    };
    print_line(text.trim_end());
    Ok(())
}

fn theme(lines: Result<Vec<String>, ThemeError>) -> Result<(), Failure> {
    lines.map(|lines| lines.into_iter().for_each(print_line)).map_err(theme_failure)
}
