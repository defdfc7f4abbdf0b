//! A store in memory whose requests are done one by one, in an order that the test decides, and that can lose answers and
//! break the promises of a store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use bytes::Bytes;

use super::schedules::unsigned;
use crate::current::{CURRENT, Current, FetchedCurrent};
use crate::error::TargetError;
use crate::stores::{FetchedObject, ObjectVersion, ReadFn, Target};

/// `date -d 2026-11-20T06:00:00Z +%s`
pub(super) const NOW: i64 = 1_795_154_400;
pub(super) const DAY: i64 = 86_400;

/// Broken promises.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Broken {
    /// Every write is done, whatever its precondition.
    pub(super) conditions: bool,
    /// Archives are not there when the manifests that name them are.
    pub(super) order: bool,
    /// A range is answered with all of the object.
    pub(super) ranges: bool,
}

/// What becomes of the bytes of an answer: of an object, from a place in it on.
pub(super) type Fault = Box<dyn FnMut(&str, u64, Bytes) -> Result<Bytes, TargetError> + Send>;

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
    /// What a wire or a disk does to answers.
    pub(super) fault: Mutex<Option<Fault>>,
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

    pub(super) fn current(&self) -> Current {
        FetchedCurrent::parse("", &self.object(CURRENT), &unsigned()).unwrap().current
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.objects.lock().unwrap().keys().cloned().collect()
    }

    pub(super) fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        self.write(path, bytes.into(), |_| true).unwrap();
    }

    /// All requests since the last call.
    pub(super) fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    fn answer(&self, path: &str, start: u64, bytes: Bytes) -> Result<Bytes, TargetError> {
        match &mut *self.fault.lock().unwrap() {
            Some(fault) => fault(path, start, bytes),
            None => Ok(bytes),
        }
    }

    fn write(
        &self,
        path: &str,
        bytes: Bytes,
        holds: impl FnOnce(Option<&ObjectVersion>) -> bool,
    ) -> Result<ObjectVersion, TargetError> {
        let mut objects = self.objects.lock().unwrap();
        let found = objects.get(path).map(|(_, version)| object_version(*version));
        if !holds(found.as_ref()) && !self.broken.conditions {
            return Err(TargetError::Precondition);
        }
        let mut version = self.version.lock().unwrap();
        *version += 1;
        if !(self.broken.order && path.ends_with(".zip")) {
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

impl Client {
    pub(super) fn of(memory: &Arc<Memory>) -> Self {
        Self { memory: Arc::clone(memory), loses: Arc::default(), is_full: Arc::default() }
    }

    async fn request<T>(
        &self,
        name: &str,
        path: &str,
        done: impl FnOnce(&Memory) -> Result<T, TargetError> + Send,
    ) -> Result<T, TargetError> {
        // The test decides when the request that waits here is done.
        tokio::task::yield_now().await;
        self.memory.requests.lock().unwrap().push(format!("{name} {path}"));
        let done = done(&self.memory);
        match self.loses.swap(false, Relaxed) {
            true => Err(TargetError::Failed("no answer".to_owned())),
            false => done,
        }
    }

    async fn write_where(
        &self,
        path: &str,
        bytes: Bytes,
        holds: impl FnOnce(Option<&ObjectVersion>) -> bool + Send,
    ) -> Result<ObjectVersion, TargetError> {
        let write = |memory: &Memory| match self.is_full.load(Relaxed) {
            true => Err(TargetError::Failed("no space left on device".to_owned())),
            false => memory.write(path, bytes, holds),
        };
        self.request("write", path, write).await
    }
}

#[async_trait]
impl Target for Client {
    fn place(&self) -> String {
        "memory://".to_owned()
    }

    async fn get(
        &self,
        path: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        let get = |memory: &Memory| {
            let objects = memory.objects.lock().unwrap();
            let (bytes, version) = objects.get(path).ok_or(TargetError::Missing)?;
            let (version, modified) = (object_version(*version), *memory.now.lock().unwrap());
            let bytes = memory.answer(path, 0, bytes.clone())?;
            match bytes.len() as u64 > limit {
                true => Err(TargetError::Length),
                false if unless == Some(&version) => Ok(None),
                false => Ok(Some(FetchedObject { bytes, version, modified })),
            }
        };
        self.request("get", path, get).await
    }

    async fn length(&self, path: &str) -> Result<u64, TargetError> {
        let length = |memory: &Memory| {
            let objects = memory.objects.lock().unwrap();
            objects.get(path).map(|(bytes, _)| bytes.len() as u64).ok_or(TargetError::Missing)
        };
        self.request("length", path, length).await
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, TargetError> {
        let range = |memory: &Memory| {
            let objects = memory.objects.lock().unwrap();
            let (bytes, _) = objects.get(path).ok_or(TargetError::Missing)?;
            let end = (start + length) as usize;
            match end <= bytes.len() {
                _ if memory.broken.ranges => Err(TargetError::NoRanges),
                true => memory.answer(path, start, bytes.slice(start as usize..end)),
                false => Err(TargetError::Length),
            }
        };
        self.request("range", path, range).await
    }

    async fn write(
        &self,
        path: &str,
        bytes: Bytes,
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError> {
        self.write_where(path, bytes, |found| found == expected).await
    }

    /// One request: an object is there whole or not at all.
    async fn upload(&self, path: &str, length: u64, read: ReadFn<'_>) -> Result<(), TargetError> {
        self.write_where(path, read(0, length as usize)?, |_| true).await.map(drop)
    }

    async fn delete(&self, path: &str) -> Result<(), TargetError> {
        let delete = |memory: &Memory| {
            memory.objects.lock().unwrap().remove(path);
            Ok(())
        };
        self.request("delete", path, delete).await
    }
}

/// Does a client's work to its end, while no other client does anything.
pub(super) fn run_alone<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Polls it until so many requests were done, or it has ended; then it is killed.
pub(super) fn run_until<T>(memory: &Memory, requests: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = Box::pin(work);
    while memory.requests.lock().unwrap().len() < requests {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(done);
        }
    }
    None
}
