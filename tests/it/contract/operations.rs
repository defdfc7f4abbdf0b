//! Every operation of the contract, asked well and badly. Each answer is held against
//! `schemas/openapi.json` on the way, by `server`.

use serde_json::{Value, json};
use snapshot::facet::FACETS;

use crate::contract::openapi::{CONTRACT, SERVED};
use crate::server::{HOST, Response, SAMPLE, encode, texts};

/// A path of an operation; its parts in braces filled with what the sample has.
fn path(template: &str) -> String {
    let edge = &*SAMPLE;
    let slug = match template.split('/').nth(3).unwrap_or_default() {
        "programs" => &edge.directory.programs[0].slug,
        "organizations" => &edge.directory.organizations[0].slug,
        _ => &edge.directory.recipients[0].slug,
    };
    template.replace("{slug}", slug).replace("{facet}", "topics")
}

fn templates() -> Vec<String> {
    CONTRACT.items().map(|(path, _)| path.clone()).collect()
}

/// Values around the bounds of a parameter's schema, and some that no schema takes.
fn values(schema: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut values: Vec<String> =
        ["x", "-1", "0", "1", "1.5", "1e3", "1.0E7", "1E+7", "NaN", "true", "false", "TRUE", "A b-c", "ñ"]
            .map(str::to_owned)
            .into();
    values.extend(schema["enum"].as_array().into_iter().flatten().map(text));
    for bound in ["minimum", "maximum"] {
        if let Some(bound) = schema[bound].as_i64() {
            values.extend([bound - 1, bound, bound + 1].map(|number| number.to_string()));
        }
    }
    values.extend(["99999999999999999999999999", "2026-02-28", "2026-02-30", "2026-2-8"].map(str::to_owned));
    let length = schema["maxLength"].as_u64().unwrap_or(60) as usize;
    values.extend(["é".repeat(length), "é".repeat(length + 1), "a-slug-1".to_owned(), "a--b".to_owned()]);
    values
}

/// Whether a schema takes a value that was sent as text.
fn takes(schema: &Value, text: &str) -> bool {
    let value = match schema["type"].as_str() {
        Some("boolean") => text.parse::<bool>().map_or(Value::Null, Value::from),
        Some("integer") => text.parse::<u64>().map_or(Value::Null, Value::from),
        Some("number") => serde_json::from_str(text).unwrap_or_default(),
        _ => Value::from(text),
    };
    CONTRACT.fits(schema, &value)
}

/// What an operation does about a value that its parameter does not take.
fn refusal(template: &str, name: &str) -> Refusal {
    match (template, name) {
        ("/api/v1/facets/{facet}", "locale") => Refusal::Silent,
        ("/api/v1/facets/{facet}" | "/api/v1/exports/latest" | "/changes" | "/api/v1/changes", _) => {
            Refusal::BadRequest
        }
        (_, "facets") => Refusal::Silent,
        (template, _) if template.contains('{') => Refusal::Silent,
        _ => Refusal::Reported,
    }
}

#[derive(PartialEq)]
enum Refusal {
    /// 400 with the parameter in `details`.
    BadRequest,
    /// 200, and the pair in `meta.invalid`.
    Reported,
    /// 200.
    Silent,
}

#[test]
fn every_parameter_takes_what_its_schema_takes_and_refuses_the_rest() {
    for template in templates() {
        for parameter in CONTRACT.parameters(&template).iter().filter(|it| it["in"] == "query") {
            let schema = CONTRACT.resolve(&parameter["schema"]);
            let name = parameter["name"].as_str().unwrap();
            if schema["type"] == "array" {
                continue;
            }
            for value in values(schema).into_iter().filter(|value| !flag_by_digit(schema, value)) {
                ask_one(&template, schema, name, &value);
            }
        }
    }
}

/// `1` and `0` are taken for flags too, which the contract need not promise.
fn flag_by_digit(schema: &Value, value: &str) -> bool {
    schema["type"] == "boolean" && matches!(value, "0" | "1")
}

fn ask_one(template: &str, schema: &Value, name: &str, value: &str) {
    let target = format!("{}?{name}={}", path(template), encode(value));
    let response = SAMPLE.get(&target);
    let good = takes(schema, value);
    let refusal = refusal(template, name);
    if refusal == Refusal::BadRequest {
        assert_eq!(response.status, if good { 200 } else { 400 }, "{target}");
        if !good {
            assert_eq!(response.json()["error"]["details"][0]["parameter"], name, "{target}");
        }
        return;
    }
    assert_eq!(response.status, 200, "{target}");
    if refusal == Refusal::Reported {
        let shown: String = value.chars().take(100).collect();
        let mark = if shown == value { "" } else { "…" };
        let expected = if good { Vec::new() } else { vec![format!("{name}={shown}{mark}")] };
        assert_eq!(response.invalid(), expected, "{target}");
    }
}

#[test]
fn every_filter_reports_a_value_that_its_facet_does_not_have() {
    for spec in &FACETS {
        let target = format!("/api/v1/programs?{}=no-such-value", spec.parameter);
        assert_eq!(SAMPLE.get(&target).invalid(), [format!("{}=no-such-value", spec.parameter)]);
    }
}

#[test]
fn labels_of_a_facet_are_in_the_language_of_the_question() {
    let first = |query: &str| SAMPLE.get(&format!("/api/v1/facets/openStates?{query}"));
    let [english, spanish] = ["locale=fr", "locale=es"].map(first);
    let labels = |response: &Response| response.json()["data"][0]["label"].clone();
    assert_eq!(labels(&english), labels(&first("")));
    assert_ne!(labels(&english), labels(&spanish));
    assert_eq!((english.header("content-language"), spanish.header("content-language")), ("en", "es"));
    assert_ne!(english.header("etag"), spanish.header("etag"));
}

#[test]
fn lists_clamp_and_drop_and_report_too() {
    for (target, invalid) in [
        ("organizations?limit=101&upcoming=true", vec!["limit=101", "upcoming=true"]),
        ("awards?offset=-5&q=x", vec!["offset=-5", "q=x"]),
    ] {
        assert_eq!(SAMPLE.get(&format!("/api/v1/{target}")).invalid(), invalid, "{target}");
    }
    let filters =
        |query: &str| SAMPLE.json(&format!("/api/v1/recipients?{query}"))["meta"]["filters"].clone();
    assert_eq!(filters("year=1899&kind=person"), json!({"kind": "person"}));
    assert_eq!(filters(&format!("q={}", "x".repeat(101))), json!({}));
    assert_eq!(filters("q=ana&year=2025"), json!({"q": "ana", "year": 2025}));
}

#[test]
fn seasons_have_no_sources_in_a_list() {
    for query in ["", "?upcoming=false&limit=100"] {
        for row in SAMPLE.json(&format!("/api/v1/cycles{query}"))["data"].as_array().unwrap() {
            assert_eq!(row["cycle"].get("sources"), None, "{query}");
        }
    }
}

#[test]
fn paging_works_by_page_and_by_offset() {
    let meta = |query: &str| SAMPLE.json(&format!("/api/v1/search?facets=false&{query}"))["meta"].clone();
    let total = meta("")["total"].as_u64().unwrap();
    let wanted = |limit: u64, offset: u64, count: u64, page: u64| {
        json!({
            "limit": limit, "offset": offset, "count": count, "total": total, "page": page,
            "pages": total.div_ceil(limit), "sort": "deadline", "invalid": []
        })
    };
    assert_eq!(meta("page=2&limit=10"), wanted(10, 10, 10, 2));
    assert_eq!(meta("page=2&limit=10&offset=5"), wanted(10, 5, 10, 1));
    assert_eq!(meta("offset=100000"), wanted(20, 100_000, 0, 5001));
    assert_eq!(meta("page=10000&limit=100"), wanted(100, 999_900, 0, 10_000));
}

#[test]
fn locale_wins_over_lang_and_sets_content_language() {
    for (query, language) in [
        ("", "en"),
        ("lang=es", "es"),
        ("locale=en&lang=es", "en"),
        ("locale=es&lang=en", "es"),
        ("locale=fr", "en"),
        ("lang=es&locale=fr", "es"),
    ] {
        assert_eq!(SAMPLE.get(&format!("/api/v1/search?{query}")).header("content-language"), language);
        let program = SAMPLE.get(&format!("{}?{query}", path("/api/v1/programs/{slug}")));
        assert_eq!(program.header("content-language"), language, "{query}");
    }
}

#[test]
fn what_does_not_exist_is_a_404_with_an_error_response() {
    let slug = &SAMPLE.directory.programs[0].slug;
    for target in [
        "/api/v1/programs/no-such-program",
        "/api/v1/organizations/no-such-organization",
        "/api/v1/recipients/no-such-recipient",
        "/api/v1/facets/colours",
        "/api/v1/facets/Types",
        "/api/v1",
        "/api",
        "/api/v1/exports",
        "/api/v1/exports/2026-01-01",
        "/api/v1/programs/%ff",
        &format!("/api/v1/programs/{slug}.json"),
        &format!("/api/v1/programs/{slug}/"),
        &format!("/api/v1/programs/{}", slug.to_uppercase()),
        &format!("/api/v1/recipients/{slug}"),
    ] {
        let response = SAMPLE.get(target);
        assert_eq!(response.status, 404, "{target}");
        assert!(response.json()["error"]["message"].is_string(), "{target}");
    }
    let unknown = SAMPLE.get("/api/v1/facets/colours").json();
    let names: Vec<&str> = FACETS.iter().map(|spec| spec.name).collect();
    assert_eq!(texts(&unknown["error"]["details"]["allowed"]), names);
}

#[test]
fn the_facet_endpoint_names_every_fault_at_once() {
    let long = "x".repeat(101);
    let response = SAMPLE.get(&format!("/api/v1/facets/topics?q={long}&limit=0&offset=x"));
    assert_eq!(response.status, 400);
    let details = response.json()["error"]["details"].clone();
    let parameters: Vec<_> = details.as_array().unwrap().iter().map(|fault| &fault["parameter"]).collect();
    assert_eq!(parameters, ["q", "limit", "offset"]);
    assert_eq!(SAMPLE.get("/api/v1/facets/topics?limit=101").status, 400);
    assert_eq!(SAMPLE.get("/api/v1/facets/topics?utm_source=x").status, 200);
}

#[test]
fn facet_values_are_found_by_value_and_label_whatever_the_case() {
    let found = |q: &str| -> Vec<String> {
        let answer = SAMPLE.json(&format!("/api/v1/facets/citizenships?q={q}"));
        assert_eq!(answer["meta"]["q"], q);
        answer["data"].as_array().unwrap().iter().map(|item| item["value"].as_str().unwrap().into()).collect()
    };
    assert!(found("united").contains(&"US".to_owned()));
    assert_eq!(found("united"), found("UNITED"));
    assert!(found("us").contains(&"US".to_owned()));
    assert_eq!(found("no-such-place"), [""; 0]);
    // Places, by part of their name in either language and by any other name.
    for (name, code) in [("Estados+Unidos", "US"), ("alemania", "DE"), ("usa", "US")] {
        let answer = SAMPLE.json(&format!("/api/v1/facets/citizenships?q={name}"));
        let mut items = answer["data"].as_array().unwrap().iter();
        assert!(items.any(|item| item["value"] == code), "{name}: {answer}");
    }
    assert_eq!(SAMPLE.json("/api/v1/facets/topics?q=&limit=&offset="), SAMPLE.json("/api/v1/facets/topics"));
}

#[test]
fn an_alias_of_an_organization_redirects_and_keeps_the_query() {
    let answer = |target: &str| -> Response { SAMPLE.get(&format!("/api/v1/organizations/{target}")) };
    for (given, location) in [
        ("nsf", "national-science-foundation"),
        ("NSF", "national-science-foundation"),
        ("nsf?a=1&b=%20c", "national-science-foundation?a=1&b=%20c"),
        ("National_Science--Foundation", "national-science-foundation"),
    ] {
        let response = answer(given);
        assert_eq!(response.status, 308, "{given}");
        assert_eq!(response.header("location"), format!("/api/v1/organizations/{location}"));
        assert_eq!(response.json()["error"]["details"]["canonicalSlug"], location.split('?').next().unwrap());
        assert_eq!(SAMPLE.get(response.header("location")).status, 200);
    }
}

#[test]
fn an_alias_of_a_program_or_recipient_is_a_404_that_names_the_record() {
    for (target, collection) in [("programs/grfp", "programs"), ("recipients/norman-borlaug", "recipients")] {
        let response = SAMPLE.get(&format!("/api/v1/{target}"));
        assert_eq!(response.status, 404, "{target}");
        let body = response.json();
        let canonical = body["error"]["details"]["canonicalSlug"].as_str().unwrap();
        assert_eq!(SAMPLE.get(&format!("/api/v1/{collection}/{canonical}")).status, 200);
    }
}

#[test]
fn head_is_get_without_its_body() {
    let targets = ["/api/v1/search?q=research", "/api/v1/programs/none", "/api/v1/organizations/nsf"];
    let paths: Vec<String> = templates().iter().map(|template| path(template)).collect();
    for target in targets.into_iter().chain(paths.iter().map(String::as_str)) {
        let (get, head) = (SAMPLE.get(target), SAMPLE.ask("HEAD", target, &[]));
        assert_eq!(head.status, get.status, "{target}");
        let headers = |response: &Response| {
            let mut headers = response.headers.clone();
            headers.remove("date");
            headers
        };
        assert_eq!(headers(&head), headers(&get), "{target}");
    }
}

#[test]
fn options_is_answered_on_every_path_for_any_origin() {
    for template in templates() {
        let preflight = [("Origin", "https://elsewhere.example"), ("Access-Control-Request-Method", "GET")];
        let response = SAMPLE.ask("OPTIONS", &path(&template), &preflight);
        assert_eq!(response.status, 204, "{template}");
        assert_eq!(response.header("access-control-allow-methods"), "GET, HEAD, OPTIONS");
        assert_eq!(response.header("access-control-allow-credentials"), "");
    }
}

#[test]
fn other_methods_are_refused_with_those_that_are_allowed() {
    for template in templates() {
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"] {
            let response = SAMPLE.ask(method, &path(&template), &[]);
            assert_eq!(response.status, 405, "{method} {template}");
            assert_eq!(response.header("allow"), "GET, HEAD, OPTIONS");
            assert_eq!(response.header("cache-control"), "no-store");
        }
    }
}

#[test]
fn the_export_comes_as_json_and_as_csv() {
    let json = SAMPLE.get("/api/v1/exports/latest");
    assert_eq!(json.header("content-type"), "application/json");
    assert_eq!(json.identity(), SAMPLE.get("/api/v1/exports/latest?format=json").identity());
    let csv = SAMPLE.get("/api/v1/exports/latest?format=csv");
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(csv.header("content-disposition"), "attachment; filename=\"opportunities-2026-11-21.csv\"");
    let text = csv.text();
    assert!(!text.starts_with('\u{feff}') && text.ends_with("\r\n"));
    let bad = SAMPLE.get("/api/v1/exports/latest?format=xlsx");
    assert_eq!(bad.status, 400);
    assert_eq!(bad.json()["error"]["details"][0]["value"], "xlsx");
}

#[test]
fn the_contract_is_served_as_it_stands_with_the_address_of_the_directory() {
    let mut served = SAMPLE.json("/api/v1/openapi.json");
    assert_eq!(served["servers"][0]["url"], format!("https://{HOST}"));
    served["servers"][0]["url"] = CONTRACT.document["servers"][0]["url"].clone();
    assert_eq!(served, SERVED.document);
    assert_eq!(CONTRACT.document["openapi"], "3.1.0");
    assert_eq!(CONTRACT.document["info"]["version"], "1.0.0");
}

#[test]
fn programs_answers_what_search_answers() {
    for query in ["", "?q=research&sort=name&locale=es", "?type=nope&limit=3"] {
        let ask = |path: &str| SAMPLE.get(&format!("{path}{query}")).body;
        assert_eq!(ask("/api/v1/search"), ask("/api/v1/programs"), "{query}");
    }
}
