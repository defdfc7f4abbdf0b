//! Two pushes, garbage collection and a reader in every order of their requests, up to a number of switches between them
//! and of faults: a reader always finds a complete generation. And without any one of the rules that this rests on,
//! some order breaks it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Waker};

use bytes::Bytes;
use jiff::Timestamp;
use jiff::civil::date;
use store::{
    ARCHIVE, DatasetHash, Digest, FORMAT, FileTotals, GenerationId, Manifest, RecordCounts, StoredFile,
};
use tempfile::TempDir;

use super::current::key;
use super::memory::{Broken, Client, DAY, Memory, Objects, run_alone};
use crate::current::{self, CURRENT, Current, FetchedCurrent, GenerationRef, Trust};
use crate::error::RemoteError;
use crate::objects::{self, MANIFEST};
use crate::publish::{Publisher, PushSource, Pushed};
use crate::rollback_guard::RollbackGuard;
use crate::stores::Target;

/// Recorded among the requests by a reader that found no complete generation.
const GAVE_UP: &str = "a reader found no complete generation";
/// The same by a publisher whose own version went back.
const WENT_BACK: &str = "the version of a publisher went back";
/// The same by an intruder before it sets CURRENT back.
const SETS_BACK: &str = "sets back";

/// A generation of three files, each of which says what it is.
pub(super) struct TestSource {
    manifest: Manifest,
    own: String,
    root: Option<PathBuf>,
}

impl TestSource {
    pub(super) fn new(sequence: u64, own: &str) -> Self {
        let own = format!("{own} {sequence}");
        let stored = ["changes.bin", "index/files.bin", ARCHIVE].map(|path| {
            let content = content(&own, path);
            StoredFile { path: path.to_owned(), bytes: content.len() as u64, sha256: Digest::of(&content) }
        });
        let files = FileTotals { count: 3, bytes: 9, sha256: Digest::of(own.as_bytes()) };
        let (as_of, base_url) = (date(2026, 11, 20), "https://example.org");
        let manifest = Manifest {
            format: FORMAT,
            sequence,
            parent: None,
            hash: Digest::of(format!("{}\n{as_of}\n{base_url}\n", files.sha256).as_bytes()),
            generated_at: "2026-11-20T06:00:00Z".parse().unwrap(),
            as_of,
            base_url: base_url.to_owned(),
            api_version: "1.0.0".to_owned(),
            source: DatasetHash { sha256: Digest::default() },
            counts: RecordCounts::default(),
            files,
            stored: stored.into(),
            complete: true,
        };
        Self { manifest, own, root: None }
    }

    /// The same in a folder, which records what was pushed.
    pub(super) fn of(self, root: &Path) -> Self {
        Self { root: Some(root.to_owned()), ..self }
    }
}

fn content(own: &str, path: &str) -> Vec<u8> {
    format!("{path} of {own}").into_bytes()
}

impl PushSource for TestSource {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    fn check(&self) -> Result<(), RemoteError> {
        Ok(())
    }

    fn read(&self, path: &str, start: u64, length: usize) -> Result<Bytes, RemoteError> {
        Ok(Bytes::from(content(&self.own, path)).slice(start as usize..start as usize + length))
    }
}

/// Names of all objects that CURRENT needs, or of a manifest that is not there.
pub(super) fn needed(objects: &Objects, current: &Current) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for of in std::iter::once(&current.live).chain(&current.retained) {
        let (bytes, _) = objects.get(&of.path(MANIFEST)).ok_or_else(|| of.path(MANIFEST))?;
        names.extend(names_of(of, &Manifest::parse(bytes).unwrap()));
    }
    Ok(names)
}

fn names_of(of: &GenerationRef, manifest: &Manifest) -> Vec<String> {
    let files = manifest.stored.iter().map(|file| objects::object_of(of, file));
    files.chain([of.path(MANIFEST)]).collect()
}

pub(super) fn unsigned() -> Trust {
    Trust::new(&[], true).unwrap()
}

/// Runs the work of a publisher whose clock is so many seconds ahead of the store's.
pub(super) async fn as_publisher(client: &Client, ahead: i64, work: impl AsyncFnOnce(&Publisher<'_>)) {
    let memory = Arc::clone(&client.memory);
    let clock = move || Timestamp::from_second(*memory.now.lock().unwrap() + ahead).unwrap();
    let valid_for = Some(std::time::Duration::from_secs(7 * DAY as u64));
    let warn = |text: &str| client.memory.warnings.lock().unwrap().push(text.to_owned());
    let (trust, recover, clock) = (&unsigned(), false, &clock);
    work(&Publisher { target: client, trust, sign: None, valid_for, recover, clock, warn: &warn }).await;
}

/// The generations whose push succeeded.
pub(super) type Published = Arc<Mutex<Vec<GenerationId>>>;

async fn push_with(publisher: &Publisher<'_>, source: TestSource, published: Published) {
    if publisher.push(&source).await.is_ok() {
        published.lock().unwrap().push(source.manifest.id());
    }
}

/// Pushes, and gives what comes of it.
pub(super) async fn pushed(client: &Client, ahead: i64, source: TestSource) -> Result<Pushed, RemoteError> {
    let mut pushed = None;
    as_publisher(client, ahead, async |publisher| pushed = Some(publisher.push(&source).await)).await;
    pushed.unwrap()
}

pub(super) async fn push(client: Client, source: TestSource, published: Published) {
    as_publisher(&client, 0, async |publisher| push_with(publisher, source, published).await).await;
}

/// Collects garbage so many times, with more than a week in between.
pub(super) async fn collect(client: Client, times: usize) {
    for time in 0..times {
        client.memory.pass(if time > 0 { 8 * DAY } else { 0 });
        as_publisher(&client, 0, async |publisher| {
            let _ = publisher.collect(1, Timestamp::MAX).await;
        })
        .await;
    }
}

/// Reads as a pull does: starts again when an object is gone, and should find a complete generation in the end.
async fn read(client: Client) {
    for _ in 0..3 {
        let Ok(read) = current::fetch(&client, &unsigned()).await else { continue };
        let Ok(manifest) = objects::manifest(&client, &read.current.live).await else { continue };
        let names = names_of(&read.current.live, &manifest);
        let mut found = 0;
        for name in &names {
            found += usize::from(client.get(name, None, 1 << 20).await.is_ok());
        }
        if found == names.len() {
            return;
        }
    }
    client.memory.requests.lock().unwrap().push(GAVE_UP.to_owned());
}

type Signer = Box<dyn Fn(&[u8]) -> Result<String, String> + Send + Sync>;

/// A second signer beside the publishers that sign nothing, and the trust of clients that accept both.
fn second_key() -> &'static (Signer, Trust) {
    static KEY: LazyLock<(Signer, Trust)> = LazyLock::new(|| {
        let (sign, public) = key();
        (Box::new(sign), Trust::new(&[public], true).unwrap())
    });
    &KEY
}

async fn push_signed(client: Client, source: TestSource, published: Published) {
    as_publisher(&client, 0, async |publisher| {
        let (sign, trust) = second_key();
        push_with(&Publisher { trust, sign: Some(sign), ..*publisher }, source, published).await;
    })
    .await;
}

/// Follows as an edge does that trusts both: what it accepts must never be older than what it accepted before.
async fn follow(client: Client, root: TempDir) {
    let (mut last, trust) = (0, &second_key().1);
    for _ in 0..3 {
        let Ok(read) = current::fetch(&client, trust).await else { continue };
        let guard = RollbackGuard::read(root.path()).unwrap();
        if guard.check(&read, "memory://", trust).is_err() {
            continue;
        }
        if read.current.version < last {
            client.memory.requests.lock().unwrap().push(WENT_BACK.to_owned());
        }
        last = read.current.version;
        guard.record(&read, "memory://").unwrap();
    }
}

/// Puts back the CURRENT that is there now, later.
async fn set_back(client: Client, before: Bytes) {
    client.memory.requests.lock().unwrap().push(SETS_BACK.to_owned());
    let _ = client.upload(CURRENT, before.len() as u64, &|_, _| Ok(before.clone())).await;
}

/// Pushes twice from a root that has what is live. Versions must increase, whatever happens to the store.
async fn push_twice(client: Client, root: TempDir) {
    let live = FetchedCurrent::parse("", &client.memory.object(CURRENT), &unsigned()).unwrap();
    RollbackGuard::read(root.path()).unwrap().record(&live, "memory://").unwrap();
    let mut last = 0;
    for (sequence, own) in [(3, "third"), (4, "fourth")] {
        as_publisher(&client, 0, async |publisher| {
            let source = TestSource::new(sequence, own).of(root.path());
            let Ok(pushed) = publisher.push(&source).await else { return };
            let version = pushed.current.current.version;
            if version <= last {
                client.memory.requests.lock().unwrap().push(WENT_BACK.to_owned());
            }
            last = version;
        })
        .await;
    }
}

/// The next event of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A request of this client.
    Request(usize),
    /// The same, and its answer is lost.
    LoseAnswer(usize),
    /// The same, and the store refuses it: its disk is full.
    Refuse(usize),
    /// This client crashes.
    Crash(usize),
}

impl Step {
    fn client(self) -> usize {
        match self {
            Self::Request(client) | Self::LoseAnswer(client) | Self::Refuse(client) | Self::Crash(client) => {
                client
            }
        }
    }
}

type Work = Pin<Box<dyn Future<Output = ()>>>;

/// A store and the clients that use it.
struct World {
    memory: Arc<Memory>,
    clients: Vec<(Client, Option<Work>)>,
    published: Published,
}

/// The objects of a store to which two generations were pushed.
fn two_pushed() -> Objects {
    let memory = Memory::empty();
    for (sequence, own) in [(1, "first"), (2, "second")] {
        run_alone(push(Client::of(&memory), TestSource::new(sequence, own), Published::default()));
    }
    memory.objects.lock().unwrap().clone()
}

impl World {
    fn add<F: Future<Output = ()> + 'static>(&mut self, work: impl FnOnce(Client, Published) -> F) {
        let client = Client::of(&self.memory);
        let work: Work = Box::pin(work(client.clone(), Arc::clone(&self.published)));
        self.clients.push((client, Some(work)));
    }

    fn step(&mut self, step: Step) {
        let (client, work) = &mut self.clients[step.client()];
        let fails = |fails: &AtomicBool, by: bool| fails.store(by, Relaxed);
        fails(&client.loses, matches!(step, Step::LoseAnswer(_)));
        fails(&client.is_full, matches!(step, Step::Refuse(_)));
        let polled = work.as_mut().map(|work| work.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        if matches!(step, Step::Crash(_)) || polled.is_some_and(|polled| polled.is_ready()) {
            *work = None;
        }
        fails(&client.loses, false);
        fails(&client.is_full, false);
    }

    fn running(&self) -> Vec<usize> {
        (0..self.clients.len()).filter(|client| self.clients[*client].1.is_some()).collect()
    }

    fn current(&self) -> FetchedCurrent {
        FetchedCurrent::parse("", &self.memory.object(CURRENT), &second_key().1).unwrap()
    }

    /// An object that CURRENT names and that is not there.
    fn missing(&self) -> Option<String> {
        let objects = self.memory.objects.lock().unwrap().clone();
        match needed(&objects, &self.current().current) {
            Ok(names) => names.into_iter().find(|name| !objects.contains_key(name)),
            Err(manifest) => Some(manifest),
        }
    }
}

/// One schedule, run to its end or to its first fault.
#[derive(Default)]
struct Run {
    steps: Vec<Step>,
    /// For each step the other clients that could have gone instead, where that makes a difference.
    others: Vec<Option<Vec<usize>>>,
    /// For each step whether it writes: only then can a disk be full.
    writes: Vec<bool>,
    fault: Option<String>,
}

/// Whether a request can meet those of other clients: uploads have names that nobody else knows.
fn is_shared(request: &str) -> bool {
    let (name, path) = request.split_once(' ').unwrap_or_default();
    path == CURRENT || name == "delete" || name == "get" && path.ends_with(MANIFEST)
}

/// Runs the first steps as given, then each client to its end.
fn run(mut world: World, given: &[Step]) -> Run {
    let mut run = Run::default();
    let (mut versions, mut last, mut seen, mut is_set_back) = (vec![], 0, 0, false);
    loop {
        let running = world.running();
        let next = match given.get(run.steps.len()) {
            Some(step) => *step,
            None if running.contains(&last) => Step::Request(last),
            None => match running.first() {
                Some(first) => Step::Request(*first),
                None => break,
            },
        };
        world.step(next);
        last = next.client();
        let requests = world.memory.requests.lock().unwrap()[seen..].to_vec();
        seen += requests.len();
        let others = running.into_iter().filter(|client| *client != last).collect();
        run.others.push(requests.iter().any(|request| is_shared(request)).then_some(others));
        run.writes.push(requests.iter().any(|request| request.starts_with("write ")));
        run.steps.push(next);
        run.fault = requests.iter().find(|request| [GAVE_UP, WENT_BACK].contains(&request.as_str())).cloned();
        if run.fault.is_some() {
            return run;
        }
        is_set_back |= requests.iter().any(|request| request == SETS_BACK);
        // Only these can make a generation incomplete.
        if !requests.iter().any(|request| request.starts_with("delete ") || request.ends_with(CURRENT)) {
            continue;
        }
        run.fault = world.missing().map(|name| format!("{name} is not there"));
        if run.fault.is_some() {
            return run;
        }
        let current = world.current();
        if versions.last().is_none_or(|(_, line)| *line != current.line) {
            versions.push((current.current.version, current.line));
        }
    }
    if is_set_back {
        return run;
    }
    if !versions.array_windows().all(|[(before, _), (after, _)]| *after == before + 1) {
        run.fault = Some(format!("versions went {:?}", versions.iter().map(|v| v.0).collect::<Vec<_>>()));
    } else if versions.len() < world.published.lock().unwrap().iter().collect::<HashSet<_>>().len() + 1 {
        run.fault = Some("a push reported success and was never live".to_owned());
    }
    run
}

/// Most switches from a running client to another, and most faults of a schedule.
type Bounds = (usize, usize);

/// Runs all schedules within the bounds; gives their number, and the first that has a fault.
fn explore(
    objects: &Objects,
    broken: Broken,
    clients: &dyn Fn(&mut World),
    (switches, faults): Bounds,
) -> (usize, Option<(Vec<Step>, String)>) {
    let (mut count, mut open, mut seen) = (0, vec![(Vec::new(), 0, 0)], HashSet::new());
    while let Some((given, switched, failed)) = open.pop() {
        let memory = Memory::new(objects.clone(), broken);
        let mut world = World { memory, clients: Vec::new(), published: Published::default() };
        clients(&mut world);
        let run = run(world, &given);
        count += 1;
        if let Some(fault) = run.fault {
            return (count, Some((run.steps, fault)));
        }
        for at in given.len()..run.steps.len() {
            let (Step::Request(client), Some(others)) = (run.steps[at], &run.others[at]) else { continue };
            let mut branch = |step: Step, switched: usize, failed: usize| {
                let next = [&run.steps[..at], &[step]].concat();
                if switched <= switches && failed <= faults && seen.insert(next.clone()) {
                    open.push((next, switched, failed));
                }
            };
            let is_switch = at > 0 && run.steps[at - 1] == Step::Request(client);
            for other in others {
                branch(Step::Request(*other), switched + usize::from(is_switch), failed);
            }
            branch(Step::LoseAnswer(client), switched, failed + 1);
            if run.writes[at] {
                branch(Step::Refuse(client), switched, failed + 1);
            }
            branch(Step::Crash(client), switched, failed + 1);
        }
    }
    (count, None)
}

/// Two pushes, the second with the content of a dropped generation, and garbage collection twice.
fn writers(world: &mut World) {
    world.add(|client, published| push(client, TestSource::new(3, "third"), published));
    world.add(|client, _| collect(client, 2));
    world.add(|client, published| push(client, TestSource::new(4, "first"), published));
}

fn writers_and_a_reader(world: &mut World) {
    writers(world);
    world.add(|client, _| read(client));
}

#[track_caller]
fn holds(clients: &dyn Fn(&mut World), bounds: Bounds, at_least: usize) {
    let (count, broken) = explore(&two_pushed(), Broken::default(), clients, bounds);
    assert!(broken.is_none(), "{broken:#?}");
    assert!(count >= at_least, "only {count} schedules");
}

#[track_caller]
fn breaks(broken: Broken, clients: &dyn Fn(&mut World), expected: &str) {
    let (count, found) = explore(&two_pushed(), broken, clients, (2, 0));
    let (_, fault) = found.unwrap_or_else(|| panic!("no fault in {count} schedules"));
    assert!(fault.contains(expected), "{fault}");
}

#[test]
fn a_reader_finds_a_complete_generation_whatever_requests_come_in_between() {
    holds(&writers_and_a_reader, (2, 0), 500);
}

#[test]
fn generations_stay_complete_whichever_client_crashes_gets_no_answer_or_finds_the_disk_full() {
    holds(&writers, (1, 1), 500);
}

#[test]
fn the_versions_of_a_publisher_increase_whenever_the_store_is_set_back() {
    let clients = |world: &mut World| {
        let before = world.memory.object(CURRENT).bytes;
        world.add(|client, _| push_twice(client, tempfile::tempdir().unwrap()));
        world.add(move |client, _| set_back(client, before));
    };
    holds(&clients, (2, 1), 50);
}

#[test]
fn a_follower_of_two_keys_never_accepts_an_older_version_of_either() {
    let clients = |world: &mut World| {
        let before = world.memory.object(CURRENT).bytes;
        world.add(|client, _| follow(client, tempfile::tempdir().unwrap()));
        world.add(|client, published| push_signed(client, TestSource::new(3, "third"), published));
        world.add(move |client, _| set_back(client, before));
    };
    holds(&clients, (2, 0), 50);
}

#[test]
fn without_preconditions_a_push_is_lost() {
    let broken = Broken { conditions: true, ..Broken::default() };
    breaks(broken, &writers_and_a_reader, "versions went");
}

#[test]
fn without_the_order_of_writes_a_reader_finds_half_a_generation() {
    let broken = Broken { order: true, ..Broken::default() };
    breaks(broken, &writers_and_a_reader, ".zip is not there");
}

#[test]
fn of_two_publishers_of_the_same_generation_one_wins_or_both_find_it_live() {
    let clients = |world: &mut World| {
        for _ in 0..2 {
            world.add(|client, published| push(client, TestSource::new(3, "third"), published));
        }
        world.add(|client, _| collect(client, 2));
    };
    holds(&clients, (2, 0), 100);
    holds(&clients, (1, 1), 100);
}
