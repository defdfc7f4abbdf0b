//! How objects of ours are read: the version of their form first.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::RemoteError;

/// Reads an object of ours: the version of its form first.
pub(crate) fn read_json<T: DeserializeOwned>(
    place: &str,
    name: &str,
    known: u64,
    text: &str,
) -> Result<T, RemoteError> {
    let malformed = |error: serde_json::Error| RemoteError::Malformed {
        place: place.to_owned(),
        name: name.to_owned(),
        problem: error.to_string(),
    };
    let Versioned { format: found } = serde_json::from_str(text).map_err(malformed)?;
    if found > known {
        return Err(RemoteError::Future { place: place.to_owned(), found, known });
    }
    serde_json::from_str(text).map_err(malformed)
}

/// The only field that every version has.
#[derive(Deserialize)]
struct Versioned {
    format: u64,
}
