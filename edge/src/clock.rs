//! The only place that asks what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use snapshot::time::Day;

/// Seconds since 1970.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is that place")]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Today, UTC.
#[must_use]
pub fn today() -> Day {
    Day(i32::try_from(now() / 86_400).unwrap_or(i32::MAX - 1))
}
