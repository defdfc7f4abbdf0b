//! Writes what comes beside the programs in a package: manual pages and completions of shells, made of what the
//! programs themselves say of their flags.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;

/// Writes `man/PROGRAM/*.1`, and `completions/` for bash, fish and zsh, of both programs.
#[derive(Parser)]
struct Arguments {
    /// Folder to write into; made if need be.
    out: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match write(&arguments.out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("papers: {}: {error}", arguments.out.display());
            ExitCode::FAILURE
        }
    }
}

fn write(out: &Path) -> io::Result<()> {
    let completions = out.join("completions");
    std::fs::create_dir_all(&completions)?;
    for (name, command) in
        [("opdir", generator::cli::Cli::command()), ("opdir-edge", edge::config::Command::command())]
    {
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            clap_complete::generate_to(shell, &mut command.clone(), name, &completions)?;
        }
        let man = out.join("man").join(name);
        std::fs::create_dir_all(&man)?;
        clap_mangen::generate_to(command.disable_help_subcommand(true), &man)?;
    }
    Ok(())
}
