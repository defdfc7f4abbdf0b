//! Keys of records: hashes of the inputs of each record's pages. If a record has the same key as in the previous
//! snapshot, its pages are reused. A key has to cover everything that a page shows of other records, of its number
//! and of labels.

use rayon::prelude::*;
use serde::Serialize;
use snapshot::facet::{FACETS, named_values};
use snapshot::record::{Dataset, Directory, EntityRef, Locale};
use store::{Digest, RecordFingerprint, ReusableRecord};

use super::Pages;
use super::view::day;
use crate::files::Records;

/// Hashes of the contents of records, in every language.
struct Rows {
    organizations: Vec<Digest>,
    programs: Vec<Digest>,
    cycles: Vec<Digest>,
    awards: Vec<Digest>,
    recipients: Vec<Digest>,
    sources: Vec<Digest>,
    facts: Vec<Digest>,
    transitions: Vec<Digest>,
    aliases: Vec<Digest>,
    leaders: Vec<Digest>,
    channels: Vec<Digest>,
    posts: Vec<Digest>,
    /// Hashes of the labels of facet values.
    labels: Vec<Digest>,
}

impl Rows {
    fn new(directory: &Directory, labels: Vec<Digest>) -> Self {
        Self {
            labels,
            organizations: hashes(directory, &directory.organizations, |it| Some(it.entity())),
            programs: hashes(directory, &directory.programs, |it| Some(it.entity())),
            cycles: hashes(directory, &directory.cycles, |it| Some(it.entity())),
            awards: hashes(directory, &directory.awards, |it| Some(it.entity())),
            recipients: hashes(directory, &directory.recipients, |it| Some(it.entity())),
            facts: hashes(directory, &directory.facts, |it| Some(it.entity())),
            sources: hashes(directory, &directory.sources, |_| None),
            transitions: hashes(directory, &directory.transitions, |_| None),
            aliases: hashes(directory, &directory.aliases, |_| None),
            leaders: hashes(directory, &directory.leaders, |_| None),
            channels: hashes(directory, &directory.channels, |_| None),
            posts: hashes(directory, &directory.posts, |_| None),
        }
    }
}

fn hashes<R: Serialize + Sync>(
    directory: &Directory,
    rows: &[R],
    of: impl Fn(&R) -> Option<EntityRef> + Sync,
) -> Vec<Digest> {
    let hash = |row: &R| {
        let translations =
            |of| Locale::ALL.iter().map(move |locale| directory.translations.get(&(of, *locale)));
        json_of(&(row, of(row).map(|of| translations(of).collect::<Vec<_>>())))
    };
    rows.par_iter().map(hash).collect()
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

impl Pages<'_> {
    /// The records whose pages have to be rendered: those that are not `kept`. `tools` is a hash of the program, the
    /// theme, the base URL and the day.
    #[must_use]
    pub fn changed_since(&self, tools: Digest, kept: impl Fn(&ReusableRecord<'_>) -> bool + Sync) -> Records {
        let directory = self.directory;
        let rows = &Rows::new(directory, self.labels());
        // Pages of records show only the day of the publication.
        let published_at = directory.dataset.published_at;
        let dataset = Dataset { published_at: jiff::Timestamp::default(), ..directory.dataset.clone() };
        let tools = json_of(&(tools, dataset, day(published_at), &directory.vocabulary));
        let mut numbers = vec![0; directory.organizations.len()];
        (0..).zip(self.by_slug()).for_each(|(number, at)| numbers[at] = number);
        let is_left =
            |kind: &str, slug: &str, from: RecordFingerprint| !kept(&ReusableRecord { kind, slug, from });
        let program = |at: &usize| {
            is_left("programs", &directory.programs[*at].slug, self.program_from(tools, rows, *at))
        };
        let organization = |at: &usize| {
            let key = self.organization_from(tools, rows, *at, numbers[*at]);
            is_left("organizations", &directory.organizations[*at].slug, key)
        };
        let recipient = |at: &usize| {
            is_left("recipients", &directory.recipients[*at].slug, self.recipient_from(tools, rows, *at))
        };
        let Records { programs, organizations, recipients } = Records::all(directory);
        Records {
            programs: programs.into_par_iter().filter(program).collect(),
            organizations: organizations.into_par_iter().filter(organization).collect(),
            recipients: recipients.into_par_iter().filter(recipient).collect(),
        }
    }

    fn program_from(&self, tools: Digest, rows: &Rows, program: usize) -> RecordFingerprint {
        let (directory, links) = (self.directory, &self.directory.program_links[program]);
        let mut key = Key::new(tools);
        key.add(rows.programs[program]);
        key.number(self.numbers.doc_of[program]);
        key.add(rows.organizations[links.organization]);
        key.each(&links.cycles, |key, at| {
            key.add(rows.cycles[at]);
            key.number(self.numbers.cycle[at]);
            key.rows(&rows.sources, &directory.cycle_sources[at]);
        });
        key.rows(&rows.facts, &links.facts);
        key.each(&links.awards, |key, at| {
            key.add(rows.awards[at]);
            key.add(rows.recipients[directory.award_links[at].recipient]);
        });
        key.rows(&rows.sources, &links.sources);
        key.rows(&rows.transitions, &links.transitions);
        self.add_labels(&rows.labels, program, &mut key);
        key.finish()
    }

    /// Hashes of the labels of facet values. A value that is not in the vocabulary can have its label from a fact of
    /// any record.
    fn labels(&self) -> Vec<Digest> {
        let values = &self.site.index.values;
        let label = |ordinal: u32| {
            let (facet, value) = (values.facet_of(ordinal), values.text(ordinal));
            json_of(
                &Locale::ALL
                    .iter()
                    .map(|locale| self.spoken_label(facet, value, *locale))
                    .collect::<Vec<_>>(),
            )
        };
        (0..values.ordinals() as u32).into_par_iter().map(label).collect()
    }

    /// Adds the labels of a program's facet values, including those of exclusions.
    fn add_labels(&self, labels: &[Digest], program: usize, key: &mut Key) {
        let (record, facts) = (&self.directory.programs[program], self.facts(program));
        let values = &self.site.index.values;
        for spec in &FACETS {
            let stated = facts.iter().filter_map(|fact| spec.fed(fact));
            let all = named_values(spec.facet, record, &facts).into_iter().chain(stated);
            let ordinals = all.filter_map(|value| values.find(spec.facet, value));
            ordinals.for_each(|ordinal| key.add(labels[ordinal as usize]));
        }
    }

    fn organization_from(
        &self,
        tools: Digest,
        rows: &Rows,
        organization: usize,
        number: u32,
    ) -> RecordFingerprint {
        let (directory, links) = (self.directory, &self.directory.organization_links[organization]);
        let mut key = Key::new(tools);
        key.add(rows.organizations[organization]);
        key.number(number);
        key.each(&links.programs, |key, at| {
            key.add(rows.programs[at]);
            key.number(self.numbers.doc_of[at]);
        });
        key.each(&links.awards, |key, at| {
            let links = directory.award_links[at];
            key.add(rows.awards[at]);
            key.add(rows.recipients[links.recipient]);
            key.add(rows.programs[links.program]);
        });
        key.rows(&rows.leaders, &links.leaders);
        key.rows(&rows.channels, &links.channels);
        key.rows(&rows.posts, &links.posts);
        key.rows(&rows.aliases, &links.aliases);
        key.finish()
    }

    fn recipient_from(&self, tools: Digest, rows: &Rows, recipient: usize) -> RecordFingerprint {
        let mut key = Key::new(tools);
        key.add(rows.recipients[recipient]);
        key.each(&self.directory.recipient_awards[recipient], |key, at| {
            key.add(rows.awards[at]);
            key.add(rows.programs[self.directory.award_links[at].program]);
        });
        key.finish()
    }
}
