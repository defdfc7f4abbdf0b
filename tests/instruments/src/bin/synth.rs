//! Writes a seeded synthetic dataset.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use tests::synth::{Counts, Entity, Options, write};

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

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let options = Options { programs: arguments.programs, seed: arguments.seed };
    let result = write(&arguments.out, &options)
        .and_then(|counts| summarize(&counts, started.elapsed().as_secs_f64()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("synth: {}: {error}", arguments.out.display());
            ExitCode::FAILURE
        }
    }
}

fn summarize(counts: &Counts, seconds: f64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for entity in Entity::ALL {
        let count = counts.of(entity);
        writeln!(out, "{:<14}{:>12} records{:>16} bytes", entity.name(), count.rows, count.bytes)?;
    }
    writeln!(out, "{:.1} MB in {seconds:.1} s", counts.bytes() as f64 / 1e6)
}
