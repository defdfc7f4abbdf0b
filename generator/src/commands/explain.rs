//! `explain`: the rule behind a code of a message.

use dataset::diagnostics;

use crate::exit_codes::{Failure, fail, print_line};

pub(crate) fn explain(code: &str) -> Result<(), Failure> {
    let unknown =
        || fail(Failure::Usage, format_args!("there is no code {code}; check prints them in brackets"));
    diagnostics::explain(code).map(|text| print_line(text.trim_end())).ok_or_else(unknown)
}
