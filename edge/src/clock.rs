//! The only place that reads the system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use snapshot::time::Day;

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this is that place")]
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The UTC day of a time in seconds since 1970.
pub(crate) fn day_of(now: u64) -> Day {
    Day(i32::try_from(now / 86_400).unwrap_or(i32::MAX - 1))
}
