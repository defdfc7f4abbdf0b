//! Preview: serves at once, builds into a folder of its own, and builds again whenever a file of the
//! dataset or of the templates changes. Open pages reload by themselves. Errors in the data are reported in the
//! terminal and in the browser; the last good snapshot keeps serving.

mod middleware;
mod status;
mod watch;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anstyle::Style;
pub(crate) use edge::Command as EdgeCommand;
use edge::Server;
use net::connection::{self, Limits};
use net::precheck::Hosts;
use snapshot::time::Day;
use tokio::runtime::{Handle, Runtime};

use crate::cli::Preview;
use crate::exit_codes::{Failure, fail, generate_failure};
use crate::load::{input, load, print, today};
use dataset::diagnostics::{Diagnostics, MessageFormat};
use dataset::text::counted;
use dataset::{Input, InputError};
use import::ImportError;
use site::{BuildOptions, Progress, generate};

use status::{Status, Trouble};
use watch::Changes;

/// Memory for bodies of files.
const BODY_CACHE: u64 = 64 << 20;
/// How many kinds of problems a page shows.
const SHOWN: usize = 20;

/// The server, once there is a first snapshot.
type Serving = Arc<OnceLock<Arc<Server>>>;

/// Builds, serves and watches until the process is stopped. The address is bound first: an address in use
/// should be reported before a long build, not after it.
pub(crate) fn preview(options: &Preview) -> Result<(), Failure> {
    let unfit = |error: io::Error| fail(Failure::Output, error);
    let runtime = Runtime::new().map_err(unfit)?;
    let listener = runtime.block_on(async { connection::bind(options.listen) }).map_err(unfit)?;
    let address = reachable(listener.local_addr().map_err(unfit)?);
    let root = tempfile::Builder::new().prefix("opdir-preview-").tempdir().map_err(unfit)?;
    let build = BuildOptions {
        out: root.path().to_owned(),
        base_url: format!("http://{address}"),
        as_of: today(),
        jobs: 0,
        index_only: false,
        templates: options.templates.clone(),
    };
    // Before the first build, so that no change is missed.
    let changes = watched(options)?;
    let status = Arc::new(Status::new());
    let serving = Serving::default();
    let maker = Maker {
        data: options.data.clone(),
        open: options.open,
        build,
        status: Arc::clone(&status),
        serving: Arc::clone(&serving),
        runtime: runtime.handle().clone(),
    };
    let ended = {
        let _runtime = runtime.enter();
        edge::terminated()
    };
    std::thread::spawn(move || maker.run(changes));
    runtime.block_on(async move {
        let stopped = Arc::clone(&status);
        let shutdown = async move {
            ended.await;
            stopped.end();
        };
        // A browser keeps its connections; who ends a preview does not want to wait for it.
        let limits = Limits { parting: Duration::ZERO, drain: Duration::from_secs(1), ..Limits::DEFAULT };
        let service = middleware::service(status, Hosts::new(hosts()), serving);
        connection::serve(listener, service, limits, Arc::default(), shutdown).await;
    });
    Ok(())
}

/// Names of this machine, which are all that a preview answers for.
fn hosts() -> Vec<String> {
    ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into()
}

/// Where a browser on this machine finds a listener: one on every address is at the loopback one too.
fn reachable(listening: SocketAddr) -> SocketAddr {
    match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listening.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, listening.port()).into(),
        _ => listening,
    }
}

/// Watches the folders that were named, if any was.
fn watched(options: &Preview) -> Result<Option<Changes>, Failure> {
    let folders: Vec<PathBuf> = [&options.data, &options.templates].into_iter().flatten().cloned().collect();
    if let Some(error) = options.data.as_deref().and_then(InputError::unless_folder) {
        return Err(fail(Failure::Input, error));
    }
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(fail(Failure::Input, format_args!("there is no folder {}", missing.display())));
    }
    Ok((!folders.is_empty()).then(|| Changes::of(folders)))
}

/// Makes snapshots and has them served.
struct Maker {
    data: Option<PathBuf>,
    open: bool,
    build: BuildOptions,
    status: Arc<Status>,
    serving: Serving,
    runtime: Handle,
}

impl Maker {
    /// Builds, and builds again after every change, for ever.
    fn run(&self, changes: Option<Changes>) {
        let first = self.make(&self.build);
        self.greet(first);
        let Some(mut changes) = changes else { return };
        loop {
            changes.wait();
            anstream::eprintln!("\nfiles changed");
            self.status.begin();
            if self.make(&BuildOptions { as_of: today(), ..self.build.clone() }) {
                anstream::eprintln!("serving the new snapshot");
            } else if self.serving.get().is_some() {
                anstream::eprintln!("still serving the last good snapshot");
            } else {
                anstream::eprintln!("still serving what is wrong");
            }
        }
    }

    /// Builds and serves, or reports why it cannot; true when it serves.
    fn make(&self, build: &BuildOptions) -> bool {
        let made = rebuild(self.data.as_deref(), build).and_then(|()| self.serve(build));
        let is_good = made.is_ok();
        self.status.settle(made);
        is_good
    }

    /// Serves the last build; returns the name of its generation.
    fn serve(&self, build: &BuildOptions) -> Result<String, Trouble> {
        let unfit = |error: &dyn std::fmt::Display| {
            fail(Failure::Verification, error);
            Trouble::of("The snapshot cannot be served", error)
        };
        let server = match self.serving.get() {
            Some(server) => {
                server.refresh();
                server
            }
            None => {
                let options = edge::Options {
                    body_cache: BODY_CACHE,
                    hosts: hosts(),
                    mcp: mcp::Config { rate_per_minute: 0, ..mcp::Config::default() },
                    ..edge::Options::new(build.out.clone(), Day::new(build.as_of))
                };
                let server = Server::open(options).map_err(|error| unfit(&error))?;
                let _runtime = self.runtime.enter();
                self.runtime.spawn(edge::follow(Arc::clone(&server)));
                self.serving.get_or_init(|| server)
            }
        };
        match server.failed_reload() {
            Some(failure) => Err(unfit(&failure.reason)),
            None => Ok(server.state().generation().id().to_string()),
        }
    }

    /// Prints the addresses to open, and opens the start page with `--open`.
    fn greet(&self, good: bool) {
        let (bold, base) = (Style::new().bold(), &self.build.base_url);
        anstream::println!("\nserving {bold}{base}{bold:#}  (Ctrl-C ends it)\n");
        if !good {
            anstream::println!("  what is wrong, until it is mended: then the site");
        }
        match &self.data {
            Some(data) => anstream::println!("\nwatching {}", data.display()),
            None => anstream::println!("\nthis is the embedded sample; --data DIR shows your own"),
        }
        if self.open
            && let Err(error) = open_in_browser(base)
        {
            anstream::eprintln!("no browser could be opened: {error}");
        }
    }
}

/// In a process group of its own, so that Ctrl-C ends the preview and not the browser.
fn open_in_browser(address: &str) -> io::Result<()> {
    let mut opener = Command::new(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let opener = opener.arg(address).process_group(0);
    opener.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

impl Trouble {
    fn of(title: &str, error: &dyn std::fmt::Display) -> Self {
        Self { title: format!("{title}: {error}"), problems: Vec::new(), more: 0 }
    }

    /// The errors of a report, without its warnings.
    fn found(report: &Diagnostics) -> Self {
        let (problems, more) = report.errors(SHOWN);
        Self { title: format!("{} in the data", counted(report.error_count(), "error")), problems, more }
    }
}

/// Builds from the dataset as the next import would write it, if it has a mapping whose sheets can be read: who edits a
/// sheet sees what becomes of it, and no file of the dataset changes.
fn rebuild(data: Option<&Path>, build: &BuildOptions) -> Result<(), Trouble> {
    let (progress, mut report) = (Progress::new(false), Diagnostics::new());
    let imported = data.filter(|data| data.join(import::FILE).exists()).and_then(|data| {
        let imported = import::import(data, &[], None, &mut report);
        if let Err(error) = &imported
            && !matches!(error, ImportError::Data)
        {
            anstream::eprintln!("the dataset as it is, as its sheets cannot be read: {error}");
        }
        Some((data, imported.ok()?))
    });
    let input = match &imported {
        Some((data, imported)) => Input::Overlaid((*data).to_owned(), &imported.files),
        None => input(data),
    };
    let loaded = load(&input, &mut report, &progress);
    if let Some((data, imported)) = &imported {
        imported.relocate(data, &mut report);
    }
    // Warnings about the embedded sample are of no use to its reader.
    if data.is_some() || report.error_count() > 0 {
        print(&report, MessageFormat::Human.into());
    }
    let loaded = loaded.map_err(|error| {
        fail(Failure::Input, &error);
        Trouble::of("The data cannot be read", &error)
    })?;
    let loaded = loaded.ok_or_else(|| Trouble::found(&report))?;
    let published = generate(&loaded.directory, loaded.source, build, &progress);
    published.map(drop).map_err(|error| {
        let trouble = Trouble::of("The pages cannot be made", &error);
        generate_failure(error);
        trouble
    })
}
