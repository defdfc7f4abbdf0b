//! Manual pages and shell completions, made from the definitions of the command lines.

use std::io;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit_codes::{Failure, fail};
use crate::preview::EdgeCommand;

/// Writes `man/PROGRAM/*.1` and the completions of both programs.
pub(crate) fn manuals(out: &Path) -> Result<(), Failure> {
    write(out).map_err(|error| fail(Failure::Output, format_args!("{}: {error}", out.display())))
}

fn write(out: &Path) -> io::Result<()> {
    let completions = out.join("completions");
    std::fs::create_dir_all(&completions)?;
    for (name, command) in [("opdir", Cli::command()), ("opdir-edge", EdgeCommand::command())] {
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            clap_complete::generate_to(shell, &mut command.clone(), name, &completions)?;
        }
        let man = out.join("man").join(name);
        std::fs::create_dir_all(&man)?;
        clap_mangen::generate_to(command.disable_help_subcommand(true), &man)?;
    }
    Ok(())
}
