//! The objects of the contract, borrowed from records, their members in the contract's order.
//! Serialised only; no logic beyond choosing a language.

use std::ops::Deref;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use uuid::Uuid;

use crate::record::{
    self, Directory, EntityRef, EntityType, Lifecycle, Locale, Number, Polarity, RecipientKind, Shared,
    Strength,
};

/// Declares a response object.
macro_rules! shape {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident : $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Serialize)]
        #[serde(rename_all = "camelCase")]
        #[expect(missing_docs, reason = "the contract defines the members")]
        pub struct $name<'a> { $($(#[$attribute])* pub $field: $type),+ }
    };
}

shape! {
    /// OrganizationSummary, and any `{id, slug, name}`.
    Reference { id: Uuid, slug: &'a str, name: &'a str }
}

shape! {
    /// `{slug, name}` of cycle rows.
    ShortReference { slug: &'a str, name: &'a str }
}

shape! {
    /// A recipient in award rows.
    RecipientReference { id: Uuid, slug: &'a str, display_name: &'a str, kind: RecipientKind }
}

shape! {
    /// Organization.
    Organization {
        id: Uuid,
        slug: &'a str,
        name: &'a str,
        country_code: Option<&'a str>,
        website_url: Option<&'a str>,
        description: Option<&'a str>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// ProgramSummary up to `nextDeadline`, which is written apart because it depends on the day.
    ProgramSummary {
        id: Uuid,
        slug: &'a str,
        name: &'a str,
        summary: Option<&'a str>,
        r#type: &'a str,
        lifecycle: Lifecycle,
        lifecycle_checked_at: Option<Timestamp>,
        fields: &'a [Shared],
        eligible_countries: &'a [Shared],
        destination_countries: &'a [Shared],
        career_stages: &'a [Shared],
        funding_min_usd: Option<Number>,
        funding_max_usd: Option<Number>,
        official_url: &'a str,
        source_checked_at: Option<Timestamp>,
        organization: Reference<'a>,
    }
}

shape! {
    /// Program.
    Program {
        id: Uuid,
        organization_id: Uuid,
        slug: &'a str,
        name: &'a str,
        summary: Option<&'a str>,
        description: Option<&'a str>,
        program_type: &'a str,
        fields: &'a [Shared],
        eligible_countries: &'a [Shared],
        destination_countries: &'a [Shared],
        career_stages: &'a [Shared],
        funding_min_usd: Option<Number>,
        funding_max_usd: Option<Number>,
        official_url: &'a str,
        active: bool,
        lifecycle: Lifecycle,
        lifecycle_checked_at: Option<Timestamp>,
        source_checked_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// Cycle. `status` is a hole or the text before it is cut there.
    Cycle {
        id: Uuid,
        program_id: Uuid,
        label: &'a str,
        opens_on: Option<Date>,
        deadline_on: Option<Date>,
        selection_on: Option<Date>,
        decision_on: Option<Date>,
        starts_on: Option<Date>,
        ends_on: Option<Date>,
        cohort_year: Option<i32>,
        application_url: Option<&'a str>,
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        sources: Option<Vec<Source<'a>>>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// Award.
    Award {
        id: Uuid,
        program_id: Uuid,
        cycle_id: Option<Uuid>,
        recipient_id: Uuid,
        award_year: i32,
        award_amount_usd: Option<Number>,
        project_title: Option<&'a str>,
        public_notes: Option<&'a str>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// Source.
    Source {
        id: Uuid,
        entity_type: EntityType,
        entity_id: Uuid,
        kind: &'a str,
        url: Option<&'a str>,
        title: Option<&'a str>,
        publisher: Option<&'a str>,
        published_on: Option<Date>,
        retrieved_at: Timestamp,
        source_checked_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// RecipientSummary.
    RecipientSummary {
        id: Uuid,
        slug: &'a str,
        display_name: &'a str,
        kind: RecipientKind,
        country_code: Option<&'a str>,
        biography: Option<&'a str>,
        award_count: usize,
        latest_award_year: Option<i32>,
    }
}

shape! {
    /// Recipient.
    Recipient {
        id: Uuid,
        slug: &'a str,
        display_name: &'a str,
        kind: RecipientKind,
        country_code: Option<&'a str>,
        website_url: Option<&'a str>,
        biography: Option<&'a str>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

shape! {
    /// An entry of `opportunityFacts`.
    Fact {
        id: Uuid,
        program_id: Uuid,
        cycle_id: Option<Uuid>,
        kind: &'a str,
        value: Option<&'a str>,
        label: Option<&'a str>,
        text: Option<&'a str>,
        min: Option<Number>,
        max: Option<Number>,
        unit: Option<&'a str>,
        amount: Option<Number>,
        currency: Option<&'a str>,
        polarity: Polarity,
        strength: Strength,
        source_id: Option<Uuid>,
        updated_at: Timestamp,
    }
}

shape! {
    /// An entry of `lifecycleHistory`.
    Transition {
        id: Uuid,
        from_lifecycle: Option<Lifecycle>,
        to_lifecycle: Lifecycle,
        observed_at: Timestamp,
        reason: Option<&'a str>,
        source_id: Option<Uuid>,
    }
}

shape! {
    /// An entry of `leaders`.
    Leader {
        id: Uuid,
        name: &'a str,
        role: Option<&'a str>,
        url: Option<&'a str>,
        started_on: Option<Date>,
        ended_on: Option<Date>,
    }
}

shape! {
    /// An entry of `channels`.
    Channel { id: Uuid, kind: &'a str, url: &'a str, label: Option<&'a str> }
}

shape! {
    /// An entry of `recentPosts`.
    Post {
        id: Uuid,
        title: &'a str,
        url: &'a str,
        summary: Option<&'a str>,
        published_on: Option<Date>,
    }
}

/// Makes shapes of a directory's records in one language.
#[derive(Clone, Copy)]
pub struct Shaper<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// The language.
    pub locale: Locale,
}

impl<'a> Shaper<'a> {
    fn text(&self, of: EntityRef, field: &str, original: &'a str) -> &'a str {
        self.directory.text(of, self.locale, field, original)
    }

    fn optional(
        &self,
        of: EntityRef,
        field: &str,
        original: &'a Option<impl Deref<Target = str>>,
    ) -> Option<&'a str> {
        self.directory.optional_text(of, self.locale, field, original.as_deref())
    }

    /// `{id, slug, name}` of an organization.
    #[must_use]
    pub fn organization_reference(&self, organization: usize) -> Reference<'a> {
        let it = &self.directory.organizations[organization];
        Reference { id: it.id, slug: &it.slug, name: self.text(it.entity(), "name", &it.name) }
    }

    /// `{id, slug, name}` of a program.
    #[must_use]
    pub fn program_reference(&self, program: usize) -> Reference<'a> {
        let it = &self.directory.programs[program];
        Reference { id: it.id, slug: &it.slug, name: self.text(it.entity(), "name", &it.name) }
    }

    /// A recipient in award rows.
    #[must_use]
    pub fn recipient_reference(&self, recipient: usize) -> RecipientReference<'a> {
        let it = &self.directory.recipients[recipient];
        let display_name = self.text(it.entity(), "displayName", &it.display_name);
        RecipientReference { id: it.id, slug: &it.slug, display_name, kind: it.kind }
    }

    /// Organization.
    #[must_use]
    pub fn organization(&self, organization: usize) -> Organization<'a> {
        let it = &self.directory.organizations[organization];
        Organization {
            id: it.id,
            slug: &it.slug,
            name: self.text(it.entity(), "name", &it.name),
            country_code: it.country_code.as_deref(),
            website_url: it.website_url.as_deref(),
            description: self.optional(it.entity(), "description", &it.description),
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// ProgramSummary without its next deadline.
    #[must_use]
    pub fn program_summary(&self, program: usize) -> ProgramSummary<'a> {
        let it = &self.directory.programs[program];
        let organization = self.directory.program_links[program].organization;
        ProgramSummary {
            id: it.id,
            slug: &it.slug,
            name: self.text(it.entity(), "name", &it.name),
            summary: self.optional(it.entity(), "summary", &it.summary),
            r#type: &it.program_type,
            lifecycle: it.lifecycle,
            lifecycle_checked_at: it.lifecycle_checked_at,
            fields: &it.fields,
            eligible_countries: &it.eligible_countries,
            destination_countries: &it.destination_countries,
            career_stages: &it.career_stages,
            funding_min_usd: it.funding_min_usd,
            funding_max_usd: it.funding_max_usd,
            official_url: &it.official_url,
            source_checked_at: it.source_checked_at,
            organization: self.organization_reference(organization),
        }
    }

    /// Program.
    #[must_use]
    pub fn program(&self, program: usize) -> Program<'a> {
        let it = &self.directory.programs[program];
        Program {
            id: it.id,
            organization_id: it.organization_id,
            slug: &it.slug,
            name: self.text(it.entity(), "name", &it.name),
            summary: self.optional(it.entity(), "summary", &it.summary),
            description: self.optional(it.entity(), "description", &it.description),
            program_type: &it.program_type,
            fields: &it.fields,
            eligible_countries: &it.eligible_countries,
            destination_countries: &it.destination_countries,
            career_stages: &it.career_stages,
            funding_min_usd: it.funding_min_usd,
            funding_max_usd: it.funding_max_usd,
            official_url: &it.official_url,
            active: it.lifecycle.is_active(),
            lifecycle: it.lifecycle,
            lifecycle_checked_at: it.lifecycle_checked_at,
            source_checked_at: it.source_checked_at,
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// Cycle; `status` is what stands in its place.
    #[must_use]
    pub fn cycle(&self, cycle: usize, status: String, sources: Option<Vec<Source<'a>>>) -> Cycle<'a> {
        let it: &record::Cycle = &self.directory.cycles[cycle];
        Cycle {
            id: it.id,
            program_id: it.program_id,
            label: self.text(it.entity(), "label", &it.label),
            opens_on: it.opens_on,
            deadline_on: it.deadline_on,
            selection_on: it.selection_on,
            decision_on: it.decision_on,
            starts_on: it.starts_on,
            ends_on: it.ends_on,
            cohort_year: it.cohort_year,
            application_url: it.application_url.as_deref(),
            status,
            sources,
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// Award.
    #[must_use]
    pub fn award(&self, award: usize) -> Award<'a> {
        let it = &self.directory.awards[award];
        Award {
            id: it.id,
            program_id: it.program_id,
            cycle_id: it.cycle_id,
            recipient_id: it.recipient_id,
            award_year: it.award_year,
            award_amount_usd: it.award_amount_usd,
            project_title: self.optional(it.entity(), "projectTitle", &it.project_title),
            public_notes: self.optional(it.entity(), "publicNotes", &it.public_notes),
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// Source.
    #[must_use]
    pub fn source(&self, source: usize) -> Source<'a> {
        let it = &self.directory.sources[source];
        Source {
            id: it.id,
            entity_type: it.entity_type,
            entity_id: it.entity_id,
            kind: &it.kind,
            url: it.url.as_deref(),
            title: it.title.as_deref(),
            publisher: it.publisher.as_deref(),
            published_on: it.published_on,
            retrieved_at: it.retrieved_at,
            source_checked_at: it.source_checked_at,
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// Recipient.
    #[must_use]
    pub fn recipient(&self, recipient: usize) -> Recipient<'a> {
        let it = &self.directory.recipients[recipient];
        Recipient {
            id: it.id,
            slug: &it.slug,
            display_name: self.text(it.entity(), "displayName", &it.display_name),
            kind: it.kind,
            country_code: it.country_code.as_deref(),
            website_url: it.website_url.as_deref(),
            biography: self.optional(it.entity(), "biography", &it.biography),
            created_at: it.created_at,
            updated_at: it.updated_at,
        }
    }

    /// RecipientSummary.
    #[must_use]
    pub fn recipient_summary(&self, recipient: usize) -> RecipientSummary<'a> {
        let it = &self.directory.recipients[recipient];
        let awards = &self.directory.recipient_awards[recipient];
        RecipientSummary {
            id: it.id,
            slug: &it.slug,
            display_name: self.text(it.entity(), "displayName", &it.display_name),
            kind: it.kind,
            country_code: it.country_code.as_deref(),
            biography: self.optional(it.entity(), "biography", &it.biography),
            award_count: awards.len(),
            latest_award_year: awards.first().map(|award| self.directory.awards[*award].award_year),
        }
    }

    /// An entry of `opportunityFacts`.
    #[must_use]
    pub fn fact(&self, fact: usize) -> Fact<'a> {
        let it = &self.directory.facts[fact];
        Fact {
            id: it.id,
            program_id: it.program_id,
            cycle_id: it.cycle_id,
            kind: &it.kind,
            value: it.value.as_deref(),
            label: self.optional(it.entity(), "label", &it.label),
            text: self.optional(it.entity(), "text", &it.text),
            min: it.min,
            max: it.max,
            unit: it.unit.as_deref(),
            amount: it.amount,
            currency: it.currency.as_deref(),
            polarity: it.polarity,
            strength: it.strength,
            source_id: it.source_id,
            updated_at: it.updated_at,
        }
    }

    /// An entry of `lifecycleHistory`.
    #[must_use]
    pub fn transition(&self, transition: usize) -> Transition<'a> {
        let it = &self.directory.transitions[transition];
        Transition {
            id: it.id,
            from_lifecycle: it.from_lifecycle,
            to_lifecycle: it.to_lifecycle,
            observed_at: it.observed_at,
            reason: it.reason.as_deref(),
            source_id: it.source_id,
        }
    }

    /// An entry of `leaders`.
    #[must_use]
    pub fn leader(&self, leader: usize) -> Leader<'a> {
        let it = &self.directory.leaders[leader];
        Leader {
            id: it.id,
            name: &it.name,
            role: it.role.as_deref(),
            url: it.url.as_deref(),
            started_on: it.started_on,
            ended_on: it.ended_on,
        }
    }

    /// An entry of `channels`.
    #[must_use]
    pub fn channel(&self, channel: usize) -> Channel<'a> {
        let it = &self.directory.channels[channel];
        Channel { id: it.id, kind: &it.kind, url: &it.url, label: it.label.as_deref() }
    }

    /// An entry of `recentPosts`.
    #[must_use]
    pub fn post(&self, post: usize) -> Post<'a> {
        let it = &self.directory.posts[post];
        Post {
            id: it.id,
            title: &it.title,
            url: &it.url,
            summary: it.summary.as_deref(),
            published_on: it.published_on,
        }
    }
}
