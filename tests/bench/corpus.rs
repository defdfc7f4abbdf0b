//! Synthetic data for benches: a directory of any size, and its site in memory.

use std::path::Path;

use generator::diagnostics::Diagnostics;
use generator::link::link;
use generator::read::{Input, read};
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::time::Day;
use tests::synth::{self, TODAY};

const SEED: u64 = 1;

/// A synthetic directory; its files are kept between runs.
pub(crate) fn directory(programs: usize) -> Directory {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("synth-{programs}"));
    if !folder.join("done").exists() {
        synth::write(&folder, &synth::Options { programs, seed: SEED })
            .expect("the target folder is writable");
        std::fs::write(folder.join("done"), "").expect("the target folder is writable");
    }
    load(&Input::Folder(folder))
}

/// A directory that has no errors.
pub(crate) fn load(input: &Input<'_>) -> Directory {
    let mut report = Diagnostics::new();
    let tables = read(input, &mut report).expect("the files are there");
    link(tables, &mut report).expect("the data is good")
}

/// A site in memory, on the day it was built.
pub(crate) fn site(directory: &Directory) -> (Site, Dated) {
    generator::generate::in_memory(directory, Day::new(TODAY)).expect("synthetic values are few")
}
