//! A disk in memory that crashes in every way POSIX allows, and what the publisher makes of it.
//!
//! Worst case: a file whose bytes were not synced may come back empty, cut in half, zeroed or whole;
//! of the unsynced changes of a directory any subset may have survived (a rename is one change).
//! What a crash left is decided when it is first looked at, and every decision is then tried the other
//! way: states that differ only in what nobody reads are one state.

mod faults;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use jiff::civil::date;
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::super::StoreError;
use super::super::body::{Body, Chunks, Coding, Digest};
use super::super::disk::{DirEntry, Disk, FileType, Lock, Stamp};
use super::super::generation::{current, open_current_on};
use super::super::layout::{CURRENT_TMP, GENERATIONS, GenerationId};
use super::super::mapping::Mapping;
use super::super::old_generations::{gc_on, rollback_on};
use super::super::stage::{BuildInfo, PublishOutcome, Stage};
use super::super::table::NewFile;
use super::super::verify::{VerifyMode, verify_on};

/// Entries that appear (a node) or go (none) together.
type Change = Vec<(String, Option<usize>)>;
type Entries = BTreeMap<String, usize>;

#[derive(Clone)]
enum Node {
    File { bytes: Arc<[u8]>, synced: bool },
    Directory { durable: Entries, pending: Vec<Change> },
}

/// Decisions of one crash: which of how many, in the order they came up.
#[derive(Default)]
struct Choices {
    script: Vec<(usize, usize)>,
    made: usize,
}

impl Choices {
    fn choose(&mut self, of: usize) -> usize {
        if self.made == self.script.len() {
            self.script.push((0, of));
        }
        self.made += 1;
        self.script[self.made - 1].0
    }

    /// The next untried script; none when all were tried.
    fn next(mut self) -> Option<Self> {
        while let Some((taken, of)) = self.script.pop() {
            if taken + 1 < of {
                self.script.push((taken + 1, of));
                return Some(Self { script: self.script, made: 0 });
            }
        }
        None
    }
}

#[derive(Default)]
struct State {
    nodes: Vec<Node>,
    /// Present after a crash: what is unsynced is decided on sight. There is no second crash, so what
    /// is changed from then on stays.
    choices: Option<Choices>,
    /// The nodes after every change, so that a crash can be put after each.
    log: Vec<Vec<Node>>,
    /// Operations so far.
    operations: usize,
    /// How many there were before the last sync of the root.
    before_last_sync: usize,
    /// A fault, and the operation that it comes at, counted from 0.
    fault: Option<(Fault, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// One operation fails.
    Once(Errno),
    /// The publisher is killed: nothing it does from here on is done.
    Killed,
}

/// The disk.
struct Model {
    state: Mutex<State>,
    /// A barrier that is left out: `/` stands for `sync_all`, else the name synced.
    broken: Option<&'static str>,
}

impl Model {
    fn with(nodes: Vec<Node>, choices: Option<Choices>, broken: Option<&'static str>) -> Arc<Self> {
        let state = State { nodes, choices, ..State::default() };
        Arc::new(Self { state: Mutex::new(state), broken })
    }

    fn empty() -> Arc<Self> {
        let root = Node::Directory { durable: Entries::new(), pending: Vec::new() };
        Self::with(vec![root], None, None)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The state for an operation, unless that fails.
    fn operation(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let now = state.operations;
        state.operations += 1;
        match state.fault {
            Some((Fault::Once(errno), at)) if now == at => Err(errno.into()),
            Some((Fault::Killed, at)) if now >= at => Err(Errno::IO.into()),
            _ => Ok(state),
        }
    }

    /// The same disk, all synced, its log empty.
    fn settled(&self, broken: Option<&'static str>) -> Arc<Self> {
        self.sync_all().unwrap();
        Self::with(self.state().nodes.clone(), None, broken)
    }
}

impl State {
    /// What the crash left of a node, decided now if it was not before.
    fn settle(&mut self, node: usize) {
        let Some(choices) = &mut self.choices else { return };
        match &mut self.nodes[node] {
            Node::File { synced: true, .. } => {}
            Node::File { bytes, synced } => {
                *bytes = match choices.choose(4) {
                    0 => Arc::from(&**bytes),
                    1 => Arc::from(&b""[..]),
                    2 => Arc::from(&bytes[..bytes.len() / 2]),
                    _ => vec![0; bytes.len()].into(),
                };
                *synced = true;
            }
            Node::Directory { durable, pending } => {
                for change in std::mem::take(pending) {
                    if choices.choose(2) == 0 {
                        apply(durable, &change);
                    }
                }
            }
        }
    }

    fn entries(&mut self, node: usize) -> io::Result<Entries> {
        self.settle(node);
        let Node::Directory { durable, pending } = &self.nodes[node] else {
            return Err(Errno::NOTDIR.into());
        };
        let mut now = durable.clone();
        pending.iter().for_each(|change| apply(&mut now, change));
        Ok(now)
    }

    fn find(&mut self, name: &str) -> io::Result<usize> {
        let steps = name.split('/').filter(|step| !step.is_empty());
        steps.into_iter().try_fold(0, |node, step| {
            self.entries(node)?.get(step).copied().ok_or_else(|| Errno::NOENT.into())
        })
    }

    fn file(&mut self, name: &str) -> io::Result<Arc<[u8]>> {
        let node = self.find(name)?;
        self.settle(node);
        match &self.nodes[node] {
            Node::File { bytes, .. } => Ok(Arc::clone(bytes)),
            Node::Directory { .. } => Err(Errno::LOOP.into()),
        }
    }

    /// Changes entries of the directory that holds `name`.
    fn change(&mut self, name: &str, to: Option<usize>, and: Change) -> io::Result<()> {
        let (dir, last) = name.rsplit_once('/').unwrap_or(("", name));
        let dir = self.find(dir)?;
        self.settle(dir);
        let crashed = self.choices.is_some();
        let change = [and, vec![(last.to_owned(), to)]].concat();
        match &mut self.nodes[dir] {
            Node::Directory { durable, .. } if crashed => apply(durable, &change),
            Node::Directory { pending, .. } => pending.push(change),
            Node::File { .. } => return Err(Errno::NOTDIR.into()),
        }
        self.done();
        Ok(())
    }

    fn done(&mut self) {
        if self.choices.is_none() {
            self.log.push(self.nodes.clone());
        }
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// In a directory that is there.
    fn must_be_new(&mut self, name: &str) -> io::Result<()> {
        self.find(name.rsplit_once('/').map_or("", |(dir, _)| dir))?;
        if self.find(name).is_ok() { Err(Errno::EXIST.into()) } else { Ok(()) }
    }
}

fn apply(entries: &mut Entries, change: &Change) {
    for (name, node) in change {
        match node {
            Some(node) => entries.insert(name.clone(), *node),
            None => entries.remove(name),
        };
    }
}

fn sync_node(node: &mut Node) {
    match node {
        Node::File { synced, .. } => *synced = true,
        Node::Directory { durable, pending } => {
            std::mem::take(pending).iter().for_each(|change| apply(durable, change));
        }
    }
}

impl Disk for Model {
    fn locate(&self, name: &str) -> PathBuf {
        Path::new("/model").join(name)
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let bytes = self.operation()?.file(name)?;
        let part = bytes.get(offset as usize..).and_then(|rest| rest.get(..len));
        part.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn map(&self, name: &str) -> io::Result<Mapping> {
        Ok(Mapping::copy_of(&self.operation()?.file(name)?))
    }

    fn copy(&self, name: &str, limit: u64) -> io::Result<Mapping> {
        let bytes = self.operation()?.file(name)?;
        Ok(Mapping::copy_of(&bytes[..bytes.len().min(limit as usize + 1)]))
    }

    fn hash(&self, name: &str) -> io::Result<Body> {
        Ok(Body::of(&self.operation()?.file(name)?))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<DirEntry>> {
        let mut state = self.operation()?;
        let node = state.find(dir)?;
        let entries = state.entries(node)?;
        let kind = |name, node: usize, state: &mut State| {
            if matches!(state.nodes[node], Node::File { .. }) {
                state.settle(node);
            }
            match &state.nodes[node] {
                Node::Directory { .. } => (name, FileType::Directory, 0),
                Node::File { bytes, .. } => (name, FileType::RegularFile, bytes.len() as u64),
            }
        };
        Ok(entries.into_iter().map(|(name, node)| kind(name, node, &mut state)).collect())
    }

    fn stamp(&self, _name: &str) -> Option<Stamp> {
        None
    }

    fn modified(&self, _dir: &str) -> io::Result<SystemTime> {
        self.operation().map(|_| SystemTime::UNIX_EPOCH)
    }

    fn create_dirs(&self, dir: &str) -> io::Result<()> {
        let mut state = self.operation()?;
        for end in dir.match_indices('/').map(|(at, _)| at).chain([dir.len()]) {
            if state.find(&dir[..end]).is_err() {
                let node = state.add(Node::Directory { durable: Entries::new(), pending: Vec::new() });
                state.change(&dir[..end], Some(node), Vec::new())?;
            }
        }
        Ok(())
    }

    fn write_new(&self, name: &str, content: &dyn Chunks) -> io::Result<()> {
        let failed = self.operation().err();
        let mut state = self.state();
        if matches!(state.fault, Some((Fault::Killed, at)) if state.operations > at + 1) {
            return Err(Errno::IO.into());
        }
        let mut bytes = Vec::new();
        content.each(&mut |chunk| bytes.write_all(chunk))?;
        state.must_be_new(name)?;
        // Half of it may have been written.
        let bytes = if failed.is_some() { &bytes[..bytes.len() / 2] } else { &bytes };
        let synced = state.choices.is_some();
        let node = state.add(Node::File { bytes: bytes.into(), synced });
        state.change(name, Some(node), Vec::new())?;
        failed.map_or(Ok(()), Err)
    }

    fn edit(&self, _name: &str) -> io::Result<std::fs::File> {
        Err(Errno::OPNOTSUPP.into())
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.operation()?;
        state.must_be_new(to)?;
        let node = state.find(from)?;
        state.change(to, Some(node), Vec::new())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.operation()?;
        let node = state.find(from)?;
        let last = from.rsplit_once('/').map_or(from, |(_, last)| last);
        state.change(to, Some(node), vec![(last.to_owned(), None)])
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.operation()?;
        state.find(name)?;
        state.change(name, None, Vec::new())
    }

    fn touch(&self, dir: &str) -> io::Result<()> {
        self.operation()?.find(dir).map(|_| ())
    }

    fn sync_all(&self) -> io::Result<()> {
        let mut state = self.operation()?;
        if self.broken != Some("/") {
            state.nodes.iter_mut().for_each(sync_node);
        }
        state.done();
        Ok(())
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let mut state = self.operation()?;
        if name.is_empty() {
            state.before_last_sync = state.operations - 1;
        }
        let node = state.find(name)?;
        state.settle(node);
        if self.broken != Some(name) {
            sync_node(&mut state.nodes[node]);
        }
        state.done();
        Ok(())
    }

    fn lock(&self) -> io::Result<Lock> {
        self.operation().map(|_| Lock(None))
    }

    fn hold(&self, dir: &str, _: FlockOperation) -> io::Result<Lock> {
        self.operation()?.find(dir).map(|_| Lock(None))
    }
}

/// Runs `check` on every disk that a crash may leave behind; returns how many there are.
fn every_crash(nodes: &[Node], mut check: impl FnMut(&Arc<dyn Disk>)) -> usize {
    let mut next = Some(Choices::default());
    let mut states = 0;
    while let Some(choices) = next {
        let model = Model::with(nodes.to_vec(), Some(choices), None);
        let disk: Arc<dyn Disk> = model.clone();
        check(&disk);
        states += 1;
        next = model.state().choices.take().and_then(Choices::next);
    }
    states
}

fn publish(disk: Arc<dyn Disk>, text: &str) -> Result<PublishOutcome, StoreError> {
    let long = format!("{text} {}", "long enough to be deflated ".repeat(30));
    let pages = [("a.json", "always the same"), ("b/c.json", &*long)];
    publish_pages(disk, text, &pages.map(|(path, body)| (path.to_owned(), body.to_owned())))
}

fn publish_pages(
    disk: Arc<dyn Disk>,
    text: &str,
    pages: &[(String, String)],
) -> Result<PublishOutcome, StoreError> {
    let stage = Stage::begin_on(disk, |_| tempfile::tempfile())?;
    stage.put_sections("index/x.bin", super::section("text", text.as_bytes()))?;
    for (path, body) in pages {
        stage.put(NewFile { path, body: body.as_bytes(), holes: &[], inputs: &[] })?;
    }
    stage.publish(&about(text))
}

/// What a generation made from a text is.
fn about(text: &str) -> BuildInfo {
    BuildInfo { source: Digest::of(text.as_bytes()), ..super::about("2026-11-20T06:00:00Z") }
}

fn verified(disk: &Arc<dyn Disk>) -> Result<GenerationId, Vec<StoreError>> {
    verify_on(disk, None, VerifyMode::Deep).map(|manifest| manifest.id())
}

/// Crashes after every change that `act` makes to `before`. Returns (states, those with a missing, torn
/// or wrong live generation, those that lost the new generation although `act` had returned).
fn crash_everywhere(before: &Model, act: impl Fn(Arc<dyn Disk>), broken: Option<&'static str>) -> [usize; 3] {
    let disk = before.settled(broken);
    let start: Arc<dyn Disk> = before.settled(None);
    let old = verified(&start).ok();
    act(disk.clone());
    let new = current(&*disk).unwrap();
    let log = std::mem::take(&mut disk.state().log);
    let mut counts = [0; 3];
    for (at, nodes) in log.iter().enumerate() {
        counts[0] += every_crash(nodes, |after| {
            match verified(after) {
                Ok(id) if id == new => {}
                Ok(id) if Some(id) == old => counts[2] += usize::from(at + 1 == log.len()),
                Err(faults) if old.is_none() && matches!(*faults, [StoreError::Unpublished { .. }]) => {
                    counts[2] += usize::from(at + 1 == log.len());
                }
                _ => counts[1] += 1,
            }
            if broken.is_none() {
                let next = publish(Arc::clone(after), "after the crash").unwrap();
                assert_eq!(verified(after).unwrap(), next.manifest.id());
            }
        });
    }
    counts
}

/// A disk with two generations, `CURRENT` naming the second.
fn two_generations() -> Arc<Model> {
    let disk = Model::empty();
    for text in ["first", "second"] {
        publish(disk.clone(), text).unwrap();
    }
    disk
}

fn publish_third(disk: Arc<dyn Disk>) {
    publish(disk, "third").unwrap();
}

#[test]
fn a_crash_at_any_point_leaves_a_complete_live_generation_and_the_next_publisher_recovers() {
    let first = crash_everywhere(&Model::empty(), publish_third, None);
    let third = crash_everywhere(&two_generations(), publish_third, None);
    let back = |disk: Arc<dyn Disk>| {
        assert_eq!(rollback_on(&disk, None, date(2026, 11, 20)).unwrap()[0].sequence, 3);
    };
    let rollback = crash_everywhere(&two_generations(), back, None);
    let gc = |disk: Arc<dyn Disk>| {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        assert_eq!(gc_on(&*disk, 1, now).unwrap().len(), 1);
    };
    let gc = crash_everywhere(&two_generations(), gc, None);
    for [states, broken, lost] in [first, third, rollback, gc] {
        assert!(states > 1);
        assert_eq!([broken, lost], [0, 0]);
    }
    println!("states: first {first:?}, third {third:?}, rollback {rollback:?}, gc {gc:?}");
}

#[test]
fn each_of_the_four_barriers_is_needed() {
    let without = |barrier| crash_everywhere(&two_generations(), publish_third, Some(barrier));
    let [_, broken, _] = without("/");
    assert!(broken > 0, "B1: files missing or torn");
    let [_, broken, _] = without(GENERATIONS);
    assert!(broken > 0, "B2: CURRENT names a generation that is not there");
    let [_, broken, _] = without(CURRENT_TMP);
    assert!(broken > 0, "B3: CURRENT is torn");
    let [_, broken, lost] = without("");
    assert_eq!(broken, 0);
    assert!(lost > 0, "B4: success was reported, then undone");
}

#[test]
fn every_flipped_byte_and_every_truncation_is_found_by_verify() {
    let model = two_generations();
    let disk: Arc<dyn Disk> = Arc::<Model>::clone(&model);
    let dir = format!("{GENERATIONS}/{}", verified(&disk).unwrap());
    let read = || {
        let live = open_current_on(&disk, 0).ok()?;
        // The second time only the CRC-32 is compared.
        let turns = [Coding::Identity, Coding::Gzip].repeat(2);
        let bodies = |entry| turns.iter().map(|coding| live.read(entry, *coding).ok()).collect::<Vec<_>>();
        Some(live.files().entries().map(bodies).collect::<Vec<_>>())
    };
    let published = read().unwrap();
    for path in ["manifest.json", "changes.bin", "site.zip", "index/files.bin", "index/x.bin"] {
        let node = model.state().find(&format!("{dir}/{path}")).unwrap();
        let good = model.state().file(&format!("{dir}/{path}")).unwrap();
        let refused = |bad: Vec<u8>, how: &str| {
            model.state().nodes[node] = Node::File { bytes: bad.into(), synced: true };
            let faults = verified(&disk).expect_err(how);
            // The manifest names lengths and hashes that the files beside it do not have then.
            let named = |fault: &StoreError| path == "manifest.json" || fault.to_string().contains(path);
            assert!(faults.iter().any(named), "{how}: {faults:?}");
            let found = read().unwrap_or_default();
            let mut bodies = found.iter().flatten().zip(published.iter().flatten());
            assert!(bodies.all(|(found, good)| found.is_none() || found == good), "{how}: read");
        };
        for at in 0..good.len() {
            let mut bad = good.to_vec();
            bad[at] ^= 1;
            refused(bad, &format!("{path}: byte {at} flipped"));
            refused(good[..at].to_vec(), &format!("{path}: cut at {at}"));
        }
        model.state().nodes[node] = Node::File { bytes: good, synced: true };
    }
    assert!(verified(&disk).is_ok());
}
