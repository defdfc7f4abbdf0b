//! Metrics of the edge, as atomics, and their Prometheus text (exposition format 0.0.4). Names
//! follow the semantic conventions of OpenTelemetry where there are any.

use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use http::Method;

use crate::route::{ROUTES, Route};
use net::connection::Counters;
use net::count::Count;

/// Upper bounds of the duration buckets, in microseconds.
const BUCKETS: [u64; 16] = [
    25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    5_000_000, 15_000_000,
];
/// Methods with metrics of their own; the last stands for all others.
const METHODS: [&str; 5] = ["GET", "HEAD", "OPTIONS", "POST", "_OTHER"];
/// Status of requests that were not answered, in logs and metrics. nginx has the same.
pub(crate) const ABANDONED: u16 = 499;
/// Statuses with metrics of their own; the last stands for all others.
const STATUSES: [u16; 20] = [
    200, 304, 404, 400, 206, 204, 202, 308, 403, 405, 406, 412, 413, 414, 416, 421, 429, 503, 500, ABANDONED,
];

/// Hits and misses of a cache.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    hits: Count,
    misses: Count,
}

impl Lookups {
    /// Counts a look-up and hands its result on.
    pub(crate) fn count<T>(&self, found: Option<T>) -> Option<T> {
        let count = if found.is_some() { &self.hits } else { &self.misses };
        count.add();
        found
    }
}

/// Durations of requests of one route, method and status.
#[derive(Debug, Default)]
struct Series {
    /// Requests of at most each bound and more than the one before; the last has no bound.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    nanos: AtomicU64,
}

/// All metrics.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Connections.
    pub connections: Arc<Counters>,
    /// Bodies of files.
    pub(crate) bodies: Lookups,
    /// Computed answers.
    pub(crate) answers: Lookups,
    /// Answers that the client had already.
    pub not_modified: Count,
    /// Requests that ended in a panic.
    pub panics: Count,
    /// Requests that were not answered, because the client left or the connection was cut.
    pub(crate) abandoned: Count,
    /// Requests that were refused because the pool was full.
    pub overloads: Count,
    /// Generations taken, the first not counted.
    pub loads: Count,
    /// Generations refused.
    pub refusals: Count,
    series: Box<[[[Series; STATUSES.len() + 1]; METHODS.len()]; ROUTES.len()]>,
}

impl Metrics {
    /// Of a server with these connections.
    pub(crate) fn new(connections: Counters) -> Self {
        Self { connections: Arc::new(connections), ..Self::default() }
    }

    /// Counts a request.
    pub(crate) fn request(&self, route: Route, method: &Method, status: u16, took: Duration) {
        let route = route.number();
        let method = METHODS.iter().position(|known| *known == method.as_str()).unwrap_or(METHODS.len() - 1);
        let status = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        let series = &self.series[route][method][status];
        let nanos = took.as_nanos() as u64;
        let bucket = BUCKETS.partition_point(|bound| bound * 1000 < nanos);
        series.buckets[bucket].fetch_add(1, Relaxed);
        series.nanos.fetch_add(nanos, Relaxed);
    }

    /// The counters as Prometheus text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(16 * 1024);
        self.push_requests(&mut text);
        let (counts, out) = (&self.connections, &mut text);
        let help = "Answers refused with 503 because too many wait to be taken.";
        metric(out, "edge_flight_refusals_total", help, counts.in_flight.refused.get());
        metric(out, "edge_accepted_total", "Connections accepted.", counts.accepted.get());
        metric(out, "edge_refused_total", "Connections closed: too many were open.", counts.refused.get());
        metric(out, "edge_accept_errors_total", "Accepts that failed.", counts.accept_errors.get());
        let help = "Answers that the client had already (304).";
        metric(out, "edge_not_modified_total", help, self.not_modified.get());
        metric(out, "edge_panics_total", "Requests that ended in a panic.", self.panics.get());
        let help = "Connections closed at once because their client had a quarter of all.";
        metric(out, "edge_client_refusals_total", help, counts.crowding.get());
        metric(out, "edge_abandoned_total", "Requests whose client left or was cut.", self.abandoned.get());
        let help = "Searches and long reads refused with 503 because their pool was full.";
        metric(out, "edge_overload_refusals_total", help, self.overloads.get());
        let help = "Lines of the log that nobody read in time, or that could not be written.";
        metric(out, "edge_log_dropped_total", help, crate::log_lines::LINES.dropped());
        let help = "Connections that ended, by reason.";
        labelled(out, ("edge_closed_total", help), "reason", counts.all_closed());
        let loads = [("taken", self.loads.get()), ("refused", self.refusals.get())];
        let help = "Generations taken and refused since the start.";
        labelled(out, ("edge_snapshot_loads_total", help), "result", loads);
        const LOOKUPS: &str = "edge_cache_lookups_total";
        family(out, LOOKUPS, "Look-ups in the caches of file bodies and of computed answers.");
        for (cache, lookups) in [("bodies", &self.bodies), ("answers", &self.answers)] {
            sample(out, LOOKUPS, &format!("cache=\"{cache}\",result=\"hit\""), lookups.hits.get());
            sample(out, LOOKUPS, &format!("cache=\"{cache}\",result=\"miss\""), lookups.misses.get());
        }
        text
    }

    fn push_requests(&self, out: &mut String) {
        const NAME: &str = "http_server_request_duration_seconds";
        family(out, NAME, "Time from a request's head to its answer, without sending.");
        for (series, (_, route)) in self.series.iter().zip(ROUTES) {
            for (series, method) in series.iter().zip(METHODS) {
                let statuses = STATUSES.iter().map(u16::to_string).chain(["other".to_owned()]);
                for (series, status) in series.iter().zip(statuses).filter(|(series, _)| series.has_any()) {
                    let labels = format!(
                        "http_route=\"{route}\",http_request_method=\"{method}\",http_response_status_code=\"{status}\"",
                    );
                    series.push(out, NAME, &labels);
                }
            }
        }
    }
}

impl Series {
    fn has_any(&self) -> bool {
        self.buckets.iter().any(|bucket| bucket.load(Relaxed) > 0)
    }

    fn push(&self, out: &mut String, name: &str, labels: &str) {
        let mut total = 0;
        for (bucket, bound) in self.buckets.iter().zip(BUCKETS.map(Some).into_iter().chain([None])) {
            total += bucket.load(Relaxed);
            let bound = bound.map_or_else(|| "+Inf".to_owned(), |micros| seconds(micros * 1000));
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
        }
        let _ = writeln!(out, "{name}_sum{{{labels}}} {}", seconds(self.nanos.load(Relaxed)));
        let _ = writeln!(out, "{name}_count{{{labels}}} {total}");
    }
}

/// Nanoseconds as decimal seconds.
fn seconds(nanos: u64) -> String {
    (nanos as f64 / 1e9).to_string()
}

/// Starts a metric family. Its name says what it is.
pub(crate) fn family(out: &mut String, name: &str, help: &str) {
    let kind = match name {
        _ if name.ends_with("_total") => "counter",
        "http_server_request_duration_seconds" => "histogram",
        _ => "gauge",
    };
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// Writes a metric that has one value.
pub(crate) fn metric(out: &mut String, name: &str, help: &str, value: impl Display) {
    family(out, name, help);
    let _ = writeln!(out, "{name} {value}");
}

/// Writes a metric that has a value for each of some values of a label.
pub(crate) fn labelled<'a>(
    out: &mut String,
    (name, help): (&str, &str),
    label: &str,
    values: impl IntoIterator<Item = (&'a str, u64)>,
) {
    family(out, name, help);
    for (of, value) in values {
        sample(out, name, &format!("{label}=\"{of}\""), value);
    }
}

/// Writes one value; `labels` are without braces.
pub(crate) fn sample(out: &mut String, name: &str, labels: &str, value: u64) {
    let _ = writeln!(out, "{name}{{{labels}}} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_cumulative_buckets_by_route_known_method_and_status() {
        let metrics = Metrics::default();
        let observe = |micros, status| {
            let took = Duration::from_micros(micros);
            metrics.request(Route::Search, &Method::GET, status, took);
        };
        observe(25, 200);
        observe(26, 200);
        observe(20_000_000, 200);
        observe(3, 418);
        let text = metrics.text();
        let series = "http_server_request_duration_seconds_bucket{http_route=\"/api/v1/search\",\
                      http_request_method=\"GET\",http_response_status_code=\"200\",le=";
        assert!(text.contains(&format!("{series}\"0.000025\"}} 1\n")), "{text}");
        assert!(text.contains(&format!("{series}\"0.00005\"}} 2\n")), "{text}");
        assert!(text.contains(&format!("{series}\"15\"}} 2\n")), "{text}");
        assert!(text.contains(&format!("{series}\"+Inf\"}} 3\n")), "{text}");
        assert!(text.contains("http_response_status_code=\"other\""));
        metrics.request(Route::Tools, &Method::from_bytes(b"BREW").unwrap(), 405, Duration::ZERO);
        assert!(metrics.text().contains("http_route=\"/mcp\",http_request_method=\"_OTHER\""));
    }
}
