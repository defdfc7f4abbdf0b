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
use crate::rest::API;

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

/// A key under construction.
struct Parts(Vec<u8>);

impl Parts {
    fn new(tools: Digest) -> Self {
        Self(tools.0.into())
    }

    fn row(mut self, row: Digest) -> Self {
        self.0.extend(row.0);
        self
    }

    fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds rows with their number, which delimits lists.
    fn rows(self, all: &[usize], row: impl Fn(Self, usize) -> Self) -> Self {
        all.iter().fold(self.number(all.len() as u32), |parts, at| row(parts, *at))
    }

    fn key(self) -> RecordFingerprint {
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
        let is_left = |kind: &str, slug: &str, from: RecordFingerprint| {
            let starts = [API, "public", "public/es"].map(|folder| format!("{folder}/{kind}/{slug}."));
            !kept(&ReusableRecord { page: &format!("{}json", starts[0]), from, starts: &starts })
        };
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
        let links = &self.directory.program_links[program];
        let cycle = |parts: Parts, at: usize| {
            let sources = &self.directory.cycle_sources[at];
            let parts = parts.row(rows.cycles[at]).number(self.numbers.cycle[at]);
            parts.rows(sources, |parts, at| parts.row(rows.sources[at]))
        };
        let award = |parts: Parts, at: usize| {
            let recipient = self.directory.award_links[at].recipient;
            parts.row(rows.awards[at]).row(rows.recipients[recipient])
        };
        let parts = Parts::new(tools)
            .row(rows.programs[program])
            .number(self.numbers.doc_of[program])
            .row(rows.organizations[links.organization])
            .rows(&links.cycles, cycle)
            .rows(&links.facts, |parts, at| parts.row(rows.facts[at]))
            .rows(&links.awards, award)
            .rows(&links.sources, |parts, at| parts.row(rows.sources[at]))
            .rows(&links.transitions, |parts, at| parts.row(rows.transitions[at]));
        self.called(parts, &rows.labels, program).key()
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
    fn called(&self, parts: Parts, labels: &[Digest], program: usize) -> Parts {
        let (record, facts) = (&self.directory.programs[program], self.facts(program));
        let values = &self.site.index.values;
        FACETS.iter().fold(parts, |parts, spec| {
            let stated = facts.iter().filter_map(|fact| spec.fed(fact));
            let all = named_values(spec.facet, record, &facts).into_iter().chain(stated);
            all.filter_map(|value| values.find(spec.facet, value))
                .fold(parts, |parts, ordinal| parts.row(labels[ordinal as usize]))
        })
    }

    fn organization_from(
        &self,
        tools: Digest,
        rows: &Rows,
        organization: usize,
        number: u32,
    ) -> RecordFingerprint {
        let links = &self.directory.organization_links[organization];
        let program = |parts: Parts, at: usize| parts.row(rows.programs[at]).number(self.numbers.doc_of[at]);
        let award = |parts: Parts, at: usize| {
            let links = self.directory.award_links[at];
            parts.row(rows.awards[at]).row(rows.recipients[links.recipient]).row(rows.programs[links.program])
        };
        Parts::new(tools)
            .row(rows.organizations[organization])
            .number(number)
            .rows(&links.programs, program)
            .rows(&links.awards, award)
            .rows(&links.leaders, |parts, at| parts.row(rows.leaders[at]))
            .rows(&links.channels, |parts, at| parts.row(rows.channels[at]))
            .rows(&links.posts, |parts, at| parts.row(rows.posts[at]))
            .rows(&links.aliases, |parts, at| parts.row(rows.aliases[at]))
            .key()
    }

    fn recipient_from(&self, tools: Digest, rows: &Rows, recipient: usize) -> RecordFingerprint {
        let award = |parts: Parts, at: usize| {
            let program = self.directory.award_links[at].program;
            parts.row(rows.awards[at]).row(rows.programs[program])
        };
        Parts::new(tools)
            .row(rows.recipients[recipient])
            .rows(&self.directory.recipient_awards[recipient], award)
            .key()
    }
}
