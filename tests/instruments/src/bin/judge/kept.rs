//! Answers as they are kept between runs.

use std::collections::BTreeMap;

use ::tests::judge::desk::NamedEntity;
use ::tests::judge::{Answer, Run};
use serde_json::{Value, json};

/// Runs as they are kept.
pub(crate) fn save(runs: &[Run]) -> Value {
    let concept = |concept: &NamedEntity| json!([concept.facet, concept.value]);
    let answer = |answer: &Answer| {
        let understood: Vec<Value> = answer.understood.iter().map(concept).collect();
        json!({"found": answer.found, "matches": answer.matches, "guessed": answer.guessed, "understood": understood})
    };
    let kept = |run: &Run| -> BTreeMap<String, Value> {
        run.answers.iter().map(|(question, given)| (question.clone(), answer(given))).collect()
    };
    runs.iter().map(|run| (run.name.clone(), json!(kept(run)))).collect::<serde_json::Map<_, _>>().into()
}

/// Runs that were kept. What is not such a file holds none.
pub(crate) fn load(kept: &Value) -> Vec<Run> {
    let answers = |value: &Value| {
        let given = value.as_object().into_iter().flatten();
        given.map(|(question, given)| (question.clone(), answer(given))).collect()
    };
    let runs = kept.as_object().into_iter().flatten();
    runs.map(|(name, value)| Run { name: name.clone(), answers: answers(value) }).collect()
}

fn answer(value: &Value) -> Answer {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let items = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let guess = |pair: &Value| Some((pair[0].as_str()?.to_owned(), texts(&pair[1])));
    let concept = |pair: &Value| Some(NamedEntity::new(pair[0].as_str()?, pair[1].as_str()?));
    Answer {
        found: texts(&value["found"]),
        matches: value["matches"].as_u64().unwrap_or_default() as usize,
        guessed: items("guessed").iter().filter_map(guess).collect(),
        understood: items("understood").iter().filter_map(concept).collect(),
    }
}
