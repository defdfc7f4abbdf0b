//! The publisher on a disk that fails at one operation, or is gone from it on: at each of several hundred.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::SystemTime;

use jiff::civil::date;
use rustix::io::Errno;

use super::super::StoreError;
use super::super::body::{Body, Chunks};
use super::super::build_info::{Layout, NewFile, PublishOutcome};
use super::super::generation::current;
use super::super::mapping::Mapping;
use super::super::retention::{gc_on, rollback_on};
use super::super::stage::Stage;
use super::super::vfs::{FileType, Lock, Stamp, Vfs};
use super::{Model, PACKS, about, two_generations, two_in_packs, verified};

/// What happens when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// One operation fails.
    Once(Errno),
    /// The publisher is killed: nothing it does from here on is done.
    Killed,
}

/// A disk whose operations are counted.
struct Faulty {
    disk: Arc<Model>,
    fault: Fault,
    at: usize,
    done: AtomicUsize,
}

impl Faulty {
    fn new(disk: &Arc<Model>, fault: Fault, at: usize) -> Arc<Self> {
        Arc::new(Self { disk: Arc::clone(disk), fault, at, done: AtomicUsize::new(0) })
    }

    /// The disk, unless this operation fails.
    fn next(&self) -> io::Result<&Model> {
        let now = self.done.fetch_add(1, Relaxed);
        match self.fault {
            Fault::Once(errno) if now == self.at => Err(errno.into()),
            Fault::Killed if now >= self.at => Err(Errno::IO.into()),
            _ => Ok(&self.disk),
        }
    }
}

impl Vfs for Faulty {
    fn locate(&self, name: &str) -> PathBuf {
        self.disk.locate(name)
    }
    fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.next()?.read(name, limit)
    }
    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.next()?.read_at(name, offset, len)
    }
    fn map(&self, name: &str) -> io::Result<Mapping> {
        self.next()?.map(name)
    }
    fn copy(&self, name: &str) -> io::Result<Mapping> {
        self.next()?.copy(name)
    }
    fn hash(&self, name: &str) -> io::Result<Body> {
        self.next()?.hash(name)
    }
    fn list(&self, dir: &str) -> io::Result<Vec<(String, FileType)>> {
        self.next()?.list(dir)
    }
    fn stamp(&self, name: &str) -> Option<Stamp> {
        self.next().ok()?.stamp(name)
    }
    fn modified(&self, dir: &str) -> io::Result<SystemTime> {
        self.next()?.modified(dir)
    }
    fn create_dirs(&self, dir: &str) -> io::Result<()> {
        self.next()?.create_dirs(dir)
    }
    fn write_new(&self, name: &str, content: &dyn Chunks) -> io::Result<()> {
        match self.next() {
            Ok(disk) => disk.write_new(name, content),
            Err(error) => {
                // Half of it may have been written.
                if self.fault != Fault::Killed || self.done.load(Relaxed) == self.at + 1 {
                    let bytes = content.bytes()?;
                    let _ = self.disk.write_new(name, &&bytes[..bytes.len() / 2]);
                }
                Err(error)
            }
        }
    }
    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.next()?.link(from, to)
    }
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.next()?.rename(from, to)
    }
    fn remove(&self, name: &str) -> io::Result<()> {
        self.next()?.remove(name)
    }
    fn touch(&self, dir: &str) -> io::Result<()> {
        self.next()?.touch(dir)
    }
    fn sync_all(&self) -> io::Result<()> {
        self.next()?.sync_all()
    }
    fn sync(&self, name: &str) -> io::Result<()> {
        self.next()?.sync(name)
    }
    fn lock(&self) -> io::Result<Lock> {
        self.next()?.lock()
    }
    fn pin(&self, dir: &str) -> io::Result<Lock> {
        self.next()?.pin(dir)
    }
    fn claim(&self, dir: &str) -> io::Result<Lock> {
        self.next()?.claim(dir)
    }
}

/// Publishes a generation of many small pages, half of them those of the one before.
fn publish(vfs: Arc<dyn Vfs>, text: &str) -> Result<PublishOutcome, StoreError> {
    publish_as(vfs, text, &Layout::Tree { encoder: "none".to_owned() })
}

fn publish_as(vfs: Arc<dyn Vfs>, text: &str, layout: &Layout) -> Result<PublishOutcome, StoreError> {
    let stage = Stage::begin_on(vfs, layout)?;
    for number in 0..90 {
        let path = format!("public/{}/{number}.json", number % 7);
        let body = if number % 2 == 0 { "always the same".to_owned() } else { format!("{text} {number}") };
        stage
            .put(NewFile { path: &path, body: body.as_bytes(), holes: &[], encodings: false }, &|_, _| {
                None
            })?;
    }
    stage.publish(&about(text), 1)
}

/// Fails each operation of `act` in turn, in each way. Afterwards the live generation must be whole, and
/// publishing must work. Returns how many operations there are.
fn fail_everywhere(before: &Model, act: impl Fn(Arc<dyn Vfs>)) -> usize {
    let count = Faulty::new(&before.settled(None), Fault::Killed, usize::MAX);
    act(Arc::clone(&count) as Arc<dyn Vfs>);
    let operations = count.done.load(Relaxed);
    let after = current(&*count.disk).unwrap();
    let old = current(before).unwrap();
    for fault in [Fault::Once(Errno::NOSPC), Fault::Once(Errno::IO), Fault::Killed] {
        for at in 0..operations {
            let disk = before.settled(None);
            act(Faulty::new(&disk, fault, at));
            let vfs = disk as Arc<dyn Vfs>;
            let live = verified(&vfs).unwrap_or_else(|faults| panic!("{fault:?} at {at}: {faults:?}"));
            assert!(live == old || live == after, "{fault:?} at {at}: {live}");
            let next = publish(Arc::clone(&vfs), "afterwards").unwrap();
            assert_eq!(verified(&vfs).unwrap(), next.manifest.id(), "{fault:?} at {at}");
        }
    }
    operations
}

#[test]
fn a_fault_at_any_operation_leaves_a_complete_live_generation_and_the_next_publisher_recovers() {
    let disk = two_generations();
    publish(Arc::clone(&disk) as Arc<dyn Vfs>, "before").unwrap();
    let published = fail_everywhere(&disk, |vfs| drop(publish(vfs, "now")));
    assert!(published >= 200, "a publish takes only {published} operations");
    let packed = two_in_packs();
    publish_as(Arc::clone(&packed) as Arc<dyn Vfs>, "before", &PACKS).unwrap();
    let packs = fail_everywhere(&packed, |vfs| drop(publish_as(vfs, "now", &PACKS)));
    assert!(packs < published / 3, "packs take as many operations as files: {packs}");
    fail_everywhere(&packed, |vfs| drop(rollback_on(&vfs, None, date(2026, 11, 20))));
    let back = fail_everywhere(&disk, |vfs| drop(rollback_on(&vfs, None, date(2026, 11, 20))));
    let cleared = fail_everywhere(&disk, |vfs| {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        drop(gc_on(&*vfs, 1, now));
    });
    println!("operations: publish {published}, rollback {back}, gc {cleared}");
}
