//! The admin listener: what an orchestrator, a scraper or an operator asks. Meant for a private
//! address; it checks no Host and tells no secrets.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use serde::Serialize;
use tokio::net::TcpListener;

use crate::metrics::{family, sample};
use crate::reload::Live;
use crate::reload_retry::Refused;
use net::connection::{self, Limits};

/// Connections are few here.
const CONNECTIONS_MAX: usize = 64;
const JSON: &str = "application/json";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves until the process ends.
pub async fn serve(listener: TcpListener, live: Arc<Live>) {
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (status, media_type, text) = answer(&live, request.uri().path());
        async move { Ok::<_, Infallible>(response(status, media_type, text)) }
    });
    let limits = Limits { max_connections: CONNECTIONS_MAX, ..Limits::default() };
    connection::serve(listener, service, limits, Arc::default(), std::future::pending()).await;
}

fn response(status: StatusCode, media_type: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Status, media type and text of a path.
fn answer(live: &Live, path: &str) -> (StatusCode, &'static str, String) {
    match path {
        "/healthz" => (StatusCode::OK, "text/plain", "ok\n".to_owned()),
        "/readyz" => {
            let ready = Readiness::of(live);
            let status = if ready.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
            (status, JSON, json(&ready))
        }
        "/metrics" => (StatusCode::OK, PROMETHEUS, metrics(live)),
        "/snapshot" => (StatusCode::OK, JSON, json(&Snapshot::of(live))),
        _ => (StatusCode::NOT_FOUND, "text/plain", "/healthz /readyz /metrics /snapshot\n".to_owned()),
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

/// Whether requests may be sent here. A refused generation takes nothing from that, as the one before keeps
/// serving, but the state is then degraded: somebody has to look.
#[derive(Serialize)]
struct Readiness {
    ready: bool,
    /// `ready`, `degraded` or `draining`.
    state: &'static str,
    draining: bool,
    generation: String,
    refused: Option<Refusal>,
    /// Why pages that are not kept here cannot be had from the store just now. All else is served.
    unreachable: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Refusal {
    generation: String,
    reason: String,
    /// Tried again by itself; else when CURRENT or the generation changes, or at SIGHUP.
    tried_again: bool,
}

impl Readiness {
    fn of(live: &Live) -> Self {
        let (draining, refused) = (live.is_draining(), Refusal::of(live));
        let unreachable = live.source.as_ref().and_then(|source| source.fetch_stats().error);
        let state = match (&refused, &unreachable) {
            _ if draining => "draining",
            (None, None) => "ready",
            _ => "degraded",
        };
        let generation = live.epoch().generation().id().to_string();
        Self { ready: !draining, state, draining, generation, refused, unreachable }
    }
}

impl Refusal {
    fn of(live: &Live) -> Option<Self> {
        live.refused().map(|Refused { generation, reason, may_pass }| Self {
            generation,
            reason,
            tried_again: may_pass,
        })
    }
}

/// What is served now.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    generation: String,
    day: Option<String>,
    as_of: String,
    generated_at: String,
    base_url: String,
    programs: u64,
    files: u64,
    age_seconds: i64,
    /// Whether the index is in memory of this process, where nothing that is done to its files reaches it.
    index_copied: bool,
    refused: Option<Refusal>,
    source: Option<Store>,
}

/// The store that is followed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Store {
    url: String,
    /// Since it last said what is live.
    age_seconds: Option<u64>,
    error: Option<String>,
    expired: bool,
    /// `full` or `lazy`: whether pages are here before they are asked for.
    fetch: &'static str,
    /// Bytes of pages that were fetched and are kept on disk.
    kept: u64,
}

impl Store {
    fn of(live: &Live) -> Option<Self> {
        let source = live.source.as_ref()?;
        let told = source.status();
        let (age_seconds, expired) = (told.age(), told.is_expired());
        let fetch = if source.is_lazy() { "lazy" } else { "full" };
        let error = told.error.or(source.fetch_stats().error);
        Some(Self {
            url: source.place(),
            age_seconds,
            error,
            expired,
            fetch,
            kept: source.lazy_bodies().cache().bytes(),
        })
    }
}

impl Snapshot {
    fn of(live: &Live) -> Self {
        let epoch = live.epoch();
        let manifest = epoch.generation().manifest();
        Self {
            generation: epoch.generation().id().to_string(),
            day: epoch.dated.day().date().map(|date| date.to_string()),
            as_of: manifest.as_of.to_string(),
            generated_at: manifest.generated_at.to_string(),
            base_url: manifest.base_url.clone(),
            programs: manifest.counts.programs,
            files: manifest.files.count,
            age_seconds: age(manifest.generated_at.as_second()),
            index_copied: epoch.generation().is_copied(),
            refused: Refusal::of(live),
            source: Store::of(live),
        }
    }
}

/// Seconds since a time.
fn age(since: i64) -> i64 {
    crate::clock::now().cast_signed() - since
}

fn metrics(live: &Live) -> String {
    let mut out = live.metrics.text();
    let epoch = live.epoch();
    let manifest = epoch.generation().manifest();
    let day = epoch.dated.day().date().map(|date| date.to_string()).unwrap_or_default();
    family(&mut out, "edge_snapshot_info", "gauge", "The generation that answers and its day.");
    let labels = format!("generation=\"{}\",day=\"{day}\"", epoch.generation().id());
    sample(&mut out, "edge_snapshot_info", &labels, 1);
    family(&mut out, "edge_snapshot_age_seconds", "gauge", "Since the data was published.");
    let _ = writeln!(out, "edge_snapshot_age_seconds {}", age(manifest.generated_at.as_second()));
    for (name, help, value) in [
        ("edge_snapshot_programs", "Programs in the generation.", manifest.counts.programs),
        ("edge_draining", "1 while the server is about to end.", u64::from(live.is_draining())),
    ] {
        family(&mut out, name, "gauge", help);
        sample(&mut out, name, "", value);
    }
    push_degraded(&mut out, live);
    push_source(&mut out, live);
    family(&mut out, "edge_cache_bytes", "gauge", "Memory of the caches.");
    sample(&mut out, "edge_cache_bytes", "cache=\"bodies\"", epoch.bodies.bytes());
    sample(&mut out, "edge_cache_bytes", "cache=\"answers\"", live.answers.bytes());
    out
}

/// What CURRENT names is not served: because it cannot be read or is not complete just now, or because it is
/// not what was published.
fn push_degraded(out: &mut String, live: &Live) {
    let refused = live.refused();
    let help = "1 while CURRENT or what it names is not served, and why; /readyz says more.";
    family(out, "edge_degraded", "gauge", help);
    for (reason, may_pass) in [("unreadable", true), ("unverified", false)] {
        let stands = refused.as_ref().is_some_and(|refused| refused.may_pass == may_pass);
        sample(out, "edge_degraded", &format!("reason=\"{reason}\""), u64::from(stands));
    }
}

/// The store that is followed.
fn push_source(out: &mut String, live: &Live) {
    let Some(source) = &live.source else { return };
    let (told, fetched) = (source.status(), source.fetch_stats());
    if let Some(age) = told.age() {
        let name = "edge_source_age_seconds";
        family(out, name, "gauge", "Since the store last said what is live.");
        sample(out, name, "", age);
    }
    for (name, kind, help, value) in [
        (
            "edge_source_failing",
            "gauge",
            "1 while the store cannot be read or is not believed.",
            u64::from(told.error.is_some()),
        ),
        (
            "edge_source_expired",
            "gauge",
            "1 while what is served is good no longer.",
            u64::from(told.is_expired()),
        ),
        ("edge_source_errors_total", "counter", "Looks at the store that failed.", told.errors),
        ("edge_source_stale_total", "counter", "Looks at which the store was older than before.", told.stale),
        ("edge_source_generations_total", "counter", "Generations that were fetched.", told.taken),
        ("edge_body_fetches_total", "counter", "Ranges that bodies were fetched in.", fetched.requests),
        ("edge_body_fetch_bytes_total", "counter", "Their bytes.", fetched.bytes),
        ("edge_body_fetch_failures_total", "counter", "Bodies the store did not give.", fetched.failures),
        ("edge_body_disk_bytes", "gauge", "Fetched bodies on disk.", source.lazy_bodies().cache().bytes()),
    ] {
        family(out, name, kind, help);
        sample(out, name, "", value);
    }
}
