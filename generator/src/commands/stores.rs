//! Commands about stores: `push`, `pull`, and garbage collection; and what they share: keys, the target, the runtime, exit
//! codes.

use std::path::Path;
use std::time::Duration;

use dataset::text::counted;
use jiff::Timestamp;
use remote::{ErrorClass, LocalRoot, Publisher, Puller, RemoteError, Trust};
use site::size;

use crate::cli::{Pull, Push, SigningOptions, TrustOptions};
use crate::exit_codes::{Failure, fail};
use crate::keys;

/// Pushes the live generation of a root to a store.
pub(crate) fn push(options: &Push) -> Result<String, Failure> {
    as_publisher(&options.signing, &options.url, |publisher| {
        let publisher = &Publisher { valid_for: options.valid_for, recover: options.recover, ..*publisher };
        let source = LocalRoot::open(&options.root).map_err(failure)?;
        let pushed = run(publisher.push(&source))?;
        let current = pushed.current.current;
        let (live, url) = (current.live.generation, publisher.target.place());
        let valid = current.expires.map(|expires| format!(", valid until {expires}")).unwrap_or_default();
        Ok(match pushed.unchanged {
            true => format!("unchanged: {live} is live in {url} already{valid}"),
            false => {
                let objects = counted(pushed.objects as usize, "object");
                format!("{live} is live in {url}: {objects}, {} sent", size(pushed.bytes))
            }
        })
    })
}

/// Brings the live generation of a store into a root.
pub(crate) fn pull(options: &Pull) -> Result<String, Failure> {
    let trust = trust(&options.trust, &options.url, &[])?;
    let target = remote::open(&options.url).map_err(failure)?;
    let puller = Puller { target: &*target, trust: &trust };
    let pulled = run(puller.pull(&options.root))?;
    let expired = pulled.current.current.expires.filter(|expires| *expires < Timestamp::now());
    if let Some(expires) = expired {
        anstream::eprintln!(
            "warning: the store's content was valid until {expires}; find out why no push followed"
        );
    }
    let (id, root) = (pulled.id, options.root.display());
    Ok(match pulled.unchanged {
        true => format!("unchanged: {id} is live in {root} already"),
        false => {
            let requests = counted(pulled.requests as usize, "request");
            format!("{id} is live in {root}: {requests}, {} fetched", size(pulled.bytes))
        }
    })
}

/// Drops old generations of a store, and removes objects that were dropped a week ago.
pub(crate) fn collect(
    url: &str,
    signing: &SigningOptions,
    newest: usize,
    age: Duration,
) -> Result<String, Failure> {
    as_publisher(signing, url, |publisher| {
        let since = Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        let report = run(publisher.collect(newest, since))?;
        let generations = report.generations.iter().map(|id| format!("given up: {id}\n")).collect::<String>();
        let (removed, waiting) = (counted(report.objects as usize, "object"), report.waiting);
        Ok(format!("{generations}{removed} removed, {waiting} to be removed after a week"))
    })
}

/// Runs a command that writes to a store, with the keys that it trusts and the key that it signs with.
fn as_publisher(
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
fn trust(options: &TrustOptions, url: &str, own: &[String]) -> Result<Trust, Failure> {
    let named = options.trust.iter().map(|text| keys::trusted_line(text));
    let named: Vec<String> = named.collect::<Result<_, _>>()?;
    let keys = [own, &named].concat();
    let unsigned = if keys.is_empty() { may_be_unsigned(options, url) } else { options.allow_unsigned };
    let trust = Trust::new(&keys, unsigned).map_err(failure)?;
    let message = "no key is trusted: name a public key with --trust, or --allow-unsigned";
    if trust.is_empty() { Err(fail(Failure::Usage, message)) } else { Ok(trust) }
}

fn may_be_unsigned(options: &TrustOptions, url: &str) -> bool {
    options.allow_unsigned || url.starts_with("file://")
}

/// Prints why a command failed.
fn failure(error: RemoteError) -> Failure {
    let failure = match error.class() {
        ErrorClass::Usage => Failure::Usage,
        ErrorClass::Unreadable => Failure::Input,
        ErrorClass::Unwritable => Failure::Output,
        ErrorClass::Unverified => Failure::Verification,
        ErrorClass::Conflict => Failure::HeldBack,
    };
    fail(failure, error)
}

fn run<T>(work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| fail(Failure::Output, error))?.block_on(work).map_err(failure)
}

/// The address, where a text names a store and no folder.
pub(crate) fn is_store(root: &Path) -> Option<&str> {
    root.to_str().filter(|text| remote::is_address(text))
}
