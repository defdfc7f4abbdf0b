//! Answers of the admin listener, for orchestrators, scrapers and operators. It is meant for a private address; it
//! checks no Host and reveals no secrets.

use std::fmt::Write as _;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::clock;
use crate::follower::Follower;
use crate::metrics::{family, metric, sample};
use crate::server::Server;

const TEXT: &str = "text/plain";
const JSON: &str = "application/json";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

fn response(status: StatusCode, media_type: &'static str, text: String) -> Response<Bytes> {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json_response(status: StatusCode, value: &Value) -> Response<Bytes> {
    response(status, JSON, format!("{value}\n"))
}

/// `/healthz`: whether the process answers.
pub(crate) fn health() -> Response<Bytes> {
    response(StatusCode::OK, TEXT, "ok\n".to_owned())
}

/// `/readyz`: whether requests may be sent here. After a failed reload they may, as the generation before keeps serving,
/// but the state is then degraded: an operator has to look.
pub(crate) fn readiness(server: &Server) -> Response<Bytes> {
    let (draining, refused) = (server.is_draining(), server.failed_reload());
    let source = server.options.source.as_ref();
    let serving = server.state();
    let damaged = serving.open.damaged.list();
    let expired = source.is_some_and(|source| source.status().is_expired());
    let (status, state) = match &refused {
        _ if draining => (StatusCode::SERVICE_UNAVAILABLE, "draining"),
        None if damaged.is_empty() && !expired => (StatusCode::OK, "ready"),
        _ => (StatusCode::OK, "degraded"),
    };
    let readiness = json!({
        "ready": !draining,
        "state": state,
        "draining": draining,
        "generation": serving.generation().id().to_string(),
        "refused": refused,
        // Files that are answered 500 because they differ from what was published, and how. Everything else is served.
        "damaged": damaged,
        // Whether what is served is older than its publisher allows.
        "expired": expired,
    });
    json_response(status, &readiness)
}

/// `/snapshot`: what is served.
pub(crate) fn snapshot(server: &Server) -> Response<Bytes> {
    let state = server.state();
    let manifest = state.generation().manifest();
    let snapshot = json!({
        "generation": state.generation().id().to_string(),
        "day": state.dated.day().date().map(|date| date.to_string()),
        "asOf": manifest.as_of.to_string(),
        "generatedAt": manifest.generated_at.to_string(),
        "baseUrl": manifest.base_url,
        "programs": manifest.counts.programs,
        "files": manifest.files.count,
        "ageSeconds": age(manifest.generated_at.as_second()),
        // Whether the index is a copy in memory, which is not affected when its files are overwritten.
        "indexCopied": state.generation().is_copied(),
        "refused": server.failed_reload(),
        "source": server.options.source.as_deref().map(followed),
    });
    json_response(StatusCode::OK, &snapshot)
}

/// Any other path.
pub(crate) fn unknown_path() -> Response<Bytes> {
    response(StatusCode::NOT_FOUND, TEXT, "/healthz /readyz /metrics /snapshot\n".to_owned())
}

/// The store that is followed.
fn followed(source: &Follower) -> Value {
    let status = source.status();
    json!({
        "url": source.target.place(),
        // Seconds since it was last read.
        "ageSeconds": status.age(),
        "error": status.error,
        "expired": status.is_expired(),
    })
}

/// Seconds since a time.
fn age(since: i64) -> i64 {
    clock::now().cast_signed() - since
}

/// `/metrics`: counters, caches and the snapshot as Prometheus text.
pub(crate) fn metrics(server: &Server) -> Response<Bytes> {
    let mut out = server.metrics.text();
    let state = server.state();
    let manifest = state.generation().manifest();
    let day = state.dated.day().date().map(|date| date.to_string()).unwrap_or_default();
    family(&mut out, "edge_snapshot_info", "gauge", "The current generation and day.");
    let labels = format!("generation=\"{}\",day=\"{day}\"", state.generation().id());
    sample(&mut out, "edge_snapshot_info", &labels, 1);
    family(&mut out, "edge_snapshot_age_seconds", "gauge", "Seconds since the data was published.");
    let _ = writeln!(out, "edge_snapshot_age_seconds {}", age(manifest.generated_at.as_second()));
    let damaged = state.open.damaged.list().len();
    for (name, help, value) in [
        ("edge_snapshot_programs", "Programs in the generation.", manifest.counts.programs),
        ("edge_draining", "1 while the server is shutting down.", u64::from(server.is_draining())),
        ("edge_damaged_bodies", "Files that cannot be sent as published; see /readyz.", damaged as u64),
    ] {
        metric(&mut out, name, "gauge", help, value);
    }
    push_degraded(&mut out, server);
    push_source(&mut out, server);
    family(&mut out, "edge_cache_bytes", "gauge", "Memory of the caches.");
    sample(&mut out, "edge_cache_bytes", "cache=\"bodies\"", state.bodies.weight());
    sample(&mut out, "edge_cache_bytes", "cache=\"answers\"", server.answers.weight());
    response(StatusCode::OK, PROMETHEUS, out)
}

fn push_degraded(out: &mut String, server: &Server) {
    let failure = server.failed_reload();
    let help = "1 while the generation that CURRENT names is not served, by reason; see /readyz.";
    family(out, "edge_degraded", "gauge", help);
    for (reason, is_transient) in [("unreadable", true), ("unverified", false)] {
        let stands = failure.as_ref().is_some_and(|failure| failure.is_transient == is_transient);
        sample(out, "edge_degraded", &format!("reason=\"{reason}\""), u64::from(stands));
    }
}

/// The store that is followed.
fn push_source(out: &mut String, server: &Server) {
    let Some(source) = &server.options.source else { return };
    let status = source.status();
    if let Some(age) = status.age() {
        metric(out, "edge_source_age_seconds", "gauge", "Seconds since the store was last read.", age);
    }
    let (failing, expired) = (u64::from(status.error.is_some()), u64::from(status.is_expired()));
    for (name, kind, help, value) in [
        ("edge_source_failing", "gauge", "1 while the store cannot be read or verified.", failing),
        ("edge_source_expired", "gauge", "1 while the served generation has expired.", expired),
        ("edge_source_errors_total", "counter", "Failed polls of the store.", status.errors),
        ("edge_source_stale_total", "counter", "Polls that found an older state than before.", status.stale),
        ("edge_source_generations_total", "counter", "Generations fetched.", status.taken),
    ] {
        metric(out, name, kind, help, value);
    }
}
