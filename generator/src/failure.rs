//! How a command ends badly, and what it prints then.

use std::fmt::Display;

use anstyle::AnsiColor;
use snapshot::store::StoreError;

use crate::generate::GenerateError;
use crate::keys::KeyError;
use crate::site::SiteError;

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

/// Prints why generating failed.
pub fn generate_failure(error: &GenerateError) -> Failure {
    match error {
        GenerateError::Site(SiteError::Unreadable { .. }) => fail(Failure::Input, error),
        GenerateError::Site(_) => fail(Failure::Usage, error),
        GenerateError::Values(_) => fail(Failure::Data, error),
        GenerateError::Store(StoreError::Damaged { .. }) => fail(Failure::Verification, error),
        _ => fail(Failure::Output, error),
    }
}

/// Prints why nothing was signed or believed.
pub fn key_failure(error: &KeyError) -> Failure {
    let failure = match error {
        KeyError::Read { .. } => Failure::Input,
        KeyError::Write { .. } => Failure::Output,
        KeyError::Key { .. } => Failure::Usage,
        KeyError::Untrusted { .. } => Failure::Verification,
    };
    fail(failure, error)
}
