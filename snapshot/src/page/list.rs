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

use serde::Serialize;

pub use self::cycles::{Cycles, CyclesToday};
use self::recipients::{Filters, Recipients};
use crate::page::shape::Shaper;
use crate::page::{Dated, Paged, Site, push_json};
use crate::query::{List, ListQuery, Page};
use crate::record::field_table::Object;
use crate::record::{Directory, EntityRef, EntityType, Locale, award_order};
use crate::search::{Strings, StringsWriter};
use crate::text::fold;
use store::sections::{SectionError, SectionWriter, Sections};

type SectionNames = (&'static str, &'static str);
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
}

/// The lists, open.
pub struct Lists {
    /// The dataset's description of itself.
    pub about: About,
    aliases: Strings,
    canonical: Strings,
    organizations: Strings,
    /// Cycles.
    pub cycles: Cycles,
    awards: Strings,
    recipients: Recipients,
}

/// Numbers that other files use for programs and cycles.
pub struct Numbers {
    /// Document of each program.
    pub doc_of: Vec<u32>,
    /// Number of each cycle: its place in the list of all.
    pub cycle: Vec<u32>,
}

impl Numbers {
    /// Numbers of a directory; `order` gives the program of each document.
    #[must_use]
    pub fn new(directory: &Directory, order: &[usize]) -> Self {
        let mut doc_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(doc, program)| doc_of[*program] = doc as u32);
        let mut cycle = vec![0; directory.cycles.len()];
        for (number, position) in cycles::order(directory).into_iter().enumerate() {
            cycle[position] = number as u32;
        }
        Self { doc_of, cycle }
    }
}

/// Writes the lists; their texts are English where a record has them.
pub fn write(
    directory: &Directory,
    numbers: &Numbers,
    program_of_cycle: &[usize],
    writer: &mut SectionWriter,
) {
    let shaper = Shaper { directory, locale: Locale::En };
    let mut organizations: Vec<usize> = (0..directory.organizations.len()).collect();
    organizations.sort_by_cached_key(|it| {
        (fold(shaper.organization_reference(*it).text("name")), directory.organizations[*it].id)
    });
    write_rows(ORGANIZATIONS, organizations.iter().map(|it| shaper.organization(*it)), writer);
    cycles::write(&shaper, program_of_cycle, writer);
    let mut awards: Vec<usize> = (0..directory.awards.len()).collect();
    awards.sort_by(|a, b| award_order(&directory.awards[*a], &directory.awards[*b]));
    write_rows(AWARDS, awards.iter().map(|award| award_row(&shaper, *award)), writer);
    recipients::write(&shaper, numbers, writer);
    write_aliases(directory, writer);
    let dataset = &directory.dataset;
    let about = About {
        name: dataset.name.clone(),
        title: dataset.title.clone(),
        generated_at: dataset.published_at,
    };
    let mut json = Vec::new();
    push_json(&mut json, &about);
    writer.put("about", json);
}

fn write_aliases(directory: &Directory, writer: &mut SectionWriter) {
    let organizations = directory.organizations.iter().map(|it| (it.entity(), it.slug.as_str()));
    let programs = directory.programs.iter().map(|it| (it.entity(), it.slug.as_str()));
    let recipients = directory.recipients.iter().map(|it| (it.entity(), it.slug.as_str()));
    let slugs: BTreeMap<EntityRef, &str> = organizations.chain(programs).chain(recipients).collect();
    let mut aliases: BTreeMap<String, &str> = BTreeMap::new();
    for alias in &directory.aliases {
        if let Some(slug) = slugs.get(&alias.about()) {
            aliases.insert(format!("{}/{}", alias.entity_type.as_str(), alias.slug), slug);
        }
    }
    Strings::write(writer, ALIASES, aliases.keys());
    Strings::write(writer, CANONICAL, aliases.values());
}

fn write_rows(names: SectionNames, rows: impl Iterator<Item = impl Serialize>, writer: &mut SectionWriter) {
    let (mut all, mut json) = (StringsWriter::default(), Vec::new());
    for row in rows {
        json.clear();
        push_json(&mut json, &row);
        all.push(&json);
    }
    all.write(names, writer);
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
        if aliases.len() != canonical.len() {
            return Err(SectionError::Content(CANONICAL.0, "has another length"));
        }
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
    #[must_use]
    pub fn canonical_slug(&self, entity: EntityType, slug: &str) -> Option<&str> {
        let key = format!("{}/{slug}", entity.as_str());
        self.aliases.find(key.as_bytes()).map(|alias| self.canonical.text(alias))
    }
}

/// Name of the dataset whose lists are in a file, if that can be read.
#[must_use]
pub fn dataset_name(sections: &Sections) -> Option<String> {
    let about: About = serde_json::from_slice(&sections.get::<u8>("about").ok()?).ok()?;
    Some(about.name)
}

/// What answering a query costs, in units of the search: filtered recipients are looked through.
#[must_use]
pub fn price(site: &Site, list: List, query: &ListQuery) -> u64 {
    const RECIPIENT: u64 = 16;
    match list {
        List::Recipients if Recipients::is_filtered(query) => {
            site.lists.recipients.rows.len() as u64 * RECIPIENT
        }
        _ => 0,
    }
}

/// Answers a query to a list.
#[must_use]
pub fn list(site: &Site, dated: &Dated, list: List, query: &ListQuery, invalid: &[String]) -> Paged {
    let mut out = Vec::with_capacity(16 * 1024);
    out.extend_from_slice(b"{\"data\":[");
    let lists = &site.lists;
    let strings = |strings: &Strings, out: &mut Vec<u8>| {
        push_rows(out, &query.page, strings.len(), |row, out| out.extend_from_slice(strings.bytes(row)))
    };
    let total = match list {
        List::Organizations => strings(&lists.organizations, &mut out),
        List::Awards => strings(&lists.awards, &mut out),
        List::Cycles if query.upcoming => {
            let upcoming = &dated.cycles.upcoming;
            push_rows(&mut out, &query.page, upcoming.len(), |row, out| {
                lists.cycles.push(upcoming[row], &dated.cycles, out);
            })
        }
        List::Cycles => push_rows(&mut out, &query.page, lists.cycles.rows.len(), |row, out| {
            lists.cycles.push(row as u32, &dated.cycles, out);
        }),
        List::Recipients if Recipients::is_filtered(query) => {
            let found = lists.recipients.find(site, query);
            push_rows(&mut out, &query.page, found.len(), |row, out| {
                out.extend_from_slice(lists.recipients.rows.bytes(found[row]));
            })
        }
        List::Recipients => strings(&lists.recipients.rows, &mut out),
    };
    out.extend_from_slice(b"],\"meta\":{");
    let count = query.page.range(total).len();
    crate::page::search::push_paging(&mut out, &query.page, count, total);
    if list == List::Recipients {
        out.extend_from_slice(b",\"filters\":");
        push_json(&mut out, &Filters::new(query));
    }
    out.extend_from_slice(b",\"invalid\":");
    push_json(&mut out, &invalid);
    out.extend_from_slice(b"}}");
    Paged { bytes: out, total }
}

/// Appends the rows of a page, separated by commas; gives the total back.
fn push_rows(out: &mut Vec<u8>, page: &Page, total: usize, push: impl Fn(usize, &mut Vec<u8>)) -> usize {
    let range = page.range(total);
    for row in range.clone() {
        if row > range.start {
            out.push(b',');
        }
        push(row, out);
    }
    total
}
