//! What would take long is admitted in one way, whatever it is asked through.

use std::sync::Arc;

use edge::Server;
use serde_json::json;
use tests::in_process::{get, post};

use super::engine::wordy;
use crate::server::Live;

/// Phrases that every record has, too long to be looked up.
const PHRASES: &str = "%22of%20the%20program%20and%22%20%22the%20people%20in%20the%22";

/// Whether a target is answered in a pool.
fn is_heavy(live: &Arc<Server>, target: &str) -> bool {
    let reply = get(live, target);
    assert_eq!(reply.status, 200, "{target}");
    reply.pooled
}

/// Whether one of several targets that cost as much is answered in a pool: a pool may be done before it is looked at.
fn is_pooled(live: &Arc<Server>, target: &str) -> bool {
    (0..64).any(|number| is_heavy(live, &format!("{target}{}", more_words(number).replace(' ', "%20"))))
}

/// Some of the words that every record has.
fn more_words(number: usize) -> String {
    let words = ["program", "people", "the", "and", "of", "in"].into_iter().enumerate();
    words.filter(|(bit, _)| number >> bit & 1 == 1).map(|(_, word)| format!(" {word}")).collect()
}

#[test]
fn long_phrases_that_every_record_has_wait_their_turn_through_every_door() {
    let live = Live::of(&wordy(1_200)).server;
    for path in ["/api/v1/search", "/api/v1/programs", "/programs", "/es/programs"] {
        assert!(is_pooled(&live, &format!("{path}?q={PHRASES}")), "{path}");
        // Rendering a page is more work than a thread of requests takes, whatever the query is.
        let is_page = !path.starts_with("/api");
        let is_light_pooled = (0..16).any(|page| is_heavy(&live, &format!("{path}?type=grant&page={page}")));
        assert_eq!(is_light_pooled, is_page, "{path}");
    }
    for feed in ["/programs.atom", "/programs.ics", "/es/programs.csv"] {
        assert!(is_pooled(&live, &format!("{feed}?q={PHRASES}")), "{feed}");
    }
    let is_call_pooled = |number: usize| {
        let phrases = format!("\"of the program and\" \"the people in the\"{}", more_words(number));
        let tool = json!({"name": "search_opportunities", "arguments": {"query": phrases}});
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": tool});
        let reply = post(&live, call.to_string());
        let body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!((&body["id"], &body["result"]["isError"]), (&json!(7), &json!(false)));
        reply.pooled
    };
    assert!((0..64).any(is_call_pooled), "it was answered at once");
    let ping = json!({"jsonrpc": "2.0", "id": 8, "method": "ping"});
    assert!(!post(&live, ping.to_string()).pooled);
}
