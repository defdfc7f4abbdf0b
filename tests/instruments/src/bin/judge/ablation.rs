//! RankedPage answers without a part of the engine. Nothing is switched off in the engine: words are said to
//! be words, put in quotes or in capitals, and rows of a kind are left out.

use std::collections::BTreeSet;

use serde_json::json;
use snapshot::search::stop_words;
use snapshot::text::{fold, words_of};

use tests::judge::desk::{Answer, Desk, Variant, read};
use tests::judge::judged::Judged;
use tests::judge::measure::DEPTH;

/// Variants of the `mcp` face, each without a part of the engine.
pub(crate) const ABLATIONS: [Variant; 10] = [
    Variant { name: "no scores", ask: without_scores },
    Variant { name: "no near rows", ask: without_near_rows },
    Variant { name: "no wider rows", ask: |desk, judged| without_tier(desk, judged, "wider") },
    Variant { name: "no unstated", ask: |desk, judged| without_tier(desk, judged, "unstated") },
    Variant { name: "no some", ask: |desk, judged| without_tier(desk, judged, "some") },
    Variant { name: "no concepts", ask: without_concepts },
    Variant { name: "no modifiers", ask: without_modifiers },
    Variant { name: "no guesses", ask: without_guesses },
    Variant { name: "no small words", ask: without_small_words },
    Variant { name: "no other forms", ask: without_other_forms },
];

/// Most rounds in which words are said to be words: a shorter run may name something too.
const ROUNDS: usize = 5;

/// Full matches in the order of their deadlines.
fn without_scores(desk: &Desk<'_>, judged: &Judged) -> Answer {
    read(&desk.opportunities(judged, &judged.text, &json!({"sort": "deadline"})))
}

/// Full matches only.
fn without_near_rows(desk: &Desk<'_>, judged: &Judged) -> Answer {
    keep(desk, judged, &|tier| matches!(tier, "name" | "all"))
}

/// Without the rows of a tier.
fn without_tier(desk: &Desk<'_>, judged: &Judged, dropped: &str) -> Answer {
    keep(desk, judged, &|tier| tier != dropped)
}

/// The rows of some tiers; more are asked for, so that what is left out makes room.
fn keep(desk: &Desk<'_>, judged: &Judged, keeps: &dyn Fn(&str) -> bool) -> Answer {
    let mut content = desk.opportunities(judged, &judged.text, &json!({"limit": 100}));
    let rows = content["opportunities"].as_array_mut().unwrap();
    rows.retain(|row| keeps(row["match"].as_str().unwrap_or("all")));
    rows.truncate(DEPTH);
    read(&content)
}

/// Words that are taken for values are words.
fn without_concepts(desk: &Desk<'_>, judged: &Judged) -> Answer {
    as_words(desk, judged, "facet")
}

/// Words that are taken for filters are words.
fn without_modifiers(desk: &Desk<'_>, judged: &Judged) -> Answer {
    as_words(desk, judged, "parameter")
}

fn as_words(desk: &Desk<'_>, judged: &Judged, kind: &str) -> Answer {
    let mut plain: BTreeSet<String> = BTreeSet::new();
    let mut content = desk.opportunities(judged, &judged.text, &json!({}));
    for _ in 0..ROUNDS {
        let before = plain.len();
        let read = content["understood"].as_array().into_iter().flatten();
        let taken = read.filter(|words| {
            words["filters"].as_array().unwrap().iter().any(|filter| filter.get(kind).is_some())
        });
        plain.extend(taken.map(|words| words["words"].as_str().unwrap().to_owned()));
        if plain.len() == before {
            break;
        }
        content = desk.opportunities(judged, &judged.text, &json!({"plain": plain}));
    }
    read(&content)
}

/// Words that would be guessed are in capitals, which are never slips.
fn without_guesses(desk: &Desk<'_>, judged: &Judged) -> Answer {
    let answer = desk.mcp(judged);
    if answer.guessed.is_empty() {
        return answer;
    }
    let is_guessed = |word: &str| answer.guessed.iter().any(|(typed, _)| *typed == words_of(word).join(" "));
    let raised =
        each_word(&judged.text, |word| if is_guessed(word) { word.to_uppercase() } else { word.to_owned() });
    read(&desk.opportunities(judged, &raised, &json!({})))
}

/// Small words have to be there: they are quoted.
fn without_small_words(desk: &Desk<'_>, judged: &Judged) -> Answer {
    let words: Vec<String> = judged.text.split_whitespace().map(fold).collect();
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut small = stop_words(&texts).into_iter();
    let quoted = each_word(&judged.text, |word| {
        if small.next() == Some(true) { format!("\"{word}\"") } else { word.to_owned() }
    });
    read(&desk.opportunities(judged, &quoted, &json!({})))
}

/// Every word but the small ones has to be there as it was typed: neither stems nor synonyms nor values.
fn without_other_forms(desk: &Desk<'_>, judged: &Judged) -> Answer {
    let words: Vec<String> = judged.text.split_whitespace().map(fold).collect();
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut small = stop_words(&texts).into_iter();
    let quoted = each_word(&judged.text, |word| match small.next() {
        Some(false) if !word.starts_with('-') && !word.is_empty() => format!("\"{word}\""),
        _ => word.to_owned(),
    });
    read(&desk.opportunities(judged, &quoted, &json!({})))
}

/// The text with each word replaced; a text with quotes stays.
fn each_word(text: &str, replace: impl FnMut(&str) -> String) -> String {
    if text.contains('"') {
        return text.to_owned();
    }
    text.split_whitespace().map(replace).collect::<Vec<_>>().join(" ")
}
