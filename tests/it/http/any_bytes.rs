//! Whatever bytes come: paths, conditions, codings, ranges and files of a snapshot are answered or refused,
//! and never panic. A long run sets `PROPTEST_CASES`.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use store::{Generation, VerifyMode, verify};
use tests::checks::request::{Resource, target_holds};
use tests::checks::store::{Other, Root};
use tests::snapshots::sample;

/// So many cases, unless `PROPTEST_CASES` says otherwise.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| Resource::all(sample()));

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn any_path_has_a_route_and_an_answer(path in "(/|/api|/v1|/programs|/facets|/es|/mcp|/%|[!-~]|\\.|%[0-9a-f]{2}){1,12}") {
        let path = format!("/{}", path.replace(['?', '#'], ""));
        target_holds(sample(), path.as_bytes());
    }

    #[test]
    fn any_conditions_ranges_and_codings_get_what_they_ask_for(
        resource in any::<Index>(),
        lines in prop::collection::vec((0..8u8, prop::collection::vec(select(&[
            "\x01", "\x02", "\x03", "\x04", "\x05", "*", "W/", "\"a\"", "\"", ",", " ", "\t", "é", "a", "bytes=", "bytes", "=",
            "-", "0", "9", "99", "99999999999999999999999", "gzip", "x-gzip", "GZIP", "identity", "zstd", "br", ";q=", ";",
            "0.5", "1.001", "Fri, 20 Nov 2026 06:00:00 GMT", "Friday",
        ][..]), 0..8)), 0..4),
    ) {
        let lines = lines.into_iter().map(|(name, parts)| format!("{name}{}", parts.concat()));
        let resource = resource.get(&RESOURCES);
        resource.holds(sample(), &resource.headers(lines.collect::<Vec<_>>().join("\n").as_bytes()));
    }
}

/// A snapshot to damage.
static ROOT: LazyLock<Root> = LazyLock::new(Root::default);

fn refuses(other: Other, bad: &[u8]) -> Result<(), TestCaseError> {
    ROOT.holds(other, bad);
    let path = ROOT.path(other);
    if bad != std::fs::read(&path).unwrap() {
        let both = |root: &Path| (Generation::open_current(root), verify(root, None, VerifyMode::Deep));
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
