//! Builds the [`Directory`] of checked rows: references become positions, lists get their order.

use jiff::Timestamp;
use snapshot::record::{
    AwardLinks, Directory, EntityType, OrganizationLinks, ProgramLinks, award_order, season_order,
};

use crate::parallel;
use crate::registry::Ids;
use crate::rows::{Record, Row, Tables};
use crate::table::Table;

/// The directory; none if a reference leads nowhere, which the rules have excluded.
pub(super) fn build(mut tables: Tables) -> Option<Directory> {
    let ids = Ids::of(&mut tables);
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

impl Ids {
    /// The positions of each record and of the one that a field of it refers to.
    fn links<T: Record>(&self, records: &[T], field: &str) -> Option<impl Iterator<Item = (usize, usize)>> {
        let found = parallel::flat_map(records, |record| {
            let to = record.profile().references.into_iter().flatten().find(|to| to.field == field)?;
            self.position(to.table, to.id)
        });
        (found.len() == records.len()).then(|| found.into_iter().enumerate())
    }
}

fn link_awards(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let Directory { awards, program_links, recipient_awards, .. } = directory;
    let programs = ids.links(awards, "programId")?;
    let recipients = ids.links(awards, "recipientId")?;
    for ((award, program), (_, recipient)) in programs.zip(recipients) {
        directory.award_links.push(AwardLinks { program, recipient });
        program_links[program].awards.push(award);
        recipient_awards[recipient].push(award);
    }
    Some(())
}

fn link_programs(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let Directory { programs, cycles, facts, transitions, program_links: links, .. } = directory;
    for (program, organization) in ids.links(programs, "organizationId")? {
        links[program].organization = organization;
        directory.organization_links[organization].programs.push(program);
    }
    ids.links(cycles, "programId")?.for_each(|(at, of)| links[of].cycles.push(at));
    ids.links(facts, "programId")?.for_each(|(at, of)| links[of].facts.push(at));
    ids.links(transitions, "programId")?.for_each(|(at, of)| links[of].transitions.push(at));
    Some(())
}

fn link_organizations(directory: &mut Directory, ids: &Ids) -> Option<()> {
    let Directory { leaders, channels, posts, organization_links: links, .. } = directory;
    for (award, of) in directory.award_links.iter().enumerate() {
        links[directory.program_links[of.program].organization].awards.push(award);
    }
    ids.links(leaders, "organizationId")?.for_each(|(at, of)| links[of].leaders.push(at));
    ids.links(channels, "organizationId")?.for_each(|(at, of)| links[of].channels.push(at));
    ids.links(posts, "organizationId")?.for_each(|(at, of)| links[of].posts.push(at));
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
        let of = ids.position(Table::of(source.entity_type), source.entity_id)?;
        match source.entity_type {
            EntityType::Program => directory.program_links[of].sources.push(position),
            EntityType::Cycle => directory.cycle_sources[of].push(position),
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
    let by_award = |a: &usize, b: &usize| award_order(&awards[*a], &awards[*b]);
    // Positions follow ids, so comparing positions breaks ties by id.
    parallel::map(&mut directory.program_links, |links| {
        links.cycles.sort_unstable_by(|a, b| season_order(&cycles[*a], &cycles[*b]));
        links.facts.sort_unstable_by_key(|at| (&facts[*at].kind, &facts[*at].value, *at));
        links.awards.sort_unstable_by(by_award);
        links.transitions.sort_unstable_by(|a, b| {
            transitions[*b].observed_at.cmp(&transitions[*a].observed_at).then(a.cmp(b))
        });
        links.sources.sort_unstable();
        links.sources.dedup();
    });
    parallel::map(&mut directory.organization_links, |links| {
        links.programs.sort_unstable_by_key(|at| (&programs[*at].name, *at));
        links.awards.sort_unstable_by(by_award);
        links
            .posts
            .sort_unstable_by(|a, b| posts[*b].published_on.cmp(&posts[*a].published_on).then(a.cmp(b)));
    });
    parallel::map(&mut directory.recipient_awards, |links| links.sort_unstable_by(by_award));
}
