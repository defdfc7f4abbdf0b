//! Runs a command: results go to standard output, everything else to standard error, failures become exit codes.

use std::process::ExitCode;

use site::{Theme, ThemeError};

use crate::cli::{self, Cli, Command, Keys};
use crate::exit_codes::{Failure, print_line, theme_failure};
use crate::{dataset_commands, keys, manuals, preview, remote_commands, snapshot_commands};

/// Runs a command.
pub fn run(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Command::Build(options) => snapshot_commands::build(options),
        Command::Check(options) => dataset_commands::check(options),
        Command::Import(options) => dataset_commands::import(options),
        Command::Due(options) => dataset_commands::due(options),
        Command::Plan(options) => snapshot_commands::plan(options),
        Command::Preview(options) => preview::preview(options),
        Command::Verify { root, fast } => snapshot_commands::verify(root, *fast),
        Command::Diff { old, new, format } => snapshot_commands::diff(old, new.as_deref(), *format),
        Command::Log { root, format } => snapshot_commands::log(root, *format),
        Command::Rollback { root, generation } => snapshot_commands::rollback(root, generation.as_deref()),
        Command::Export { root, dir, pretty, prefix, compress } => {
            snapshot_commands::export(root, dir, (*pretty, prefix), *compress)
        }
        Command::Push(options) => remote_commands::push(options).map(print_line),
        Command::Pull(options) => remote_commands::pull(options).map(print_line),
        Command::Gc { root, keep, days, signing } => snapshot_commands::gc(root, *keep, *days, signing),
        Command::Keys(command) => keys(command),
        Command::Theme(cli::Theme::New { dir, files }) => theme(Theme::create(dir, files)),
        Command::Explain { code } => dataset_commands::explain_code(code),
        Command::Completions { shell } => manuals::completions(*shell),
        Command::Man { out } => manuals::manuals(out.as_deref()),
        Command::Schema { table } => dataset_commands::schema(table),
        Command::Init { dir, sample } => dataset_commands::init(dir, *sample),
        Command::Stamp { data, at } => dataset_commands::stamp(data, *at),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure as u8),
    }
}

fn keys(command: &Keys) -> Result<(), Failure> {
    let line = match command {
        Keys::New { file } => keys::new(file),
        Keys::Public { file } => keys::public(file.as_deref()),
        Keys::Sign { file, key } => {
            keys::sign(file, key.as_deref()).map(|path| format!("signed: {}", path.display()))
        }
        Keys::Verify { file, trust } => keys::verify(file, trust).map(|key| format!("good: signed by {key}")),
    };
    line.map(print_line).map_err(keys::key_failure)
}

fn theme(lines: Result<Vec<String>, ThemeError>) -> Result<(), Failure> {
    lines.map(|lines| lines.into_iter().for_each(print_line)).map_err(theme_failure)
}
