//! The rows of every table, between reading and linking.

use std::collections::BTreeSet;

use snapshot::record::{
    Alias, Award, Channel, Cycle, Dataset, Fact, Leader, Organization, Post, Program, Recipient, Source,
    Synonym, Term, Transition, Translation,
};

use crate::diagnostics::Location;
use crate::stamps::{Stamps, UnstampedRow};
use crate::table::Table;

/// A record and where it was read.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// What it says.
    pub record: T,
    /// Where it starts.
    pub at: Location,
}

/// Every row of a dataset, in the order of the files' paths and lines.
#[derive(Debug)]
pub struct Tables {
    /// `dataset.json`; absent when it is missing or broken, which was reported.
    pub dataset: Option<Row<Dataset>>,
    /// Rows of `organizations`.
    pub organizations: Vec<Row<Organization>>,
    /// Rows of `programs`.
    pub programs: Vec<Row<Program>>,
    /// Rows of `cycles`.
    pub cycles: Vec<Row<Cycle>>,
    /// Rows of `awards`.
    pub awards: Vec<Row<Award>>,
    /// Rows of `recipients`.
    pub recipients: Vec<Row<Recipient>>,
    /// Rows of `sources`.
    pub sources: Vec<Row<Source>>,
    /// Rows of `facts`.
    pub facts: Vec<Row<Fact>>,
    /// Rows of `lifecycle`.
    pub transitions: Vec<Row<Transition>>,
    /// Rows of `aliases`.
    pub aliases: Vec<Row<Alias>>,
    /// Rows of `leaders`.
    pub leaders: Vec<Row<Leader>>,
    /// Rows of `channels`.
    pub channels: Vec<Row<Channel>>,
    /// Rows of `posts`.
    pub posts: Vec<Row<Post>>,
    /// Rows of `translations`.
    pub translations: Vec<Row<Translation>>,
    /// Rows of `vocabulary`.
    pub vocabulary: Vec<Row<Term>>,
    /// Rows of `synonyms`.
    pub synonyms: Vec<Row<Synonym>>,
    /// Tables of which there is no file.
    pub absent: BTreeSet<Table>,
    /// Tables that lost rows to errors: a reference into them cannot be judged.
    pub incomplete: BTreeSet<Table>,
    /// Rows without times of their own.
    pub unstamped: Vec<UnstampedRow>,
    /// Their times as they were written down.
    pub stamps: Stamps,
    /// SHA-256 over the lines `digest  path` of the files that were read, sorted by path, as
    /// `sha256sum` would print them.
    pub source_sha256: [u8; 32],
}
