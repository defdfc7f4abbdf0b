//! `opdir-edge`.
fn main() {}
