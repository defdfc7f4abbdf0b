//! Keys of records: hashes of the inputs of each record's pages. If a record has the same key as in the previous
//! snapshot, its pages are used again, renewed: holes get the numbers that their subjects have now, and the bytes of the
//! day. A key has to cover everything that a page shows of other records and
//! of labels, in holes too, but not the day and the numbers in holes.

use std::cell::RefCell;

use dataset::Table;
use html::{Filler, Subject};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use snapshot::facet::{FACETS, Facet, named_values};
use snapshot::page::hole::{Fill as _, filled_again};
use snapshot::record::{Dataset, Directory, EntityRef, Locale};
use snapshot::time::Day;
use store::reuse::{LivePage, RecordFingerprint, RenewFn, RenewedPage, ReusableRecord};
use store::{Digest, Hole};

use super::Pages;
use super::view::day;
use crate::downloads::RowDigests;
use crate::files::Records;

/// Hashes of the labels of facet values.
type Labels<'a> = FxHashMap<(Facet, &'a str), Digest>;

/// Hashes of the contents of records, in every language.
struct Rows<'a> {
    tables: [Vec<Digest>; Table::ALL.len()],
    labels: Labels<'a>,
}

impl<'a> Rows<'a> {
    fn new(directory: &Directory, digests: &RowDigests, labels: Labels<'a>) -> Self {
        let translated: FxHashMap<EntityRef, Digest> = translations(directory);
        let entity = |table, at: usize| match table {
            Table::Organizations => Some(directory.organizations[at].entity()),
            Table::Programs => Some(directory.programs[at].entity()),
            Table::Cycles => Some(directory.cycles[at].entity()),
            Table::Awards => Some(directory.awards[at].entity()),
            Table::Recipients => Some(directory.recipients[at].entity()),
            Table::Facts => Some(directory.facts[at].entity()),
            _ => None,
        };
        let tables = Table::ALL.map(|table| {
            let rows = digests.of(table).iter().enumerate();
            let both = rows.map(|(at, row)| match entity(table, at).and_then(|of| translated.get(&of)) {
                Some(translations) => Digest::of(&[row.0, translations.0].concat()),
                None => *row,
            });
            both.collect()
        });
        Self { tables, labels }
    }

    fn of(&self, table: Table) -> &[Digest] {
        &self.tables[table as usize]
    }
}

/// Hashes of the translations of records into every language.
fn translations(directory: &Directory) -> FxHashMap<EntityRef, Digest> {
    let translated: FxHashSet<EntityRef> = directory.translations.keys().map(|(of, _)| *of).collect();
    let translations =
        |of| Locale::ALL.iter().map(|locale| directory.translations.get(&(of, *locale))).collect::<Vec<_>>();
    translated.into_par_iter().map(|of| (of, json_of(&translations(of)))).collect()
}

/// Hash of a value as JSON. Writing plain structs to memory cannot fail.
fn json_of(value: &impl Serialize) -> Digest {
    Digest::of(&serde_json::to_vec(value).unwrap_or_default())
}

/// The parts of a record's key, as bytes. Lists begin with their length, so that no part can be mistaken for another.
struct Key(Vec<u8>);

impl Key {
    fn new(tools: Digest) -> Self {
        Self(tools.0.to_vec())
    }

    fn add(&mut self, part: Digest) {
        self.0.extend_from_slice(&part.0);
    }

    fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds what `add` adds for each row of a list.
    fn each(&mut self, of: &[usize], add: impl Fn(&mut Self, usize)) {
        self.number(of.len() as u32);
        of.iter().for_each(|at| add(self, *at));
    }

    fn rows(&mut self, rows: &[Digest], of: &[usize]) {
        self.each(of, |key, at| key.add(rows[at]));
    }

    fn finish(&self) -> RecordFingerprint {
        let mut key = RecordFingerprint::default();
        key.copy_from_slice(&Digest::of(&self.0).0[..16]);
        key
    }
}

/// Keys of all records of some kinds.
pub struct Keys {
    programs: Vec<RecordFingerprint>,
    organizations: Vec<RecordFingerprint>,
    recipients: Vec<RecordFingerprint>,
}

impl Pages<'_> {
    /// The keys of records. `tools` is a hash of the program, the theme and the base URL.
    pub fn keys(&self, tools: Digest, digests: &RowDigests, of: Records) -> Keys {
        let directory = self.directory;
        let rows = &Rows::new(directory, digests, self.labels());
        // Pages of records show only the day of the publication.
        let published_at = directory.dataset.published_at;
        let dataset = Dataset { published_at: jiff::Timestamp::default(), ..directory.dataset.clone() };
        let tools = json_of(&(tools, dataset, day(published_at), &directory.vocabulary));
        let Records { programs, organizations, recipients } = of;
        Keys {
            programs: programs.into_par_iter().map(|at| self.program_from(tools, rows, at)).collect(),
            organizations: organizations
                .into_par_iter()
                .map(|at| self.organization_from(tools, rows, at))
                .collect(),
            recipients: recipients.into_par_iter().map(|at| self.recipient_from(tools, rows, at)).collect(),
        }
    }

    /// The records with keys whose pages have to be rendered: those that `keep` does not take from the live snapshot.
    pub fn unkept(
        &self,
        keys: &Keys,
        filler: Filler<'_>,
        keep: impl Fn(&ReusableRecord<'_>, RenewFn<'_>) -> bool + Sync,
    ) -> Records {
        let directory = self.directory;
        let mut numbers = vec![0; directory.organizations.len()];
        (0..).zip(self.by_slug()).for_each(|(number, at)| numbers[at] = number);
        let is_left = |record: ReusableRecord<'_>, own, listed| {
            let renewal = Renewal::new(filler, own, listed);
            !keep(&record, &|page| renewal.renew(page))
        };
        let program = |at: &usize| {
            let own = (Subject::Program, self.numbers.doc_of[*at]);
            let cycles = directory.program_links[*at].cycles.iter().map(|it| self.numbers.cycle[*it]);
            is_left(self.program_record(keys, *at), Some(own), cycles.collect())
        };
        let organization = |at: &usize| {
            let (kind, slug) = ("organizations", &*directory.organizations[*at].slug);
            let own = (Subject::Organization, numbers[*at]);
            let programs = directory.organization_links[*at].programs.iter();
            let docs = programs.map(|it| self.numbers.doc_of[*it]).collect();
            is_left(ReusableRecord { kind, slug, from: keys.organizations[*at] }, Some(own), docs)
        };
        let recipient = |at: &usize| {
            let (kind, slug) = ("recipients", &*directory.recipients[*at].slug);
            is_left(ReusableRecord { kind, slug, from: keys.recipients[*at] }, None, Vec::new())
        };
        Records {
            programs: (0..keys.programs.len()).into_par_iter().filter(program).collect(),
            organizations: (0..keys.organizations.len()).into_par_iter().filter(organization).collect(),
            recipients: (0..keys.recipients.len()).into_par_iter().filter(recipient).collect(),
        }
    }

    pub(super) fn program_record(&self, keys: &Keys, program: usize) -> ReusableRecord<'_> {
        let (kind, slug) = ("programs", &*self.directory.programs[program].slug);
        ReusableRecord { kind, slug, from: keys.programs[program] }
    }

    fn program_from(&self, tools: Digest, rows: &Rows<'_>, program: usize) -> RecordFingerprint {
        let (directory, links) = (self.directory, &self.directory.program_links[program]);
        let mut key = Key::new(tools);
        key.add(rows.of(Table::Programs)[program]);
        key.add(rows.of(Table::Organizations)[links.organization]);
        key.each(&links.cycles, |key, at| {
            key.add(rows.of(Table::Cycles)[at]);
            key.rows(rows.of(Table::Sources), &directory.cycle_sources[at]);
        });
        key.rows(rows.of(Table::Facts), &links.facts);
        key.each(&links.awards, |key, at| {
            key.add(rows.of(Table::Awards)[at]);
            key.add(rows.of(Table::Recipients)[directory.award_links[at].recipient]);
        });
        key.rows(rows.of(Table::Sources), &links.sources);
        key.rows(rows.of(Table::Lifecycle), &links.transitions);
        self.add_labels(&rows.labels, program, &mut key);
        key.finish()
    }

    /// Hashes of the labels of facet values. A value that is not in the vocabulary can have its label from a fact of
    /// any record.
    fn labels(&self) -> Labels<'_> {
        let values = &self.site.index.values;
        let label = |ordinal: u32| {
            let (facet, value) = (values.facet_of(ordinal), values.text(ordinal));
            let labels = Locale::ALL.iter().map(|locale| self.spoken_label(facet, value, *locale));
            ((facet, value), json_of(&labels.collect::<Vec<_>>()))
        };
        (0..values.ordinals() as u32).into_par_iter().map(label).collect()
    }

    /// Adds the labels of a program's facet values, including those of exclusions.
    fn add_labels(&self, labels: &Labels<'_>, program: usize, key: &mut Key) {
        let (record, facts) = (&self.directory.programs[program], self.facts(program));
        for spec in &FACETS {
            let stated = facts.iter().filter_map(|fact| spec.fed(fact));
            let all = named_values(spec.facet, record, &facts).into_iter().chain(stated);
            all.filter_map(|value| labels.get(&(spec.facet, value))).for_each(|label| key.add(*label));
        }
    }

    fn organization_from(&self, tools: Digest, rows: &Rows<'_>, organization: usize) -> RecordFingerprint {
        let (directory, links) = (self.directory, &self.directory.organization_links[organization]);
        let mut key = Key::new(tools);
        key.add(rows.of(Table::Organizations)[organization]);
        key.each(&links.programs, |key, at| {
            key.add(rows.of(Table::Programs)[at]);
            // Of which the bytes of its holes are.
            key.rows(rows.of(Table::Cycles), &directory.program_links[at].cycles);
        });
        key.each(&links.awards, |key, at| {
            let links = directory.award_links[at];
            key.add(rows.of(Table::Awards)[at]);
            key.add(rows.of(Table::Recipients)[links.recipient]);
            key.add(rows.of(Table::Programs)[links.program]);
        });
        key.rows(rows.of(Table::Leaders), &links.leaders);
        key.rows(rows.of(Table::Channels), &links.channels);
        key.rows(rows.of(Table::Posts), &links.posts);
        key.rows(rows.of(Table::Aliases), &links.aliases);
        key.finish()
    }

    fn recipient_from(&self, tools: Digest, rows: &Rows<'_>, recipient: usize) -> RecordFingerprint {
        let mut key = Key::new(tools);
        key.add(rows.of(Table::Recipients)[recipient]);
        key.each(&self.directory.recipient_awards[recipient], |key, at| {
            key.add(rows.of(Table::Awards)[at]);
            key.add(rows.of(Table::Programs)[self.directory.award_links[at].program]);
        });
        key.finish()
    }
}

/// What the holes of a record's pages number. The JSON page of a record lists its cycles, or its programs, in the order of
/// the directory: their numbers there are the key to those on the record's other pages.
struct Renewal<'a> {
    filler: Filler<'a>,
    /// The record itself: the document of a program, or the number of an organization.
    own: Option<(Subject, u32)>,
    /// What its JSON page lists: cycles of a program, or documents of an organization's programs.
    listed: Vec<u32>,
    /// The same numbers in the live generation, once that page was seen.
    live: RefCell<Vec<u32>>,
}

impl<'a> Renewal<'a> {
    fn new(filler: Filler<'a>, own: Option<(Subject, u32)>, listed: Vec<u32>) -> Self {
        Self { filler, own, listed, live: RefCell::default() }
    }

    /// The page as it is now; `None` if it has to be rendered.
    fn renew(&self, page: &LivePage<'_>) -> Option<RenewedPage> {
        if page.path.starts_with("public/api/") {
            if page.holes.len() != self.listed.len() {
                return None;
            }
            *self.live.borrow_mut() = page.holes.iter().map(|hole| hole.arg).collect();
        }
        let holes = page.holes.iter().map(|hole| self.renumbered(hole)).collect::<Option<Vec<_>>>()?;
        let since = Day::new(page.as_of);
        if holes.iter().all(|hole| !self.has_moved(hole, since)) {
            return Some(RenewedPage { holes, body: None });
        }
        let body = page.body()?;
        let filled = filled_again(body, &holes, &self.filler)?;
        let differs = filled.bytes != body;
        Some(RenewedPage { holes: filled.holes, body: differs.then_some(filled.bytes) })
    }

    fn renumbered(&self, hole: &Hole) -> Option<Hole> {
        let number = match (Subject::of(hole.rule, hole.arg)?, self.own) {
            ((Subject::Whole, number), _) => number,
            ((subject, _), Some((own, number))) if subject == own => number,
            ((_, number), _) => {
                let at = self.live.borrow().iter().position(|live| *live == number)?;
                *self.listed.get(at)?
            }
        };
        Some(Hole { arg: Subject::renumbered(hole.rule, hole.arg, number), ..*hole })
    }

    /// Whether a hole may have other bytes than on an earlier day, or a later one.
    fn has_moved(&self, hole: &Hole, since: Day) -> bool {
        let today = self.filler.dated.day();
        let changed = || self.filler.last_change(hole.rule, hole.arg);
        today < since || today > since && changed().is_some_and(|day| day > since)
    }
}
