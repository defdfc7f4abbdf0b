//! Arguments of tools. Numbers, flags and lists are also accepted as strings. An error names the argument, its
//! value, what is accepted and what to do; it never quotes the text of a record.

use std::borrow::Cow;

use serde_json::value::RawValue;
use snapshot::record::Locale;

use crate::envelope::{self, string};
use crate::nearest;
use crate::reply::{RpcError, json, shown};

/// An argument's value is not accepted: `expected` completes "name must be".
fn wrong_value(name: &str, expected: &str, value: &RawValue) -> String {
    format!("{name} must be {expected}, got {}. Correct it and call again.", shown(value.get()))
}

/// Why a call of a tool has no result.
pub(crate) enum ToolError {
    /// The caller's mistake in words, which become a result with `isError`.
    Argument(String),
    /// A JSON-RPC error.
    Rpc(RpcError),
}

impl From<String> for ToolError {
    fn from(mistake: String) -> Self {
        Self::Argument(mistake)
    }
}

impl From<RpcError> for ToolError {
    fn from(error: RpcError) -> Self {
        Self::Rpc(error)
    }
}

/// Arguments of a call: known names, without those that are `null`. A message with a repeated name is refused before.
#[derive(Debug)]
pub(crate) struct Arguments<'a>(Vec<(&'static str, &'a RawValue)>);

impl<'a> Arguments<'a> {
    /// Reads the arguments of a tool. `aliases` maps other names to the known ones; an alias counts only where the
    /// known name is absent.
    pub(crate) fn read(
        raw: Option<&'a RawValue>,
        known: &[&'static str],
        aliases: &[(&str, &'static str)],
    ) -> Result<Self, ToolError> {
        let (mut arguments, mut aliased) = (Vec::new(), Vec::new());
        for (given, value) in envelope::arguments(raw)?.0 {
            if let Some(name) = known.iter().find(|known| **known == given) {
                arguments.push((*name, value));
            } else if let Some((_, name)) = aliases.iter().find(|(alias, _)| *alias == given) {
                aliased.push((*name, value));
            } else {
                return Err(unknown(&given, known).into());
            }
        }
        // The first of a name counts.
        arguments.append(&mut aliased);
        arguments.retain(|(_, value)| value.get() != "null");
        Ok(Self(arguments))
    }

    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// What a function reads in an argument without the quotes around it: models write numbers and flags as strings. A
    /// blank text is absent.
    fn read_as<T>(
        &self,
        name: &str,
        expected: impl FnOnce() -> String,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let text = self.get(name).map(|value| string(value).unwrap_or(Cow::Borrowed(value.get())));
        match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(given) => read(given).map(Some).ok_or_else(|| self.wrong(name, &expected())),
        }
    }

    /// Whether the argument is present and not `null`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A text of at most `most` characters. Blank is absent.
    pub(crate) fn text(&self, name: &str, most: usize) -> Result<Option<Cow<'a, str>>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || wrong_value(name, &format!("a string of at most {most} characters"), value);
        let text = string(value).ok_or_else(wrong)?;
        if text.chars().nth(most).is_some() {
            return Err(wrong());
        }
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    /// One of a few words, ignoring case. Blank is absent.
    pub(crate) fn choice(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, String> {
        let one_of = || words.iter().map(|word| json(*word)).collect::<Vec<_>>().join(", ");
        let named = |given: &str| words.iter().copied().find(|word| word.eq_ignore_ascii_case(given));
        self.read_as(name, || format!("one of {}", one_of()), named)
    }

    /// The language of the answer: `es-MX` is Spanish.
    pub(crate) fn locale(&self) -> Result<Option<Locale>, String> {
        let language = |given: &str| Locale::parse(given.to_ascii_lowercase().split(['-', '_']).next()?);
        self.read_as("locale", || "one of \"en\", \"es\"".to_owned(), language)
    }

    /// A boolean, ignoring case.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        let flag = |given: &str| given.to_ascii_lowercase().parse().ok();
        self.read_as(name, || "true or false".to_owned(), flag)
    }

    /// An integer within a range; `10.0` is one.
    pub(crate) fn integer(&self, name: &str, (least, most): (u64, u64)) -> Result<Option<u64>, String> {
        let whole = |given: &str| {
            let number: f64 = serde_json::from_str(given).ok()?;
            let fits = number.fract() == 0.0 && (least as f64..=most as f64).contains(&number);
            fits.then_some(number as u64)
        };
        self.read_as(name, || format!("an integer from {least} to {most}"), whole)
    }

    /// A number that is not negative. 0 counts as absent: models that must name every argument send it, and as
    /// a bound it excludes nothing or everything.
    pub(crate) fn amount(&self, name: &str) -> Result<Option<f64>, String> {
        let amount = |given: &str| {
            serde_json::from_str(given).ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
        };
        let number = self.read_as(name, || "a number, 0 or greater".to_owned(), amount)?;
        Ok(number.filter(|number| *number > 0.0))
    }

    /// Texts: a list, one alone, or a list that is written as a text. Blank ones are left out.
    pub(crate) fn texts(&self, name: &str, items: usize, most: usize) -> Result<Vec<String>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let expected = format!("an array of at most {items} strings of at most {most} characters");
        let wrong = |value: &RawValue| wrong_value(name, &expected, value);
        let list: Vec<String> = match string(value) {
            Some(text) => list_in(&text).unwrap_or_else(|| vec![text.into_owned()]),
            None => {
                let list: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(|_| wrong(value))?;
                let text = |item: &&RawValue| string(item).map(Cow::into_owned).ok_or_else(|| wrong(item));
                list.iter().map(text).collect::<Result<_, _>>()?
            }
        };
        if list.len() > items || list.iter().any(|text| text.chars().nth(most).is_some()) {
            return Err(wrong(value));
        }
        Ok(list.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// The error for an argument that is not `expected`, or is required and absent.
    pub(crate) fn wrong(&self, name: &str, expected: &str) -> String {
        match self.get(name) {
            Some(value) => wrong_value(name, expected, value),
            None => format!("{name} is required: {expected}. Add it and call again."),
        }
    }
}

/// The strings of a JSON array that is written in a string.
fn list_in(text: &str) -> Option<Vec<String>> {
    serde_json::from_str(Some(text.trim()).filter(|text| text.starts_with('['))?).ok()
}

fn unknown(given: &str, known: &[&str]) -> String {
    let hint = nearest::hint(given, known.iter().copied());
    let (given, known) = (json(&shown(given)), known.join(", "));
    format!("Unknown argument {given}.{hint} Accepted: {known}.")
}
