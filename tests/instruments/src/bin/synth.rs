//! Writes a seeded synthetic dataset.

use std::io;
use std::path::PathBuf;

use clap::Parser;
use tests::synth::{Options, write};

/// Writes a synthetic dataset; the same programs and seed give the same bytes.
#[derive(Parser)]
struct Arguments {
    /// Number of programs.
    #[arg(long, default_value_t = 10_000)]
    programs: usize,
    /// Chooses the dataset.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder to write into; created if need be.
    #[arg(long)]
    out: PathBuf,
}

fn main() -> io::Result<()> {
    let Arguments { programs, seed, out } = Arguments::parse();
    write(&out, &Options { programs, seed })
}
