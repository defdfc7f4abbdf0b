//! Runs a command: results go to standard output, everything else to standard error, failures become exit codes.

mod build;
mod check;
pub(crate) mod diff;
mod due;
mod explain;
pub(crate) mod export;
mod gc;
mod import;
mod init;
mod log;
mod plan;
mod pull;
mod push;
mod rollback;
mod schema;
mod stamp;
mod verify;

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
        Command::Due(options) => due::due(options),
        Command::Plan(options) => plan::plan(options),
        Command::Preview(options) => preview::preview(options),
        Command::Verify { root } => verify::verify(root),
        Command::Diff { old, new, format } => diff::diff(old, new.as_deref(), *format),
        Command::Log { root } => log::log(root),
        Command::Rollback { root, generation } => rollback::rollback(root, generation.as_deref()),
        Command::Export { root, dir, pretty, prefix } => export::command(root, dir, (*pretty, prefix)),
        Command::Push(options) => push::push(options).map(print_line),
        Command::Pull(options) => pull::pull(options).map(print_line),
        Command::Gc { root, keep, days, signing } => gc::gc(root, *keep, *days, signing),
        Command::Keys(Keys::New { file }) => keys::new(file).map(print_line),
        Command::Keys(Keys::Public { file }) => keys::public(file.as_deref()).map(print_line),
        Command::Theme(cli::Theme::New { dir, files }) => theme(Theme::create(dir, files)),
        Command::Explain { code } => explain::explain(code),
        Command::Man { out } => manuals::manuals(out),
        Command::Schema { table } => schema::schema(table),
        Command::Init { dir, sample } => init::init(dir, *sample),
        Command::Stamp { data, at } => stamp::stamp(data, *at),
    };
    result.map_or_else(|failure| ExitCode::from(failure as u8), |()| ExitCode::SUCCESS)
}

fn theme(lines: Result<Vec<String>, ThemeError>) -> Result<(), Failure> {
    lines.map(|lines| lines.into_iter().for_each(print_line)).map_err(theme_failure)
}
