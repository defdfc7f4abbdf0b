//! The published records as a whole, their references resolved.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::{
    Alias, Award, Channel, Cycle, Dataset, EntityRef, Fact, Leader, Locale, Organization, Post, Program,
    Recipient, Source, Synonym, Term, Transition,
};

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
    /// Newest season first, see [`super::season_order`].
    pub cycles: Vec<usize>,
    /// By kind, value, id.
    pub facts: Vec<usize>,
    /// Newest first.
    pub awards: Vec<usize>,
    /// By id.
    pub sources: Vec<usize>,
    /// Newest first.
    pub transitions: Vec<usize>,
    /// Last change of the program or of its cycles, awards, sources and facts.
    pub changed: Timestamp,
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
    /// The facts of a program.
    pub(crate) fn facts_of(&self, program: usize) -> impl Iterator<Item = &Fact> + Clone {
        self.program_links[program].facts.iter().map(|fact| &self.facts[*fact])
    }

    /// A text field in the requested language, else in the original.
    pub fn text<'a>(&'a self, of: EntityRef, locale: Locale, field: &str, original: &'a str) -> &'a str {
        self.translation(of, locale, field).unwrap_or(original)
    }

    /// A text of a record in a language, where it is there.
    pub fn translation(&self, of: EntityRef, locale: Locale, field: &str) -> Option<&str> {
        self.translations.get(&(of, locale))?.get(field).map(String::as_str)
    }
}
