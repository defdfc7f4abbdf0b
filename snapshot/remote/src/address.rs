//! Addresses of stores: which kind of store one means.

use std::sync::Arc;

use url::Url;

use crate::error::RemoteError;
use crate::target::Target;
use crate::target::folder::Folder;

/// Whether a text is an address of a store, and no folder.
#[must_use]
pub fn is_one(text: &str) -> bool {
    text.contains("://")
}

/// The store of an address.
///
/// # Errors
///
/// If it is none, or of a kind that this program was built without.
pub fn open(text: &str) -> Result<Arc<dyn Target>, RemoteError> {
    let wrong = |problem: &str| RemoteError::Address { url: text.to_owned(), problem: problem.to_owned() };
    let url = Url::parse(text).map_err(|error| {
        wrong(&format!("{error}; write s3://bucket/folder, gs://…, az://…, https://… or file:///folder"))
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("credentials do not belong into an address; set them as variables"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("only a scheme, a bucket and a folder belong here"));
    }
    match url.scheme() {
        "file" => {
            let path = url.to_file_path().map_err(|()| wrong("write file:///folder, from the root"))?;
            Ok(Arc::new(Folder::new(path)))
        }
        "s3" | "gs" | "az" | "http" | "https" => stores(&url),
        other => {
            Err(wrong(&format!("there are no stores of {other}; s3, gs, az, http, https and file there are")))
        }
    }
}

#[cfg(feature = "stores")]
fn stores(url: &Url) -> Result<Arc<dyn Target>, RemoteError> {
    crate::target::stores::open(url)
}

#[cfg(not(feature = "stores"))]
fn stores(url: &Url) -> Result<Arc<dyn Target>, RemoteError> {
    let problem =
        "this program was built without object stores; build it with `--features stores`, or use file://";
    Err(RemoteError::Address { url: url.to_string(), problem: problem.to_owned() })
}
