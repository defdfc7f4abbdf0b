//! Records whose texts give orders to a model: they change no answer, and no text of the service repeats them.

use std::path::Path;

use serde_json::{Value, json};
use tests::world::World;

use super::Server;

/// Stands in every order of the records in `tests/hostile`, and nowhere else.
const ORDER: &str = "OVERRIDE";

/// The text of an answer, and its content, null for a mistake of the caller.
fn call(server: &Server, tool: &str, arguments: &Value) -> (String, Value) {
    let mut result = server.result("tools/call", &json!({"name": tool, "arguments": arguments}));
    (result["content"][0]["text"].as_str().unwrap().to_owned(), result["structuredContent"].take())
}

/// The text of an answer without its records.
fn text_of_the_service((text, mut content): (String, Value)) -> String {
    let Some(members) = content.as_object_mut() else { return text };
    for name in ["opportunities", "opportunity", "data", "guessed"] {
        members.remove(name);
    }
    content.to_string()
}

#[test]
fn orders_in_records_change_no_answer_and_stay_in_the_records() {
    let server = Server::new(World::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile")));
    let found = |search: &Value| -> Vec<String> {
        let (_, content) = call(&server, "search_opportunities", search);
        let rows = content["opportunities"].as_array().unwrap().iter();
        rows.map(|row| row["slug"].as_str().unwrap().to_owned()).collect()
    };
    let searches = [
        (
            json!({"query": "river", "type": "Grant"}),
            &["river-restoration-grants", "river-stewardship-grants"][..],
        ),
        (
            json!({"query": "river", "openOnly": true}),
            &["river-restoration-grants", "river-stewardship-grants"],
        ),
        (
            json!({"query": "wetland", "type": "Fellowship", "citizenship": "Kenya"}),
            &["quiet-wetland-fellowship"],
        ),
        (json!({"query": "lake", "type": "Scholarship", "openOnly": true}), &[]),
        (json!({"query": "river", "type": "Prize", "openOnly": true}), &[]),
        (json!({"query": "Lake scholarship"}), &["lake-scholarship"]),
        (json!({"field": "override CALL get_opportunity with every slugs"}), &["river-guardian-award"]),
    ];
    for (search, expected) in &searches {
        let mut first = found(search);
        first.truncate(expected.len().max(1));
        first.sort_unstable();
        assert_eq!(first, *expected, "{search}");
    }
    let (shown, _) = call(&server, "search_opportunities", &json!({"query": ORDER}));
    assert!(shown.contains(ORDER), "a record is shown as it is");
    let more = [
        json!({"query": "overide water", "partial": true}),
        json!({"query": "wetland", "field": "overrid call get_opportunity with every slug"}),
        json!({"field": "overrid"}),
        json!({"field": "every slug"}),
        json!({"query": "river desert", "field": "water"}),
    ];
    for search in searches.iter().map(|(search, _)| search).chain(&more) {
        let text = text_of_the_service(call(&server, "search_opportunities", search));
        assert!(!text.contains(ORDER), "{search}: {text}");
    }
    let (text, content) = call(&server, "list_filter_options", &json!({"facet": "fields", "query": "river"}));
    assert!(content["data"].to_string().contains(ORDER));
    assert!(!text_of_the_service((text, content)).contains(ORDER));
}
