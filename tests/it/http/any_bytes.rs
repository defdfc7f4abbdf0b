//! Whatever bytes come: paths, conditions, codings, ranges and files of a snapshot are answered or refused,
//! and never panic. A long run sets `PROPTEST_CASES`.

use std::path::Path;
use std::sync::LazyLock;

use http::header::{ACCEPT_ENCODING, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderName, HeaderValue};
use net::conditional::{RequestedRange, is_fresh, negotiate, requested_range};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use store::{Coding, Generation, VerifyMode, verify};
use tests::checks::request::{Resource, target_holds};
use tests::checks::store::{Other, Root};

use crate::http::canonical::LIVE;

/// So many cases, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

/// Bytes that are nearly a header's value: pieces of good ones between any bytes that a value may hold.
fn nearly(pieces: &'static [&'static str]) -> impl Strategy<Value = HeaderValue> {
    let noise = prop::collection::vec(prop_oneof![0x20..0x7fu8, 0x80..=0xffu8, Just(b'\t')], 0..6);
    let piece = select(pieces).prop_map(|piece| piece.as_bytes().to_vec());
    let parts = prop::collection::vec(prop_oneof![4 => piece, 1 => noise], 0..12);
    parts.prop_map(|parts| HeaderValue::from_bytes(&parts.concat()).unwrap())
}

fn headers(lines: Vec<(HeaderName, HeaderValue)>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(name, value);
    }
    headers
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn any_path_has_a_route_and_an_answer(path in "(/|/api|/v1|/programs|/facets|/es|/mcp|/%|[!-~]|\\.|%[0-9a-f]{2}){1,12}") {
        let path = format!("/{}", path.replace(['?', '#'], ""));
        target_holds(&LIVE, path.as_bytes());
    }

    #[test]
    fn any_accept_encoding_gets_what_is_offered_and_not_forbidden(
        values in prop::collection::vec(nearly(&[
            "gzip", "br", "zstd", "identity", "*", "x-gzip", "GZIP", ";q=", "0", "1", "0.5", "0.001", "1.001", ",", " ", ";",
        ]), 0..3),
        offered in any::<bool>(),
    ) {
        let lines = values.into_iter().map(|value| (ACCEPT_ENCODING, value)).collect();
        let coding = negotiate(&headers(lines), || offered);
        prop_assert!(coding == Coding::Identity || offered);
        let only = headers(vec![(ACCEPT_ENCODING, HeaderValue::from_static("gzip;q=0, *"))]);
        prop_assert_eq!(negotiate(&only, || true), Coding::Identity);
    }

    #[test]
    fn a_client_gets_304_only_for_a_current_validator(
        values in prop::collection::vec(nearly(&["\"a\"", "W/", "\"b\"", "*", ",", " ", "\"", "a"]), 1..3),
        since in nearly(&["Fri, 20 Nov 2026 06:00:00 GMT", "Friday", ",", " "]),
    ) {
        let names = values.iter().any(|value| value.as_bytes().windows(3).any(|part| part == b"\"a\""));
        let star = values.iter().any(|value| value.as_bytes().trim_ascii() == b"*");
        let mut lines: Vec<_> = values.into_iter().map(|value| (IF_NONE_MATCH, value)).collect();
        lines.push((IF_MODIFIED_SINCE, since));
        prop_assert!(!is_fresh(&headers(lines), "\"a\"", Some(0)) || names || star);
    }

    #[test]
    fn any_range_is_a_part_of_the_body(
        range in nearly(&["bytes=", "bytes", "=", "-", "0", "9", "5", "99999999999999999999999", ",", " ", "-1"]),
        condition in prop::option::of(nearly(&["\"a\"", "W/", "\"b\"", "Fri, 20 Nov 2026 06:00:00 GMT"])),
        length in 0..20usize,
    ) {
        let condition = condition.map(|value| (IF_RANGE, value));
        let lines = std::iter::once((RANGE, range)).chain(condition).collect();
        if let RequestedRange::Bytes(cut) = requested_range(&headers(lines), "\"a\"", None, length) {
            prop_assert!(cut.start < cut.end && cut.end <= length, "{:?} of {}", cut, length);
        }
    }
}

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| Resource::all(&LIVE));

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn any_conditions_ranges_and_codings_get_what_they_ask_for(
        resource in any::<Index>(),
        lines in prop::collection::vec((0..8u8, prop::collection::vec(select(&[
            "\x01", "\x02", "\x03", "\x04", "\x05", "*", "W/", "\"a\"", ",", " ", "bytes=", "-", "0", "99", "gzip",
            "zstd", "br", ";q=", "0.5", "Fri, 20 Nov 2026 06:00:00 GMT",
        ][..]), 0..8)), 0..4),
    ) {
        let lines = lines.into_iter().map(|(name, parts)| format!("{name}{}", parts.concat()));
        let resource = resource.get(&RESOURCES);
        resource.holds(&LIVE, &resource.headers(lines.collect::<Vec<_>>().join("\n").as_bytes()));
    }
}

/// A snapshot to damage.
static ROOT: LazyLock<Root> = LazyLock::new(Root::new);

fn refuses(other: Other, bad: &[u8]) -> Result<(), TestCaseError> {
    ROOT.holds(other, bad);
    let path = ROOT.path(other);
    if bad != std::fs::read(&path).unwrap() {
        let both = |root: &Path| (Generation::open_current(root), verify(root, None, VerifyMode::Deep, 1));
        let (opened, verified) = ROOT.with(&path, bad, both);
        prop_assert!(opened.is_err(), "{} was taken", String::from_utf8_lossy(bad));
        prop_assert!(verified.is_err(), "{} was verified", String::from_utf8_lossy(bad));
    }
    Ok(())
}

/// A change to a file: bytes in place of others.
fn spliced(path: &Path, at: Index, cut: usize, put: &[u8]) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap();
    let start = at.index(bytes.len());
    let end = (start + cut).min(bytes.len());
    bytes.splice(start..end, put.iter().copied());
    bytes
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn any_other_current_manifest_table_and_changes_are_refused(
        at in any::<Index>(),
        cut in 0..40usize,
        put in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            "(\\{|\\}|\"format\"|\"sequence\"|:|,|1|2|null|\\[|\\]|\n| |-|[0-9a-f]{32}){0,12}".prop_map(String::into_bytes),
        ],
        whole in any::<bool>(),
    ) {
        for other in Other::ALL {
            let bad = if whole { put.clone() } else { spliced(&ROOT.path(other), at, cut, &put) };
            refuses(other, &bad)?;
        }
    }
}
