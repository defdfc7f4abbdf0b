//! `opdir`: builds snapshots.

use clap::Parser as _;

fn main() -> std::process::ExitCode {
    generator::commands::run(generator::cli::Cli::parse().command)
}
