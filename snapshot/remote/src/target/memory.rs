//! A store in memory for tests, which goes on request by request as it is told, forgets answers, and breaks promises.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;

use super::{FetchedObject, ObjectVersion, Target, TargetError, TargetFuture};

/// Promises that are broken.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Broken {
    /// Every write is done, whatever its condition.
    pub(crate) conditions: bool,
    /// Packs are not there yet when what names them is.
    pub(crate) order: bool,
    /// A month passes whenever the time is asked for.
    pub(crate) time: bool,
}

/// What all clients see.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) objects: Mutex<BTreeMap<String, (Bytes, u64)>>,
    pub(crate) next: Mutex<u64>,
    /// Seconds since 1970.
    pub(crate) now: Mutex<i64>,
    pub(crate) broken: Broken,
    pub(crate) requests: Mutex<Vec<String>>,
}

/// One who asks.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) memory: Arc<Memory>,
    /// The next request is done, and its answer is lost.
    pub(crate) loses: Arc<AtomicBool>,
}

impl Memory {
    /// Counts versions from here on.
    pub(crate) fn start_from(&self, number: u64) {
        *self.next.lock().unwrap() = number;
    }

    fn write(&self, path: &str, bytes: Bytes) -> ObjectVersion {
        if self.broken.order && path.starts_with("p/") {
            return ObjectVersion::default();
        }
        let mut next = self.next.lock().unwrap();
        *next += 1;
        let mut objects = self.objects.lock().unwrap();
        objects.insert(path.to_owned(), (bytes, *next));
        version(*next)
    }

    fn write_if(
        &self,
        path: &str,
        bytes: Bytes,
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError> {
        let found = self.objects.lock().unwrap().get(path).map(|(_, number)| version(*number));
        match self.broken.conditions || found.as_ref() == expected {
            true => Ok(self.write(path, bytes)),
            false => Err(TargetError::Condition),
        }
    }
}

fn version(number: u64) -> ObjectVersion {
    ObjectVersion { tag: Some(number.to_string()), number: None }
}

/// Ready when it is asked the second time: whoever runs the others decides when that is.
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
    pub(crate) fn of(memory: &Arc<Memory>) -> Self {
        Self { memory: Arc::clone(memory), loses: Arc::default() }
    }

    fn ask<'a, T: Send + 'a>(
        &'a self,
        what: &'static str,
        path: &'a str,
        done: impl FnOnce(&Memory) -> Result<T, TargetError> + Send + 'a,
    ) -> TargetFuture<'a, T> {
        Box::pin(async move {
            Turn(false).await;
            self.memory.requests.lock().unwrap().push(format!("{what} {path}"));
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
        self.ask("get", path, move |memory| {
            let objects = memory.objects.lock().unwrap();
            let (bytes, number) = objects.get(path).ok_or(TargetError::Missing)?;
            match bytes.len() as u64 > limit {
                true => Err(TargetError::Length),
                false => Ok((unless != Some(&version(*number)))
                    .then(|| FetchedObject { bytes: bytes.clone(), version: version(*number) })),
            }
        })
    }

    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        self.ask("range", path, move |memory| {
            let objects = memory.objects.lock().unwrap();
            let (bytes, _) = objects.get(path).ok_or(TargetError::Missing)?;
            let (start, end) = (start as usize, (start + length) as usize);
            if end <= bytes.len() { Ok(bytes.slice(start..end)) } else { Err(TargetError::Length) }
        })
    }

    fn written<'a>(&'a self, path: &'a str) -> TargetFuture<'a, i64> {
        self.ask("time", path, |memory| {
            let mut now = memory.now.lock().unwrap();
            if memory.broken.time {
                *now += 30 * 86_400;
            }
            Ok(*now)
        })
    }

    fn put<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ()> {
        self.ask("put", path, move |memory| {
            memory.write(path, bytes);
            Ok(())
        })
    }

    fn create<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ObjectVersion> {
        self.ask("create", path, move |memory| memory.write_if(path, bytes, None))
    }

    fn replace<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        version: &'a ObjectVersion,
    ) -> TargetFuture<'a, ObjectVersion> {
        self.ask("replace", path, move |memory| memory.write_if(path, bytes, Some(version)))
    }

    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()> {
        self.ask("delete", path, |memory| {
            memory.objects.lock().unwrap().remove(path);
            Ok(())
        })
    }
}
