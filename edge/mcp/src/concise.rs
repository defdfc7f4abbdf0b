//! Concise records: what decides whether to apply, without ids, timestamps and empty members. No sentence of a
//! source is repeated, and `truncated` lists what was cut.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use snapshot::facet::{Facet, place_label};
use snapshot::record::Locale;
use snapshot::text::fold;
use snapshot::truncate::at_word;

use crate::reply::json;
use crate::state::State;

/// Longest description and longest sentence of a fact, in characters.
const DESCRIPTION_MAX: usize = 2_400;
const SENTENCE_MAX: usize = 280;
/// Shortest length to which a description is cut, in characters.
const DESCRIPTION_LEAST: usize = 400;
/// Most statements of one kind, cycles, places of one list, and awards.
const STATEMENTS_MAX: usize = 16;
const CYCLES_MAX: usize = 4;
const PLACES_MAX: usize = 24;
const AWARDS_MAX: usize = 3;

/// The members of ProgramDetailResponse that a concise record is made of.
#[derive(Deserialize)]
pub(crate) struct Body {
    data: Detail,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    program: Program,
    organization: Organization,
    cycles: Vec<Cycle>,
    awards: Vec<AwardRow>,
    sources: Vec<Source>,
    opportunity_facts: Vec<Fact>,
    history: History,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Program {
    slug: String,
    name: String,
    summary: Option<String>,
    description: Option<String>,
    program_type: String,
    fields: Vec<String>,
    eligible_countries: Vec<String>,
    destination_countries: Vec<String>,
    career_stages: Vec<String>,
    funding_min_usd: Option<f64>,
    funding_max_usd: Option<f64>,
    official_url: String,
    source_checked_at: Option<String>,
}

#[derive(Deserialize)]
struct Organization {
    name: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Cycle {
    label: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application_url: Option<String>,
    #[serde(skip_serializing)]
    sources: Vec<Source>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    publisher: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_on: Option<String>,
    /// A day: the first ten letters of a moment.
    #[serde(
        rename(serialize = "checkedOn", deserialize = "sourceCheckedAt"),
        skip_serializing_if = "Option::is_none"
    )]
    checked_on: Option<String>,
}

#[derive(Deserialize)]
struct Fact {
    kind: String,
    value: Option<String>,
    label: Option<String>,
    text: Option<String>,
    min: Option<f64>,
    max: Option<f64>,
    unit: Option<String>,
    amount: Option<f64>,
    currency: Option<String>,
    polarity: String,
    strength: String,
}

#[derive(Deserialize)]
struct AwardRow {
    award: Award,
    recipient: Recipient,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Award {
    award_year: i32,
    award_amount_usd: Option<f64>,
    project_title: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    display_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    cycle_count: usize,
    award_count: usize,
}

/// Statements of one kind.
#[derive(Serialize)]
struct Statements {
    kind: String,
    #[serde(skip_serializing_if = "is_include")]
    polarity: String,
    #[serde(skip_serializing_if = "is_required")]
    strength: String,
    #[serde(rename = "says")]
    texts: Vec<String>,
    /// Number of statements that were left out.
    #[serde(skip_serializing_if = "is_none")]
    more: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BriefAward {
    year: i32,
    recipient: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_title: Option<String>,
}

/// A concise record.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Brief {
    slug: String,
    name: String,
    organization: String,
    #[serde(rename = "type")]
    program_type: String,
    record_url: String,
    official_url: String,
    source_checked_at: Option<String>,
    state: String,
    #[serde(flatten)]
    day: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    funding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    funding_min_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    funding_max_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Length of the whole description in characters, where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    description_length: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    eligible_countries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eligible_country_count: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    destination_countries: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    career_stages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opportunity_facts: Vec<Statements>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycles: Vec<Cycle>,
    #[serde(skip_serializing_if = "is_none")]
    cycle_count: usize,
    sources: Vec<Source>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    awards: Vec<BriefAward>,
    #[serde(skip_serializing_if = "is_none")]
    award_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<&'static str>,
}

/// Values of a concise record that ProgramDetailResponse does not have.
pub(crate) struct DerivedValues {
    pub(crate) record_url: String,
    pub(crate) state: String,
    pub(crate) day: Option<State>,
    pub(crate) funding: Option<String>,
    pub(crate) locale: Locale,
}

impl Brief {
    /// A record in at most `share` bytes of JSON, as far as there is anything to leave out.
    pub(crate) fn new(body: Body, derived: DerivedValues, share: usize) -> Self {
        let Detail { program, organization, mut cycles, awards, sources, opportunity_facts, history } =
            body.data;
        let sources = briefly(sources, &mut cycles, &program.name, &organization.name);
        let is_stated = |career: &String| {
            opportunity_facts
                .iter()
                .any(|fact| fact.value.as_ref() == Some(career) && is_required(&fact.strength))
        };
        let career_stages =
            if program.career_stages.iter().all(is_stated) { Vec::new() } else { program.career_stages };
        let eligible = program.eligible_countries.len();
        let repeats =
            |summary: &String| program.description.as_ref().is_some_and(|it| it.starts_with(summary));
        let summary = program.summary.filter(|summary| !repeats(summary));
        let mut brief = Self {
            record_url: derived.record_url,
            state: derived.state,
            day: derived.day,
            funding: derived.funding,
            organization: organization.name,
            program_type: program.program_type,
            official_url: program.official_url,
            source_checked_at: program.source_checked_at,
            funding_min_usd: program.funding_min_usd,
            funding_max_usd: program.funding_max_usd,
            summary,
            description: program.description,
            description_length: None,
            fields: program.fields,
            eligible_countries: program.eligible_countries,
            eligible_country_count: (eligible > PLACES_MAX).then_some(eligible),
            destination_countries: program.destination_countries,
            career_stages,
            opportunity_facts: statements(&opportunity_facts, derived.locale),
            cycles,
            cycle_count: history.cycle_count,
            sources,
            awards: awards.into_iter().take(AWARDS_MAX).map(BriefAward::from).collect(),
            award_count: history.award_count,
            truncated: Vec::new(),
            slug: program.slug,
            name: program.name,
        };
        brief.cut_lists();
        brief.cut_description(DESCRIPTION_MAX);
        brief.fit(share);
        brief
    }

    fn cut_lists(&mut self) {
        self.cycles.truncate(CYCLES_MAX);
        for (name, list, most) in [
            ("fields", &mut self.fields, STATEMENTS_MAX),
            ("eligibleCountries", &mut self.eligible_countries, PLACES_MAX),
            ("destinationCountries", &mut self.destination_countries, PLACES_MAX),
        ] {
            if list.len() > most {
                list.truncate(most);
                self.truncated.push(name);
            }
        }
        if self.cycles.len() < self.cycle_count {
            self.truncated.push("cycles");
        } else {
            self.cycle_count = 0;
        }
        if self.opportunity_facts.iter().any(|kind| kind.more > 0) {
            self.truncated.push("opportunityFacts");
        }
    }

    fn cut_description(&mut self, most: usize) {
        let Some(text) = &self.description else { return };
        let length = text.chars().count();
        if length > most {
            self.description = Some(at_word(text, most).into_owned());
            self.description_length.get_or_insert(length);
            self.mark_truncated("description");
        }
    }

    fn mark_truncated(&mut self, name: &'static str) {
        if !self.truncated.contains(&name) {
            self.truncated.push(name);
        }
    }

    /// Shortens the description, then drops statements and cycles from the end.
    fn fit(&mut self, share: usize) {
        loop {
            let over = json(self).len().saturating_sub(share);
            if over == 0 {
                return;
            }
            let length = self.description.as_ref().map_or(0, |text| text.chars().count());
            if length > DESCRIPTION_LEAST {
                self.cut_description(length.saturating_sub(over).max(DESCRIPTION_LEAST));
            } else if self.drop_statement() {
                self.mark_truncated("opportunityFacts");
            } else if self.cycles.pop().is_some() {
                self.mark_truncated("cycles");
            } else if self.sources.len() > 1 {
                self.sources.pop();
                self.mark_truncated("sources");
            } else {
                return;
            }
        }
    }

    /// Drops the last statement of the kind that has most.
    fn drop_statement(&mut self) -> bool {
        let longest = self.opportunity_facts.iter_mut().max_by_key(|kind| kind.texts.len());
        let Some(kind) = longest.filter(|kind| !kind.texts.is_empty()) else { return false };
        kind.texts.pop();
        kind.more += 1;
        true
    }
}

/// Sources of the record and its cycles, each URL once, without titles and publishers that repeat the record's.
fn briefly(sources: Vec<Source>, cycles: &mut [Cycle], name: &str, organization: &str) -> Vec<Source> {
    let mut seen: HashSet<Option<String>> = HashSet::new();
    let of_cycles = cycles.iter_mut().flat_map(|cycle| std::mem::take(&mut cycle.sources));
    let all = sources.into_iter().chain(of_cycles).filter(|source| seen.insert(source.url.clone()));
    let brief = all.map(|source| Source {
        title: source.title.filter(|title| title != name),
        publisher: source.publisher.filter(|publisher| publisher != organization),
        checked_on: source.checked_on.map(|moment| moment.chars().take(10).collect()),
        ..source
    });
    brief.collect()
}

/// Facts grouped by kind, polarity and strength, in their order.
fn statements(facts: &[Fact], locale: Locale) -> Vec<Statements> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut kinds: Vec<Statements> = Vec::new();
    for fact in facts {
        let same = |it: &&mut Statements| {
            it.kind == fact.kind && it.polarity == fact.polarity && it.strength == fact.strength
        };
        let Some(text) = statement(fact, locale, &mut seen) else { continue };
        match kinds.iter_mut().find(same) {
            Some(kind) if kind.texts.contains(&text) => {}
            Some(kind) if kind.texts.len() >= STATEMENTS_MAX => kind.more += 1,
            Some(kind) => kind.texts.push(text),
            None => kinds.push(Statements {
                kind: fact.kind.clone(),
                polarity: fact.polarity.clone(),
                strength: fact.strength.clone(),
                texts: vec![text],
                more: 0,
            }),
        }
    }
    kinds
}

/// The text of a fact: its value, and the source's sentence where it adds something and no earlier fact had it.
fn statement<'a>(fact: &'a Fact, locale: Locale, seen: &mut HashSet<&'a str>) -> Option<String> {
    let place = |value: &str| {
        Facet::of_kind(&fact.kind).and_then(|facet| place_label(facet, value, locale)).map(str::to_owned)
    };
    let word = fact.value.as_ref().map(|value| place(value).unwrap_or_else(|| value.clone()));
    let word = range(fact).or(word).or_else(|| fact.label.clone());
    let amount = fact.amount.map(|it| format!("{it} {}", fact.currency.as_deref().unwrap_or_default()));
    let value = match (word, amount) {
        (Some(word), Some(amount)) => Some(format!("{word} {}", amount.trim_end())),
        (word, amount) => word.or(amount),
    };
    let adds_information = |text: &&str| {
        let same = |other: &Option<String>| other.as_deref().is_some_and(|other| fold(other) == fold(text));
        !same(&fact.value) && !same(&fact.label) && !same(&value)
    };
    let text = fact.text.as_deref().filter(adds_information).filter(|text| seen.insert(text));
    match (value, text.map(|text| at_word(text, SENTENCE_MAX))) {
        (Some(value), Some(text)) => Some(format!("{value}: {text}")),
        (Some(value), None) => Some(value),
        (None, text) => text.map(std::borrow::Cow::into_owned),
    }
}

/// A range such as `18-35 year`; a missing bound is left blank.
fn range(fact: &Fact) -> Option<String> {
    let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
    let unit = fact.unit.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
    let range = match (fact.min, fact.max) {
        (None, None) => return None,
        (min, max) if min == max => bound(min),
        (min, max) => format!("{}-{}", bound(min), bound(max)),
    };
    Some(range + &unit)
}

impl From<AwardRow> for BriefAward {
    fn from(row: AwardRow) -> Self {
        Self {
            year: row.award.award_year,
            recipient: row.recipient.display_name,
            amount_usd: row.award.award_amount_usd,
            project_title: row
                .award
                .project_title
                .map(|title| at_word(&title, SENTENCE_MAX / 2).into_owned()),
        }
    }
}

fn is_include(polarity: &str) -> bool {
    polarity == "include"
}

fn is_required(strength: &str) -> bool {
    strength == "required"
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}
