//! Days, moments and ids as the dataset writes them: one spelling each. The libraries read many more, and
//! the calendar's makes a day of a moment by dropping its hour and zone, which moves deadlines.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use uuid::Uuid;

/// A value with one spelling.
pub(super) trait Written: FromStr {
    const EXPECTED: &'static str;

    fn is_spelled(text: &str) -> bool;
}

impl Written for Date {
    const EXPECTED: &'static str = "a date such as 2026-01-31";

    fn is_spelled(text: &str) -> bool {
        fits(text.as_bytes(), b"0000-00-00")
    }
}

impl Written for Timestamp {
    const EXPECTED: &'static str = "a time such as 2026-01-31T09:00:00Z";

    /// RFC 3339, section 5.6.
    fn is_spelled(text: &str) -> bool {
        const SECONDS: &[u8] = b"0000-00-00T00:00:00";
        let Some((start, rest)) = text.as_bytes().split_at_checked(SECONDS.len()) else { return false };
        let zone = match rest.strip_prefix(b".") {
            Some(rest) => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits == 0 {
                    return false;
                }
                &rest[digits..]
            }
            None => rest,
        };
        // Leap seconds end days, and no clock is a day off.
        let is_second = start[17..] <= b"59"[..] || start[11..] == *b"23:59:60" && zone == b"Z";
        let is_offset = fits(zone, b"+00:00") || fits(zone, b"-00:00");
        let is_zone = zone == b"Z" || is_offset && zone[1..3] <= b"23"[..] && zone[4..] <= b"59"[..];
        fits(start, SECONDS) && is_second && is_zone
    }
}

impl Written for Uuid {
    const EXPECTED: &'static str = "a UUID such as 3f0c8a52-7d5e-4c1b-9a86-2b1f0f6c9d11";

    /// No other spelling has this length.
    fn is_spelled(text: &str) -> bool {
        text.len() == 36
    }
}

/// Whether a text has a digit where the shape has one, and its other bytes everywhere else.
fn fits(text: &[u8], shape: &[u8]) -> bool {
    let fit = |(byte, of): (&u8, &u8)| if *of == b'0' { byte.is_ascii_digit() } else { byte == of };
    text.len() == shape.len() && text.iter().zip(shape).all(fit)
}

struct Spelled<T>(T);

impl<'de, T: Written> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<T>(PhantomData<T>);

        impl<T: Written> Visitor<'_> for Read<T> {
            type Value = Spelled<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::EXPECTED)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                let value = if T::is_spelled(text) { text.parse().ok() } else { None };
                value.map(Spelled).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Read(PhantomData))
    }
}

/// A value in its one spelling.
pub(super) fn strict<'de, T: Written, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Spelled::deserialize(deserializer)?.0)
}

/// The same, or none.
pub(super) fn strict_or_none<'de, T: Written, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Spelled<T>>::deserialize(deserializer)?.map(|value| value.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_moment_have_one_spelling_each() {
        assert!(Date::is_spelled("2027-01-31"));
        let others =
            ["20270131", "2027-01-31T23:59:00-08:00", "2027-01-31[UTC]", "+002027-01-31", "2027-1-31", ""];
        for other in others {
            assert!(!Date::is_spelled(other), "{other}");
        }
        assert!(Uuid::is_spelled("3f0c8a52-7d5e-4c1b-9a86-2b1f0f6c9d11"));
        assert!(!Uuid::is_spelled("3f0c8a527d5e4c1b9a862b1f0f6c9d11"));
        for moment in ["2026-12-31T23:59:60Z", "2026-01-31T09:00:00Z", "2026-01-31T09:00:00.123456+05:30"] {
            assert!(Timestamp::is_spelled(moment), "{moment}");
        }
        let others = "2026-01-31|2026-01-31T09:00Z|2026-01-31T09:00:00|2026-01-31 09:00:00Z|2026-01-31T09:00:00.Z|\
                      2026-01-31T09:00:00-08:00[America/Los_Angeles]|20260131T090000Z|2026-01-31T09:00:60Z|\
                      2026-01-31T09:00:00+25:00";
        for other in others.split('|') {
            assert!(!Timestamp::is_spelled(other), "{other}");
        }
    }
}
