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
//! about                      JSON: what the dataset says about itself, see [`About`]
//! ```

use std::collections::BTreeMap;

use serde::Serialize;

use crate::page::shape::Shaper;
use crate::page::{Dated, Paged, Site, push_json};
use crate::query::{List, ListQuery, Page};
use crate::record::shown::Object;
use crate::record::{
    CycleStatus, Directory, EntityRef, EntityType, Locale, RecipientKind, award_order, season_order,
};
use crate::search::build::season;
use crate::search::table::{Lists as NumberLists, Strings, StringsWriter, check_len};
use crate::search::text::fold;
use crate::store::sections::{Section, SectionError, SectionWriter, Sections};
use crate::time::{Day, Season, Standing, ageing_days};

type SectionNames = (&'static str, &'static str);
const ORGANIZATIONS: SectionNames = ("org.at", "org");
const CYCLES: SectionNames = ("cycle.at", "cycle");
const AWARDS: SectionNames = ("award.at", "award");
const RECIPIENTS: SectionNames = ("rec.at", "rec");
const NAMES: SectionNames = ("rec.name.at", "rec.name");
const YEARS: SectionNames = ("rec.year.at", "rec.year");
const PROGRAMS: SectionNames = ("rec.doc.at", "rec.doc");

const ALIASES: SectionNames = ("alias.at", "alias");
const CANONICAL: SectionNames = ("alias.to.at", "alias.to");

/// What a dataset says about itself.
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
    /// What the dataset says about itself.
    pub about: About,
    aliases: Strings,
    canonical: Strings,
    organizations: Strings,
    /// Cycles.
    pub cycles: Cycles,
    awards: Strings,
    recipients: Recipients,
}

/// Cycles with the days that their status follows from.
pub struct Cycles {
    rows: Strings,
    split: Section<u32>,
    seasons: Seasons,
    by_deadline: Section<u32>,
}

/// Days of all cycles, and what their sources stated.
#[derive(Clone)]
struct Seasons {
    opens: Section<Day>,
    deadline: Section<Day>,
    starts: Section<Day>,
    stated: Section<u8>,
    checked: Section<Day>,
}

/// Cycles on a day.
pub struct CyclesToday {
    day: Day,
    status: Vec<CycleStatus>,
    seasons: Seasons,
    /// Upcoming cycles, by deadline.
    upcoming: Vec<u32>,
}

struct Recipients {
    rows: Strings,
    names: Strings,
    kinds: Section<u8>,
    /// Year and program of each recipient's awards: two lists side by side, every pair once.
    years: NumberLists,
    programs: NumberLists,
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
        for (number, position) in cycle_order(directory).into_iter().enumerate() {
            cycle[position] = number as u32;
        }
        Self { doc_of, cycle }
    }
}

/// Cycles, newest season first.
fn cycle_order(directory: &Directory) -> Vec<usize> {
    let mut order: Vec<usize> = (0..directory.cycles.len()).collect();
    order.sort_by(|a, b| season_order(&directory.cycles[*a], &directory.cycles[*b]));
    order
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
    write_cycles(&shaper, program_of_cycle, writer);
    let mut awards: Vec<usize> = (0..directory.awards.len()).collect();
    awards.sort_by(|a, b| award_order(&directory.awards[*a], &directory.awards[*b]));
    write_rows(AWARDS, awards.iter().map(|award| award_row(&shaper, *award)), writer);
    write_recipients(&shaper, numbers, writer);
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

fn write_cycles(shaper: &Shaper<'_>, program_of_cycle: &[usize], writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let order = cycle_order(directory);
    let (mut rows, mut split, mut bytes) = (StringsWriter::default(), Vec::new(), Vec::new());
    for cycle in &order {
        let mut program = shaper.program_reference(program_of_cycle[*cycle]);
        // The contract has no id here.
        program.0.retain(|(name, _)| *name != "id");
        let cycle = shaper.cycle(*cycle, String::new(), None);
        split.push((b"{\"cycle\":".len() + place_of_text(&cycle, "status")) as u32);
        let row = Object::default().with("cycle", cycle).with("program", program);
        bytes.clear();
        push_json(&mut bytes, &row);
        rows.push(&bytes);
    }
    rows.write(CYCLES, writer);
    let seasons: Vec<Season> = order.iter().map(|cycle| season(directory, *cycle)).collect();
    let word = |season: &Season| {
        season
            .stated
            .and_then(|s| CycleStatus::ALL.iter().position(|known| *known == s))
            .map_or(u8::MAX, |n| n as u8)
    };
    let mut by_deadline: Vec<u32> = (0..order.len() as u32).collect();
    by_deadline.sort_by_key(|number| {
        let deadline = seasons[*number as usize].deadline.known().map_or(i32::MAX, |day| day.0);
        (deadline, directory.cycles[order[*number as usize]].id)
    });
    writer.put("cycle.split", split);
    writer.put("cycle.opens", seasons.iter().map(|season| season.opens).collect::<Vec<_>>());
    writer.put("cycle.deadline", seasons.iter().map(|season| season.deadline).collect::<Vec<_>>());
    writer.put("cycle.starts", seasons.iter().map(|season| season.starts).collect::<Vec<_>>());
    writer.put("cycle.stated", seasons.iter().map(word).collect::<Vec<_>>());
    let checked = order.iter().map(|cycle| directory.programs[program_of_cycle[*cycle]].last_checked_at());
    writer.put("cycle.checked", checked.map(Day::of).collect::<Vec<_>>());
    writer.put("cycle.due", by_deadline);
}

/// Where the text of a member, which is empty, belongs in the JSON of an object.
fn place_of_text(object: &Object<'_>, name: &str) -> usize {
    let members = object.0.iter().position(|(known, _)| *known == name).map_or(0, |at| at + 1);
    let mut json = Vec::new();
    push_json(&mut json, &Object(object.0[..members].to_vec()));
    json.len().saturating_sub(b"\"}".len())
}

fn write_recipients(shaper: &Shaper<'_>, numbers: &Numbers, writer: &mut SectionWriter) {
    let directory = shaper.directory;
    let name = |recipient: usize| fold(shaper.recipient_reference(recipient).text("displayName"));
    let mut order: Vec<usize> = (0..directory.recipients.len()).collect();
    order.sort_by_cached_key(|it| {
        (std::cmp::Reverse(directory.recipient_awards[*it].len()), name(*it), directory.recipients[*it].id)
    });
    write_rows(RECIPIENTS, order.iter().map(|recipient| shaper.recipient_summary(*recipient)), writer);
    Strings::write(writer, NAMES, order.iter().map(|recipient| name(*recipient)));
    let kinds: Vec<u8> = order.iter().map(|recipient| directory.recipients[*recipient].kind as u8).collect();
    writer.put("rec.kind", kinds);
    let granted = |award: &usize| {
        let year = u32::try_from(directory.awards[*award].award_year).unwrap_or(0);
        (year, numbers.doc_of[directory.award_links[*award].program])
    };
    let (mut years, mut programs) = (Vec::new(), Vec::new());
    for recipient in &order {
        let mut awards: Vec<(u32, u32)> =
            directory.recipient_awards[*recipient].iter().map(granted).collect();
        awards.sort_unstable();
        awards.dedup();
        let (of_years, of_programs): (Vec<u32>, Vec<u32>) = awards.into_iter().unzip();
        years.push(of_years);
        programs.push(of_programs);
    }
    NumberLists::write(writer, YEARS, years.iter().map(Vec::as_slice));
    NumberLists::write(writer, PROGRAMS, programs.iter().map(Vec::as_slice));
}

impl Lists {
    /// Opens the lists over an index of `programs` documents.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(sections: &Sections, programs: usize) -> Result<Self, SectionError> {
        let rows = Strings::open(sections, RECIPIENTS)?;
        let recipients = Recipients {
            names: Strings::open(sections, NAMES)?,
            kinds: sections.get("rec.kind")?,
            years: NumberLists::open(sections, YEARS, usize::MAX)?,
            programs: NumberLists::open(sections, PROGRAMS, programs)?,
            rows,
        };
        let count = recipients.rows.len();
        check_len("rec.kind", &recipients.kinds, count)?;
        if [recipients.names.len(), recipients.years.len(), recipients.programs.len()] != [count; 3] {
            return Err(SectionError::Content("rec.at", "does not fit its columns"));
        }
        let pairs = |of: usize| recipients.years.get(of).len() == recipients.programs.get(of).len();
        if !(0..count).all(pairs) {
            return Err(SectionError::Content(PROGRAMS.0, "does not fit the years"));
        }
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
            recipients,
        })
    }
}

/// Name of the dataset whose lists are in a file, if that can be read.
#[must_use]
pub fn dataset_name(sections: &Sections) -> Option<String> {
    let about: About = serde_json::from_slice(&sections.get::<u8>("about").ok()?).ok()?;
    Some(about.name)
}

impl Lists {
    /// The canonical slug of a record that was asked for by another one.
    #[must_use]
    pub fn canonical_slug(&self, entity: EntityType, slug: &str) -> Option<&str> {
        let key = format!("{}/{slug}", entity.as_str());
        self.aliases.find(key.as_bytes()).map(|alias| self.canonical.text(alias))
    }
}

impl Cycles {
    fn open(sections: &Sections) -> Result<Self, SectionError> {
        let cycles = Self {
            rows: Strings::open(sections, CYCLES)?,
            split: sections.get("cycle.split")?,
            seasons: Seasons::open(sections)?,
            by_deadline: sections.get("cycle.due")?,
        };
        let count = cycles.rows.len();
        check_len("cycle.split", &cycles.split, count)?;
        cycles.seasons.check(count)?;
        let split = |(row, at): (usize, &u32)| *at as usize <= cycles.rows.bytes(row).len();
        if cycles.split.iter().enumerate().all(split)
            && cycles.by_deadline.iter().all(|c| (*c as usize) < count)
        {
            Ok(cycles)
        } else {
            Err(SectionError::Content("cycle.split", "a number is out of bounds"))
        }
    }

    /// Status and order on a day.
    #[must_use]
    pub fn today(&self, day: Day) -> CyclesToday {
        let seasons: Vec<Season> = (0..self.rows.len()).map(|cycle| self.seasons.get(cycle)).collect();
        let upcoming =
            self.by_deadline.iter().copied().filter(|cycle| seasons[*cycle as usize].is_upcoming(day));
        CyclesToday {
            day,
            seasons: self.seasons.clone(),
            upcoming: upcoming.collect(),
            status: seasons.iter().map(|season| season.status(day)).collect(),
        }
    }

    fn push(&self, cycle: u32, today: &CyclesToday, out: &mut Vec<u8>) {
        let (start, end) = self.rows.bytes(cycle as usize).split_at(self.split[cycle as usize] as usize);
        out.extend_from_slice(start);
        out.extend_from_slice(today.status(cycle).as_str().as_bytes());
        out.extend_from_slice(end);
    }
}

impl Seasons {
    fn open(sections: &Sections) -> Result<Self, SectionError> {
        Ok(Self {
            opens: sections.get("cycle.opens")?,
            deadline: sections.get("cycle.deadline")?,
            starts: sections.get("cycle.starts")?,
            stated: sections.get("cycle.stated")?,
            checked: sections.get("cycle.checked")?,
        })
    }

    fn check(&self, count: usize) -> Result<(), SectionError> {
        check_len("cycle.opens", &self.opens, count)?;
        check_len("cycle.deadline", &self.deadline, count)?;
        check_len("cycle.starts", &self.starts, count)?;
        check_len("cycle.stated", &self.stated, count)?;
        check_len("cycle.checked", &self.checked, count)
    }

    fn get(&self, cycle: usize) -> Season {
        Season {
            opens: self.opens[cycle],
            deadline: self.deadline[cycle],
            starts: self.starts[cycle],
            stated: CycleStatus::ALL.get(usize::from(self.stated[cycle])).copied(),
        }
    }
}

impl CyclesToday {
    /// Status of a cycle; unknown for a number from nowhere.
    #[must_use]
    pub fn status(&self, cycle: u32) -> CycleStatus {
        self.status.get(cycle as usize).copied().unwrap_or(CycleStatus::Unknown)
    }

    /// What people are told about a cycle; its status is what the source and the dates say.
    #[must_use]
    pub fn standing(&self, cycle: u32) -> Standing {
        self.on(cycle, self.day).map_or(Standing::Undated, |(_, standing)| standing)
    }

    /// Status of a cycle on another day, and what people are told; `None` for a number from nowhere.
    #[must_use]
    pub fn on(&self, cycle: u32, day: Day) -> Option<(CycleStatus, Standing)> {
        let cycle = self.known(cycle)?;
        let season = self.seasons.get(cycle);
        let (status, ends) = (season.status(day), season.deadline != Day::NONE);
        Some((status, Standing::of_cycle(status, ends, self.seasons.checked[cycle], day)))
    }

    /// Days up to this one on which either may turn.
    pub fn turning_days(&self, cycle: u32) -> impl Iterator<Item = Day> {
        let turns = |cycle: usize| {
            let ages = ageing_days(self.seasons.checked[cycle], self.day);
            self.seasons.get(cycle).turning_days().chain(ages)
        };
        self.known(cycle).into_iter().flat_map(turns)
    }

    fn known(&self, cycle: u32) -> Option<usize> {
        let cycle = cycle as usize;
        (cycle < self.status.len()).then_some(cycle)
    }
}

impl Recipients {
    fn is_filtered(query: &ListQuery) -> bool {
        query.text.is_some() || query.year.is_some() || query.program.is_some() || query.kind.is_some()
    }

    fn find(&self, site: &Site, query: &ListQuery) -> Vec<usize> {
        let text = query.text.as_deref().map(fold);
        let year = query.year.map(|year| u32::try_from(year).unwrap_or(0));
        // A slug of no program is one that no award is of.
        let program = query.program.as_deref().map(|slug| site.index.find(slug).unwrap_or(u32::MAX));
        let granted = |recipient: usize| {
            let awards = self.years.get(recipient).iter().zip(self.programs.get(recipient));
            awards.into_iter().any(|(of_year, of_program)| {
                year.is_none_or(|year| *of_year == year) && program.is_none_or(|doc| *of_program == doc)
            })
        };
        let by_award = year.is_some() || program.is_some();
        let fits = |recipient: &usize| {
            let recipient = *recipient;
            let kind = RecipientKind::ALL.get(usize::from(self.kinds[recipient])).copied();
            query.kind.is_none_or(|wanted| kind == Some(wanted))
                && (!by_award || granted(recipient))
                && text.as_deref().is_none_or(|text| self.names.text(recipient).contains(text))
        };
        (0..self.rows.len()).filter(fits).collect()
    }
}

/// What answering a question costs, in units of the search: filtered recipients are looked through.
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

/// Answers a question to a list.
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

/// The filters of recipients that were used.
#[derive(Serialize)]
struct Filters<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
}

impl<'a> Filters<'a> {
    fn new(query: &'a ListQuery) -> Self {
        Self {
            q: query.text.as_deref(),
            year: query.year,
            program: query.program.as_deref(),
            kind: query.kind.map(RecipientKind::as_str),
        }
    }
}
