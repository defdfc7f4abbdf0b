//! `pending`: what pushes that are under way upload, so that what a killed one left can be found without a list of
//! names. An entry is there before the first object it names, and is struck out once CURRENT names them or nobody
//! will. It is written under a condition, as CURRENT is, and says nothing that a reader believes.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{RemoteError, store_error};
use crate::target::{ObjectVersion, Target, TargetError, WriteOutcome, settle};
use crate::versioned_json::read_json;

/// Its name.
pub const PENDING: &str = "pending";
/// Version of its form.
const FORMAT: u64 = 1;
/// Most bytes of it.
const LIMIT: u64 = 16 << 20;
/// How often a change is tried while others change it too.
const TRIES: usize = 20;

/// A push that is under way, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upload {
    /// What it is called.
    pub push: Uuid,
    /// Names of all objects that it uploads.
    pub names: Vec<String>,
    /// When it was first seen by who removes garbage, by the store's clock.
    pub seen: Option<i64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    format: u64,
    entries: Vec<Upload>,
}

/// The entries, and what the store calls this version of them.
///
/// # Errors
///
/// If they cannot be read.
pub async fn read(target: &dyn Target) -> Result<(Vec<Upload>, Option<ObjectVersion>), RemoteError> {
    let place = target.place();
    match target.get(PENDING, None, LIMIT).await {
        Err(TargetError::Missing) | Ok(None) => Ok((Vec::new(), None)),
        Err(refusal) => Err(store_error(&place, format!("reading {PENDING}"))(refusal)),
        Ok(Some(got)) => {
            let text = String::from_utf8_lossy(&got.bytes);
            let list: List = read_json(&place, PENDING, FORMAT, &text)?;
            Ok((list.entries, Some(got.version)))
        }
    }
}

/// Changes the entries; what others change at the same time stays.
///
/// # Errors
///
/// If they cannot be read or written, or others change them all the time.
pub async fn change(target: &dyn Target, how: impl Fn(&mut Vec<Upload>)) -> Result<(), RemoteError> {
    let place = target.place();
    for _ in 0..TRIES {
        let (mut entries, version) = read(target).await?;
        let before = entries.clone();
        how(&mut entries);
        if entries == before {
            return Ok(());
        }
        let list = List { format: FORMAT, entries };
        let bytes = Bytes::from(serde_json::to_vec(&list).unwrap_or_default());
        let settled = settle(target, PENDING, &bytes, version.as_ref()).await;
        match settled.map_err(store_error(&place, format!("writing {PENDING}")))? {
            WriteOutcome::Ours(_) => return Ok(()),
            WriteOutcome::Others => {}
        }
    }
    Err(store_error(&place, format!("writing {PENDING}"))(TargetError::Failed(
        "others change it all the time".to_owned(),
    )))
}
