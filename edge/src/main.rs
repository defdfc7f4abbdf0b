//! `opdir-edge`: serves a snapshot.

fn main() -> std::process::ExitCode {
    edge::run()
}
