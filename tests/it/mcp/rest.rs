//! The same question by both interfaces has the same answer: records, totals, order, and the values
//! of facets. What one calls invalid the other calls a mistake.

use snapshot::facet::FACETS;
use snapshot::page::{facet, search};
use snapshot::query::parse_facet;
use tests::checks::understand;
use tests::synth::rng::Rng;
use url::form_urlencoded::{Serializer, parse};

use super::*;

/// Random questions in the words and values of a world's own records.
fn own_questions(world: &World, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(&[seed, 0x3c9]);
    let values = &world.site.index.values;
    let question = |_| {
        let mut query = Serializer::new(String::new());
        if rng.percent(40) {
            let name = &world.directory.programs[rng.below(world.directory.programs.len())].name;
            let words: Vec<&str> = name.split_whitespace().collect();
            query.append_pair("q", words[rng.below(words.len())]);
        }
        for _ in 0..rng.below(4) {
            let spec = &FACETS[rng.below(FACETS.len())];
            let known: Vec<usize> = values.of(spec.facet).collect();
            if !known.is_empty() {
                query.append_pair(spec.parameter, values.text(known[rng.below(known.len())] as u32));
            }
        }
        let order = rng.pick(&["name", "recent"]);
        let date = ("deadlineFrom", "2026-12-01");
        for (name, value) in [("open", "true"), ("funded", "true"), ("locale", "es"), ("sort", order), date] {
            if rng.percent(20) {
                query.append_pair(name, value);
            }
        }
        for name in ["ageMin", "fundingMax", "durationMin", "offset"] {
            if rng.percent(8) {
                // 0 bounds nothing here, and leaves nothing there.
                query.append_pair(name, &(1 + rng.below(40)).to_string());
            }
        }
        query.append_pair("limit", &(1 + rng.below(100)).to_string());
        query.finish()
    };
    (0..count).map(question).collect()
}

/// A question of the REST interface in the tool's words, typed as its schema says.
fn arguments(question: &str) -> Value {
    let schema = contract()["tools"][0]["inputSchema"]["properties"].take();
    let mut arguments = json!({});
    for (name, value) in parse(question.as_bytes()).filter(|(name, _)| name != "facets") {
        let name = match &*name {
            "q" => "query",
            "open" => "openOnly",
            "funded" => "fundedOnly",
            name => name,
        };
        match schema[name]["type"].as_str().unwrap() {
            "array" if arguments[name].is_null() => arguments[name] = json!([value]),
            "array" => arguments[name].as_array_mut().unwrap().push(json!(value)),
            "string" => arguments[name] = json!(value),
            _ => arguments[name] = serde_json::from_str(&value).unwrap(),
        }
    }
    arguments
}

/// Slugs of the rows that match fully; those that come near are the tool's own.
fn slugs(rows: &Value) -> Vec<&str> {
    let is_full =
        |row: &&Value| row["match"].as_str().is_none_or(|tier| ["name", "all", "more"].contains(&tier));
    let whole = rows.as_array().unwrap().iter().filter(is_full);
    whole.map(|row| row["slug"].as_str().unwrap()).collect()
}

/// Asks both, and returns how many records they found.
fn compare(server: &Server, question: &str) -> u64 {
    let site = &server.world.site;
    let (query, invalid) = site.index.parse(question);
    let mut arguments = arguments(question);
    // A text without a word is left out by both.
    if invalid.iter().any(|entry| !entry.starts_with("q=")) {
        server.mistake("search_opportunities", &arguments);
        return 0;
    }
    let rest: Value =
        serde_json::from_slice(&search::search(site, &server.dated, &query, &[]).bytes).unwrap();
    let relevant = server.search(&arguments);
    // The tool sorts by relevance where nothing else is said; REST never does.
    arguments["sort"] = rest["meta"]["sort"].clone();
    let found = server.search(&arguments);
    // Words of a request are required by REST only.
    if query.text.as_deref().is_some_and(understand::has_carrier_words) {
        return rest["meta"]["total"].as_u64().unwrap();
    }
    // Where words name a place, the tool leaves out programs that state another one; REST does not.
    if question.contains("q=") && !found["understood"].is_null() {
        let total = rest["meta"]["total"].as_u64().unwrap();
        assert!(found["total"].as_u64().unwrap() <= total, "{question}");
        return total;
    }
    // The tool lists below the rest what may pay more than a greatest amount.
    if !question.contains("fundingMax") {
        assert_eq!(slugs(&found["opportunities"]), slugs(&rest["data"]), "{question}");
    }
    for name in ["total", "limit", "offset", "sort"] {
        assert_eq!(found[name], rest["meta"][name], "{name} of {question}");
    }
    let total = rest["meta"]["total"].as_u64().unwrap();
    assert_eq!(relevant["total"], total, "{question}");
    if query.page.offset == 0 && total <= query.page.limit {
        let (mut all, mut same) = (slugs(&relevant["opportunities"]), slugs(&rest["data"]));
        all.sort_unstable();
        same.sort_unstable();
        assert_eq!(all, same, "{question}");
    }
    total
}

fn compare_all(server: &Server, questions: &[String]) {
    let found = questions.iter().filter(|question| compare(server, question) > 0).count();
    // Most would say nothing if nearly all found nothing.
    assert!(found * 4 > questions.len(), "only {found} of {} questions find anything", questions.len());
}

#[test]
fn random_questions_get_the_same_records_by_both_interfaces() {
    let server = Server::new(World::synthetic(2_000, 5));
    compare_all(&server, &own_questions(&server.world, 300, 1));
    if let Some(server) = &*PUBLISHED {
        compare_all(server, &own_questions(&server.world, 300, 2));
    }
}

fn compare_facets(server: &Server) {
    let site = &server.world.site;
    for spec in &FACETS {
        for (q, limit, offset) in
            [("", 100, 0), ("a", 3, 0), ("E", 2, 1), ("no such value", 50, 0), ("", 1, 1_000)]
        {
            let text = Serializer::new(String::new())
                .append_pair("q", q)
                .append_pair("limit", &limit.to_string())
                .append_pair("offset", &offset.to_string())
                .finish();
            let query = parse_facet(&text).unwrap();
            let rest: Value =
                serde_json::from_slice(&facet::facet(site, &server.dated, spec.facet, &query).bytes).unwrap();
            let arguments = json!({"facet": spec.name, "q": q, "limit": limit, "offset": offset});
            let listed = server.options(&arguments);
            assert_eq!(listed["data"], rest["data"], "{arguments}");
            assert_eq!(listed["total"], rest["meta"]["total"], "{arguments}");
        }
    }
}

#[test]
fn facets_have_the_same_values_labels_and_counts_by_both_interfaces() {
    compare_facets(&SYNTHETIC);
    PUBLISHED.iter().for_each(compare_facets);
}
