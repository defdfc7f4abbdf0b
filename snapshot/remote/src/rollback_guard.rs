//! `ROOT/accepted`: the latest CURRENT that was taken, by key, so that an older one is never taken again. It is written
//! after all that it names is here.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::FetchedCurrent;
use crate::error::RemoteError;

/// Its name.
const ACCEPTED: &str = "accepted";

/// What was taken, of which store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RollbackGuard {
    root: Uuid,
    /// By key: whoever holds a stolen one can push its own version ahead, and no other.
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
    /// What was taken into a root; nothing if that is nothing yet.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn of(root: &Path) -> Result<Option<Self>, RemoteError> {
        let path = root.join(ACCEPTED);
        match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file(&path, &error)),
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(accepted) => Ok(Some(accepted)),
                Err(error) => {
                    let problem = format!("{error}; remove it, if you know what was taken last");
                    Err(RemoteError::File { name: path.display().to_string(), problem })
                }
            },
        }
    }

    /// Whether a pointer may be taken after these.
    ///
    /// # Errors
    ///
    /// If it is of another store, older, or another of the same version.
    pub fn judge(
        before: Option<&Self>,
        read: &FetchedCurrent,
        place: &str,
        root: &Path,
    ) -> Result<(), RemoteError> {
        let Some(before) = before else { return Ok(()) };
        let place = place.to_owned();
        if before.root != read.pointer.root {
            return Err(RemoteError::Foreign { place, root: root.display().to_string() });
        }
        let Some(latest) = before.keys.get(&read.key) else { return Ok(()) };
        let version = read.pointer.version;
        match version.cmp(&latest.version) {
            std::cmp::Ordering::Less => {
                Err(RemoteError::Older { place, found: version, accepted: latest.version })
            }
            std::cmp::Ordering::Equal if read.line != latest.line => {
                Err(RemoteError::Split { place, version })
            }
            _ => Ok(()),
        }
    }

    /// Whether this generation was the latest that was taken.
    #[must_use]
    pub fn knows(&self, root: Uuid, generation: GenerationId) -> bool {
        let named = generation.to_string();
        self.root == root && self.keys.values().any(|latest| latest.generation == named)
    }

    /// Writes down that a pointer was taken, whole and on disk or not at all.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn note(before: Option<Self>, read: &FetchedCurrent, root: &Path) -> Result<(), RemoteError> {
        let mut accepted = before.unwrap_or_else(|| Self { root: read.pointer.root, keys: BTreeMap::new() });
        let generation = read.pointer.live.generation.to_string();
        let latest = Latest { version: read.pointer.version, line: read.line, generation };
        if accepted.keys.get(&read.key) == Some(&latest) {
            return Ok(());
        }
        accepted.keys.insert(read.key.clone(), latest);
        let path = root.join(ACCEPTED);
        let write = || {
            let mut new = tempfile::Builder::new().prefix(".accepted-").tempfile_in(root)?;
            new.write_all(&serde_json::to_vec(&accepted)?)?;
            new.as_file().sync_all()?;
            new.persist(&path).map_err(|error| error.error)?;
            std::fs::File::open(root)?.sync_all()
        };
        write().map_err(|error| file(&path, &error))
    }
}

fn file(path: &Path, error: &std::io::Error) -> RemoteError {
    RemoteError::File { name: path.display().to_string(), problem: error.to_string() }
}
