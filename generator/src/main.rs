//! `opdir`: builds snapshots.

fn main() -> std::process::ExitCode {
    generator::Cli::read().map_or_else(|code| code, |cli| generator::run(&cli))
}
