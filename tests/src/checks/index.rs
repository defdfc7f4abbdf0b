//! Damaged indexes. Who may write the files may also write a manifest that fits: a change anywhere
//! must be refused or do no harm, and nothing may panic.

use snapshot::page::{Site, facet, listing, search};
use snapshot::query::{FacetQuery, List, Page, parse_list};
use snapshot::record::{Directory, EntityType, Locale};
use snapshot::search::{RankOptions, RankedRow};
use snapshot::time::Day;
use store::sections::{SectionError, Sections};

use crate::synth::TODAY;
use crate::world::{World, day_after};

/// Where the version is, and where the table of sections begins; how long its entries are.
const VERSION: usize = 8;
const TABLE: (usize, usize) = (16, 32);

/// The three files of an index.
#[derive(Clone)]
pub struct Files([Vec<u8>; 3]);

/// What happens to four bytes.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// One bit of the first byte is another.
    Flip(u8),
    /// The first byte is this one.
    Byte(u8),
    /// They are this number.
    Number(u32),
    /// They are so much more.
    Off(i32),
}

/// A change: which file, which of its sections (or the table of them), where in it, and what.
#[derive(Clone, Copy, Debug)]
pub struct Edit {
    /// Chooses the file.
    pub file: u8,
    /// Chooses the section.
    pub section: u8,
    /// Chooses the position in it.
    pub at: u16,
    /// What happens there.
    pub damage: Damage,
}

impl Edit {
    /// Every eight bytes are a change.
    pub fn from_bytes([file, section, low, high, number @ ..]: [u8; 8]) -> Self {
        let [byte, ..] = number;
        let number = u32::from_le_bytes(number);
        let damage = match file / 3 % 4 {
            0 => Damage::Flip(byte),
            1 => Damage::Byte(byte),
            2 => Damage::Number(number),
            _ => Damage::Off(number.cast_signed()),
        };
        Self { file: file % 3, section, at: u16::from_le_bytes([low, high]), damage }
    }
}

impl Files {
    /// The index of a small directory in which everything collides.
    pub fn tiny() -> Self {
        let worlds = (0..).map(World::tiny);
        let mut fitting = worlds.filter(|world| (5..20).contains(&world.directory.programs.len()));
        Self::new(&fitting.next().unwrap().directory)
    }

    fn new(directory: &Directory) -> Self {
        let files = site::index_files(directory, Day::new(TODAY)).unwrap();
        Self(files.map(|file| file.bytes().to_vec()))
    }

    /// Changes a file.
    pub fn edit(&mut self, edit: Edit) {
        let file = &mut self.0[usize::from(edit.file) % 3];
        let (start, length) = section(file, edit.section);
        let at = (start + usize::from(edit.at) % length.max(1)).min(file.len() - 1);
        strike(file, at, edit.damage);
    }

    /// Opens them and, if they are not refused, asks everything of them.
    pub fn holds(&self) {
        if let Ok(site) = self.open() {
            ask(&site);
        }
    }

    /// Opens them.
    ///
    /// # Errors
    ///
    /// If a section is missing, damaged, or does not fit the others.
    pub fn open(&self) -> Result<Site, SectionError> {
        let [index, rows, lists] = self.0.each_ref().map(|file| Sections::from_bytes(file));
        Site::open(&index?, &rows?, &lists?)
    }
}

/// Start and length of the table of sections or of a section, as far as they are in the file.
fn section(file: &[u8], choice: u8) -> (usize, usize) {
    let number = |at: usize| {
        let bytes = file.get(at..at + 8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
        usize::try_from(bytes.unwrap_or_default()).unwrap().min(file.len())
    };
    let (table, entry) = TABLE;
    let count = usize::from(file[12]);
    match usize::from(choice) % (count + 1) {
        0 => (VERSION, table - VERSION + count * entry),
        section => {
            let at = table + (section - 1) * entry;
            (number(at + 16), number(at + 24))
        }
    }
}

fn strike(file: &mut [u8], at: usize, damage: Damage) {
    let word = at.min(file.len() - 4) / 4 * 4;
    let number = u32::from_le_bytes(file[word..word + 4].try_into().unwrap());
    let mut put = |number: u32| file[word..word + 4].copy_from_slice(&number.to_le_bytes());
    match damage {
        Damage::Flip(bit) => file[at] ^= 1 << (bit % 8),
        Damage::Byte(byte) => file[at] = byte,
        Damage::Number(number) => put(number),
        Damage::Off(by) => put(number.wrapping_add_signed(by)),
    }
}

/// Asks everything of a site, so that every section is read.
pub fn ask(site: &Site) {
    const QUESTIONS: [&str; 10] = [
        "",
        "q=\"soil health\"+nursing&sort=name&locale=es",
        "q=grnat+-labs+traini&sort=recent",
        "q=r%26d+national+science+foundation+becas",
        "citizenship=KE&citizenship=NG&country=US-CA&type=arts&limit=100",
        "openState=open&topic=health&field=energy",
        "open=true&rolling=true&funded=true&page=2",
        "organization=a&organization=b&q=a",
        "ageMin=10&fundingMax=4000&durationMin=30",
        "deadlineFrom=2026-11-01&limit=3",
    ];
    for days in [0, 30] {
        let dated = site.dated(Day::new(day_after(days)));
        for question in QUESTIONS {
            let (query, invalid) = site.index.parse(question);
            let _ = search::search(site, &dated, &query, &invalid);
            for RankedRow { doc, .. } in
                site.index.ranked(&query, &dated.today, RankOptions::by_relevance()).rows
            {
                let _ = (site.mcp_rows.row(doc, query.locale), site.index.slug(doc));
            }
        }
        for of in List::ALL.iter().copied() {
            for question in
                ["", "q=a&year=2025&program=program-1&upcoming=false", "organization=organization-1"]
            {
                let (query, invalid) =
                    parse_list(of, question, |slug| site.index.organizations.canonical(slug));
                let _ = listing::list(site, &dated, of, &query, &invalid);
            }
        }
        for spec in &snapshot::facet::FACETS {
            let page = Page { offset: 0, limit: 100 };
            let query = FacetQuery { text: "a".to_owned(), page, ..FacetQuery::default() };
            let _ = facet::facet(site, &dated, spec.facet, &query);
            let _ = facet::options(site, &dated, spec.facet, "", Locale::Es);
        }
    }
    let _ = (site.index.find("program-1"), site.index.by_name(), site.index.by_slug());
    let _ = site.lists.canonical_slug(EntityType::Organization, "old-nandu-body");
}
