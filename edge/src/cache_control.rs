//! `Cache-Control`: how long browsers and shared caches may keep an answer.

use http::HeaderValue;

/// The usual times.
pub(crate) const USUAL: HeaderValue = HeaderValue::from_static(
    "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
);
/// A short time, for what does not exist.
pub(crate) const SHORT: HeaderValue = HeaderValue::from_static("public, max-age=10, s-maxage=30");
/// A day, for redirects.
pub(crate) const REDIRECT: HeaderValue = HeaderValue::from_static("public, max-age=86400");
/// For ever: the address changes with the bytes.
pub(crate) const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Not at all.
pub(crate) const NONE: HeaderValue = HeaderValue::from_static("no-store");

/// The usual times, but no longer than these seconds: the bytes depend on the day.
pub(crate) fn until_midnight(left: u64) -> HeaderValue {
    let [max_age, shared] = [60, 300].map(|usual| left.min(usual));
    let [revalidate, if_error] = [600, 86_400].map(|usual| (left - shared).min(usual));
    let text = format!(
        "public, max-age={max_age}, s-maxage={shared}, stale-while-revalidate={revalidate}, stale-if-error={if_error}"
    );
    HeaderValue::try_from(text).unwrap_or(NONE)
}
