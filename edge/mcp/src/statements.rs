//! The facts of a record as statements: grouped, without the sentences that a source repeats.

use std::collections::HashSet;

use serde::{Serialize, Serializer};
use serde_json::Value;
use snapshot::facet::{Facet, place_label};
use snapshot::record::Locale;
use snapshot::text::fold;
use snapshot::truncate::at_word;

use crate::reply::{json, push};

/// Most statements of one kind.
const STATEMENTS_MAX: usize = 16;
/// Longest sentence of a fact, in characters.
const SENTENCE_MAX: usize = 280;

/// A record of ProgramDetailResponse.
pub(crate) type Object = serde_json::Map<String, Value>;

/// Members of a record, in order.
pub(crate) struct Members<V = Value, K = &'static str>(pub(crate) Vec<(K, V)>);

impl Members {
    /// Appends the members to an object that is not closed yet.
    pub(crate) fn push(&self, out: &mut Vec<u8>) {
        let members = json(self);
        push(out, format_args!(",{}", members.trim_start_matches('{').trim_end_matches('}')));
    }
}

impl<V: Serialize, K: Serialize> Serialize for Members<V, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Statements of one kind.
#[derive(Serialize)]
pub(crate) struct Statements {
    kind: Option<String>,
    /// Unless the fact includes.
    #[serde(skip_serializing_if = "Option::is_none")]
    polarity: Option<String>,
    /// Unless the fact is a requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<String>,
    #[serde(rename = "says")]
    pub(crate) texts: Vec<String>,
    /// Number of statements that were left out.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) more: usize,
}

/// Facts grouped by kind, polarity and strength, in their order.
pub(crate) fn statements(facts: &[Object], locale: Locale) -> Vec<Statements> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut kinds: Vec<Statements> = Vec::new();
    for fact in facts {
        let member = |name: &str, usual: &str| text(fact, name).filter(|it| *it != usual).map(str::to_owned);
        let (kind, polarity, strength) =
            (member("kind", ""), member("polarity", "include"), member("strength", "required"));
        let same =
            |it: &&mut Statements| it.kind == kind && it.polarity == polarity && it.strength == strength;
        let Some(text) = statement(fact, locale, &mut seen) else { continue };
        match kinds.iter_mut().find(same) {
            Some(kind) if kind.texts.contains(&text) => {}
            Some(kind) if kind.texts.len() >= STATEMENTS_MAX => kind.more += 1,
            Some(kind) => kind.texts.push(text),
            None => kinds.push(Statements { kind, polarity, strength, texts: vec![text], more: 0 }),
        }
    }
    kinds
}

/// The text of a fact: its value, or the label where the value is only a kind of note, and the source's sentence where it
/// adds something and no earlier fact had it.
fn statement<'a>(fact: &'a Object, locale: Locale, seen: &mut HashSet<&'a str>) -> Option<String> {
    let [value, label, currency] = ["value", "label", "currency"].map(|name| text(fact, name));
    let facet = text(fact, "kind").and_then(Facet::of_kind);
    let place = value.zip(facet).and_then(|(value, facet)| place_label(facet, value, locale));
    let note = label.filter(|_| facet.is_none());
    let word = range(fact).or_else(|| place.or(note).or(value).or(label).map(str::to_owned));
    let amount = number(fact, "amount").map(|it| format!("{it} {}", currency.unwrap_or_default()));
    let stated = match (word, amount) {
        (Some(word), Some(amount)) => Some(format!("{word} {}", amount.trim_end())),
        (word, amount) => word.or(amount),
    };
    let adds_information = |text: &&str| {
        let others = [value, label, stated.as_deref()].into_iter().flatten();
        others.map(fold).all(|other| other != fold(text))
    };
    // What a note says of its label belongs to it, whatever other notes say of theirs.
    let text = text(fact, "text").filter(adds_information).filter(|text| seen.insert(text) || note.is_some());
    match (stated, text.map(|text| at_word(text, SENTENCE_MAX))) {
        (Some(stated), Some(text)) => Some(format!("{stated}: {text}")),
        (Some(stated), None) => Some(stated),
        (None, text) => text.map(std::borrow::Cow::into_owned),
    }
}

/// A range such as `18-35 year`; a missing bound is left blank.
fn range(fact: &Object) -> Option<String> {
    let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
    let unit = text(fact, "unit").map_or(String::new(), |unit| format!(" {unit}"));
    let range = match (number(fact, "min"), number(fact, "max")) {
        (None, None) => return None,
        (min, max) if min == max => bound(min),
        (min, max) => format!("{}-{}", bound(min), bound(max)),
    };
    Some(range + &unit)
}

fn number(record: &Object, name: &str) -> Option<f64> {
    record.get(name)?.as_f64()
}

pub(crate) fn text<'a>(record: &'a Object, name: &str) -> Option<&'a str> {
    record.get(name)?.as_str()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_none(count: &usize) -> bool {
    *count == 0
}
