//! Whatever is changed in a dataset, and on whatever day, a build that takes the pages of unchanged records from the
//! snapshot before makes the same as one that makes them all.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use dataset::diagnostics::Diagnostics;
use dataset::{Input, link, read};
use html::{Filler, Html};
use jiff::ToSpan as _;
use serde_json::Value;
use site::Effort;
use site::PageCache;
use site::Pages;
use site::RestPages;
use site::{BuildOptions, GenerateError, Records, RowDigests, Storage, in_memory};
use snapshot::page::hole::Filled;
use snapshot::page::list::Numbers;
use snapshot::record::Directory;
use snapshot::search::document_order;
use snapshot::time::Day;
use store::reuse::{RecordFingerprint, ReusableRecord};
use store::{Digest, Hole, MadeFrom};
use tempfile::TempDir;
use tests::snapshots::{AS_OF, HOST, build, options};
use tests::synth;
use tests::synth::rng::Rng;

use crate::data::words::THEME;

/// Rows of each table, by the name of its file; the dataset's own facts are a table of one row.
type Tables = BTreeMap<String, Vec<Value>>;

fn tables(folder: &Path) -> Tables {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let rows = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
    };
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), rows(&path))).collect()
}

fn write(tables: &Tables, folder: &Path) {
    for (file, rows) in tables {
        let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
        fs::write(folder.join(file), lines).unwrap();
    }
}

/// The records of a dataset, if it has no errors.
fn directory(folder: &Path) -> Option<(Directory, Digest)> {
    let mut report = Diagnostics::new();
    let tables = read(&Input::Folder(folder.to_owned()), &mut report).ok()?;
    let source = Digest(tables.source_sha256);
    Some((link(tables, &mut report)?, source))
}

/// Ways to change a value.
#[derive(Clone, Copy, Debug)]
enum Way {
    More,
    Nothing,
    /// That of another row.
    Other(usize),
}

/// Changes a value; false where there is nothing to change.
fn change(rows: &mut [Value], at: usize, field: &str, way: Way) -> bool {
    let other = if let Way::Other(other) = way { rows[other].get(field).cloned() } else { None };
    let Some(value) = rows[at].get_mut(field) else { return false };
    let more = |text: &str| if text.contains(' ') { format!("{text} more") } else { format!("{text}-more") };
    let changed = match (way, &*value) {
        (Way::More, Value::String(text)) => more(text).into(),
        (Way::More, Value::Object(texts)) => {
            let texts = texts.iter().map(|(name, text)| (name.clone(), format!("{text} more").into()));
            Value::Object(texts.collect())
        }
        (Way::More, Value::Number(number)) => (number.as_f64().unwrap() + 1.0).into(),
        (Way::More, _) => return false,
        (Way::Nothing, _) => Value::Null,
        (Way::Other(_), _) => other.unwrap_or_default(),
    };
    let differs = changed != *value;
    *value = changed;
    differs
}

fn fields(row: &Value) -> Vec<String> {
    row.as_object().unwrap().keys().cloned().collect()
}

/// What a record was made from, and its files with the places of what of them depends on the day.
type Rendered = BTreeMap<String, (RecordFingerprint, BTreeMap<String, (Vec<u8>, Vec<Hole>)>)>;

fn rendered(directory: &Directory) -> Rendered {
    let (day, base_url) = (Day::new(AS_OF), format!("https://{HOST}"));
    let order = document_order(directory, day);
    let numbers = &Numbers::new(directory, &order);
    let (site, dated) = in_memory(directory, day).unwrap();
    let site = &site;
    let pages = Pages {
        directory,
        numbers,
        site,
        html: None,
        theme: &THEME,
        base_url: &base_url,
        downloads: &[],
        cache: PageCache::default(),
    };
    let html = Html::open(&pages.prepare(&order).unwrap().finish(), site).unwrap();
    let pages = Pages { html: Some(&html), ..pages };
    let records = Mutex::new(Vec::new());
    let all = Records { programs: Records::programs(directory).programs, ..Records::others(directory) };
    let keys = pages.keys(Digest::of(b"tools"), &RowDigests::new(directory), all);
    let left = pages.unkept(&keys, Filler { html: &html, dated: &dated }, |made: &ReusableRecord<'_>, _| {
        records.lock().unwrap().push((made.page(), made.from, made.starts()));
        false
    });
    let files = Mutex::new(BTreeMap::new());
    let put = |put: &[(String, Filled)]| {
        // Kept holes get the numbers of now.
        let holes = |file: &Filled| file.holes.iter().map(|hole| Hole { arg: 0, ..*hole }).collect();
        let put = put.iter().map(|(path, file)| (path.clone(), (file.bytes.clone(), holes(file))));
        files.lock().unwrap().extend(put);
        Ok::<(), GenerateError>(())
    };
    let renderer = RestPages { directory, numbers, site, dated: &dated, base_url: &base_url };
    for family in pages.families(&renderer, &left, &dated) {
        family.render(put, || ()).unwrap();
    }
    let files = files.into_inner().unwrap();
    let of = |start: &String| {
        let begins = |(path, _): &(&String, _)| path.starts_with(start.as_str());
        files
            .range(start.clone()..)
            .take_while(begins)
            .map(|(path, file)| (path.clone(), file.clone()))
            .collect::<Vec<_>>()
    };
    let record = |(page, from, starts): (String, RecordFingerprint, [String; 5])| {
        (page, (from, starts.iter().flat_map(of).collect()))
    };
    records.into_inner().unwrap().into_iter().map(record).collect()
}

/// Records whose key is as it was though their pages are not.
fn wrongly_kept<'a>(before: &'a Rendered, after: &'a Rendered) -> impl Iterator<Item = &'a str> {
    let same = after.iter().filter_map(|(page, now)| Some((page, before.get(page)?, now)));
    same.filter(|(_, was, now)| was.0 == now.0 && was.1 != now.1).map(|(page, ..)| page.as_str())
}

/// A dataset and what its records were made from, to be compared with others.
struct Compared {
    folder: TempDir,
    before: Rendered,
    tried: usize,
    kept: usize,
}

impl Compared {
    fn new(good: &Tables) -> Self {
        let folder = tempfile::tempdir().unwrap();
        write(good, folder.path());
        let before = rendered(&directory(folder.path()).unwrap().0);
        Self { folder, before, tried: 0, kept: 0 }
    }

    /// A changed dataset, if it is one.
    fn with(&mut self, changed: &Tables, what: &dyn Debug) {
        write(changed, self.folder.path());
        let Some((directory, _)) = directory(self.folder.path()) else { return };
        let after = rendered(&directory);
        assert_eq!(wrongly_kept(&self.before, &after).collect::<Vec<_>>(), [""; 0], "{what:?}");
        self.tried += 1;
        let was = |page: &String| self.before.get(page).map(|(key, _)| *key);
        self.kept += after.iter().filter(|(page, (key, _))| was(page) == Some(*key)).count();
    }
}

fn synthetic(programs: usize, seed: u64) -> Tables {
    let folder = tempfile::tempdir().unwrap();
    synth::write(folder.path(), &synth::Options { programs, seed }).unwrap();
    tables(folder.path())
}

#[test]
fn a_record_keeps_its_key_only_while_all_its_pages_are_the_same() {
    let (mut good, mut rng) = (synthetic(12, 3), Rng::new(&[1]));
    let organizations = good.get_mut("organizations.ndjson").unwrap();
    let mut other = organizations[0].clone();
    other["id"] = "00000000-0000-4000-8000-000000000001".into();
    other["slug"] = "other".into();
    organizations.push(other.clone());
    // Each has programs, which its page lists by the organization's number.
    good.get_mut("programs.ndjson").unwrap()[0]["organizationId"] = other["id"].clone();
    let mut compared = Compared::new(&good);
    for (table, rows) in good.iter().filter(|(_, rows)| !rows.is_empty()) {
        for field in fields(&rows[rng.below(rows.len())]) {
            for way in [Way::More, Way::Nothing, Way::Other(rng.below(rows.len()))] {
                // In half of the rows, so that whoever shows a row of another table is likely to show a changed one.
                let mut changed = good.clone();
                let rows = changed.get_mut(table).unwrap();
                let half = (0..rows.len()).filter(|_| rows.len() < 4 || rng.percent(50)).collect::<Vec<_>>();
                if half.iter().filter(|at| change(rows, **at, &field, way)).count() > 0 {
                    compared.with(&changed, &(table, &field, way, half));
                }
            }
        }
        let (mut fewer, at) = (good.clone(), rng.below(rows.len()));
        fewer.get_mut(table).unwrap().remove(at);
        compared.with(&fewer, &(table, at, "removed"));
    }
    for table in ["organizations.ndjson", "programs.ndjson", "recipients.ndjson"] {
        let mut changed = good.clone();
        changed.get_mut(table).unwrap()[0]["slug"] = "zz-last".into();
        compared.with(&changed, &(table, "is sorted last"));
    }
    let (tried, all) = (compared.tried, compared.before.len());
    assert!(tried > 60, "{tried} changes were possible");
    assert!(compared.kept > tried * all / 8, "{} of {} records were kept", compared.kept, tried * all);
}

#[test]
fn what_a_fact_of_another_record_calls_a_value_is_part_of_the_key() {
    let mut good = synthetic(8, 3);
    good.insert("vocabulary.ndjson".to_owned(), Vec::new());
    let facts = good.get_mut("facts.ndjson").unwrap();
    facts.iter_mut().enumerate().for_each(|(at, fact)| fact["label"] = format!("Named {at}").into());
    let mut compared = Compared::new(&good);
    for at in 0..12 {
        let mut changed = good.clone();
        changed.get_mut("facts.ndjson").unwrap()[at]["label"] = "Otherwise".into();
        compared.with(&changed, &at);
    }
    assert_eq!(compared.tried, 12);
}

/// Adds a record, removes one with what belongs to it, or brings it back: others get other numbers by that.
fn add_or_remove(tables: &mut Tables, rng: &mut Rng, step: usize) {
    let kinds =
        ["programs.ndjson", "programs.ndjson", "cycles.ndjson", "organizations.ndjson", "recipients.ndjson"];
    let rows = tables.get_mut(rng.pick(&kinds)).unwrap();
    let at = rng.below(rows.len());
    if rng.percent(50) {
        let is_draft = rows[at].get("publication") == Some(&"draft".into());
        rows[at]["publication"] = if is_draft { "published" } else { "draft" }.into();
    } else {
        let mut new = rows[at].clone();
        new["id"] = format!("00000000-0000-4000-8000-{:012}", 5000 + step).into();
        if new.get("slug").is_some() {
            new["slug"] = format!("{}-{step}", rng.pick(&["aa", "mm", "zz"])).into();
        }
        rows.push(new);
    }
}

/// Builds upon what was built before, while one thing after another changes, and anew.
fn follow(steps: usize, seed: u64, layout: Storage) {
    let folder = tempfile::tempdir().unwrap();
    let (data, root) = (folder.path().join("data"), folder.path().join("root"));
    fs::create_dir(&data).unwrap();
    let (mut good, mut rng, mut step) = (synthetic(12, seed), Rng::new(&[seed, 77]), 0);
    let said = |out: &Path, as_of, recipe| BuildOptions {
        layout,
        as_of,
        made_from: recipe,
        ..options(out, Effort::None)
    };
    let mut day = AS_OF;
    while step < steps {
        let mut changed = good.clone();
        let (_, rows) = changed.iter_mut().nth(rng.below(good.len())).unwrap();
        if rng.percent(40) {
            add_or_remove(&mut changed, &mut rng, step);
        } else if !rows.is_empty() {
            let (at, other) = (rng.below(rows.len()), rng.below(rows.len()));
            let fields = fields(&rows[at]);
            change(
                rows,
                at,
                &fields[rng.below(fields.len())],
                rng.pick(&[Way::More, Way::Nothing, Way::Other(other)]),
            );
        }
        write(&changed, &data);
        let Some((directory, source)) = directory(&data) else { continue };
        (good, step) = (changed, step + 1);
        let recipe = MadeFrom { tools: Digest::of(b"tools"), whole: Digest::of(&step.to_le_bytes()) };
        day = day.checked_add(rng.pick(&[0, 0, 1, 1, 20, 300, -2]).days()).unwrap();
        let kept = build(&directory, source, &said(&root, day, Some(recipe)));
        let clean = folder.path().join(format!("clean-{step}"));
        let made = build(&directory, source, &said(&clean, day, None));
        assert_eq!(kept.manifest.hash, made.manifest.hash, "step {step}, {day}");
    }
}

#[test]
fn pages_that_are_kept_are_those_that_would_be_made_in_packs() {
    follow(24, 1, Storage::Pack);
}

#[test]
fn pages_that_are_kept_are_those_that_would_be_made_in_a_tree() {
    follow(12, 2, Storage::Tree);
}
