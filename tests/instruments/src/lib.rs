//! Synthetic directories and their snapshots, for the benchmarks.

use std::path::Path;

use dataset::diagnostics::Diagnostics;
use dataset::{Input, link, read};
use edge::OpenGeneration;
use site::Progress;
use site::{BuildOptions, generate};
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::time::Day;
use store::Digest;
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
    let mut report = Diagnostics::new();
    let tables = read(input, &mut report).expect("the files are there");
    link(tables, &mut report).expect("the data is good")
}

/// Publishes a directory under a folder, where an edge finds it.
pub fn publish(directory: &Directory, out: &Path, index_only: bool) {
    let options = BuildOptions {
        out: out.to_owned(),
        base_url: "http://127.0.0.1".to_owned(),
        as_of: TODAY,
        jobs: 0,
        made_from: None,
        index_only,
        templates: None,
    };
    generate(directory, Digest([0; 32]), &options, &Progress::new(true), &())
        .expect("synthetic data is good");
}

/// The site that was published under a folder, on the day it was built; mapped, as an edge has it.
pub fn site(out: &Path) -> (Site, Dated) {
    let site = OpenGeneration::open(out).expect("it was just published").site;
    let dated = site.dated(Day::new(TODAY));
    (site, dated)
}
