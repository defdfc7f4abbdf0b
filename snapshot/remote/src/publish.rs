//! Pushing: a generation's objects are uploaded first, then one conditional write makes it the live one.
//!
//! P1 read CURRENT and the table of objects of the live generation · P2 compare the generation here with its hashes ·
//! P3 pack what the store lacks · P4 name all uploads in `pending` · P5 upload packs · P6 upload what describes the
//! generation · P7 replace CURRENT if it still is what P1 read · P8 remove the entry of `pending`.
//!
//! Three rules keep what readers need. An object is there before its name is (P5, P6 before P7). The name of a removed
//! object is never used again: a push takes only packs of the generation that CURRENT names, and gives all other packs
//! names that no push had before (salt). And garbage collection changes CURRENT before it gives up uploads.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use store::{Digest, GenerationId, PackedGeneration};
use uuid::Uuid;

use crate::current::{
    self, CURRENT, Current, FORMAT, FetchedCurrent, GenerationRef, RETAINED, SignFn, Trust,
};
use crate::error::{RemoteError, file_error, write_error};
use crate::index::{self, CONTENTS, GenerationIndex, HISTORY, LooseFile, OBJECTS, Table};
use crate::objects::pack_path;
use crate::rollback_guard::RollbackGuard;
use crate::stores::{
    FetchedObject, ObjectName, Precondition, Target, WriteOutcome, check_conditions, write_if,
};
use crate::uploads::{LEASE, Upload, Uploads};

/// Concurrent uploads.
const CONCURRENT: usize = 4;

/// A generation that can be packed, and the packs made of it.
pub trait PushSource {
    /// Its name.
    fn generation(&self) -> GenerationId;
    /// Whether it was built by a publisher that had pulled or pushed this generation.
    fn is_based_on(&self, root: Uuid, live: GenerationId) -> bool;
    /// The folder that records what was accepted and pushed, if there is one.
    fn root(&self) -> Option<&Path> {
        None
    }
    /// Packs what the store lacks, and gives the names of the new packs. `before` is `objects.bin` of the live generation.
    fn pack(
        &mut self,
        before: Option<&[u8]>,
        push: Uuid,
    ) -> Result<(PackedGeneration, Vec<Digest>), RemoteError>;
    /// The bytes of a new pack.
    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError>;
    /// The bytes of a file that is in no pack.
    fn file_bytes(&self, path: &str) -> Result<Bytes, RemoteError>;
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
    pub async fn push(&self, source: &mut dyn PushSource) -> Result<Pushed, RemoteError> {
        let guard = source.root().map(RollbackGuard::read).transpose()?;
        let (began, push) = ((self.clock)(), Uuid::new_v4());
        let before = self.live(push, guard.as_ref()).await?;
        let is_live =
            |before: &&FetchedCurrent| before.current.live.generation.hash == source.generation().hash;
        let pushed = match before.as_ref().filter(is_live).filter(|_| !self.recover) {
            Some(before) => self.renew(before).await?,
            None => {
                if let Some(current) = &before {
                    self.check_order(current, source)?;
                }
                self.push_after(before.as_ref(), guard.as_ref(), source, (push, began)).await?
            }
        };
        if let Some(guard) = guard {
            guard.record(&pushed.current, &self.target.place())?;
        }
        Ok(pushed)
    }

    /// What is live already is signed again where the time changes until when it is valid.
    async fn renew(&self, before: &FetchedCurrent) -> Result<Pushed, RemoteError> {
        let (expires, mut current) = (self.expires(), before.clone());
        if expires != before.current.expires {
            let renewed = Current { version: before.current.version + 1, expires, ..before.current.clone() };
            current = self.make_live(Some(before), &renewed).await?;
        }
        let objects = u64::from(current.line != before.line);
        Ok(Pushed { current, unchanged: true, objects, bytes: 0 })
    }

    /// P2 to P8.
    async fn push_after(
        &self,
        before: Option<&FetchedCurrent>,
        guard: Option<&RollbackGuard>,
        source: &mut dyn PushSource,
        (push, began): (Uuid, Timestamp),
    ) -> Result<Pushed, RemoteError> {
        // Of what a store had when it was set back, some objects may be gone.
        let whole = before.filter(|_| !self.recover);
        let table = match whole {
            Some(FetchedCurrent { current: Current { live, .. }, .. }) => {
                let index = GenerationIndex::fetch(self.target, live).await?;
                Some(index.objects.fetch(self.target, live.path(OBJECTS)).await?)
            }
            None => None,
        };
        let (packed, new) = source.pack(table.as_deref(), push)?;
        drop(table);
        let (live, objects) = describe(packed, &new, source.generation(), push, began)?;
        let names = self.object_names(objects.iter().map(|(name, _)| name.clone()))?;
        let mut entries = vec![Upload { push, names, seen: None }];
        entries.extend(self.surplus(whole).await?);
        self.uploads().change(|pending| pending.extend(entries.clone())).await?;
        let bytes = self.upload(source, &objects).await?;
        let mut current = Current { expires: self.expires(), ..next_current(before, live) };
        if self.recover {
            current = self.recovered(current, guard).await;
        }
        if (self.clock)().duration_since(began).unsigned_abs() > LEASE {
            return Err(RemoteError::Late { place: self.target.place(), hours: LEASE.as_secs() / 3600 });
        }
        let current = self.make_live(before, &current).await?;
        // It is published: an entry that stays is found by garbage collection.
        let _ = self.uploads().change(|entries| entries.retain(|entry| entry.push != push)).await;
        Ok(Pushed { current, unchanged: false, objects: objects.len() as u64 + 1, bytes })
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
            if GenerationIndex::fetch(self.target, &generation).await.is_ok() {
                retained.push(generation);
            }
        }
        let version = next.version.max(accepted + 1).max(seconds);
        Current { root, version, retained, retired: None, ..next }
    }

    pub(crate) fn uploads(&self) -> Uploads<'_> {
        Uploads { target: self.target, warn: self.warn }
    }

    /// Checks names that a generation gave.
    pub(crate) fn object_names(
        &self,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Vec<ObjectName>, RemoteError> {
        let place = self.target.place();
        let check = |name: String| {
            ObjectName::try_from(name.clone())
                .map_err(|problem| RemoteError::malformed(&place, &name, problem))
        };
        names.into_iter().map(check).collect()
    }

    /// P1: CURRENT, or nothing in an empty store that honours preconditions.
    async fn live(
        &self,
        push: Uuid,
        guard: Option<&RollbackGuard>,
    ) -> Result<Option<FetchedCurrent>, RemoteError> {
        let before = match current::fetch(self.target, self.trust).await {
            Err(RemoteError::Empty { .. }) => None,
            fetched => Some(fetched?),
        };
        let checked =
            guard.map_or(Ok(()), |guard| guard.check_push(before.as_ref(), &self.target.place(), self.trust));
        checked.or_else(
            |error| if self.recover { Ok(()) } else { Err(RemoteError::SetBack(Box::new(error))) },
        )?;
        if before.is_none() {
            let probe = ObjectName::probe(push);
            let entry = Upload { push, names: vec![probe.clone()], seen: None };
            self.uploads().change(|entries| entries.push(entry.clone())).await?;
            check_conditions(self.target, &probe).await?;
        }
        Ok(before)
    }

    fn check_order(&self, current: &FetchedCurrent, source: &dyn PushSource) -> Result<(), RemoteError> {
        let (place, here) = (self.target.place(), source.generation());
        let Current { root, ref live, .. } = current.current;
        if !self.recover && !source.is_based_on(root, live.generation) {
            return Err(RemoteError::Conflict { place, live: live.generation });
        }
        let latest = live.generation.sequence;
        let is_free = here.sequence > latest || self.recover && here == live.generation;
        if is_free { Ok(()) } else { Err(RemoteError::Backwards { place, latest, here }) }
    }

    /// P5 and P6; gives the bytes that were sent.
    async fn upload(
        &self,
        source: &dyn PushSource,
        objects: &[(String, Payload)],
    ) -> Result<u64, RemoteError> {
        let place = self.target.place();
        let send = |(name, payload): &(String, Payload)| {
            let (name, bytes) = (name.clone(), payload.bytes(source));
            let failed = write_error(&place, &name);
            async move {
                let bytes = bytes?;
                let length = bytes.len() as u64;
                self.target.write(&name, bytes, Precondition::None).await.map_err(failed)?;
                Ok::<u64, RemoteError>(length)
            }
        };
        let lengths = stream::iter(objects).map(send).buffer_unordered(CONCURRENT);
        lengths.try_fold(0, async |sum, length| Ok(sum + length)).await
    }

    /// The generation that the next push no longer retains, as an entry of `pending`: garbage collection finds there what
    /// only that one needs.
    async fn surplus(&self, before: Option<&FetchedCurrent>) -> Result<Option<Upload>, RemoteError> {
        let retained = before.map_or(&[][..], |before| &before.current.retained);
        let Some(oldest) = retained.first().filter(|_| retained.len() >= RETAINED) else { return Ok(None) };
        let names = GenerationIndex::fetch(self.target, oldest).await?.names(oldest);
        let names = self.object_names(names)?;
        Ok(Some(Upload { push: oldest.push, names, seen: None }))
    }

    /// P7: the conflict names what another publisher made live.
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

    /// P7, or any other change of CURRENT: [`RemoteError::Raced`] if it changed meanwhile.
    pub(crate) async fn write_current(
        &self,
        before: Option<&FetchedCurrent>,
        current: &Current,
    ) -> Result<FetchedCurrent, RemoteError> {
        let (place, bytes) = (self.target.place(), current.to_bytes(self.sign)?);
        let written = write_if(self.target, CURRENT, &bytes, before.map(|before| &before.version)).await;
        match written.map_err(write_error(&place, CURRENT))? {
            WriteOutcome::Written(version) => {
                FetchedCurrent::parse(&place, &FetchedObject { bytes, version, modified: 0 }, self.trust)
            }
            WriteOutcome::Conflict => Err(RemoteError::Raced { place }),
        }
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
            retired: None,
            expires: None,
        },
    }
}

/// Where the bytes of an upload come from.
enum Payload {
    Pack(Digest),
    File(String),
    Bytes(Bytes),
}

impl Payload {
    fn bytes(&self, source: &dyn PushSource) -> Result<Bytes, RemoteError> {
        match self {
            Self::Pack(sha256) => source.pack_bytes(sha256),
            Self::File(path) => source.file_bytes(path),
            Self::Bytes(bytes) => Ok(bytes.clone()),
        }
    }
}

/// The reference that CURRENT gets, and all uploads in their order.
fn describe(
    packed: PackedGeneration,
    new: &[Digest],
    generation: GenerationId,
    push: Uuid,
    at: Timestamp,
) -> Result<(GenerationRef, Vec<(String, Payload)>), RemoteError> {
    let compress = |name: &str, bytes: &[u8]| Table::compress(bytes).map_err(file_error(name));
    let (objects, objects_bytes) = compress(OBJECTS, &packed.objects)?;
    let (history, history_bytes) = compress(HISTORY, &packed.history)?;
    let plain = packed.plain.into_iter();
    let index = GenerationIndex {
        format: index::FORMAT,
        manifest: String::from_utf8_lossy(&packed.manifest).into_owned(),
        objects,
        history,
        packs: packed.packs.into_iter().map(Into::into).collect(),
        plain: plain.map(|(path, body)| LooseFile { path, sha256: body.sha256, length: body.len }).collect(),
    };
    let bytes = Bytes::from(index.to_bytes());
    let live = GenerationRef { generation, push, contents: Digest::of(&bytes), at };
    let packs = new.iter().map(|sha256| (pack_path(sha256), Payload::Pack(*sha256)));
    let files = index.plain.iter().map(|file| (live.path(&file.path), Payload::File(file.path.clone())));
    let own = [(OBJECTS, objects_bytes), (HISTORY, history_bytes), (CONTENTS, bytes)];
    let own = own.map(|(name, bytes)| (live.path(name), Payload::Bytes(bytes)));
    let uploads = packs.chain(files).chain(own).collect();
    Ok((live, uploads))
}
