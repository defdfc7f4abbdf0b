//! A disk in memory that forgets what was not synced, and that can fail.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::body::{Body, Chunks};
use crate::disk::{DirEntry, Disk, FileType, Lock, Stamp};
use crate::mapping::Mapping;

/// Entries that appear (a node) or go (none) together.
pub(super) type Change = Vec<(String, Option<usize>)>;
pub(super) type Entries = BTreeMap<String, usize>;

#[derive(Clone)]
pub(super) enum Node {
    File { bytes: Arc<[u8]>, synced: bool },
    Directory { durable: Entries, pending: Vec<Change> },
}

/// Decisions of one crash: which of how many, in the order they came up.
#[derive(Default)]
pub(super) struct Choices {
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
    pub(super) fn next(mut self) -> Option<Self> {
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
pub(super) struct State {
    pub(super) nodes: Vec<Node>,
    /// Present after a crash: what is unsynced is decided on sight. There is no second crash, so what
    /// is changed from then on stays.
    pub(super) choices: Option<Choices>,
    /// The nodes after every change, so that a crash can be put after each.
    pub(super) log: Vec<Vec<Node>>,
    /// Operations so far.
    pub(super) operations: usize,
    /// How many there were before the last sync of the root.
    pub(super) before_last_sync: usize,
    /// A fault, and the operation that it comes at, counted from 0.
    pub(super) fault: Option<(Fault, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// One operation fails.
    Once(Errno),
    /// The publisher is killed: nothing it does from here on is done.
    Killed,
}

/// The disk.
pub(super) struct Model {
    state: Mutex<State>,
    /// A barrier that is left out: `/` stands for `sync_all`, else the name synced.
    broken: Option<&'static str>,
}

impl Model {
    pub(super) fn with(
        nodes: Vec<Node>,
        choices: Option<Choices>,
        broken: Option<&'static str>,
    ) -> Arc<Self> {
        let state = State { nodes, choices, ..State::default() };
        Arc::new(Self { state: Mutex::new(state), broken })
    }

    pub(super) fn empty() -> Arc<Self> {
        let root = Node::Directory { durable: Entries::new(), pending: Vec::new() };
        Self::with(vec![root], None, None)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
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
    pub(super) fn settled(&self, broken: Option<&'static str>) -> Arc<Self> {
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

    pub(super) fn find(&mut self, name: &str) -> io::Result<usize> {
        let steps = name.split('/').filter(|step| !step.is_empty());
        steps.into_iter().try_fold(0, |node, step| {
            self.entries(node)?.get(step).copied().ok_or_else(|| Errno::NOENT.into())
        })
    }

    pub(super) fn file(&mut self, name: &str) -> io::Result<Arc<[u8]>> {
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
