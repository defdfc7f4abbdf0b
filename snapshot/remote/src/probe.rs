//! The first push asks whether a store honours conditions: some answer "done" to every write.

use bytes::Bytes;
use uuid::Uuid;

use crate::error::{RemoteError, store_error};
use crate::target::{Target, TargetError};

/// Tries the four cases: written where nothing is, not where something is, where it is as it was, and not where it is
/// not.
///
/// # Errors
///
/// If the store gets one of them wrong, or cannot be written.
pub async fn probe(target: &dyn Target) -> Result<(), RemoteError> {
    let path = format!("probe-{}", Uuid::new_v4().simple());
    let found = cases(target, &path).await;
    // Nothing depends on it being gone.
    let _ = target.delete(&path).await;
    found
}

async fn cases(target: &dyn Target, path: &str) -> Result<(), RemoteError> {
    let place = target.place();
    let [one, two, three] = [b"1", b"2", b"3"].map(|text| Bytes::from_static(text));
    let wrong =
        |problem: &str| RemoteError::Unconditional { place: place.clone(), problem: problem.to_owned() };
    let first = target.create(path, one).await.map_err(|refusal| match refusal {
        // Nothing is missing below a bucket before anything is there.
        TargetError::Missing => RemoteError::NoBucket { place: place.clone() },
        refusal => store_error(&place, "writing a first object")(refusal),
    })?;
    match target.create(path, two.clone()).await {
        Err(TargetError::Condition) => {}
        Ok(_) => return Err(wrong("it wrote over an object that should not have been there")),
        Err(refusal) => return Err(wrong(&format!("to write where something is, it said: {refusal}"))),
    }
    match target.replace(path, two, &first).await {
        Ok(second) if second != first => {}
        Ok(_) => return Err(wrong("it calls two versions of an object the same")),
        Err(refusal) => return Err(wrong(&format!("to replace what it just wrote, it said: {refusal}"))),
    }
    match target.replace(path, three, &first).await {
        Err(TargetError::Condition) => Ok(()),
        Ok(_) => Err(wrong("it wrote over a version that it should not have")),
        Err(refusal) => Err(wrong(&format!("to replace an older version, it said: {refusal}"))),
    }
}
