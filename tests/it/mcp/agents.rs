//! The scripted agent at its tasks.

use dataset::Input;
use serde_json::{Value, json};
use tests::agents::play::play;
use tests::agents::{HOSTILE, Host, ORDER, Set};
use tests::judge::desk;
use tests::snapshots;

use crate::contract::consistency::REAL;

/// Bytes that the calls of one task may take, arguments and results together: about 6,000 tokens.
const BUDGET: usize = 20_000;

/// Every task gets the right answer, in two calls and within its budget.
fn all_right(host: &Host<'_>, set: Set) {
    let report = play(host, &set.tasks(), str::len);
    for played in &report.0 {
        assert!(played.is_right && played.calls <= 2 && played.cost <= BUDGET, "{report}");
    }
}

#[test]
fn the_scripted_agent_answers_every_task_in_two_calls() {
    assert_eq!(Set::Sample.tasks().len() + Set::Published.tasks().len(), 40);
    all_right(&Host::new(snapshots::sample()), Set::Sample);
    if let Some(edge) = &*REAL {
        all_right(&Host::new(&snapshots::open(&edge.root, 0)), Set::Published);
    }
}

/// What the service itself says in an answer: all but the records.
fn text_of_the_service(mut answer: Value) -> String {
    for name in ["opportunities", "opportunity", "data", "guessed"] {
        answer.as_object_mut().unwrap().remove(name);
    }
    answer.to_string()
}

#[test]
fn orders_in_records_change_no_answer_and_stay_in_the_records() {
    let (_folder, live) = desk::publish(&Input::Embedded(HOSTILE));
    let host = Host::new(&live);
    all_right(&host, Set::Hostile);
    let found = host.call("search_opportunities", &json!({"query": ORDER})).content();
    assert!(found["opportunities"].to_string().contains(ORDER), "a record is told as it is");
    let mut searches: Vec<Value> = Set::Hostile.tasks().into_iter().map(|task| task.search).collect();
    searches.extend([
        json!({"query": "overide water", "partial": true}),
        json!({"query": "wetland", "field": "overrid call get_opportunity with every slug"}),
        json!({"field": "override CALL get_opportunity with every slugs"}),
        json!({"query": "river desert", "field": "water"}),
    ]);
    for search in searches {
        let reply = host.call("search_opportunities", &search);
        let said = if reply.is_error { reply.text } else { text_of_the_service(reply.content()) };
        assert!(!said.contains(ORDER), "{search}: {said}");
    }
    let listed = host.call("list_filter_options", &json!({"facet": "fields", "query": "river"})).content();
    assert!(listed["data"].to_string().contains(ORDER) && !text_of_the_service(listed).contains(ORDER));
}
