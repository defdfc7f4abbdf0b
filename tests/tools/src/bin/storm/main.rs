//! Measures a real `opdir-edge` under attack: HTTP/2 clients that ask for much and take none of it, and thousands of
//! unused connections. Ends with 1 when memory went beyond what is promised. `tests/it/http/storm.rs` and
//! `tests/cli/edge.rs` have what else befalls an edge: swaps, restarts, slow clients and floods for damaged pages.
//!
//! ```sh
//! cargo build --release -p edge
//! cargo run --release --manifest-path tests/tools/Cargo.toml --bin storm -- unused --edge target/release/opdir-edge
//! ```

mod replay;

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use dataset::diagnostics::Diagnostics;
use dataset::{Input, link, read};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use site::Effort;
use site::Progress;
use site::{BuildOptions, generate};
use snapshot::record::Directory;
use store::Digest;
use tests::storm::Place;
use tests::storm::client::Client;
use tests::storm::window::{Outcome, attack};
use tests::synth::{self, TODAY};

use self::replay::replay;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const HOST: &str = "directory.example";
/// Programs of a directory whose answers do not matter.
const PROGRAMS: usize = 300;
/// Longer than any deadline of the edge: 15 s for a reader, looked at every 15 s.
const PATIENCE: Duration = Duration::from_secs(45);
/// Connections and streams of an attack with windows of 0, and programs in each answer: of the edge's memory and
/// not of the client's bytes it is made.
const ATTACK: (usize, usize) = (14, 128);
const ATTACKED_PROGRAMS: usize = 2_000;
/// Most memory that answers in flight may take, in KB: twice the edge's budget for their bytes.
const FLIGHT_MOST: u64 = 2 * 64 * 1024;
/// Most memory of an unused connection, in KB.
const UNUSED_MOST: f64 = 12.0;
/// Until memory that is not needed any more is given back.
const SETTLING: Duration = Duration::from_secs(5);

/// Puts a real edge to the test under load.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    storm: Storm,
}

#[derive(Subcommand)]
enum Storm {
    /// Asks over HTTP/2 for much with windows of 0, and takes none of it
    Window(Settings),
    /// Asks once on each of thousands of connections, and keeps them
    Unused(Settings),
    /// Asks through a cache, with junk in every query, for what the edge behind it answers
    Replay(Replay),
}

#[derive(Args)]
struct Settings {
    /// The program `opdir-edge`
    #[arg(long, value_name = "PATH")]
    edge: PathBuf,
    /// Unused connections
    #[arg(long, default_value_t = 10_000)]
    connections: usize,
}

#[derive(Args)]
struct Replay {
    /// Address of the cache
    #[arg(long)]
    cache: SocketAddr,
    /// Address of the edge behind it
    #[arg(long)]
    origin: SocketAddr,
    /// Host that both answer for
    #[arg(long, default_value = HOST)]
    host: String,
    /// How many requests
    #[arg(long, default_value_t = 100_000)]
    requests: u64,
    /// Header line that every request has, such as `Accept-Encoding: gzip`
    #[arg(long)]
    header: Option<String>,
}

fn main() -> ExitCode {
    let result = raise_limit().and_then(|()| match Arguments::parse().storm {
        Storm::Window(settings) => window(&Site::build(ATTACKED_PROGRAMS)?, &settings),
        Storm::Unused(settings) => unused(&Site::build(PROGRAMS)?, &settings),
        Storm::Replay(settings) => through(&settings),
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("storm: {error}");
            ExitCode::FAILURE
        }
    }
}

/// As many open files as the system allows; the edge inherits it.
fn raise_limit() -> Result<()> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}

/// A snapshot of a synthetic directory.
struct Site {
    folder: PathBuf,
}

impl Site {
    fn build(programs: usize) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("opdir-storm-{}", std::process::id()));
        let site = Self { folder };
        let data = site.folder.join("data");
        synth::write(&data, &synth::Options { programs, seed: 1 })?;
        let (directory, source) = load(&data)?;
        let options = BuildOptions {
            out: site.root(),
            base_url: format!("https://{HOST}"),
            as_of: TODAY,
            jobs: 0,
            effort: Effort::None,
            layout: site::Storage::Tree,
            fingerprint: None,
            index_only: false,
            templates: None,
        };
        generate(&directory, source, &options, &Progress::new(true))?;
        Ok(site)
    }

    fn root(&self) -> PathBuf {
        self.folder.join("site")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn load(folder: &Path) -> Result<(Directory, Digest)> {
    let mut report = Diagnostics::new();
    let tables = read(&Input::Folder(folder.to_owned()), &mut report)?;
    let source = Digest(tables.source_sha256);
    Ok((link(tables, &mut report).ok_or("the synthetic dataset has errors")?, source))
}

fn socket() -> Result<TcpListener> {
    Ok(TcpListener::bind("127.0.0.1:0")?)
}

/// A running edge, on a socket that was handed over to it.
struct Edge {
    process: Child,
    place: Place,
}

impl Edge {
    fn start(program: &Path, root: &Path, socket: &TcpListener) -> Result<Self> {
        const HAND_OVER: &str = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null";
        let mut command = Command::new("sh");
        command.args(["-c", HAND_OVER]).arg(program.canonicalize()?).arg("--snapshot").arg(root);
        command.args(["--today", &TODAY.to_string()]).stdin(Stdio::from(OwnedFd::from(socket.try_clone()?)));
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut lines = BufReader::new(process.stderr.take().ok_or("no standard error")?).lines();
        let serving = lines.by_ref().map_while(std::io::Result::ok).any(|line| line.contains("serving"));
        // A pipe that is not read would stop the edge.
        std::thread::spawn(move || lines.map_while(std::io::Result::ok).for_each(drop));
        let place = Place { address: socket.local_addr()?, host: HOST.to_owned() };
        if serving { Ok(Self { process, place }) } else { Err("the edge does not serve".into()) }
    }

    /// Its resident memory, in KB.
    fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no resident memory")?;
        Ok(number.parse()?)
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn window(site: &Site, settings: &Settings) -> Result<bool> {
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    // Different questions that every program answers.
    let target = |nth: usize| format!("/programs.csv?q=-nothing{nth}");
    // Once, so that what is kept for good is there before.
    Client::new(&edge.place, "").get(&target(0))?;
    let (before, began) = (edge.memory()?, Instant::now());
    let mut most = before;
    let look = |_: &Outcome| most = most.max(edge.memory().unwrap_or(0));
    let outcome = attack(&edge.place, ATTACK, target, PATIENCE, look)?;
    let took = began.elapsed();
    std::thread::sleep(SETTLING);
    let after = edge.memory()?;
    println!(
        "window 0: {} KB of requests on {} connections; {} answers begun, {} refused, {} streams reset, {} \
         connections closed, all over after {:.1} s; memory {before} KB before, {most} KB at most, {after} KB after",
        outcome.sent / 1024,
        ATTACK.0,
        outcome.answered,
        outcome.refused,
        outcome.reset,
        outcome.closed,
        took.as_secs_f64(),
    );
    Ok(most - before <= FLIGHT_MOST && took < PATIENCE)
}

fn unused(site: &Site, settings: &Settings) -> Result<bool> {
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let count = settings.connections;
    let connect = || -> Result<Client> {
        let mut client = Client::new(&edge.place, "");
        client.get("/api/v1/organizations")?;
        Ok(client)
    };
    // A few first, so that what is kept for good is there before.
    drop((0..10).map(|_| connect()).collect::<Result<Vec<_>>>()?);
    let before = edge.memory()?;
    let held = (0..count).map(|_| connect()).collect::<Result<Vec<_>>>()?;
    std::thread::sleep(SETTLING);
    let each = edge.memory()?.saturating_sub(before) as f64 / held.len() as f64;
    println!("unused: {each:.1} KB for each of {count} connections");
    Ok(each <= UNUSED_MOST)
}

fn through(settings: &Replay) -> Result<bool> {
    let place = |address| Place { address, host: settings.host.clone() };
    let (cache, origin) = (place(settings.cache), place(settings.origin));
    let header = settings.header.as_deref().map_or_else(String::new, |line| format!("{line}\r\n"));
    let targets = questions();
    let replayed = replay(&cache, &origin, &targets, settings.requests, &header)?;
    let share = replayed.hits as f64 / replayed.asked as f64;
    println!(
        "{} requests for {} addresses: {:.2} % served by the cache, {} answers other than the edge's own",
        replayed.asked,
        targets.len(),
        share * 100.0,
        replayed.different
    );
    Ok(share >= 0.99 && replayed.different == 0)
}

/// Questions that any directory answers.
fn questions() -> Vec<String> {
    let words =
        ["research", "science", "health", "grant", "school", "music", "energy", "women", "water", "law"];
    let paths = ["/api/v1/search", "/api/v1/programs", "/programs", "/es/programs", "/programs.csv"];
    let filters = ["", "open=true", "sort=name", "limit=5", "citizenship=NG", "funded=true&sort=recent"];
    let mut targets =
        vec!["/".to_owned(), "/api/v1/exports/latest".to_owned(), "/api/v1/facets/topics".to_owned()];
    for word in words {
        for path in paths {
            let query = |filter: &&str| format!("{path}?q={word}&{filter}").trim_end_matches('&').to_owned();
            targets.extend(filters.iter().map(query));
        }
    }
    targets
}
