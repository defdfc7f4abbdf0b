//! `opdir`: builds snapshots.

use clap::Parser as _;

fn main() -> std::process::ExitCode {
    generator::run(&generator::Cli::parse())
}
