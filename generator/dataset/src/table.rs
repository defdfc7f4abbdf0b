//! The tables of a dataset: what each is called, its JSON Schema, and the fields that only input rows have.

use snapshot::record::EntityType;

/// A table of a dataset, by the name of its file or folder. The order is that of references: a table comes
/// after those that its rows belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the table of the record type of its name")]
pub enum Table {
    Organizations,
    Programs,
    Cycles,
    Awards,
    Recipients,
    Sources,
    Facts,
    Lifecycle,
    Aliases,
    Leaders,
    Channels,
    Posts,
    Translations,
    Vocabulary,
    Synonyms,
}

struct Spec {
    table: Table,
    name: &'static str,
    noun: &'static str,
    input_only: &'static [&'static str],
    schema: &'static str,
}

macro_rules! spec {
    ($table:ident, $name:literal, $noun:literal, $input_only:expr) => {
        Spec {
            table: Table::$table,
            name: $name,
            noun: $noun,
            input_only: &$input_only,
            schema: include_str!(concat!("../../../schemas/dataset/", $noun, ".schema.json")),
        }
    };
}

/// In the order of the variants.
const SPECS: [Spec; 15] = [
    spec!(Organizations, "organizations", "organization", ["key"]),
    spec!(Programs, "programs", "program", ["key", "organization"]),
    spec!(Cycles, "cycles", "cycle", ["key", "program"]),
    spec!(Awards, "awards", "award", ["key", "program", "cycle", "recipient"]),
    spec!(Recipients, "recipients", "recipient", ["key"]),
    spec!(Sources, "sources", "source", ["key", "entity"]),
    spec!(Facts, "facts", "fact", ["key", "program", "cycle", "source"]),
    spec!(Lifecycle, "lifecycle", "lifecycle", ["key", "program", "source"]),
    spec!(Aliases, "aliases", "alias", ["entity"]),
    spec!(Leaders, "leaders", "leader", ["key", "organization"]),
    spec!(Channels, "channels", "channel", ["key", "organization"]),
    spec!(Posts, "posts", "post", ["key", "organization"]),
    spec!(Translations, "translations", "translation", ["entity"]),
    spec!(Vocabulary, "vocabulary", "vocabulary", []),
    spec!(Synonyms, "synonyms", "synonym", []),
];

impl Table {
    /// Every table, in the order of the variants.
    pub const ALL: [Self; SPECS.len()] = {
        let mut all = [Self::Organizations; SPECS.len()];
        let mut position = 0;
        while position < SPECS.len() {
            all[position] = SPECS[position].table;
            assert!(all[position] as usize == position, "SPECS is not in the order of the variants");
            position += 1;
        }
        all
    };

    const fn spec(self) -> &'static Spec {
        &SPECS[self as usize]
    }

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

    /// Name of its file or folder.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The table with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// JSON Schema of its records.
    pub const fn json_schema(self) -> &'static str {
        self.spec().schema
    }

    /// Fields that an input row may have and its record has not: `key`, the row's name in its source, and
    /// references by slug, key or name in place of an id.
    pub const fn input_only_fields(self) -> &'static [&'static str] {
        self.spec().input_only
    }

    /// What one record is called in messages, and in the text that its id is made from.
    pub(crate) const fn noun(self) -> &'static str {
        self.spec().noun
    }
}
