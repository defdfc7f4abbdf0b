//! A store in memory whose requests are done one by one, in an order that the test decides, and that can lose answers and
//! break the promises of a store.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use crate::error::TargetError;
use crate::gc::CLOCK;
use crate::stores::{FetchedObject, ObjectVersion, Precondition, Target, TargetFuture};

/// `date -d 2026-11-20T06:00:00Z +%s`
pub(super) const NOW: i64 = 1_795_154_400;
pub(super) const DAY: i64 = 86_400;

/// Broken promises.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Broken {
    /// Every write is done, whatever its precondition.
    pub(super) conditions: bool,
    /// Packs are not there when the objects that name them are.
    pub(super) order: bool,
    /// A month passes at every reading of the clock.
    pub(super) time: bool,
}

/// The objects by name, with their version.
pub(super) type Objects = BTreeMap<String, (Bytes, u64)>;

/// The store that all clients share.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) objects: Mutex<Objects>,
    /// The last version that was given to an object.
    version: Mutex<u64>,
    /// Seconds since 1970.
    pub(super) now: Mutex<i64>,
    broken: Broken,
    /// All requests so far.
    pub(super) requests: Mutex<Vec<String>>,
    /// What its clients were warned of.
    pub(super) warnings: Mutex<Vec<String>>,
}

impl Memory {
    pub(super) fn new(objects: Objects, broken: Broken) -> Arc<Self> {
        let version = Mutex::new(objects.values().map(|(_, version)| *version).max().unwrap_or(0));
        let (objects, now) = (Mutex::new(objects), Mutex::new(NOW));
        Arc::new(Self { objects, version, now, broken, ..Self::default() })
    }

    pub(super) fn empty() -> Arc<Self> {
        Self::new(Objects::new(), Broken::default())
    }

    pub(super) fn pass(&self, seconds: i64) {
        *self.now.lock().unwrap() += seconds;
    }

    pub(super) fn object(&self, path: &str) -> FetchedObject {
        let (bytes, version) = self.objects.lock().unwrap()[path].clone();
        FetchedObject { bytes, version: object_version(version), modified: 0 }
    }

    fn write(
        &self,
        path: &str,
        bytes: Bytes,
        condition: Precondition<'_>,
    ) -> Result<ObjectVersion, TargetError> {
        let mut objects = self.objects.lock().unwrap();
        let found = objects.get(path).map(|(_, version)| object_version(*version));
        let holds = match condition {
            Precondition::None => true,
            Precondition::Absent => found.is_none(),
            Precondition::Unchanged(expected) => found.as_ref() == Some(expected),
        };
        if !holds && !self.broken.conditions {
            return Err(TargetError::Precondition);
        }
        let mut version = self.version.lock().unwrap();
        *version += 1;
        if !(self.broken.order && path.starts_with("p/")) {
            objects.insert(path.to_owned(), (bytes, *version));
        }
        Ok(object_version(*version))
    }
}

fn object_version(number: u64) -> ObjectVersion {
    ObjectVersion { tag: Some(number.to_string()), number: None }
}

/// A client of the store.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) memory: Arc<Memory>,
    /// Whether the next request is done and its answer lost.
    pub(super) loses: Arc<AtomicBool>,
    /// Whether the next write is refused because the store's disk is full.
    pub(super) is_full: Arc<AtomicBool>,
}

/// Pending when it is polled first: the test decides when the request that waits for it is done.
struct Turn(bool);

impl Future for Turn {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Client {
    pub(super) fn of(memory: &Arc<Memory>) -> Self {
        Self { memory: Arc::clone(memory), loses: Arc::default(), is_full: Arc::default() }
    }

    fn request<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        path: &'a str,
        done: impl FnOnce(&Memory) -> Result<T, TargetError> + Send + 'a,
    ) -> TargetFuture<'a, T> {
        Box::pin(async move {
            Turn(false).await;
            self.memory.requests.lock().unwrap().push(format!("{name} {path}"));
            let done = done(&self.memory);
            match self.loses.swap(false, Relaxed) {
                true => Err(TargetError::Failed("no answer".to_owned())),
                false => done,
            }
        })
    }
}

impl Target for Client {
    fn place(&self) -> String {
        "memory://".to_owned()
    }

    fn get<'a>(
        &'a self,
        path: &'a str,
        unless: Option<&'a ObjectVersion>,
        limit: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>> {
        self.request("get", path, move |memory| {
            if memory.broken.time && path == CLOCK {
                memory.pass(30 * DAY);
            }
            let objects = memory.objects.lock().unwrap();
            let (bytes, version) = objects.get(path).ok_or(TargetError::Missing)?;
            let (version, modified) = (object_version(*version), *memory.now.lock().unwrap());
            match bytes.len() as u64 > limit {
                true => Err(TargetError::Length),
                false if unless == Some(&version) => Ok(None),
                false => Ok(Some(FetchedObject { bytes: bytes.clone(), version, modified })),
            }
        })
    }

    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        self.request("range", path, move |memory| {
            let objects = memory.objects.lock().unwrap();
            let (bytes, _) = objects.get(path).ok_or(TargetError::Missing)?;
            let (start, end) = (start as usize, (start + length) as usize);
            if end <= bytes.len() { Ok(bytes.slice(start..end)) } else { Err(TargetError::Length) }
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        condition: Precondition<'a>,
    ) -> TargetFuture<'a, ObjectVersion> {
        self.request("write", path, move |memory| match self.is_full.load(Relaxed) {
            true => Err(TargetError::Failed("no space left on device".to_owned())),
            false => memory.write(path, bytes, condition),
        })
    }

    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()> {
        self.request("delete", path, |memory| {
            memory.objects.lock().unwrap().remove(path);
            Ok(())
        })
    }
}

/// Polls a client's work until it has ended, while no other client does anything.
pub(super) fn run_alone(work: impl Future<Output = ()>) {
    let mut work = Box::pin(work);
    while work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {}
}
