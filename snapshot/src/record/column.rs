//! What the structs of all tables share: kinds of columns, their defaults, and the macro that declares a struct.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;
use std::sync::{LazyLock, PoisonError, RwLock};

use hashbrown::HashSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that many records share, as values of a vocabulary are: kept once in memory, however many
/// records have it, and never freed: without it a record of 240 countries has 240 strings. As small as a pointer;
/// compared and sorted as its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct InternedStr(&'static String);

static INTERNED: LazyLock<RwLock<HashSet<InternedStr>>> = LazyLock::new(Default::default);

impl InternedStr {
    /// The text.
    pub fn as_str(&self) -> &'static str {
        self.0
    }
}

impl From<&str> for InternedStr {
    fn from(text: &str) -> Self {
        let known = INTERNED.read().unwrap_or_else(PoisonError::into_inner).get(text).copied();
        known.unwrap_or_else(|| {
            let mut all = INTERNED.write().unwrap_or_else(PoisonError::into_inner);
            *all.get_or_insert_with(text, |text| Self(Box::leak(Box::new(text.to_owned()))))
        })
    }
}

impl From<String> for InternedStr {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl Borrow<str> for InternedStr {
    fn borrow(&self) -> &str {
        self.0
    }
}

impl Deref for InternedStr {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl PartialEq<&str> for InternedStr {
    fn eq(&self, text: &&str) -> bool {
        self.0 == text
    }
}

impl fmt::Display for InternedStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for InternedStr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Borrowed where the input has the text as it is.
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
        Text::deserialize(deserializer).map(|text| text.0.as_ref().into())
    }
}

/// A number that prints without a fraction when it has none, as JSON written by hand does.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(transparent)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Integers up to here are exact in an `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Declares the rows of tables: camelCase, unknown fields refused, `publication` understood. What is
/// written is published, so `publication` is not.
macro_rules! row {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, Serialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)+
            /// Only published records leave the building.
            #[serde(default, skip_serializing)]
            pub publication: PublicationStatus,
        }
    )+};
}

pub(super) use row;

pub(super) fn null_is_empty<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}
