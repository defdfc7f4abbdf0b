//! Plays tasks with a scripted agent: it searches with what the task says, reads the best few rows in one
//! call, and keeps those that the task asks for. Nothing of it is left to chance.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use super::task::Task;
use super::{Host, tokens};

/// Tokens that a task may cost, calls and answers together.
pub const BUDGET: usize = 6_000;

/// How a task went.
#[derive(Debug)]
pub struct Played {
    /// What was asked.
    pub ask: String,
    /// How many calls it took.
    pub calls: usize,
    /// Tokens of the calls' arguments and answers.
    pub tokens: usize,
    /// Bytes of the answers.
    pub bytes: usize,
    /// What it came to.
    pub answer: Vec<String>,
    /// Whether that is the answer.
    pub is_right: bool,
}

/// How all went.
#[derive(Debug)]
pub struct Report(pub Vec<Played>);

/// Plays tasks.
#[must_use]
pub fn play(host: &Host<'_>, tasks: &[Task]) -> Report {
    Report(tasks.iter().map(|task| Player { host, calls: 0, tokens: 0, bytes: 0 }.play(task)).collect())
}

struct Player<'a> {
    host: &'a Host<'a>,
    calls: usize,
    tokens: usize,
    bytes: usize,
}

impl Player<'_> {
    fn play(mut self, task: &Task) -> Played {
        let mut answer = self.answer(task);
        answer.sort_unstable();
        let is_right = answer == task.answer;
        let Self { calls, tokens, bytes, .. } = self;
        Played { ask: task.ask.clone(), calls, tokens, bytes, answer, is_right }
    }

    fn answer(&mut self, task: &Task) -> Vec<String> {
        let found = self.call("search_opportunities", &task.search);
        let rows = found["opportunities"].as_array().map_or(&[][..], Vec::as_slice);
        let slugs: Vec<&Value> = rows.iter().take(task.read).map(|row| &row["slug"]).collect();
        if slugs.is_empty() {
            return Vec::new();
        }
        let read = self.call("get_opportunity", &json!({"slugs": slugs}));
        let records = read["opportunities"].as_array().map_or(&[][..], Vec::as_slice);
        let slug = |record: &Value| record["slug"].as_str().unwrap_or_default().to_owned();
        match &task.most {
            None => records.iter().map(slug).collect(),
            Some(member) => {
                let amount = |record: &&Value| record[member].as_f64().unwrap_or(f64::NEG_INFINITY);
                let best = records.iter().max_by(|a, b| amount(a).total_cmp(&amount(b)));
                best.into_iter().map(slug).collect()
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let reply = self.host.call(tool, arguments);
        self.calls += 1;
        self.bytes += reply.text.len();
        self.tokens += tokens(&arguments.to_string()) + tokens(&reply.text);
        reply.content()
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for Played { ask, calls, tokens, answer, is_right, .. } in &self.0 {
            let mark = if *is_right { "right" } else { "WRONG" };
            writeln!(f, "{mark}  {calls} calls  {tokens:>6} tokens  {ask}")?;
            if !is_right {
                writeln!(f, "       answered {answer:?}")?;
            }
        }
        let sum = |of: fn(&Played) -> usize| self.0.iter().map(of).sum::<usize>();
        let right = sum(|played| usize::from(played.is_right));
        write!(
            f,
            "{right} of {} right, {} calls, {} tokens, {} KB",
            self.0.len(),
            sum(|played| played.calls),
            sum(|played| played.tokens),
            sum(|played| played.bytes) / 1_000
        )
    }
}
