//! One question, many spellings: whatever the order, the coding, the repeats and the junk of a query, it is
//! the same question with the same ETag, links and bytes. A long run sets `PROPTEST_CASES`.

use std::sync::LazyLock;

use http::HeaderMap;
use proptest::prelude::*;
use proptest::sample::select;
use tests::checks::query::holds;
use tests::checks::request::get;
use tests::in_process::Reply;
use tests::snapshots::sample;

use crate::contract::openapi::CONTRACT;
use crate::http::any_bytes::config;

fn ask(target: &str) -> Reply {
    get(sample(), target.parse().unwrap(), HeaderMap::new())
}

const PATHS: [&str; 10] = [
    "/api/v1/search",
    "/api/v1/programs",
    "/api/v1/organizations",
    "/api/v1/cycles",
    "/api/v1/awards",
    "/api/v1/recipients",
    "/api/v1/exports/latest",
    "/programs",
    "/es/programs.csv",
    "/suggest",
];

/// Good and bad values of every kind of parameter.
static VALUES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let values = "| |true|false|TRUE|0|1|7|18|100|101|-1|1e3|07|٣|99999999999999999999|2027-01-01|\
                  2027-02-30|en|es|name|recent|US|NG|002|science|fellowship|grant|open|csv|research|\
                  \"field work\" -nsf|becas é|%|&=+#;|person|national-science-foundation|nsf";
    values.split('|').collect()
});

/// Names that say nothing.
const JUNK: [&str; 8] = ["utm_source", "utm_", "utm_x-y", "fbclid", "gclid", "_", "_ga", "__s"];

/// Parameters that the contract names, and some it does not.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let paths = ["/api/v1/search", "/api/v1/recipients", "/api/v1/cycles", "/api/v1/exports/latest"];
    let parameters = paths.into_iter().flat_map(|path| CONTRACT.parameters(path));
    let mut names: Vec<&str> = parameters.map(|parameter| parameter["name"].as_str().unwrap()).collect();
    names.extend(["unknown", "Q", "limit[]", "é"]);
    names.sort_unstable();
    names.dedup();
    names
});

type Pair = (&'static str, &'static str);

fn question() -> impl Strategy<Value = Vec<Pair>> {
    prop::collection::vec((select(&NAMES[..]), select(&VALUES[..])), 0..7)
}

/// The same question: other order between names, repeats, junk. Among values of one name the order stays,
/// as the first or the last may be the one that counts.
fn respelled(question: &[Pair], order: &[u32], repeats: &[bool], junk: &[(Pair, u32)]) -> Vec<Pair> {
    let mut places: Vec<(u32, usize)> = (0..question.len()).map(|at| (order[at], at)).collect();
    places.sort_unstable();
    let mut taken = vec![false; question.len()];
    let mut pairs = Vec::new();
    for (_, at) in places {
        let name = question[at].0;
        let first = (0..question.len()).find(|other| question[*other].0 == name && !taken[*other]).unwrap();
        taken[first] = true;
        pairs.extend(std::iter::repeat_n(question[first], 1 + usize::from(repeats[first])));
    }
    for (pair, at) in junk {
        pairs.insert(*at as usize % (pairs.len() + 1), *pair);
    }
    pairs
}

/// A query in which every byte that need not stand as it is may be escaped; `escape` says which are.
fn query(pairs: &[Pair], escape: u64) -> String {
    let mut bits = escape;
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        push(&mut text, name, &mut bits);
        text.push('=');
        push(&mut text, value, &mut bits);
    }
    text
}

fn push(text: &mut String, part: &str, bits: &mut u64) {
    for byte in part.bytes() {
        *bits = bits.rotate_left(1);
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        match (byte, *bits & 0b11) {
            (b' ', 0 | 1) => text.push('+'),
            (_, 0..=2) if plain => text.push(byte.into()),
            (_, 1) => text.push_str(&format!("%{byte:02x}")),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn every_spelling_of_any_question_has_one_etag_and_one_body(
        path in select(&PATHS[..]),
        question in question(),
        order in prop::collection::vec(any::<u32>(), 7),
        repeats in prop::collection::vec(any::<bool>(), 7),
        junk in prop::collection::vec(((select(&JUNK[..]), select(&VALUES[..])), any::<u32>()), 0..4),
        escape in any::<u64>(),
    ) {
        let one = format!("{path}?{}", query(&question, 0));
        let other = format!("{path}?{}", query(&respelled(&question, &order, &repeats, &junk), escape));
        let (first, second) = (ask(&one), ask(&other));
        prop_assert_eq!(first.status, second.status, "{} and {}", one, other);
        for name in ["etag", "link", "content-language", "cache-control"] {
            prop_assert_eq!(first.headers.get(name), second.headers.get(name), "{}: {} and {}", name, one, other);
        }
        prop_assert!(first.body == second.body, "{} and {}", one, other);
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn no_query_breaks_an_answer(path in select(&PATHS[..]), query in "[ -~]{0,60}") {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let status = ask(&format!("{path}?{}", query.replace("%26", "&").replace("%3D", "="))).status;
        prop_assert!(status == 200 || status == 400, "{} for {}", status, query);
    }

    #[test]
    fn answers_that_differ_have_etags_that_differ(path in select(&PATHS[..]), one in question(), other in question()) {
        let [first, second] = [one, other].map(|question| ask(&format!("{path}?{}", query(&question, 0))));
        if first.body != second.body && first.headers.contains_key("etag") {
            prop_assert_ne!(first.headers.get("etag"), second.headers.get("etag"));
        }
    }

    #[test]
    fn any_question_has_a_canonical_form_and_the_rows_it_asks_for(question in question(), escape in any::<u64>()) {
        holds(sample(), &query(&question, escape));
    }
}

#[test]
fn defaults_and_empty_values_are_no_part_of_a_question() {
    let plain = ask("/api/v1/search?type=fellowship&q=research");
    let silent = ["rolling=false", "funded=0", "page=1", "q=", "facets=true", "facets=yes", "benefit="];
    for silent in silent {
        let other = ask(&format!("/api/v1/search?{silent}&q=research&type=fellowship"));
        assert_eq!(other.headers["etag"], plain.headers["etag"], "{silent}");
        assert!(other.body == plain.body, "{silent}");
    }
}
