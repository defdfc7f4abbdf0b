//! Pushing: a generation goes to a store, objects first, and then one write under a condition makes it the live one.
//!
//! P1 read CURRENT and the table of what is live · P2 compare what leaves with its hashes · P3 pack what is missing
//! there · P4 say in `pending` what comes · P5 packs · P6 what describes the generation · P7 replace CURRENT if it is
//! what was read in P1 · P8 strike out in `pending`.
//!
//! Three rules keep what readers need. Nothing is named before it is there (P5, P6 before P7). Nothing that was given
//! up is named again: a push takes from packs of the generation that CURRENT names, and makes all others under names
//! that nobody had (salt). And what a push has named in `pending` is its own for longer than a push may take.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{self, CURRENT, Current, FORMAT, FetchedCurrent, GenerationRef, Next, RETAINED};
use crate::error::{RemoteError, store_error};
use crate::index::{
    FORMAT as CONTENTS_FORMAT, GenerationIndex, LooseFile, Pack, Table, TableKind, contents_path, pack_path,
    plain_path,
};
use crate::keys::{SignFn, Trust};
use crate::probe::probe;
use crate::target::{Target, WriteOutcome, settle};
use crate::uploads::{self, Upload};

/// How long a push may take. What it uploaded is nobody else's for much longer: see `gc::GRACE`.
pub const LEASE: Duration = Duration::from_secs(24 * 3600);
/// Uploads at a time.
const AT_ONCE: usize = 4;

/// A generation that is ready to leave.
pub struct PackedSource {
    /// The text of `manifest.json`.
    pub manifest: String,
    /// `objects.bin` and `history.bin`.
    pub tables: [Vec<u8>; 2],
    /// All packs.
    pub packs: Vec<Pack>,
    /// Those of them that are new.
    pub new: Vec<Digest>,
    /// Files that lie in no pack.
    pub plain: Vec<LooseFile>,
}

/// What packs a generation, and has the bytes of what it packed.
pub trait PushSource {
    /// Its name.
    fn generation(&self) -> GenerationId;
    /// Whether it was built by somebody who had this generation.
    fn is_upon(&self, root: Uuid, live: GenerationId) -> bool;
    /// Packs what is not there yet. `before` is `objects.bin` of what is live.
    ///
    /// # Errors
    ///
    /// If what is here is not what was published.
    fn pack(&mut self, before: Option<&[u8]>, push: Uuid) -> Result<PackedSource, RemoteError>;
    /// The bytes of a new pack.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError>;
    /// The bytes of a file that lies in no pack.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn plain_bytes(&self, path: &str) -> Result<Bytes, RemoteError>;
}

/// Who pushes, and how.
pub struct Publisher<'a> {
    /// Where to.
    pub target: &'a dyn Target,
    /// Whose word about what is live is taken.
    pub trust: &'a Trust,
    /// What signs CURRENT, if anything does.
    pub sign: Option<SignFn<'a>>,
    /// How long what is pushed is good for; for ever when absent.
    pub valid_for: Option<Duration>,
    /// The publisher's clock.
    pub clock: &'a dyn Fn() -> Timestamp,
}

/// What came of a push.
#[derive(Debug)]
pub struct Pushed {
    /// CURRENT as it is now.
    pub read: FetchedCurrent,
    /// Whether what is here was live already.
    pub unchanged: bool,
    /// Objects that were uploaded, CURRENT among them, and their bytes.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Publisher<'_> {
    /// Pushes a generation, so that it is live.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written, does not honour conditions, somebody else was faster, or a rollout is
    /// under way. What is live stays live then.
    pub async fn push(&self, source: &mut dyn PushSource) -> Result<Pushed, RemoteError> {
        self.push_to(source, None).await
    }

    /// Pushes a generation to so many of a hundred edges: what is live stays live for all others. See
    /// [`Self::roll_out`] for what comes next.
    ///
    /// # Errors
    ///
    /// As [`Self::push`]; and if nothing is live.
    pub async fn begin(&self, source: &mut dyn PushSource, percent: u8) -> Result<Pushed, RemoteError> {
        self.push_to(source, Some(percent)).await
    }

    async fn push_to(&self, source: &mut dyn PushSource, percent: Option<u8>) -> Result<Pushed, RemoteError> {
        let began = (self.clock)();
        let before = self.live().await?;
        let here = source.generation();
        if let Some(read) = &before {
            if read.pointer.live.generation.hash == here.hash {
                return Ok(Pushed { read: read.clone(), unchanged: true, objects: 0, bytes: 0 });
            }
            self.may_follow(read, source)?;
        } else if percent.is_some() {
            return Err(RemoteError::First { place: self.target.place() });
        }
        let push = Uuid::new_v4();
        let table = match &before {
            Some(read) => {
                let live = &read.pointer.live;
                let contents = GenerationIndex::fetch(self.target, live).await?;
                Some(contents.table(self.target, live, TableKind::Objects).await?)
            }
            None => None,
        };
        let shipment = source.pack(table.as_deref(), push)?;
        drop(table);
        let uploads = Uploads::of(&shipment, here, push, began)?;
        let mut comes = vec![Upload { push, names: uploads.names(), seen: None }];
        if percent.is_none() {
            comes.extend(self.goes(before.as_ref()).await?);
        }
        uploads::change(self.target, |entries| entries.extend(comes.clone())).await?;
        let bytes = self.upload(source, &uploads).await?;
        let pointer = self.pointer(before.as_ref(), uploads.named.clone(), percent);
        if (self.clock)().duration_since(began).unsigned_abs() > LEASE {
            return Err(RemoteError::Late { place: self.target.place(), hours: LEASE.as_secs() / 3600 });
        }
        let written = match self.point(before.as_ref(), &pointer).await {
            Err(RemoteError::Raced { .. }) => return Err(self.overtaken().await?),
            written => written?,
        };
        // Published. What stays in `pending` is found by who removes garbage.
        let _ = uploads::change(self.target, |entries| entries.retain(|entry| entry.push != push)).await;
        Ok(Pushed { read: written, unchanged: false, objects: uploads.objects.len() as u64 + 1, bytes })
    }

    /// P1: what is live, or nothing in a store that honours conditions.
    async fn live(&self) -> Result<Option<FetchedCurrent>, RemoteError> {
        match current::fetch(self.target, self.trust, None).await {
            Ok(read) => Ok(read),
            Err(RemoteError::Empty { .. }) => probe(self.target).await.map(|()| None),
            Err(error) => Err(error),
        }
    }

    fn may_follow(&self, read: &FetchedCurrent, source: &dyn PushSource) -> Result<(), RemoteError> {
        let (place, live, here) = (self.target.place(), read.pointer.live.generation, source.generation());
        if let Some(next) = &read.pointer.next {
            return Err(next.is_under_way(place));
        }
        if !source.is_upon(read.pointer.root, live) {
            return Err(RemoteError::Lost { place, live });
        }
        if read.pointer.spent.is_some_and(|spent| here.sequence <= spent) {
            return Err(RemoteError::Spent { place, here });
        }
        match here.sequence > live.sequence {
            true => Ok(()),
            false => Err(RemoteError::Backwards { place, live, here }),
        }
    }

    /// What a push is told that somebody else was faster than.
    async fn overtaken(&self) -> Result<RemoteError, RemoteError> {
        let place = self.target.place();
        Ok(match current::fetch(self.target, self.trust, None).await? {
            None => RemoteError::Empty { place },
            Some(read) => match read.pointer.next {
                Some(next) => next.is_under_way(place),
                None => RemoteError::Lost { place, live: read.pointer.live.generation },
            },
        })
    }

    /// P5 and P6; gives the bytes that were sent.
    async fn upload(&self, source: &dyn PushSource, uploads: &Uploads) -> Result<u64, RemoteError> {
        let place = self.target.place();
        let send = |(name, object): &(String, Object)| {
            let (name, bytes) = (name.clone(), object.bytes(source));
            let failed = store_error(&place, format!("writing {name}"));
            async move {
                let bytes = bytes?;
                let length = bytes.len() as u64;
                self.target.put(&name, bytes).await.map_err(failed)?;
                Ok::<u64, RemoteError>(length)
            }
        };
        let sends = stream::iter(&uploads.objects).map(send).buffer_unordered(AT_ONCE);
        let lengths: Vec<u64> = sends.try_collect().await?;
        Ok(lengths.iter().sum())
    }

    /// The generation for which there is no room beside the live one any more: what it needs and others do not is
    /// found in `pending`.
    pub(crate) async fn goes(&self, before: Option<&FetchedCurrent>) -> Result<Option<Upload>, RemoteError> {
        let retained = before.map_or(&[][..], |read| &read.pointer.retained);
        let Some(oldest) = retained.first().filter(|_| retained.len() >= RETAINED) else { return Ok(None) };
        let names = GenerationIndex::fetch(self.target, oldest).await?.names(oldest);
        Ok(Some(Upload { push: oldest.push, names, seen: None }))
    }

    fn pointer(&self, before: Option<&FetchedCurrent>, named: GenerationRef, percent: Option<u8>) -> Current {
        let expires = self.valid_for.and_then(|time| (self.clock)().checked_add(time).ok());
        let Some(before) = before.map(|read| &read.pointer) else {
            let (root, retained) = (Uuid::new_v4(), Vec::new());
            let (next, spent, retired) = (None, None, None);
            return Current {
                format: FORMAT,
                root,
                version: 1,
                live: named,
                retained,
                next,
                spent,
                retired,
                expires,
            };
        };
        let after = match percent {
            Some(percent) => Current { next: Some(Next { named, percent }), ..before.clone() },
            None => before.with_live(named),
        };
        Current { version: before.version + 1, expires, ..after }
    }

    /// P7, or any other change of CURRENT.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Raced`] if somebody else was faster; or if the store refuses.
    pub(crate) async fn point(
        &self,
        before: Option<&FetchedCurrent>,
        pointer: &Current,
    ) -> Result<FetchedCurrent, RemoteError> {
        let place = self.target.place();
        let bytes = pointer.write(self.sign)?;
        let settled = settle(self.target, CURRENT, &bytes, before.map(|read| &read.version)).await;
        match settled.map_err(store_error(&place, "writing CURRENT"))? {
            WriteOutcome::Ours(version) => {
                let (pointer, line, key) = Current::read(&place, &bytes, self.trust)?;
                Ok(FetchedCurrent { pointer, line, key, version })
            }
            WriteOutcome::Others => Err(RemoteError::Raced { place }),
        }
    }
}

/// What is uploaded.
struct Uploads {
    named: GenerationRef,
    /// Names and what they are, in the order in which they go.
    objects: Vec<(String, Object)>,
}

enum Object {
    Pack(Digest),
    LooseFile(String),
    Bytes(Bytes),
}

impl Object {
    fn bytes(&self, source: &dyn PushSource) -> Result<Bytes, RemoteError> {
        match self {
            Self::Pack(sha256) => source.pack_bytes(sha256),
            Self::LooseFile(path) => source.plain_bytes(path),
            Self::Bytes(bytes) => Ok(bytes.clone()),
        }
    }
}

impl Uploads {
    fn of(
        shipment: &PackedSource,
        generation: GenerationId,
        push: Uuid,
        at: Timestamp,
    ) -> Result<Self, RemoteError> {
        let packed = |bytes: &Vec<u8>| {
            let problem = |error: std::io::Error| RemoteError::File {
                name: "a table".to_owned(),
                problem: error.to_string(),
            };
            Table::pack(bytes).map_err(problem)
        };
        let [objects, history] = &shipment.tables;
        let ((objects, objects_bytes), (history, history_bytes)) = (packed(objects)?, packed(history)?);
        let contents = GenerationIndex {
            format: CONTENTS_FORMAT,
            manifest: shipment.manifest.clone(),
            objects,
            history,
            packs: shipment.packs.clone(),
            plain: shipment.plain.clone(),
        };
        let bytes = Bytes::from(contents.to_bytes());
        let named = GenerationRef { generation, push, contents: Digest::of(&bytes), at };
        let table = |which: TableKind| format!("{}/{}", named.folder(), which.name());
        let packs = shipment.new.iter().map(|sha256| (pack_path(sha256), Object::Pack(*sha256)));
        let plain = shipment.plain.iter();
        let plain =
            plain.map(|plain| (plain_path(&named, &plain.path), Object::LooseFile(plain.path.clone())));
        let own = [
            (table(TableKind::Objects), Object::Bytes(objects_bytes)),
            (table(TableKind::History), Object::Bytes(history_bytes)),
            (contents_path(&named), Object::Bytes(bytes)),
        ];
        let objects = packs.chain(plain).chain(own).collect();
        Ok(Self { named, objects })
    }

    fn names(&self) -> Vec<String> {
        self.objects.iter().map(|(name, _)| name.clone()).collect()
    }
}
