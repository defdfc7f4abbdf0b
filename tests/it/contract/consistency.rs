//! Whether the answers of a running edge agree with each other: counts with searches, pages with
//! wholes, exports with records, links with what they lead to. Runs on the sample, and on the
//! dataset in `OPDIR_TEST_DATA` where one is given.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use dataset::Input;
use edge::Server;
use serde_json::Value;
use snapshot::facet::{FACETS, Facet, FacetSpec};
use tests::snapshots::open;

use crate::server::{Edge, SAMPLE, between, encode, real_data, texts};

/// The given dataset, served for all tests.
pub(crate) static REAL: LazyLock<Option<Edge>> =
    LazyLock::new(|| real_data().map(|folder| Edge::serve(&Input::Folder(folder))));

/// The same without a connection: to open it checks that tens of thousands of files are there.
pub(crate) static REAL_OPEN: LazyLock<Option<Arc<Server>>> =
    LazyLock::new(|| REAL.as_ref().map(|real| open(&real.root, 0)));

/// Of the links of a list, at most so many are followed.
const FOLLOWED: usize = 400;

/// Runs a check on every dataset there is.
fn on_all(check: impl Fn(&Edge)) {
    check(&SAMPLE);
    REAL.iter().for_each(check);
}

/// Every row of a list, page by page; fails on a gap or a repeat in what `meta` says.
fn pages(edge: &Edge, target: &str, limit: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    loop {
        let separator = if target.contains('?') { '&' } else { '?' };
        let page = edge.json(&format!("{target}{separator}limit={limit}&offset={}", rows.len()));
        let data = page["data"].as_array().unwrap();
        assert_eq!(page["meta"]["count"], data.len(), "{target}");
        rows.extend_from_slice(data);
        if data.len() < limit {
            assert_eq!(page["meta"]["total"], rows.len(), "{target}");
            return rows;
        }
    }
}

fn strings(rows: &[Value], pointer: &str) -> Vec<String> {
    rows.iter().map(|row| row.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect()
}

fn total(edge: &Edge, query: &str) -> Value {
    edge.json(&format!("/api/v1/search?limit=1&facets=false&{query}"))["meta"]["total"].clone()
}

#[test]
fn a_facet_values_count_is_the_total_of_the_search_that_filters_by_it() {
    on_all(|edge| FACETS.iter().for_each(|spec| counts_are_totals(edge, spec)));
}

fn counts_are_totals(edge: &Edge, spec: &FacetSpec) {
    let items = pages(edge, &format!("/api/v1/facets/{}", spec.name), 100);
    let topics: BTreeSet<String> = match spec.facet {
        Facet::Fields => strings(&pages(edge, "/api/v1/facets/topics", 100), "/value").into_iter().collect(),
        _ => BTreeSet::new(),
    };
    let order = |item: &Value| (-item["count"].as_i64().unwrap(), item["value"].as_str().unwrap().to_owned());
    assert!(items.is_sorted_by_key(order), "{}", spec.name);
    for item in items {
        let value = item["value"].as_str().unwrap();
        // `field` asks for a topic where there is one of that name.
        if !topics.contains(value) {
            let query = format!("{}={}", spec.parameter, encode(value));
            assert_eq!(item["count"], total(edge, &query), "{query}");
        }
    }
}

#[test]
fn lists_hold_every_record_once() {
    on_all(|edge| {
        let lists = [
            ("organizations", "/id", edge.directory.organizations.len()),
            ("recipients", "/id", edge.directory.recipients.len()),
            ("awards", "/award/id", edge.directory.awards.len()),
            ("cycles?upcoming=false", "/cycle/id", edge.directory.cycles.len()),
        ];
        for (list, id, published) in lists {
            let ids = strings(&pages(edge, &format!("/api/v1/{list}"), 100), id);
            let different: BTreeSet<&String> = ids.iter().collect();
            assert_eq!((ids.len(), different.len()), (published, published), "{list}");
        }
    });
}

#[test]
fn lists_and_searches_are_in_the_order_that_is_promised() {
    on_all(|edge| {
        let deadlines = pages(edge, "/api/v1/search?facets=false", 100);
        let due = |row: &Value| row["nextDeadline"].as_str().unwrap_or("9999").to_owned();
        assert!(deadlines.is_sorted_by_key(due));
        let cycles = pages(edge, "/api/v1/cycles", 100);
        let due = |row: &Value| row["cycle"]["deadlineOn"].as_str().unwrap_or("9999").to_owned();
        assert!(cycles.is_sorted_by_key(due));
        let awards = pages(edge, "/api/v1/awards", 100);
        assert!(awards.is_sorted_by_key(|row| -row["award"]["awardYear"].as_i64().unwrap()));
        let recipients = pages(edge, "/api/v1/recipients", 100);
        assert!(recipients.is_sorted_by_key(|row| -row["awardCount"].as_i64().unwrap()));
    });
}

#[test]
fn every_link_of_every_list_leads_to_its_record() {
    on_all(|edge| {
        let follow = |collection: &str, record: &str, slug: &str, id: &str| {
            for suffix in if collection == "programs" { &["", "?locale=es"][..] } else { &[""] } {
                let detail = edge.json(&format!("/api/v1/{collection}/{slug}{suffix}"));
                assert_eq!(detail["data"][record]["id"], id, "{collection}/{slug}");
                assert_eq!(detail["data"][record]["slug"], slug);
            }
        };
        for (list, record) in
            [("programs", "program"), ("organizations", "organization"), ("recipients", "recipient")]
        {
            let rows = pages(edge, &format!("/api/v1/{list}?facets=false"), 100);
            for row in rows.iter().step_by(rows.len().div_ceil(FOLLOWED)) {
                follow(list, record, row["slug"].as_str().unwrap(), row["id"].as_str().unwrap());
            }
        }
        let programs: BTreeSet<&str> = edge.directory.programs.iter().map(|it| it.slug.as_str()).collect();
        let recipients: BTreeSet<&str> =
            edge.directory.recipients.iter().map(|it| it.slug.as_str()).collect();
        for row in pages(edge, "/api/v1/awards", 100) {
            assert!(programs.contains(row["program"]["slug"].as_str().unwrap()));
            assert!(recipients.contains(row["recipient"]["slug"].as_str().unwrap()));
        }
        for row in pages(edge, "/api/v1/cycles?upcoming=false", 100) {
            assert!(programs.contains(row["program"]["slug"].as_str().unwrap()));
        }
    });
}

#[test]
fn the_export_has_every_program_and_both_formats_the_same_rows() {
    on_all(|edge| {
        let export = edge.json("/api/v1/exports/latest");
        let rows = export["data"].as_array().unwrap();
        assert_eq!(rows.len(), edge.directory.programs.len());
        assert_eq!(export["generatedAt"], edge.directory.dataset.published_at.to_string());
        assert_eq!(rows, &pages(edge, "/api/v1/search?sort=name&facets=false", 100));
        let text = edge.get("/api/v1/exports/latest?format=csv").text();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers().unwrap().clone();
        let mut records = reader.records();
        for row in rows {
            let record = records.next().unwrap().unwrap();
            assert_eq!(columns.len(), record.len());
            for (column, cell) in columns.iter().zip(&record) {
                assert_eq!(cell, cell_of(row, column), "{column} of {}", row["slug"]);
            }
        }
        assert!(records.next().is_none());
    });
}

/// What a column of the CSV export holds of a JSON row.
fn cell_of(row: &Value, column: &str) -> String {
    let value = match column {
        "organizationId" => &row["organization"]["id"],
        "organizationSlug" => &row["organization"]["slug"],
        "organizationName" => &row["organization"]["name"],
        _ => &row[column],
    };
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(|value| value.as_str().unwrap()).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    };
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{text}"),
        _ => text,
    }
}

#[test]
fn what_a_detail_counts_is_what_the_lists_hold() {
    let awards = pages(&SAMPLE, "/api/v1/awards", 100);
    for recipient in pages(&SAMPLE, "/api/v1/recipients", 100) {
        let slug = recipient["slug"].as_str().unwrap();
        let mine = awards.iter().filter(|row| row["recipient"]["slug"] == slug).count();
        let detail = SAMPLE.json(&format!("/api/v1/recipients/{slug}"));
        assert_eq!(detail["data"]["awards"].as_array().unwrap().len(), mine, "{slug}");
        assert_eq!(recipient["awardCount"], mine, "{slug}");
    }
    let mut stated = 0;
    for program in &SAMPLE.directory.programs {
        let slug = &program.slug;
        let mine: Vec<&Value> = awards.iter().filter(|row| row["program"]["slug"] == *slug).collect();
        let history = SAMPLE.json(&format!("/api/v1/programs/{slug}"))["data"]["history"].clone();
        assert_eq!(history["awardCount"], mine.len(), "{slug}");
        let mut amounts: Vec<f64> =
            mine.iter().filter_map(|row| row["award"]["awardAmountUsd"].as_f64()).collect();
        assert_eq!(
            history["amountUsd"]["total"].as_f64().unwrap_or(0.0),
            amounts.iter().sum::<f64>(),
            "{slug}"
        );
        amounts.sort_by(f64::total_cmp);
        let [least, .., most] = amounts[..] else { continue };
        let middle = f64::midpoint(amounts[(amounts.len() - 1) / 2], amounts[amounts.len() / 2]);
        assert_eq!(history["amountUsd"]["median"], middle, "{slug}");
        let page = SAMPLE.get(&format!("/programs/{slug}")).text();
        if least < most {
            let shown = between(&page, "at least, US$", " in the middle").replace(',', "");
            assert!((shown.parse::<f64>().unwrap() - middle).abs() <= 0.5, "{slug}: {shown}, not {middle}");
            stated += 1;
        }
    }
    assert!(stated > 0);
}

#[test]
fn cycles_and_awards_are_filtered_by_the_organization_of_their_program() {
    let organizations: Vec<&str> =
        SAMPLE.directory.organizations.iter().map(|it| it.slug.as_str()).take(6).collect();
    let of = |slug: &Value| {
        let program = SAMPLE.directory.programs.iter().find(|it| *slug == it.slug).unwrap();
        let organization = SAMPLE.directory.organizations.iter().find(|it| it.id == program.organization_id);
        organization.unwrap().slug.as_str()
    };
    for list in ["awards?", "cycles?", "cycles?upcoming=false&"] {
        let all = pages(&SAMPLE, &format!("/api/v1/{list}"), 100);
        for some in [&organizations[..1], &organizations[1..2], &organizations] {
            let query: String = some.iter().map(|slug| format!("organization={slug}&")).collect();
            let found = pages(&SAMPLE, &format!("/api/v1/{list}{query}"), 2);
            let is_of = |row: &&Value| some.contains(&of(&row["program"]["slug"]));
            assert_eq!(found, all.iter().filter(is_of).cloned().collect::<Vec<_>>(), "{list}{query}");
        }
    }
}

#[test]
fn an_organization_is_known_by_its_former_slugs_and_an_unknown_one_is_reported() {
    for path in ["search", "cycles", "awards"] {
        let answer = |query: &str| SAMPLE.get(&format!("/api/v1/{path}?{query}&limit=1"));
        let meta = |query: &str| answer(query).json()["meta"].clone();
        let current = answer("organization=national-science-foundation");
        let former = answer("organization=nsf");
        assert_eq!((&former.body, former.header("etag")), (&current.body, current.header("etag")), "{path}");
        assert!(former.header("link").contains("organization=national-science-foundation"), "{path}");
        let unknown = meta("organization=no-such-body&organization=National%20Science%20Foundation");
        let all = meta("");
        let invalid = ["organization=National Science Foundation", "organization=no-such-body"];
        assert_eq!(texts(&unknown["invalid"]), invalid);
        assert_eq!(unknown["total"], all["total"], "{path}");
        let many: String = (0..200).map(|n| format!("organization=no-{n}&")).collect();
        assert_eq!(meta(&many)["invalid"].as_array().unwrap().len(), 50, "{path}");
    }
}

#[test]
fn recipients_are_filtered_by_name_year_program_and_kind() {
    let awards = pages(&SAMPLE, "/api/v1/awards", 100);
    let all = pages(&SAMPLE, "/api/v1/recipients", 100);
    let found = |query: &str| strings(&pages(&SAMPLE, &format!("/api/v1/recipients?{query}"), 100), "/slug");
    let expected = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        all.iter().filter(|row| keep(row)).map(|row| row["slug"].as_str().unwrap().to_owned()).collect()
    };
    let awarded = |slug: &Value, fits: &dyn Fn(&Value) -> bool| {
        awards.iter().any(|row| row["recipient"]["slug"] == *slug && fits(row))
    };
    assert_eq!(found("kind=organization"), expected(&|row| row["kind"] == "organization"));
    for year in [1900, 2019, 2025] {
        let fits = |row: &Value| row["award"]["awardYear"] == year;
        assert_eq!(found(&format!("year={year}")), expected(&|row| awarded(&row["slug"], &fits)), "{year}");
    }
    let slugs: BTreeSet<String> = strings(&awards, "/program/slug").into_iter().collect();
    for program in &slugs {
        let of = |row: &Value| row["program"]["slug"] == *program;
        assert_eq!(found(&format!("program={program}")), expected(&|row| awarded(&row["slug"], &of)));
        // One has an award of the one program and another in the other year.
        for year in [1970, 1997] {
            let both = |row: &Value| of(row) && row["award"]["awardYear"] == year;
            let query = format!("program={program}&year={year}");
            assert_eq!(found(&query), expected(&|row| awarded(&row["slug"], &both)), "{query}");
        }
    }
    let named = |row: &Value| row["displayName"].as_str().unwrap().to_lowercase().contains("mar");
    assert_eq!(found("q=MAR"), expected(&named));
    assert_eq!(found("q=saldaña"), ["marie-saldana"]);
    assert_eq!(found("program=no-such-program"), [""; 0]);
}
