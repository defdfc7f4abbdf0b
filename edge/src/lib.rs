#![doc = include_str!("../README.md")]
// A stranger's bytes reach this crate: nothing outside its tests may end a thread on purpose.
#![cfg_attr(not(test), warn(clippy::expect_used, clippy::panic))]

pub mod admin;
pub mod answer;
pub mod beside;
pub mod bodies;
mod build_id;
pub mod cache;
pub mod cache_control;
pub mod clock;
pub mod config;
pub mod log;
pub mod reload;
pub mod representation;
pub mod serving_state;

pub mod follower;
pub mod metrics;
pub mod reload_retry;
pub mod reply;
pub mod route;
pub mod service;
pub mod site_pages;

use std::process::ExitCode;
use std::sync::Arc;

use remote::{ErrorClass, RemoteError};
use snapshot::store::StoreError;
use tokio::net::TcpListener;

use crate::config::{Action, Command, Config};
use crate::follower::{Follower, Prefetch};
use crate::reload::Live;
use crate::service::Server;
use crate::serving_state::{OpenError, Opened};
use mcp::Mcp;
use net::connection::Limits;
use net::sockets::Inherited;

/// Exit code of a snapshot that is not there or cannot be read.
const UNREADABLE: u8 = 3;
/// Exit code of a snapshot that is not as it was published.
const UNVERIFIED: u8 = 5;
/// Exit code of an address that cannot be listened on.
const NOT_LISTENING: u8 = 4;

/// Runs the program with the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    let (command, matches) = Command::read();
    log::start(command.serve.as_ref().map(|config| config.log).unwrap_or_default());
    match (command.action, command.serve) {
        (Some(Action::Check { root }), _) => check(&root),
        (None, Some(config)) if config.print_config => print(&config.text(&matches)),
        (None, Some(config)) if config.body_disk.is_some() && config.fetch != Prefetch::Lazy => {
            fail(2, "--body-disk is for --fetch lazy: otherwise all bodies are fetched")
        }
        (None, Some(config)) => match Inherited::take() {
            Ok(inherited) => serve_for_ever(config, inherited),
            Err(error) => fail(NOT_LISTENING, &format!("cannot take the sockets of LISTEN_FDS: {error}")),
        },
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
        Err(error) => refuse(&error),
    }
}

/// Says why there is nothing to serve.
fn refuse(error: &OpenError) -> ExitCode {
    let code = match error {
        OpenError::Store(
            StoreError::Io { .. } | StoreError::Unpublished { .. } | StoreError::BodyUnavailable { .. },
        ) => UNREADABLE,
        _ => UNVERIFIED,
    };
    fail(code, &error.to_string())
}

fn serve_for_ever(config: Config, inherited: Inherited) -> ExitCode {
    let config = Config { listen: inherited.address().unwrap_or(config.listen), ..config };
    let source = match config.follows().and_then(|source| source.map(begun).transpose()) {
        Ok(source) => source,
        Err(error) => return fail(code_of(&error), &error.to_string()),
    };
    let (root, day) = (config.snapshot.clone(), config.day());
    let live = match Live::open_following(root, day, config.setting(), config.copy_index, source) {
        Ok(live) => Arc::new(live.serving(config.serving())),
        Err(error) => return refuse(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(NOT_LISTENING, &format!("cannot start threads: {error}")),
    };
    let server = match server(live, config.mcp(), config.proxies()) {
        Ok(server) => server,
        Err(error) => return fail(UNVERIFIED, &format!("the tool contract cannot be read: {error}")),
    };
    match runtime.block_on(run_server(&config, inherited, server)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(NOT_LISTENING, &error.to_string()),
    }
}

/// A store, once there is something of it to serve.
fn begun(source: Follower) -> Result<Arc<Follower>, RemoteError> {
    source.begin()?;
    Ok(Arc::new(source))
}

fn code_of(error: &RemoteError) -> u8 {
    match error.class() {
        ErrorClass::Usage => 2,
        ErrorClass::Unreadable | ErrorClass::Unwritable => UNREADABLE,
        ErrorClass::Unverified | ErrorClass::Conflict => UNVERIFIED,
    }
}

async fn run_server(config: &Config, inherited: Inherited, server: Arc<Server>) -> std::io::Result<()> {
    let terminated = terminated();
    let (listener, admin) = inherited.or_bind(config.listen, config.admin_listen)?;
    let live = Arc::clone(&server.live);
    if let Some(admin) = admin {
        tokio::spawn(admin::serve(admin, Arc::clone(&live)));
    }
    tokio::spawn(reload::follow(Arc::clone(&live)));
    if let Some(source) = &live.source {
        Arc::clone(source).follow()?;
    }
    let address = listener.local_addr().unwrap_or(config.listen);
    let generation = live.epoch().generation().id().to_string();
    tracing::info!(%address, generation, "serving");
    let limits = Limits { max_connections: config.max_connections(), ..Limits::default() };
    net::sockets::ready();
    let delay = std::time::Duration::from_secs(config.drain_delay);
    let shutdown = async move {
        terminated.await;
        net::sockets::stopping();
        live.drain();
        tracing::info!("ending");
        tokio::time::sleep(delay).await;
    };
    serve(listener, server, limits, shutdown).await;
    Ok(())
}

/// Puts together what answers requests.
///
/// # Errors
///
/// If the embedded contract of the tool endpoint cannot be read, which its tests rule out.
pub fn server(
    live: Arc<Live>,
    mcp: mcp::Config,
    proxies: net::client::Proxies,
) -> Result<Arc<Server>, serde_json::Error> {
    Ok(Arc::new(Server { live, mcp: Mcp::new(mcp)?, proxies, started: std::time::Instant::now() }))
}

/// Serves on a listener until `shutdown` resolves, then drains.
pub async fn serve(
    listener: TcpListener,
    server: Arc<Server>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let counters = Arc::clone(&server.live.metrics.connections);
    net::connection::serve(listener, service::service(server), limits, counters, shutdown).await;
}

/// Resolves when the process is asked to end. From the call on, not only once it is awaited, being asked does
/// not kill the process. Must be called inside a tokio runtime.
pub fn terminated() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async move {
        match signals {
            (Ok(mut terminate), Ok(mut interrupt)) => tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            },
            _ => std::future::pending().await,
        }
    }
}
