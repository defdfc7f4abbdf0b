//! Answers of the admin listener, for orchestrators, scrapers and operators. It is meant for a private address; it
//! checks no Host and reveals no secrets.

use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use net::lock;
use serde_json::{Value, json};

use crate::build_id;
use crate::clock;
use crate::follower::Follower;
use crate::metrics::{family, labelled, metric, sample};
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

/// `/healthz`: whether the process answers.
pub(crate) fn health() -> Response<Bytes> {
    response(StatusCode::OK, TEXT, "ok\n".to_owned())
}

/// `/readyz`: whether requests may be sent here. After a failed reload they may, as the generation before keeps serving,
/// but the state is then degraded: an operator has to look. So under an attack: others are answered, and a balancer that took
/// away every edge that is attacked would leave none.
pub(crate) fn readiness(server: &Server) -> Response<Bytes> {
    let (draining, refused) = (server.is_draining(), server.failed_reload());
    let source = server.options.source.as_ref();
    let serving = server.state();
    let damaged = lock(&serving.open.damaged).clone();
    let expired = source.is_some_and(|source| source.status().is_expired());
    let saturated: Vec<_> = server.saturation().into_iter().filter(|(_, is)| *is).map(|(of, _)| of).collect();
    let (status, state) = match &refused {
        _ if draining => (StatusCode::SERVICE_UNAVAILABLE, "draining"),
        None if damaged.is_empty() && !expired && saturated.is_empty() => (StatusCode::OK, "ready"),
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
        // What clients have nearly used up.
        "saturated": saturated,
    });
    response(status, JSON, format!("{readiness}\n"))
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
        "indexCopied": state.generation().copied,
        "refused": server.failed_reload(),
        "source": server.options.source.as_deref().map(followed),
    });
    response(StatusCode::OK, JSON, format!("{snapshot}\n"))
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
    family(&mut out, "edge_snapshot_info", "The current generation and day.");
    let labels = format!("generation=\"{}\",day=\"{day}\"", state.generation().id());
    sample(&mut out, "edge_snapshot_info", &labels, 1);
    let age = age(manifest.generated_at.as_second());
    metric(&mut out, "edge_snapshot_age_seconds", "Seconds since the data was published.", age);
    let damaged = lock(&state.open.damaged).len();
    metric(&mut out, "edge_snapshot_programs", "Programs in the generation.", manifest.counts.programs);
    let is_draining = u64::from(server.is_draining());
    metric(&mut out, "edge_draining", "1 while the server is shutting down.", is_draining);
    metric(&mut out, "edge_damaged_bodies", "Files that cannot be sent as published; see /readyz.", damaged);
    push_degraded(&mut out, server);
    push_process(&mut out, server);
    push_use(&mut out, server);
    push_source(&mut out, server);
    let weights = [("bodies", state.bodies.weight()), ("answers", server.answers.weight())];
    labelled(&mut out, ("edge_cache_bytes", "Memory of the caches."), "cache", weights);
    response(StatusCode::OK, PROMETHEUS, out)
}

/// The program and its process, as the client libraries of Prometheus name them.
fn push_process(out: &mut String, server: &Server) {
    family(out, "edge_build_info", "The version of the program, and the hash of its file.");
    let labels = format!("version=\"{}\",build=\"{}\"", env!("CARGO_PKG_VERSION"), build_id::id());
    sample(out, "edge_build_info", &labels, 1);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    // Of the user and of the system, behind the name; Linux gives both in hundredths of a second.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let times = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split(' ').skip(12).take(2);
    let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    let seconds = format_args!("{}.{:02}", ticks / 100, ticks % 100);
    metric(out, "process_cpu_seconds_total", "Processor time, in seconds.", seconds);
    let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let resident = resident.unwrap_or(0_u64) * 1024;
    metric(out, "process_resident_memory_bytes", "Resident memory.", resident);
    metric(out, "process_open_fds", "Open file descriptors.", files);
    metric(out, "process_max_fds", "Most open file descriptors.", limit.unwrap_or(u64::MAX));
    let started = clock::now().saturating_sub(server.started.elapsed().as_secs());
    let help = "When the process started, in seconds since 1970.";
    metric(out, "process_start_time_seconds", help, started);
}

/// What clients use, and the most that they may.
fn push_use(out: &mut String, server: &Server) {
    let connections = &server.metrics.connections;
    let (in_flight, most) = (&connections.in_flight, connections.most.load(Relaxed));
    metric(out, "edge_connections", "Connections open now.", connections.open_now());
    metric(out, "edge_connections_limit", "Most connections, of each client a quarter.", most);
    let help = "Bytes of answers made and not yet taken by the client.";
    metric(out, "edge_flight_bytes", help, in_flight.bytes());
    metric(out, "edge_flight_limit_bytes", "Most of them, of each client a quarter.", in_flight.budget);
    let pools = [("searches", server.searches.usage()), ("reads", server.reads.usage())];
    let running = pools.map(|(pool, [(running, _), _])| (pool, running as u64));
    let limits = pools.map(|(pool, [(_, most), _])| (pool, most as u64));
    let waiting = pools.map(|(pool, [_, (waiting, _)])| (pool, waiting as u64));
    labelled(out, ("edge_pool_running", "Tasks that run in a pool now."), "pool", running);
    labelled(out, ("edge_pool_limit", "Most of them."), "pool", limits);
    labelled(out, ("edge_pool_waiting", "Tasks that wait for a pool."), "pool", waiting);
    let help = "1 while clients have nearly used up something, by what; see /readyz.";
    let saturated = server.saturation().map(|(what, is_saturated)| (what, u64::from(is_saturated)));
    labelled(out, ("edge_saturated", help), "resource", saturated);
}

fn push_degraded(out: &mut String, server: &Server) {
    let failure = server.failed_reload();
    let help = "1 while the generation that CURRENT names is not served, by reason; see /readyz.";
    let stands = |is_transient| {
        u64::from(failure.as_ref().is_some_and(|failure| failure.is_transient == is_transient))
    };
    let reasons = [("unreadable", stands(true)), ("unverified", stands(false))];
    labelled(out, ("edge_degraded", help), "reason", reasons);
}

/// The store that is followed.
fn push_source(out: &mut String, server: &Server) {
    let Some(source) = &server.options.source else { return };
    let status = source.status();
    if let Some(age) = status.age() {
        metric(out, "edge_source_age_seconds", "Seconds since the store was last read.", age);
    }
    let (failing, expired) = (u64::from(status.error.is_some()), u64::from(status.is_expired()));
    metric(out, "edge_source_failing", "1 while the store cannot be read or verified.", failing);
    metric(out, "edge_source_expired", "1 while the served generation has expired.", expired);
    metric(out, "edge_source_errors_total", "Failed polls of the store.", status.errors);
    metric(out, "edge_source_stale_total", "Polls that found an older state than before.", status.stale);
    metric(out, "edge_source_generations_total", "Generations fetched.", status.taken);
}
