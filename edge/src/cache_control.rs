//! `Cache-Control`: how long browsers and shared caches may keep an answer.

use http::HeaderValue;

/// How long an answer may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheControl {
    /// The usual times.
    Usual,
    /// The usual times, but no longer than these seconds: the bytes depend on the day.
    UntilMidnight(u64),
    /// A short time, for what does not exist.
    Short,
    /// A day, for redirects.
    Redirect,
    /// For ever: the address changes with the bytes.
    Immutable,
    /// Not at all.
    None,
}

/// Freshness in browsers, in shared caches, and how long a stale answer may be served; in seconds.
const MAX_AGE: u64 = 60;
const SHARED_MAX_AGE: u64 = 300;
const STALE_WHILE_REVALIDATE: u64 = 600;
const STALE_IF_ERROR: u64 = 86_400;

impl CacheControl {
    /// The header's value.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::UntilMidnight(left) if left <= SHARED_MAX_AGE + STALE_IF_ERROR => {
                return until_midnight(left);
            }
            Self::Usual | Self::UntilMidnight(_) => {
                "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400"
            }
            Self::Short => "public, max-age=10, s-maxage=30",
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Redirect => "public, max-age=86400",
            Self::None => "no-store",
        })
    }
}

fn until_midnight(left: u64) -> HeaderValue {
    let shared = SHARED_MAX_AGE.min(left);
    let stale = left - shared;
    let text = format!(
        "public, max-age={}, s-maxage={shared}, stale-while-revalidate={}, stale-if-error={}",
        MAX_AGE.min(left),
        STALE_WHILE_REVALIDATE.min(stale),
        STALE_IF_ERROR.min(stale),
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("no-store"))
}
