//! A scripted agent: it searches with the arguments of the task, reads the best rows in one call, and keeps those
//! that the task wants. It is deterministic.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use super::Host;
use super::task::Task;

/// Result of one task.
#[derive(Debug)]
pub struct Played {
    /// Question of the task.
    pub question: String,
    /// Number of tool calls.
    pub calls: usize,
    /// Cost of the arguments and results of all calls, as [`play`] measured it.
    pub cost: usize,
    /// Slugs the agent chose, sorted.
    pub answer: Vec<String>,
    /// Whether they are the expected ones.
    pub is_right: bool,
}

/// Results of all tasks.
#[derive(Debug)]
pub struct Report(pub Vec<Played>);

/// Solves tasks. `cost` measures a text that goes to or comes from a tool, in bytes or in tokens.
#[must_use]
pub fn play(host: &Host<'_>, tasks: &[Task], cost: fn(&str) -> usize) -> Report {
    let solve = |task| Player { host, measure: cost, calls: 0, cost: 0 }.play(task);
    Report(tasks.iter().map(solve).collect())
}

struct Player<'a> {
    host: &'a Host<'a>,
    measure: fn(&str) -> usize,
    calls: usize,
    cost: usize,
}

impl Player<'_> {
    fn play(mut self, task: &Task) -> Played {
        let mut answer = self.answer(task);
        answer.sort_unstable();
        let is_right = answer == task.answer;
        Played { question: task.question.clone(), calls: self.calls, cost: self.cost, answer, is_right }
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
        self.cost += (self.measure)(&arguments.to_string()) + (self.measure)(&reply.text);
        reply.content()
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for Played { question, calls, cost, answer, is_right } in &self.0 {
            let mark = if *is_right { "right" } else { "WRONG" };
            writeln!(f, "{mark}  {calls} calls  cost {cost:>6}  {question}")?;
            if !is_right {
                writeln!(f, "       answered {answer:?}")?;
            }
        }
        let sum = |of: fn(&Played) -> usize| self.0.iter().map(of).sum::<usize>();
        let (right, calls) = (sum(|played| usize::from(played.is_right)), sum(|played| played.calls));
        write!(f, "{right} of {} right, {calls} calls, cost {}", self.0.len(), sum(|played| played.cost))
    }
}
