//! `pending`: the objects that pushes under way upload, so that those of a killed push are found without a listing. An
//! entry is written before the first object that it names, and removed once CURRENT names the objects. Readers never
//! use it.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{RemoteError, read_error, write_error};
use crate::objects::read_json;
use crate::target::{ObjectVersion, Target, TargetError, WriteOutcome, write_if};

/// Its name.
pub(crate) const PENDING: &str = "pending";
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
    pub(crate) names: Vec<String>,
    /// When garbage collection first saw it, by the store's clock.
    pub(crate) seen: Option<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending {
    format: u64,
    entries: Vec<Upload>,
}

/// The entries, and the version of the object.
pub(crate) async fn read(target: &dyn Target) -> Result<(Vec<Upload>, Option<ObjectVersion>), RemoteError> {
    let place = target.place();
    match target.get(PENDING, None, LIMIT).await {
        Err(TargetError::Missing) | Ok(None) => Ok((Vec::new(), None)),
        Err(error) => Err(read_error(&place, PENDING)(error)),
        Ok(Some(found)) => {
            let pending: Pending = read_json(&place, PENDING, FORMAT, &found.bytes)?;
            Ok((pending.entries, Some(found.version)))
        }
    }
}

/// Changes the entries and keeps concurrent changes of other clients.
pub(crate) async fn change(target: &dyn Target, edit: impl Fn(&mut Vec<Upload>)) -> Result<(), RemoteError> {
    let failed = |error| write_error(&target.place(), PENDING)(error);
    for _ in 0..TRIES {
        let (before, version) = read(target).await?;
        let mut entries = before.clone();
        edit(&mut entries);
        if entries == before {
            return Ok(());
        }
        let bytes = Bytes::from(serde_json::to_vec(&Pending { format: FORMAT, entries }).unwrap_or_default());
        if let WriteOutcome::Written(_) =
            write_if(target, PENDING, &bytes, version.as_ref()).await.map_err(failed)?
        {
            return Ok(());
        }
    }
    Err(failed(TargetError::Failed("other clients keep changing it".to_owned())))
}
