//! What is read from the facts and texts of a program, once for its rows and pages in each language.

use crate::facet::{Applicants, applicants, eligibility};
use crate::page::money;
use crate::record::{Directory, Fact, Locale};

/// What the facts and texts of a program state.
pub struct Findings<'a> {
    /// Its applicants.
    pub applicants: Applicants<'a>,
    /// Who may apply in the words of the source, for each language, and the language of these words if it is another one.
    pub eligibility: [Option<(String, Option<&'a str>)>; 2],
    /// What it pays in the words of the source.
    pub pays: Option<&'a str>,
}

impl<'a> Findings<'a> {
    /// Reads a program by its number.
    pub fn new(directory: &'a Directory, program: usize) -> Self {
        let it = &directory.programs[program];
        let facts: Vec<&Fact> = directory.facts_of(program).collect();
        let applicants = applicants(it, &facts);
        let eligibility = [Locale::En, Locale::Es].map(|it| eligibility(directory, program, it, &applicants));
        Self { applicants, eligibility, pays: money::stated(it, &facts) }
    }
}
