//! What commands print and end with: results go to standard output, errors to standard error with an exit code.

use std::fmt::Display;
use std::io::Write as _;

use anstyle::AnsiColor;
use import::ImportError;
use site::{GenerateError, ThemeError};
use store::StoreError;

/// Why a command failed; the number is its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Failure {
    /// The data has errors, which were printed.
    Data = 1,
    /// The options are wrong.
    Usage = 2,
    /// The input cannot be read.
    Input = 3,
    /// The output cannot be written.
    Output = 4,
    /// A snapshot is not as it was published.
    Verification = 5,
    /// The publication was held back as a likely mistake.
    HeldBack = 6,
    /// `plan --exit-code`: there are changes.
    Changes = 7,
}

/// Prints an error.
pub(crate) fn fail(failure: Failure, error: impl Display) -> Failure {
    let red = AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{red}error{red:#}: {error}");
    failure
}

/// Prints why an import or a draft failed.
pub(crate) fn import_failure(error: ImportError) -> Failure {
    match error {
        ImportError::Data => Failure::Data,
        ImportError::Usage(_) => fail(Failure::Usage, error),
        ImportError::Input(_) => fail(Failure::Input, error),
        ImportError::Output(_) => fail(Failure::Output, error),
    }
}

/// Prints why a build failed.
pub(crate) fn generate_failure(error: GenerateError) -> Failure {
    let failure = match error {
        GenerateError::Theme(error) => return theme_failure(error),
        GenerateError::Values(_) => Failure::Data,
        GenerateError::Store(StoreError::Damaged { .. }) => Failure::Verification,
        _ => Failure::Output,
    };
    fail(failure, error)
}

/// Prints why a theme cannot be used or made.
pub(crate) fn theme_failure(error: ThemeError) -> Failure {
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

/// Prints why an input cannot be read.
pub(crate) fn unread(error: impl Display) -> Failure {
    fail(Failure::Input, error)
}

/// Prints why a snapshot cannot be read.
pub(crate) fn unreadable(error: StoreError) -> Failure {
    store_failure(&[error], Failure::Input)
}

/// Prints a line to standard output; a closed pipe is no error.
pub(crate) fn print_line(line: impl Display) {
    let _ = writeln!(anstream::stdout(), "{line}");
}
