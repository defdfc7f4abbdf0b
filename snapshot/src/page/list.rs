//! The four lists: prepared rows in their order, filtered and cut in memory.
//!
//! ```text
//! org.at org                 Organization rows, by name
//! cycle.at cycle             cycle rows, newest season first; a row's position is the cycle's number
//! cycle.split                u32 of each row: where its status stands
//! cycle.opens .deadline .starts .stated   days and word that the status follows from
//! cycle.checked              Day of each row: when its program was last checked
//! cycle.due                  u32: cycles by deadline, without one last
//! award.at award             award rows, newest first
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
use std::io;

use rustc_hash::FxHashMap;
use serde::Serialize;
use uuid::Uuid;

use self::cycles::CyclesWriter;
pub use self::cycles::{Cycles, CyclesToday, Numbers, documents};
use self::recipients::RecipientsWriter;
pub(super) use self::recipients::{Recipients, filters};
use crate::page::json::{SectionNames, push_json};
use crate::page::shape::Shaper;
use crate::query::List;
use crate::record::field_table::Object;
use crate::record::{Award, Dataset, Directory, EntityRef, EntityType, Locale};
use crate::search::{Strings, StringsWriter};
use crate::text::fold;
use store::sections::{SectionError, SectionWriter, Sections, ensure};
use store::spill::{Sorter, Spill};

const ORGANIZATIONS: SectionNames = ("org.at", "org");
const AWARDS: SectionNames = ("award.at", "award");
const ALIASES: SectionNames = ("alias.at", "alias");
const CANONICAL: SectionNames = ("alias.to.at", "alias.to");

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
    pub(super) recipients: Recipients,
}

/// Rows of the lists being collected; their texts are English where a record has them.
pub struct RecordListsWriter {
    organizations: Sorter,
    cycles: CyclesWriter,
    awards: Sorter,
    recipients: RecipientsWriter,
    /// Former slugs as `type/slug`, and the canonical slug of each.
    aliases: BTreeMap<String, String>,
}

impl RecordListsWriter {
    /// No rows yet.
    pub fn new(spill: &Spill) -> Self {
        Self {
            organizations: Sorter::new(spill),
            cycles: CyclesWriter::new(spill),
            awards: Sorter::new(spill),
            recipients: RecipientsWriter::new(spill),
            aliases: BTreeMap::new(),
        }
    }

    /// Adds the organizations of a directory.
    pub fn add_organizations(&mut self, directory: &Directory) {
        let shaper = Shaper { directory, locale: Locale::En };
        let mut json = Vec::new();
        for (organization, it) in directory.organizations.iter().enumerate() {
            let name = fold(shaper.organization_reference(organization).text("name"));
            json.clear();
            push_json(&mut json, &shaper.organization(organization));
            self.organizations.push(&[name.as_bytes(), &[0], it.id.as_bytes(), &json]);
        }
        let slugs = directory.organizations.iter().map(|it| (it.entity(), it.slug.as_str()));
        self.add_aliases(directory, &slugs.collect());
    }

    /// Adds the recipients of a directory.
    pub fn add_recipients(&mut self, directory: &Directory) {
        self.recipients.add(&Shaper { directory, locale: Locale::En });
        let slugs = directory.recipients.iter().map(|it| (it.entity(), it.slug.as_str()));
        self.add_aliases(directory, &slugs.collect());
    }

    /// Adds the cycles and awards of a directory; `doc_of` is the document of each program.
    pub fn add_programs(&mut self, directory: &Directory, doc_of: &[u32]) {
        let shaper = Shaper { directory, locale: Locale::En };
        self.cycles.add(&shaper);
        let mut json = Vec::new();
        for (award, it) in directory.awards.iter().enumerate() {
            let links = directory.award_links[award];
            self.recipients.add_award(it, doc_of[links.program]);
            json.clear();
            push_json(&mut json, &award_row(&shaper, award));
            self.awards.push(&[&award_key(it), &json]);
        }
        let slugs = directory.programs.iter().map(|it| (it.entity(), it.slug.as_str()));
        self.add_aliases(directory, &slugs.collect());
    }

    fn add_aliases(&mut self, directory: &Directory, slugs: &FxHashMap<EntityRef, &str>) {
        for alias in &directory.aliases {
            if let Some(slug) = slugs.get(&alias.about()) {
                let key = format!("{}/{}", alias.entity_type.as_str(), alias.slug);
                self.aliases.insert(key, (*slug).to_owned());
            }
        }
    }

    /// Writes the lists.
    ///
    /// # Errors
    ///
    /// If what was collected cannot be read back.
    pub fn finish(self, dataset: &Dataset, writer: &mut SectionWriter) -> io::Result<()> {
        let mut organizations = StringsWriter::new(writer.spill());
        self.organizations.finish(|record| {
            let name = record.iter().position(|byte| *byte == 0).map_or(0, |end| end + 1);
            organizations.push(record.get(name + size_of::<Uuid>()..).unwrap_or_default());
        })?;
        organizations.write(ORGANIZATIONS, writer);
        self.cycles.finish(writer)?;
        let mut awards = StringsWriter::new(writer.spill());
        self.awards.finish(|record| {
            awards.push(record.get(AWARD_KEY..).unwrap_or_default());
        })?;
        awards.write(AWARDS, writer);
        self.recipients.finish(writer)?;
        Strings::write(writer, ALIASES, self.aliases.keys());
        Strings::write(writer, CANONICAL, self.aliases.values());
        let about = About {
            name: dataset.name.clone(),
            title: dataset.title.clone(),
            generated_at: dataset.published_at,
            only_locale: dataset.only_locale(),
        };
        let mut json = Vec::new();
        push_json(&mut json, &about);
        writer.put("about", json);
        Ok(())
    }
}

/// Length of the key of an award: year, time and id.
const AWARD_KEY: usize = size_of::<u32>() + size_of::<u128>() + size_of::<Uuid>();

/// Bytes in the order of [`award_order`](crate::record::award_order): newest first.
fn award_key(award: &Award) -> [u8; AWARD_KEY] {
    let year = !(award.award_year as u32 ^ 1 << 31);
    let created = !(award.created_at.as_nanosecond() as u128 ^ 1 << 127);
    let mut key = [0; AWARD_KEY];
    key[..4].copy_from_slice(&year.to_be_bytes());
    key[4..20].copy_from_slice(&created.to_be_bytes());
    key[20..].copy_from_slice(award.id.as_bytes());
    key
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
    pub fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let (aliases, canonical) = (Strings::open(sections, ALIASES)?, Strings::open(sections, CANONICAL)?);
        ensure(aliases.len() == canonical.len(), CANONICAL.0, "has another length")?;
        let about = serde_json::from_slice(&sections.get::<u8>("about")?);
        Ok(Self {
            about: about.map_err(|_| SectionError::Content("about", "is not what it should be"))?,
            aliases,
            canonical,
            organizations: Strings::open(sections, ORGANIZATIONS)?,
            cycles: Cycles::open(sections)?,
            awards: Strings::open(sections, AWARDS)?,
            recipients: Recipients::open(sections, programs)?,
        })
    }

    /// The rows of a list of records, in its order.
    pub(crate) fn rows(&self, list: List) -> impl ExactSizeIterator<Item = &[u8]> {
        let rows = match list {
            List::Organizations => &self.organizations,
            List::Recipients => &self.recipients.rows,
            List::Awards => &self.awards,
            List::Cycles => &self.cycles.rows,
        };
        (0..rows.len()).map(|row| rows.bytes(row))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::award_order;

    #[test]
    fn keys_of_awards_sort_as_awards_do() {
        let award = |year: i32, created: &str, id: u128| -> Award {
            let id = Uuid::from_u128(id);
            let text = serde_json::json!({
                "id": id, "programId": id, "recipientId": id, "awardYear": year,
                "createdAt": created, "updatedAt": created,
            });
            serde_json::from_value(text).unwrap()
        };
        let times = ["1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z", "2026-11-20T06:00:00.5Z"];
        let years = [-5, 0, 1999, 2026];
        let awards: Vec<Award> = years
            .iter()
            .flat_map(|year| {
                times.iter().flat_map(move |time| [1, u128::MAX].map(|id| award(*year, time, id)))
            })
            .collect();
        for a in &awards {
            for b in &awards {
                assert_eq!(award_key(a).cmp(&award_key(b)), award_order(a, b));
            }
        }
    }
}
