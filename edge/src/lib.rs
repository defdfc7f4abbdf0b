//! Edge.

pub mod admin;
pub mod answer;
pub mod bodies;
pub mod cache;
pub mod clock;
pub mod conditional;
pub mod config;
pub mod connection;
pub mod encode;
pub mod epoch;
pub mod guard;
pub mod http;
pub mod live;
pub mod log;
pub mod metrics;
pub mod reply;
pub mod route;
pub mod searches;
pub mod turns;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use tokio::net::TcpListener;

use crate::config::{Action, Command, Config};
use crate::connection::Limits;
use crate::epoch::Opened;
use crate::live::Live;

/// Exit code of a snapshot that cannot be served.
const UNVERIFIED: u8 = 5;
/// Exit code of an address that cannot be listened on.
const NOT_LISTENING: u8 = 4;

/// Runs the program with the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    let command = Command::parse();
    log::start(command.serve.as_ref().map(|config| config.log).unwrap_or_default());
    match (command.action, command.serve) {
        (Some(Action::Check { root }), _) => check(&root),
        (None, Some(config)) if config.print_config => print(&config.text()),
        (None, Some(config)) => serve_for_ever(&config),
        (None, None) => fail(2, "nothing to do; see --help"),
    }
}

fn print(text: &str) -> ExitCode {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn fail(code: u8, message: &str) -> ExitCode {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "opdir-edge: {message}");
    ExitCode::from(code)
}

fn check(root: &std::path::Path) -> ExitCode {
    match Opened::current(root) {
        Ok(opened) => {
            let manifest = opened.generation.manifest();
            print(&format!(
                "{}: {} programs, as of {}, for {}",
                opened.generation.id(),
                manifest.counts.programs,
                manifest.as_of,
                manifest.base_url
            ))
        }
        Err(error) => fail(UNVERIFIED, &error.to_string()),
    }
}

fn serve_for_ever(config: &Config) -> ExitCode {
    let live = match Live::open(config.snapshot.clone(), config.day(), config.setting()) {
        Ok(live) => Arc::new(live.serving(config.serving())),
        Err(error) => return fail(UNVERIFIED, &error.to_string()),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(NOT_LISTENING, &format!("cannot start threads: {error}")),
    };
    match runtime.block_on(run_server(config, live)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(NOT_LISTENING, &error.to_string()),
    }
}

async fn run_server(config: &Config, live: Arc<Live>) -> std::io::Result<()> {
    let listener = connection::bind(config.listen)?;
    if let Some(address) = config.admin_listen {
        let admin = connection::bind(address)?;
        tokio::spawn(admin::serve(admin, Arc::clone(&live)));
    }
    let serving = live.epoch().generation().id().to_string();
    tracing::info!(address = %config.listen, generation = serving, "serving");
    let limits = Limits { max_connections: config.max_connections, ..Limits::default() };
    tokio::spawn(live::follow(Arc::clone(&live)));
    let delay = std::time::Duration::from_secs(config.drain_delay);
    let told = Arc::clone(&live);
    let shutdown = async move {
        terminated().await;
        told.drain();
        tracing::info!("ending");
        tokio::time::sleep(delay).await;
    };
    serve(listener, live, limits, shutdown).await;
    Ok(())
}

/// Serves the live state on a listener until `shutdown` resolves, then drains.
pub async fn serve(
    listener: TcpListener,
    live: Arc<Live>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let counters = Arc::clone(&live.metrics.connections);
    connection::serve(listener, http::service(live), limits, counters, shutdown).await;
}

/// Resolves when the process is asked to end.
pub async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        },
        _ => std::future::pending().await,
    }
}
