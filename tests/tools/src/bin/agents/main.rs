//! Measures what the MCP tools cost an agent in tokens, solves tasks with them, or calls one.

#![expect(clippy::unwrap_used, reason = "a malformed answer is a failed measurement")]

mod measure;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use dataset::Input;
use serde_json::Value;
use tests::agents::{HOSTILE, Host, Set, play};
use tests::judge::desk;

/// Works with the tools as agents do, over the sample or over a dataset.
#[derive(Parser)]
struct Arguments {
    /// Folder of the published dataset; without it, the embedded sample.
    #[arg(long, global = true)]
    data: Option<PathBuf>,
    /// Works with a few records whose texts give orders.
    #[arg(long, global = true, conflicts_with = "data")]
    hostile: bool,
    #[command(subcommand)]
    work: Work,
}

#[derive(Subcommand)]
enum Work {
    /// Counts tokens of records, rows and lists, and natural values that are taken.
    Measure,
    /// Plays the tasks with the scripted agent.
    Play,
    /// Calls a tool.
    Call {
        /// Its name.
        tool: String,
        /// Its arguments, a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
    },
}

/// Number of tokens of a text in the vocabulary `o200k_base`.
fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

fn main() {
    let arguments = Arguments::parse();
    let (set, input) = match arguments.data {
        Some(folder) => (Set::Published, Input::Folder(folder)),
        None if arguments.hostile => (Set::Hostile, Input::Embedded(HOSTILE)),
        None => (Set::Sample, Input::Embedded(dataset::sample::FILES)),
    };
    let (_folder, live) = desk::publish(&input);
    let host = Host::new(&live);
    match arguments.work {
        Work::Measure => println!("{}", measure::measure(&host)),
        Work::Play => println!("{}", play::play(&host, &set.tasks(), tokens)),
        Work::Call { tool, arguments } => {
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            let reply = host.call(&tool, &arguments);
            println!("{}\n{} tokens", reply.text, tokens(&reply.text));
        }
    }
}
