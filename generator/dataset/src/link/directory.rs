//! Builds the [`Directory`] of checked rows: references become positions, lists get their order.

use std::collections::BTreeMap;

use jiff::Timestamp;
use snapshot::record::{
    AwardLinks, Directory, EntityType, OrganizationLinks, ProgramLinks, award_order, season_order,
};
use uuid::Uuid;

use crate::parallel;
use crate::record::Record;
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;

/// The directory; none if a reference leads nowhere, which the rules have excluded.
pub(crate) fn build(mut tables: Tables) -> Option<Directory> {
    let ids = Ids::new(&mut tables);
    let mut directory = unlinked(tables)?;
    link_awards(&mut directory, &ids)?;
    link_programs(&mut directory, &ids)?;
    link_organizations(&mut directory, &ids)?;
    link_sources(&mut directory, &ids)?;
    date(&mut directory);
    order(&mut directory);
    Some(directory)
}

fn records<T>(rows: Vec<Row<T>>) -> Vec<T> {
    rows.into_iter().map(|row| row.record).collect()
}

fn unlinked(tables: Tables) -> Option<Directory> {
    let translations = tables.translations.into_iter().map(|row| row.record);
    let counts = (tables.organizations.len(), tables.programs.len());
    let mut dataset = tables.dataset?.record;
    dataset.default_locale = Some(dataset.language());
    Some(Directory {
        dataset,
        organization_links: vec![OrganizationLinks::default(); counts.0],
        program_links: vec![ProgramLinks::default(); counts.1],
        cycle_sources: vec![Vec::new(); tables.cycles.len()],
        award_links: Vec::with_capacity(tables.awards.len()),
        recipient_awards: vec![Vec::new(); tables.recipients.len()],
        organizations: records(tables.organizations),
        programs: records(tables.programs),
        cycles: records(tables.cycles),
        awards: records(tables.awards),
        recipients: records(tables.recipients),
        sources: records(tables.sources),
        facts: records(tables.facts),
        transitions: records(tables.transitions),
        aliases: records(tables.aliases),
        leaders: records(tables.leaders),
        channels: records(tables.channels),
        posts: records(tables.posts),
        vocabulary: records(tables.vocabulary),
        synonyms: records(tables.synonyms),
        translations: translations.map(|record| ((record.about(), record.locale), record.fields)).collect(),
    })
}

/// The ids of every table, sorted as its rows are: the position of an id is that of its row.
struct Ids {
    lists: BTreeMap<Table, Vec<Uuid>>,
}

impl Pass for Ids {
    fn table<T: Record>(&mut self, table: Table, rows: &mut Vec<Row<T>>) {
        self.lists.insert(table, rows.iter().filter_map(|row| row.record.profile().id).collect());
    }
}

impl Ids {
    fn new(tables: &mut Tables) -> Self {
        let mut ids = Self { lists: BTreeMap::new() };
        tables.run(&mut ids);
        ids
    }

    /// Position of a row with an id.
    fn position(&self, table: Table, id: Uuid) -> Option<usize> {
        self.lists.get(&table)?.binary_search(&id).ok()
    }
}

/// Position of each record's parent.
fn positions<T: Sync>(
    ids: &Ids,
    table: Table,
    records: &[T],
    parent: impl Fn(&T) -> Uuid + Sync,
) -> Option<Vec<usize>> {
    let positions = parallel::flat_map(records, |record| Some(ids.position(table, parent(record))));
    positions.into_iter().collect()
}

fn link_awards(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let programs = positions(ids, Table::Programs, &directory.awards, |award| award.program_id)?;
    let recipients = positions(ids, Table::Recipients, &directory.awards, |award| award.recipient_id)?;
    for (award, (program, recipient)) in programs.into_iter().zip(recipients).enumerate() {
        directory.award_links.push(AwardLinks { program, recipient });
        directory.program_links[program].awards.push(award);
        directory.recipient_awards[recipient].push(award);
    }
    Some(())
}

fn link_programs(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let links = &mut directory.program_links;
    let organizations =
        positions(ids, Table::Organizations, &directory.programs, |program| program.organization_id)?;
    for (program, organization) in organizations.into_iter().enumerate() {
        links[program].organization = organization;
        directory.organization_links[organization].programs.push(program);
    }
    let cycles = positions(ids, Table::Programs, &directory.cycles, |cycle| cycle.program_id)?;
    for (cycle, program) in cycles.into_iter().enumerate() {
        links[program].cycles.push(cycle);
    }
    let facts = positions(ids, Table::Programs, &directory.facts, |fact| fact.program_id)?;
    for (fact, program) in facts.into_iter().enumerate() {
        links[program].facts.push(fact);
    }
    let transitions = positions(ids, Table::Programs, &directory.transitions, |change| change.program_id)?;
    for (transition, program) in transitions.into_iter().enumerate() {
        links[program].transitions.push(transition);
    }
    Some(())
}

fn link_organizations(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let links = &mut directory.organization_links;
    for (award, of) in directory.award_links.iter().enumerate() {
        links[directory.program_links[of.program].organization].awards.push(award);
    }
    for (position, leader) in directory.leaders.iter().enumerate() {
        links[ids.position(Table::Organizations, leader.organization_id)?].leaders.push(position);
    }
    for (position, channel) in directory.channels.iter().enumerate() {
        links[ids.position(Table::Organizations, channel.organization_id)?].channels.push(position);
    }
    for (position, post) in directory.posts.iter().enumerate() {
        links[ids.position(Table::Organizations, post.organization_id)?].posts.push(position);
    }
    for (position, alias) in directory.aliases.iter().enumerate() {
        if alias.entity_type == EntityType::Organization {
            links[ids.position(Table::Organizations, alias.entity_id)?].aliases.push(position);
        }
    }
    Some(())
}

/// A program's sources are those about it and those that its facts and transitions cite, so that every
/// `sourceId` of its page is on the page.
fn link_sources(directory: &mut Directory, ids: &Ids) -> Option<()> {
    for (position, source) in directory.sources.iter().enumerate() {
        match source.entity_type {
            // A source that a part of a dataset has because it is cited may be about a program of another part.
            EntityType::Program => {
                if let Some(program) = ids.position(Table::Programs, source.entity_id) {
                    directory.program_links[program].sources.push(position);
                }
            }
            EntityType::Cycle => {
                if let Some(cycle) = ids.position(Table::Cycles, source.entity_id) {
                    directory.cycle_sources[cycle].push(position);
                }
            }
            _ => {}
        }
    }
    let cited = directory.facts.iter().map(|fact| (fact.program_id, fact.source_id));
    let cited = cited.chain(directory.transitions.iter().map(|change| (change.program_id, change.source_id)));
    for (program, source) in cited.filter_map(|(program, source)| Some((program, source?))) {
        directory.program_links[ids.position(Table::Programs, program)?]
            .sources
            .push(ids.position(Table::Sources, source)?);
    }
    Some(())
}

/// Dates the last change of each program.
fn date(directory: &mut Directory) {
    let Directory { programs, cycles, awards, sources, facts, .. } = directory;
    for (program, links) in programs.iter().zip(&mut directory.program_links) {
        let parts = (links.cycles.iter().map(|at| cycles[*at].updated_at))
            .chain(links.awards.iter().map(|at| awards[*at].updated_at))
            .chain(links.sources.iter().map(|at| sources[*at].updated_at))
            .chain(links.facts.iter().map(|at| facts[*at].updated_at));
        links.changed = parts.fold(program.updated_at, Timestamp::max);
    }
}

fn order(directory: &mut Directory) {
    let Directory { programs, cycles, awards, facts, transitions, posts, .. } = directory;
    // Positions follow ids, so comparing positions breaks ties by id.
    parallel::for_each_mut(&mut directory.program_links, |links| {
        links.cycles.sort_unstable_by(|a, b| season_order(&cycles[*a], &cycles[*b]));
        links.facts.sort_unstable_by_key(|at| (&facts[*at].kind, &facts[*at].value, *at));
        links.awards.sort_unstable_by(|a, b| award_order(&awards[*a], &awards[*b]));
        links.transitions.sort_unstable_by(|a, b| {
            transitions[*b].observed_at.cmp(&transitions[*a].observed_at).then(a.cmp(b))
        });
        links.sources.sort_unstable();
        links.sources.dedup();
    });
    parallel::for_each_mut(&mut directory.organization_links, |links| {
        links.programs.sort_unstable_by_key(|at| (&programs[*at].name, *at));
        links.awards.sort_unstable_by(|a, b| award_order(&awards[*a], &awards[*b]));
        links
            .posts
            .sort_unstable_by(|a, b| posts[*b].published_on.cmp(&posts[*a].published_on).then(a.cmp(b)));
    });
    parallel::for_each_mut(&mut directory.recipient_awards, |links| {
        links.sort_unstable_by(|a, b| award_order(&awards[*a], &awards[*b]));
    });
}
