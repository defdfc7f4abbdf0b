//! Puts a real `opdir-edge` to the test under load: hot swaps, restarts on a socket that outlives them, thousands
//! of connections that keep it waiting or are unused, one client that holds all it may, abandoned requests, and a flood
//! for damaged pages. Ends with 1 when a request failed, a connection stayed, or memory, time or log went beyond what is promised.
//!
//! ```sh
//! cargo build --release -p edge
//! cargo run --release --manifest-path tests/instruments/Cargo.toml --bin storm -- all --edge target/release/opdir-edge
//! ```

mod replay;

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use dataset::diagnostics::Diagnostics;
use dataset::{Input, link, read};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use site::Progress;
use site::{BuildOptions, generate};
use snapshot::record::Directory;
use store::{Digest, GenerationId, rollback};
use tests::storm::Place;
use tests::storm::client::Client;
use tests::storm::load::{Expected, Tally, during};
use tests::storm::slow::{Kind, STRANGER, hold};
use tests::synth::{self, TODAY};

use self::replay::replay;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const HOST: &str = "directory.example";
/// Programs of the two generations that are swapped.
const PROGRAMS: usize = 300;
/// Longer than any deadline of the edge: 15 s for a reader, looked at every 15 s.
const PATIENCE: Duration = Duration::from_secs(45);
/// Most memory of an unused connection, in KB.
const UNUSED_MOST: f64 = 16.0;
/// Length of a flood for damaged pages, and most bytes of log in it.
const FLOOD: Duration = Duration::from_secs(60);
const LOG_MOST: usize = 100_000;
/// How long one client holds what it may.
const HOARD: Duration = Duration::from_secs(10);
/// Requests that are abandoned, and most memory for them, in MB.
const ABANDONED: usize = 600;
const ABANDONED_MOST: u64 = 200;
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
    /// Everything but the cache, one after the other
    All(Settings),
    /// Publishes other data again and again under load
    Swaps(Settings),
    /// Starts a new edge and ends the old one again and again under load
    Restarts(Settings),
    /// Holds connections in every way there is, beside clients that mean well
    Slow(Settings),
    /// Asks once on each of ten times as many connections as are slow, and keeps them
    Unused(Settings),
    /// Lets one client hold all the connections and answers it may, beside another one
    Hoard(Settings),
    /// Asks for the details of a hundred records on 600 connections at once, and leaves
    Abandoned(Settings),
    /// Asks for pages whose files are damaged
    Damaged(Settings),
    /// Asks through a cache, with junk in every query, for what the edge behind it answers
    Replay(Replay),
}

#[derive(Args)]
struct Settings {
    /// The program `opdir-edge`
    #[arg(long, value_name = "PATH")]
    edge: PathBuf,
    /// Clients that ask without pause
    #[arg(long, default_value_t = 32)]
    clients: u64,
    /// How many swaps, and a fifth as many restarts
    #[arg(long, default_value_t = 100)]
    swaps: usize,
    /// Slow connections of each kind
    #[arg(long, default_value_t = 1_000)]
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
        Storm::All(settings) => {
            let site = Site::build(PROGRAMS)?;
            let of_site = [swaps, restarts, slow, unused, hoard, abandoned, damaged];
            of_site.into_iter().try_fold(true, |good, storm| Ok(storm(&site, &settings)? && good))
        }
        Storm::Swaps(settings) => swaps(&Site::build(PROGRAMS)?, &settings),
        Storm::Restarts(settings) => restarts(&Site::build(PROGRAMS)?, &settings),
        Storm::Slow(settings) => slow(&Site::build(PROGRAMS)?, &settings),
        Storm::Unused(settings) => unused(&Site::build(PROGRAMS)?, &settings),
        Storm::Hoard(settings) => hoard(&Site::build(PROGRAMS)?, &settings),
        Storm::Abandoned(settings) => abandoned(&Site::build(PROGRAMS)?, &settings),
        Storm::Damaged(settings) => damaged(&Site::build(PROGRAMS)?, &settings),
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

/// Two generations of different data under one root.
struct Site {
    folder: PathBuf,
    generations: [GenerationId; 2],
    targets: Vec<String>,
}

impl Site {
    fn build(programs: usize) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("opdir-storm-{}", std::process::id()));
        let mut targets = [
            "/api/v1/search?q=research&open=true",
            "/api/v1/programs?limit=50",
            "/api/v1/organizations",
            "/api/v1/cycles?upcoming=false",
            "/api/v1/recipients?limit=5",
            "/api/v1/facets/topics",
            "/api/v1/exports/latest",
            "/api/v1/exports/latest?format=csv",
            "/programs?q=science",
            "/",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut publish = |seed| -> Result<GenerationId> {
            let data = folder.join(format!("data-{seed}"));
            synth::write(&data, &synth::Options { programs, seed })?;
            let (directory, source) = load(&data)?;
            let some = directory.programs.iter().step_by(programs / 10);
            targets.extend(some.map(|program| format!("/api/v1/programs/{}", program.slug)));
            let options = BuildOptions {
                out: folder.join("site"),
                base_url: format!("https://{HOST}"),
                as_of: TODAY,
                jobs: 0,
                made_from: None,
                index_only: false,
                templates: None,
            };
            Ok(generate(&directory, source, &options, &Progress::new(true), &())?.manifest.id())
        };
        let generations = [publish(1)?, publish(2)?];
        Ok(Self { folder, generations, targets })
    }

    fn root(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// Makes a generation the live one.
    fn point_to(&self, generation: usize) -> Result<()> {
        rollback(&self.root(), Some(self.generations[generation]), TODAY)
            .map_err(|faults| format!("{faults:?}"))?;
        Ok(())
    }

    /// What each generation answers at rest.
    fn expected(&self, edge: &Path) -> Result<Expected> {
        let mut expected = Expected::of(self.targets.clone());
        for generation in 0..self.generations.len() {
            self.point_to(generation)?;
            expected.record(&Edge::start(edge, &self.root(), &socket()?)?.place)?;
        }
        Ok(expected)
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
    /// Bytes of its log since it serves.
    logged: Arc<AtomicUsize>,
}

impl Edge {
    fn start(program: &Path, root: &Path, socket: &TcpListener) -> Result<Self> {
        const HAND_OVER: &str = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&0 </dev/null";
        let mut command = Command::new("sh");
        command.args(["-c", HAND_OVER]).arg(program.canonicalize()?).arg("--snapshot").arg(root);
        // One address is the clients of many, which their requests name.
        command
            .args(["--trusted-proxy", "127.0.0.0/8", "--today", &TODAY.to_string()])
            .stdin(Stdio::from(OwnedFd::from(socket.try_clone()?)));
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut lines = BufReader::new(process.stderr.take().ok_or("no standard error")?).lines();
        let serving = lines.by_ref().map_while(std::io::Result::ok).any(|line| line.contains("serving"));
        let logged = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&logged);
        // A pipe that is not read would stop the edge.
        let add = move |line: String| {
            count.fetch_add(line.len() + 1, Relaxed);
        };
        std::thread::spawn(move || lines.map_while(std::io::Result::ok).for_each(add));
        let place = Place { address: socket.local_addr()?, host: HOST.to_owned() };
        if serving { Ok(Self { process, place, logged }) } else { Err("the edge does not serve".into()) }
    }

    fn tell(&self, signal: Signal) -> Result<()> {
        let id = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw).ok_or("no process")?;
        Ok(kill_process(id, signal)?)
    }

    /// Its resident memory, in KB.
    fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no resident memory")?;
        Ok(number.parse()?)
    }

    /// Asks it to end, and waits; true when it ended well.
    fn end(&mut self) -> Result<bool> {
        self.tell(Signal::TERM)?;
        Ok(self.process.wait()?.success())
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.tell(Signal::TERM);
        let _ = self.process.wait();
    }
}

fn report(what: &str, tally: &Tally) -> bool {
    let ms = |per_mille| tally.quantile(per_mille).as_secs_f64() * 1e3;
    println!(
        "{what}: {} answers ({:?} of each generation), {} failed, {} mixed, {} asked again on a new connection; \
         p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
        tally.good(),
        tally.answered,
        tally.failed,
        tally.mixed,
        tally.retried,
        ms(500),
        ms(990),
        ms(999),
    );
    if let Some(fault) = &tally.first_fault {
        println!("  first fault: {fault}");
    }
    tally.failed == 0 && tally.mixed == 0 && tally.good() > 0
}

fn swaps(site: &Site, settings: &Settings) -> Result<bool> {
    let expected = site.expected(&settings.edge)?;
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let (mut taken, mut slowest) = (0, Duration::ZERO);
    let tally = during(&edge.place, &expected, settings.clients, || {
        for swap in 0..settings.swaps {
            let (began, generation) = (Instant::now(), swap % 2);
            let swapped = site.point_to(generation).and_then(|()| edge.tell(Signal::HUP));
            taken += usize::from(swapped.is_ok() && expected.await_generation(&edge.place, generation));
            slowest = slowest.max(began.elapsed());
        }
    });
    println!(
        "{taken} of {} swaps taken, the slowest after {:.0} ms",
        settings.swaps,
        slowest.as_secs_f64() * 1e3
    );
    Ok(report("swaps", &tally) && taken == settings.swaps)
}

fn restarts(site: &Site, settings: &Settings) -> Result<bool> {
    let expected = site.expected(&settings.edge)?;
    let socket = socket()?;
    let mut edge = Edge::start(&settings.edge, &site.root(), &socket)?;
    let place = edge.place.clone();
    let (wanted, mut well) = (settings.swaps.div_ceil(5), 0);
    let tally = during(&place, &expected, settings.clients, || {
        for _ in 0..wanted {
            let Ok(next) = Edge::start(&settings.edge, &site.root(), &socket) else { continue };
            let mut old = std::mem::replace(&mut edge, next);
            well += usize::from(old.end().unwrap_or(false));
        }
    });
    println!("{well} of {wanted} edges ended well at SIGTERM");
    Ok(report("restarts", &tally) && well == wanted)
}

fn slow(site: &Site, settings: &Settings) -> Result<bool> {
    let expected = site.expected(&settings.edge)?;
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let mut good = true;
    for kind in Kind::ALL {
        let mut held = None;
        let count = settings.connections;
        let tally = during(&edge.place, &expected, 1, || {
            held = hold(&edge.place, kind, count, Duration::from_secs(1), PATIENCE).ok();
        });
        let held = held.ok_or("no connection could be opened")?;
        println!(
            "{kind:?}: {} of {count} closed, after {:.1} s to {:.1} s; {} left",
            held.closed,
            held.shortest.as_secs_f64(),
            held.longest.as_secs_f64(),
            held.left
        );
        good &= report("  meanwhile", &tally) && held.left == 0;
    }
    Ok(good)
}

fn unused(site: &Site, settings: &Settings) -> Result<bool> {
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let count = 10 * settings.connections;
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

fn hoard(site: &Site, settings: &Settings) -> Result<bool> {
    let expected = site.expected(&settings.edge)?;
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let idle = during(&edge.place, &expected, 1, || std::thread::sleep(HOARD));
    let ask = |nth: usize| -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(edge.place.address)?;
        stream.set_nonblocking(true)?;
        let request = |n| {
            let target = format!("/api/v1/search?limit=100&ageMax={}", 100 * nth + n);
            format!("GET {target} HTTP/1.1\r\nHost: {HOST}\r\n{STRANGER}\r\n")
        };
        // What the edge does not read at once need not be sent.
        let _ = stream.write((0..100).map(request).collect::<String>().as_bytes())?;
        Ok(stream)
    };
    let mut held = Vec::new();
    let tally = during(&edge.place, &expected, 1, || {
        held.extend((0..settings.connections).filter_map(|nth| ask(nth).ok()));
        std::thread::sleep(HOARD);
    });
    let good = report("hoard, idle", &idle) & report("  meanwhile", &tally);
    Ok(good && tally.quantile(990) <= 10 * idle.quantile(990))
}

fn abandoned(site: &Site, settings: &Settings) -> Result<bool> {
    site.point_to(0)?;
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let folder = site.folder.join("data-1");
    let slugs = load(&folder)?.0.programs.into_iter().map(|program| program.slug);
    let query = slugs.take(100).map(|slug| format!("program={slug}")).collect::<Vec<_>>().join("&");
    let target = format!("/api/v1/details?{query}");
    drop(Client::new(&edge.place, "").get(&target)?);
    let before = edge.memory()?;
    let request = |nth| {
        format!(
            "HEAD {target}&limit={nth} HTTP/1.1\r\nHost: {HOST}\r\nAccept-Encoding: gzip\r\n{STRANGER}\r\n"
        )
    };
    for nth in 0..ABANDONED {
        TcpStream::connect(edge.place.address)?.write_all(request(nth).as_bytes())?;
    }
    let (began, mut most) = (Instant::now(), before);
    while began.elapsed() < SETTLING {
        most = most.max(edge.memory()?);
        std::thread::sleep(Duration::from_millis(5));
    }
    let more = most.saturating_sub(before) / 1024;
    println!("abandoned: {more} MB for {ABANDONED} requests, before {} MB", before / 1024);
    Ok(more <= ABANDONED_MOST)
}

fn damaged(site: &Site, settings: &Settings) -> Result<bool> {
    site.point_to(0)?;
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let live = std::fs::read_to_string(site.root().join("CURRENT"))?;
    let public = site.root().join("generations").join(live.trim()).join("public");
    let mut targets = vec!["/api/v1/organizations".to_owned()];
    for target in site.targets.iter().filter(|target| target.starts_with("/api/v1/programs/")) {
        let file = public.join(format!("{}.json", target.trim_start_matches('/')));
        // Those of the other generation are not there.
        if std::fs::remove_file(&file).is_ok() {
            std::fs::write(file, "what nobody published")?;
            targets.push(target.clone());
        }
    }
    let mut expected = Expected::of(targets);
    expected.record(&edge.place)?;
    let statuses: Vec<u16> = expected.answers[0].iter().map(|answer| answer.status).collect();
    let tally = during(&edge.place, &expected, settings.clients, || std::thread::sleep(FLOOD));
    let logged = edge.logged.load(Relaxed);
    println!("damaged: {logged} bytes of log in {FLOOD:?}");
    let good = statuses[0] == 200 && statuses[1..].iter().all(|status| *status == 500);
    Ok(report("damaged", &tally) && good && logged <= LOG_MOST)
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
