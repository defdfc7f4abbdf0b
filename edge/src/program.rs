//! The program `opdir-edge`: its commands, and serving until a signal to end.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use net::connection::Limits;
use net::sockets::{InheritedSockets, NotifyState, notify};
use remote::{ErrorClass, RemoteError};
use store::StoreError;
use tokio::net::TcpListener;
use warp::Filter as _;

use crate::config::{Action, Command, Config};
use crate::follower::Follower;
use crate::log_lines::LINES;
use crate::routes::{self, error_response, routes, service};
use crate::server::Server;
use crate::serving_state::{OpenError, OpenGeneration};
use crate::{log, reload};

/// Exit code of wrong flags.
const USAGE: u8 = 2;
/// Exit code of a snapshot that is missing or cannot be read.
const UNREADABLE: u8 = 3;
/// Exit code of an address that cannot be listened on.
const NOT_LISTENING: u8 = 4;
/// Exit code of a snapshot that is not as it was published.
const UNVERIFIED: u8 = 5;

/// Few connections at a time, which are free again soon: clients that ask rarely connect anew.
const ADMIN_LIMITS: Limits = Limits {
    max_connections: 64,
    request: Duration::from_secs(5),
    idle: Duration::from_secs(5),
    ..Limits::DEFAULT
};

/// Runs the program with the process's arguments.
pub fn run() -> ExitCode {
    let (command, matches) = Command::read();
    log::start(command.serve.as_ref().map(|config| config.log).unwrap_or_default());
    let code = run_command(command, &matches);
    LINES.finish();
    code
}

fn run_command(command: Command, matches: &ArgMatches) -> ExitCode {
    match (command.action, command.serve) {
        (Some(Action::Check { root }), _) => check(&root),
        (None, Some(config)) if config.print_config => print(&config.text(matches)),
        (None, Some(config)) => match InheritedSockets::take() {
            Ok(inherited) => serve_config(config, inherited).err().unwrap_or(ExitCode::SUCCESS),
            Err(error) => fail(NOT_LISTENING, &format!("cannot take the sockets of LISTEN_FDS: {error}")),
        },
        (None, None) => fail(USAGE, "nothing to do; see --help"),
    }
}

fn print(text: &str) -> ExitCode {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn fail(code: u8, message: &str) -> ExitCode {
    log::print(message);
    ExitCode::from(code)
}

fn check(root: &Path) -> ExitCode {
    match OpenGeneration::open(root) {
        Ok(OpenGeneration { generation, .. }) => {
            let (id, manifest) = (generation.id(), generation.manifest());
            let (programs, as_of) = (manifest.counts.programs, manifest.as_of);
            print(&format!("{id}: {programs} programs, as of {as_of}, for {}", manifest.base_url))
        }
        Err(error) => fail_to_open(&error),
    }
}

fn fail_to_open(error: &OpenError) -> ExitCode {
    let code = match error {
        OpenError::Store(StoreError::Io { .. } | StoreError::Unpublished { .. }) => UNREADABLE,
        _ => UNVERIFIED,
    };
    fail(code, &error.to_string())
}

fn serve_config(config: Config, inherited: InheritedSockets) -> Result<(), ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| fail(NOT_LISTENING, &format!("cannot start threads: {error}")))?;
    runtime.block_on(survive_long_files());
    let config = Config { listen: inherited.address().unwrap_or(config.listen), ..config };
    let source = config.source().map_err(|error| fail_remotely(&error))?.map(Arc::new);
    // Waits until there is a generation to serve.
    source.as_ref().map_or(Ok(()), |source| source.begin()).map_err(|error| fail_remotely(&error))?;
    let server = open_server(&config, source.as_ref())?;
    // The server outlives its tasks: a follower ends its own runtime, which no task may do.
    let served = runtime.block_on(run_server(&config, inherited, Arc::clone(&server)));
    served.map_err(|error| fail(NOT_LISTENING, &error.to_string()))
}

/// Opens what is in the root; from its store, where it is damaged.
fn open_server(config: &Config, source: Option<&Arc<Follower>>) -> Result<Arc<Server>, ExitCode> {
    let open = || Server::open(config.options(source.cloned()));
    open().or_else(|error| match source.map(|source| source.repair(&error.to_string())) {
        Some(Ok(true)) => open().map_err(|error| fail_to_open(&error)),
        Some(Err(error)) => Err(fail_remotely(&error)),
        _ => Err(fail_to_open(&error)),
    })
}

/// From here on a file that exceeds the limit on file sizes is an error of its write, and does not end the process.
async fn survive_long_files() {
    use tokio::signal::unix::{SignalKind, signal};
    if signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).is_err() {
        tracing::warn!("a limit on file sizes would end this process");
    }
}

fn fail_remotely(error: &RemoteError) -> ExitCode {
    let code = match error.class() {
        ErrorClass::Usage => USAGE,
        ErrorClass::Unreadable | ErrorClass::Unwritable => UNREADABLE,
        ErrorClass::Unverified | ErrorClass::Conflict => UNVERIFIED,
    };
    fail(code, &error.to_string())
}

async fn run_server(
    config: &Config,
    inherited: InheritedSockets,
    server: Arc<Server>,
) -> std::io::Result<()> {
    let terminated = terminated();
    let (listener, admin) = inherited.or_bind(config.listen, config.admin_listen)?;
    let admin_address = admin.as_ref().and_then(|admin| admin.local_addr().ok()).map(tracing::field::display);
    if let Some(admin) = admin {
        tokio::spawn(serve_admin(admin, Arc::clone(&server)));
    }
    tokio::spawn(reload::follow(Arc::clone(&server)));
    if let Some(source) = &server.options.source {
        Arc::clone(source).follow()?;
    }
    let address = listener.local_addr().unwrap_or(config.listen);
    let generation = server.state().generation().id().to_string();
    let hosts = server.state().hosts.to_string();
    tracing::info!(%address, generation, admin = admin_address, hosts, "serving");
    let limits = Limits { max_connections: config.max_connections(), ..Limits::DEFAULT };
    notify(NotifyState::Ready);
    let (draining, delay) = (Arc::clone(&server), Duration::from_secs(config.drain_delay));
    let shutdown = async move {
        terminated.await;
        notify(NotifyState::Stopping);
        draining.drain();
        tracing::info!("ending");
        tokio::time::sleep(delay).await;
    };
    serve(listener, server, limits, shutdown).await;
    Ok(())
}

/// Serves the admin listener until the process ends.
pub async fn serve_admin(listener: TcpListener, server: Arc<Server>) {
    let service = service(routes::admin(server));
    net::connection::serve(listener, service, ADMIN_LIMITS, Arc::default(), std::future::pending()).await;
}

/// Serves on a listener until `shutdown` resolves, then drains.
pub async fn serve(
    listener: TcpListener,
    server: Arc<Server>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let counters = Arc::clone(&server.metrics.connections);
    let routes = routes(move || Some(Arc::clone(&server))).recover(error_response).unify();
    let service = service(routes);
    net::connection::serve(listener, service, limits, counters, shutdown).await;
}

/// Resolves at SIGTERM or SIGINT. From the call on, not only once it is awaited, these signals do not kill the
/// process. Must be called inside a tokio runtime.
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
