//! Suggestions while text is typed: what each leads to, in both languages, and what any input gets.

use std::sync::{Arc, LazyLock};

use edge::Server;
use http::header::IF_NONE_MATCH;
use serde_json::{Value, json};
use tests::in_process;
use tests::snapshots::sample;
use tests::world::World;

use crate::records::{id, organization, programs, record};
use crate::server::{Live, encode};

/// A recipient of two awards, beside programs and an organization.
static AWARDED: LazyLock<Arc<Server>> = LazyLock::new(|| {
    let programs = programs(&[
        json!({"name": "Corn fellowship", "eligibleCountries": ["KE"], "aliases": ["CFX"]}),
        json!({
            "name": "Popcorn prize", "eligibleCountries": ["002"], "programType": "scholarship",
            "careerStages": ["doctoral-candidate"]
        }),
    ]);
    let recipient = json!({"slug": "cornell", "displayName": "Cornell University", "kind": "organization"});
    let recipient = record(50, recipient);
    let award = |number: usize, year: u32| {
        record(number, json!({"programId": id(1), "recipientId": id(50), "awardYear": year}))
    };
    let awards = ("awards", vec![award(51, 2020), award(52, 2021)]);
    // Nothing of it is read later: the index is copied, and what it answers is computed.
    Live::of(&World::tables(&[organization(), programs, ("recipients", vec![recipient]), awards])).server
});

fn hints(live: &Arc<Server>, path: &str, typed: &str) -> Vec<Value> {
    let reply = in_process::get(live, &format!("{path}?q={}", encode(typed)));
    assert_eq!(reply.status, 200, "{typed}");
    let answer: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
    answer["data"].as_array().unwrap().clone()
}

fn texts(hints: &[Value]) -> Vec<&str> {
    hints.iter().map(|hint| hint["text"].as_str().unwrap()).collect()
}

#[test]
fn the_name_of_a_recipient_leads_to_its_page() {
    let cornell = json!({
        "text": "Cornell University", "lang": null, "about": "Recipient · 2 awards", "count": 2,
        "href": "/recipients/cornell"
    });
    for typed in ["Cornell University", "cornell uni", "CORNÉLL", "univ"] {
        assert_eq!(hints(&AWARDED, "/suggest", typed)[0], cornell, "{typed}");
    }
    let found = hints(&AWARDED, "/es/suggest", "cornell");
    assert_eq!(found[0]["about"], "Beneficiario · 2 concesiones");
    assert_eq!(found[0]["href"], "/es/recipients/cornell");
    assert_eq!(found[0]["lang"], "en");
    assert_eq!(hints(&AWARDED, "/suggest", "body")[0]["about"], "Organization · 2 opportunities");
}

#[test]
fn names_are_found_by_the_beginning_of_their_words_and_by_their_other_names() {
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "corn")), ["Corn fellowship", "Cornell University"]);
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "corn ")), ["Corn fellowship", "Cornell University"]);
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "cfx")), ["Corn fellowship"]);
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "orn")), [""; 0]);
    // Of a place both languages' names and those of its people; a region's programs admit it too.
    for typed in ["kenya", "kenia", "kenyan"] {
        let found = hints(&AWARDED, "/suggest", typed);
        assert_eq!((&found[0]["text"], &found[0]["count"]), (&json!("Kenya"), &json!(2)), "{typed}");
    }
}

#[test]
fn a_value_is_found_by_what_means_the_same_and_a_place_that_no_record_names_by_its_regions() {
    let doctoral = "/programs?career=doctoral-candidate";
    for (typed, text, about, href) in [
        ("ghana", "Ghana", "Eligible country · 1 opportunity", "/programs?country=GH"),
        ("phd", "Doctoral candidate", "Career stage · 1 opportunity", doctoral),
        ("doctorado", "Doctoral candidate", "Career stage · 1 opportunity", doctoral),
        ("becas", "Scholarship", "Type · 1 opportunity", "/programs?type=scholarship"),
        ("Scholarships", "Scholarship", "Type · 1 opportunity", "/programs?type=scholarship"),
    ] {
        let found = hints(&AWARDED, "/suggest", typed);
        let is_it = |hint: &&Value| hint["text"] == text && hint["about"] == about && hint["href"] == href;
        assert!(found.iter().any(|hint| is_it(&hint)), "{typed}: {found:?}");
        let spanish = hints(&AWARDED, "/es/suggest", typed);
        assert!(spanish.iter().any(|hint| hint["href"] == format!("/es{href}")), "{typed}: {spanish:?}");
    }
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "alemania")), [""; 0], "nothing admits Germany");
    assert_eq!(texts(&hints(&AWARDED, "/suggest", "ph")), [""; 0], "only as a whole");
}

#[test]
fn a_suggestion_gives_as_much_as_it_states() {
    let number = |target: &str, pointer: &str| {
        let answer: Value = serde_json::from_slice(&in_process::get(sample(), target).body).unwrap();
        let found = answer.pointer(pointer).unwrap_or_else(|| panic!("{target} has no {pointer}"));
        found.as_u64().unwrap_or_else(|| found.as_array().unwrap().len() as u64)
    };
    let mut kinds = [0; 4];
    for typed in
        ('a'..='z').map(String::from).chain(["re", "un", "st", "co", "fe", "ca", "mclain"].map(str::to_owned))
    {
        for (path, prefix) in [("/suggest", ""), ("/es/suggest", "/es")] {
            let found = hints(sample(), path, &typed);
            assert!(found.len() <= 8);
            for hint in found {
                let href = hint["href"].as_str().unwrap().strip_prefix(prefix).unwrap();
                assert_eq!(in_process::get(sample(), hint["href"].as_str().unwrap()).status, 200, "{hint}");
                let (kind, gives) = match href.split_once(['?', '/']).map(|_| href.split(['/', '?']).nth(1)) {
                    _ if href.starts_with("/programs?") => {
                        let query = href.replace("/programs?", "/api/v1/search?facets=false&");
                        (0, number(&query, "/meta/total"))
                    }
                    Some(Some("programs")) => (1, 1),
                    Some(Some("organizations")) => (2, number(&format!("/api/v1{href}"), "/data/programs")),
                    _ => (3, number(&format!("/api/v1{href}"), "/data/awards")),
                };
                kinds[kind] += 1;
                assert_eq!(hint["count"], gives, "{hint}");
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}

#[test]
fn any_input_gets_a_list_and_is_cached_by_its_words() {
    let long = "near words ".repeat(40);
    for (query, words) in [
        ("", ""),
        ("?q=", ""),
        ("?q=%3F%21", ""),
        ("?q=%ff%fe", ""),
        ("?q=%00%0d%0a", ""),
        ("?other=corn", ""),
        ("?q=corn&q=other&utm_source=x", "corn"),
        ("?q=%E2%80%AECORN", "corn"),
        ("?q=%22%5C%3Cscript%3E", "script"),
        ("?q=%D9%85%D9%86%D8%AD%D8%A9", "منحة"),
        (&format!("?q={}", encode(&long)), long.trim()),
    ] {
        let reply = in_process::get(&AWARDED, &format!("/suggest{query}"));
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!((reply.status.as_u16(), &answer["meta"]["q"]), (200, &json!(words)), "{query}");
        assert_eq!(answer["data"].as_array().unwrap().is_empty(), words != "corn", "{query}");
    }
    let first = in_process::get(&AWARDED, "/suggest?q=Corn");
    let header = |name: &str| first.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    assert!(header("cache-control").starts_with("public, max-age=60"), "{}", header("cache-control"));
    assert_eq!(header("content-language"), "en");
    let again = in_process::get(&AWARDED, "/suggest?q=%20c%C3%B3rn&_=1");
    assert_eq!(again.headers["etag"], first.headers["etag"]);
    assert_ne!(in_process::get(&AWARDED, "/es/suggest?q=corn").headers["etag"], first.headers["etag"]);
    let known = [(IF_NONE_MATCH, &*header("etag"))];
    assert_eq!(in_process::send(&AWARDED, "GET", "/suggest?q=corn", &known).status, 304);
    assert_eq!(in_process::send(&AWARDED, "POST", "/suggest?q=corn", &[]).status, 405);
}
