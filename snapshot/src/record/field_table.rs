//! How answers show records: a table of fields for each kind of record, values as they are read from a
//! record, and objects with the members of a table in its order.
//!
//! A table is plain data: a name, what it holds, where it shows and a function that reads it. Macros that
//! derive shapes from structs would be shorter by a line a field, and nobody could search for the names.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::{InternedStr, Number};

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A UUID.
    Id,
    /// A slug.
    Slug,
    /// A text that may have a translation into the requested language.
    Text,
    /// A text as it stands, in whatever language.
    Quote,
    /// A word of a vocabulary.
    Word,
    /// Words of a vocabulary.
    Words,
    /// Codes of places.
    Places,
    /// An address.
    Url,
    /// An amount of money, never below 0.
    Amount,
    /// Any number.
    Number,
    /// A year or a count.
    Integer,
    /// True or false.
    Flag,
    /// A calendar date.
    Day,
    /// A moment.
    Time,
}

/// Where a field shows; places are joined with `Visibility::and`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visibility(u8);

impl Visibility {
    /// Where the record is only named, as in the rows of others.
    pub const REFERENCE: Self = Self(1);
    /// On the page of its organization, briefly.
    pub(crate) const LISTED: Self = Self(2);
    /// In rows: search, lists, export, its CSV.
    pub const ROW: Self = Self(4);
    /// In the record's own answer.
    pub const DETAIL: Self = Self(8);
    /// In the rows of the tool endpoint.
    pub(crate) const TOOL: Self = Self(16);
    /// In the concise records of the tool endpoint, beside what identifies a record there.
    pub const CONCISE: Self = Self(32);

    /// In both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it shows in a place.
    pub const fn has(self, place: Self) -> bool {
        self.0 & place.0 != 0
    }
}

/// Wherever the record is, even if only named.
pub(super) const NAMED: Visibility = Visibility::REFERENCE.and(Visibility::LISTED).and(SHOWN);
/// Where the record itself is.
pub(super) const SHOWN: Visibility = Visibility::ROW.and(DETAIL);
pub(super) const DETAIL: Visibility = Visibility::DETAIL;
pub(super) const CONCISE: Visibility = Visibility::CONCISE;

/// A field of records of one kind.
#[derive(Clone, Copy)]
pub struct Field<R: 'static> {
    /// Name of the member, and of the column.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldType,
    /// Where it shows.
    pub shows: Visibility,
    /// Reads it; texts in the language of the record.
    pub read: for<'a> fn(&'a R) -> Value<'a>,
}

/// A row of a table of fields.
pub(super) const fn field<R>(
    name: &'static str,
    kind: FieldType,
    shows: Visibility,
    read: for<'a> fn(&'a R) -> Value<'a>,
) -> Field<R> {
    Field { name, kind, shows, read }
}

/// The value of a field of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// An identity.
    Id(Uuid),
    /// A text, a word or an address.
    Text(Cow<'a, str>),
    /// A list of words.
    Words(&'a [InternedStr]),
    /// A number.
    Number(Number),
    /// A year or a count.
    Integer(i64),
    /// True or false.
    Flag(bool),
    /// A calendar date.
    Day(Date),
    /// A moment.
    Time(Timestamp),
    /// Another record.
    Object(Object<'a>),
    /// Other records.
    Objects(Vec<Object<'a>>),
}

macro_rules! from {
    ($($of:ty => $value:expr),+ $(,)?) => {
        $(impl<'a> From<$of> for Value<'a> {
            fn from(it: $of) -> Self {
                ($value)(it)
            }
        })+
    };
}

from! {
    Uuid => Value::Id,
    &'a str => |it| Value::Text(Cow::Borrowed(it)),
    &'a String => |it: &'a String| Value::Text(Cow::Borrowed(it)),
    &'a InternedStr => |it: &'a InternedStr| Value::Text(Cow::Borrowed(it)),
    String => |it| Value::Text(Cow::Owned(it)),
    &'a Vec<InternedStr> => |it: &'a Vec<InternedStr>| Value::Words(it),
    Number => Value::Number,
    i32 => |it| Value::Integer(i64::from(it)),
    usize => |it| Value::Integer(it as i64),
    bool => Value::Flag,
    Date => Value::Day,
    Timestamp => Value::Time,
    Object<'a> => Value::Object,
    Vec<Object<'a>> => Value::Objects,
}

impl<'a, T: Into<Self>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a, T> From<&'a Option<T>> for Value<'a>
where
    &'a T: Into<Self>,
{
    fn from(value: &'a Option<T>) -> Self {
        value.as_ref().map_or(Self::Null, Into::into)
    }
}

/// A record as an answer shows it: members in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object<'a>(pub Vec<(&'static str, Value<'a>)>);

impl<'a> Object<'a> {
    /// The same with another member at the end.
    pub fn with(mut self, name: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    /// The same without members that are null.
    pub(crate) fn stated(mut self) -> Self {
        self.0.retain(|(_, value)| *value != Value::Null);
        self
    }

    /// A member's text; empty where there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.0.iter().find(|(known, _)| *known == name) {
            Some((_, Value::Text(text))) => text,
            _ => "",
        }
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
