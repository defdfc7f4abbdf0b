//! How long browsers and caches may keep an answer: `Cache-Control`.

use http::HeaderValue;

/// What a body may be kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// The usual times.
    Usual,
    /// The usual times, but no longer than these seconds: the bytes depend on the day.
    UntilMidnight(u64),
    /// A short time: the answer says that something is not there.
    Short,
    /// A day: a redirect.
    Redirect,
    /// For ever: the address changes with the bytes.
    Immutable,
    /// Not at all.
    None,
}

/// Freshness in browsers, in caches, and how long a stale answer may stand in; in seconds.
const MAX_AGE: u64 = 60;
const SHARED_MAX_AGE: u64 = 300;
const STALE_WHILE_REVALIDATE: u64 = 600;
const STALE_IF_ERROR: u64 = 86_400;

impl Lifetime {
    /// `Cache-Control`.
    #[must_use]
    pub fn header(self) -> HeaderValue {
        match self {
            Self::Usual => HeaderValue::from_static(
                "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
            ),
            Self::UntilMidnight(left) if left > SHARED_MAX_AGE + STALE_IF_ERROR => Self::Usual.header(),
            Self::UntilMidnight(left) => {
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
            Self::Short => HeaderValue::from_static("public, max-age=10, s-maxage=30"),
            Self::Immutable => HeaderValue::from_static("public, max-age=31536000, immutable"),
            Self::Redirect => HeaderValue::from_static("public, max-age=86400"),
            Self::None => HeaderValue::from_static("no-store"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_lifetime_outlasts_the_day() {
        for left in [0, 1, 59, 61, 299, 400, 5000, 86_399] {
            let header = Lifetime::UntilMidnight(left).header();
            let text = header.to_str().unwrap();
            let of = |name: &str| -> u64 {
                let found = text.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
                found.unwrap().parse().unwrap()
            };
            assert!(of("max-age") <= left);
            for stale in ["stale-while-revalidate", "stale-if-error"] {
                assert!(of("s-maxage") + of(stale) <= left, "{text}");
            }
        }
    }
}
