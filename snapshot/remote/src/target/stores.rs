//! Object stores: S3 and what speaks it, Google, Azure, and plain HTTP for who only reads.

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
    BackoffConfig, Error, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
    PutResult, RetryConfig, UpdateVersion,
};
use url::Url;

use super::{FetchedObject, ObjectVersion, Target, TargetError, TargetFuture};
use crate::error::RemoteError;

/// Longest wait for a connection, and for the answer to one request.
const CONNECT: Duration = Duration::from_secs(10);
const REQUEST: Duration = Duration::from_secs(120);
/// How long a request is tried again while the store is busy.
const RETRY: Duration = Duration::from_secs(60);

/// A bucket, below a folder.
struct Stores {
    store: Box<dyn ObjectStore>,
    folder: Path,
    place: String,
}

/// Makes connections with the cryptography of this program.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        // Somebody else of this process may have chosen already.
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

/// The store of an address; credentials come from the variables that the store's own tools read.
///
/// # Errors
///
/// If something that it needs is not said.
pub fn open(url: &Url) -> Result<Arc<dyn Target>, RemoteError> {
    let place = url.to_string().trim_end_matches('/').to_owned();
    let wrong = |error: Error| RemoteError::Address { url: place.clone(), problem: text_of(&error) };
    if url.host_str().is_none_or(str::is_empty) {
        let problem = "no bucket; write it after the scheme, as in s3://bucket/folder".to_owned();
        return Err(RemoteError::Address { url: place, problem });
    }
    let folder = Path::from_url_path(url.path()).map_err(|error| wrong(error.into()))?;
    let retry = RetryConfig { max_retries: 4, retry_timeout: RETRY, backoff: BackoffConfig::default() };
    let address = url.to_string();
    let (store, folder): (Box<dyn ObjectStore>, Path) = match url.scheme() {
        "s3" => {
            let builder = AmazonS3Builder::from_env().with_url(address);
            (
                Box::new(builder.with_http_connector(Connector).with_retry(retry).build().map_err(wrong)?),
                folder,
            )
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(address);
            (
                Box::new(builder.with_http_connector(Connector).with_retry(retry).build().map_err(wrong)?),
                folder,
            )
        }
        "az" => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(address);
            (
                Box::new(builder.with_http_connector(Connector).with_retry(retry).build().map_err(wrong)?),
                folder,
            )
        }
        _ => {
            let origin = &url[..url::Position::BeforePath];
            let options = ClientOptions::default().with_allow_http(true);
            let builder = HttpBuilder::new().with_url(origin).with_client_options(options);
            (
                Box::new(builder.with_http_connector(Connector).with_retry(retry).build().map_err(wrong)?),
                folder,
            )
        }
    };
    Ok(Arc::new(Stores { store, folder, place }))
}

impl Stores {
    fn path(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.folder))
    }

    async fn write(&self, name: &str, bytes: Bytes, mode: PutMode) -> Result<ObjectVersion, TargetError> {
        let options = PutOptions { mode, ..PutOptions::default() };
        let put = self.store.put_opts(&self.path(name), PutPayload::from_bytes(bytes), options).await;
        put.map(|PutResult { e_tag, version, .. }| ObjectVersion { tag: e_tag, number: version })
            .map_err(|error| refused(&error))
    }

    async fn read(
        &self,
        name: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        let if_none_match = unless.and_then(|version| version.tag.clone());
        let options = GetOptions { if_none_match, ..GetOptions::default() };
        let found = match self.store.get_opts(&self.path(name), options).await {
            Err(Error::NotModified { .. }) => return Ok(None),
            found => found.map_err(|error| refused(&error))?,
        };
        if found.meta.size > limit {
            return Err(TargetError::Length);
        }
        let version = ObjectVersion { tag: found.meta.e_tag.clone(), number: found.meta.version.clone() };
        let bytes = found.bytes().await.map_err(|error| refused(&error))?;
        Ok((bytes.len() as u64 <= limit).then_some(FetchedObject { bytes, version }))
    }
}

/// What an error means. What lies below it says most.
fn refused(error: &Error) -> TargetError {
    match error {
        Error::NotFound { .. } => TargetError::Missing,
        Error::AlreadyExists { .. } | Error::Precondition { .. } => TargetError::Condition,
        Error::Unauthenticated { .. } => TargetError::Unknown(text_of(error)),
        Error::PermissionDenied { .. } => TargetError::Denied(text_of(error)),
        _ => TargetError::Failed(text_of(error)),
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

impl Target for Stores {
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
            self.store.get_range(&self.path(path), start..end).await.map_err(|error| refused(&error))
        })
    }

    fn written<'a>(&'a self, path: &'a str) -> TargetFuture<'a, i64> {
        Box::pin(async move {
            let found = self.store.head(&self.path(path)).await.map_err(|error| refused(&error))?;
            Ok(found.last_modified.timestamp())
        })
    }

    fn put<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ()> {
        Box::pin(async move { self.write(path, bytes, PutMode::Overwrite).await.map(drop) })
    }

    fn create<'a>(&'a self, path: &'a str, bytes: Bytes) -> TargetFuture<'a, ObjectVersion> {
        Box::pin(self.write(path, bytes, PutMode::Create))
    }

    fn replace<'a>(
        &'a self,
        path: &'a str,
        bytes: Bytes,
        version: &'a ObjectVersion,
    ) -> TargetFuture<'a, ObjectVersion> {
        let version = UpdateVersion { e_tag: version.tag.clone(), version: version.number.clone() };
        Box::pin(self.write(path, bytes, PutMode::Update(version)))
    }

    fn delete<'a>(&'a self, path: &'a str) -> TargetFuture<'a, ()> {
        Box::pin(async move {
            match self.store.delete(&self.path(path)).await.map_err(|error| refused(&error)) {
                Err(TargetError::Missing) => Ok(()),
                done => done,
            }
        })
    }
}
