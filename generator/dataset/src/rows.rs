//! The rows of every table, between reading and linking, and passes over them.

use std::collections::{BTreeMap, BTreeSet};

use snapshot::record::{
    Alias, Award, Channel, Cycle, Dataset, Fact, Leader, Organization, Post, Program, Recipient, Source,
    Synonym, Term, Transition, Translation,
};

use crate::diagnostics::Location;
use crate::link_report::LinkReport;
use crate::record::Record;
use crate::stamps::{Stamps, UnstampedRow};
use crate::table::Table;

/// A record and where it was read.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// The record.
    pub record: T,
    /// Where it starts.
    pub at: Location,
}

/// Every row of a dataset, in the order of the files' paths and lines.
#[derive(Debug, Default)]
pub struct Tables {
    /// `dataset.json`; none if it is missing or broken, which was reported.
    pub dataset: Option<Row<Dataset>>,
    pub(crate) organizations: Vec<Row<Organization>>,
    pub(crate) programs: Vec<Row<Program>>,
    pub(crate) cycles: Vec<Row<Cycle>>,
    pub(crate) awards: Vec<Row<Award>>,
    pub(crate) recipients: Vec<Row<Recipient>>,
    pub(crate) sources: Vec<Row<Source>>,
    pub(crate) facts: Vec<Row<Fact>>,
    /// Rows of `lifecycle`.
    pub(crate) transitions: Vec<Row<Transition>>,
    pub(crate) aliases: Vec<Row<Alias>>,
    pub(crate) leaders: Vec<Row<Leader>>,
    pub(crate) channels: Vec<Row<Channel>>,
    pub(crate) posts: Vec<Row<Post>>,
    pub(crate) translations: Vec<Row<Translation>>,
    pub(crate) vocabulary: Vec<Row<Term>>,
    pub(crate) synonyms: Vec<Row<Synonym>>,
    /// Who maintains a row, where it states that: `x_owner`.
    pub(crate) owners: BTreeMap<Location, String>,
    /// What a link checker found.
    pub links: Option<LinkReport>,
    /// Tables without a file.
    pub(crate) absent: BTreeSet<Table>,
    /// Tables that lost rows to errors: a reference into them cannot be checked.
    pub(crate) incomplete: BTreeSet<Table>,
    /// Rows without timestamps of their own.
    pub unstamped: Vec<UnstampedRow>,
    /// The timestamps of `stamps.csv`.
    pub stamps: Stamps,
    /// SHA-256 of the lines `digest  path` of all files read, sorted by path, as `sha256sum` prints them.
    pub source_sha256: [u8; 32],
}

/// A record that has rows in [`Tables`].
pub(crate) trait Tabled: Record {
    /// Its table's rows.
    fn rows(tables: &mut Tables) -> &mut Vec<Row<Self>>;
}

macro_rules! tabled {
    ($($rows:ident: $record:ident)+) => {
        $(impl Tabled for $record {
            fn rows(tables: &mut Tables) -> &mut Vec<Row<Self>> {
                &mut tables.$rows
            }
        })+
    };
}

tabled! {
    organizations: Organization
    programs: Program
    cycles: Cycle
    awards: Award
    recipients: Recipient
    sources: Source
    facts: Fact
    transitions: Transition
    aliases: Alias
    leaders: Leader
    channels: Channel
    posts: Post
    translations: Translation
    vocabulary: Term
    synonyms: Synonym
}

/// What is done to every table.
pub(crate) trait Pass {
    /// Does it to one table.
    fn table<T: Tabled>(&mut self, table: Table, rows: &mut Vec<Row<T>>);
}

impl Tables {
    /// Runs a pass over every table, owners before the rows that belong to them.
    pub(crate) fn run(&mut self, pass: &mut impl Pass) {
        pass.table(Table::Organizations, &mut self.organizations);
        pass.table(Table::Programs, &mut self.programs);
        pass.table(Table::Recipients, &mut self.recipients);
        pass.table(Table::Cycles, &mut self.cycles);
        pass.table(Table::Awards, &mut self.awards);
        pass.table(Table::Facts, &mut self.facts);
        pass.table(Table::Lifecycle, &mut self.transitions);
        pass.table(Table::Sources, &mut self.sources);
        pass.table(Table::Aliases, &mut self.aliases);
        pass.table(Table::Leaders, &mut self.leaders);
        pass.table(Table::Channels, &mut self.channels);
        pass.table(Table::Posts, &mut self.posts);
        pass.table(Table::Translations, &mut self.translations);
        pass.table(Table::Vocabulary, &mut self.vocabulary);
        pass.table(Table::Synonyms, &mut self.synonyms);
    }
}
