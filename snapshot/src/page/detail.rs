//! Detail responses of programs, organizations and recipients, with marks where the day decides.
//! Files, made by the generator; the edge only fills their holes.

use std::collections::BTreeMap;

use crate::distinct::distinct;
use crate::page::hole::{self, Filled, Rule, cut};
use crate::page::list::{Numbers, award_row};
use crate::page::shape::Shaper;
use crate::page::{Dated, push_json};
use crate::record::field_table::{Object, Visibility};
use crate::record::{Directory, Number};

/// Most awards of a program or organization detail; the history counts all.
const AWARDS_MAX: usize = 100;
/// Most posts of an organization detail.
const POSTS_MAX: usize = 10;

/// ProgramDetailResponse.
pub fn program(shaper: &Shaper<'_>, numbers: &Numbers, dated: &Dated, program: usize) -> Filled {
    let links = &shaper.directory.program_links[program];
    let cycle = |cycle: usize| {
        let sources = objects(&shaper.directory.cycle_sources[cycle], |source| shaper.source(source));
        let status = Rule::CycleStatus.mark(numbers.cycle[cycle] as usize);
        shaper.cycle(cycle, status, Some(sources))
    };
    let award = |award: usize| {
        let recipient = shaper.directory.award_links[award].recipient;
        Object::default()
            .with("award", shaper.award(award))
            .with("recipient", shaper.recipient_reference(recipient))
    };
    let detail = Object::default()
        .with("program", shaper.program(program, Visibility::DETAIL))
        .with("organization", shaper.organization(links.organization))
        .with("cycles", objects(&links.cycles, cycle))
        .with("awards", objects(first(&links.awards, AWARDS_MAX), award))
        .with("sources", objects(&links.sources, |it| shaper.source(it)))
        .with("lifecycleHistory", objects(&links.transitions, |it| shaper.transition(it)))
        .with("opportunityFacts", objects(&links.facts, |it| shaper.fact(it)))
        .with("history", history(shaper, program));
    finish(detail, dated)
}

/// The objects of records by their positions.
fn objects<'a>(records: &[usize], object: impl Fn(usize) -> Object<'a>) -> Vec<Object<'a>> {
    records.iter().map(|record| object(*record)).collect()
}

fn first(records: &[usize], most: usize) -> &[usize] {
    &records[..records.len().min(most)]
}

fn finish(detail: Object<'_>, dated: &Dated) -> Filled {
    let mut rendered = Vec::with_capacity(8 * 1024);
    push_json(&mut rendered, &Object::default().with("data", detail));
    cut(&rendered, hole::JSON, dated)
}

fn history<'a>(shaper: &Shaper<'a>, program: usize) -> Object<'a> {
    let directory = shaper.directory;
    let links = &directory.program_links[program];
    let years = || links.cycles.iter().filter_map(|cycle| directory.cycles[*cycle].cohort_year);
    let recipients = links.awards.iter().map(|award| directory.award_links[*award].recipient);
    let deadline = |cycle: &usize| {
        let it = &directory.cycles[*cycle];
        let label = directory.text(it.entity(), shaper.locale, "label", &it.label);
        Some(
            Object::default().with("cycleId", it.id).with("label", label).with("deadlineOn", it.deadline_on?),
        )
    };
    let amounts = amounts(directory, &links.awards).map(|[min, median, max, total]| {
        Object::default().with("min", min).with("median", median).with("max", max).with("total", total)
    });
    Object::default()
        .with("cycleCount", links.cycles.len())
        .with("firstCohortYear", years().min())
        .with("latestCohortYear", years().max())
        .with("awardCount", links.awards.len())
        .with("recipientCount", distinct(recipients).len())
        .with("awardsByYear", awards_by_year(shaper, &links.awards))
        .with("amountUsd", amounts)
        .with("deadlines", links.cycles.iter().filter_map(deadline).collect::<Vec<_>>())
}

/// Newest year first.
fn awards_by_year<'a>(shaper: &Shaper<'a>, awards: &[usize]) -> Vec<Object<'a>> {
    let mut years: BTreeMap<i32, (usize, Option<Number>)> = BTreeMap::new();
    for award in awards.iter().map(|award| &shaper.directory.awards[*award]) {
        let (count, sum) = years.entry(award.award_year).or_default();
        *count += 1;
        if let Some(Number(amount)) = award.award_amount_usd {
            *sum = Some(Number(sum.map_or(0.0, |sum| sum.0) + amount));
        }
    }
    let object = |(year, (count, sum))| {
        Object::default().with("year", year).with("count", count).with("amountUsd", sum)
    };
    years.into_iter().rev().map(object).collect()
}

/// Least, median, greatest and sum of the amounts of awards in US dollars; the median of an even number is the mean of the
/// two in the middle.
pub fn amounts(directory: &Directory, awards: &[usize]) -> Option<[Number; 4]> {
    let amounts = awards.iter().filter_map(|award| directory.awards[*award].award_amount_usd);
    let mut amounts: Vec<f64> = amounts.map(|amount| amount.0).collect();
    amounts.sort_by(f64::total_cmp);
    let (min, max) = (*amounts.first()?, *amounts.last()?);
    let median = f64::midpoint(amounts[(amounts.len() - 1) / 2], amounts[amounts.len() / 2]);
    Some([min, median, max, amounts.iter().sum()].map(Number))
}

/// OrganizationDetailResponse.
pub fn organization(shaper: &Shaper<'_>, numbers: &Numbers, dated: &Dated, organization: usize) -> Filled {
    let links = &shaper.directory.organization_links[organization];
    let program = |program: usize| {
        let deadline = Rule::NextDeadline.mark(numbers.doc_of[program] as usize);
        shaper.program(program, Visibility::LISTED).with("nextDeadline", deadline)
    };
    let detail = Object::default()
        .with("organization", shaper.organization(organization))
        .with("leaders", objects(&links.leaders, |it| shaper.leader(it)))
        .with("channels", objects(&links.channels, |it| shaper.channel(it)))
        .with("recentPosts", objects(first(&links.posts, POSTS_MAX), |it| shaper.post(it)))
        .with("programs", objects(&links.programs, program))
        .with("awards", objects(first(&links.awards, AWARDS_MAX), |it| award_row(shaper, it)));
    finish(detail, dated)
}

/// RecipientDetailResponse.
pub fn recipient(shaper: &Shaper<'_>, dated: &Dated, recipient: usize) -> Filled {
    let award = |award: usize| {
        let program = shaper.directory.award_links[award].program;
        Object::default()
            .with("award", shaper.award(award))
            .with("program", shaper.program_reference(program))
    };
    let detail = Object::default()
        .with("recipient", shaper.recipient(recipient))
        .with("awards", objects(&shaper.directory.recipient_awards[recipient], award));
    finish(detail, dated)
}
