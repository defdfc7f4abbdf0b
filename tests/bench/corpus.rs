//! Synthetic data for benches: a directory of any size, its index, and questions read against it.

use std::path::Path;
use std::time::Instant;

use generator::diagnostics::Diagnostics;
use generator::link::link;
use generator::read::{Input, read};
use snapshot::query::{Query, parse_search};
use snapshot::record::Directory;
use snapshot::search::today::Today;
use snapshot::search::{Index, build};
use snapshot::store::sections::{SectionWriter, Sections};
use snapshot::time::Day;
use tests::questions::{Class, questions};
use tests::synth::{self, TODAY};

/// How many questions of each class are asked.
const QUESTIONS: usize = 200;
const SEED: u64 = 1;

/// A synthetic directory; its files are kept between runs.
pub(crate) fn directory(programs: usize) -> Directory {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("synth-{programs}"));
    if !folder.join("done").exists() {
        synth::write(&folder, &synth::Options { programs, seed: SEED })
            .expect("the target folder is writable");
        std::fs::write(folder.join("done"), "").expect("the target folder is writable");
    }
    let mut report = Diagnostics::new();
    let tables = read(&Input::Folder(folder), &mut report).expect("the files were just written");
    link(tables, &mut report).expect("synthetic data is good")
}

/// The index file of a directory, and how long it took to build, in seconds.
pub(crate) fn index(directory: &Directory) -> (Vec<u8>, f64) {
    let started = Instant::now();
    let order = build::document_order(directory, Day::new(TODAY));
    let mut writer = SectionWriter::default();
    build::write(directory, &order, &mut writer).expect("synthetic values are few");
    (writer.finish(), started.elapsed().as_secs_f64())
}

/// An index, open, on the day it was built.
pub(crate) fn open(file: &[u8]) -> (Index, Today) {
    let index = Index::open(&Sections::from_bytes(file).expect("good file")).expect("good index");
    let today = Today::new(&index, Day::new(TODAY));
    (index, today)
}

/// The questions of a class.
pub(crate) fn queries(index: &Index, class: Class) -> Vec<Query> {
    let read = |query: &String| parse_search(query, |facet, value| index.values.find(facet, value)).0;
    questions(class, QUESTIONS, SEED).iter().map(read).collect()
}
