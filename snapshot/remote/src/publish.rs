//! Pushing: a generation's objects are uploaded first, then one conditional write makes it the live one.
//!
//! P1 read CURRENT · P2 compare the generation here with its hashes · P3 upload the files that are not there yet, then the
//! manifest · P4 replace CURRENT if it still is what P1 read.
//!
//! An object is there before CURRENT needs it (P3 before P4), and what has a name never changes: the name of a
//! generation's folder has the hash of its manifest. Garbage collection removes only what CURRENT names as dropped, and
//! a generation that was dropped is never pushed again under that name: its successors have greater numbers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use store::{ARCHIVE, Digest, Generation, GenerationId, Manifest, VerifyMode, verify};
use uuid::Uuid;

use crate::current::{
    self, CURRENT, Current, DROPPED, FORMAT, FetchedCurrent, GenerationRef, SignFn, Trust, UNSIGNED,
};
use crate::error::{RemoteError, TargetError, read_error, write_error};
use crate::objects;
use crate::rollback_guard::RollbackGuard;
use crate::stores::{FetchedObject, Target, check_conditions, write_if};

/// A generation that can be pushed.
pub trait PushSource: Sync {
    /// What it is.
    fn manifest(&self) -> &Manifest;
    /// The folder that records what was accepted and pushed, if there is one.
    fn root(&self) -> Option<&Path>;
    /// Compares its files with their hashes.
    fn check(&self) -> Result<(), RemoteError>;
    /// `length` bytes of a file from `start` on.
    fn read(&self, path: &str, start: u64, length: usize) -> Result<Bytes, RemoteError>;
}

/// The live generation of a root.
pub struct LocalRoot {
    root: PathBuf,
    generation: Generation,
}

impl LocalRoot {
    /// Opens the live generation of a root.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub fn open(root: &Path) -> Result<Self, RemoteError> {
        let generation = Generation::open_current(root)?;
        Ok(Self { root: root.to_owned(), generation })
    }
}

impl PushSource for LocalRoot {
    fn manifest(&self) -> &Manifest {
        self.generation.manifest()
    }

    fn root(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn check(&self) -> Result<(), RemoteError> {
        let verified = verify(&self.root, Some(self.generation.id()), VerifyMode::Files);
        let fault = verified.err().and_then(|faults| faults.into_iter().next());
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    fn read(&self, path: &str, start: u64, length: usize) -> Result<Bytes, RemoteError> {
        Ok(self.generation.stored_bytes(path, start, length)?.into())
    }
}

/// A client that writes to a store.
pub struct Publisher<'a> {
    /// The store.
    pub target: &'a dyn Target,
    /// The keys whose CURRENT it accepts.
    pub trust: &'a Trust,
    /// What signs CURRENT, if anything does.
    pub sign: Option<SignFn<'a>>,
    /// How long a push is valid; for ever when absent.
    pub valid_for: Option<Duration>,
    /// Whether a store that was set back or emptied is pushed to, under a version above all that were accepted before.
    pub recover: bool,
    /// The publisher's clock.
    pub clock: &'a dyn Fn() -> Timestamp,
    /// Gets a sentence about what was found wrong and does not stop the work.
    pub warn: &'a dyn Fn(&str),
}

/// The outcome of a push.
#[derive(Debug)]
pub struct Pushed {
    /// CURRENT after it.
    pub current: FetchedCurrent,
    /// Whether the generation was live already.
    pub unchanged: bool,
    /// Uploaded objects, CURRENT among them.
    pub objects: u64,
    /// Their bytes, without CURRENT.
    pub bytes: u64,
}

impl Publisher<'_> {
    /// Pushes a generation, makes it live, and records that in its root.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, does not honour preconditions or was set back, or another publisher was
    /// first. The live generation stays live then.
    pub async fn push(&self, source: &dyn PushSource) -> Result<Pushed, RemoteError> {
        let guard = source.root().map(RollbackGuard::read).transpose()?;
        let before = self.live(guard.as_ref()).await?;
        let is_live =
            |before: &&FetchedCurrent| before.current.live.generation.hash == source.manifest().id().hash;
        let pushed = match before.as_ref().filter(is_live).filter(|_| !self.recover) {
            Some(before) => self.renew(before).await?,
            None => {
                if let Some(current) = &before {
                    self.check_order(current, guard.as_ref(), source.manifest().id())?;
                }
                self.push_after(before.as_ref(), guard.as_ref(), source).await?
            }
        };
        if let Some(guard) = guard {
            guard.record(&pushed.current, &self.target.place())?;
        }
        Ok(pushed)
    }

    /// What is live already is signed again where it is not signed, or where the time changes until when it is valid.
    async fn renew(&self, before: &FetchedCurrent) -> Result<Pushed, RemoteError> {
        let (expires, mut current) = (self.expires(), before.clone());
        let is_first_signature = self.sign.is_some() && before.key == UNSIGNED;
        if is_first_signature || expires != before.current.expires {
            let renewed = Current { version: before.current.version + 1, expires, ..before.current.clone() };
            current = self.make_live(Some(before), &renewed).await?;
        }
        let objects = u64::from(current.line != before.line);
        Ok(Pushed { current, unchanged: true, objects, bytes: 0 })
    }

    /// P2 to P4.
    async fn push_after(
        &self,
        before: Option<&FetchedCurrent>,
        guard: Option<&RollbackGuard>,
        source: &dyn PushSource,
    ) -> Result<Pushed, RemoteError> {
        source.check()?;
        let (manifest, at) = (Bytes::from(source.manifest().to_bytes()), (self.clock)());
        let generation = source.manifest().id();
        let live = GenerationRef { generation, manifest: Digest::of(&manifest), at };
        let (mut objects, mut bytes) = (0, 0);
        // A recovery trusts nothing that is there.
        let mut resumes = !self.recover;
        for file in &source.manifest().stored {
            let name = objects::object_of(&live, file);
            let gzipped = match file.path == ARCHIVE {
                true => None,
                false => Some(Bytes::from(store::gzip(&source.read(&file.path, 0, file.bytes as usize)?))),
            };
            let length = gzipped.as_ref().map_or(file.bytes, |bytes| bytes.len() as u64);
            let read = |start: u64, length: usize| match &gzipped {
                Some(bytes) => Ok(bytes.slice(start as usize..start as usize + length)),
                None => source
                    .read(&file.path, start, length)
                    .map_err(|error| TargetError::Failed(error.to_string())),
            };
            // They are uploaded in this order: after one that is not there, none is.
            resumes = resumes && self.is_there(&name, length).await?;
            if !resumes {
                let sent = self.target.upload(&name, length, &read).await;
                sent.map_err(write_error(&self.target.place(), &name))?;
                objects += 1;
                bytes += length;
            }
        }
        let name = live.path(objects::MANIFEST);
        let written = self.target.upload(&name, manifest.len() as u64, &|_, _| Ok(manifest.clone())).await;
        written.map_err(write_error(&self.target.place(), &name))?;
        let mut current = Current { expires: self.expires(), ..next_current(before, live) };
        if self.recover {
            current = self.recovered(current, guard).await;
        }
        let current = self.make_live(before, &current).await?;
        Ok(Pushed { current, unchanged: false, objects: objects + 2, bytes })
    }

    /// Whether an interrupted push uploaded an object: it is there whole or not at all.
    async fn is_there(&self, name: &str, length: u64) -> Result<bool, RemoteError> {
        match self.target.length(name).await {
            Ok(found) => Ok(found == length),
            Err(TargetError::Missing) => Ok(false),
            Err(error) => Err(read_error(&self.target.place(), name)(error)),
        }
    }

    fn expires(&self) -> Option<Timestamp> {
        self.valid_for.map(|time| (self.clock)().checked_add(time).unwrap_or(Timestamp::MAX))
    }

    /// The CURRENT of a recovery: its version is above the latest that was accepted here, and above the number of seconds
    /// since 1970, which no count of writes gets to. Of the generations before, it retains what is still there.
    async fn recovered(&self, next: Current, guard: Option<&RollbackGuard>) -> Current {
        let accepted = guard.and_then(|guard| guard.last_at(&self.target.place()));
        let (root, accepted) = accepted.unwrap_or((next.root, 0));
        let seconds = (self.clock)().as_second().max(0).cast_unsigned();
        let mut retained = Vec::new();
        for generation in next.retained {
            if objects::manifest(self.target, &generation).await.is_ok() {
                retained.push(generation);
            }
        }
        let version = next.version.max(accepted + 1).max(seconds);
        Current { root, version, retained, ..next }
    }

    /// CURRENT, where what would replace it is signed if it is.
    pub(crate) async fn current(&self) -> Result<FetchedCurrent, RemoteError> {
        let read = current::fetch(self.target, self.trust).await?;
        if self.sign.is_none() && read.key != UNSIGNED {
            let problem = "CURRENT is signed, and what replaces it would not be; name the key with --key";
            return Err(RemoteError::Usage(format!("{}: {problem}", self.target.place())));
        }
        Ok(read)
    }

    /// P1: CURRENT, or nothing in an empty store that honours preconditions.
    async fn live(&self, guard: Option<&RollbackGuard>) -> Result<Option<FetchedCurrent>, RemoteError> {
        let before = match self.current().await {
            Err(RemoteError::Empty { .. }) => None,
            fetched => Some(fetched?),
        };
        match guard.map(|guard| guard.check_push(before.as_ref(), &self.target.place(), self.trust)) {
            Some(Err(error)) if !self.recover => return Err(RemoteError::SetBack(Box::new(error))),
            _ => {}
        }
        if before.is_none() {
            let probe = format!("probe-{}", Uuid::new_v4().simple());
            check_conditions(self.target, &probe).await?;
        }
        Ok(before)
    }

    /// What is pushed was built by a publisher that had pulled or pushed what is live, and its number is free.
    fn check_order(
        &self,
        current: &FetchedCurrent,
        guard: Option<&RollbackGuard>,
        here: GenerationId,
    ) -> Result<(), RemoteError> {
        let place = self.target.place();
        let Current { root, ref live, .. } = current.current;
        // No more could be dropped by a push.
        if current.current.dropped.len() >= DROPPED {
            return Err(RemoteError::Full { place });
        }
        if !self.recover && guard.is_some_and(|guard| !guard.has_accepted(root, live.generation)) {
            return Err(RemoteError::Conflict { place, live: live.generation });
        }
        let latest = live.generation.sequence;
        let is_free = here.sequence > latest || self.recover && here == live.generation;
        if is_free { Ok(()) } else { Err(RemoteError::Backwards { place, latest, here }) }
    }

    /// P4: the conflict names what another publisher made live.
    async fn make_live(
        &self,
        before: Option<&FetchedCurrent>,
        current: &Current,
    ) -> Result<FetchedCurrent, RemoteError> {
        match self.write_current(before, current).await {
            Err(RemoteError::Raced { place }) => {
                let live = current::fetch(self.target, self.trust).await?.current.live.generation;
                Err(RemoteError::Conflict { place, live })
            }
            written => written,
        }
    }

    /// P4, or any other change of CURRENT: [`RemoteError::Raced`] if it changed meanwhile.
    pub(crate) async fn write_current(
        &self,
        before: Option<&FetchedCurrent>,
        current: &Current,
    ) -> Result<FetchedCurrent, RemoteError> {
        let (place, bytes) = (self.target.place(), current.to_bytes(self.sign)?);
        let written = write_if(self.target, CURRENT, &bytes, before.map(|before| &before.version)).await;
        let version = written.map_err(|error| match error {
            TargetError::Precondition => RemoteError::Raced { place: place.clone() },
            error => write_error(&place, CURRENT)(error),
        })?;
        FetchedCurrent::parse(&place, &FetchedObject { bytes, version, modified: 0 }, self.trust)
    }
}

fn next_current(before: Option<&FetchedCurrent>, live: GenerationRef) -> Current {
    match before {
        Some(before) => before.current.with_live(live),
        None => Current {
            format: FORMAT,
            root: Uuid::new_v4(),
            version: 1,
            live,
            retained: Vec::new(),
            dropped: Vec::new(),
            expires: None,
        },
    }
}
