//! What the rules need of each record type: its id, publication, times, references and texts.

use std::collections::BTreeMap;
use std::ops::Deref;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use snapshot::record::{
    Alias, Approval, Award, Channel, Cycle, EntityRef, EntityType, Fact, InternedStr, Leader, Organization,
    Post, Program, PublicationStatus, Recipient, Source, Synonym, Term, Transition, Translation,
};
use uuid::Uuid;

use crate::table::Table;

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

/// Record types: their texts by purpose, and their profiles.
macro_rules! records {
    ($($record:ident { $($field:ident: $purpose:ident),+ } $(|$it:ident| $($name:ident: $value:expr),+)?;)+) => {
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
    };
}

records! {
    Organization {
        slug: Slug, name: Text, country_code: Country, website_url: Url, description: Text, aliases: Text
    } |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        slug: Some((EntityType::Organization, &it.slug, false));

    Program {
        slug: Slug, name: Text, summary: Text, description: Text, program_type: Text, fields: Item,
        eligible_countries: Place, destination_countries: Place, career_stages: Item, official_url: Url,
        language: Language, aliases: Text
    } |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [organization(it.organization_id), None, None],
        slug: Some((EntityType::Program, &it.slug, false));

    Cycle { label: Text, application_url: Url }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [program(it.program_id), None, None];

    Award { project_title: Text, public_notes: Text }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        references: [
            program(it.program_id),
            cycle(it.cycle_id, false),
            owner("recipientId", Table::Recipients, it.recipient_id),
        ],
        season: it.cycle_id.map(|season| (it.program_id, season));

    Recipient { slug: Slug, display_name: Text, country_code: Country, website_url: Url, biography: Text }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)),
        slug: Some((EntityType::Recipient, &it.slug, false));

    Source { kind: Text, url: Url, title: Text, publisher: Text }
    |it| id: Some(it.id), times: Some((Some(it.created_at), it.updated_at)), references: [entity(it.about()), None, None];

    // A fact about one season is left out with the season.
    Fact { kind: Text, value: Text, label: Text, text: Text, unit: Text, currency: Currency }
    |it| id: Some(it.id), times: Some((None, it.updated_at)),
        references: [program(it.program_id), cycle(it.cycle_id, true), source(it.source_id)],
        season: it.cycle_id.map(|season| (it.program_id, season)),
        is_unapproved: it.status != Approval::Approved;

    Transition { reason: Text }
    |it| id: Some(it.id), references: [program(it.program_id), source(it.source_id), None];

    Alias { slug: Slug }
    |it| references: [entity(it.about()), None, None], slug: Some((it.entity_type, &it.slug, true));

    Leader { name: Text, role: Text, url: Url }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Channel { kind: Text, label: Text, url: Url }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Post { title: Text, url: Url, summary: Text }
    |it| id: Some(it.id), references: [organization(it.organization_id), None, None];

    Translation { fields: Text }
    |it| references: [entity(it.about()), None, None];

    Term { facet: Text, value: Text, label_en: Text, label_es: Text, broader: Text };

    Synonym { terms: Text };
}
