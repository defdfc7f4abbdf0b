//! Writes under a precondition: finding out what a write did when its answer is lost, and checking once that a store
//! honours preconditions at all, since some answer every write with success.

use bytes::Bytes;

use super::{ObjectVersion, Precondition, Target};
use crate::error::{RemoteError, TargetError, write_error};

/// How often a write is tried while nothing has changed.
const TRIES: usize = 3;

/// Writes an object where it still has this version, or where there is none. A failure proves nothing, as only the answer
/// may be lost: the object is read back, and its bytes decide. [`TargetError::Precondition`] if another client was first.
pub(crate) async fn write_if(
    target: &dyn Target,
    path: &str,
    bytes: &Bytes,
    expected: Option<&ObjectVersion>,
) -> Result<ObjectVersion, TargetError> {
    let condition = expected.map_or(Precondition::Absent, Precondition::Unchanged);
    let mut last = TargetError::Precondition;
    for _ in 0..TRIES {
        match target.write(path, bytes.clone(), condition).await {
            Ok(version) => return Ok(version),
            Err(
                error @ (TargetError::NoCredentials(_)
                | TargetError::Unauthenticated { .. }
                | TargetError::Denied(_)),
            ) => return Err(error),
            Err(error) => last = error,
        }
        // Room for more than our bytes: a longer object is not ours, whatever it is.
        let found = match target.get(path, None, bytes.len() as u64 + (1 << 20)).await {
            Ok(found) => found,
            Err(TargetError::Missing) if expected.is_none() => continue,
            Err(TargetError::Missing | TargetError::Length) => return Err(TargetError::Precondition),
            Err(error) => return Err(error),
        };
        let Some(found) = found else { continue };
        if found.bytes == bytes {
            return Ok(found.version);
        }
        if expected != Some(&found.version) {
            return Err(TargetError::Precondition);
        }
    }
    Err(last)
}

/// Checks with an object of its own, which is not there yet, that a store honours preconditions.
pub(crate) async fn check_conditions(target: &dyn Target, path: &str) -> Result<(), RemoteError> {
    let checked = check(target, path).await;
    // Nothing depends on its removal.
    let _ = target.delete(path).await;
    checked
}

async fn check(target: &dyn Target, path: &str) -> Result<(), RemoteError> {
    let place = target.place();
    let [one, two, three] = [b"1", b"2", b"3"].map(|text| Bytes::from_static(text));
    let violation = |problem: String| RemoteError::Unconditional { place: place.clone(), problem };
    let first = target.write(path, one, Precondition::Absent).await;
    let first = first.map_err(write_error(&place, path))?;
    let unchanged = Precondition::Unchanged(&first);
    let create = target.write(path, two.clone(), Precondition::Absent).await;
    must_fail(create, "creating an object that exists").map_err(&violation)?;
    match target.write(path, two, unchanged).await {
        Ok(second) if second != first => {}
        Ok(_) => return Err(violation("two versions of an object have the same name".to_owned())),
        Err(error) => return Err(violation(format!("replacing the version just written failed: {error}"))),
    }
    let replace = target.write(path, three, unchanged).await;
    must_fail(replace, "replacing an older version").map_err(violation)
}

fn must_fail(written: Result<ObjectVersion, TargetError>, action: &str) -> Result<(), String> {
    match written {
        Err(TargetError::Precondition) => Ok(()),
        Ok(_) => Err(format!("{action} succeeded")),
        Err(error) => Err(format!("{action} gave another error: {error}")),
    }
}
