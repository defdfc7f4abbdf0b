//! `ROOT/accepted`: the latest CURRENT of each store that was accepted, so that an older one is never accepted again. It is
//! written after everything that CURRENT names is here, or after it was pushed from here.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{Current, FetchedCurrent, Trust};
use crate::error::{RemoteError, file_error};

const ACCEPTED: &str = "accepted";

/// What a root accepted.
pub(crate) struct RollbackGuard {
    root: PathBuf,
    stores: Vec<Ratchet>,
}

/// The latest accepted CURRENT of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ratchet {
    root: Uuid,
    /// The address at which the store was last.
    place: Option<String>,
    /// By key. The latest of all trusted keys counts: a key that is no longer trusted binds nobody.
    keys: BTreeMap<String, Latest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Latest {
    version: u64,
    line: Digest,
    generation: GenerationId,
    /// When to expect another one at the latest.
    expires: Option<Timestamp>,
}

/// When the latest CURRENT that a root accepted from a store expires, also while the store cannot be read.
pub fn accepted_expiry(root: &Path, place: &str) -> Option<Timestamp> {
    let guard = RollbackGuard::read(root).ok()?;
    guard.at(place)?.keys.values().max_by_key(|latest| latest.version)?.expires
}

impl Ratchet {
    fn latest(&self, trust: &Trust) -> Option<&Latest> {
        let trusted = self.keys.iter().filter(|(key, _)| trust.accepts(key));
        trusted.map(|(_, latest)| latest).max_by_key(|latest| latest.version)
    }
}

impl RollbackGuard {
    /// The guard of a root; it accepts everything before the first pull or push.
    pub(crate) fn read(root: &Path) -> Result<Self, RemoteError> {
        let path = root.join(ACCEPTED);
        let stores = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(file_error(path.display())(error)),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let problem = format!("{error}; remove it, if you know what was pulled last");
                RemoteError::File { name: path.display().to_string(), problem }
            })?,
        };
        Ok(Self { root: root.to_owned(), stores })
    }

    fn of(&self, store: Uuid) -> Option<&Ratchet> {
        self.stores.iter().find(|known| known.root == store)
    }

    fn at(&self, place: &str) -> Option<&Ratchet> {
        self.stores.iter().find(|known| known.place.as_deref() == Some(place))
    }

    /// Refuses a CURRENT of another store, one that is older than the latest, and another one of the same version.
    pub(crate) fn check(&self, read: &FetchedCurrent, place: &str, trust: &Trust) -> Result<(), RemoteError> {
        match self.of(read.current.root) {
            None if !self.stores.is_empty() => Err(self.foreign(place)),
            _ => self.check_push(Some(read), place, trust),
        }
    }

    /// The same before a push, where the store may be a new one: there must be none at that address before.
    pub(crate) fn check_push(
        &self,
        read: Option<&FetchedCurrent>,
        place: &str,
        trust: &Trust,
    ) -> Result<(), RemoteError> {
        let here = self.at(place);
        let Some(read) = read else {
            let Some(accepted) = here.and_then(|here| here.latest(trust)) else { return Ok(()) };
            return Err(RemoteError::Gone { place: place.to_owned(), accepted: accepted.version });
        };
        if here.is_some_and(|here| here.root != read.current.root) {
            return Err(self.foreign(place));
        }
        let latest = self.of(read.current.root).and_then(|known| known.latest(trust));
        let (Some(latest), place) = (latest, place.to_owned()) else { return Ok(()) };
        let version = read.current.version;
        match version.cmp(&latest.version) {
            Ordering::Less => Err(RemoteError::Older { place, found: version, accepted: latest.version }),
            Ordering::Equal if read.line != latest.line => Err(RemoteError::Split { place, version }),
            _ => Ok(()),
        }
    }

    fn foreign(&self, place: &str) -> RemoteError {
        RemoteError::Foreign { place: place.to_owned(), root: self.root.display().to_string() }
    }

    /// The store at an address, and its latest version that was accepted by any key.
    pub(crate) fn last_at(&self, place: &str) -> Option<(Uuid, u64)> {
        let here = self.at(place)?;
        Some((here.root, here.keys.values().map(|latest| latest.version).max()?))
    }

    /// Whether this generation was the latest that was accepted, by any key.
    pub(crate) fn has_accepted(&self, store: Uuid, generation: GenerationId) -> bool {
        self.of(store).is_some_and(|known| known.keys.values().any(|latest| latest.generation == generation))
    }

    /// Records that a CURRENT was accepted, durably or not at all. No version gets lower.
    pub(crate) fn record(mut self, read: &FetchedCurrent, place: &str) -> Result<(), RemoteError> {
        let before = self.stores.clone();
        let &Current { root, version, ref live, expires, .. } = &read.current;
        let known = self.of(root).cloned();
        let mut known = known.unwrap_or(Ratchet { root, place: None, keys: BTreeMap::new() });
        if known.keys.get(&read.key).is_none_or(|before| before.version <= version) {
            let latest = Latest { version, line: read.line, generation: live.generation, expires };
            known.keys.insert(read.key.clone(), latest);
        }
        known.place = Some(place.to_owned());
        self.stores.retain(|other| other.root != root);
        let elsewhere = self.stores.iter_mut().filter(|other| other.place == known.place);
        elsewhere.for_each(|other| other.place = None);
        self.stores.push(known);
        if self.stores == before {
            return Ok(());
        }
        let path = self.root.join(ACCEPTED);
        let write = || {
            let mut new = tempfile::Builder::new().prefix(".accepted-").tempfile_in(&self.root)?;
            new.write_all(&serde_json::to_vec(&self.stores)?)?;
            new.as_file().sync_all()?;
            new.persist(&path).map_err(|error| error.error)?;
            std::fs::File::open(&self.root)?.sync_all()
        };
        write().map_err(file_error(path.display()))
    }
}
