//! Object stores: S3 and compatible ones, Google, Azure, and plain HTTP for reading only.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientConfigKey, ClientOptions, HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, RetryConfig,
    UpdateVersion,
};
use url::Url;

use super::{ByteStream, FetchedObject, ObjectVersion, ReadFn, Target, is_inside};
use crate::error::{RemoteError, TargetError};
use crate::secrets::shown_address;

/// Longest wait for a connection, and for the response to one request.
const CONNECT: Duration = Duration::from_secs(10);
const REQUEST: Duration = Duration::from_secs(120);
/// Longest wait for a connection to a metadata service, which is near or not there.
const CONNECT_NEAR: Duration = Duration::from_secs(1);
/// How long a request is retried while the store is busy.
const RETRY: Duration = Duration::from_secs(60);

/// Bytes of a part of a long object; stores take 5 MiB or more, and at most 10,000 parts.
const PART: u64 = 16 << 20;

/// A bucket, below a folder.
struct Bucket {
    store: Box<dyn ObjectStore>,
    folder: Path,
    place: String,
    /// The variables that have the credentials.
    variables: &'static str,
}

/// Opens connections with the cryptography provider of this program.
#[derive(Debug)]
struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Another part of this process may have installed one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let is_near = options.get_config_value(&ClientConfigKey::ConnectTimeout).as_deref() == Some("1s");
        let client = reqwest::Client::builder()
            .connect_timeout(if is_near { CONNECT_NEAR } else { CONNECT })
            .timeout(REQUEST)
            .user_agent(concat!("opdir/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::limited(3))
            .build();
        let failed = |source: reqwest::Error| Error::Generic { store: "HTTP", source: Box::new(source) };
        client.map(HttpClient::new).map_err(failed)
    }
}

/// Opens the store at an address; credentials come from the variables that the store's own tools read.
pub(super) fn open(url: &Url) -> Result<Arc<dyn Target>, RemoteError> {
    let place = url.to_string().trim_end_matches('/').to_owned();
    let variables = match url.scheme() {
        "s3" => {
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true to read a public bucket"
        }
        "gs" => "GOOGLE_APPLICATION_CREDENTIALS, the path of a key file",
        "az" => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        _ => "nothing: https:// is for public files",
    };
    let invalid = |error: Error| {
        let problem = text_of(&error);
        RemoteError::Usage(format!("{place}: {problem}; settings are read from {variables}"))
    };
    if url.host_str().is_none_or(str::is_empty) {
        let problem = "no bucket; write it after the scheme, as in s3://bucket/folder";
        return Err(RemoteError::Usage(format!("{place}: {problem}")));
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
    Ok(Arc::new(Bucket { store, folder, place, variables }))
}

impl Bucket {
    fn path(&self, name: &str) -> Result<Path, TargetError> {
        let refused = || TargetError::Name(name.to_owned());
        is_inside(name).then(|| Path::from(format!("{}/{name}", self.folder))).ok_or_else(refused)
    }

    #[expect(clippy::needless_pass_by_value, reason = "a function to map errors with")]
    fn error(&self, error: Error) -> TargetError {
        let variables = self.variables;
        match error {
            _ if is_of_metadata(&error) => TargetError::NoCredentials(variables),
            Error::NotFound { .. } => TargetError::Missing,
            Error::AlreadyExists { .. } | Error::Precondition { .. } => TargetError::Precondition,
            Error::Unauthenticated { .. } => {
                TargetError::Unauthenticated { problem: text_of(&error), variables }
            }
            Error::PermissionDenied { .. } => TargetError::Denied(text_of(&error)),
            _ => TargetError::Failed(text_of(&error)),
        }
    }
}

/// The bytes of an answer, and why it broke off, if it did. One that is longer than the limit is given up there, whatever
/// its head states.
async fn collect(
    mut stream: BoxStream<'static, object_store::Result<Bytes>>,
    limit: u64,
) -> Result<(Bytes, Option<Error>), TargetError> {
    let mut bytes = BytesMut::new();
    while let Some(part) = stream.next().await {
        match part {
            Ok(part) if (bytes.len() + part.len()) as u64 > limit => return Err(TargetError::Length),
            Ok(part) => bytes.extend_from_slice(&part),
            Err(error) => return Ok((bytes.freeze(), Some(error))),
        }
    }
    Ok((bytes.freeze(), None))
}

/// Whether a request for credentials failed, not one to the store: no variable has any.
fn is_of_metadata(error: &Error) -> bool {
    let places = ["http://169.254.", "metadata.google.internal", "/latest/api/token", "/latest/meta-data/"];
    reasons(error).any(|reason| places.iter().any(|place| reason.contains(place)))
}

/// Why a request failed, from the outermost reason to the innermost.
fn reasons(error: &Error) -> impl Iterator<Item = String> {
    let errors = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    errors.map(ToString::to_string)
}

/// The innermost reason, in one short line.
fn text_of(error: &Error) -> String {
    let text = reasons(error).last().unwrap_or_default();
    // An address among the words may be that of AWS_ENDPOINT, with a password.
    let words = text.split_whitespace().map(|word| match word.contains("://") {
        true => shown_address(word),
        false => word.to_owned(),
    });
    let line = words.collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[async_trait]
impl Target for Bucket {
    fn place(&self) -> String {
        self.place.clone()
    }

    async fn get(
        &self,
        path: &str,
        unless: Option<&ObjectVersion>,
        limit: u64,
    ) -> Result<Option<FetchedObject>, TargetError> {
        let if_none_match = unless.and_then(|version| version.tag.clone());
        let options = GetOptions { if_none_match, ..GetOptions::default() };
        let found = match self.store.get_opts(&self.path(path)?, options).await {
            Err(Error::NotModified { .. }) => return Ok(None),
            found => found.map_err(|error| self.error(error))?,
        };
        if found.meta.size > limit {
            return Err(TargetError::Length);
        }
        let modified = found.meta.last_modified.timestamp();
        let version = ObjectVersion { tag: found.meta.e_tag.clone(), number: found.meta.version.clone() };
        match collect(found.into_stream(), limit).await? {
            (_, Some(error)) => Err(self.error(error)),
            (bytes, None) => Ok(Some(FetchedObject { bytes, version, modified })),
        }
    }

    async fn length(&self, path: &str) -> Result<u64, TargetError> {
        let found = self.store.head(&self.path(path)?).await;
        found.map(|found| found.size).map_err(|error| self.error(error))
    }

    async fn range(&self, path: &str, start: u64, length: u64) -> Result<Bytes, TargetError> {
        let end = start.checked_add(length).ok_or(TargetError::Length)?;
        let options = GetOptions { range: Some((start..end).into()), ..GetOptions::default() };
        let found = self.store.get_opts(&self.path(path)?, options).await.map_err(|error| match error {
            Error::NotSupported { .. } => TargetError::NoRanges,
            // What buckets answer has no variant.
            _ if text_of(&error).contains("non-partial response") => TargetError::NoRanges,
            _ => self.error(error),
        })?;
        match collect(found.into_stream(), length).await? {
            // What came before the connection broke off need not come again.
            (bytes, Some(error)) if bytes.is_empty() => Err(self.error(error)),
            (bytes, _) => Ok(bytes),
        }
    }

    async fn stream(&self, path: &str) -> Result<ByteStream<'_>, TargetError> {
        let found = self.store.get(&self.path(path)?).await.map_err(|error| self.error(error))?;
        Ok(found.into_stream().map(|part| part.map_err(|error| self.error(error))).boxed())
    }

    async fn write(
        &self,
        path: &str,
        bytes: Bytes,
        expected: Option<&ObjectVersion>,
    ) -> Result<ObjectVersion, TargetError> {
        let mode = expected.cloned().map_or(PutMode::Create, |ObjectVersion { tag, number }| {
            PutMode::Update(UpdateVersion { e_tag: tag, version: number })
        });
        let put = self.store.put_opts(&self.path(path)?, PutPayload::from_bytes(bytes), mode.into()).await;
        let put = put.map_err(|error| self.error(error))?;
        Ok(ObjectVersion { tag: put.e_tag, number: put.version })
    }

    async fn upload(&self, path: &str, length: u64, read: ReadFn<'_>) -> Result<(), TargetError> {
        if length <= PART {
            let put = self.store.put(&self.path(path)?, read(0, length as usize)?.into()).await;
            return put.map(drop).map_err(|error| self.error(error));
        }
        let parts = self.store.put_multipart(&self.path(path)?).await;
        let (mut parts, mut at) = (parts.map_err(|error| self.error(error))?, 0);
        while at < length {
            let part = read(at, (length - at).min(PART) as usize)?;
            at += part.len() as u64;
            if let Err(error) = parts.put_part(PutPayload::from_bytes(part)).await {
                // What was sent costs money until it is removed.
                let _ = parts.abort().await;
                return Err(self.error(error));
            }
        }
        parts.complete().await.map(drop).map_err(|error| self.error(error))
    }

    async fn delete(&self, path: &str) -> Result<(), TargetError> {
        match self.store.delete(&self.path(path)?).await {
            Err(Error::NotFound { .. }) => Ok(()),
            deleted => deleted.map_err(|error| self.error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(builder: AmazonS3Builder) -> Bucket {
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let builder = builder.with_bucket_name("bucket").with_metadata_endpoint("http://127.0.0.1:1");
        let store = builder.with_http_connector(Connector).with_retry(retry).build().unwrap();
        let (folder, place) = (Path::default(), "s3://bucket".to_owned());
        Bucket { store: Box::new(store), folder, place, variables: "AWS_ACCESS_KEY_ID" }
    }

    /// The error of a request to a bucket.
    async fn error_of(builder: AmazonS3Builder) -> TargetError {
        bucket(builder).get("CURRENT", None, 9).await.unwrap_err()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_bucket_without_ranges_is_known_by_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bucket")).unwrap();
        std::fs::write(folder.path().join("bucket/site.zip"), "whole").unwrap();
        for (ranges, expected) in [(true, Ok("ho".into())), (false, Err(TargetError::NoRanges))] {
            let server = crate::tests::serve(folder.path().to_owned(), ranges);
            let builder = AmazonS3Builder::new().with_endpoint(server).with_allow_http(true);
            let bucket = bucket(builder.with_skip_signature(true));
            assert_eq!(bucket.range("site.zip", 1, 2).await, expected);
            let parts: Vec<_> = bucket.stream("site.zip").await.unwrap().collect().await;
            assert_eq!(parts.into_iter().collect::<Result<Vec<_>, _>>().unwrap().concat(), b"whole");
        }
    }

    #[tokio::test]
    async fn without_credentials_the_variables_are_named() {
        let nowhere = AmazonS3Builder::new().with_endpoint("http://127.0.0.1:1").with_allow_http(true);
        let without = error_of(nowhere.clone()).await;
        assert_eq!(without, TargetError::NoCredentials("AWS_ACCESS_KEY_ID"));
        let with = nowhere.with_access_key_id("key").with_secret_access_key("secret");
        assert!(matches!(error_of(with).await, TargetError::Failed(_)));
    }

    #[test]
    fn an_incomplete_address_names_the_variables_with_the_settings() {
        // Without AZURE_STORAGE_ACCOUNT_NAME, which no test sets.
        let error = open(&Url::parse("az://container/folder").unwrap()).err().unwrap().to_string();
        assert!(error.contains("AZURE_STORAGE_ACCOUNT_NAME"), "{error}");
    }

    #[test]
    fn an_endpoint_is_shown_without_its_password() {
        let source = "cannot reach http://user:secret@127.0.0.1:1/bucket".into();
        let text = text_of(&Error::Generic { store: "S3", source });
        assert!(text.contains("http://127.0.0.1:1/bucket") && !text.contains("secret"), "{text}");
    }
}
