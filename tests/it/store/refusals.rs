//! What CURRENT names and cannot be served: the day turns all the same, what may pass is tried again, what was
//! not published as it is now waits until it changes, and the admin listener says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use edge::Server;
use jiff::civil::date;
use serde_json::Value;
use site::BuildOptions;
use snapshot::time::Day;
use store::{Digest, GenerationId, live_id};
use tempfile::TempDir;

use crate::data::words::cases;
use crate::server::{AS_OF, build, exchange, options, runtime};

/// A root with two generations of a few programs, the second of which is live.
struct Root {
    folder: TempDir,
    generations: [GenerationId; 2],
}

impl Root {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let directory = cases().directory;
        let generations = [date(2026, 11, 20), AS_OF].map(|as_of| {
            let options = BuildOptions { as_of, ..options(folder.path()) };
            build(&directory, Digest([0; 32]), &options).manifest.id()
        });
        Self { folder, generations }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Of a file of the second generation.
    fn file(&self, path: &str) -> PathBuf {
        self.path().join("generations").join(self.generations[1].to_string()).join(path)
    }

    /// Serves the first generation on a day, and then publishes the second.
    fn live(&self, day: Day, frozen: bool) -> Arc<Server> {
        self.point_to(&format!("{}\n", self.generations[0]));
        let options = edge::Options { frozen, ..edge::Options::new(self.path().to_owned(), day) };
        let live = Server::open(options).unwrap();
        self.point_to(&format!("{}\n", self.generations[1]));
        live
    }

    fn point_to(&self, text: &str) {
        let _ = fs::remove_file(self.path().join("CURRENT"));
        fs::write(self.path().join("CURRENT"), text).unwrap();
    }

    /// Writes a file of the second generation over, as somebody who may.
    fn overwrite(&self, path: &str, bytes: &[u8]) {
        fs::remove_file(self.file(path)).unwrap();
        fs::write(self.file(path), bytes).unwrap();
    }
}

/// Today, UTC.
fn today() -> Day {
    Day::new(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date())
}

fn serving(live: &Arc<Server>) -> GenerationId {
    live.state().generation().id()
}

#[test]
fn the_day_turns_whatever_current_says() {
    let root = Root::new();
    let long_ago = Day::new(date(2020, 2, 29));
    let damaged = |root: &Root| root.overwrite("index/rows.bin", b"OPDIRSEC");
    let absent = |root: &Root| root.point_to("000009-00000000000000000000000000000000\n");
    let garbage = |root: &Root| root.point_to("tomorrow");
    let missing = |root: &Root| fs::remove_file(root.path().join("CURRENT")).unwrap();
    let spoil: [&dyn Fn(&Root); 4] = [&absent, &garbage, &missing, &damaged];
    for spoil in spoil {
        let live = root.live(long_ago, false);
        spoil(&root);
        live.refresh();
        assert_eq!(live.state().dated.day(), today());
        assert_eq!(serving(&live), root.generations[0]);
        assert!(live.failed_reload().is_some());
        live.refresh();
        assert_eq!(live.state().dated.day(), today());
        root.point_to(&format!("{}\n", root.generations[1]));
    }
}

#[test]
fn a_generation_whose_files_come_later_is_taken_once_they_are_there() {
    for is_requested in [false, true] {
        let root = Root::new();
        let live = root.live(Day::new(AS_OF), true);
        fs::rename(root.file("site.zip"), root.path().join("elsewhere")).unwrap();
        let start = Instant::now();
        let retry = |milliseconds| match is_requested {
            true => live.refresh(),
            false => live.poll(start + Duration::from_millis(milliseconds)),
        };
        retry(0);
        let refused = live.failed_reload().unwrap();
        assert!(refused.is_transient && refused.reason.contains("missing"), "{refused:?}");
        retry(1_000);
        // Tried again, and reported once or on each request.
        assert_eq!(live.metrics.refusals.get(), 1 + u64::from(is_requested));
        fs::rename(root.path().join("elsewhere"), root.file("site.zip")).unwrap();
        retry(if is_requested { 1_000 } else { 3_000 });
        assert_eq!((serving(&live), live.failed_reload()), (root.generations[1], None));
        let loads = live.metrics.loads.get();
        live.poll(start + Duration::from_secs(9));
        assert_eq!(live.metrics.loads.get(), loads, "what is served is not opened again");
    }
}

#[test]
fn what_verification_refused_is_taken_when_the_file_is_put_right() {
    let root = Root::new();
    let live = root.live(Day::new(AS_OF), true);
    for file in ["manifest.json", "changes.bin", "index/files.bin", "index/search.bin"] {
        let good = fs::read(root.file(file)).unwrap();
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        root.overwrite(file, &bad);
        let now = Instant::now();
        live.poll(now);
        let refused = live.failed_reload().unwrap();
        assert!(!refused.is_transient && refused.reason.contains(file), "{refused:?}");
        assert_eq!(serving(&live), root.generations[0]);
        root.overwrite(file, &good);
        live.poll(now + Duration::from_secs(2));
        assert_eq!((serving(&live), live.failed_reload()), (root.generations[1], None), "{file}");
        root.point_to(&format!("{}\n", root.generations[0]));
        live.poll(now);
        root.point_to(&format!("{}\n", root.generations[1]));
    }
}

#[test]
fn the_admin_listener_says_degraded_and_why() {
    let root = Root::new();
    let live = root.live(Day::new(AS_OF), true);
    let runtime = runtime();
    let listener = runtime.block_on(async { tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap() });
    let address = listener.local_addr().unwrap();
    runtime.spawn(edge::serve_admin(listener, Arc::clone(&live)));
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: admin\r\n\r\n");
        exchange(&mut stream, request.as_bytes()).unwrap()
    };
    let readyz = || {
        let answer = get("/readyz");
        (answer.status, answer.json())
    };
    let (status, ready) = readyz();
    assert_eq!((status, &ready["state"], &ready["refused"]), (200, &"ready".into(), &Value::Null));

    let good = fs::read(root.file("index/rows.bin")).unwrap();
    root.overwrite("index/rows.bin", &vec![0; good.len()]);
    live.refresh();
    let (status, ready) = readyz();
    assert_eq!((status, &ready["state"], &ready["ready"]), (200, &"degraded".into(), &true.into()));
    assert_eq!(ready["refused"]["generation"], root.generations[1].to_string());
    assert!(ready["refused"]["reason"].as_str().unwrap().contains("rows.bin"), "{ready}");
    let metrics = get("/metrics").text();
    assert!(metrics.contains("edge_degraded{reason=\"unverified\"} 1\n"), "{metrics}");
    assert!(metrics.contains("edge_degraded{reason=\"unreadable\"} 0\n"), "{metrics}");

    fs::remove_file(root.file("index/rows.bin")).unwrap();
    live.refresh();
    assert!(get("/metrics").text().contains("edge_degraded{reason=\"unreadable\"} 1\n"));

    fs::write(root.file("index/rows.bin"), &good).unwrap();
    live.refresh();
    assert_eq!(readyz().1["state"], "ready");
    assert_eq!(live_id(root.path()).unwrap(), serving(&live));
    assert!(get("/metrics").text().contains("edge_degraded{reason=\"unreadable\"} 0\n"));
    live.drain();
    let (status, ready) = readyz();
    assert_eq!((status, &ready["state"]), (503, &"draining".into()));
}
