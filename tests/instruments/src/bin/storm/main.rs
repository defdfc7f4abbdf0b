//! Puts a real `opdir-edge` to the test under load: thousands of unused connections, one client that holds all it may,
//! and abandoned requests. Ends with 1 when a request failed, or memory or time went beyond what is promised.
//!
//! ```sh
//! cargo build --release -p edge
//! cargo run --release --manifest-path tests/instruments/Cargo.toml --bin storm -- all --edge target/release/opdir-edge
//! ```

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use dataset::Input;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use snapshot::record::Directory;
use tests::storm::Place;
use tests::storm::client::Client;
use tests::storm::load::{Expected, Tally, during};
use tests::synth::{self, TODAY};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const HOST: &str = "127.0.0.1";
/// Programs of the directory.
const PROGRAMS: usize = 300;
/// Most memory of an unused connection, in KB.
const UNUSED_MOST: f64 = 16.0;
/// Searches, lists, downloads and pages, besides records.
const TARGETS: [&str; 10] = [
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
];
/// Header line of the client that a trusted proxy tells apart from those that mean well.
const STRANGER: &str = "X-Forwarded-For: 203.0.113.9\r\n";
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
    /// Everything, one after the other
    All(Settings),
    /// Asks once on each of ten times as many connections, and keeps them
    Unused(Settings),
    /// Lets one client hold all the connections and answers it may, beside another one
    Hoard(Settings),
    /// Asks for the details of a hundred records on 600 connections at once, and leaves
    Abandoned(Settings),
}

#[derive(Args)]
struct Settings {
    /// The program `opdir-edge`
    #[arg(long, value_name = "PATH")]
    edge: PathBuf,
    /// Connections of the one client; a tenth of those that are unused
    #[arg(long, default_value_t = 1_000)]
    connections: usize,
}

fn main() -> ExitCode {
    let result = raise_limit().and_then(|()| match Arguments::parse().storm {
        Storm::All(settings) => {
            let site = Site::build(PROGRAMS)?;
            let of_site = [unused, hoard, abandoned];
            of_site.into_iter().try_fold(true, |good, storm| Ok(storm(&site, &settings)? && good))
        }
        Storm::Unused(settings) => unused(&Site::build(PROGRAMS)?, &settings),
        Storm::Hoard(settings) => hoard(&Site::build(PROGRAMS)?, &settings),
        Storm::Abandoned(settings) => abandoned(&Site::build(PROGRAMS)?, &settings),
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

/// A snapshot of synthetic data.
struct Site {
    folder: PathBuf,
    directory: Directory,
}

impl Site {
    fn build(programs: usize) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("opdir-storm-{}", std::process::id()));
        let data = folder.join("data");
        synth::write(&data, &synth::Options { programs, seed: 1 })?;
        let directory = instruments::load(&Input::Folder(data));
        instruments::publish(&directory, &folder.join("site"), false);
        Ok(Self { folder, directory })
    }

    fn root(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// What it answers at rest.
    fn expected(&self, edge: &Path) -> Result<Expected> {
        let some = self.directory.programs.iter().step_by(PROGRAMS / 10);
        let records = some.map(|program| format!("/api/v1/programs/{}", program.slug));
        let mut expected = Expected::of(TARGETS.map(str::to_owned).into_iter().chain(records).collect());
        expected.record(&Edge::start(edge, &self.root(), &socket()?)?.place)?;
        Ok(expected)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
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
        // One address is the clients of many, which their requests name.
        command
            .args(["--trusted-proxy", "127.0.0.0/8", "--today", &TODAY.to_string()])
            .stdin(Stdio::from(OwnedFd::from(socket.try_clone()?)));
        let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut lines = BufReader::new(process.stderr.take().ok_or("no standard error")?).lines();
        let serving = lines.by_ref().map_while(std::io::Result::ok).any(|line| line.contains("serving"));
        // A pipe that is not read would stop the edge.
        std::thread::spawn(move || lines.for_each(drop));
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
    let edge = Edge::start(&settings.edge, &site.root(), &socket()?)?;
    let some = site.directory.programs.iter().take(100);
    let query = some.map(|program| format!("program={}", program.slug)).collect::<Vec<_>>().join("&");
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
