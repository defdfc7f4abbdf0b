//! Detail responses of programs, organizations and recipients, with marks where the day decides.
//! Files, made by the generator; the edge only fills their holes.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;
use uuid::Uuid;

use crate::page::hole::{Filled, Rule, Syntax, cut};
use crate::page::list::{Numbers, award_row};
use crate::page::shape::Shaper;
use crate::page::{Dated, push_json};
use crate::record::Number;
use crate::record::field_table::{Object, Visibility};

/// Most awards of a program or organization detail; the history counts all.
const AWARDS_MAX: usize = 100;
/// Most posts of an organization detail.
const POSTS_MAX: usize = 10;

#[derive(Serialize)]
struct Data<T> {
    data: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgramDetail<'a> {
    program: Object<'a>,
    organization: Object<'a>,
    cycles: Vec<Object<'a>>,
    awards: Vec<Object<'a>>,
    sources: Vec<Object<'a>>,
    lifecycle_history: Vec<Object<'a>>,
    opportunity_facts: Vec<Object<'a>>,
    history: History<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct History<'a> {
    cycle_count: usize,
    first_cohort_year: Option<i32>,
    latest_cohort_year: Option<i32>,
    award_count: usize,
    recipient_count: usize,
    awards_by_year: Vec<AwardYear>,
    amount_usd: Option<Amounts>,
    deadlines: Vec<Deadline<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AwardYear {
    year: i32,
    count: usize,
    amount_usd: Option<Number>,
}

#[derive(Serialize)]
struct Amounts {
    min: Number,
    median: Number,
    max: Number,
    total: Number,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deadline<'a> {
    cycle_id: Uuid,
    label: &'a str,
    deadline_on: Date,
}

/// ProgramDetailResponse.
#[must_use]
pub fn program(shaper: &Shaper<'_>, numbers: &Numbers, dated: &Dated, program: usize) -> Filled {
    let links = &shaper.directory.program_links[program];
    let cycle = |cycle: &usize| {
        let sources = shaper.directory.cycle_sources[*cycle].iter().map(|source| shaper.source(*source));
        let status = Rule::CycleStatus.mark(numbers.cycle[*cycle] as usize);
        shaper.cycle(*cycle, status, Some(sources.collect()))
    };
    let award = |award: &usize| {
        let recipient = shaper.directory.award_links[*award].recipient;
        Object::default()
            .with("award", shaper.award(*award))
            .with("recipient", shaper.recipient_reference(recipient))
    };
    let detail = ProgramDetail {
        program: shaper.program(program, Visibility::DETAIL),
        organization: shaper.organization(links.organization),
        cycles: links.cycles.iter().map(cycle).collect(),
        awards: links.awards.iter().take(AWARDS_MAX).map(award).collect(),
        sources: links.sources.iter().map(|source| shaper.source(*source)).collect(),
        lifecycle_history: links.transitions.iter().map(|it| shaper.transition(*it)).collect(),
        opportunity_facts: links.facts.iter().map(|fact| shaper.fact(*fact)).collect(),
        history: history(shaper, program),
    };
    finish(&detail, dated)
}

fn finish(detail: &impl Serialize, dated: &Dated) -> Filled {
    let mut rendered = Vec::with_capacity(8 * 1024);
    push_json(&mut rendered, &Data { data: detail });
    cut(&rendered, Syntax::Json, dated)
}

fn history<'a>(shaper: &Shaper<'a>, program: usize) -> History<'a> {
    let directory = shaper.directory;
    let links = &directory.program_links[program];
    let years = || links.cycles.iter().filter_map(|cycle| directory.cycles[*cycle].cohort_year);
    let mut recipients: Vec<usize> =
        links.awards.iter().map(|award| directory.award_links[*award].recipient).collect();
    recipients.sort_unstable();
    recipients.dedup();
    let deadline = |cycle: &usize| {
        let it = &directory.cycles[*cycle];
        let label = directory.text(it.entity(), shaper.locale, "label", &it.label);
        Some(Deadline { cycle_id: it.id, label, deadline_on: it.deadline_on? })
    };
    History {
        cycle_count: links.cycles.len(),
        first_cohort_year: years().min(),
        latest_cohort_year: years().max(),
        award_count: links.awards.len(),
        recipient_count: recipients.len(),
        awards_by_year: awards_by_year(shaper, &links.awards),
        amount_usd: amounts(shaper, &links.awards),
        deadlines: links.cycles.iter().filter_map(deadline).collect(),
    }
}

/// Newest year first.
fn awards_by_year(shaper: &Shaper<'_>, awards: &[usize]) -> Vec<AwardYear> {
    let mut years: BTreeMap<i32, AwardYear> = BTreeMap::new();
    for award in awards.iter().map(|award| &shaper.directory.awards[*award]) {
        let year = award.award_year;
        let entry = years.entry(year).or_insert(AwardYear { year, count: 0, amount_usd: None });
        entry.count += 1;
        if let Some(Number(amount)) = award.award_amount_usd {
            entry.amount_usd = Some(Number(entry.amount_usd.map_or(0.0, |sum| sum.0) + amount));
        }
    }
    years.into_values().rev().collect()
}

fn amounts(shaper: &Shaper<'_>, awards: &[usize]) -> Option<Amounts> {
    let amounts = awards.iter().filter_map(|award| shaper.directory.awards[*award].award_amount_usd);
    let mut amounts: Vec<f64> = amounts.map(|amount| amount.0).collect();
    amounts.sort_by(f64::total_cmp);
    let middle = amounts.len() / 2;
    let median = match amounts.len() {
        0 => return None,
        n if n % 2 == 1 => amounts[middle],
        _ => f64::midpoint(amounts[middle - 1], amounts[middle]),
    };
    Some(Amounts {
        min: Number(amounts[0]),
        median: Number(median),
        max: Number(amounts[amounts.len() - 1]),
        total: Number(amounts.iter().sum()),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationDetail<'a> {
    organization: Object<'a>,
    leaders: Vec<Object<'a>>,
    channels: Vec<Object<'a>>,
    recent_posts: Vec<Object<'a>>,
    programs: Vec<Object<'a>>,
    awards: Vec<Object<'a>>,
}

/// OrganizationDetailResponse.
#[must_use]
pub fn organization(shaper: &Shaper<'_>, numbers: &Numbers, dated: &Dated, organization: usize) -> Filled {
    let links = &shaper.directory.organization_links[organization];
    let program = |program: &usize| {
        let deadline = Rule::NextDeadline.mark(numbers.doc_of[*program] as usize);
        shaper.program(*program, Visibility::LISTED).with("nextDeadline", deadline)
    };
    let detail = OrganizationDetail {
        organization: shaper.organization(organization),
        leaders: links.leaders.iter().map(|leader| shaper.leader(*leader)).collect(),
        channels: links.channels.iter().map(|channel| shaper.channel(*channel)).collect(),
        recent_posts: links.posts.iter().take(POSTS_MAX).map(|post| shaper.post(*post)).collect(),
        programs: links.programs.iter().map(program).collect(),
        awards: links.awards.iter().take(AWARDS_MAX).map(|award| award_row(shaper, *award)).collect(),
    };
    finish(&detail, dated)
}

#[derive(Serialize)]
struct RecipientDetail<'a> {
    recipient: Object<'a>,
    awards: Vec<Object<'a>>,
}

/// RecipientDetailResponse.
#[must_use]
pub fn recipient(shaper: &Shaper<'_>, dated: &Dated, recipient: usize) -> Filled {
    let award = |award: &usize| {
        let program = shaper.directory.award_links[*award].program;
        Object::default()
            .with("award", shaper.award(*award))
            .with("program", shaper.program_reference(program))
    };
    let awards = &shaper.directory.recipient_awards[recipient];
    let detail = RecipientDetail {
        recipient: shaper.recipient(recipient),
        awards: awards.iter().map(award).collect(),
    };
    finish(&detail, dated)
}
