//! How a command ends badly, and what it prints then.

use std::fmt::Display;

use anstyle::AnsiColor;

/// How a command ended badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Failure {
    /// The data has errors, which were printed.
    Data = 1,
    /// The command was used wrongly.
    Usage = 2,
    /// The input cannot be read.
    Input = 3,
    /// The output cannot be written.
    Output = 4,
    /// A snapshot is not as it was published.
    Verification = 5,
    /// What would be published is probably a mistake.
    HeldBack = 6,
    /// A plan that was asked to say so has changes.
    Changes = 7,
}

/// Prints an error and gives the failure back.
pub fn fail(failure: Failure, error: impl Display) -> Failure {
    let red = AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{red}error{red:#}: {error}");
    failure
}
