//! `ROOT/accepted`: the latest CURRENT that was accepted, so that an older one is never accepted again. It is written
//! after everything that CURRENT names is here.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::FetchedCurrent;
use crate::error::{RemoteError, file_error};

/// Its name.
const ACCEPTED: &str = "accepted";

/// The latest accepted CURRENT of a store, by key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollbackGuard {
    root: Uuid,
    /// By key, so that the holder of a stolen key can raise its own version only.
    keys: BTreeMap<String, Latest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Latest {
    version: u64,
    line: Digest,
    generation: String,
}

impl RollbackGuard {
    /// The guard of a root; `None` before the first pull.
    pub(crate) fn read(root: &Path) -> Result<Option<Self>, RemoteError> {
        let path = root.join(ACCEPTED);
        match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error(path.display())(error)),
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| RemoteError::File {
                name: path.display().to_string(),
                problem: format!("{error}; remove it, if you know what was pulled last"),
            }),
        }
    }

    /// Refuses a CURRENT of another store, one that is older than the latest, and another one of the same version.
    pub(crate) fn check(&self, read: &FetchedCurrent, place: &str, root: &Path) -> Result<(), RemoteError> {
        let place = place.to_owned();
        if self.root != read.current.root {
            return Err(RemoteError::Foreign { place, root: root.display().to_string() });
        }
        let Some(latest) = self.keys.get(&read.key) else { return Ok(()) };
        let version = read.current.version;
        match version.cmp(&latest.version) {
            Ordering::Less => Err(RemoteError::Older { place, found: version, accepted: latest.version }),
            Ordering::Equal if read.line != latest.line => Err(RemoteError::Split { place, version }),
            _ => Ok(()),
        }
    }

    /// Whether this generation was the latest that was accepted, by any key.
    pub(crate) fn has_accepted(&self, root: Uuid, generation: GenerationId) -> bool {
        let name = generation.to_string();
        self.root == root && self.keys.values().any(|latest| latest.generation == name)
    }

    /// Records that a CURRENT was accepted, durably or not at all.
    pub(crate) fn record(
        before: Option<Self>,
        read: &FetchedCurrent,
        root: &Path,
    ) -> Result<(), RemoteError> {
        let mut guard = before.unwrap_or_else(|| Self { root: read.current.root, keys: BTreeMap::new() });
        let generation = read.current.live.generation.to_string();
        let latest = Latest { version: read.current.version, line: read.line, generation };
        if guard.keys.insert(read.key.clone(), latest.clone()) == Some(latest) {
            return Ok(());
        }
        let path = root.join(ACCEPTED);
        let write = || {
            let mut new = tempfile::Builder::new().prefix(".accepted-").tempfile_in(root)?;
            new.write_all(&serde_json::to_vec(&guard)?)?;
            new.as_file().sync_all()?;
            new.persist(&path).map_err(|error| error.error)?;
            std::fs::File::open(root)?.sync_all()
        };
        write().map_err(file_error(path.display()))
    }
}
