//! Plays tasks with a language model behind an endpoint, hosted or local. Nothing here runs unless it is
//! asked for by name; `curl` speaks for it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::play::{Played, Report};
use super::task::Task;
use super::{Host, tokens};

/// Tokens that a model may answer with at once.
const ANSWER_MAX: usize = 2_048;
/// Said after the server's instructions, so that a machine can check the answer.
const ANSWER: &str = "Use the tools. End with one line of JSON: {\"slugs\": [...]}, the slugs of the opportunities \
                      that are the answer and no others; an empty list where nothing fits.";

/// Where a model is, and how it is spoken to.
#[derive(Args, Debug)]
pub struct Endpoint {
    /// Address that messages are posted to.
    #[arg(long)]
    url: String,
    /// Name of the model.
    #[arg(long)]
    model: String,
    /// Which interface it speaks.
    #[arg(long, value_enum, default_value = "openai")]
    style: Style,
    /// Environment variable that holds the key; a local endpoint may need none.
    #[arg(long, default_value = "OPDIR_MODEL_KEY")]
    key: String,
    /// Most turns of a task.
    #[arg(long, default_value_t = 12)]
    turns: usize,
}

/// An interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// Chat completions.
    Openai,
    /// Messages.
    Anthropic,
}

/// What a model wants next.
#[derive(Debug, PartialEq, Eq)]
pub struct Turn {
    /// Tools to call: identity of the call, name, arguments.
    pub calls: Vec<(String, String, Value)>,
    /// What it says.
    pub text: String,
}

/// Plays tasks.
///
/// # Errors
///
/// If the endpoint cannot be asked, or its answer is none.
pub fn play(host: &Host<'_>, tasks: &[Task], endpoint: &Endpoint) -> Result<Report, String> {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}});
    let hello = host.result("initialize", &hello);
    let system = format!("{}\n\n{ANSWER}", hello["instructions"].as_str().unwrap_or_default());
    let tools = host.result("tools/list", &json!({}))["tools"].take();
    let player = Player { host, endpoint, system, tools };
    tasks.iter().map(|task| player.play(task)).collect::<Result<_, _>>().map(Report)
}

struct Player<'a> {
    host: &'a Host<'a>,
    endpoint: &'a Endpoint,
    system: String,
    tools: Value,
}

impl Player<'_> {
    fn play(&self, task: &Task) -> Result<Played, String> {
        let style = self.endpoint.style;
        let mut messages = vec![json!({"role": "user", "content": task.ask})];
        let (mut calls, mut read, mut bytes) = (0, 0, 0);
        let mut answer = Vec::new();
        for _ in 0..self.endpoint.turns {
            let said =
                self.ask(&style.request(&self.endpoint.model, &self.system, &self.tools, &messages))?;
            let turn = style.turn(&said).ok_or_else(|| format!("no answer: {said}"))?;
            if turn.calls.is_empty() {
                answer = slugs(&turn.text);
                break;
            }
            let mut results = Vec::new();
            for (id, name, arguments) in turn.calls {
                let text = self.host.call(&name, &arguments).text;
                calls += 1;
                bytes += text.len();
                read += tokens(&arguments.to_string()) + tokens(&text);
                results.push((id, text));
            }
            messages.extend(style.answered(&said, &results));
        }
        answer.sort_unstable();
        let is_right = answer == task.answer;
        Ok(Played { ask: task.ask.clone(), calls, tokens: read, bytes, answer, is_right })
    }

    /// Posts a body. The key goes by standard input: everybody may read the arguments of a process.
    fn ask(&self, body: &Value) -> Result<Value, String> {
        let told = |error: std::io::Error| format!("curl: {error}");
        let mut file = tempfile::NamedTempFile::new().map_err(told)?;
        file.write_all(body.to_string().as_bytes()).map_err(told)?;
        let mut config =
            format!("url = {}\ndata-binary = \"@{}\"\n", json!(self.endpoint.url), file.path().display());
        config.push_str("header = \"Content-Type: application/json\"\n");
        if let Ok(key) = std::env::var(&self.endpoint.key) {
            config.push_str(&self.endpoint.style.headers(&key));
        }
        let arguments =
            ["--silent", "--show-error", "--fail-with-body", "--max-time", "300", "--config", "-"];
        let mut curl = Command::new("curl");
        let mut child = curl
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(told)?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(config.as_bytes()).map_err(told)?;
        }
        let output = child.wait_with_output().map_err(told)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("{}{said}", String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))
    }
}

impl Style {
    fn headers(self, key: &str) -> String {
        match self {
            Self::Openai => format!("header = \"Authorization: Bearer {key}\"\n"),
            Self::Anthropic => {
                format!("header = \"x-api-key: {key}\"\nheader = \"anthropic-version: 2023-06-01\"\n")
            }
        }
    }

    /// The body of a request.
    #[must_use]
    pub fn request(self, model: &str, system: &str, tools: &Value, messages: &[Value]) -> Value {
        let tools = tools.as_array().map_or(&[][..], Vec::as_slice).iter();
        match self {
            Self::Openai => {
                let first = std::iter::once(json!({"role": "system", "content": system}));
                let messages: Vec<Value> = first.chain(messages.iter().cloned()).collect();
                let function = |it: &Value| {
                    let name = [&it["name"], &it["description"], &it["inputSchema"]];
                    let function = json!({"name": name[0], "description": name[1], "parameters": name[2]});
                    json!({"type": "function", "function": function})
                };
                let tools: Vec<Value> = tools.map(function).collect();
                json!({"model": model, "messages": messages, "tools": tools, "temperature": 0})
            }
            Self::Anthropic => {
                let tool = |it: &Value| json!({"name": it["name"], "description": it["description"], "input_schema": it["inputSchema"]});
                let tools: Vec<Value> = tools.map(tool).collect();
                json!({
                    "model": model, "system": system, "messages": messages, "tools": tools,
                    "max_tokens": ANSWER_MAX, "temperature": 0
                })
            }
        }
    }

    /// What an answer wants; nothing where it is none.
    #[must_use]
    pub fn turn(self, said: &Value) -> Option<Turn> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match self {
            Self::Openai => {
                let message = said["choices"][0]["message"].as_object()?;
                let calls =
                    message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let call = |call: &Value| {
                    let function = &call["function"];
                    let arguments = serde_json::from_str(&text(&function["arguments"])).unwrap_or_default();
                    (text(&call["id"]), text(&function["name"]), arguments)
                };
                Some(Turn {
                    calls: calls.iter().map(call).collect(),
                    text: message.get("content").map(text).unwrap_or_default(),
                })
            }
            Self::Anthropic => {
                let blocks = said["content"].as_array()?;
                let of = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
                let call = |block: &Value| (text(&block["id"]), text(&block["name"]), block["input"].clone());
                let said: Vec<String> = of("text").map(|block| text(&block["text"])).collect();
                Some(Turn { calls: of("tool_use").map(call).collect(), text: said.join("\n") })
            }
        }
    }

    /// The messages that hand results on: what the model said, then what its calls came to.
    #[must_use]
    pub fn answered(self, said: &Value, results: &[(String, String)]) -> Vec<Value> {
        match self {
            Self::Openai => {
                let tool = |(id, text): &(String, String)| json!({"role": "tool", "tool_call_id": id, "content": text});
                let said = std::iter::once(said["choices"][0]["message"].clone());
                said.chain(results.iter().map(tool)).collect()
            }
            Self::Anthropic => {
                let tool = |(id, text): &(String, String)| json!({"type": "tool_result", "tool_use_id": id, "content": text});
                let results: Vec<Value> = results.iter().map(tool).collect();
                vec![
                    json!({"role": "assistant", "content": said["content"]}),
                    json!({"role": "user", "content": results}),
                ]
            }
        }
    }
}

/// The slugs of the last line of JSON in a text.
fn slugs(text: &str) -> Vec<String> {
    let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
    let found = lines.filter_map(|value| value["slugs"].as_array().cloned()).next().unwrap_or_default();
    found.iter().filter_map(|slug| slug.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_interfaces_ask_for_the_same_call_and_take_its_result() {
        let openai = json!({"choices": [{"message": {
            "role": "assistant", "content": null,
            "tool_calls": [{"id": "1", "function": {"name": "get_opportunity", "arguments": "{\"slug\":\"a\"}"}}]
        }}]});
        let anthropic = json!({"content": [
            {"type": "tool_use", "id": "1", "name": "get_opportunity", "input": {"slug": "a"}}
        ]});
        let call = ("1".to_owned(), "get_opportunity".to_owned(), json!({"slug": "a"}));
        let results = [("1".to_owned(), "{}".to_owned())];
        for (style, said) in [(Style::Openai, openai), (Style::Anthropic, anthropic)] {
            let turn = style.turn(&said).unwrap();
            assert_eq!(turn, Turn { calls: vec![call.clone()], text: String::new() });
            assert_eq!(style.answered(&said, &results).len(), 2);
            assert_eq!(style.turn(&json!({"error": {}})), None);
        }
    }

    #[test]
    fn the_answer_is_the_last_line_of_json() {
        assert_eq!(slugs("{\"slugs\": [\"x\"]}\nRather:\n{\"slugs\": [\"a\", \"b\"]}\n"), ["a", "b"]);
        assert!(slugs("none").is_empty());
    }
}
