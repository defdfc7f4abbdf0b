//! Object stores: S3 and compatible ones, Google, Azure, and plain HTTP for reading only.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientOptions, HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig,
    UpdateVersion,
};
use url::Url;

use super::api::{FetchedObject, ObjectVersion, Precondition, Target, TargetError, TargetFuture};
use super::object_name::is_inside;
use crate::error::RemoteError;

/// Longest wait for a connection, and for the response to one request.
const CONNECT: Duration = Duration::from_secs(10);
const REQUEST: Duration = Duration::from_secs(120);
/// How long a request is retried while the store is busy.
const RETRY: Duration = Duration::from_secs(60);

/// A bucket, below a folder.
struct Bucket {
    store: Box<dyn ObjectStore>,
    folder: Path,
    place: String,
}

/// Opens connections with the cryptography provider of this program.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        // Another part of this process may have installed one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(REQUEST)
            .user_agent(concat!("opdir/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::limited(3))
            .build();
        let failed = |source: reqwest::Error| Error::Generic { store: "HTTP", source: Box::new(source) };
        client.map(HttpClient::new).map_err(failed)
    }
}

/// Opens the store at an address; credentials come from the variables that the store's own tools read.
///
/// # Errors
///
/// If something that the store needs is not set.
pub(super) fn open(url: &Url) -> Result<Arc<dyn Target>, RemoteError> {
    let place = url.to_string().trim_end_matches('/').to_owned();
    let invalid = |error: Error| RemoteError::Address { url: place.clone(), problem: text_of(&error) };
    if url.host_str().is_none_or(str::is_empty) {
        let problem = "no bucket; write it after the scheme, as in s3://bucket/folder".to_owned();
        return Err(RemoteError::Address { url: place, problem });
    }
    let folder = Path::from_url_path(url.path()).map_err(|error| invalid(error.into()))?;
    let retry = RetryConfig { max_retries: 4, retry_timeout: RETRY, backoff: BackoffConfig::default() };
    macro_rules! build {
        ($builder:expr) => {
            Box::new($builder.with_http_connector(Connector).with_retry(retry).build().map_err(invalid)?)
        };
    }
    let store: Box<dyn ObjectStore> = match url.scheme() {
        "s3" => build!(AmazonS3Builder::from_env().with_url(url.to_string())),
        "gs" => build!(GoogleCloudStorageBuilder::from_env().with_url(url.to_string())),
        "az" => build!(MicrosoftAzureBuilder::from_env().with_url(url.to_string())),
        _ => {
            let options = ClientOptions::default().with_allow_http(true);
            build!(
                HttpBuilder::new().with_url(&url[..url::Position::BeforePath]).with_client_options(options)
            )
        }
    };
    Ok(Arc::new(Bucket { store, folder, place }))
}

impl Bucket {
    fn path(&self, name: &str) -> Result<Path, TargetError> {
        let refused = || TargetError::Name(name.to_owned());
        is_inside(name).then(|| Path::from(format!("{}/{name}", self.folder))).ok_or_else(refused)
    }

    async fn read(
        &self,
        name: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        let if_none_match = unless.and_then(|version| version.tag.clone());
        let options = GetOptions { if_none_match, ..GetOptions::default() };
        let found = match self.store.get_opts(&self.path(name)?, options).await {
            Err(Error::NotModified { .. }) => return Ok(None),
            found => found.map_err(target_error)?,
        };
        if found.meta.size > limit {
            return Err(TargetError::Length);
        }
        let modified = found.meta.last_modified.timestamp();
        let version = ObjectVersion { tag: found.meta.e_tag.clone(), number: found.meta.version.clone() };
        let bytes = found.bytes().await.map_err(target_error)?;
        Ok((bytes.len() as u64 <= limit).then_some(FetchedObject { bytes, version, modified }))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a function to map errors with")]
fn target_error(error: Error) -> TargetError {
    match error {
        Error::NotFound { .. } => TargetError::Missing,
        Error::AlreadyExists { .. } | Error::Precondition { .. } => TargetError::Precondition,
        Error::Unauthenticated { .. } => TargetError::Unauthenticated(text_of(&error)),
        Error::PermissionDenied { .. } => TargetError::Denied(text_of(&error)),
        _ => TargetError::Failed(text_of(&error)),
    }
}

/// The innermost reason, in one short line.
fn text_of(error: &Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    let mut text = inner.to_string();
    while let Some(source) = inner.source() {
        inner = source;
        text = inner.to_string();
    }
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

impl Target for Bucket {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn get<'a>(
        &'a self,
        path: &'a str,
        unless: Option<&'a ObjectVersion>,
        limit: u64,
    ) -> TargetFuture<'a, Option<FetchedObject>> {
        Box::pin(self.read(path, unless, limit))
    }

    fn range<'a>(&'a self, path: &'a str, start: u64, length: u64) -> TargetFuture<'a, Bytes> {
        Box::pin(async move {
            let end = start.checked_add(length).ok_or(TargetError::Length)?;
            self.store.get_range(&self.path(path)?, start..end).await.map_err(target_error)
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        condition: Precondition<'a>,
    ) -> TargetFuture<'a, ObjectVersion> {
        let mode = match condition {
            Precondition::None => PutMode::Overwrite,
            Precondition::Absent => PutMode::Create,
            Precondition::Unchanged(version) => {
                PutMode::Update(UpdateVersion { e_tag: version.tag.clone(), version: version.number.clone() })
            }
        };
        Box::pin(async move {
            let (to, bytes) = (self.path(path)?, PutPayload::from_bytes(bytes));
            let put = self.store.put_opts(&to, bytes, mode.into()).await.map_err(target_error)?;
            Ok(ObjectVersion { tag: put.e_tag, number: put.version })
        })
    }

    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()> {
        Box::pin(async move {
            match self.store.delete(&self.path(path)?).await {
                Err(Error::NotFound { .. }) => Ok(()),
                deleted => deleted.map_err(target_error),
            }
        })
    }
}
