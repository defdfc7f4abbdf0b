//! To stores and from there: push, pull, rollouts, and what removes old generations of a store.

use std::path::Path;
use std::time::Duration;

use indicatif::HumanBytes;
use jiff::Timestamp;
use remote::address;
use remote::current::Current;
use remote::error::{ErrorClass, RemoteError};
use remote::gc::Retention;
use remote::keys::Trust;
use remote::local::{LocalRoot, note_pushed};
use remote::publish::{Publisher, Pushed};
use remote::pull::Puller;
use remote::rollout::Step;
use snapshot::store::{self, FetchMode, StoreError};

use crate::cli::{Pull, Push, Rollout, SigningOptions, TrustOptions};
use crate::exit_codes::key_failure;
use crate::keys;
use crate::load::today;
use dataset::diagnostics::counted;
use dataset::failure::{Failure, fail};

/// Puts a root's live generation into a store, for all edges or some.
///
/// # Errors
///
/// If it cannot be read, signed or written, or another publisher was faster.
pub fn push(options: &Push) -> Result<String, Failure> {
    as_publisher(&options.signing, &options.url, |trust, sign| {
        let target = address::open(&options.url).map_err(failure)?;
        let publisher =
            Publisher { target: &*target, trust, sign, valid_for: options.valid_for, clock: &Timestamp::now };
        let pushed = push_upon(options, &publisher)?;
        note_pushed(&options.root, &pushed.read).map_err(failure)?;
        let (pointer, url) = (&pushed.read.pointer, target.place());
        Ok(match pushed.unchanged {
            true => format!("unchanged: {} is live in {url} already", pointer.live.generation),
            false => {
                let objects = counted(pushed.objects as usize, "object");
                format!("{} in {url}: {objects}, {} sent", state(pointer), HumanBytes(pushed.bytes))
            }
        })
    })
}

/// What is live, or rolled out.
fn state(pointer: &Current) -> String {
    let live = pointer.live.generation;
    match &pointer.next {
        Some(next) => {
            format!("{} goes to {} % of the edges, {live} is live", next.named.generation, next.percent)
        }
        None => format!("{live} is live"),
    }
}

/// Takes the next step of a rollout.
///
/// # Errors
///
/// If the store cannot be read, signed or written, no rollout is under way, or somebody else was faster.
pub fn roll_out(options: &Rollout) -> Result<String, Failure> {
    let step = match options.step.percent {
        Some(percent) => Step::Percent(percent),
        None if options.step.promote => Step::Promote,
        None => Step::Abort,
    };
    as_publisher(&options.signing, &options.url, |trust, sign| {
        let target = address::open(&options.url).map_err(failure)?;
        let publisher = Publisher { target: &*target, trust, sign, valid_for: None, clock: &Timestamp::now };
        let read = block_on(publisher.roll_out(step))?;
        Ok(format!("{} in {}", state(&read.pointer), target.place()))
    })
}

/// Pushes what is live in the root; where somebody else was faster, and if that is wanted, once more upon that.
fn push_upon(options: &Push, publisher: &Publisher<'_>) -> Result<Pushed, Failure> {
    /// How often somebody else may be faster again.
    const TRIES: usize = 5;
    let own = store::live_id(&options.root).map_err(|error| failure(error.into()))?;
    for tries in 1.. {
        let mut source = LocalRoot::open(&options.root, jobs()).map_err(failure)?;
        let pushed = match options.percent {
            Some(percent) => wait(publisher.begin(&mut source, percent)),
            None => wait(publisher.push(&mut source)),
        };
        match pushed {
            Err(error) if options.rebase && error.is_behind() && tries < TRIES => {
                let (target, trust) = (publisher.target, publisher.trust);
                let puller = Puller { target, trust, jobs: jobs(), take: FetchMode::All, edge: None };
                block_on(puller.pull(&options.root, None))?;
                let day = today();
                // Nothing is rendered: the same files under the next number.
                let again = store::rollback(&options.root, Some(own), day);
                again.map_err(|faults| fail(Failure::Output, told(&faults)))?;
            }
            pushed => return pushed.map_err(failure),
        }
    }
    Err(Failure::HeldBack)
}

fn told(faults: &[StoreError]) -> String {
    faults.first().map(ToString::to_string).unwrap_or_default()
}

/// Brings what is live in a store into a root.
///
/// # Errors
///
/// If it cannot be read, is not believed, or the root cannot be written.
pub fn pull(options: &Pull) -> Result<String, Failure> {
    let trust = believed(&options.trust, &options.url, &[])?;
    let target = address::open(&options.url).map_err(failure)?;
    let edge = options.name.as_deref();
    let puller = Puller { target: &*target, trust: &trust, jobs: jobs(), take: FetchMode::All, edge };
    let Some(pulled) = block_on(puller.pull(&options.root, None))? else { return Ok(String::new()) };
    let late = pulled.read.pointer.expires.filter(|expires| *expires < Timestamp::now());
    if let Some(expires) = late {
        anstream::eprintln!(
            "warning: what is there was good until {expires}; look why nothing new was pushed"
        );
    }
    let (id, root) = (pulled.id, options.root.display());
    Ok(match pulled.unchanged {
        true => format!("unchanged: {id} is live in {root} already"),
        false => {
            let ranges = counted(pulled.ranges as usize, "range");
            format!("{id} is live in {root}: {ranges}, {} of bodies fetched", HumanBytes(pulled.bytes))
        }
    })
}

/// Gives up old generations of a store, and removes what was given up a week ago.
///
/// # Errors
///
/// If the store cannot be read or written, or somebody pushed meanwhile.
pub fn collect(url: &str, signing: &SigningOptions, newest: usize, age: Duration) -> Result<String, Failure> {
    as_publisher(signing, url, |trust, sign| {
        let target = address::open(url).map_err(failure)?;
        let publisher = Publisher { target: &*target, trust, sign, valid_for: None, clock: &Timestamp::now };
        let since = Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        let removed = block_on(publisher.collect(Retention { newest, since }))?;
        let generations =
            removed.generations.iter().map(|id| format!("given up: {id}\n")).collect::<String>();
        let (gone, waiting) = (counted(removed.objects as usize, "object"), removed.waiting);
        Ok(format!("{generations}{gone} removed, {waiting} to be removed after a week"))
    })
}

/// Runs what writes to a store with whom it believes and what it signs with.
fn as_publisher(
    signing: &SigningOptions,
    url: &str,
    run: impl FnOnce(&Trust, Option<remote::keys::SignFn<'_>>) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let key = signing.key.as_deref();
    if !keys::has_key(key) {
        if !may_be_unsigned(&signing.trust, url) {
            let message = "nothing would be signed: name a key with --key or OPDIR_KEY, or --allow-unsigned";
            return Err(fail(Failure::Usage, message));
        }
        return run(&believed(&signing.trust, url, &[])?, None);
    }
    let own = keys::public(key).map_err(|error| key_failure(&error))?;
    let sign = keys::signer(key).map_err(|error| key_failure(&error))?;
    let trust = believed(&signing.trust, url, &[own])?;
    run(&trust, Some(&sign))
}

/// Who is believed. What nobody signed is, without being told, only of a folder of this machine, and if no key is
/// named.
fn believed(believe: &TrustOptions, url: &str, own: &[String]) -> Result<Trust, Failure> {
    let lines = believe.trust.iter().map(|text| keys::trusted_line(text));
    let named: Vec<String> = lines.collect::<Result<_, _>>().map_err(|error| key_failure(&error))?;
    let keys = [own, &named].concat();
    let unsigned = if keys.is_empty() { may_be_unsigned(believe, url) } else { believe.allow_unsigned };
    let trust = Trust::of(&keys, unsigned).map_err(failure)?;
    match trust.is_empty() {
        false => Ok(trust),
        true => Err(fail(
            Failure::Usage,
            "nobody is trusted: name a public key with --trust, or --allow-unsigned",
        )),
    }
}

fn may_be_unsigned(believe: &TrustOptions, url: &str) -> bool {
    believe.allow_unsigned || url.starts_with("file://")
}

fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Prints why something failed.
fn failure(error: RemoteError) -> Failure {
    let failure = match error.kind() {
        ErrorClass::Usage => Failure::Usage,
        ErrorClass::Unreadable => Failure::Input,
        ErrorClass::Unwritable => Failure::Output,
        ErrorClass::Unverified => Failure::Verification,
        ErrorClass::HeldBack => Failure::HeldBack,
    };
    fail(failure, error)
}

fn block_on<T>(work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, Failure> {
    wait(work).map_err(failure)
}

fn wait<T>(work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, RemoteError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| RemoteError::File {
        name: "the thread of the store".to_owned(),
        problem: error.to_string(),
    })?;
    runtime.block_on(work)
}

/// The address, where a text names a store and no folder.
#[must_use]
pub fn is_store(root: &Path) -> Option<&str> {
    root.to_str().filter(|text| address::is_one(text))
}
