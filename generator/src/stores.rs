//! What commands about stores share: keys, the target, the runtime, exit codes; and garbage collection of a store.

use std::path::Path;
use std::time::Duration;

use dataset::text::counted;
use jiff::Timestamp;
use remote::{ErrorClass, Publisher, RemoteError, Trust};

use crate::cli::{SigningOptions, TrustOptions};
use crate::exit_codes::{Failure, fail};
use crate::keys;

/// Drops old generations of a store, and removes objects that were dropped a week ago.
pub(crate) fn collect(
    url: &str,
    signing: &SigningOptions,
    newest: usize,
    age: Duration,
) -> Result<String, Failure> {
    as_publisher(signing, url, |publisher| {
        let since = Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        let report = run(publisher.collect(newest, since)).map_err(failure)?;
        let generations = report.generations.iter().map(|id| format!("given up: {id}\n")).collect::<String>();
        let (removed, waiting) = (counted(report.objects as usize, "object"), report.waiting);
        Ok(format!("{generations}{removed} removed, {waiting} to be removed after a week"))
    })
}

/// Runs a command that writes to a store, with the keys that it trusts and the key that it signs with.
pub(crate) fn as_publisher(
    signing: &SigningOptions,
    url: &str,
    command: impl FnOnce(&Publisher<'_>) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let key = signing.key.as_deref();
    let (own, signer) = match keys::has_key(key) {
        true => (vec![keys::public(key)?], Some(keys::signer(key)?)),
        false if may_be_unsigned(&signing.trust, url) => (Vec::new(), None),
        false => {
            let message = "nothing would be signed: name a key with --key or OPDIR_KEY, or --allow-unsigned";
            return Err(fail(Failure::Usage, message));
        }
    };
    let trust = trust(&signing.trust, url, &own)?;
    let target = remote::open(url).map_err(failure)?;
    let sign = signer.as_ref().map(|signer| signer as &dyn Fn(&[u8]) -> Result<String, String>);
    let warn = |text: &str| anstream::eprintln!("warning: {text}");
    let (trust, target, clock) = (&trust, &*target, &Timestamp::now);
    command(&Publisher { target, trust, sign, valid_for: None, recover: false, clock, warn: &warn })
}

/// The trusted keys. An unsigned store is accepted without a flag only if it is a folder and no key is named.
pub(crate) fn trust(options: &TrustOptions, url: &str, own: &[String]) -> Result<Trust, Failure> {
    let named = options.trust.iter().map(|text| keys::trusted_line(text));
    let named: Vec<String> = named.collect::<Result<_, _>>()?;
    let keys = [own, &named].concat();
    let unsigned = if keys.is_empty() { may_be_unsigned(options, url) } else { options.allow_unsigned };
    let trust = Trust::new(&keys, unsigned).map_err(failure)?;
    let none = "no key is trusted: name a public key with --trust, or --allow-unsigned";
    (!trust.is_empty()).then_some(trust).ok_or_else(|| fail(Failure::Usage, none))
}

fn may_be_unsigned(options: &TrustOptions, url: &str) -> bool {
    options.allow_unsigned || url.starts_with("file://") && options.trust.is_empty()
}

/// Prints why a command failed.
pub(crate) fn failure(error: RemoteError) -> Failure {
    let failure = match error.class() {
        ErrorClass::Usage => Failure::Usage,
        ErrorClass::Unreadable => Failure::Input,
        ErrorClass::Unwritable => Failure::Output,
        ErrorClass::Unverified => Failure::Verification,
        ErrorClass::Conflict => Failure::HeldBack,
    };
    fail(failure, error)
}

pub(crate) fn run<T>(work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, RemoteError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| RemoteError::File {
        name: "the thread of the store".to_owned(),
        problem: error.to_string(),
    })?;
    runtime.block_on(work)
}

/// The address, where a text names a store and no folder.
pub(crate) fn is_store(root: &Path) -> Option<&str> {
    root.to_str().filter(|text| remote::is_address(text))
}
