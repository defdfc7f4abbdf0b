//! Asks judged questions in every way there is and prints what the answers are worth.

mod kept;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use dataset::Input;
use edge::Server;
use serde_json::Value;
use snapshot::query::Query;
use snapshot::search::RankOptions;
use tempfile::TempDir;
use tests::judge::judged::{PUBLISHED, SAMPLE};
use tests::judge::{Desk, FACES, Judged, Run};
use tests::snapshots;

/// Measures how well judged questions are answered: over the sample, or over a dataset that its own
/// questions are about.
#[derive(Parser)]
struct Arguments {
    /// Folder of the published dataset; without it, the embedded sample is asked.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Ask only the questions to choose constants with, so that the others stay unseen.
    #[arg(long)]
    choose: bool,
    /// List the questions that are answered badly.
    #[arg(long)]
    misses: bool,
    /// Keep the answers in this file.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Print the parts of this question and what each adds to its rows, in place of measures.
    #[arg(long)]
    explain: Option<String>,
    /// Say what changed since the answers that were kept in this file.
    #[arg(long)]
    against: Option<PathBuf>,
}

fn main() -> ExitCode {
    match judge(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("judge: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A dataset, published into a temporary folder and opened without a server.
fn publish(data: &Path) -> (TempDir, Arc<Server>) {
    let folder = snapshots::folder();
    let (directory, source) = snapshots::load(&Input::Folder(data.to_owned()));
    snapshots::build(&directory, source, &snapshots::options(folder.path()));
    let live = snapshots::open(folder.path(), 0);
    (folder, live)
}

fn judge(arguments: &Arguments) -> Result<(), String> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut questions = Judged::read(if arguments.data.is_some() { PUBLISHED } else { SAMPLE });
    questions.retain(|judged| !arguments.choose || !report::is_reporting(judged));
    let before = match &arguments.against {
        Some(path) => {
            kept::load(&serde_json::from_str::<Value>(&read(path)?).map_err(|error| error.to_string())?)
        }
        None => Vec::new(),
    };
    let published = arguments.data.as_ref().map(|folder| publish(folder));
    let live: &Arc<Server> = published.as_ref().map_or_else(|| snapshots::sample(), |(_, live)| live);
    if let Some(question) = &arguments.explain {
        let state = live.state();
        let query = Query { text: Some(question.clone()), ..Query::default() };
        print!("{}", state.site().index.explain(&query, &state.dated.today, RankOptions::by_relevance()));
        return Ok(());
    }
    let desk = Desk::new(live);
    let runs = FACES.map(|variant| Run::of(&variant, &desk, &questions));
    runs.iter().for_each(|run| println!("{}", report::table(run, &desk, &questions)));
    println!("{}", report::summary(&runs, &desk, &questions));
    for run in &runs {
        if arguments.misses {
            println!("{}", report::misses(run, &questions));
        }
        if let Some(before) = before.iter().find(|before| before.name == run.name) {
            println!("{}", report::changes(before, run, &questions));
        }
    }
    match &arguments.save {
        Some(path) => std::fs::write(path, kept::save(&runs).to_string())
            .map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}
