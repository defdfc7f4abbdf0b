//! Writes a seeded synthetic dataset.
fn main() {}
