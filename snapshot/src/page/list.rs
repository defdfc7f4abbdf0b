//! The four lists: prepared rows in their order, filtered and cut in memory.
//!
//! ```text
//! org.at org                 Organization rows, by name
//! cycle.at cycle             cycle rows, newest season first; a row's position is the cycle's number
//! cycle.split                u32 of each row: where its status stands
//! cycle.season               SeasonRow of each row: what the status follows from
//! cycle.observed             ObservationRow of each row: lifecycle and last check of its program
//! cycle.due                  u32: cycles by deadline, without one last
//! award.at award             award rows, newest first
//! cycle.doc award.doc        u32 of each row: the document of its program
//! rec.at rec                 RecipientSummary rows, most awards first, then by name
//! rec.name.at rec.name       folded display names
//! rec.kind                   u8: position in RecipientKind::ALL
//! rec.year.* rec.doc.*       year and program of each recipient's awards, side by side, ascending
//! alias.* alias.to.*         former slugs as `type/slug`, sorted, and the canonical slug of each
//! about                      JSON: the dataset's description, see [`About`]
//! ```

mod cycles;
mod recipients;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

pub use self::cycles::{Cycles, CyclesToday, Numbers};
pub(super) use self::recipients::{Recipients, filters};
use crate::page::json::push_json;
use crate::page::shape::Shaper;
use crate::query::List;
use crate::record::field_table::Object;
use crate::record::{Alias, Directory, EntityRef, EntityType, Locale, award_order};
use crate::search::{Pair, Strings, StringsWriter, column};
use crate::text::sort_key;
use store::sections::{Section, SectionError, SectionWriter, Sections};

const ORGANIZATIONS: Pair = ("org.at", "org");
const AWARDS: Pair = ("award.at", "award");
const AWARD_DOCS: &str = "award.doc";
const ALIASES: Pair = ("alias.at", "alias");
const CANONICAL: Pair = ("alias.to.at", "alias.to");

/// A dataset's description of itself.
#[derive(Clone, Debug, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// Short machine name.
    pub name: String,
    /// What people read.
    pub title: String,
    /// When the dataset was published.
    pub generated_at: jiff::Timestamp,
    /// The language of its pages, if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_locale: Option<Locale>,
}

/// The lists, open.
pub struct Lists {
    /// The dataset's description of itself.
    pub about: About,
    aliases: Strings,
    canonical: Strings,
    pub(super) organizations: Strings,
    /// Cycles.
    pub cycles: Cycles,
    pub(super) awards: Strings,
    /// Document of each award.
    pub(super) award_docs: Section<u32>,
    pub(super) recipients: Recipients,
}

/// Writes the lists; their texts are English where a record has them.
pub fn write(directory: &Directory, numbers: &Numbers, writer: &mut SectionWriter) {
    let shaper = &Shaper { directory, locale: Locale::En };
    write_organizations(shaper, writer);
    cycles::write(shaper, numbers, writer);
    write_awards(shaper, numbers, writer);
    recipients::write(shaper, &numbers.doc_of, writer);
    write_aliases(directory, writer);
    let dataset = &directory.dataset;
    let about = About {
        name: dataset.name.clone(),
        title: dataset.title.clone(),
        generated_at: dataset.published_at,
        only_locale: dataset.only_locale(),
    };
    let mut json = Vec::new();
    push_json(&mut json, &about);
    writer.put("about", json);
}

/// Writes the rows of positions in an order.
fn write_rows<'a>(
    order: impl Iterator<Item = usize>,
    row: impl Fn(usize) -> Object<'a>,
    names: Pair,
    writer: &mut SectionWriter,
) {
    let (mut rows, mut json) = (StringsWriter::default(), Vec::new());
    for position in order {
        json.clear();
        push_json(&mut json, &row(position));
        rows.push(&json);
    }
    rows.write(names, writer);
}

fn write_organizations(shaper: &Shaper<'_>, writer: &mut SectionWriter) {
    let name = |organization| sort_key(shaper.organization_reference(organization).text("name"));
    let count = shaper.directory.organizations.len();
    // Positions follow ids, and break ties as these do.
    let mut order: Vec<(String, usize)> = (0..count).map(|at| (name(at), at)).collect();
    order.sort_unstable();
    let order = order.into_iter().map(|(_, at)| at);
    write_rows(order, |at| shaper.organization(at), ORGANIZATIONS, writer);
}

fn write_awards(shaper: &Shaper<'_>, numbers: &Numbers, writer: &mut SectionWriter) {
    let awards = &shaper.directory.awards;
    let mut order: Vec<usize> = (0..awards.len()).collect();
    order.sort_unstable_by(|a, b| award_order(&awards[*a], &awards[*b]));
    let docs = order.iter().map(|at| numbers.doc_of[shaper.directory.award_links[*at].program]);
    writer.put(AWARD_DOCS, docs.collect::<Vec<u32>>());
    write_rows(order.into_iter(), |at| award_row(shaper, at), AWARDS, writer);
}

/// Writes former slugs as `type/slug`, and the canonical slug of each.
fn write_aliases(directory: &Directory, writer: &mut SectionWriter) {
    let organizations = directory.organizations.iter().map(|it| (it.entity(), it.slug.as_str()));
    let programs = directory.programs.iter().map(|it| (it.entity(), it.slug.as_str()));
    let recipients = directory.recipients.iter().map(|it| (it.entity(), it.slug.as_str()));
    let wanted: FxHashSet<EntityRef> = directory.aliases.iter().map(Alias::about).collect();
    let slugs = organizations.chain(programs).chain(recipients);
    let slugs: FxHashMap<EntityRef, &str> = slugs.filter(|(of, _)| wanted.contains(of)).collect();
    let canonical = |alias: &Alias| {
        let slug = slugs.get(&alias.about())?;
        Some((format!("{}/{}", alias.entity_type.as_str(), alias.slug), *slug))
    };
    let aliases: BTreeMap<String, &str> = directory.aliases.iter().filter_map(canonical).collect();
    Strings::write(writer, ALIASES, aliases.keys());
    Strings::write(writer, CANONICAL, aliases.values());
}

/// `{award, program, recipient}`.
pub(crate) fn award_row<'a>(shaper: &Shaper<'a>, award: usize) -> Object<'a> {
    let links = shaper.directory.award_links[award];
    Object::default()
        .with("award", shaper.award(award))
        .with("program", shaper.program_reference(links.program))
        .with("recipient", shaper.recipient_reference(links.recipient))
}

impl Lists {
    /// Opens the lists over an index of `programs` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub(crate) fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let (aliases, awards) = (Strings::open(sections, ALIASES)?, Strings::open(sections, AWARDS)?);
        let about = serde_json::from_slice(&sections.get::<u8>("about")?);
        Ok(Self {
            about: about.map_err(|_| SectionError("about", "is not what it should be"))?,
            canonical: Strings::open_len(sections, CANONICAL, aliases.count())?,
            aliases,
            organizations: Strings::open(sections, ORGANIZATIONS)?,
            cycles: Cycles::open(sections)?,
            award_docs: column(sections, AWARD_DOCS, awards.count())?,
            awards,
            recipients: Recipients::open(sections, programs)?,
        })
    }

    /// The rows of a list of records, in its order, by their places.
    pub(super) fn strings(&self, list: List) -> &Strings {
        match list {
            List::Organizations => &self.organizations,
            List::Recipients => &self.recipients.rows,
            List::Awards => &self.awards,
            List::Cycles => &self.cycles.rows,
        }
    }

    /// The canonical slug of a record that was requested by a former one.
    pub fn canonical_slug(&self, entity: EntityType, slug: &str) -> Option<&str> {
        let key = format!("{}/{slug}", entity.as_str());
        self.aliases.find(key.as_bytes()).map(|alias| self.canonical.text(alias))
    }
}

/// Name of the dataset whose lists are in a file, if that can be read.
pub fn dataset_name(sections: &Sections) -> Option<String> {
    let about: About = serde_json::from_slice(&sections.get::<u8>("about").ok()?).ok()?;
    Some(about.name)
}
