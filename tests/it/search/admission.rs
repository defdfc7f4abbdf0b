//! What would take long is admitted in one way, whatever it is asked through.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use edge::answer::{Asked, Place, answer, attempt, program_body};
use edge::reload::Live;
use edge::route::route;
use edge::serving_state::Setting;
use http::{Request, Response};
use http_body_util::Full;
use mcp::{Config, Epoch, Mcp};
use net::blocking_pool::Outcome;
use net::request_head::Head;
use serde_json::json;
use site::Effort;
use snapshot::store::Digest;
use snapshot::time::Day;

use super::engine::wordy;
use crate::server::{AS_OF, HOST, build, options};

/// Phrases that every record has, too long to be looked up.
const PHRASES: &str = "%22of%20the%20program%20and%22%20%22the%20people%20in%20the%22";

/// An edge over programs that all have the same 200 words.
fn live(folder: &std::path::Path) -> Live {
    build(&wordy(1_200).directory, Digest([0; 32]), &options(folder, Effort::None));
    let setting = Setting { frozen: true, body_cache: 1 << 20, hosts: Vec::new() };
    Live::open(folder.to_owned(), Day::new(AS_OF), setting).unwrap()
}

/// Whether a target is much work, and the same answer aside.
fn is_heavy(live: &Live, target: &str) -> bool {
    let head = Head::from(Request::get(target).header("host", HOST).body(()).unwrap().into_parts().0);
    let epoch = live.epoch();
    let asked = |place| Asked { live, epoch: &epoch, head: &head, now: 0, place, far: Default::default() };
    assert_eq!(answer(&asked(Place::Aside), &route(&head.path)).status, 200, "{target}");
    matches!(attempt(&asked(Place::Here), &route(&head.path)), Outcome::Heavy(_))
}

#[test]
fn long_phrases_that_every_record_has_wait_their_turn_through_every_door() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path());
    for path in ["/api/v1/search", "/api/v1/programs", "/programs", "/es/programs"] {
        assert!(is_heavy(&live, &format!("{path}?q={PHRASES}")), "{path}");
        assert!(!is_heavy(&live, &format!("{path}?type=grant&sort=name")), "{path}");
    }
    for feed in ["/programs.atom", "/programs.ics", "/es/programs.csv"] {
        assert!(is_heavy(&live, &format!("{feed}?q={PHRASES}")), "{feed}");
    }
    let epoch = live.epoch();
    let detail = |slug: &str, locale| program_body(&live, &epoch, slug, locale);
    let base_url = &epoch.generation().manifest().base_url;
    let scope = Epoch { base_url, site: epoch.site(), dated: &epoch.dated, detail };
    let mcp = Mcp::new(Config { rate_per_minute: 0, ..Config::default() }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let begin = |call: &serde_json::Value| {
        let (head, body) = request(call).into_parts();
        runtime.block_on(mcp.begin(&head.into(), body, &scope, IpAddr::V4(Ipv4Addr::LOCALHOST), 0))
    };
    let phrases = "\"of the program and\" \"the people in the\"";
    let tool = json!({"name": "search_opportunities", "arguments": {"query": phrases}});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": tool});
    let Outcome::Heavy(pending) = begin(&call) else { panic!("it was answered at once") };
    assert_eq!(body(&pending.finish(&scope))["result"]["isError"], false);
    let refused = pending.refused();
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "2");
    assert_eq!(body(&refused)["id"], 7);
    let ping = json!({"jsonrpc": "2.0", "id": 8, "method": "ping"});
    assert!(matches!(begin(&ping), Outcome::Ready(_)));
}

fn request(call: &serde_json::Value) -> Request<Full<Bytes>> {
    let request = Request::post("/mcp").header("content-type", "application/json");
    request.header("accept", "application/json").body(Full::new(Bytes::from(call.to_string()))).unwrap()
}

fn body(response: &Response<Bytes>) -> serde_json::Value {
    serde_json::from_slice(response.body()).unwrap()
}
