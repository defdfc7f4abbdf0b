//! A disk in memory that crashes in every way POSIX allows, and what the publisher makes of it.
//!
//! Worst case: a file whose bytes were not synced may come back empty, cut in half, zeroed or whole;
//! of the unsynced changes of a directory any subset may have survived (a rename is one change).
//! What a crash left is decided when it is first looked at, and every decision is then tried the other
//! way: states that differ only in what nobody reads are one state.

mod faults;
mod model;

use std::sync::Arc;
use std::time::SystemTime;

use jiff::civil::date;

use crate::StoreError;
use crate::body::{Coding, Digest};
use crate::disk::Disk;
use crate::generation::{current, open_current_on};
use crate::layout::{CURRENT_TMP, GENERATIONS, GenerationId};
use crate::old_generations::{gc_on, rollback_on};
use crate::stage::{BuildInfo, PublishOutcome, Stage};
use crate::table::NewFile;
use crate::verify::{VerifyMode, verify_on};
use model::{Choices, Fault, Model, Node, State};

/// Runs `check` on every disk that a crash may leave behind; returns how many there are.
fn every_crash(nodes: &[Node], mut check: impl FnMut(&Arc<dyn Disk>)) -> usize {
    let mut next = Some(Choices::default());
    let mut states = 0;
    while let Some(choices) = next {
        let model = Model::with(nodes.to_vec(), Some(choices), None);
        let disk: Arc<dyn Disk> = model.clone();
        check(&disk);
        states += 1;
        next = model.state().choices.take().and_then(Choices::next);
    }
    states
}

fn publish(disk: Arc<dyn Disk>, text: &str) -> Result<PublishOutcome, StoreError> {
    let long = format!("{text} {}", "long enough to be deflated ".repeat(30));
    let pages = [("a.json", "always the same"), ("b/c.json", &*long)];
    publish_pages(disk, text, &pages.map(|(path, body)| (path.to_owned(), body.to_owned())))
}

fn publish_pages(
    disk: Arc<dyn Disk>,
    text: &str,
    pages: &[(String, String)],
) -> Result<PublishOutcome, StoreError> {
    let stage = Stage::begin_on(disk, |_| tempfile::tempfile())?;
    stage.put_sections("index/x.bin", super::section("text", text.as_bytes()))?;
    for (path, body) in pages {
        stage.put(NewFile { path, body: body.as_bytes(), holes: &[], inputs: &[] })?;
    }
    stage.publish(&about(text))
}

/// What a generation made from a text is.
fn about(text: &str) -> BuildInfo {
    BuildInfo { source: Digest::of(text.as_bytes()), ..super::about("2026-11-20T06:00:00Z") }
}

fn verified(disk: &Arc<dyn Disk>) -> Result<GenerationId, Vec<StoreError>> {
    verify_on(disk, None, VerifyMode::Deep).map(|manifest| manifest.id())
}

/// Crashes after every change that `act` makes to `before`. Returns (states, those with a missing, torn
/// or wrong live generation, those that lost the new generation although `act` had returned).
fn crash_everywhere(before: &Model, act: impl Fn(Arc<dyn Disk>), broken: Option<&'static str>) -> [usize; 3] {
    let disk = before.settled(broken);
    let start: Arc<dyn Disk> = before.settled(None);
    let old = verified(&start).ok();
    act(disk.clone());
    let new = current(&*disk).unwrap();
    let log = std::mem::take(&mut disk.state().log);
    let mut counts = [0; 3];
    for (at, nodes) in log.iter().enumerate() {
        counts[0] += every_crash(nodes, |after| {
            match verified(after) {
                Ok(id) if id == new => {}
                Ok(id) if Some(id) == old => counts[2] += usize::from(at + 1 == log.len()),
                Err(faults) if old.is_none() && matches!(*faults, [StoreError::Unpublished { .. }]) => {
                    counts[2] += usize::from(at + 1 == log.len());
                }
                _ => counts[1] += 1,
            }
            if broken.is_none() {
                let next = publish(Arc::clone(after), "after the crash").unwrap();
                assert_eq!(verified(after).unwrap(), next.manifest.id());
            }
        });
    }
    counts
}

/// A disk with two generations, `CURRENT` naming the second.
fn two_generations() -> Arc<Model> {
    let disk = Model::empty();
    for text in ["first", "second"] {
        publish(disk.clone(), text).unwrap();
    }
    disk
}

fn publish_third(disk: Arc<dyn Disk>) {
    publish(disk, "third").unwrap();
}

#[test]
fn a_crash_at_any_point_leaves_a_complete_live_generation_and_the_next_publisher_recovers() {
    let first = crash_everywhere(&Model::empty(), publish_third, None);
    let third = crash_everywhere(&two_generations(), publish_third, None);
    let back = |disk: Arc<dyn Disk>| {
        assert_eq!(rollback_on(&disk, None, date(2026, 11, 20)).unwrap()[0].sequence, 3);
    };
    let rollback = crash_everywhere(&two_generations(), back, None);
    let gc = |disk: Arc<dyn Disk>| {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        assert_eq!(gc_on(&*disk, 1, now).unwrap().len(), 1);
    };
    let gc = crash_everywhere(&two_generations(), gc, None);
    for [states, broken, lost] in [first, third, rollback, gc] {
        assert!(states > 1);
        assert_eq!([broken, lost], [0, 0]);
    }
    println!("states: first {first:?}, third {third:?}, rollback {rollback:?}, gc {gc:?}");
}

#[test]
fn each_of_the_four_barriers_is_needed() {
    let without = |barrier| crash_everywhere(&two_generations(), publish_third, Some(barrier));
    let [_, broken, _] = without("/");
    assert!(broken > 0, "B1: files missing or torn");
    let [_, broken, _] = without(GENERATIONS);
    assert!(broken > 0, "B2: CURRENT names a generation that is not there");
    let [_, broken, _] = without(CURRENT_TMP);
    assert!(broken > 0, "B3: CURRENT is torn");
    let [_, broken, lost] = without("");
    assert_eq!(broken, 0);
    assert!(lost > 0, "B4: success was reported, then undone");
}

#[test]
fn every_flipped_byte_and_every_truncation_is_found_by_verify() {
    let model = two_generations();
    let disk: Arc<dyn Disk> = Arc::<Model>::clone(&model);
    let dir = format!("{GENERATIONS}/{}", verified(&disk).unwrap());
    let read = || {
        let live = open_current_on(&disk, 0).ok()?;
        // The second time only the CRC-32 is compared.
        let turns = [Coding::Identity, Coding::Gzip].repeat(2);
        let bodies = |entry| turns.iter().map(|coding| live.read(entry, *coding).ok()).collect::<Vec<_>>();
        Some(live.files().entries().map(bodies).collect::<Vec<_>>())
    };
    let published = read().unwrap();
    for path in ["manifest.json", "changes.bin", "site.zip", "index/files.bin", "index/x.bin"] {
        let node = model.state().find(&format!("{dir}/{path}")).unwrap();
        let good = model.state().file(&format!("{dir}/{path}")).unwrap();
        let refused = |bad: Vec<u8>, how: &str| {
            model.state().nodes[node] = Node::File { bytes: bad.into(), synced: true };
            let faults = verified(&disk).expect_err(how);
            // The manifest names lengths and hashes that the files beside it do not have then.
            let named = |fault: &StoreError| path == "manifest.json" || fault.to_string().contains(path);
            assert!(faults.iter().any(named), "{how}: {faults:?}");
            let found = read().unwrap_or_default();
            let mut bodies = found.iter().flatten().zip(published.iter().flatten());
            assert!(bodies.all(|(found, good)| found.is_none() || found == good), "{how}: read");
        };
        for at in 0..good.len() {
            let mut bad = good.to_vec();
            bad[at] ^= 1;
            refused(bad, &format!("{path}: byte {at} flipped"));
            refused(good[..at].to_vec(), &format!("{path}: cut at {at}"));
        }
        model.state().nodes[node] = Node::File { bytes: good, synced: true };
    }
    assert!(verified(&disk).is_ok());
}
