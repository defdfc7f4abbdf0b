//! Names of objects. What a name that comes from a store may name is decided here, before anything is done with it.

use serde::{Deserialize, Serialize};
use store::{Digest, GenerationId};
use uuid::Uuid;

/// Name of an object that garbage collection may remove: a pack, a file of a generation, a list of retired objects, or a
/// probe. No value of this type is `CURRENT`, `pending`, or a path out of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ObjectName(String);

impl ObjectName {
    /// The object with which a push checks whether the store honours preconditions.
    pub(crate) fn probe(push: Uuid) -> Self {
        Self(format!("probe-{}", push.simple()))
    }

    /// Whether no reader ever fetches it, so that it need not wait for its removal.
    pub(crate) fn is_unread(&self) -> bool {
        self.0.starts_with("retired/") || self.0.starts_with("probe-")
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ObjectName> for String {
    fn from(name: ObjectName) -> Self {
        name.0
    }
}

impl TryFrom<String> for ObjectName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_hash = |text: &str| text.parse::<Digest>().is_ok();
        let is_removable = is_inside(&name)
            && match *name.split('/').collect::<Vec<_>>() {
                ["p", start, file] => file
                    .strip_suffix(".pack")
                    .is_some_and(|hash| is_hash(hash) && start.len() == 2 && hash.starts_with(start)),
                ["retired", file] => file.strip_suffix(".json").is_some_and(is_hash),
                ["g", folder, _, ..] => folder
                    .split_once('.')
                    .is_some_and(|(id, push)| id.parse::<GenerationId>().is_ok() && is_id(push)),
                [probe] => probe.strip_prefix("probe-").is_some_and(is_id),
                _ => false,
            };
        match is_removable {
            true => Ok(Self(name)),
            false => Err(format!("{name:?} is not the name of an object that may be removed")),
        }
    }
}

/// A UUID without hyphens.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a name stays below the folder that it is appended to, in every store: it is not absolute, and has no `..`.
pub(super) fn is_inside(name: &str) -> bool {
    !name.contains(['\\', '\0']) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_removable_objects_are_accepted() {
        let hash = "ab".repeat(32);
        let generation = GenerationId::new(42, &Digest::of(b"manifest"));
        let generation = format!("g/{generation}.{}", "1".repeat(32));
        let accepted = |name: &str| ObjectName::try_from(name.to_owned()).is_ok();
        for name in [
            format!("p/ab/{hash}.pack"),
            format!("retired/{hash}.json"),
            format!("{generation}/contents.json"),
            format!("{generation}/index/terms.bin"),
            ObjectName::probe(Uuid::from_u128(7)).0,
        ] {
            assert!(accepted(&name), "{name}");
        }
        for name in [
            "CURRENT".to_owned(),
            "pending".to_owned(),
            "/etc/passwd".to_owned(),
            "../victim".to_owned(),
            "p/../CURRENT".to_owned(),
            format!("p/cd/{hash}.pack"),
            format!("p/ab/{}.pack", hash.to_uppercase()),
            format!("p/ab/{hash}.pack/"),
            format!("retired/{hash}"),
            format!("{generation}/../../CURRENT"),
            format!("{generation}/"),
            generation.clone(),
            format!("/{generation}/contents.json"),
            "g/a.b/contents.json".to_owned(),
            "probe-".to_owned(),
            String::new(),
        ] {
            assert!(!accepted(&name), "{name}");
        }
    }
}
