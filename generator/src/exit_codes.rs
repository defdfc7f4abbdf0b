//! Which exit code each error of the commands has. Every function here prints its error to standard error.

use dataset::failure::{Failure, fail};
use site::{GenerateError, ThemeError};
use snapshot::store::StoreError;

use crate::keys::KeyError;

/// Prints why a build failed.
pub(crate) fn generate_failure(error: &GenerateError) -> Failure {
    let failure = match error {
        GenerateError::Theme(error) => return theme_failure(error),
        GenerateError::Values(_) => Failure::Data,
        GenerateError::Store(StoreError::Damaged { .. }) => Failure::Verification,
        _ => Failure::Output,
    };
    fail(failure, error)
}

/// Prints why a theme cannot be used or made.
pub(crate) fn theme_failure(error: &ThemeError) -> Failure {
    let failure = match error {
        ThemeError::Unreadable { .. } => Failure::Input,
        ThemeError::Exists { .. } | ThemeError::Unwritable { .. } => Failure::Output,
        _ => Failure::Usage,
    };
    fail(failure, error)
}

/// Prints why a snapshot cannot be used; `io` is the exit code of errors of the operating system.
pub(crate) fn store_failure(errors: &[StoreError], io: Failure) -> Failure {
    let failures = errors.iter().map(|error| match error {
        StoreError::Io { .. } => fail(io, error),
        StoreError::Unpublished { .. } | StoreError::NoGeneration { .. } => fail(Failure::Input, error),
        StoreError::NoParent { .. } => fail(Failure::Usage, error),
        StoreError::Locked { .. } => fail(Failure::Output, error),
        _ => fail(Failure::Verification, error),
    });
    failures.max_by_key(|failure| *failure as u8).unwrap_or(Failure::Verification)
}

/// Prints why nothing was signed or verified.
pub(crate) fn key_failure(error: &KeyError) -> Failure {
    let failure = match error {
        KeyError::Read { .. } => Failure::Input,
        KeyError::Write { .. } => Failure::Output,
        KeyError::Key { .. } => Failure::Usage,
        KeyError::Untrusted { .. } => Failure::Verification,
    };
    fail(failure, error)
}
