//! Writes the manual pages and the shell completions of both programs, made from their command-line definitions.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;

/// Writes `man/PROGRAM/*.1` and the completions for bash, fish and zsh of both programs.
#[derive(Parser)]
struct Arguments {
    /// Output folder; created if it does not exist.
    out: PathBuf,
}

fn main() -> ExitCode {
    let out = Arguments::parse().out;
    match write(&out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("manuals: {}: {error}", out.display());
            ExitCode::FAILURE
        }
    }
}

fn write(out: &Path) -> io::Result<()> {
    let completions = out.join("completions");
    std::fs::create_dir_all(&completions)?;
    let programs = [("opdir", generator::Cli::command()), ("opdir-edge", edge::Command::command())];
    for (name, command) in programs {
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            clap_complete::generate_to(shell, &mut command.clone(), name, &completions)?;
        }
        let man = out.join("man").join(name);
        std::fs::create_dir_all(&man)?;
        clap_mangen::generate_to(command.disable_help_subcommand(true), &man)?;
    }
    Ok(())
}
