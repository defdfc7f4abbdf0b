//! Concise records: what decides whether to apply, without ids, timestamps and empty members. No sentence of a
//! source is repeated, and `truncated` lists what was cut.
//!
//! The tables of fields mark what is shown ([`Visibility::CONCISE`]). This file names only what identifies a record
//! and what is cut or joined.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Value, from_value};
use snapshot::record::field_table::{Field, FieldType, Visibility};
use snapshot::record::{AWARD, CYCLE, PROGRAM, SOURCE};
use snapshot::truncate::at_word;

use crate::detail::{Detail, TextNotes, Words};
use crate::reply::json;
use crate::statements::{Members, Object, Statements, is_none, statements, text};

/// Longest description and title of a project, in characters.
const DESCRIPTION_MAX: usize = 2_400;
const TITLE_MAX: usize = 140;
/// Shortest length to which a description is cut, in characters.
const DESCRIPTION_LEAST: usize = 400;
/// Most cycles, places of one list, words of one list, and awards.
const CYCLES_MAX: usize = 4;
const PLACES_MAX: usize = 24;
const WORDS_MAX: usize = 16;
const AWARDS_MAX: usize = 3;
/// The value of `textEnds`.
pub(crate) const CUT_AT_SOURCE: &str = "cut at source";
/// Fields that have a shorter name here.
const RENAMED: [(&str, &str); 3] =
    [("sourceCheckedAt", "checkedOn"), ("awardYear", "year"), ("awardAmountUsd", "amountUsd")];

impl Members {
    /// The fields of a record that a concise record shows, without those that have no value.
    fn of<'f, R: 'static>(fields: impl IntoIterator<Item = &'f Field<R>>, record: &mut Object) -> Self {
        let shown = fields.into_iter().filter(|field| field.shows.has(Visibility::CONCISE));
        let member = |field: &Field<R>| {
            let value = match (field.kind, record.remove(field.name)?) {
                (_, Value::Null) => return None,
                (_, Value::Array(list)) if list.is_empty() => return None,
                // The day of a moment.
                (FieldType::Time, Value::String(moment)) => {
                    moment.chars().take(10).collect::<String>().into()
                }
                (_, value) => value,
            };
            let renamed = RENAMED.iter().find(|(name, _)| *name == field.name);
            Some((renamed.map_or(field.name, |(_, short)| *short), value))
        };
        Self(shown.filter_map(member).collect())
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Inserts a member after another one.
    fn insert_after(&mut self, other: &str, name: &'static str, value: impl Into<Value>) {
        let position = self.0.iter().position(|(known, _)| *known == other);
        self.0.insert(position.map_or(self.0.len(), |position| position + 1), (name, value.into()));
    }
}

/// A concise record.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConciseRecord {
    /// Members whose text speaks to language models; before any text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    caution: Vec<&'static str>,
    /// What identifies the record, and its state in words.
    #[serde(flatten)]
    identity: Members,
    #[serde(flatten)]
    day: Option<Members>,
    #[serde(skip_serializing_if = "Option::is_none")]
    funding: Option<String>,
    #[serde(flatten)]
    program: Members,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_ends: Option<&'static str>,
    /// Members of which `text_ends` speaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut_texts: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opportunity_facts: Vec<Statements>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycles: Vec<Members>,
    #[serde(skip_serializing_if = "is_none")]
    cycle_count: usize,
    sources: Vec<Members>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    awards: Vec<Members>,
    #[serde(skip_serializing_if = "is_none")]
    award_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<&'static str>,
}

impl ConciseRecord {
    /// A record in at most `share` bytes of JSON, as far as there is anything to leave out.
    pub(crate) fn new(detail: Detail<Object>, record_url: String, words: Words, share: usize) -> Self {
        let mut notes = TextNotes::new(&detail, Cow::Borrowed);
        let Detail { mut program, mut organization, mut cycles, awards, sources, opportunity_facts, .. } =
            detail;
        let organization = organization.remove("name").unwrap_or_default();
        let sources = unique_sources(sources, &mut cycles, (program.get("name"), &organization));
        remove_repeated(&mut program, &opportunity_facts);
        notes.cut_at_source.retain(|name| program.contains_key(*name));
        let mut take = |name: &str| program.remove(name).unwrap_or_default();
        let identity = vec![
            ("slug", take("slug")),
            ("name", take("name")),
            ("organization", organization),
            ("type", take("programType")),
            ("recordUrl", record_url.into()),
            ("officialUrl", take("officialUrl")),
            ("sourceCheckedAt", take("sourceCheckedAt")),
            ("state", words.state.into()),
        ];
        // Amounts follow the funding in words.
        let (amounts, others): (Vec<_>, Vec<_>) =
            PROGRAM.iter().partition(|field| field.kind == FieldType::Amount);
        let mut record = Self {
            caution: notes.caution,
            text_ends: (!notes.cut_at_source.is_empty()).then_some(CUT_AT_SOURCE),
            cut_texts: notes.cut_at_source,
            identity: Members(identity),
            day: words.day,
            funding: words.funding,
            program: Members::of(amounts.into_iter().chain(others), &mut program),
            opportunity_facts: statements(&opportunity_facts, words.locale),
            cycle_count: cycles.len(),
            cycles: cycles.into_iter().take(CYCLES_MAX).map(cycle).collect(),
            sources,
            awards: awards.into_iter().take(AWARDS_MAX).map(award).collect(),
            award_count: detail.history.award_count,
            truncated: Vec::new(),
        };
        record.cut_lists();
        record.cut_description(DESCRIPTION_MAX);
        record.fit(share);
        record
    }

    fn cut_lists(&mut self) {
        for field in PROGRAM {
            let Some(Value::Array(list)) = self.program.get_mut(field.name) else { continue };
            let (count, most) =
                (list.len(), if field.kind == FieldType::Places { PLACES_MAX } else { WORDS_MAX });
            if count > most {
                list.truncate(most);
                self.truncated.push(field.name);
                if field.name == "eligibleCountries" {
                    self.program.insert_after(field.name, "eligibleCountryCount", count);
                }
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

    /// Length of the description in characters.
    fn description_length(&mut self) -> usize {
        let description = self.program.get_mut("description");
        description.and_then(|text| text.as_str()).map_or(0, |text| text.chars().count())
    }

    fn cut_description(&mut self, most: usize) {
        let length = self.description_length();
        let Some(Value::String(text)) = self.program.get_mut("description").filter(|_| length > most) else {
            return;
        };
        *text = at_word(text, most).into_owned();
        if self.program.get_mut("descriptionLength").is_none() {
            self.program.insert_after("description", "descriptionLength", length);
        }
        self.mark_truncated("description");
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
            let length = self.description_length();
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

/// Removes members that repeat others: career stages that are requirements too, and a summary with which the
/// description begins.
fn remove_repeated(program: &mut Object, facts: &[Object]) {
    let is_stated = |career: &Value| {
        facts
            .iter()
            .any(|fact| fact.get("value") == Some(career) && text(fact, "strength") == Some("required"))
    };
    if program.get("careerStages").and_then(Value::as_array).is_some_and(|them| them.iter().all(is_stated)) {
        program.remove("careerStages");
    }
    let description = text(program, "description").unwrap_or_default();
    if text(program, "summary").is_some_and(|summary| description.starts_with(summary)) {
        program.remove("summary");
    }
}

/// The kind of source that stands for all with its URL: the page of the provider.
const OFFICIAL: &str = "official_page";

/// Sources of the record and its cycles, each URL once, without titles and publishers that repeat the record's.
fn unique_sources(
    sources: Vec<Object>,
    cycles: &mut [Object],
    (name, organization): (Option<&Value>, &Value),
) -> Vec<Members> {
    let mut seen: HashSet<Option<String>> = HashSet::new();
    let of_cycles = cycles.iter_mut().filter_map(|cycle| cycle.remove("sources"));
    let of_cycles = of_cycles.flat_map(|sources| from_value::<Vec<Object>>(sources).unwrap_or_default());
    let all: Vec<Object> = sources.into_iter().chain(of_cycles).collect();
    let url = |source: &Object| text(source, "url").map(str::to_owned);
    let is_official = |source: &&Object| text(source, "kind") == Some(OFFICIAL);
    let official: HashSet<Option<String>> = all.iter().filter(is_official).map(url).collect();
    let stands = |source: &Object| is_official(&source) || !official.contains(&url(source));
    let unique = all.into_iter().filter(|source| stands(source) && seen.insert(url(source)));
    let brief = unique.map(|mut source| {
        source.retain(|member, value| match member.as_str() {
            "title" => Some(&*value) != name,
            "publisher" => value != organization,
            _ => true,
        });
        Members::of(SOURCE, &mut source)
    });
    brief.collect()
}

fn cycle(mut cycle: Object) -> Members {
    let status = cycle.remove("status").unwrap_or_default();
    let mut members = Members::of(CYCLE, &mut cycle);
    members.insert_after("label", "status", status);
    members
}

fn award(mut row: Object) -> Members {
    let [mut award, mut recipient] = ["award", "recipient"]
        .map(|name| row.remove(name).and_then(|it| from_value(it).ok()).unwrap_or_default());
    let mut members = Members::of(AWARD, &mut award);
    members.insert_after("year", "recipient", recipient.remove("displayName"));
    if let Some(Value::String(title)) = members.get_mut("projectTitle") {
        *title = at_word(title, TITLE_MAX).into_owned();
    }
    members
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use snapshot::record::Locale;

    use super::*;

    /// Values for all fields of a detail answer, and the names of those that the table marks.
    fn filled<R: 'static>(table: &[Field<R>]) -> (Value, Vec<&'static str>) {
        let shown = table.iter().filter(|field| field.shows.has(Visibility::DETAIL));
        let marked = table.iter().filter(|field| field.shows.has(Visibility::CONCISE));
        let shown = shown.map(|field| (field.name.to_owned(), json!(field.name))).collect();
        (shown, marked.map(|field| field.name).collect())
    }

    #[test]
    fn a_concise_record_has_every_field_that_the_tables_mark() {
        let ((program, in_program), (cycle, in_cycle)) = (filled(PROGRAM), filled(CYCLE));
        let ((source, in_source), (award, in_award)) = (filled(SOURCE), filled(AWARD));
        let detail = json!({
            "program": program, "organization": {}, "cycles": [cycle], "sources": [source],
            "awards": [{ "award": award, "recipient": {} }], "lifecycleHistory": [], "opportunityFacts": [],
            "history": { "awardCount": 1 },
        });
        let words = Words { locale: Locale::En, state: String::new(), day: None, funding: None };
        let record = ConciseRecord::new(from_value(detail).unwrap(), String::new(), words, 10_000);
        let record: Value = serde_json::from_str(&json(&record)).unwrap();
        let parts =
            [("", in_program), ("/cycles/0", in_cycle), ("/sources/0", in_source), ("/awards/0", in_award)];
        for (part, marked) in parts {
            for name in marked {
                let shown =
                    RENAMED.iter().find(|(known, _)| *known == name).map_or(name, |(_, short)| *short);
                assert!(record.pointer(&format!("{part}/{shown}")).is_some(), "{part} {name}: {record}");
            }
        }
    }
}
