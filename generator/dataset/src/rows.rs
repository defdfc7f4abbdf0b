//! The rows of every table, between reading and linking, and what the rules need of each record type: its id,
//! publication, times, references and texts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use snapshot::record::{
    Alias, Approval, Award, Channel, Cycle, Dataset, EntityRef, EntityType, Fact, InternedStr, Leader,
    Organization, Post, Program, PublicationStatus, Recipient, Source, Synonym, Term, Transition,
    Translation,
};
use uuid::Uuid;

use crate::diagnostics::Location;
use crate::link_report::LinkReport;
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

/// The rows of a table without their type: what is compiled for it is compiled once.
pub(crate) trait Profiles: Sync {
    /// Number of rows.
    fn count(&self) -> usize;

    /// Where a row starts, and what the rules need of it.
    fn profile(&self, row: usize) -> (Location, Profile<'_>);
}

impl dyn Profiles + '_ {
    /// Each row.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Location, Profile<'_>)> {
        (0..self.count()).map(|row| self.profile(row))
    }
}

impl<T: Record> Profiles for Vec<Row<T>> {
    fn count(&self) -> usize {
        self.len()
    }

    fn profile(&self, row: usize) -> (Location, Profile<'_>) {
        (self[row].at, self[row].record.profile())
    }
}

/// A record of a table.
pub(crate) trait Record: DeserializeOwned + Send + Sync {
    /// What else the rules need of it.
    fn profile(&self) -> Profile<'_>;

    /// Visits every text field by its name in Rust.
    fn visit_texts(&mut self, visit: &mut dyn FnMut(&'static str, Purpose, &mut dyn TextField));
}

/// What the rules need of a record; a record type states what its table has.
#[derive(Default)]
pub(crate) struct Profile<'r> {
    pub id: Option<Uuid>,
    /// None is no permission to publish.
    pub publication: Option<PublicationStatus>,
    /// When it was created, if the table records that, and last changed.
    pub times: Option<(Option<Timestamp>, Timestamp)>,
    /// The records that it refers to by id.
    pub references: [Option<Reference>; 3],
    /// The program and the season that it names together.
    pub season: Option<(Uuid, Uuid)>,
    /// Its kind and slug, and whether that is a former one.
    pub slug: Option<(EntityType, &'r str, bool)>,
    /// What rows may refer to it by, beside its slug.
    pub names: [Option<&'r str>; 2],
    pub aliases: &'r [String],
    /// Whether it waits for a review; only facts are reviewed.
    pub is_unapproved: bool,
}

/// A reference to a record by id.
#[derive(Clone, Copy)]
pub(crate) struct Reference {
    /// Name of the field.
    pub field: &'static str,
    pub table: Table,
    pub id: Uuid,
    /// Whether the record is left out when the other one is; other references are cleared.
    pub is_owner: bool,
}

const fn owner(field: &'static str, table: Table, id: Uuid) -> Option<Reference> {
    Some(Reference { field, table, id, is_owner: true })
}

const fn organization(id: Uuid) -> Option<Reference> {
    owner("organizationId", Table::Organizations, id)
}

const fn program(id: Uuid) -> Option<Reference> {
    owner("programId", Table::Programs, id)
}

const fn entity(of: EntityRef) -> Option<Reference> {
    owner("entityId", Table::of(of.kind), of.id)
}

fn cycle(id: Option<Uuid>, is_owner: bool) -> Option<Reference> {
    id.map(|id| Reference { field: "cycleId", table: Table::Cycles, id, is_owner })
}

fn source(id: Option<Uuid>) -> Option<Reference> {
    id.map(|id| Reference { field: "sourceId", table: Table::Sources, id, is_owner: false })
}

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be read, or a value of a vocabulary.
    Text,
    /// The same, in a list that exports join by `|`.
    Item,
    Slug,
    Url,
    /// ISO 3166-1, ISO 3166-2 or M49.
    Place,
    /// ISO 3166-1 alpha-2.
    Country,
    /// BCP 47.
    Language,
    /// ISO 4217.
    Currency,
}

/// Checks a text; returns its replacement if it was corrected.
pub(crate) type CheckText<'c> = &'c mut dyn FnMut(&str) -> Option<String>;

/// One text, an optional one, or many.
pub(crate) trait TextField {
    /// Checks each text, and removes those that become empty.
    fn check(&mut self, check: CheckText<'_>);

    /// The text of a required field.
    fn required(&self) -> Option<&str> {
        None
    }
}

trait Text: Deref<Target = str> + From<String> {}

impl Text for String {}
impl Text for InternedStr {}

impl<T: Text> TextField for T {
    fn check(&mut self, check: CheckText<'_>) {
        if let Some(corrected) = check(self) {
            *self = corrected.into();
        }
    }

    fn required(&self) -> Option<&str> {
        Some(self)
    }
}

impl<T: Text> TextField for Option<T> {
    fn check(&mut self, check: CheckText<'_>) {
        self.iter_mut().for_each(|text| text.check(check));
        self.take_if(|text| text.is_empty());
    }
}

impl<T: Text> TextField for Vec<T> {
    fn check(&mut self, check: CheckText<'_>) {
        self.iter_mut().for_each(|text| text.check(check));
        self.retain(|text| !text.is_empty());
    }
}

impl TextField for BTreeMap<String, String> {
    fn check(&mut self, check: CheckText<'_>) {
        self.values_mut().for_each(|text| text.check(check));
        self.retain(|_, text| !text.is_empty());
    }
}

/// The tables: their rows, and the texts by purpose and the profile of their records.
macro_rules! tables {
    ($dollar:tt $(
        $table:ident $rows:ident: $record:ident { $($field:ident: $purpose:ident),+ }
        $(|$it:ident| $($name:ident: $value:expr),+)?;
    )+) => {
        $(impl Record for $record {
            fn profile(&self) -> Profile<'_> {
                $(let $it = self;)?
                let publication = Some(self.publication);
                Profile { publication, $($($name: $value,)+)? ..Profile::default() }
            }

            fn visit_texts(&mut self, visit: &mut dyn FnMut(&'static str, Purpose, &mut dyn TextField)) {
                $(visit(stringify!($field), Purpose::$purpose, &mut self.$field);)+
            }
        })+

        /// Every row of a dataset, in the order of the files' paths and lines.
        #[derive(Debug, Default)]
        pub struct Tables {
            /// `dataset.json`; none if it is missing or broken, which was reported.
            pub dataset: Option<Row<Dataset>>,
            $(pub(crate) $rows: Vec<Row<$record>>,)+
            /// What a link checker found.
            pub links: Option<LinkReport>,
            /// Tables without a file.
            pub(crate) absent: BTreeSet<Table>,
            /// Tables that lost rows to errors: a reference into them cannot be checked.
            pub(crate) incomplete: BTreeSet<Table>,
            /// Rows that are no records, with the fields whose values only stand in: their other values are checked.
            pub(crate) broken: BTreeMap<Location, Vec<String>>,
            /// Rows without timestamps of their own.
            pub unstamped: Vec<UnstampedRow>,
            /// The timestamps of `stamps.csv`.
            pub stamps: Stamps,
            /// SHA-256 of the lines `digest  path` of all files read, sorted by path, as `sha256sum` prints them.
            pub source_sha256: [u8; 32],
        }

        /// Does something with each table and its rows, owners before the rows that belong to them.
        macro_rules! each_table {
            ($dollar tables:ident, |$dollar table:ident, $dollar of:ident| $dollar body:expr) => {
                $({
                    let ($dollar table, $dollar of) =
                        ($dollar crate::table::Table::$table, &mut $dollar tables.$rows);
                    $dollar body;
                })+
            };
        }
    };
}

tables! { $
    Organizations organizations: Organization {
        slug: Slug, name: Text, country_code: Country, website_url: Url, description: Text, aliases: Text
    } |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        slug: Some((EntityType::Organization, &it.slug, false)), names: [Some(&it.name), None],
        aliases: &it.aliases;

    Programs programs: Program {
        slug: Slug, name: Text, summary: Text, description: Text, program_type: Text, fields: Item,
        eligible_countries: Place, destination_countries: Place, career_stages: Item, official_url: Url,
        language: Language, aliases: Text
    } |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [organization(it.organization_id), None, None],
        slug: Some((EntityType::Program, &it.slug, false)), names: [Some(&it.name), None],
        aliases: &it.aliases;

    Recipients recipients: Recipient {
        slug: Slug, display_name: Text, country_code: Country, website_url: Url, biography: Text
    } |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        slug: Some((EntityType::Recipient, &it.slug, false)), names: [Some(&it.display_name), None];

    Cycles cycles: Cycle { label: Text, application_url: Url }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [program(it.program_id), None, None], names: [Some(&it.label), None];

    Awards awards: Award { project_title: Text, public_notes: Text }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [
            program(it.program_id),
            cycle(it.cycle_id, false),
            owner("recipientId", Table::Recipients, it.recipient_id),
        ],
        season: it.cycle_id.map(|season| (it.program_id, season));

    // A fact about one season is left out with the season.
    Facts facts: Fact { kind: Text, value: Text, label: Text, text: Text, unit: Text, currency: Currency }
    |it| id: Some(it.id), times: Some((None, it.updated_at)),
        references: [program(it.program_id), cycle(it.cycle_id, true), source(it.source_id)],
        season: it.cycle_id.map(|season| (it.program_id, season)),
        is_unapproved: it.status != Approval::Approved;

    Lifecycle transitions: Transition { reason: Text }
    |it| id: Some(it.id), references: [program(it.program_id), source(it.source_id), None];

    Sources sources: Source { kind: Text, url: Url, title: Text, publisher: Text }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [entity(it.about()), None, None], names: [it.title.as_deref(), it.url.as_deref()];

    Aliases aliases: Alias { slug: Slug }
    |it| references: [entity(it.about()), None, None], slug: Some((it.entity_type, &it.slug, true));

    Leaders leaders: Leader { name: Text, role: Text, url: Url }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Channels channels: Channel { kind: Text, label: Text, url: Url }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Posts posts: Post { title: Text, url: Url, summary: Text }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Translations translations: Translation { fields: Text }
    |it| references: [entity(it.about()), None, None];

    Vocabulary vocabulary: Term { facet: Text, value: Text, label_en: Text, label_es: Text, broader: Text };

    Synonyms synonyms: Synonym { terms: Text };
}

impl Tables {
    /// Drops the rows that are no records.
    pub(crate) fn drop_broken(&mut self) {
        let broken = std::mem::take(&mut self.broken);
        if !broken.is_empty() {
            each_table!(self, |_table, rows| rows.retain(|row| !broken.contains_key(&row.at)));
        }
    }
}
