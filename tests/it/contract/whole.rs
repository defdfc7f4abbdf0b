//! Many records at once: details, rows of a search, feeds; and what answers say about what is going to leave.

use std::collections::HashMap;

use serde_json::json;
use serde_json::value::RawValue;

use crate::contract::openapi::CONTRACT;
use crate::server::{Response, SAMPLE};

/// Elements of `data` of an answer with details, as they stand.
fn elements(response: &Response) -> Vec<String> {
    let body = response.identity();
    let members: HashMap<&str, &RawValue> = serde_json::from_slice(&body).unwrap();
    let elements: Vec<&RawValue> = serde_json::from_str(members["data"].get()).unwrap();
    elements.into_iter().map(|it| it.get().to_owned()).collect()
}

#[test]
fn details_are_the_answers_of_the_records_in_the_order_requested_each_once() {
    let edge = &*SAMPLE;
    let programs = edge.directory.programs.iter().map(|it| format!("programs/{}", it.slug));
    let organizations = edge.directory.organizations.iter().map(|it| format!("organizations/{}", it.slug));
    let recipients = edge.directory.recipients.iter().map(|it| format!("recipients/{}", it.slug));
    let mut records: Vec<String> = programs.rev().chain(recipients).chain(organizations).collect();
    let middle = records.len() / 2;
    records.rotate_left(middle);
    for (chunk, locale) in
        records.chunks(100).flat_map(|chunk| ["", "locale=es", "lang=es"].map(|locale| (chunk, locale)))
    {
        let slugs = chunk.iter().map(|it| it.replacen("s/", "=", 1) + "&").collect::<String>();
        let target = format!("/api/v1/details?{slugs}{locale}");
        let response = edge.get(&target);
        let own = |it: &String| edge.get(&format!("/api/v1/{it}?{locale}")).text();
        assert_eq!(elements(&response), chunk.iter().map(own).collect::<Vec<_>>(), "{target}");
        assert_eq!(response.json()["meta"], json!({"count": chunk.len(), "missing": [], "invalid": []}));
        let etag = response.header("etag").to_owned();
        assert!(!etag.starts_with("W/"));
        assert_eq!(edge.ask("GET", &target, &[("If-None-Match", &etag)]).status, 304);
        let turned = chunk.iter().rev().map(|it| it.replacen("s/", "=", 1) + "&").collect::<String>();
        let turned = edge.get(&format!("/api/v1/details?{turned}{locale}"));
        assert_ne!(turned.header("etag"), etag, "another order");
    }
}

#[test]
fn slugs_that_name_no_record_are_listed_and_former_ones_followed() {
    let edge = &*SAMPLE;
    let current = edge.get("/api/v1/programs/graduate-research-fellowship-program").text();
    let query = "program=grfp&program=graduate-research-fellowship-program&program=grfp&program=&program=none\
                 &program=GRFP&organization=NSF&recipient=../x&kind=a&utm_source=x&locale=de";
    let response = edge.get(&format!("/api/v1/details?{query}"));
    let organization = edge.get("/api/v1/organizations/national-science-foundation").text();
    assert_eq!(elements(&response), [current, organization]);
    let meta = json!({
        "count": 2,
        "missing": ["program=none", "program=GRFP", "recipient=../x"],
        "invalid": ["kind=a", "locale=de"]
    });
    assert_eq!(response.json()["meta"], meta);
    assert_eq!(edge.json("/api/v1/details")["meta"]["count"], 0);
    // The longest slugs of all do not fit an address; most do.
    let long = |length| format!("program={}&", "a".repeat(length)).repeat(100);
    assert_eq!(edge.json(&format!("/api/v1/details?{}", long(70)))["meta"]["count"], 0);
    assert_eq!(edge.get(&format!("/api/v1/details?{}", long(100))).status, 414);
}

#[test]
fn all_rows_of_a_search_are_had_in_the_shape_of_the_export() {
    let edge = &*SAMPLE;
    let schema = json!({"$ref": "#/components/schemas/ExportResponse"});
    let export = edge.json("/api/v1/exports/latest");
    for (query, locale) in [("", ""), ("type=fellowship&open=true", ""), ("q=research", "/es")] {
        let rows = edge.json(&format!("{locale}/programs.json?{query}"));
        CONTRACT.check_value(query, &schema, &rows);
        let language = if locale.is_empty() { "en" } else { "es" };
        let found = edge.json(&format!("/api/v1/search?limit=100&locale={language}&{query}"));
        let (rows_of_all, first) = (rows["data"].as_array().unwrap(), found["data"].as_array().unwrap());
        assert_eq!(json!(rows_of_all.len()), found["meta"]["total"], "{query}");
        assert!(!first.is_empty() && rows_of_all[..first.len()] == first[..], "{query}");
        for member in ["license", "generatedAt"] {
            assert_eq!(rows[member], export[member]);
        }
    }
    let left_out = edge.get("/programs.json?open=true&type=none");
    let expected = "attachment; filename=\"opportunities-filters-left-out.json\"";
    assert_eq!(left_out.header("content-disposition"), expected);
}

#[test]
fn a_feed_whose_only_filter_does_not_exist_is_refused() {
    let edge = &*SAMPLE;
    for feed in ["/programs.json", "/programs.csv", "/es/programs.atom", "/programs.ics"] {
        for (query, status) in [
            ("", 200),
            ("limit=500&sort=best&page=0&facets=x&locale=de", 200),
            ("utm_source=x&type=", 200),
            ("topic=no-such-topic", 400),
            ("q=%F0%9F%8E%93", 400),
            ("organization=no-such-body", 400),
            ("colour=red", 400),
            ("topic=no-such-topic&open=true", 200),
        ] {
            let response = edge.get(&format!("{feed}?{query}"));
            assert_eq!(response.status, status, "{feed}?{query}");
            if status == 400 {
                let given = url::form_urlencoded::parse(query.as_bytes()).next().unwrap();
                let invalid = &response.json()["error"]["details"]["invalid"];
                assert_eq!(*invalid, json!([format!("{}={}", given.0, given.1)]));
            }
        }
    }
}

#[test]
fn downloads_name_the_position_of_the_changes_at_which_they_stand() {
    let edge = &*SAMPLE;
    for target in ["/api/v1/exports/latest", "/api/v1/exports/latest?format=csv", "/data/programs.ndjson"] {
        let response = edge.get(target);
        let links = response.header("link");
        let next = links.split(", ").find(|link| link.ends_with("rel=\"next\"")).unwrap();
        let address = &next[next.find("/changes?").unwrap()..next.find('>').unwrap()];
        let changes = edge.get(address);
        assert_eq!((changes.status, changes.body.len()), (200, 0), "{target}: nothing changed since");
    }
}

#[test]
fn answers_to_parameters_that_are_going_to_leave_state_it() {
    for (target, is_deprecated) in [
        ("/api/v1/search?field=health", true),
        ("/api/v1/programs?q=a&lang=es", true),
        ("/api/v1/details?lang=es", true),
        ("/api/v1/search?topic=health&locale=es", false),
        ("/api/v1/search?q=lang=es", false),
        ("/api/v1/facets/topics?lang=es", false),
    ] {
        // Twice: the second answer is the first one's copy, which other spellings share.
        for _ in 0..2 {
            let response = SAMPLE.get(target);
            let links: Vec<_> =
                response.headers.get_all("link").iter().map(|it| it.to_str().unwrap()).collect();
            let link = "</docs/api#changes>; rel=\"deprecation\"; type=\"text/html\"";
            assert_eq!(links.contains(&link), is_deprecated, "{target}");
            let stated = (response.header("deprecation"), response.header("sunset"));
            let dates = ("@1795392000", "Sun, 31 Dec 2028 23:59:59 GMT");
            assert_eq!(stated, if is_deprecated { dates } else { ("", "") }, "{target}");
        }
        SAMPLE.get(&target.replace("field=", "topic=").replace("lang=", "locale="));
    }
    for page in ["/docs/api", "/es/docs/api"] {
        assert!(SAMPLE.get(page).text().contains("<section id=\"changes\">"), "{page}");
    }
}

#[test]
fn the_reference_lists_calls_in_the_order_of_their_tags() {
    let page = SAMPLE.get("/docs/api").text();
    let calls = page.split("<section id=\"").skip(1).map(|section| section.split('"').next().unwrap());
    let calls: Vec<&str> = calls.skip_while(|id| *id != "searchOpportunities").collect();
    let first = ["searchOpportunities", "listPrograms", "getProgram", "getDetails", "listFacetOptions"];
    let last = ["listChanges", "getChanges", "getChangesFeed", "getOpenApiDocument"];
    assert!(calls.starts_with(&first) && calls.ends_with(&last), "{calls:?}");
}

#[test]
fn feeds_are_known_by_their_filters() {
    let edge = &*SAMPLE;
    let id = |query: &str| {
        let feed = edge.get(&format!("/programs.atom?{query}")).text();
        feed.split_once("<id>").unwrap().1.split_once("</id>").unwrap().0.to_owned()
    };
    assert_eq!(id("type=fellowship&country=US"), id("utm_source=x&country=US&type=fellowship&limit=0"));
    // Were there no fellowships any longer, the feed would be the same: as with a value that never was.
    assert!(id("type=none&country=US").ends_with("/programs.atom?type=none&amp;country=US"));
    assert!(id("type=fellowship&country=US").ends_with("/programs.atom?type=fellowship&amp;country=US"));
    for prefix in ["", "/es"] {
        let feed = edge.get(&format!("{prefix}/programs.atom?q=climate")).text();
        assert!(feed.split("</title>").next().unwrap().ends_with(": climate"), "{feed}");
        let calendar = edge.get(&format!("{prefix}/programs.ics?q=climate")).text().replace("\r\n ", "");
        let name = calendar.lines().find(|line| line.starts_with("X-WR-CALNAME:"));
        assert!(name.unwrap().ends_with(": climate"), "{calendar}");
    }
}

#[test]
fn bars_stand_behind_the_counts_of_a_filter_and_at_the_amounts() {
    let page = SAMPLE.get("/programs?fundingMin=1000").text();
    let topics = page.split("<div id=\"facets\">").nth(1).unwrap().split("</fieldset>").next().unwrap();
    let of = |label: &str| {
        let (tenths, rest) = label.split_once('"').unwrap();
        let count = rest.split("<i>").nth(1).unwrap().split("</i>").next().unwrap().replace(',', "");
        (tenths.parse().unwrap(), count.parse().unwrap())
    };
    let bars: Vec<(usize, usize)> = topics.split("<label class=\"w").skip(1).map(of).collect();
    let most = bars.iter().map(|(_, count)| *count).max().unwrap();
    assert!(bars.iter().all(|(tenths, count)| *tenths == count * 9 / most), "{bars:?}");
    let amounts = page.split("class=\"bars\"").nth(1).unwrap().split("</ol>").next().unwrap();
    assert_eq!(amounts.matches("<li>").count(), 6, "{amounts}");
}

#[test]
fn events_state_who_can_apply_and_remind_a_week_before() {
    let calendar = SAMPLE.get("/programs.ics").text().replace("\r\n ", "");
    let events = calendar.matches("BEGIN:VEVENT").count();
    assert!(events > 3);
    for line in
        ["BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-P7D\r\nDESCRIPTION:", "\r\nEND:VALARM\r\nEND:VEVENT"]
    {
        assert_eq!(calendar.matches(line).count(), events, "{line}");
    }
    assert!(calendar.contains("\r\nDESCRIPTION:Who can apply: "));
    let spanish = SAMPLE.get("/es/programs.ics").text().replace("\r\n ", "");
    assert_eq!(spanish.matches("\r\nSUMMARY:Plazo: ").count(), events);
    assert!(spanish.contains("/es/programs/") && !spanish.contains("Deadline: "));
}
