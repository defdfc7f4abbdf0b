//! `pending`: the objects that pushes under way upload, so that those of a killed push are found without a listing. An
//! entry is written before the first object that it names, and removed once CURRENT names the objects. Readers never
//! use it. It is not signed: what it names is checked, and an entry or a whole object that is malformed is set aside.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{RemoteError, TargetError, read_error, write_error};
use crate::stores::{ObjectName, ObjectVersion, Precondition, Target, WriteOutcome, write_if};

/// How long a push may take.
pub(crate) const LEASE: Duration = Duration::from_secs(24 * 3600);
/// Its name.
pub(crate) const PENDING: &str = "pending";
/// Where a malformed one is kept, for people.
const SET_ASIDE: &str = "pending.set-aside";
/// Version of its format.
const FORMAT: u64 = 1;
/// Most bytes of it.
const LIMIT: u64 = 16 << 20;
/// How often a change is tried while other clients change it too.
const TRIES: usize = 20;

/// A push that is under way, or was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Upload {
    /// Identifies the push.
    pub(crate) push: Uuid,
    /// Names of all objects that it uploads.
    pub(crate) names: Vec<ObjectName>,
    /// When garbage collection first saw it, by the store's clock.
    pub(crate) seen: Option<i64>,
}

impl Upload {
    /// Whether garbage collection saw it longer ago than a push may take.
    pub(crate) fn is_abandoned(&self, now: i64) -> bool {
        self.seen.is_some_and(|seen| now.saturating_sub(seen) > 2 * LEASE.as_secs().cast_signed())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending<T> {
    format: u64,
    entries: Vec<T>,
}

/// The entries of a store, and where to report what is wrong with them.
#[derive(Clone, Copy)]
pub(crate) struct Uploads<'a> {
    pub(crate) target: &'a dyn Target,
    pub(crate) warn: &'a dyn Fn(&str),
}

impl Uploads<'_> {
    /// The entries, and the version of the object.
    pub(crate) async fn read(self) -> Result<(Vec<Upload>, Option<ObjectVersion>), RemoteError> {
        let (bytes, version) = match self.target.get(PENDING, None, LIMIT).await {
            Err(TargetError::Missing) | Ok(None) => return Ok((Vec::new(), None)),
            Err(TargetError::Length) => return self.set_aside(None, "too long").await,
            Err(error) => return Err(read_error(&self.target.place(), PENDING)(error)),
            Ok(Some(found)) => (found.bytes, found.version),
        };
        let entries = match serde_json::from_slice::<Pending<serde_json::Value>>(&bytes) {
            Ok(Pending { format: FORMAT, entries }) => entries,
            Ok(Pending { format, .. }) => {
                return self.set_aside(Some(bytes), &format!("format {format}")).await;
            }
            Err(error) => return self.set_aside(Some(bytes), &error.to_string()).await,
        };
        let check = |entry| match serde_json::from_value(entry) {
            Ok(entry) => Some(entry),
            Err(error) => {
                let place = self.target.place();
                (self.warn)(&format!("{place}: an entry of {PENDING} is ignored: {error}"));
                None
            }
        };
        Ok((entries.into_iter().filter_map(check).collect(), Some(version)))
    }

    /// Replaces an object that is not one of ours. At worst objects of killed pushes stay: nothing is removed for it.
    async fn set_aside(
        self,
        bytes: Option<Bytes>,
        problem: &str,
    ) -> Result<(Vec<Upload>, Option<ObjectVersion>), RemoteError> {
        let place = self.target.place();
        (self.warn)(&format!(
            "{place}: {PENDING} is not one of ours ({problem}) and is set aside as {SET_ASIDE}"
        ));
        if let Some(bytes) = bytes {
            let _ = self.target.write(SET_ASIDE, bytes, Precondition::None).await;
        }
        let written = self.target.write(PENDING, to_bytes(Vec::new()), Precondition::None).await;
        Ok((Vec::new(), Some(written.map_err(write_error(&place, PENDING))?)))
    }

    /// Changes the entries and keeps concurrent changes of other clients.
    pub(crate) async fn change(self, edit: impl Fn(&mut Vec<Upload>)) -> Result<(), RemoteError> {
        let failed = |error| write_error(&self.target.place(), PENDING)(error);
        for _ in 0..TRIES {
            let (before, version) = self.read().await?;
            let mut entries = before.clone();
            edit(&mut entries);
            if entries == before {
                return Ok(());
            }
            let written = write_if(self.target, PENDING, &to_bytes(entries), version.as_ref()).await;
            if let WriteOutcome::Written(_) = written.map_err(failed)? {
                return Ok(());
            }
        }
        Err(failed(TargetError::Failed("other clients keep changing it".to_owned())))
    }
}

fn to_bytes(entries: Vec<Upload>) -> Bytes {
    serde_json::to_vec(&Pending { format: FORMAT, entries }).unwrap_or_default().into()
}
