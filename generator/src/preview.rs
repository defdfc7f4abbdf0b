//! Preview: builds into a folder of its own, serves that, and builds again whenever a file of the
//! dataset or of the templates changes. Broken data is reported; the last good snapshot keeps serving.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anstyle::Style;
use edge::connection::{self, Limits};
use edge::epoch::Setting;
use edge::live::Live;
use notify::{RecursiveMode, Watcher};
use snapshot::time::Day;
use tokio::net::TcpListener;

use crate::cli::Preview;
use crate::diagnostics::{Diagnostics, MessageFormat, Telling};
use crate::encode::Effort;
use crate::failure::{Failure, fail, generate_failure};
use crate::generate::{Options, Storage, generate};
use crate::load::{input, load, print, today};
use crate::progress::Progress;

/// Editors write in several steps: a build waits until nothing changed for this long.
const QUIET: Duration = Duration::from_millis(200);
/// Memory for bodies of files.
const BODY_CACHE: u64 = 64 << 20;

/// Builds, serves and watches until the process is asked to end. The address is taken first: that it
/// is in use should not be learnt after a long build.
///
/// # Errors
///
/// If the port cannot be listened on, the folders cannot be watched, or the first build cannot be made.
pub fn preview(options: &Preview) -> Result<(), Failure> {
    let unfit = |error: std::io::Error| fail(Failure::Output, error);
    let runtime = tokio::runtime::Runtime::new().map_err(unfit)?;
    let listener = runtime.block_on(async { connection::bind(options.listen) }).map_err(unfit)?;
    let address = reachable(listener.local_addr().map_err(unfit)?);
    let root = tempfile::Builder::new().prefix("opdir-preview-").tempdir().map_err(unfit)?;
    let build = Options {
        out: root.path().to_owned(),
        base_url: format!("http://{address}"),
        as_of: today(),
        jobs: 0,
        effort: Effort::None,
        layout: Storage::Pack,
        recipe: None,
        index_only: false,
        templates: options.templates.clone(),
    };
    // Before the first build, so that no change is missed. What is no folder, the build complains of.
    let folders: Vec<&Path> =
        [&options.data, &options.templates].into_iter().flatten().map(PathBuf::as_path).collect();
    let watched: Vec<&Path> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
    let changes = (!watched.is_empty()).then(|| changes_of(&watched)).transpose()?;
    rebuild(options.data.as_deref(), &build)?;
    let live = open(&build)?;
    let ended = {
        let _runtime = runtime.enter();
        edge::terminated()
    };
    greet(options, &build.base_url);
    if let Some(changes) = changes {
        let (data, live) = (options.data.clone(), Arc::clone(&live));
        std::thread::spawn(move || follow(data.as_deref(), &changes, &build, &live));
    }
    runtime.block_on(serve(live, listener, ended))
}

/// Where a browser on this machine finds a listener: one on every address is at the loopback one too.
fn reachable(listening: SocketAddr) -> SocketAddr {
    match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listening.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, listening.port()).into(),
        _ => listening,
    }
}

fn open(build: &Options) -> Result<Arc<Live>, Failure> {
    let setting = Setting {
        frozen: false,
        body_cache: BODY_CACHE,
        hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into(),
    };
    let live = Live::open(build.out.clone(), Day::new(build.as_of), setting);
    live.map(Arc::new).map_err(|error| fail(Failure::Verification, error))
}

async fn serve(
    live: Arc<Live>,
    listener: TcpListener,
    ended: impl Future<Output = ()>,
) -> Result<(), Failure> {
    tokio::spawn(edge::live::follow(Arc::clone(&live)));
    // A browser keeps its connections; who ends a preview does not want to wait for it.
    let limits = Limits { parting: Duration::ZERO, drain: Duration::from_secs(1), ..Limits::default() };
    let mcp = edge::mcp::Config { rate_per_minute: 0, ..edge::mcp::Config::default() };
    let server = edge::server(live, mcp, edge::client::Proxies::default());
    let server = server.map_err(|error| fail(Failure::Verification, error))?;
    edge::serve(listener, server, limits, ended).await;
    Ok(())
}

/// Tells what to open.
fn greet(options: &Preview, base: &str) {
    let bold = Style::new().bold();
    anstream::println!("\nserving {bold}{base}{bold:#}  (Ctrl-C ends it)\n");
    for (what, path) in [
        ("search", "/api/v1/search?q=fellowship&open=true"),
        ("record", "/api/v1/programs/graduate-research-fellowship-program"),
        ("facet", "/api/v1/facets/topics"),
        ("export", "/api/v1/exports/latest?format=csv"),
        ("contract", "/api/v1/openapi.json"),
    ] {
        // The one record that is named here is the sample's.
        if what != "record" || options.data.is_none() {
            anstream::println!("  {what:<10} curl '{base}{path}'");
        }
    }
    match &options.data {
        Some(data) => anstream::println!("\nwatching {}", data.display()),
        None => anstream::println!("\nthis is the embedded sample; --data DIR shows your own"),
    }
}

fn rebuild(data: Option<&Path>, build: &Options) -> Result<(), Failure> {
    let progress = Progress::new(false);
    let tell = |report: &Diagnostics| {
        // What is doubtful in the sample is not the business of who only looks at it.
        if data.is_some() || report.error_count() > 0 {
            print(report, Telling::new(MessageFormat::Human));
        }
    };
    let loaded = match load(&input(data), tell, &progress) {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return Err(Failure::Data),
        Err(error) => return Err(fail(Failure::Input, error)),
    };
    let published = generate(&loaded.directory, loaded.source, build, &progress);
    published.map(drop).map_err(|error| generate_failure(&error))
}

/// What happens in folders, told while this is kept.
struct Changes {
    events: Receiver<notify::Result<notify::Event>>,
    _watcher: notify::RecommendedWatcher,
}

fn changes_of(folders: &[&Path]) -> Result<Changes, Failure> {
    let (sender, events) = channel();
    let watcher = notify::recommended_watcher(move |event| {
        let _ = sender.send(event);
    });
    let watching = watcher.and_then(|mut watcher: notify::RecommendedWatcher| {
        folders.iter().try_for_each(|folder| watcher.watch(folder, RecursiveMode::Recursive))?;
        Ok(watcher)
    });
    match watching {
        Ok(watcher) => Ok(Changes { events, _watcher: watcher }),
        Err(error) => Err(fail(Failure::Input, format_args!("cannot watch for changes: {error}"))),
    }
}

/// Builds again after every change, for ever.
fn follow(data: Option<&Path>, changes: &Changes, build: &Options, live: &Live) {
    while wait_for_change(&changes.events) {
        anstream::eprintln!("\nfiles changed");
        let build = Options { as_of: today(), ..build.clone() };
        match rebuild(data, &build) {
            Ok(()) => {
                live.refresh();
                anstream::eprintln!("serving the new snapshot");
            }
            Err(_) => anstream::eprintln!("still serving the last good snapshot"),
        }
    }
}

/// Waits until something was written and then nothing more; false when nobody watches any more.
fn wait_for_change(changes: &Receiver<notify::Result<notify::Event>>) -> bool {
    let writes = |event: &notify::Result<notify::Event>| {
        event.as_ref().is_ok_and(|event| !event.kind.is_access() && !event.kind.is_other())
    };
    loop {
        match changes.recv() {
            Ok(event) if writes(&event) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    loop {
        match changes.recv_timeout(QUIET) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
