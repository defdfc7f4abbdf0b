//! One test binary: a list of modules.

mod tidy;
