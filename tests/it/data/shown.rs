//! What pages for people add to answers: found words marked in rows, and the programs of one organization.

use serde_json::Value;
use tests::judge::desk::rows_of;

use crate::server::{SAMPLE, encode, texts};

/// What stands between two marks of a text, each time.
fn between(text: &str, start: &str, end: &str) -> Vec<String> {
    let parts = text.split(start).skip(1).filter_map(|part| part.split_once(end));
    parts.map(|(found, _)| found.to_owned()).collect()
}

fn total(page: &str) -> String {
    between(page, "id=\"count\">", " ").remove(0)
}

#[test]
fn words_of_a_query_are_marked_in_names_and_without_one_nothing_is() {
    let names = between(&SAMPLE.get("/programs?q=research&limit=100").text(), "<h3>", "</h3>");
    assert!(names.iter().any(|name| name.contains("<mark>Research</mark>")), "{names:?}");
    assert!(!SAMPLE.get("/programs?limit=100").text().contains("<mark>"));
}

#[test]
fn an_organization_filters_the_page_its_feeds_and_the_api_alike() {
    let all = SAMPLE.json("/api/v1/organizations?limit=100");
    let mut seen = 0;
    for organization in all["data"].as_array().unwrap() {
        let (slug, name) = (organization["slug"].as_str().unwrap(), organization["name"].as_str().unwrap());
        let detail = SAMPLE.json(&format!("/api/v1/organizations/{slug}"));
        let programs: Vec<Value> = detail["data"]["programs"].as_array().unwrap().clone();
        let slugs_of = |rows: &[Value]| texts(&rows.iter().map(|it| it["slug"].clone()).collect());
        let mut expected = slugs_of(&programs);
        let page = SAMPLE.get(&format!("/programs?organization={slug}&limit=100")).text();
        let mut found = rows_of(&page);
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{slug}");
        assert_eq!(total(&page), expected.len().to_string(), "{slug}");
        let rows = SAMPLE.json(&format!("/api/v1/search?organization={slug}&limit=100"));
        assert_eq!(rows_of(&page), slugs_of(rows["data"].as_array().unwrap()));
        let named = encode(name);
        let by_name = SAMPLE.get(&format!("/es/programs?organization={named}&open=true")).text();
        let open = SAMPLE.get(&format!("/es/programs?organization={slug}&open=true")).text();
        assert_eq!(total(&by_name), total(&open), "{name}");
        let table = SAMPLE.get(&format!("/programs.csv?organization={slug}")).text();
        let rows = programs.iter().filter(|it| table.contains(it["id"].as_str().unwrap())).count();
        assert_eq!((rows, table.matches("\r\n").count()), (programs.len(), programs.len() + 1), "{slug}");
        seen += programs.len();
    }
    assert!(seen > 50, "{seen}");
    let two = SAMPLE.get("/programs?organization=nsf&organization=anthropic").text();
    let rows = SAMPLE.json("/api/v1/search?organization=nsf&organization=anthropic");
    assert_eq!(total(&two), rows["meta"]["total"].to_string());
    // The form keeps both, and has a field for one more.
    assert_eq!(two.matches(" name=\"organization\"").count(), 3);
}
