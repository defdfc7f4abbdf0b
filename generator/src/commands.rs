//! Runs a command: results go to standard output, everything else to standard error, failures become exit codes.

mod build;
mod check;
mod history;
mod import;
mod init;
mod pull;
mod push;

use std::process::ExitCode;

use site::{Theme, ThemeError};

use crate::cli::{self, Cli, Command, Keys};
use crate::exit_codes::{Failure, print_line, theme_failure};
use crate::{keys, manuals, preview};

/// Runs a command.
pub fn run(cli: &Cli) -> ExitCode {
    let result = match &cli.command {
        Command::Build(options) => build::build(options),
        Command::Check(options) => check::check(options),
        Command::Import(options) => import::import(options),
        Command::Due(options) => check::due(options),
        Command::Plan(options) => build::plan(options),
        Command::Preview(options) => preview::preview(options),
        Command::Verify { root } => history::verify(root),
        Command::Diff { old, new, format } => history::diff(old, new.as_deref(), *format),
        Command::Log { root } => history::log(root),
        Command::Rollback { root, generation } => history::rollback(root, generation.as_deref()),
        Command::Export { root, dir, pretty, prefix } => history::export(root, dir, (*pretty, prefix)),
        Command::Push(options) => push::push(options).map(print_line),
        Command::Pull(options) => pull::pull(options).map(print_line),
        Command::Gc { root, keep, days, signing } => history::gc(root, *keep, *days, signing),
        Command::Keys(Keys::New { file }) => keys::new(file).map(print_line),
        Command::Keys(Keys::Public { file }) => keys::public(file.as_deref()).map(print_line),
        Command::Theme(cli::Theme::New { dir, files }) => theme(Theme::create(dir, files)),
        Command::Explain { code } => init::explain_code(code),
        Command::Man { out } => manuals::manuals(out),
        Command::Schema { table } => init::schema(table),
        Command::Init { dir, sample } => init::init(dir, *sample),
        Command::Stamp { data, at } => init::stamp(data, *at),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure as u8),
    }
}

fn theme(lines: Result<Vec<String>, ThemeError>) -> Result<(), Failure> {
    lines.map(|lines| lines.into_iter().for_each(print_line)).map_err(theme_failure)
}
