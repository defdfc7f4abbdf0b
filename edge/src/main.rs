//! `opdir-edge`: serves a snapshot.

/// That of musl takes a lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    edge::run()
}
