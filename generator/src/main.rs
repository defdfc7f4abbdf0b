//! `opdir`: builds snapshots.

/// That of musl takes a lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    generator::Cli::read().map_or_else(|code| code, |cli| generator::run(&cli))
}
