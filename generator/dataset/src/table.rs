//! The tables of a dataset: what each is called, its JSON Schema, and the fields that only input rows have.

use snapshot::record::EntityType;

macro_rules! tables {
    ($($table:ident, $name:literal, $noun:literal, $input_only:expr, $needed:expr, $more:expr;)+) => {
        /// A table of a dataset, by the name of its file or folder. The order is that of references: a table comes
        /// after those that its rows belong to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each is the table of the record type of its name")]
        pub enum Table { $($table),+ }

        impl Table {
            /// Every table, in the order of the variants.
            pub const ALL: [Self; [$(Self::$table),+].len()] = [$(Self::$table),+];

            /// Name of its file or folder.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$table => $name),+ }
            }

            /// What one record is called in messages, and in the text that its id is made from.
            pub(crate) const fn noun(self) -> &'static str {
                match self { $(Self::$table => $noun),+ }
            }

            /// Fields that an input row may have and its record has not: `key`, the row's name in its source, and
            /// references by slug, key or name in place of an id.
            pub const fn input_only_fields(self) -> &'static [&'static str] {
                match self { $(Self::$table => &$input_only),+ }
            }

            /// The fields that the id of a row without one is made of: those that it needs, and those that it may have.
            pub(crate) const fn natural_key(self) -> (&'static [&'static str], &'static [&'static str]) {
                match self { $(Self::$table => (&$needed, &$more)),+ }
            }

            /// JSON Schema of its records.
            pub const fn json_schema(self) -> &'static str {
                match self {
                    $(Self::$table => {
                        include_str!(concat!("../../../schemas/dataset/", $noun, ".schema.json"))
                    })+
                }
            }
        }
    };
}

tables! {
    Organizations, "organizations", "organization", ["key"], ["slug"], [];
    Programs, "programs", "program", ["key", "organization"], ["slug"], [];
    Cycles, "cycles", "cycle", ["key", "program"], ["programId", "label"], [];
    Awards, "awards", "award", ["key", "program", "cycle", "recipient"],
        ["programId", "recipientId", "awardYear"], ["cycleId"];
    Recipients, "recipients", "recipient", ["key"], ["slug"], [];
    Sources, "sources", "source", ["key", "entity"], ["entityType", "entityId", "kind"], ["url", "title"];
    Facts, "facts", "fact", ["key", "program", "cycle", "source"], ["programId", "kind"],
        ["cycleId", "value", "text", "min", "max", "unit", "amount", "currency", "polarity"];
    Lifecycle, "lifecycle", "lifecycle", ["key", "program", "source"], ["programId", "toLifecycle", "observedAt"], [];
    Aliases, "aliases", "alias", ["entity"], [], [];
    Leaders, "leaders", "leader", ["key", "organization"], ["organizationId", "name"], ["role", "startedOn"];
    Channels, "channels", "channel", ["key", "organization"], ["organizationId", "url"], [];
    Posts, "posts", "post", ["key", "organization"], ["organizationId", "url"], [];
    Translations, "translations", "translation", ["entity"], [], [];
    Vocabulary, "vocabulary", "vocabulary", [], [], [];
    Synonyms, "synonyms", "synonym", [], [], [];
}

impl Table {
    /// The tables of records that have slugs, and pages by them.
    pub const WITH_SLUGS: [Self; 3] = [Self::Organizations, Self::Programs, Self::Recipients];

    /// The table that holds a kind of record.
    pub(crate) const fn of(kind: EntityType) -> Self {
        match kind {
            EntityType::Organization => Self::Organizations,
            EntityType::Program => Self::Programs,
            EntityType::Cycle => Self::Cycles,
            EntityType::Award => Self::Awards,
            EntityType::Recipient => Self::Recipients,
            EntityType::Fact => Self::Facts,
        }
    }

    /// The table with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}
