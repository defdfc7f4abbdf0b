//! Tasks for agents: the question, the arguments an agent that knows the tools would use, and the answer as the
//! records give it. The files are in `tests/agents`.

use serde_json::{Map, Value};

/// A set of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// About the embedded sample.
    Sample,
    /// About the published dataset, by slugs alone.
    Published,
    /// About records whose texts give orders, all with the word [`ORDER`].
    Hostile,
}

/// Stands in every order that a hostile record gives, and nowhere else.
pub const ORDER: &str = "OVERRIDE";

/// Records whose texts give orders.
pub const HOSTILE: &[(&str, &[u8])] = &[
    ("dataset.json", include_bytes!("../../agents/hostile/dataset.json")),
    ("facts.ndjson", include_bytes!("../../agents/hostile/facts.ndjson")),
    ("organizations.ndjson", include_bytes!("../../agents/hostile/organizations.ndjson")),
    ("programs.ndjson", include_bytes!("../../agents/hostile/programs.ndjson")),
];

/// One task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The user's question.
    pub question: String,
    /// Arguments of the search.
    pub search: Value,
    /// Number of rows to read in full.
    pub read: usize,
    /// If set, the answer is the record with the largest value of this member.
    pub most: Option<String>,
    /// Slugs of the answer, sorted; empty if no record fits.
    pub answer: Vec<String>,
}

impl Set {
    /// Its tasks.
    #[must_use]
    pub fn tasks(self) -> Vec<Task> {
        let file = match self {
            Self::Sample => include_str!("../../agents/sample.json"),
            Self::Published => include_str!("../../agents/published.json"),
            Self::Hostile => include_str!("../../agents/hostile.json"),
        };
        let tasks: Vec<Map<String, Value>> = serde_json::from_str(file).unwrap();
        tasks.into_iter().map(Task::from).collect()
    }
}

impl From<Map<String, Value>> for Task {
    fn from(mut task: Map<String, Value>) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            question: text(&task["question"]),
            search: task.remove("search").unwrap(),
            read: task["read"].as_u64().unwrap() as usize,
            most: task.get("most").map(text),
            answer: task["answer"].as_array().unwrap().iter().map(text).collect(),
        }
    }
}
