//! `CURRENT`: the one object of a store that changes. Line 1 is JSON; what follows is minisign's signature of that line,
//! which the stock tool verifies too (see the README).

use bytes::Bytes;
use jiff::Timestamp;
use minisign_verify::{PublicKey, Signature};
use serde::{Deserialize, Serialize};
use store::{Digest, GenerationId, Hex};
use uuid::Uuid;

use crate::error::{RemoteError, TargetError, read_error};
use crate::secrets::shown_key;
use crate::stores::{FetchedObject, ObjectVersion, Target};

/// Its name.
pub(crate) const CURRENT: &str = "CURRENT";
/// Version of its format.
pub(crate) const FORMAT: u32 = 2;
/// Most bytes of it.
pub(crate) const LIMIT: u64 = 256 << 10;
/// Most generations that are retained beside the live one.
pub(crate) const RETAINED: usize = 64;
/// Most that wait for their removal after a push. Garbage collection may add to them what was retained: that fits too.
pub(crate) const DROPPED: usize = 1_000;
/// Greatest version: no count of writes gets there, and versions after it can still be written.
const VERSION_MAX: u64 = 1 << 53;
/// Stands for the key of a CURRENT without a signature.
pub(crate) const UNSIGNED: &str = "unsigned";

/// The one member of every version.
#[derive(Deserialize)]
struct Versioned {
    format: u64,
}

/// Line 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Current {
    /// Version of the format, 2.
    pub format: u32,
    /// Identifies the store; made at its first push.
    pub root: Uuid,
    /// Counts the writes of CURRENT, from 1.
    pub version: u64,
    /// The live generation.
    pub live: GenerationRef,
    /// Earlier generations that are kept, oldest first.
    pub retained: Vec<GenerationRef>,
    /// Generations that wait for their removal, oldest first.
    pub dropped: Vec<DroppedGeneration>,
    /// When to expect a new push at the latest.
    pub expires: Option<Timestamp>,
}

/// A generation in a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationRef {
    /// Its name.
    pub generation: GenerationId,
    /// Hash of its `manifest.json`.
    pub manifest: Digest,
    /// When it was pushed, by the publisher's clock.
    pub at: Timestamp,
}

/// A generation that is neither live nor kept. Readers may be fetching it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DroppedGeneration {
    /// The generation.
    pub of: GenerationRef,
    /// When garbage collection first saw it here, in seconds since 1970 by the store's clock.
    pub since: Option<i64>,
}

impl GenerationRef {
    /// Name of an object of this generation. Its manifest's hash is part of the name: what has a name never changes, and a
    /// push that was interrupted goes on where it was.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("g/{}.{}/{name}", self.generation, Hex(&self.manifest.0[..8]))
    }
}

/// `CURRENT` as it was read, with a signature that is trusted.
#[derive(Clone, Debug)]
pub struct FetchedCurrent {
    /// Line 1.
    pub current: Current,
    /// Hash of line 1.
    pub line: Digest,
    /// The key that signed it.
    pub key: String,
    /// The version of the object.
    pub version: ObjectVersion,
}

impl Current {
    /// The object, signed if there is a signer.
    pub(crate) fn to_bytes(&self, sign: Option<SignFn<'_>>) -> Result<Bytes, RemoteError> {
        let mut text = self.line();
        if let Some(sign) = sign {
            text.push_str(&sign(text.as_bytes()).map_err(RemoteError::Usage)?);
        }
        Ok(text.into())
    }

    fn line(&self) -> String {
        // Numbers, strings and fixed keys: serde_json cannot fail.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// The CURRENT that makes another generation live and retains the one before, unless it is the same: a recovery may
    /// push that again.
    pub(crate) fn with_live(&self, live: GenerationRef) -> Self {
        let (mut retained, mut dropped) = (self.retained.clone(), self.dropped.clone());
        retained.push(self.live.clone());
        retained.retain(|of| of.path("") != live.path(""));
        let surplus = retained.len().saturating_sub(RETAINED);
        dropped.extend(retained.drain(..surplus).map(|of| DroppedGeneration { of, since: None }));
        Self { version: self.version + 1, live, retained, dropped, ..self.clone() }
    }
}

impl FetchedCurrent {
    /// Reads the object: first the signature, then the format, then the rules. Line 1 must be exactly what this program
    /// writes.
    pub(crate) fn parse(place: &str, object: &FetchedObject, trust: &Trust) -> Result<Self, RemoteError> {
        let malformed = |problem: &str| RemoteError::malformed(place, CURRENT, problem);
        let text = std::str::from_utf8(&object.bytes).map_err(|_| malformed("not UTF-8"))?;
        let end = text.find('\n').ok_or_else(|| malformed("no line"))? + 1;
        let (line, signature) = text.split_at(end);
        let key = trust.verify(place, line.as_bytes(), signature)?;
        let invalid = |error: serde_json::Error| malformed(&error.to_string());
        let Versioned { format: found } = serde_json::from_str(line).map_err(invalid)?;
        if found != u64::from(FORMAT) {
            return Err(RemoteError::Format { place: place.to_owned(), found, known: FORMAT });
        }
        let current: Current = serde_json::from_str(line).map_err(invalid)?;
        if current.line() != line {
            return Err(malformed("not written the way this program writes it"));
        }
        if current.retained.len() > RETAINED || !(1..=VERSION_MAX).contains(&current.version) {
            return Err(malformed("numbers out of bounds"));
        }
        let (line, version) = (Digest::of(line.as_bytes()), object.version.clone());
        Ok(Self { current, line, key, version })
    }
}

/// Fetches `CURRENT`.
/// [`RemoteError::Empty`] if there is none.
pub(crate) async fn fetch(target: &dyn Target, trust: &Trust) -> Result<FetchedCurrent, RemoteError> {
    look(target, trust, None).await?.ok_or_else(|| RemoteError::Empty { place: target.place() })
}

/// Reads `CURRENT` and checks its signature; `None` if its version still is `unless`.
///
/// # Errors
///
/// If it cannot be read or is not trusted.
pub async fn look(
    target: &dyn Target,
    trust: &Trust,
    unless: Option<&ObjectVersion>,
) -> Result<Option<FetchedCurrent>, RemoteError> {
    let place = target.place();
    match target.get(CURRENT, unless, LIMIT).await {
        Ok(found) => found.map(|object| FetchedCurrent::parse(&place, &object, trust)).transpose(),
        Err(TargetError::Missing) => Err(RemoteError::Empty { place }),
        Err(error) => Err(read_error(&place, CURRENT)(error)),
    }
}

/// Signs a line; gives the text of a signature as minisign writes it.
pub(crate) type SignFn<'a> = &'a dyn Fn(&[u8]) -> Result<String, String>;

/// The keys whose signatures are trusted.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    keys: Vec<(String, PublicKey)>,
    /// Whether a CURRENT without a signature is accepted too.
    unsigned: bool,
}

impl Trust {
    /// Trusts these public keys, each one line as minisign writes it, and unsigned stores if `unsigned`.
    ///
    /// # Errors
    ///
    /// If a text is not a public key.
    pub fn new(keys: &[String], unsigned: bool) -> Result<Self, RemoteError> {
        let read = |text: &String| match PublicKey::from_base64(text.trim()) {
            Ok(key) => Ok((text.trim().to_owned(), key)),
            Err(_) => Err(RemoteError::Usage(format!(
                "{}: not a public key; `opdir keys public` prints one",
                shown_key(text)
            ))),
        };
        Ok(Self { keys: keys.iter().map(read).collect::<Result<_, _>>()?, unsigned })
    }

    /// Whether nothing at all would be accepted.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.unsigned
    }

    /// Whether this key is trusted, as [`FetchedCurrent`] names it.
    pub(crate) fn accepts(&self, key: &str) -> bool {
        self.keys.iter().any(|(text, _)| text == key) || self.unsigned && key == UNSIGNED
    }

    /// The key that signed a line, or [`UNSIGNED`].
    fn verify(&self, place: &str, line: &[u8], signature: &str) -> Result<String, RemoteError> {
        let untrusted = |problem: &'static str| RemoteError::Untrusted { place: place.to_owned(), problem };
        if signature.is_empty() {
            return match self.unsigned {
                true => Ok(UNSIGNED.to_owned()),
                false => Err(untrusted("CURRENT is not signed; name a store that is, or --allow-unsigned")),
            };
        }
        if self.keys.is_empty() && self.unsigned {
            return Err(untrusted(
                "CURRENT is signed; name the key that you trust with --trust, or, to write, yours with --key",
            ));
        }
        let signature = Signature::decode(signature)
            .map_err(|_| untrusted("what follows line 1 of CURRENT is not a signature"))?;
        let signer = self.keys.iter().find(|(_, key)| key.verify(line, &signature, false).is_ok());
        signer.map(|(text, _)| text.clone()).ok_or_else(|| {
            untrusted(
                "CURRENT is not signed by a trusted key; name the right one with --trust, or find out who writes there",
            )
        })
    }
}
