//! The objects of the contract: the fields of a record, as the field tables list them, in one language.

use crate::record::field_table::{Field, FieldType, Object, Value, Visibility};
use crate::record::{
    AWARD, CHANNEL, CYCLE, CYCLE_STAMPS, Directory, EntityRef, FACT, LEADER, Locale, ORGANIZATION, POST,
    PROGRAM, RECIPIENT, SOURCE, TRANSITION,
};

/// Makes objects of a directory's records in one language.
#[derive(Clone, Copy)]
pub struct Shaper<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// The language.
    pub locale: Locale,
}

/// Declares the objects of records that are the fields of a table in one place: the records, the table, the place and,
/// where they can have translations, what these are of.
macro_rules! shapes {
    ($($(#[$doc:meta])* $visible:vis $name:ident: $records:ident, $table:ident, $place:ident $(, $of:ident)?;)+) => {
        impl<'a> Shaper<'a> {
            $($(#[$doc])*
            $visible fn $name(&self, number: usize) -> Object<'a> {
                let it = &self.directory.$records[number];
                self.object($table, Visibility::$place, None$(.or(Some(it.$of())))?, it)
            })+
        }
    };
}

shapes! {
    /// `{id, slug, name}` of an organization.
    pub(crate) organization_reference: organizations, ORGANIZATION, REFERENCE, entity;
    /// `{id, slug, name}` of a program.
    pub(crate) program_reference: programs, PROGRAM, REFERENCE, entity;
    /// `{id, slug, displayName, kind}` of a recipient.
    pub(crate) recipient_reference: recipients, RECIPIENT, REFERENCE, entity;
    /// Organization.
    pub organization: organizations, ORGANIZATION, DETAIL, entity;
    /// Award.
    pub award: awards, AWARD, DETAIL, entity;
    /// Source.
    pub source: sources, SOURCE, DETAIL;
    /// Recipient.
    pub(crate) recipient: recipients, RECIPIENT, DETAIL, entity;
    /// RecipientSummary without what was awarded.
    pub(crate) recipient_row: recipients, RECIPIENT, ROW, entity;
    /// An entry of `opportunityFacts`.
    pub fact: facts, FACT, DETAIL, entity;
    /// An entry of `lifecycleHistory`.
    pub(crate) transition: transitions, TRANSITION, DETAIL;
    /// An entry of `leaders`.
    pub(crate) leader: leaders, LEADER, DETAIL;
    /// An entry of `channels`.
    pub(crate) channel: channels, CHANNEL, DETAIL;
    /// An entry of `recentPosts`.
    pub(crate) post: posts, POST, DETAIL;
}

impl<'a> Shaper<'a> {
    /// The fields of a record that a place shows; `of` is where its translations are, if there can be any.
    fn object<R>(
        &self,
        fields: &[Field<R>],
        place: Visibility,
        of: Option<EntityRef>,
        record: &'a R,
    ) -> Object<'a> {
        let shown = fields.iter().filter(|field| field.shows.has(place));
        Object(shown.map(|field| (field.name, self.value(field, of, record))).collect())
    }

    fn value<R>(&self, field: &Field<R>, of: Option<EntityRef>, record: &'a R) -> Value<'a> {
        let of = of.filter(|_| field.kind == FieldType::Text);
        match of.and_then(|of| self.directory.translation(of, self.locale, field.name)) {
            Some(text) => text.into(),
            None => (field.read)(record),
        }
    }

    /// What a place shows of a program.
    pub(crate) fn program(&self, program: usize, place: Visibility) -> Object<'a> {
        let it = &self.directory.programs[program];
        self.object(PROGRAM, place, Some(it.entity()), it)
    }

    /// ProgramSummary without its next deadline, which depends on the day.
    pub fn program_summary(&self, program: usize) -> Object<'a> {
        let organization = self.directory.program_links[program].organization;
        self.program(program, Visibility::ROW).with("organization", self.organization_reference(organization))
    }

    /// Cycle; `status` is what stands in its place.
    pub(crate) fn cycle(&self, cycle: usize, status: String, sources: Option<Vec<Object<'a>>>) -> Object<'a> {
        let it = &self.directory.cycles[cycle];
        let mut object = self.object(CYCLE, Visibility::DETAIL, Some(it.entity()), it).with("status", status);
        if let Some(sources) = sources {
            object = object.with("sources", sources);
        }
        object.0.extend(self.object(CYCLE_STAMPS, Visibility::DETAIL, None, it).0);
        object
    }
}
