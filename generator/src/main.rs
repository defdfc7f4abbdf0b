//! `opdir`.
fn main() {}
