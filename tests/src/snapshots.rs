//! Snapshots on disk, as tests build them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use dataset::diagnostics::{Diagnostics, MessageFormat};
use dataset::{Input, link, read};
use edge::Server;
use jiff::civil::Date;
use site::Progress;
use site::{BuildOptions, generate};
use snapshot::record::Directory;
use snapshot::time::Day;
use store::{Coding, Digest, Generation, PublishOutcome};
use tempfile::TempDir;

use crate::synth::TODAY;

pub use crate::folder::folder;

/// The day that snapshots of these tests are right for.
pub const AS_OF: Date = TODAY;
/// The host that the edges of these tests answer for.
pub const HOST: &str = "directory.example";

/// Reads a dataset that has no errors.
pub fn load(input: &Input<'_>) -> (Directory, Digest) {
    let mut report = Diagnostics::new();
    let tables = read(input, &mut report).unwrap();
    let source = Digest(tables.source_sha256);
    let directory = link(tables, &mut report);
    let problems = || report.print(MessageFormat::Human, &mut std::io::stderr());
    (directory.unwrap_or_else(|| panic!("the dataset has errors: {:?}", problems())), source)
}

/// How the snapshots of these tests are built.
pub fn options(out: &Path) -> BuildOptions {
    BuildOptions {
        out: out.to_owned(),
        base_url: format!("https://{HOST}"),
        as_of: AS_OF,
        jobs: 0,
        index_only: false,
        templates: None,
    }
}

/// Builds a snapshot.
pub fn build(directory: &Directory, source: Digest, options: &BuildOptions) -> PublishOutcome {
    generate(directory, source, options, &Progress::new(true)).unwrap()
}

/// Every file below a folder.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(folder).unwrap().to_owned();
        (path, std::fs::read(entry.path()).unwrap())
    };
    files.map(file).collect()
}

/// Every body of the live generation of a root, by its path.
pub fn bodies(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let generation = Generation::open_current(root).unwrap();
    let pages = generation.files().entries();
    pages.map(|entry| (entry.path().to_owned(), generation.read(entry, Coding::Identity).unwrap())).collect()
}

/// All that a root holds: the files, and the bodies in their archive.
pub fn contents(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let bodies = bodies(root).into_iter().map(|(path, body)| (Path::new("/").join(path), body));
    files(root).into_iter().chain(bodies).collect()
}

/// The sample, published into a folder and opened without a server; once, and kept.
pub fn sample() -> &'static Arc<Server> {
    static SAMPLE: LazyLock<(TempDir, Arc<Server>)> = LazyLock::new(|| {
        let folder = folder();
        let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
        build(&directory, source, &options(folder.path()));
        let server = open(folder.path(), 64 << 20);
        (folder, server)
    });
    &SAMPLE.1
}

/// Opens what was published in a folder, for [`AS_OF`] and for ever. Computed answers are not kept: what
/// is said twice was computed twice.
/// The rate of tool calls is not limited.
pub fn open(folder: &Path, body_cache: u64) -> Arc<Server> {
    Server::open(edge::Options { body_cache, ..frozen(folder, Day::new(AS_OF)) }).unwrap()
}

/// Options of an edge whose day never ends.
pub fn frozen(folder: &Path, day: Day) -> edge::Options {
    let mcp = mcp::Config { rate_per_minute: 0, ..mcp::Config::default() };
    edge::Options { frozen: true, mcp, ..edge::Options::new(folder.to_owned(), day) }
}
