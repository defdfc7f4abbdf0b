//! Preview: builds into a folder of its own, serves that, and builds again whenever a file of the
//! dataset changes. Broken data is reported; the last good snapshot keeps serving.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anstyle::Style;
use edge::connection::{self, Limits};
use edge::epoch::Setting;
use edge::live::Live;
use notify::{RecursiveMode, Watcher};
use snapshot::time::Day;

use crate::cli::Preview;
use crate::commands::{Failure, fail, generate_failure, input, load, today};
use crate::diagnostics::MessageFormat;
use crate::encode::Effort;
use crate::generate::{Options, generate};
use crate::progress::Progress;

/// Editors write in several steps: a build waits until nothing changed for this long.
const QUIET: Duration = Duration::from_millis(200);
/// Memory for bodies of files.
const BODY_CACHE: u64 = 64 << 20;

/// Builds, serves and watches until the process is asked to end.
pub fn preview(options: &Preview) -> Result<(), Failure> {
    let root = tempfile::tempdir().map_err(|error| fail(Failure::Output, error))?;
    let build = Options {
        out: root.path().to_owned(),
        base_url: format!("http://{}", options.listen),
        as_of: today(),
        jobs: 0,
        effort: Effort::None,
        index_only: false,
    };
    rebuild(options.data.as_deref(), &build)?;
    let live = open(&build, options.listen)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| fail(Failure::Output, error))?;
    runtime.block_on(serve(options, build, live))
}

fn open(build: &Options, listen: SocketAddr) -> Result<Arc<Live>, Failure> {
    let hosts = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
    let setting = Setting {
        frozen: false,
        body_cache: BODY_CACHE,
        hosts: if listen.ip().is_loopback() { hosts.into() } else { Vec::new() },
    };
    let live = Live::open(build.out.clone(), Day::new(build.as_of), setting);
    live.map(Arc::new).map_err(|error| fail(Failure::Verification, error))
}

async fn serve(options: &Preview, build: Options, live: Arc<Live>) -> Result<(), Failure> {
    let listener = connection::bind(options.listen).map_err(|error| fail(Failure::Output, error))?;
    greet(options);
    if let Some(data) = options.data.clone() {
        let live = Arc::clone(&live);
        std::thread::spawn(move || watch(&data, &build, &live));
    }
    tokio::spawn(edge::live::follow(Arc::clone(&live)));
    let limits = Limits { drain: Duration::from_secs(1), ..Limits::default() };
    edge::serve(listener, live, limits, edge::terminated()).await;
    Ok(())
}

/// Tells what to open.
fn greet(options: &Preview) {
    let bold = Style::new().bold();
    let base = format!("http://{}", options.listen);
    anstream::println!("\nserving {bold}{base}{bold:#}  (Ctrl-C ends it)\n");
    for (what, path) in [
        ("search", "/api/v1/search?q=fellowship&open=true"),
        ("record", "/api/v1/programs/graduate-research-fellowship-program"),
        ("facet", "/api/v1/facets/topics"),
        ("export", "/api/v1/exports/latest?format=csv"),
        ("contract", "/api/v1/openapi.json"),
    ] {
        anstream::println!("  {what:<10} curl '{base}{path}'");
    }
    match &options.data {
        Some(data) => anstream::println!("\nwatching {}", data.display()),
        None => anstream::println!("\nthis is the embedded sample; --data DIR shows your own"),
    }
}

fn rebuild(data: Option<&Path>, build: &Options) -> Result<(), Failure> {
    let progress = Progress::new(false);
    let loaded = match load(&input(data), MessageFormat::Human, &progress) {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return Err(Failure::Data),
        Err(error) => return Err(fail(Failure::Input, error)),
    };
    let published = generate(&loaded.directory, loaded.source, build, &progress);
    published.map(drop).map_err(|error| generate_failure(&error))
}

/// Builds again after every change, for ever.
fn watch(data: &Path, build: &Options, live: &Live) {
    let (sender, changes) = channel();
    let watcher = notify::recommended_watcher(move |event| {
        let _ = sender.send(event);
    });
    let watching = watcher.and_then(|mut watcher: notify::RecommendedWatcher| {
        watcher.watch(data, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let _watcher = match watching {
        Ok(watcher) => watcher,
        Err(error) => {
            fail(Failure::Input, format_args!("cannot watch {}: {error}", data.display()));
            return;
        }
    };
    while wait_for_change(&changes) {
        anstream::eprintln!("\nthe data changed");
        let build = Options { as_of: today(), ..build.clone() };
        match rebuild(Some(data), &build) {
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
