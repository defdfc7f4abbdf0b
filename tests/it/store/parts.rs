//! A dataset that is read in parts gives the same snapshot, the same problems and the same refusals as one that is read as
//! a whole, whatever the memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use dataset::diagnostics::Diagnostics;
use dataset::{Input, Table, link, read};
use serde_json::Value;
use site::{
    BuildOptions, Effort, GenerateError, PartedBuild, Progress, Storage, TableReview, generate, table_lines,
};
use snapshot::record::Directory;
use store::{Body, Digest, Generation, GenerationId, RecordCounts};
use tempfile::TempDir;
use tests::synth::{self, rng::Rng};

use crate::contract::consistency::REAL;
use crate::server::{options, real_data};

/// What a build gave: the generation and its counts, unless there were errors, and every problem.
type Built = (Option<(GenerationId, RecordCounts)>, Vec<String>);

fn build_options(root: &Path) -> BuildOptions {
    BuildOptions { layout: Storage::Pack, ..options(root, Effort::None) }
}

fn problems(report: &Diagnostics) -> Vec<String> {
    let problems = report.sorted().into_iter();
    let problems = problems.map(|it| {
        format!("{}:{} {:?} {} {:?}", report.file_name(it.at.file), it.at.line, it.code, it.message, it.help)
    });
    problems.collect()
}

fn whole(data: &Path) -> Built {
    let (root, mut report) = (tempfile::tempdir().unwrap(), Diagnostics::new());
    let tables = read(&Input::Folder(data.to_owned()), &mut report).unwrap();
    let source = Digest(tables.source_sha256);
    let built = link(tables, &mut report).map(|directory| {
        let options = build_options(root.path());
        let manifest = generate(&directory, source, &options, &Progress::new(true), &()).unwrap().manifest;
        (manifest.id(), manifest.counts)
    });
    (built, problems(&report))
}

/// Keeps the tables that it sees.
#[derive(Default)]
struct Seen {
    tables: Mutex<BTreeMap<Table, Vec<u8>>>,
}

impl TableReview for Seen {
    fn table(&self, table: Table, lines: &[u8], body: Body, _: &Directory) {
        assert!(body == Body { len: lines.len() as u64, sha256: Digest::of(lines) });
        self.tables.lock().unwrap().insert(table, lines.to_vec());
    }

    fn accepts(&self) -> bool {
        false
    }
}

/// `None` if the dataset cannot be split.
fn in_parts(data: &Path, memory: u64) -> Option<Built> {
    let (root, mut report) = (tempfile::tempdir().unwrap(), Diagnostics::new());
    let (options, progress) = (build_options(root.path()), Progress::new(true));
    let input = Input::Folder(data.to_owned());
    let parted = PartedBuild::begin(&input, memory, &options, &mut report, &progress).unwrap()?;
    if report.error_count() > 0 {
        parted.warn(&mut report).unwrap();
        return Some((None, problems(&report)));
    }
    let manifest = parted.publish(&options, &mut report, &progress, &()).unwrap().manifest;
    let left = fs::read_dir(root.path().join("generations")).unwrap().count();
    assert_eq!(left, 1, "temporary files are left");
    Some((Some((manifest.id(), manifest.counts)), problems(&report)))
}

fn synthetic(programs: usize, seed: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    synth::write(folder.path(), &synth::Options { programs, seed }).unwrap();
    folder
}

/// Least bytes of memory that tests give to a build.
const LEAST: u64 = 40_000;

#[test]
fn parts_give_the_same_snapshot_and_the_same_warnings_as_the_whole_for_any_memory() {
    for seed in 0..10 {
        let data = synthetic(40 + 10 * seed as usize, seed);
        let expected = whole(data.path());
        assert!(expected.0.is_some() && !expected.1.is_empty());
        for memory in [LEAST, 150_000] {
            assert_eq!(in_parts(data.path(), memory).unwrap(), expected, "seed {seed}, {memory} bytes");
        }
    }
    if let (Some(data), Some(real)) = (real_data(), REAL.as_ref()) {
        // A generation has the name and the counts of what is in it, however it is stored.
        let served = Generation::open_current(&real.root).unwrap();
        let mut report = Diagnostics::new();
        link(read(&Input::Folder(data.clone()), &mut report).unwrap(), &mut report).unwrap();
        let expected = (Some((served.id(), served.manifest().counts)), problems(&report));
        assert_eq!(in_parts(&data, 5 << 20).unwrap(), expected);
    }
}

#[test]
fn tables_are_reviewed_and_nothing_is_published_if_they_are_not_accepted() {
    let (data, root, mut report) = (synthetic(60, 3), tempfile::tempdir().unwrap(), Diagnostics::new());
    let (options, progress) = (build_options(root.path()), Progress::new(true));
    let input = Input::Folder(data.path().to_owned());
    let parted = PartedBuild::begin(&input, LEAST, &options, &mut report, &progress).unwrap().unwrap();
    let (in_parts, whole) = (Seen::default(), Seen::default());
    let published = parted.publish(&options, &mut report, &progress, &in_parts);
    assert!(matches!(published, Err(GenerateError::HeldBack)));
    let directory = dataset::directory(&input);
    let published = generate(&directory, Digest([0; 32]), &options, &progress, &whole);
    assert!(matches!(published, Err(GenerateError::HeldBack)));
    assert!(!root.path().join("CURRENT").exists());
    let [in_parts, whole] = [in_parts, whole].map(|review| review.tables.into_inner().unwrap());
    for table in Table::ALL {
        let expected = table_lines(&directory, table);
        assert!(in_parts[&table] == expected && whole[&table] == expected, "{}", table.name());
    }
}

/// The lines of a table.
fn lines(data: &Path, table: &str) -> Vec<Value> {
    let text = fs::read_to_string(data.join(table)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(data: &Path, table: &str, rows: &[Value]) {
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    fs::write(data.join(table), text).unwrap();
}

/// A change of the rows of a table.
type Change = (&'static str, fn(&mut Vec<Value>, &mut Rng));

/// A random position of a list.
fn any<T>(list: &[T], rng: &mut Rng) -> usize {
    rng.below(list.len())
}

/// Gives a row the value of a field of another row.
fn swap(rows: &mut [Value], rng: &mut Rng, field: &str) {
    let (from, to) = (any(rows, rng), any(rows, rng));
    rows[to][field] = rows[from][field].clone();
}

fn set(rows: &mut [Value], rng: &mut Rng, field: &str, value: &str) {
    let row = any(rows, rng);
    rows[row][field] = Value::from(value);
}

const ABSENT: &str = "00000000-0000-4000-8000-00000000dead";

/// Changes that reach from one part into another: some are errors, others are none.
const CHANGES: [Change; 18] = [
    ("facts.ndjson", |rows, rng| swap(rows, rng, "sourceId")),
    ("facts.ndjson", |rows, rng| swap(rows, rng, "cycleId")),
    ("facts.ndjson", |rows, rng| swap(rows, rng, "id")),
    ("facts.ndjson", |rows, rng| set(rows, rng, "programId", ABSENT)),
    ("facts.ndjson", |rows, rng| set(rows, rng, "sourceId", ABSENT)),
    ("lifecycle.ndjson", |rows, rng| swap(rows, rng, "sourceId")),
    ("awards.ndjson", |rows, rng| swap(rows, rng, "recipientId")),
    ("awards.ndjson", |rows, rng| swap(rows, rng, "cycleId")),
    ("awards.ndjson", |rows, rng| set(rows, rng, "recipientId", ABSENT)),
    ("programs.ndjson", |rows, rng| swap(rows, rng, "slug")),
    ("programs.ndjson", |rows, rng| swap(rows, rng, "id")),
    ("programs.ndjson", |rows, rng| set(rows, rng, "name", " A\u{7}  name ")),
    ("programs.ndjson", |rows, rng| set(rows, rng, "lifecycle", "gone")),
    ("programs.ndjson", |rows, rng| swap(rows, rng, "organizationId")),
    ("organizations.ndjson", |rows, rng| set(rows, rng, "publication", "draft")),
    ("recipients.ndjson", |rows, rng| set(rows, rng, "publication", "withdrawn")),
    ("cycles.ndjson", |rows, rng| set(rows, rng, "publication", "draft")),
    ("cycles.ndjson", |rows, rng| set(rows, rng, "deadlineOn", "2026-12-31")),
];

#[test]
fn what_reaches_from_part_to_part_is_judged_as_in_the_whole() {
    let mut rng = Rng::new(&[7]);
    let (mut refused, mut built) = (0, 0);
    for round in 0..2 * CHANGES.len() {
        let data = synthetic(30, round as u64);
        let (table, change) = CHANGES[round % CHANGES.len()];
        let mut rows = lines(data.path(), table);
        if rows.is_empty() {
            continue;
        }
        (0..3).for_each(|_| change(&mut rows, &mut rng));
        write(data.path(), table, &rows);
        let expected = whole(data.path());
        let found = in_parts(data.path(), LEAST).unwrap();
        assert_eq!(found, expected, "round {round}");
        *if expected.0.is_some() { &mut built } else { &mut refused } += 1;
    }
    assert!(refused > 8 && built > 8, "{refused} refused, {built} built");
}

#[test]
fn sources_of_any_record_and_translations_are_in_the_parts_that_show_them() {
    for seed in 0..6 {
        let data = synthetic(40, 100 + seed);
        let mut rng = Rng::new(&[seed]);
        let [mut sources, facts, awards, organizations, cycles] =
            ["sources", "facts", "awards", "organizations", "cycles"]
                .map(|table| lines(data.path(), &format!("{table}.ndjson")));
        for (kind, of) in
            [("fact", &facts), ("award", &awards), ("organization", &organizations), ("cycle", &cycles)]
        {
            for _ in 0..4 {
                let (source, entity) = (any(&sources, &mut rng), any(of, &mut rng));
                sources[source]["entityType"] = Value::from(kind);
                sources[source]["entityId"] = of[entity]["id"].clone();
            }
        }
        write(data.path(), "sources.ndjson", &sources);
        let mut translations = lines(data.path(), "translations.ndjson");
        for (kind, of, field) in [("fact", &facts, "text"), ("cycle", &cycles, "label")] {
            let entity = &of[any(of, &mut rng)]["id"];
            translations.push(serde_json::json!({
                "entityType": kind, "entityId": entity, "locale": "es", "fields": {field: "Un texto"},
            }));
        }
        write(data.path(), "translations.ndjson", &translations);
        assert_eq!(in_parts(data.path(), LEAST).unwrap(), whole(data.path()), "seed {seed}");
    }
}

#[test]
fn a_dataset_that_fits_or_has_rows_without_ids_is_read_as_a_whole() {
    let data = synthetic(30, 1);
    assert!(in_parts(data.path(), 1 << 30).is_none());
    let mut rows = lines(data.path(), "cycles.ndjson");
    rows[3].as_object_mut().unwrap().remove("id");
    write(data.path(), "cycles.ndjson", &rows);
    assert!(in_parts(data.path(), LEAST).is_none());
}
