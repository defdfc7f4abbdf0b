//! Pairs of a query string, parsers of single values, and what of a query was not used as it stands, for
//! `meta.invalid`. Input is untrusted.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::de::IgnoredAny;

use super::{INVALID_MAX, INVALID_VALUE_MAX, LIMIT_DEFAULT, Page, YEAR_RANGE};
use crate::record::Locale;
use crate::time::Day;
use crate::truncate::at_char;

/// Name-value pairs of a query string, decoded as forms are (URL standard, section 5.1).
pub fn pairs(query: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    form_urlencoded::parse(query.as_bytes())
}

/// Whether a parameter that nobody defined is left unreported: trackers and private markers.
pub(super) fn is_junk(name: &str) -> bool {
    name.is_empty() || name.starts_with("utm_") || name.starts_with('_') || matches!(name, "fbclid" | "gclid")
}

pub(super) fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    *slot = value;
    slot.is_some()
}

/// A number that is not negative, written as in JSON: many programs print `1.0E7` or `1E+7`.
pub(super) fn parse_amount(value: &str) -> Option<f64> {
    // In a query string a plus that nobody escaped stands for a space.
    let written = value.replacen(['e', 'E'], "e", 1).replacen("e ", "e+", 1);
    let is_json = serde_json::from_str::<IgnoredAny>(&written).is_ok();
    let number = written.parse::<f64>().ok().filter(|number| is_json && number.is_finite() && *number >= 0.0);
    // `-0` is 0, which is written in one way.
    number.map(f64::abs)
}

pub(super) fn parse_flag(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// `YYYY-MM-DD`, a day that exists.
pub fn parse_date(value: &str) -> Option<Date> {
    let shaped = value.len() == 10 && value.as_bytes()[4] == b'-' && value.as_bytes()[7] == b'-';
    if !shaped { None } else { value.parse().ok() }
}

pub(super) fn parse_day(value: &str) -> Option<Day> {
    parse_date(value).map(Day::new)
}

/// An integer of any length, saturating; `None` when it is not one.
fn parse_integer(value: &str) -> Option<i128> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let far = if value.starts_with('-') { i128::MIN } else { i128::MAX };
    Some(value.parse().unwrap_or(far))
}

/// Clamps an integer into a range; a non-number leaves the default. True when used as it stands.
pub(super) fn clamp(value: &str, (least, most): (u64, u64), slot: &mut Option<u64>) -> bool {
    let Some(number) = parse_integer(value) else { return false };
    let used = number.clamp(i128::from(least), i128::from(most));
    *slot = u64::try_from(used).ok();
    used == number
}

/// The requested rows, by page number or by offset; the offset wins.
#[derive(Debug, Default)]
pub(super) struct Paging {
    pub(super) number: Option<u64>,
    pub(super) limit: Option<u64>,
    pub(super) offset: Option<u64>,
}

impl Paging {
    /// The rows.
    pub(super) fn page(&self) -> Page {
        let limit = self.limit.unwrap_or(LIMIT_DEFAULT);
        Page { offset: self.offset.unwrap_or_else(|| (self.number.unwrap_or(1) - 1) * limit), limit }
    }
}

pub(super) fn parse_year(value: &str) -> Option<i32> {
    let year = parse_integer(value).and_then(|year| i32::try_from(year).ok())?;
    (YEAR_RANGE.0..=YEAR_RANGE.1).contains(&year).then_some(year)
}

/// `^[a-z0-9]+(?:-[a-z0-9]+)*$`
pub fn is_slug(text: &str) -> bool {
    text.split('-').all(|part| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// The requested language of a record; anything unknown is the default.
pub fn parse_locale(query: &str) -> Locale {
    let of = |wanted: &str| {
        pairs(query).filter(|(name, _)| name == wanted).find_map(|(_, value)| Locale::parse(&value))
    };
    of("locale").or_else(|| of("lang")).unwrap_or(Locale::En)
}

/// Collects pairs that were not used as they stand: position in the parameter table, unknown names last; name; value.
#[derive(Debug, Default)]
pub(super) struct Complaints(BTreeSet<(usize, String, String)>);

impl Complaints {
    pub(super) fn add(&mut self, rank: usize, name: &str, value: &str) {
        self.0.insert((rank, name.to_owned(), value.to_owned()));
    }

    /// The entries of `meta.invalid`: `param=value`, equal queries giving equal entries.
    pub(super) fn finish(self) -> Vec<String> {
        let cut = |text| at_char(text, INVALID_VALUE_MAX);
        let entries = self.0.iter().map(|(_, name, value)| format!("{}={}", cut(name), cut(value)));
        entries.take(INVALID_MAX).collect()
    }
}
