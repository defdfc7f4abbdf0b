//! The records of a directory as plain data: what the dataset's tables hold, one struct each, and
//! [`Directory`], the whole with its references resolved. Serde and look-ups only, no rules.

mod written;

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// A text that many records share, as values of a vocabulary are: kept once in memory, however many
/// say it, and never let go. Compared and sorted as its text.
pub use ustr::Ustr as Shared;

/// A number that prints without a fraction when it has none, as JSON written by hand does.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Integers up to here are exact in an `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Declares an enum whose variants are words of the contract: serde, `ALL`, `as_str`, `parse`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in the contract's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for this value in every format.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that `word` stands for; case matters.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

words! {
    /// Languages that the directory is published in.
    Locale {
        /// English.
        En = "en",
        /// Spanish.
        Es = "es",
    }
}

words! {
    /// Where a program stands, as its maintainers observed it.
    Lifecycle {
        /// Runs and takes applications.
        ActiveAccepting = "active_accepting",
        /// Runs, waiting for its next season.
        ActiveBetweenCycles = "active_between_cycles",
        /// Runs, but nobody can apply.
        ActiveNoApplications = "active_no_applications",
        /// Suspended.
        Paused = "paused",
        /// Over.
        Ended = "ended",
        /// Lives on under another name or address.
        RenamedOrMoved = "renamed_or_moved",
        /// Its source cannot be read.
        Inaccessible = "inaccessible",
        /// Nobody could tell.
        Unclear = "unclear",
    }
}

words! {
    /// State of an application season.
    CycleStatus {
        /// Dates and source say too little.
        Unknown = "unknown",
        /// Opens later.
        Upcoming = "upcoming",
        /// Takes applications.
        Open = "open",
        /// Over.
        Closed = "closed",
        /// Takes applications without a deadline.
        Rolling = "rolling",
    }
}

words! {
    /// Who received an award.
    RecipientKind {
        /// One human.
        Person = "person",
        /// A legal body.
        Organization = "organization",
        /// Several people.
        Team = "team",
    }
}

words! {
    /// Whether a record may leave the building.
    Publication {
        /// It may.
        Published = "published",
        /// Not yet.
        Draft = "draft",
        /// No longer.
        Withdrawn = "withdrawn",
    }
}

words! {
    /// Whether a fact was checked by somebody.
    Approval {
        /// Checked and right.
        Approved = "approved",
        /// Waiting for a check.
        Proposed = "proposed",
        /// Checked and wrong.
        Rejected = "rejected",
    }
}

words! {
    /// Whether a fact lets its value in or keeps it out.
    Polarity {
        /// In.
        Include = "include",
        /// Out.
        Exclude = "exclude",
    }
}

words! {
    /// How much a fact binds.
    Strength {
        /// A condition.
        Required = "required",
        /// An advantage.
        Preferred = "preferred",
        /// Worth knowing.
        Info = "info",
    }
}

words! {
    /// Units of a duration fact.
    DurationUnit {
        /// 1 day.
        Day = "day",
        /// 7 days.
        Week = "week",
        /// 30 days.
        Month = "month",
        /// 365 days.
        Year = "year",
    }
}

words! {
    /// What a source, an alias or a translation belongs to.
    EntityType {
        /// An organization.
        Organization = "organization",
        /// A program.
        Program = "program",
        /// A cycle.
        Cycle = "cycle",
        /// An award.
        Award = "award",
        /// A recipient.
        Recipient = "recipient",
        /// A fact.
        Fact = "fact",
    }
}

/// Which record: an id is unique among the records of one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityRef {
    /// Of what kind.
    pub kind: EntityType,
    /// With which id.
    pub id: Uuid,
}

impl DurationUnit {
    /// Length of one unit in days.
    #[must_use]
    pub const fn days(self) -> f64 {
        match self {
            Self::Day => 1.0,
            Self::Week => 7.0,
            Self::Month => 30.0,
            Self::Year => 365.0,
        }
    }
}

impl Lifecycle {
    /// `active` of the program record.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, Self::ActiveAccepting | Self::ActiveBetweenCycles | Self::ActiveNoApplications)
    }
}

/// `dataset.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dataset {
    /// Must be `1`.
    pub schema_version: String,
    /// Short machine name.
    pub name: String,
    /// What people read.
    pub title: String,
    /// Must be `CC BY 4.0`.
    pub license: String,
    /// Becomes `generatedAt` of export and manifest.
    #[serde(deserialize_with = "written::moment")]
    pub published_at: Timestamp,
    /// Published languages.
    #[serde(default = "all_locales")]
    pub locales: Vec<Locale>,
    /// Language of texts that do not say theirs.
    #[serde(default = "english")]
    pub default_locale: Locale,
}

fn all_locales() -> Vec<Locale> {
    Locale::ALL.to_vec()
}

fn english() -> Locale {
    Locale::En
}

fn published() -> Publication {
    Publication::Published
}

fn approved() -> Approval {
    Approval::Approved
}

fn include() -> Polarity {
    Polarity::Include
}

fn required() -> Strength {
    Strength::Required
}

/// Declares a table's row: camelCase, unknown fields refused, `publication` understood. What is
/// written is published, so `publication` is not.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)+
            /// Only published records leave the building.
            #[serde(default = "published", skip_serializing)]
            pub publication: Publication,
        }
    };
}

row! {
    /// A body that runs programs.
    Organization {
        /// Identity.
        id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in its own language.
        name: String,
        /// ISO 3166-1 alpha-2.
        country_code: Option<Shared>,
        /// Home page.
        website_url: Option<String>,
        /// What it does.
        description: Option<String>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "null_is_empty")] aliases: Vec<String>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// An opportunity.
    Program {
        /// Identity.
        id: Uuid,
        /// Who runs it.
        organization_id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name in `language`.
        name: String,
        /// One or two sentences.
        summary: Option<String>,
        /// The long text.
        description: Option<String>,
        /// Value of the `types` facet.
        program_type: Shared,
        /// Values of the `fields` facet.
        #[serde(default, deserialize_with = "null_is_empty")] fields: Vec<Shared>,
        /// Places whose people may apply.
        #[serde(default, deserialize_with = "null_is_empty")] eligible_countries: Vec<Shared>,
        /// Places where it happens.
        #[serde(default, deserialize_with = "null_is_empty")] destination_countries: Vec<Shared>,
        /// Values of the `careers` facet.
        #[serde(default, deserialize_with = "null_is_empty")] career_stages: Vec<Shared>,
        /// Least funding, US dollars.
        funding_min_usd: Option<Number>,
        /// Most funding, US dollars.
        funding_max_usd: Option<Number>,
        /// The provider's page.
        official_url: String,
        /// True exactly when `lifecycle` starts with `active_`.
        active: Option<bool>,
        /// Where it stands.
        lifecycle: Lifecycle,
        /// When that was observed.
        #[serde(default, deserialize_with = "written::moment_or_none")]
        lifecycle_checked_at: Option<Timestamp>,
        /// When the source was last read.
        #[serde(default, deserialize_with = "written::moment_or_none")]
        source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
        /// BCP 47 language of the original text; the dataset's default when absent.
        language: Option<Shared>,
        /// Other names and acronyms; searched.
        #[serde(default, deserialize_with = "null_is_empty")] aliases: Vec<String>,
    }
}

row! {
    /// An application season.
    Cycle {
        /// Identity.
        id: Uuid,
        /// Of which program.
        program_id: Uuid,
        /// What people call it.
        label: String,
        /// First day of applications.
        #[serde(default, deserialize_with = "written::day")]
        opens_on: Option<Date>,
        /// Last day of applications, inclusive.
        #[serde(default, deserialize_with = "written::day")]
        deadline_on: Option<Date>,
        /// Day of the selection.
        #[serde(default, deserialize_with = "written::day")]
        selection_on: Option<Date>,
        /// Day of the decision.
        #[serde(default, deserialize_with = "written::day")]
        decision_on: Option<Date>,
        /// First day of what is funded.
        #[serde(default, deserialize_with = "written::day")]
        starts_on: Option<Date>,
        /// Last day of what is funded.
        #[serde(default, deserialize_with = "written::day")]
        ends_on: Option<Date>,
        /// Year that the cohort is named after.
        cohort_year: Option<i32>,
        /// Where to apply.
        application_url: Option<String>,
        /// What the source said; the published status is derived, see [`crate::time`].
        status: Option<CycleStatus>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// Something granted to somebody.
    Award {
        /// Identity.
        id: Uuid,
        /// By which program.
        program_id: Uuid,
        /// In which season.
        cycle_id: Option<Uuid>,
        /// To whom.
        recipient_id: Uuid,
        /// When.
        award_year: i32,
        /// How much, US dollars.
        award_amount_usd: Option<Number>,
        /// For what.
        project_title: Option<String>,
        /// More about it.
        public_notes: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// Somebody who received an award.
    Recipient {
        /// Identity.
        id: Uuid,
        /// Canonical slug.
        slug: String,
        /// Name.
        display_name: String,
        /// What they are.
        kind: RecipientKind,
        /// ISO 3166-1 alpha-2.
        country_code: Option<Shared>,
        /// Home page.
        website_url: Option<String>,
        /// About them.
        biography: Option<String>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// Where a statement was read.
    Source {
        /// Identity.
        id: Uuid,
        /// What it supports.
        entity_type: EntityType,
        /// Which one.
        entity_id: Uuid,
        /// Kind of document.
        kind: Shared,
        /// Address.
        url: Option<String>,
        /// Title.
        title: Option<String>,
        /// Who published it.
        publisher: Option<Shared>,
        /// When.
        #[serde(default, deserialize_with = "written::day")]
        published_on: Option<Date>,
        /// When it was read.
        #[serde(deserialize_with = "written::moment")]
        retrieved_at: Timestamp,
        /// When it was last checked.
        #[serde(default, deserialize_with = "written::moment_or_none")]
        source_checked_at: Option<Timestamp>,
        /// First seen.
        #[serde(deserialize_with = "written::moment")]
        created_at: Timestamp,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// One checked statement about a program.
    Fact {
        /// Identity.
        id: Uuid,
        /// About which program.
        program_id: Uuid,
        /// About one season only.
        cycle_id: Option<Uuid>,
        /// Which statement: a facet's fact kind, `age`, `duration`, `note` or any other word.
        kind: Shared,
        /// Value of a vocabulary.
        value: Option<Shared>,
        /// What people read for the value.
        label: Option<Shared>,
        /// The source's words.
        text: Option<String>,
        /// Lower bound, inclusive.
        min: Option<Number>,
        /// Upper bound, inclusive.
        max: Option<Number>,
        /// Unit of the bounds.
        unit: Option<Shared>,
        /// A sum of money.
        amount: Option<Number>,
        /// ISO 4217 of the amount.
        currency: Option<Shared>,
        /// In or out.
        #[serde(default = "include")] polarity: Polarity,
        /// How much it binds.
        #[serde(default = "required")] strength: Strength,
        /// Where it was read.
        source_id: Option<Uuid>,
        /// Only approved facts leave the building.
        #[serde(default = "approved", skip_serializing)] status: Approval,
        /// Last changed.
        #[serde(deserialize_with = "written::moment")]
        updated_at: Timestamp,
    }
}

row! {
    /// A change of a program's lifecycle.
    Transition {
        /// Identity.
        id: Uuid,
        /// Of which program.
        program_id: Uuid,
        /// What it was.
        from_lifecycle: Option<Lifecycle>,
        /// What it became.
        to_lifecycle: Lifecycle,
        /// When that was seen.
        #[serde(deserialize_with = "written::moment")]
        observed_at: Timestamp,
        /// Why.
        reason: Option<String>,
        /// Where it was read.
        source_id: Option<Uuid>,
    }
}

row! {
    /// A former or shorter slug.
    Alias {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        entity_id: Uuid,
        /// The slug that is not canonical.
        slug: String,
    }
}

row! {
    /// Somebody who leads an organization.
    Leader {
        /// Identity.
        id: Uuid,
        /// Which organization.
        organization_id: Uuid,
        /// Name.
        name: String,
        /// Office.
        role: Option<String>,
        /// Page about them.
        url: Option<String>,
        /// First day in office.
        #[serde(default, deserialize_with = "written::day")]
        started_on: Option<Date>,
        /// Last day in office.
        #[serde(default, deserialize_with = "written::day")]
        ended_on: Option<Date>,
    }
}

row! {
    /// Where an organization can be followed or reached.
    Channel {
        /// Identity.
        id: Uuid,
        /// Which organization.
        organization_id: Uuid,
        /// `website`, `newsletter`, `mastodon`, …
        kind: Shared,
        /// What people read.
        label: Option<String>,
        /// Address.
        url: String,
    }
}

row! {
    /// News of an organization.
    Post {
        /// Identity.
        id: Uuid,
        /// Which organization.
        organization_id: Uuid,
        /// Headline.
        title: String,
        /// Address.
        url: String,
        /// A sentence about it.
        summary: Option<String>,
        /// When it appeared.
        #[serde(default, deserialize_with = "written::day")]
        published_on: Option<Date>,
    }
}

row! {
    /// Texts of a record in another language.
    Translation {
        /// Of what kind of record.
        entity_type: EntityType,
        /// Of which record.
        entity_id: Uuid,
        /// In which language.
        locale: Locale,
        /// Field name to text.
        fields: BTreeMap<String, String>,
    }
}

row! {
    /// What people read for a facet value.
    Term {
        /// Facet, by its path name.
        facet: String,
        /// The value.
        value: String,
        /// English.
        label_en: Option<String>,
        /// Spanish.
        label_es: Option<String>,
        /// The value that contains this one.
        broader: Option<String>,
    }
}

row! {
    /// Words that mean the same to somebody who searches.
    Synonym {
        /// In which language.
        locale: Locale,
        /// The words; each may be several words long.
        terms: Vec<String>,
    }
}

macro_rules! entities {
    ($($kind:ident)+) => {
        $(impl $kind {
            /// The record as others refer to it.
            #[must_use]
            pub const fn entity(&self) -> EntityRef {
                EntityRef { kind: EntityType::$kind, id: self.id }
            }
        })+
    };
}

entities! { Organization Program Cycle Award Recipient Fact }

macro_rules! about_entities {
    ($($kind:ident)+) => {
        $(impl $kind {
            /// The record that this row is about.
            #[must_use]
            pub const fn about(&self) -> EntityRef {
                EntityRef { kind: self.entity_type, id: self.entity_id }
            }
        })+
    };
}

about_entities! { Source Alias Translation }

fn null_is_empty<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// The published records, sorted by id, with their references resolved to positions.
///
/// Built by the generator's link step, which has judged the input: every reference resolves, ids
/// and slugs are unique, nothing unpublished is left.
#[derive(Debug)]
pub struct Directory {
    /// About the whole.
    pub dataset: Dataset,
    /// Organizations.
    pub organizations: Vec<Organization>,
    /// Programs.
    pub programs: Vec<Program>,
    /// Cycles.
    pub cycles: Vec<Cycle>,
    /// Awards.
    pub awards: Vec<Award>,
    /// Recipients.
    pub recipients: Vec<Recipient>,
    /// Sources.
    pub sources: Vec<Source>,
    /// Approved facts.
    pub facts: Vec<Fact>,
    /// Lifecycle changes.
    pub transitions: Vec<Transition>,
    /// Aliases.
    pub aliases: Vec<Alias>,
    /// Leaders.
    pub leaders: Vec<Leader>,
    /// Channels.
    pub channels: Vec<Channel>,
    /// Posts.
    pub posts: Vec<Post>,
    /// Labels.
    pub vocabulary: Vec<Term>,
    /// Synonyms.
    pub synonyms: Vec<Synonym>,
    /// Texts by record and language.
    pub translations: FxHashMap<(EntityRef, Locale), BTreeMap<String, String>>,
    /// One for each organization.
    pub organization_links: Vec<OrganizationLinks>,
    /// One for each program.
    pub program_links: Vec<ProgramLinks>,
    /// Sources of each cycle.
    pub cycle_sources: Vec<Vec<usize>>,
    /// One for each award.
    pub award_links: Vec<AwardLinks>,
    /// Awards of each recipient, newest first.
    pub recipient_awards: Vec<Vec<usize>>,
}

/// What belongs to an organization: positions in the [`Directory`].
#[derive(Clone, Debug, Default)]
pub struct OrganizationLinks {
    /// By name, then id.
    pub programs: Vec<usize>,
    /// Newest first.
    pub awards: Vec<usize>,
    /// In table order.
    pub leaders: Vec<usize>,
    /// In table order.
    pub channels: Vec<usize>,
    /// Newest first.
    pub posts: Vec<usize>,
    /// Alias slugs.
    pub aliases: Vec<usize>,
}

/// What belongs to a program: positions in the [`Directory`].
#[derive(Clone, Debug, Default)]
pub struct ProgramLinks {
    /// Who runs it.
    pub organization: usize,
    /// Newest season first, see [`season_order`].
    pub cycles: Vec<usize>,
    /// By kind, value, id.
    pub facts: Vec<usize>,
    /// Newest first.
    pub awards: Vec<usize>,
    /// By id.
    pub sources: Vec<usize>,
    /// Newest first.
    pub transitions: Vec<usize>,
}

/// Whom and what an award belongs to: positions in the [`Directory`].
#[derive(Clone, Copy, Debug)]
pub struct AwardLinks {
    /// By which program.
    pub program: usize,
    /// To which recipient.
    pub recipient: usize,
}

impl Directory {
    /// A text field in the asked language, else in the original.
    #[must_use]
    pub fn text<'a>(&'a self, of: EntityRef, locale: Locale, field: &str, original: &'a str) -> &'a str {
        self.translation(of, locale, field).unwrap_or(original)
    }

    /// The same for a field that may be absent.
    #[must_use]
    pub fn optional_text<'a>(
        &'a self,
        of: EntityRef,
        locale: Locale,
        field: &str,
        original: Option<&'a str>,
    ) -> Option<&'a str> {
        self.translation(of, locale, field).or(original)
    }

    fn translation(&self, of: EntityRef, locale: Locale, field: &str) -> Option<&str> {
        self.translations.get(&(of, locale))?.get(field).map(String::as_str)
    }

    /// Whether any text of the record exists in that language besides the original.
    #[must_use]
    pub fn is_translated(&self, of: EntityRef, locale: Locale) -> bool {
        self.translations.contains_key(&(of, locale))
    }
}

/// The day that places a season in time: deadline, else opening, else start. Newest season first
/// means by this day descending, without a day last, then by id.
#[must_use]
pub fn season_day(cycle: &Cycle) -> Option<Date> {
    cycle.deadline_on.or(cycle.opens_on).or(cycle.starts_on)
}

/// Newest season first.
pub fn season_order(a: &Cycle, b: &Cycle) -> std::cmp::Ordering {
    season_day(b).cmp(&season_day(a)).then_with(|| a.id.cmp(&b.id))
}

/// Newest award first.
pub fn award_order(a: &Award, b: &Award) -> std::cmp::Ordering {
    b.award_year
        .cmp(&a.award_year)
        .then_with(|| b.created_at.cmp(&a.created_at))
        .then_with(|| a.id.cmp(&b.id))
}
