//! What the structs of all tables share: kinds of columns, their defaults, and the macro that declares a struct.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that many records share, as values of a vocabulary are: kept once in memory, however many
/// records have it, and never freed. Compared and sorted as its text.
pub use ustr::Ustr as InternedStr;

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
