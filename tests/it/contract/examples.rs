//! The examples of `schemas/openapi.json` are answers of the embedded sample, with arrays cut short.

use serde_json::Value;

use crate::contract::openapi::CONTRACT;
use crate::server::{HOST, Response, SAMPLE};

/// Examples of answers that a healthy edge cannot be made to give.
const UNREACHABLE: [&str; 3] = ["HeadersTooLarge", "Overloaded", "ServerFault"];

fn examples() -> impl Iterator<Item = (&'static String, &'static Value)> {
    CONTRACT.document["components"]["examples"].as_object().unwrap().iter()
}

/// Examples that stand where they are used.
fn examples_in_place() -> impl Iterator<Item = (&'static String, &'static Value)> {
    let items = CONTRACT.items().filter(|(path, _)| path.contains("/changes")).map(|(_, item)| item);
    let responses = items.flat_map(|item| item["get"]["responses"].as_object().unwrap().values());
    let media = responses.flat_map(|response| response["content"].as_object().into_iter().flatten());
    let examples = media.flat_map(|(_, media)| media["examples"].as_object().unwrap());
    examples.filter(|(_, example)| example.get("$ref").is_none())
}

/// Asks what an example says it answers: `x-request` is a request line without the version.
fn ask(name: &str, example: &Value) -> Option<Response> {
    if UNREACHABLE.contains(&name) {
        return None;
    }
    let (method, target) = example["x-request"].as_str().unwrap().split_once(' ').unwrap();
    let send = |headers: &str| {
        let request = format!("{method} {target} HTTP/1.1\r\n{headers}\r\n");
        Some(SAMPLE.send(method, target, request.as_bytes()))
    };
    match name {
        "MalformedRequest" => send(""),
        "Misdirected" => send("Host: elsewhere.example\r\n"),
        "NoSuchRange" => send(&format!("Host: {HOST}\r\nRange: bytes=999999999-\r\n")),
        "PreconditionFailed" => send(&format!("Host: {HOST}\r\nIf-Match: \"other\"\r\n")),
        "DetailsFault" => {
            let slugs: String = (0..101).map(|number| format!("program=p{number}&")).collect();
            Some(SAMPLE.get(&format!("{target}{slugs}")))
        }
        "UriTooLong" => Some(SAMPLE.get(&format!("{target}{}", "x".repeat(9000)))),
        _ => send(&format!("Host: {HOST}\r\n")),
    }
}

/// Whether a value is the other, with members and elements left out but none changed or moved.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, value)| whole.get(name).is_some_and(|whole| is_part(value, whole)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            let mut rest = whole.iter();
            part.iter().all(|value| rest.any(|whole| is_part(value, whole)))
        }
        _ => part == whole,
    }
}

#[test]
fn examples_are_what_the_sample_answers() {
    for (name, example) in examples().chain(examples_in_place()) {
        let Some(response) = ask(name, example) else { continue };
        match &example["value"] {
            Value::String(text) => assert!(response.text().starts_with(text), "{name}"),
            value => {
                let mut live = response.json();
                // Each directory has positions of its own.
                if live["meta"].get("next").is_some() {
                    live["meta"]["next"] = value["meta"]["next"].clone();
                }
                assert!(is_part(value, &live), "{name} is {value:#}\nbut the answer is {live:#}");
            }
        }
    }
}

#[test]
fn every_answer_of_the_contract_that_has_a_body_has_an_example_that_fits_it() {
    let mut seen = Vec::new();
    let responses = CONTRACT.items().flat_map(|(_, item)| item["get"]["responses"].as_object().unwrap());
    for (status, response) in responses {
        let content = CONTRACT.resolve(response)["content"].as_object();
        for (media_type, media) in content.into_iter().flatten().filter(|_| status != "206") {
            let named = media["examples"].as_object().unwrap();
            assert!(!named.is_empty(), "{status}, {media_type}");
            for example in named.values() {
                let value = &CONTRACT.resolve(example)["value"];
                CONTRACT.check_value(&example.to_string(), &media["schema"], value);
                seen.extend(example["$ref"].as_str().and_then(|path| path.rsplit('/').next()));
            }
        }
    }
    let unused: Vec<&String> =
        examples().map(|(name, _)| name).filter(|name| !seen.contains(&name.as_str())).collect();
    assert_eq!(unused, [""; 0]);
}

/// The address of an operation with the examples of its path, and of one more parameter.
fn address(path: &str, parameter: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let in_path = CONTRACT.parameters(path).into_iter().filter(|it| it["in"] == "path");
    let path = in_path.fold(path.to_owned(), |path, it| {
        path.replace(&format!("{{{}}}", it["name"].as_str().unwrap()), &text(&it["example"]))
    });
    if parameter["in"] == "path" {
        return path;
    }
    let example = &parameter["example"];
    let values = example.as_array().map_or_else(|| vec![example], |values| values.iter().collect());
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    values.into_iter().for_each(|value| {
        query.append_pair(parameter["name"].as_str().unwrap(), &text(value));
    });
    format!("{path}?{}", query.finish())
}

#[test]
fn every_parameter_has_an_example_that_its_operation_takes_and_that_finds_something() {
    let mut count = 0;
    for (path, _) in CONTRACT.items() {
        for parameter in CONTRACT.parameters(path) {
            CONTRACT.check_value(
                &format!("{path}: {}", parameter["name"]),
                &parameter["schema"],
                &parameter["example"],
            );
            let target = address(path, parameter);
            let response = SAMPLE.get(&target);
            // A position is of one directory.
            let status = if parameter["name"] == "since" { 410 } else { 200 };
            assert_eq!(response.status, status, "{target}");
            if status == 410 || response.header("content-type") != "application/json" {
                continue;
            }
            let answer = response.json();
            let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
            // A language alone names no record.
            let names_none = path == "/api/v1/details" && parameter["name"] == "locale";
            assert!(names_none || !is_empty(&answer["data"]), "{target} finds nothing");
            assert!(answer["meta"]["invalid"].is_null() || is_empty(&answer["meta"]["invalid"]), "{target}");
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn the_first_example_of_a_search_has_rows_alone() {
    let media = &CONTRACT.document["components"]["responses"]["SearchPage"]["content"]["application/json"];
    let first = CONTRACT.resolve(media["examples"].as_object().unwrap().get("searchRows").unwrap());
    assert!(first["x-request"].as_str().unwrap().contains("facets=false"));
    assert!(first["value"]["meta"].get("facets").is_none());
    let text = include_str!("../../../schemas/openapi.json");
    let place = |name: &str| text.find(&format!("\"#/components/examples/{name}\"")).unwrap();
    assert!(place("SearchRows") < place("SearchPage"), "clients and readers take the first");
}
