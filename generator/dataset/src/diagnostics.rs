//! Problems of the input: collected while it is read and checked, then printed at once, sorted by `file:line`.

mod codes;
mod diagnostic;
mod groups;
mod print;
mod report;

pub(crate) use codes::Severity;
pub use codes::{Code, explain};
pub use diagnostic::{Diagnostic, FileId, Location};
pub use groups::ErrorSummary;
pub use print::{MessageFormat, PrintOptions};
pub use report::Diagnostics;
