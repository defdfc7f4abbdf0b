//! Synthetic directories and their snapshots, for the benchmarks.

use std::path::Path;

use dataset::Input;
use edge::OpenGeneration;
use site::BuildOptions;
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::time::Day;
use store::Digest;
use tests::snapshots;
use tests::synth::{self, TODAY};

const SEED: u64 = 1;

/// A synthetic directory; its files are kept between runs.
pub fn directory(programs: usize) -> Directory {
    let folder = std::env::temp_dir().join(format!("opdir-synth-{programs}"));
    if !folder.join("done").exists() {
        synth::write(&folder, &synth::Options { programs, seed: SEED })
            .expect("the temporary folder is writable");
        std::fs::write(folder.join("done"), "").expect("the temporary folder is writable");
    }
    load(&Input::Folder(folder))
}

/// A directory that has no errors.
pub fn load(input: &Input<'_>) -> Directory {
    snapshots::load(input).0
}

/// Publishes a directory under a folder, where an edge finds it.
pub fn publish(directory: &Directory, out: &Path, index_only: bool) {
    let base_url = "http://127.0.0.1".to_owned();
    let options = BuildOptions { base_url, as_of: TODAY, index_only, ..snapshots::options(out) };
    snapshots::build(directory, Digest([0; 32]), &options);
}

/// The site that was published under a folder, on the day it was built; mapped, as an edge has it.
pub fn site(out: &Path) -> (Site, Dated) {
    let site = OpenGeneration::open(out).expect("it was just published").site;
    let dated = site.dated(Day::new(TODAY));
    (site, dated)
}
