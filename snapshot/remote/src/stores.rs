//! The stores that generations are pushed to and pulled from: which one an address means, and what each can do.

mod api;
mod conditional_write;
mod folder;
#[cfg(feature = "stores")]
mod object_stores;

use std::sync::Arc;

use url::Url;

#[cfg(test)]
pub(crate) use self::api::ReadFn;
pub(crate) use self::api::{FetchedObject, Precondition};
pub use self::api::{ObjectVersion, Target};
pub(crate) use self::conditional_write::{check_conditions, write_if};
use self::folder::Folder;
use crate::error::RemoteError;
use crate::secrets::shown_address;

/// Whether a text is the address of a store, not the path of a folder.
pub fn is_address(text: &str) -> bool {
    text.contains("://")
}

/// Opens the store at an address.
///
/// # Errors
///
/// If the address is invalid, or of a kind that this program was built without.
pub fn open(text: &str) -> Result<Arc<dyn Target>, RemoteError> {
    let invalid =
        |problem: &str| RemoteError::Address { url: shown_address(text), problem: problem.to_owned() };
    let url = Url::parse(text).map_err(|error| {
        invalid(&format!("{error}; write s3://bucket/folder, gs://…, az://…, https://… or file:///folder"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("credentials do not belong into an address; set them as variables"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("only a scheme, a bucket and a folder belong here"));
    }
    match url.scheme() {
        "file" => {
            let root = url.to_file_path().map_err(|()| invalid("write file:///folder, from the root"))?;
            Ok(Arc::new(Folder { root }))
        }
        #[cfg(feature = "stores")]
        "s3" | "gs" | "az" | "http" | "https" => object_stores::open(&url),
        #[cfg(not(feature = "stores"))]
        "s3" | "gs" | "az" | "http" | "https" => Err(invalid(
            "this program was built without object stores; released programs, packages and images have them: download one, \
             build with `--features stores`, or use file:///folder",
        )),
        other => Err(invalid(&format!("{other} is not supported; use s3, gs, az, http, https or file"))),
    }
}
