//! The rows of answers, as they are kept between runs: of the others nothing is compared.

use ::tests::judge::{Answer, Run};
use serde_json::{Map, Value, json};

/// Runs as they are kept.
pub(crate) fn save(runs: &[Run]) -> Value {
    let rows = |run: &Run| -> Map<String, Value> {
        run.answers.iter().map(|(question, answer)| (question.clone(), json!(answer.found))).collect()
    };
    runs.iter().map(|run| (run.name.clone(), rows(run).into())).collect::<Map<_, _>>().into()
}

/// Runs that were kept. What is not such a file holds none.
pub(crate) fn load(kept: &Value) -> Vec<Run> {
    let members = |value: &Value| value.as_object().cloned().unwrap_or_default().into_iter();
    let answer = |(question, rows): (String, Value)| {
        let slugs = rows.as_array().into_iter().flatten().filter_map(Value::as_str);
        (question, Answer { found: slugs.map(str::to_owned).collect(), ..Answer::default() })
    };
    members(kept).map(|(name, rows)| Run { name, answers: members(&rows).map(answer).collect() }).collect()
}
