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

    /// `{id, slug, name}` of an organization.
    pub(crate) fn organization_reference(&self, organization: usize) -> Object<'a> {
        let it = &self.directory.organizations[organization];
        self.object(ORGANIZATION, Visibility::REFERENCE, Some(it.entity()), it)
    }

    /// `{id, slug, name}` of a program.
    pub(crate) fn program_reference(&self, program: usize) -> Object<'a> {
        let it = &self.directory.programs[program];
        self.object(PROGRAM, Visibility::REFERENCE, Some(it.entity()), it)
    }

    /// `{id, slug, displayName, kind}` of a recipient.
    pub(crate) fn recipient_reference(&self, recipient: usize) -> Object<'a> {
        let it = &self.directory.recipients[recipient];
        self.object(RECIPIENT, Visibility::REFERENCE, Some(it.entity()), it)
    }

    /// Organization.
    pub fn organization(&self, organization: usize) -> Object<'a> {
        let it = &self.directory.organizations[organization];
        self.object(ORGANIZATION, Visibility::DETAIL, Some(it.entity()), it)
    }

    /// What a place shows of a program.
    pub fn program(&self, program: usize, place: Visibility) -> Object<'a> {
        let it = &self.directory.programs[program];
        self.object(PROGRAM, place, Some(it.entity()), it)
    }

    /// ProgramSummary without its next deadline, which depends on the day.
    pub fn program_summary(&self, program: usize) -> Object<'a> {
        let organization = self.directory.program_links[program].organization;
        self.program(program, Visibility::ROW).with("organization", self.organization_reference(organization))
    }

    /// Cycle; `status` is what stands in its place.
    pub fn cycle(&self, cycle: usize, status: String, sources: Option<Vec<Object<'a>>>) -> Object<'a> {
        let it = &self.directory.cycles[cycle];
        let mut object = self.object(CYCLE, Visibility::DETAIL, Some(it.entity()), it).with("status", status);
        if let Some(sources) = sources {
            object = object.with("sources", sources);
        }
        object.0.extend(self.object(CYCLE_STAMPS, Visibility::DETAIL, None, it).0);
        object
    }

    /// Award.
    pub fn award(&self, award: usize) -> Object<'a> {
        let it = &self.directory.awards[award];
        self.object(AWARD, Visibility::DETAIL, Some(it.entity()), it)
    }

    /// Source.
    pub fn source(&self, source: usize) -> Object<'a> {
        let it = &self.directory.sources[source];
        self.object(SOURCE, Visibility::DETAIL, None, it)
    }

    /// Recipient.
    pub(crate) fn recipient(&self, recipient: usize) -> Object<'a> {
        let it = &self.directory.recipients[recipient];
        self.object(RECIPIENT, Visibility::DETAIL, Some(it.entity()), it)
    }

    /// RecipientSummary without what was awarded.
    pub(crate) fn recipient_row(&self, recipient: usize) -> Object<'a> {
        let it = &self.directory.recipients[recipient];
        self.object(RECIPIENT, Visibility::ROW, Some(it.entity()), it)
    }

    /// An entry of `opportunityFacts`.
    pub fn fact(&self, fact: usize) -> Object<'a> {
        let it = &self.directory.facts[fact];
        self.object(FACT, Visibility::DETAIL, Some(it.entity()), it)
    }

    /// An entry of `lifecycleHistory`.
    pub(crate) fn transition(&self, transition: usize) -> Object<'a> {
        let it = &self.directory.transitions[transition];
        self.object(TRANSITION, Visibility::DETAIL, None, it)
    }

    /// An entry of `leaders`.
    pub(crate) fn leader(&self, leader: usize) -> Object<'a> {
        let it = &self.directory.leaders[leader];
        self.object(LEADER, Visibility::DETAIL, None, it)
    }

    /// An entry of `channels`.
    pub(crate) fn channel(&self, channel: usize) -> Object<'a> {
        let it = &self.directory.channels[channel];
        self.object(CHANNEL, Visibility::DETAIL, None, it)
    }

    /// An entry of `recentPosts`.
    pub(crate) fn post(&self, post: usize) -> Object<'a> {
        let it = &self.directory.posts[post];
        self.object(POST, Visibility::DETAIL, None, it)
    }
}
