//! Words of the contract as enums.

/// Declares enums whose variants are words of the contract: serde, `ALL`, `as_str`, `parse`.
macro_rules! words {
    ($(
        $(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in the contract's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for this value in every format.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value that `word` stands for; case matters.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    )+};
}

pub(crate) use words;

words! {
    /// Languages that the directory is published in.
    #[derive(Default)]
    Locale {
        /// English.
        #[default]
        En = "en",
        /// Spanish.
        Es = "es",
    }

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
        /// The sources do not decide it.
        Unclear = "unclear",
    }

    /// State of an application season.
    CycleStatus {
        /// Neither dates nor source decide it.
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

    /// Who received an award.
    RecipientKind {
        /// One human.
        Person = "person",
        /// A legal body.
        Organization = "organization",
        /// Several people.
        Team = "team",
    }

    /// Whether a record may leave the building.
    #[derive(Default)]
    PublicationStatus {
        /// It may.
        #[default]
        Published = "published",
        /// Not yet.
        Draft = "draft",
        /// No longer.
        Withdrawn = "withdrawn",
    }

    /// Whether a person has checked a fact.
    #[derive(Default)]
    Approval {
        /// Checked and right.
        #[default]
        Approved = "approved",
        /// Waiting for a check.
        Proposed = "proposed",
        /// Checked and wrong.
        Rejected = "rejected",
    }

    /// Whether a fact lets its value in or keeps it out.
    #[derive(Default)]
    Polarity {
        /// In.
        #[default]
        Include = "include",
        /// Out.
        Exclude = "exclude",
    }

    /// How much a fact binds.
    #[derive(Default)]
    Strength {
        /// A condition.
        #[default]
        Required = "required",
        /// An advantage.
        Preferred = "preferred",
        /// Worth knowing.
        Info = "info",
    }

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

impl DurationUnit {
    /// Length of one unit in days.
    pub(crate) const fn days(self) -> f64 {
        [1.0, 7.0, 30.0, 365.0][self as usize]
    }
}

impl Lifecycle {
    /// `active` of the program record.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::ActiveAccepting | Self::ActiveBetweenCycles | Self::ActiveNoApplications)
    }
}
