//! Shared by the test binary and the benches.
