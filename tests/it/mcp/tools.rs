//! Tools, prompt, resources and completions: what they answer, and what they say to mistakes.

use std::path::Path;

use snapshot::facet::FACETS;
use snapshot::query::{FACET_LIMIT_DEFAULT, LIMIT_RANGE, LIST_TEXT_MAX, PARAMETERS, ParameterKind, Sort};

use super::*;
use crate::records::{program, with, world, world_with};
use crate::schema::Schema;

/// The sample as it lies in the generator.
const SAMPLE_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../generator/dataset/sample");

fn tool(name: &str) -> Value {
    contract()["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone()
}

#[test]
fn the_arguments_of_a_search_are_the_parameters_of_the_table() {
    let schema = tool("search_opportunities")["inputSchema"].take();
    let properties = schema["properties"].as_object().unwrap();
    let mut expected: Vec<&str> = Vec::new();
    for parameter in PARAMETERS.iter() {
        let name = match parameter.kind {
            ParameterKind::Lang | ParameterKind::Page | ParameterKind::Facets => continue,
            ParameterKind::Text => "query",
            ParameterKind::Open => "openOnly",
            ParameterKind::Funded => "fundedOnly",
            _ => parameter.name,
        };
        expected.push(name);
        let property = &properties[name];
        let kind = match parameter.kind {
            ParameterKind::Values(facet) => {
                let description = property["description"].as_str().unwrap();
                assert!(description.contains(facet.spec().name), "{name} says which facet");
                assert_eq!(property["items"]["type"], "string");
                "array"
            }
            ParameterKind::Least(_) | ParameterKind::Most(_) => {
                assert_eq!(property["minimum"], 0);
                "number"
            }
            ParameterKind::Organization => "array",
            ParameterKind::Rolling | ParameterKind::Open | ParameterKind::Funded => "boolean",
            ParameterKind::Limit | ParameterKind::Offset => "integer",
            _ => "string",
        };
        assert_eq!(property["type"], kind, "{name}");
    }
    let mut named: Vec<&str> = properties.keys().map(String::as_str).collect();
    // Arguments that only ranked answers have.
    expected.extend(["includeUnstated", "partial", "plain"]);
    named.sort_unstable();
    expected.sort_unstable();
    assert_eq!(named, expected);
    assert_eq!(picked(&properties["limit"], "minimum maximum"), json!([LIMIT_RANGE.0, LIMIT_RANGE.1]));
    let sorts: Vec<&str> =
        std::iter::once("relevance").chain(Sort::ALL.iter().map(|sort| sort.as_str())).collect();
    assert_eq!(properties["sort"]["enum"], json!(sorts));
    let locales: Vec<&str> = Locale::ALL.iter().map(|locale| locale.as_str()).collect();
    assert_eq!(properties["locale"]["enum"], json!(locales));
}

#[test]
fn filter_options_take_every_filter_of_the_search_and_schemas_require_what_the_tools_do() {
    let options = &tool("list_filter_options")["inputSchema"]["properties"];
    let listed: Vec<&str> = FACETS.iter().map(|spec| spec.name).chain(["organizations"]).collect();
    assert_eq!(options["facet"]["enum"], json!(listed));
    assert_eq!(options["q"]["maxLength"], LIST_TEXT_MAX);
    assert_eq!(options["limit"]["default"], FACET_LIMIT_DEFAULT);
    // Filters are taken by the names of the search, without a schema of their own.
    let server = &*SYNTHETIC;
    let search = &tool("search_opportunities")["inputSchema"]["properties"];
    let not_filters = ["sort", "partial", "plain"];
    for (name, property) in
        search.as_object().unwrap().iter().filter(|(it, _)| !not_filters.contains(&it.as_str()))
    {
        let blank = match property["type"].as_str().unwrap() {
            "array" => json!([]),
            "boolean" => json!(false),
            "integer" => json!(1),
            "number" => json!(0),
            _ => json!(""),
        };
        server.options(&json!({"facet": "types", name: blank}));
    }
    assert_eq!(tool("list_filter_options")["inputSchema"]["required"], json!(["facet"]));
    assert_eq!(tool("get_opportunity")["inputSchema"]["required"], json!(["slug"]));
}

/// Every conversation begins with what models read of the tools; a token is about 4.2 bytes of it.
#[test]
fn what_models_read_of_the_tools_is_short() {
    let tools = contract()["tools"].take();
    let read = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
    let bytes: Vec<usize> =
        tools.as_array().unwrap().iter().map(|tool| read(tool).to_string().len()).collect();
    assert!(bytes.iter().sum::<usize>() <= 5_900, "1,400 tokens: {bytes:?}");
    let options = tool("list_filter_options")["inputSchema"].to_string().len();
    assert!(options <= 1_000, "250 tokens: {options}");
}

#[test]
fn schemas_hold_only_what_every_client_takes() {
    fn walk(value: &Value, is_input: bool) {
        match value {
            Value::Object(members) => {
                for name in ["format", "const", "oneOf", "anyOf", "$ref"] {
                    assert!(!members.contains_key(name), "{name}");
                }
                // Some converters of tool inputs read this as a schema and fail on a boolean.
                assert!(!is_input || !members.contains_key("additionalProperties"));
                if members.get("type") == Some(&json!("array")) {
                    assert!(members.contains_key("items"));
                }
                assert!(!is_input || members.get("type").is_none_or(|kind| !kind.is_array()));
                members.values().for_each(|value| walk(value, is_input));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, is_input)),
            _ => {}
        }
    }
    for tool in contract()["tools"].as_array().unwrap() {
        walk(&tool["inputSchema"], true);
        walk(&tool["outputSchema"], false);
        let hints = &tool["annotations"];
        let stated = picked(hints, "readOnlyHint destructiveHint idempotentHint openWorldHint");
        assert_eq!(stated, json!([true, false, true, false]));
        assert_eq!(hints["title"], tool["title"]);
        assert!(tool["description"].as_str().unwrap().len() < 2_000);
    }
}

/// Validates every answer of the tools over a whole world.
fn validate(server: &Server) {
    let validator = |name: &str| Schema::new(&tool(name)["outputSchema"]);
    let (rows, record, options) =
        (validator("search_opportunities"), validator("get_opportunity"), validator("list_filter_options"));
    let programs = server.world.directory.programs.len() as u64;
    for locale in ["en", "es"] {
        for offset in (0..programs).step_by(100) {
            let found = server.search(&json!({"offset": offset, "limit": 100, "locale": locale}));
            rows.check("answer", &found);
            let length = found.to_string().len();
            assert!(length < 120_000, "{length}");
        }
        // Some alone: ten at once hold every record to the same schema.
        for program in server.world.directory.programs.iter().step_by(1 + programs as usize / 300) {
            let request = |detail: &str| json!({"slug": program.slug, "locale": locale, "detail": detail});
            for (detail, most) in [("concise", 12_000), ("full", 61_000)] {
                let read = server.call("get_opportunity", &request(detail));
                record.check("answer", &read);
                assert!(read.to_string().len() <= most, "{detail} {}", program.slug);
            }
        }
        for ten in server.world.directory.programs.chunks(10) {
            let slugs: Vec<&str> = ten.iter().map(|program| program.slug.as_str()).collect();
            let read = server.call("get_opportunity", &json!({"slugs": slugs, "locale": locale}));
            record.check("answer", &read);
            assert_eq!(read["opportunities"].as_array().unwrap().len(), slugs.len());
            assert!(read.to_string().len() <= 61_000, "{slugs:?}");
        }
    }
    for spec in &FACETS {
        options.check("answer", &server.options(&json!({"facet": spec.name, "limit": 100})));
    }
    let found = server.search(&json!({"query": "research grant for young people in Africa"}));
    rows.check("answer", &found);
}

#[test]
fn every_answer_is_what_its_schema_says() {
    validate(&SYNTHETIC);
    PUBLISHED.iter().for_each(validate);
}

#[test]
fn an_opportunity_is_the_rest_record_in_one_object() {
    let server = &*SYNTHETIC;
    // Among ten, some have cycles, a history or awards.
    for slug in server.world.directory.programs.iter().take(10).map(|program| &program.slug) {
        let rest: Value = serde_json::from_slice(&server.detail(slug, Locale::Es).unwrap()).unwrap();
        let address = format!("{BASE}/es/programs/{slug}?x=1");
        for named in [json!({"slug": slug}), json!({"url": address})] {
            let read =
                server.call("get_opportunity", &with(json!({"locale": "es", "detail": "full"}), named));
            let opportunity = read["opportunity"].as_object().unwrap();
            for (name, value) in rest["data"]["program"].as_object().unwrap() {
                assert_eq!(opportunity[name], *value, "{name}");
            }
            for name in ["organization", "cycles", "sources", "opportunityFacts", "lifecycleHistory"] {
                assert_eq!(opportunity[name], rest["data"][name], "{name}");
            }
            assert_eq!(opportunity["recordUrl"], format!("{BASE}/programs/{slug}"));
            assert_eq!(opportunity["awardCount"], rest["data"]["history"]["awardCount"]);
            assert!(opportunity["awards"].as_array().unwrap().len() <= 10);
        }
    }
}

#[test]
fn an_organization_is_taken_by_slug_former_slug_and_name_and_counted_under_the_other_filters() {
    let server = Server::new(World::folder(Path::new(SAMPLE_FOLDER)));
    let directory = &server.world.directory;
    let search = |arguments: Value| server.search(&arguments);
    let nsf = search(json!({"organization": ["national-science-foundation"], "limit": 100}));
    let offered = |slug: &str| {
        let of = directory.organizations.iter().find(|it| it.slug == slug).unwrap().id;
        directory.programs.iter().filter(move |it| it.organization_id == of)
    };
    assert_eq!(nsf["total"], offered("national-science-foundation").count());
    assert_eq!(nsf["understood"], Value::Null);
    for named in ["nsf", "NSF", "National Science Foundation", "national sci"] {
        let found = search(json!({"organization": named, "limit": 100}));
        assert_eq!(found["opportunities"], nsf["opportunities"], "{named}");
        let filters = json!([{"parameter": "organization", "value": "national-science-foundation"}]);
        assert_eq!(found["understood"], json!([{"words": named, "filters": filters}]));
    }
    let listed = server.options(&json!({"facet": "organizations", "limit": 100, "openOnly": true}));
    for item in listed["data"].as_array().unwrap() {
        let slug = item["value"].as_str().unwrap();
        let open = search(json!({"organization": [slug], "openOnly": true, "limit": 1}));
        assert_eq!(item["count"], open["total"], "{slug}");
    }
    let by_acronym = server.options(&json!({"facet": "organization", "q": "NSF"}));
    assert_eq!(by_acronym["data"][0]["value"], "national-science-foundation");
    let several = server.mistake("search_opportunities", &json!({"organization": ["National"]}));
    let sentence = "organization value \"National\" is the name of no single organization. Nearest: \"national-science-foundation\", ";
    assert!(several.starts_with(sentence), "{several}");
    let call = "list_filter_options {\"facet\":\"organizations\",\"q\":\"Nat\"}.";
    assert!(several.ends_with(call), "{several}");
    let many = server.mistake("search_opportunities", &json!({"organization": vec!["x"; 200]}));
    assert!(many.starts_with("organization must be an array of at most 20 strings"), "{many}");
}

#[test]
fn mistakes_name_argument_value_range_and_what_to_do() {
    let server = &*SYNTHETIC;
    let search = |arguments: Value| server.mistake("search_opportunities", &arguments);
    for (arguments, fault) in [
        (json!({"limit": 0}), "limit must be an integer from 1 to 100, got 0"),
        (json!({"limit": "five"}), "limit must be an integer from 1 to 100, got \"five\""),
        (json!({"offset": 10_001}), "offset must be an integer from 0 to 10000, got 10001"),
        (json!({"ageMin": -1}), "ageMin must be a number, 0 or greater, got -1"),
        (json!({"openOnly": "yes"}), "openOnly must be true or false, got \"yes\""),
        (
            json!({"deadlineTo": "2026-02-30"}),
            "deadlineTo must be a day that exists, written YYYY-MM-DD, got \"2026-02-30\"",
        ),
        (
            json!({"sort": "best"}),
            "sort must be one of \"relevance\", \"deadline\", \"name\", \"recent\", got \"best\"",
        ),
    ] {
        assert_eq!(search(arguments), format!("{fault}. Correct it and call again."));
    }
    for (arguments, expected) in [
        (json!({"ageMin": 40, "ageMax": 30}), "ageMin 40 is greater than ageMax 30. Swap or drop one."),
        (
            json!({"deadlineFrom": "2027-01-01", "deadlineTo": "2026-01-01"}),
            "deadlineFrom is later than deadlineTo. Swap or drop one.",
        ),
        (
            json!({"country": "Kenyia"}),
            "Unknown country value \"Kenyia\". Nearest: \"KE\" (Kenya). Live values: list_filter_options {\"facet\":\"countries\",\"q\":\"Ken\"}.",
        ),
        (
            json!({"country": "Korea"}),
            "country value \"Korea\" may be \"KP\" (North Korea) or \"KR\" (South Korea). Give the one that is meant.",
        ),
        (
            json!({"limit": 0, "openState": "opne", "country": ["Kenyia", "KE"], "ageMax": -1}),
            "Unknown country value \"Kenyia\". Nearest: \"KE\" (Kenya). Unknown openState value \"opne\". Nearest: \"open\" (Listed as open). ageMax must be a number, 0 or greater, got -1. Correct it and call again. limit must be an integer from 1 to 100, got 0. Correct it and call again. Live values: list_filter_options {\"facet\":\"countries\",\"facets\":[\"openStates\"]}.",
        ),
    ] {
        assert_eq!(search(arguments), expected);
    }
}

#[test]
fn mistakes_name_the_nearest_that_would_do() {
    let server = &*SYNTHETIC;
    let begins = |tool: &str, arguments: &Value, with: &str| {
        let message = server.mistake(tool, arguments);
        assert!(message.starts_with(with), "{message}");
        message
    };
    let search = |arguments: Value, with: &str| begins("search_opportunities", &arguments, with);
    search(json!({"types": ["x"]}), "Unknown argument \"types\". Did you mean \"type\"? Accepted: type, ");
    search(json!({"query": "x".repeat(301)}), "query must be a string of at most 300 characters");
    search(json!({"topic": vec!["x"; 21]}), "topic must be an array of at most 20 strings");
    assert!(search(json!({"limit": "x".repeat(500)}), "limit must be").len() < 200, "a long value is cut");
    let options = |arguments: Value, with: &str| begins("list_filter_options", &arguments, with);
    let nearest = "Unknown facet \"topic s\". Did you mean \"topics\"? Facets: types, lifecycles, ";
    options(json!({"facet": "topic s"}), nearest);
    options(json!({}), "facet is required: one of types, ");
    options(json!({"facet": 5}), "facet must be one of types, lifecycles");
    let record = |arguments: Value, with: &str| begins("get_opportunity", &arguments, with);
    record(json!({}), "slug is required");
    assert!(record(json!({"slug": 5}), "slug must be the slug of an opportunity, as in").contains("got 5."));
    let slug = &server.world.directory.programs[3].slug;
    let unknown = format!("No published opportunity has the slug \"{slug}x\". Nearest slugs: {slug}");
    let near = record(json!({"slug": format!("{slug}x")}), &unknown);
    assert!(near.ends_with("Find slugs with search_opportunities."));
    // Many slugs have such words, and none begins with all of them.
    let far = server.mistake("get_opportunity", &json!({"slug": "of-a-by-of"}));
    let sentence =
        "No published opportunity has the slug \"of-a-by-of\". Find slugs with search_opportunities.";
    assert_eq!(far, sentence);
}

#[test]
fn a_query_says_which_rows_have_only_some_of_its_terms() {
    let names = ["Health of soil and people", "Soil health", "Soil maps", "Music", "A", "B", "C", "D"];
    let named = |(number, name): (usize, &&str)| {
        program(number, name, json!({"slug": name.to_lowercase().replace(' ', "-")}))
    };
    let server = Server::new(world(names.iter().enumerate().map(named).collect()));
    let rows = |arguments: Value| {
        let found = server.search(&arguments);
        let rows = found["opportunities"].as_array().unwrap().iter();
        let rows: Vec<String> = rows
            .map(|row| {
                format!("{} {}", row["name"].as_str().unwrap(), row["match"].as_str().unwrap_or("all"))
            })
            .collect();
        (rows, found)
    };
    let (found, answer) = rows(json!({"query": "soil health"}));
    assert_eq!(found, ["Soil health name", "Health of soil and people all"]);
    assert_eq!(picked(&answer, "total nextOffset notice"), json!([2, null, null]));
    let (found, answer) = rows(json!({"query": "soil health", "limit": 1}));
    assert_eq!((found.len(), &answer["nextOffset"]), (1, &json!(1)));
    let (found, answer) = rows(json!({"query": "soil health", "partial": true}));
    assert_eq!(found, ["Soil health name", "Health of soil and people all", "Soil maps some"]);
    assert_eq!(picked(&answer, "total sort nextOffset"), json!([2, "relevance", null]));
    assert!(answer["notice"].as_str().unwrap().contains("come near"));
    assert_eq!(answer["opportunities"][2]["missing"], json!(["health"]));
    // What has any of the words comes near, and there is more of it.
    let (found, answer) = rows(json!({"query": "soil music", "limit": 1}));
    assert_eq!((found.len(), &answer["total"], &answer["nextOffset"]), (1, &json!(0), &json!(1)));
    let (found, answer) = rows(json!({"query": "dance"}));
    assert!(found.is_empty() && answer["notice"].is_string());
    let (found, answer) = rows(json!({"query": "!!!"}));
    assert_eq!((found.len(), &answer["total"]), (8, &json!(8)));
    assert_eq!(answer["notice"], "The query has no letter or digit to search for and was left out.");
    let long: String = (0..40).map(|n| format!("w{n} ")).collect();
    assert!(rows(json!({"query": long})).1["notice"].as_str().unwrap().contains("first 32 words"));
}

#[test]
fn a_moved_slug_gets_its_new_address() {
    let alias = json!({
        "entityType": "program", "entityId": "00000000-0000-4000-8000-000000000000", "slug": "old-name"
    });
    let server = Server::new(world_with(vec![program(0, "A", json!({}))], &[("aliases", vec![alias])]));
    let moved =
        "The opportunity \"old-name\" now has the slug \"program-0\". Call get_opportunity with that.";
    assert_eq!(server.mistake("get_opportunity", &json!({"slug": "old-name"})), moved);
}

#[test]
fn the_prompt_holds_what_is_known_in_both_languages() {
    let server = &*SYNTHETIC;
    let get = |arguments: Value| {
        server.result("prompts/get", &json!({"name": "find_best_opportunities", "arguments": arguments}))
    };
    let english = get(json!({"goal": "say \"hi\" {known}", "unknown": "x"}));
    let text = english["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("Help me find") && text.contains(r#"{"goal":"say \"hi\" {known}"}"#), "{text}");
    assert_eq!(english["messages"][0]["role"], "user");
    assert_eq!(english["description"], contract()["prompts"][0]["description"]);
    let spanish = get(json!({"locale": "es"}));
    assert!(spanish["messages"][0]["content"]["text"].as_str().unwrap().starts_with("Ayúdame"));
    for arguments in
        [json!({"locale": "fr"}), json!({"goal": 1}), json!({"goal": "x".repeat(501)}), json!([])]
    {
        let params = json!({"name": "find_best_opportunities", "arguments": arguments});
        assert_eq!(error(server, "prompts/get", &params)["code"], -32602, "{params}");
    }
    assert_eq!(error(server, "prompts/get", &json!({"name": "x"}))["code"], -32602);
}

fn error(server: &Server, method: &str, params: &Value) -> Value {
    let response = server.send(post(request(method, params), &[]));
    assert_eq!(response.status(), 200);
    body(&response)["error"].take()
}

#[test]
fn resources_are_the_guide_a_record_and_a_facet() {
    let server = &*SYNTHETIC;
    let read = |uri: &str| server.result("resources/read", &json!({"uri": uri}))["contents"][0].take();
    let guide = read("opportunities://guide");
    assert_eq!(picked(&guide, "mimeType uri"), json!(["text/markdown", "opportunities://guide"]));
    assert!(guide["text"].as_str().unwrap().starts_with("# Guide"));
    let slug = &server.world.directory.programs[0].slug;
    let record = read(&format!("opportunities://programs/{slug}"));
    let parsed: Value = serde_json::from_str(record["text"].as_str().unwrap()).unwrap();
    assert_eq!(parsed, server.call("get_opportunity", &json!({"slug": slug})));
    let facet = read("opportunities://facets/types");
    let parsed: Value = serde_json::from_str(facet["text"].as_str().unwrap()).unwrap();
    assert_eq!(parsed, server.options(&json!({"facet": "types", "limit": 100})));
    for uri in ["opportunities://programs/none", "opportunities://facets/none", "https://example.org/"] {
        let error = error(server, "resources/read", &json!({"uri": uri}));
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!(uri)));
    }
}

#[test]
fn completions_are_known_words_that_begin_as_typed() {
    let server = &*SYNTHETIC;
    let complete = |kind: &str, target: &str, name: &str, value: &str| {
        let reference = json!({"type": kind, if kind == "ref/prompt" { "name" } else { "uri" }: target});
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        server.result("completion/complete", &params)["completion"].take()
    };
    let locales = complete("ref/prompt", "find_best_opportunities", "locale", "e");
    assert_eq!(locales, json!({"values": ["en", "es"], "total": 2, "hasMore": false}));
    assert_eq!(complete("ref/prompt", "find_best_opportunities", "goal", "e")["total"], 0);
    let facets = complete("ref/resource", "opportunities://facets/{facet}", "facet", "co");
    assert_eq!(facets["values"], json!(["countries"]));
    let slugs = complete("ref/resource", "opportunities://programs/{slug}", "slug", "");
    let total = server.world.directory.programs.len();
    assert_eq!(slugs["values"].as_array().unwrap().len(), 100);
    assert_eq!(picked(&slugs, "total hasMore"), json!([total, true]));
    let wrong = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}});
    assert_eq!(error(server, "completion/complete", &wrong)["code"], -32602);
}
