//! `CURRENT`: the one object of a store that changes. Line 1 is JSON, what follows is the signature of that line.
//!
//! `head -1 CURRENT >line; tail -n +2 CURRENT >line.minisig; minisign -V -m line -P KEY` says the same as this program.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::error::RemoteError;
use crate::keys::{SignFn, Trust};
use crate::target::{ObjectVersion, Target};
use crate::versioned_json::read_json;

/// Its name.
pub const CURRENT: &str = "CURRENT";
/// Version of its form.
pub const FORMAT: u64 = 1;
/// Most bytes of it.
pub const LIMIT: u64 = 32 << 10;
/// Most generations that are kept beside the live one.
pub const RETAINED: usize = 64;

/// What line 1 says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Current {
    /// [`FORMAT`].
    pub format: u64,
    /// Which store: made up at its first push.
    pub root: Uuid,
    /// One more at every write.
    pub version: u64,
    /// The generation that is live.
    pub live: GenerationRef,
    /// Generations that were live, or began to be rolled out, and are still whole, in the order in which that ended.
    pub retained: Vec<GenerationRef>,
    /// The generation that some edges take before it is live, while a rollout is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// The number of the last rollout that was aborted, until one after it is live: no other generation gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<u64>,
    /// Hash of the list of what nobody needs any more and waits to be removed, if there is one.
    pub retired: Option<Digest>,
    /// After this time somebody should look why nothing new came.
    pub expires: Option<Timestamp>,
}

/// A generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationRef {
    /// Its name.
    pub generation: GenerationId,
    /// What its push is called, of all pushes.
    pub push: Uuid,
    /// Hash of its `contents.json`.
    pub contents: Digest,
    /// When it was pushed, by the publisher's clock.
    pub at: Timestamp,
}

/// A generation that is rolled out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// Which.
    pub named: GenerationRef,
    /// How many of a hundred edges take it: 1 to 99.
    pub percent: u8,
}

impl Next {
    /// Whether an edge is among those that take it. That follows from its name: the same edges at every look, others
    /// at the next rollout, and none that leaves when more are to take it.
    #[must_use]
    pub fn is_for(&self, root: Uuid, edge: &str) -> bool {
        let generation = self.named.generation.to_string();
        let drawn = Digest::of(&[root.as_bytes(), generation.as_bytes(), edge.as_bytes()].concat());
        let first = drawn.0.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        first % 100 < u64::from(self.percent)
    }

    /// What a push is told meanwhile.
    pub(crate) fn is_under_way(&self, place: String) -> RemoteError {
        RemoteError::Under { place, next: self.named.generation, percent: self.percent }
    }
}

impl GenerationRef {
    /// Folder of what describes it.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("g/{}.{}", self.generation, self.push.simple())
    }
}

/// `CURRENT` as it was read, from somebody who is believed.
#[derive(Clone, Debug)]
pub struct FetchedCurrent {
    /// What it says.
    pub pointer: Current,
    /// Hash of line 1.
    pub line: Digest,
    /// Who signed it.
    pub key: String,
    /// What the store calls this version.
    pub version: ObjectVersion,
}

impl Current {
    /// The bytes of the object.
    ///
    /// # Errors
    ///
    /// If it cannot be signed, or is too long.
    pub fn write(&self, sign: Option<SignFn<'_>>) -> Result<Bytes, RemoteError> {
        let mut text = self.line();
        if let Some(sign) = sign {
            let signature = sign(text.as_bytes()).map_err(RemoteError::Signing)?;
            text.push_str(&signature);
        }
        match text.len() as u64 <= LIMIT {
            true => Ok(text.into()),
            false => Err(RemoteError::Signing("CURRENT would be too long; `opdir gc` the store".to_owned())),
        }
    }

    fn line(&self) -> String {
        // Numbers, strings and fixed keys: there is nothing that serde_json could refuse.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Reads the bytes of the object: signature first, then the form, then the rules, then byte for byte what
    /// [`Self::write`] writes.
    ///
    /// # Errors
    ///
    /// If it is none, of a later format, or by nobody who is believed.
    pub fn read(place: &str, bytes: &[u8], trust: &Trust) -> Result<(Self, Digest, String), RemoteError> {
        let malformed = |problem: &str| RemoteError::Malformed {
            place: place.to_owned(),
            name: CURRENT.to_owned(),
            problem: problem.to_owned(),
        };
        let text = std::str::from_utf8(bytes).map_err(|_| malformed("not UTF-8"))?;
        let end = text.find('\n').ok_or_else(|| malformed("no line"))? + 1;
        let (line, signature) = text.split_at(end);
        let key = trust.judge(place, line.as_bytes(), signature)?;
        let pointer: Self = read_json(place, CURRENT, FORMAT, line.trim_end())?;
        if pointer.line() != line {
            return Err(malformed("not written the way this program writes it"));
        }
        let is_part = |next: &Next| (1..100).contains(&next.percent);
        if pointer.retained.len() > RETAINED || pointer.version == 0 || !pointer.next.iter().all(is_part) {
            return Err(malformed("numbers out of bounds"));
        }
        Ok((pointer, Digest::of(line.as_bytes()), key))
    }

    /// Every generation that is whole: the live one, the one that is rolled out, and those retained.
    pub fn whole(&self) -> impl Iterator<Item = &GenerationRef> {
        let next = self.next.iter().map(|next| &next.named);
        std::iter::once(&self.live).chain(next).chain(&self.retained)
    }

    /// The same with another live generation, the one before beside it; who writes it counts the version up. No rollout
    /// is under way then, and numbers of those before are past.
    #[must_use]
    pub fn with_live(&self, live: GenerationRef) -> Self {
        Self { live, next: None, spent: None, ..self.retaining(self.live.clone()) }
    }

    /// The same with one more generation beside the live one.
    fn retaining(&self, named: GenerationRef) -> Self {
        let mut retained = self.retained.clone();
        retained.push(named);
        let surplus = retained.len().saturating_sub(RETAINED);
        retained.drain(..surplus);
        Self { retained, ..self.clone() }
    }

    /// The same after a rollout: what was rolled out is whole, and its number is given to no other.
    #[must_use]
    pub fn without(&self, next: &Next) -> Self {
        let spent = Some(next.named.generation.sequence);
        Self { next: None, spent, ..self.retaining(next.named.clone()) }
    }

    /// The generation that is for an edge of this name; whoever has none takes what is live.
    #[must_use]
    pub fn of_edge(&self, edge: Option<&str>) -> &GenerationRef {
        let next = self.next.as_ref().filter(|next| edge.is_some_and(|edge| next.is_for(self.root, edge)));
        next.map_or(&self.live, |next| &next.named)
    }
}

/// Fetches `CURRENT`; nothing if it still is `unless`.
///
/// # Errors
///
/// If it cannot be read, or is not what it should be; [`RemoteError::Empty`] if there is none.
pub async fn fetch(
    target: &dyn Target,
    trust: &Trust,
    unless: Option<&ObjectVersion>,
) -> Result<Option<FetchedCurrent>, RemoteError> {
    let place = target.place();
    let got = match target.get(CURRENT, unless, LIMIT).await {
        Ok(got) => got,
        Err(crate::target::TargetError::Missing) => return Err(RemoteError::Empty { place }),
        Err(refusal) => return Err(crate::error::store_error(&place, "reading CURRENT")(refusal)),
    };
    let Some(got) = got else { return Ok(None) };
    let (pointer, line, key) = Current::read(&place, &got.bytes, trust)?;
    Ok(Some(FetchedCurrent { pointer, line, key, version: got.version }))
}
