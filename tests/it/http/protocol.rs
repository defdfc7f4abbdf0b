//! HTTP around the answers (RFC 9110, RFC 9111): validators and conditions, codings, ranges, and
//! lifetimes that end with the day.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use edge::{Options, Server};
use http::header::IF_MODIFIED_SINCE;
use serde_json::Value;
use snapshot::time::Day;
use tests::in_process::{Reply, get, send};

use crate::server::{AS_OF, Response, SAMPLE};

/// One target of each family.
fn targets() -> [String; 11] {
    let directory = &SAMPLE.directory;
    [
        "/api/v1/search?q=research".to_owned(),
        "/api/v1/programs?limit=100".to_owned(),
        format!("/api/v1/programs/{}", directory.programs[0].slug),
        "/api/v1/facets/topics".to_owned(),
        "/api/v1/organizations?limit=100".to_owned(),
        format!("/api/v1/organizations/{}", directory.organizations[0].slug),
        "/api/v1/cycles".to_owned(),
        "/api/v1/awards".to_owned(),
        format!("/api/v1/recipients/{}", directory.recipients[0].slug),
        "/api/v1/exports/latest".to_owned(),
        "/api/v1/exports/latest?format=csv".to_owned(),
    ]
}

fn with(target: &str, name: &str, value: &str) -> Response {
    SAMPLE.ask("GET", target, &[(name, value)])
}

#[test]
fn a_date_gets_304_while_it_identifies_the_answer_and_no_etag_was_sent() {
    for target in [
        "/api/v1/exports/latest",
        "/api/v1/search?q=research",
        "/api/v1/awards",
        "/api/v1/facets/topics",
        "/programs",
    ] {
        // Published the day before, and right for this day from its beginning.
        let changed = SAMPLE.get(target).header("last-modified").to_owned();
        let status = |headers: &[(&str, &str)]| SAMPLE.ask("GET", target, headers).status;
        assert_eq!(status(&[("If-Modified-Since", &changed)]), 304, "{target}");
        for other in [
            "Fri, 20 Nov 2026 23:59:59 GMT",
            "Sat, 21 Nov 2026 00:00:01 GMT",
            "Sun, 22 Nov 2026 00:00:00 GMT",
            "yesterday",
        ] {
            assert_eq!(status(&[("If-Modified-Since", other)]), 200, "{target}: {other} was never given out");
        }
        let both = [("If-Modified-Since", &*changed), ("If-None-Match", "\"other\"")];
        assert_eq!(status(&both), 200, "{target}");
    }
    assert_eq!(SAMPLE.get("/api/v1/exports/latest").header("last-modified"), "Sat, 21 Nov 2026 00:00:00 GMT");
    // On a later day, an answer of any earlier generation has the date of that day's beginning.
    let tomorrow = AS_OF.tomorrow().unwrap();
    let later = Server::open(tests::snapshots::frozen(&SAMPLE.root, Day::new(tomorrow))).unwrap();
    let ask = |since: &str| send(&later, "GET", "/api/v1/search", &[(IF_MODIFIED_SINCE, since)]);
    let changed = ask("yesterday").headers["last-modified"].to_str().unwrap().to_owned();
    assert_eq!((&*changed, ask(&changed).status.as_u16()), ("Sun, 22 Nov 2026 00:00:00 GMT", 200));
}

#[test]
fn the_current_bytes_get_304_and_a_precondition_that_does_not_hold_is_412_before() {
    const LATER: &str = "Thu, 21 Nov 2030 00:00:00 GMT";
    const EARLIER: &str = "Thu, 19 Nov 2020 00:00:00 GMT";
    for target in targets() {
        let whole = SAMPLE.get(&target);
        let (etag, changed) = (whole.header("etag"), whole.header("last-modified"));
        let weak = format!("W/{etag}");
        let several = format!("\"other\", {etag}");
        for (expected, conditions) in [
            (200, &[("If-Match", etag)][..]),
            (200, &[("If-Match", &several)]),
            (200, &[("If-Match", "*")]),
            (412, &[("If-Match", &weak)]),
            (412, &[("If-Match", "\"other\"")]),
            (412, &[("If-Match", "other")]),
            (412, &[("If-Match", "")]),
            (412, &[("If-Match", "\"other\""), ("If-None-Match", etag)]),
            (304, &[("If-Match", etag), ("If-None-Match", etag)]),
            (200, &[("If-Unmodified-Since", changed)]),
            (200, &[("If-Unmodified-Since", LATER)]),
            (200, &[("If-Unmodified-Since", "yesterday")]),
            (412, &[("If-Unmodified-Since", EARLIER)]),
            (412, &[("If-Unmodified-Since", EARLIER), ("If-None-Match", etag)]),
            (200, &[("If-Match", etag), ("If-Unmodified-Since", EARLIER)]),
            (304, &[("If-None-Match", etag)]),
            (304, &[("If-None-Match", &weak)]),
            (304, &[("If-None-Match", &several)]),
            (304, &[("If-None-Match", &format!("{etag} , \"other\""))]),
            (304, &[("If-None-Match", "*")]),
            (200, &[("If-None-Match", "\"other\"")]),
            (200, &[("If-None-Match", "W/\"other\"")]),
            (200, &[("If-None-Match", "other")]),
            (200, &[("If-None-Match", "")]),
        ] {
            for method in ["GET", "HEAD"] {
                let answer = SAMPLE.ask(method, &target, conditions);
                assert_eq!(answer.status, expected, "{method} {target} {conditions:?}");
                if expected == 304 {
                    let kept = ["etag", "cache-control", "vary"].map(|name| answer.header(name));
                    assert_eq!(kept, ["etag", "cache-control", "vary"].map(|name| whole.header(name)));
                    let about_the_body = ["content-type", "content-encoding", "content-disposition"];
                    assert_eq!(about_the_body.map(|name| answer.header(name)), [""; 3], "{target}");
                }
            }
        }
    }
    let missing = SAMPLE.ask("GET", "/api/v1/programs/none", &[("If-Match", "*")]);
    assert_eq!(missing.status, 404, "conditions are of an answer that is there");
    assert_eq!(SAMPLE.ask("OPTIONS", "/api/v1/search", &[("If-Match", "\"other\"")]).status, 204);
}

#[test]
fn a_resumed_download_never_joins_two_bodies() {
    let target = "/api/v1/exports/latest";
    let whole = SAMPLE.get(target);
    let (etag, changed) = (whole.header("etag"), whole.header("last-modified"));
    let range = ("Range", "bytes=100-");
    for (expected, condition) in [
        (206, ("If-Match", etag)),
        (412, ("If-Match", "\"of-another-generation\"")),
        (206, ("If-Range", etag)),
        (200, ("If-Range", "\"of-another-generation\"")),
        (200, ("If-Range", &*format!("W/{etag}"))),
        (206, ("If-Unmodified-Since", changed)),
        // Since then the generation of that date may have been taken back for this older one.
        (200, ("If-Unmodified-Since", "Sun, 22 Nov 2026 00:00:00 GMT")),
        (412, ("If-Unmodified-Since", "Fri, 20 Nov 2026 00:00:00 GMT")),
    ] {
        assert_eq!(SAMPLE.ask("GET", target, &[range, condition]).status, expected, "{condition:?}");
    }
    let both = [range, ("If-Match", "\"other\""), ("If-Range", etag)];
    assert_eq!(SAMPLE.ask("GET", target, &both).status, 412);
}

#[test]
fn every_coding_decodes_to_the_identity_body_and_has_an_etag_of_its_own() {
    for target in targets() {
        let identity = SAMPLE.get(&target);
        assert_eq!(identity.header("content-encoding"), "");
        let mut etags = vec![identity.header("etag").to_owned()];
        for coding in ["gzip", "gzip, br", "zstd"] {
            let encoded = with(&target, "Accept-Encoding", coding);
            assert_eq!(encoded.header("vary"), "Accept-Encoding", "{target}");
            assert!(encoded.identity() == identity.body, "{target} in {coding}");
            if encoded.header("content-encoding") == "gzip" {
                assert!(encoded.body.len() < identity.body.len(), "{target} in {coding}");
                etags.push(encoded.header("etag").to_owned());
            }
            let condition = [("Accept-Encoding", coding), ("If-None-Match", encoded.header("etag"))];
            assert_eq!(SAMPLE.ask("GET", &target, &condition).status, 304, "{target} in {coding}");
        }
        etags.sort();
        etags.dedup();
        assert!(identity.body.len() < 1024 || etags.len() == 2, "{target}: {etags:?}");
    }
}

#[test]
fn an_answer_too_short_to_compress_has_one_etag_in_which_every_client_finds_it_again() {
    for target in [
        "/api/v1/search?q=nothing-is-called-like-this&facets=false",
        "/api/v1/facets/topics?q=nothing-is-called-like-this",
        "/api/v1/recipients?offset=100000",
    ] {
        let identity = SAMPLE.get(target);
        assert!(identity.body.len() < 512, "{target}");
        for accept in ["gzip", "gzip, deflate, br, zstd"] {
            let short = with(target, "Accept-Encoding", accept);
            assert_eq!(short.header("content-encoding"), "", "{target}, {accept}");
            assert_eq!(short.header("etag"), identity.header("etag"), "{target}, {accept}");
            let condition = [("Accept-Encoding", accept), ("If-None-Match", short.header("etag"))];
            let fresh = SAMPLE.ask("GET", target, &condition);
            let expected = (304, short.header("etag"));
            assert_eq!((fresh.status, fresh.header("etag")), expected, "{target}, {accept}");
        }
    }
}

#[test]
fn lists_link_to_the_pages_around_them() {
    let links = |target: &str| SAMPLE.get(target).header("link").to_owned();
    let link = |query: &str, relation: &str| format!("</api/v1/recipients{query}>; rel=\"{relation}\"");
    let total = SAMPLE.directory.recipients.len();
    assert!((51..=150).contains(&total), "the offsets below suit {total} recipients");
    let last = format!("?limit=50&offset={}", (total - 1) / 50 * 50);
    let first = links("/api/v1/recipients?limit=50");
    for (query, relation) in [("?limit=50", "first"), ("?limit=50&offset=50", "next"), (&*last, "last")] {
        assert!(first.contains(&link(query, relation)), "{first}");
    }
    assert!(!first.contains("prev"), "{first}");
    let second = links("/api/v1/recipients?limit=50&offset=50");
    assert!(second.contains(&link("?limit=50", "prev")), "{second}");
    let end = links(&format!("/api/v1/recipients{last}"));
    assert!(!end.contains("\"next\"") && end.contains(&link(&last, "last")), "{end}");
    let beyond = links("/api/v1/recipients?limit=50&offset=5000");
    assert!(beyond.contains(&link(&last, "prev")) && !beyond.contains("\"next\""), "{beyond}");
    let none = links("/api/v1/recipients?q=nobody-is-called-like-this");
    assert!(none.contains(&link("?q=nobody-is-called-like-this", "last")), "{none}");
}

#[test]
fn the_coding_that_the_client_weighs_most_is_sent() {
    let (search, record) = (targets()[0].clone(), targets()[2].clone());
    for (accept, coding) in [
        ("gzip, br, zstd", "gzip"),
        ("gzip;q=0.5, br;q=0.8, zstd;q=1.0", "gzip"),
        ("br", ""),
        ("zstd;q=0, br;q=0, gzip;q=0", ""),
        ("gzip;Q=0", ""),
        ("gzip;x=1;q=0", ""),
        ("gzip ; x=1 ; Q=0.000", ""),
        ("gzip;qq=0", "gzip"),
        ("gzip;q=0, *", ""),
        ("GZIP ; q=0.5", "gzip"),
        ("zstd;x=1;Q=0.1, gzip;q=0.2", "gzip"),
        ("br;q=2, gzip;q=x", ""),
        ("identity, gzip;q=0.5", ""),
        ("deflate", ""),
        ("*", "gzip"),
        ("*;q=0.1, identity", ""),
        ("*;q=0.2, zstd;q=0", "gzip"),
        ("x-gzip", "gzip"),
    ] {
        for target in [&search, &record] {
            let sent = with(target, "Accept-Encoding", accept);
            assert_eq!(sent.header("content-encoding"), coding, "{accept}");
        }
    }
}

#[test]
fn links_are_relative_and_fill_no_more_than_a_kilobyte_however_long_the_question_is() {
    let words = |bytes: usize| "word+".repeat(bytes / 5);
    let long = [400, 800, 900, 1000, 5000].map(|bytes| format!("/api/v1/search?limit=1&q={}", words(bytes)));
    let deprecated = (500..1000).map(|bytes| format!("/api/v1/search?lang=es&q={}", words(bytes)));
    let slugs = format!("/api/v1/details?{}", "program=there-is-no-program-with-this-slug&".repeat(100));
    for target in targets().into_iter().chain(long).chain(deprecated.step_by(5)).chain([slugs]) {
        let response = SAMPLE.get(&target);
        let links: Vec<_> =
            response.headers.get_all("link").iter().map(|links| links.to_str().unwrap()).collect();
        let links = links.join(", ");
        assert!(links.len() <= 1024, "{target}: {}", links.len());
        let (license, rest) = links.split_once(", ").unwrap();
        assert_eq!(license, "<https://creativecommons.org/licenses/by/4.0/>; rel=\"license\"", "{target}");
        assert!(rest.split(", ").all(|link| link.starts_with("</")), "{target}: {links}");
    }
    // What does not fit is left out whole, and the next page is the last to go.
    let filters = [("topics", "topic"), ("countries", "country")].map(|(facet, parameter)| {
        let values = SAMPLE.json(&format!("/api/v1/facets/{facet}?limit=100"));
        let of = |it: &Value| format!("&{parameter}={}", it["value"].as_str().unwrap());
        values["data"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    });
    for (bytes, expected) in [
        (100, &["next", "first", "last", "canonical"][..]),
        (350, &["next", "first"]),
        (740, &["next"]),
        (870, &[]),
    ] {
        let mut query = "limit=1".to_owned();
        let mut filters = filters.iter().flatten();
        while query.len() < bytes {
            query.push_str(filters.next().unwrap());
        }
        let links = SAMPLE.get(&format!("/api/v1/search?{query}")).header("link").to_owned();
        let relations = links.split("rel=\"").skip(3).map(|it| it.split('"').next().unwrap());
        assert_eq!(relations.collect::<Vec<_>>(), expected, "{bytes}: {links}");
    }
}

/// Whether a value of No-Vary-Search says that a parameter makes no difference.
fn is_ignored(rule: &str, name: &str) -> bool {
    let is_listed = rule.contains(&format!("\"{name}\""));
    match rule.split_once("params") {
        Some((_, list)) if list.starts_with("=(") => is_listed,
        Some((_, except)) => except.is_empty() || !is_listed,
        None => false,
    }
}

#[test]
fn what_no_vary_search_leaves_out_changes_no_answer() {
    let slug = &SAMPLE.directory.programs[0].slug;
    let more = ["/data/programs.ndjson", "/data", "/"].map(str::to_owned);
    let details = [format!("/api/v1/details?program={slug}"), format!("/programs/{slug}")];
    for target in targets().into_iter().chain(more).chain(details) {
        let answer = SAMPLE.get(&target);
        let rule = answer.header("no-vary-search");
        let is_file = !["/search", "/details", "limit=100", "/facets/", "/cycles", "/awards"]
            .iter()
            .any(|it| target.contains(it));
        assert_eq!(is_ignored(rule, "x"), is_file || target.contains("/facets/"), "{target}: {rule}");
        let and = if target.contains('?') { '&' } else { '?' };
        for name in ["x", "program", "locale", "format", "q", "utm_source", "_"] {
            let other = SAMPLE.get(&format!("{target}{and}{name}=es"));
            let is_same = (&other.body, other.header("etag")) == (&answer.body, answer.header("etag"));
            assert!(is_same || !is_ignored(rule, name), "{target}, {name}: {rule}");
        }
    }
}

#[test]
fn parts_of_exports_are_cut_from_the_identity_body() {
    for target in ["/api/v1/exports/latest", "/api/v1/exports/latest?format=csv"] {
        let whole = SAMPLE.get(target);
        assert_eq!(whole.header("accept-ranges"), "bytes");
        let length = whole.body.len();
        for (range, part) in [
            ("0-99", 0..100),
            ("100-", 100..length),
            ("100-99999999999999999999999", 100..length),
            ("-50", length - 50..length),
        ] {
            let range = format!("bytes={range}");
            let response = SAMPLE.ask("GET", target, &[("Range", &range), ("Accept-Encoding", "gzip")]);
            assert_eq!(response.status, 206, "{range}");
            assert_eq!(response.body, whole.body[part.clone()]);
            let expected = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            assert_eq!(response.header("content-range"), expected);
            assert_eq!(response.header("etag"), whole.header("etag"));
        }
        for beyond in [&*format!("bytes={length}-"), "bytes=-0"] {
            let beyond = with(target, "Range", beyond);
            assert_eq!((beyond.status, beyond.header("content-range")), (416, &*format!("bytes */{length}")));
        }
        for several in ["bytes=0-1,5-6", "bytes=9-1", "lines=1-2"] {
            assert_eq!(with(target, "Range", several).status, 200, "{several}");
        }
    }
    for range in ["bytes=0-9", "bytes=99999999-"] {
        let target = "/api/v1/exports/latest";
        let head = SAMPLE.ask("HEAD", target, &[("Range", range)]);
        let whole = SAMPLE.get(target);
        assert_eq!((head.status, head.header("content-range")), (200, ""), "a part is of what GET transfers");
        assert_eq!(head.header("content-length"), whole.body.len().to_string());
    }
    let search = with("/api/v1/search", "Range", "bytes=0-9");
    assert_eq!((search.status, search.header("accept-ranges")), (200, ""));
}

#[test]
fn every_answer_says_who_may_read_it_and_what_it_varies_on() {
    let errors = ["/api/v1/search/none", "/api/v1/facets/topics?limit=0", "/api/v1/organizations/nsf"];
    let all = targets().into_iter().chain(errors.map(str::to_owned));
    for target in all {
        for method in ["GET", "HEAD", "OPTIONS", "DELETE"] {
            let response = SAMPLE.ask(method, &target, &[("Origin", "https://elsewhere.example")]);
            assert_eq!(response.header("vary"), "Accept-Encoding", "{method} {target}");
            assert_eq!(response.header("x-content-type-options"), "nosniff", "{method} {target}");
            let exposed: Vec<&str> = response.header("access-control-expose-headers").split(", ").collect();
            assert!(["ETag", "Content-Disposition"].iter().all(|name| exposed.contains(name)), "{exposed:?}");
            assert!(!response.headers.contains_key("set-cookie"));
        }
    }
}

#[test]
fn nothing_unkeyed_changes_an_answer() {
    for target in targets() {
        let plain = SAMPLE.get(&target);
        for (name, value) in [
            ("Accept", "text/html"),
            ("Accept-Language", "es"),
            ("Cookie", "locale=es"),
            ("Authorization", "Bearer x"),
            ("Origin", "https://elsewhere.example"),
            ("X-Forwarded-Host", "elsewhere.example"),
            ("User-Agent", "x"),
        ] {
            let other = with(&target, name, value);
            assert_eq!((other.status, other.header("etag")), (200, plain.header("etag")), "{name}");
            assert_eq!(other.body, plain.body, "{name}");
        }
    }
}

#[test]
fn a_record_says_which_language_its_text_is_in() {
    // By hand: `statistics` has no Spanish text, the other one has all of it.
    let [foreign, both] = ["statistics", "graduate-research-fellowship-program"];
    for (slug, query, language) in
        [(foreign, "", "en"), (foreign, "?locale=es", "en"), (both, "", "en"), (both, "?locale=es", "es")]
    {
        let answer = SAMPLE.get(&format!("/api/v1/programs/{slug}{query}"));
        assert_eq!((answer.status, answer.header("content-language")), (200, language), "{slug}{query}");
    }
}

/// The time of [`MORTAL`], in seconds since 1970.
static NOW: AtomicU64 = AtomicU64::new(0);

/// A server whose day ends, unlike that of [`SAMPLE`].
static MORTAL: LazyLock<Arc<Server>> = LazyLock::new(|| {
    let clock = || NOW.load(Relaxed);
    Server::open(Options { clock, ..Options::new(SAMPLE.root.clone(), Day::new(AS_OF)) }).unwrap()
});

fn at(target: &str, now: u64) -> Reply {
    NOW.store(now, Relaxed);
    get(&MORTAL, target)
}

/// The longest time that a `Cache-Control` allows an answer to be used, in seconds.
fn longest_use(reply: &Reply) -> u64 {
    let control = reply.headers["cache-control"].to_str().unwrap();
    let of = |name: &str| -> u64 {
        let part = control.split(", ").find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        part.map_or(0, |seconds| seconds.parse().unwrap())
    };
    let fresh = of("max-age").max(of("s-maxage"));
    fresh + of("stale-while-revalidate").max(of("stale-if-error"))
}

#[test]
fn what_depends_on_the_day_is_never_kept_beyond_it() {
    let midnight = u64::try_from(Day::new(AS_OF).0 + 1).unwrap() * 86_400;
    let dated: Vec<String> = targets()
        .into_iter()
        .filter(|target| {
            ["/search", "/programs", "/organizations/", "/cycles", "/exports"]
                .iter()
                .any(|part| target.contains(part))
        })
        .chain(["/api/v1/facets/openStates".to_owned()])
        .collect();
    assert_eq!(dated.len(), 8);
    for target in dated {
        for left in [0, 1, 30, 60, 299, 301, 3600, 86_400] {
            let longest = longest_use(&at(&target, midnight - left));
            assert!(longest <= left, "{target} may be used for {longest} s, {left} s before midnight");
        }
        assert!(longest_use(&at(&target, midnight - 86_400)) > 3600, "{target} is kept at all");
    }
    // After midnight, before the new day was taken, nothing may be kept.
    assert_eq!(longest_use(&at("/api/v1/search", midnight + 5)), 0);
    assert!(longest_use(&at("/api/v1/awards", midnight - 1)) > 300, "what does not depend on it is");
}

#[test]
fn errors_are_kept_shortly_or_not_at_all() {
    for (target, control) in [
        ("/api/v1/programs/none", "public, max-age=10, s-maxage=30"),
        ("/api/v1/facets/topics?limit=0", "public, max-age=10, s-maxage=30"),
        ("/api/v1/organizations/nsf", "public, max-age=86400"),
    ] {
        assert_eq!(SAMPLE.get(target).header("cache-control"), control, "{target}");
    }
}
