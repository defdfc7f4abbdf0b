//! Validators, conditions, ranges and content negotiation (RFC 9110, sections 8.8, 12.5.3, 13, 14).

use http::header::{
    ACCEPT_ENCODING, HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE,
    RANGE,
};
use http::{HeaderMap, HeaderValue};
use store::Coding;

/// Suffix of an ETag for a coding, so that a strong ETag identifies exactly one sequence of bytes.
pub fn etag_suffix(coding: Coding) -> &'static str {
    if coding == Coding::Gzip { "-g" } else { "" }
}

/// Gzip, where it is on offer and a client does not prefer identity. Identity is always possible here, even where the client
/// forbids it.
pub fn negotiate(headers: &HeaderMap, offers_gzip: impl Fn() -> bool) -> Coding {
    let [gzip, identity, any] = weights(headers);
    let weight = gzip.or(any).unwrap_or(0.0);
    match weight > 0.0 && weight >= identity.unwrap_or(0.0) && offers_gzip() {
        true => Coding::Gzip,
        false => Coding::Identity,
    }
}

/// The first weight of gzip, identity and all others.
fn weights(headers: &HeaderMap) -> [Option<f32>; 3] {
    /// No client names more.
    const CODINGS_MAX: usize = 32;
    const NAMES: [&[&str]; 3] = [&["gzip", "x-gzip"], &["identity"], &["*"]];
    let mut weights = [None; 3];
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    for item in values.flat_map(|value| value.split(',').take(CODINGS_MAX)) {
        let (name, _) = item.split_once(';').unwrap_or((item, ""));
        let weight = parameters(item, "q").next().map_or(Ok(1.0), str::parse);
        let is_named = |known: &&str| known.eq_ignore_ascii_case(name.trim());
        let slot = NAMES.iter().position(|names| names.iter().any(is_named));
        if let (Some(slot), Ok(weight @ 0.0..=1.0)) = (slot, weight) {
            weights[slot].get_or_insert(weight);
        }
    }
    weights
}

/// The values of a parameter of an item, such as `q` of `gzip;q=0.5`; names of parameters know no case.
pub fn parameters<'t>(item: &'t str, name: &'static str) -> impl Iterator<Item = &'t str> {
    let pairs = item.split(';').skip(1).filter_map(|pair| pair.split_once('='));
    pairs.filter(move |(known, _)| known.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Whether the request is to be answered 412: `If-Match` does not name the ETag by strong comparison or, only without
/// it, the bytes `changed` (seconds since 1970) after `If-Unmodified-Since`. To be evaluated before [`is_fresh`] (RFC
/// 9110, section 13.2.2).
pub fn is_precondition_failed(headers: &HeaderMap, etag: &str, changed: i64) -> bool {
    match named(headers, IF_MATCH, |tag| tag == etag) {
        Some(named) => !named,
        None => date_of(headers, IF_UNMODIFIED_SINCE).is_some_and(|since| changed > since),
    }
}

/// Whether the client already has these bytes: `If-None-Match` by weak comparison, and only without
/// it `If-Modified-Since`, which must name the very second `changed` (since 1970): a later one is no proof,
/// for its sender may have it from anywhere.
pub fn is_fresh(headers: &HeaderMap, etag: &str, changed: Option<i64>) -> bool {
    let named = named(headers, IF_NONE_MATCH, |tag| tag.strip_prefix("W/").unwrap_or(tag) == etag);
    named.unwrap_or_else(|| changed.is_some() && changed == date_of(headers, IF_MODIFIED_SINCE))
}

/// Whether a list of ETags is `*` or has a matching one; `None` without such a header.
fn named(headers: &HeaderMap, name: HeaderName, matches: impl Fn(&str) -> bool) -> Option<bool> {
    let lists = |list: &str| list.trim() == "*" || list.split(',').any(|tag| matches(tag.trim()));
    let mut values = headers.get_all(name).iter().peekable();
    values.peek()?;
    Some(values.any(|value| value.to_str().is_ok_and(lists)))
}

/// A header's date, in seconds since 1970; `None` if it is no date.
fn date_of(headers: &HeaderMap, name: HeaderName) -> Option<i64> {
    let time = httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()?;
    time.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_secs().cast_signed())
}

/// A date header's value; none before 1970 and after 9999, which it cannot express.
pub fn http_date(seconds: i64) -> Option<HeaderValue> {
    const LAST: u64 = 253_402_300_799;
    let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds <= LAST)?;
    let since = std::time::Duration::from_secs(seconds);
    HeaderValue::try_from(httpdate::fmt_http_date(std::time::UNIX_EPOCH + since)).ok()
}

/// The part of a body that a `Range` header requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// All of it: without a range, with several, or with one that cannot be parsed.
    Whole,
    /// These bytes.
    Bytes(std::ops::Range<usize>),
    /// Bytes that are not there.
    Unsatisfiable,
}

/// Reads a single range (RFC 9110, section 14.1.2), so that no client joins parts of different bodies: `If-Range` must
/// name the ETag; without it and `If-Match`, `If-Unmodified-Since` must name the second `changed`, if that identifies
/// the body, because an earlier body may be published again.
pub fn requested_range(
    headers: &HeaderMap,
    etag: &str,
    changed: Option<i64>,
    length: usize,
) -> RequestedRange {
    let Some(range) = headers.get(RANGE).and_then(|value| value.to_str().ok()?.strip_prefix("bytes=")) else {
        return RequestedRange::Whole;
    };
    let identified = match headers.get(IF_RANGE) {
        Some(value) => value == etag,
        None if headers.contains_key(IF_MATCH) => true,
        None => date_of(headers, IF_UNMODIFIED_SINCE).is_none_or(|since| changed == Some(since)),
    };
    if !identified {
        return RequestedRange::Whole;
    }
    let number = |text: &str| -> Option<usize> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let Some((first, last)) = range.trim().split_once('-') else { return RequestedRange::Whole };
    let (start, end) = match (number(first), number(last)) {
        (Some(first), None) if last.is_empty() => (first, length),
        (Some(first), Some(last)) if first <= last => (first, length.min(last.saturating_add(1))),
        (None, Some(count)) if first.is_empty() => (length.saturating_sub(count), length),
        _ => return RequestedRange::Whole,
    };
    if start < length { RequestedRange::Bytes(start..end) } else { RequestedRange::Unsatisfiable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_that_no_header_can_express_is_none() {
        for (seconds, date) in [
            (0, Some("Thu, 01 Jan 1970 00:00:00 GMT")),
            (253_402_300_799, Some("Fri, 31 Dec 9999 23:59:59 GMT")),
            (253_402_300_800, None),
            (i64::MAX, None),
            (-1, None),
        ] {
            assert_eq!(http_date(seconds).as_ref().map(|it| it.to_str().unwrap()), date, "{seconds}");
        }
    }
}
