//! The list of what to purge after a publication, held against what an edge answers before and after:
//! nothing that changed is left out, and no page that stayed is named.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use dataset::Input;
use edge::Server;
use generator::{DiffFormat, report_diff};
use jiff::civil::Date;
use site::BuildOptions;
use snapshot::page::address::url_of;
use snapshot::time::Day;
use store::{Generation, diff, gc, live_id};
pub(crate) use tests::in_process::get as ask;
use tests::snapshots::frozen;

use crate::server::{AS_OF, HOST, SAMPLE, build, copy, load, options};

/// A change to the text of the sample's files.
pub(crate) struct Edit {
    pub(crate) file: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

/// Builds the sample with changes; as it is, it is copied from where it is served.
pub(crate) fn publish(out: &Path, edits: &[Edit]) {
    publish_on(out, edits, AS_OF);
}

/// The same on a day.
pub(crate) fn publish_on(out: &Path, edits: &[Edit], as_of: Date) {
    if edits.is_empty() && as_of == AS_OF && !out.join("CURRENT").exists() {
        return copy(&SAMPLE.root, out);
    }
    let files: Vec<(&str, Vec<u8>)> = dataset::sample::FILES
        .iter()
        .map(|(path, content)| {
            let mut text = String::from_utf8(content.to_vec()).unwrap();
            for edit in edits.iter().filter(|edit| edit.file == *path) {
                assert!(text.contains(edit.from), "{path} has no {}", edit.from);
                text = text.replacen(edit.from, edit.to, 1);
            }
            (*path, text.into_bytes())
        })
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, content)| (*path, content.as_slice())).collect();
    let (directory, source) = load(&Input::Embedded(&files));
    build(&directory, source, &BuildOptions { as_of, ..options(out) });
}

pub(crate) fn open(root: &Path) -> Arc<Server> {
    let tag_header = Some("cache-tag".parse().unwrap());
    Server::open(edge::Options { tag_header, ..frozen(root, Day::new(AS_OF)) }).unwrap()
}

/// Every address of a file, and some of what is computed.
fn targets(root: &Path) -> BTreeSet<String> {
    let generation = Generation::open_current(root).unwrap();
    let files = generation.files().entries().map(|file| url_of(file.path()));
    let computed = [
        "/api/v1/search?q=research&open=true",
        "/api/v1/programs?offset=100",
        "/api/v1/facets/topics?q=e",
        "/api/v1/organizations?offset=20",
        "/api/v1/cycles?upcoming=false&limit=100",
        "/api/v1/awards?offset=20",
        "/api/v1/recipients?q=a",
        "/es/programs?q=beca",
        "/programs.atom",
        "/programs.json",
        "/api/v1/details?recipient=afrilabs&recipient=afrilabs-network",
        "/api/v1/exports/latest.csv",
    ];
    files.chain(computed.map(str::to_owned)).collect()
}

#[test]
fn what_changed_is_purged_and_pages_that_stayed_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    publish(root, &[]);
    let (before, mut addresses) = (open(root), targets(root));
    let edits = [
        Edit {
            file: "programs/grants-prizes-and-other.ndjson",
            from: "\"summary\":\"",
            to: "\"summary\":\"Now with more words. ",
        },
        Edit { file: "recipients.csv", from: "afrilabs", to: "afrilabs-network" },
    ];
    publish(root, &edits);
    let (after, text) = (open(root), report_diff(&diff(root, None).unwrap(), DiffFormat::Purge));
    addresses.extend(targets(root));
    let lines: HashSet<&str> = text.lines().collect();
    let (mut changed, mut stayed) = (0, 0);
    for target in &addresses {
        let (old, new) = (ask(&before, target), ask(&after, target));
        let named = lines.contains(&*format!("url https://{HOST}{target}"));
        let tags = old.headers.get("cache-tag").map_or("", |tags| tags.to_str().unwrap());
        let tagged = tags.split(',').any(|tag| lines.contains(&*format!("tag {tag}")));
        let same = (old.status, &old.body) == (new.status, &new.body);
        changed += u32::from(!same);
        assert!(same || named || tagged, "{target} changed");
        if old.headers.get("etag") == new.headers.get("etag") && same {
            assert!(!named, "{target} did not change");
            stayed += u32::from(!tagged);
        }
    }
    assert!(changed > 10 && stayed > 500, "{changed} changed, {stayed} stayed");
}

#[test]
fn a_difference_is_printed_and_survives_the_removal_of_the_previous_generation() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    publish(root, &[]);
    let first = root.join("generations").join(live_id(root).unwrap().to_string());
    publish(root, &[Edit { file: "recipients.csv", from: "afrilabs", to: "afrilabs-network" }]);
    let purge = |difference| report_diff(&difference, DiffFormat::Purge);
    let compared = purge(diff(&first, Some(root)).unwrap());
    let difference = diff(root, None).unwrap();
    let words = report_diff(&difference, DiffFormat::Words);
    for line in ["\n+ recipients/afrilabs-network\n", "\n- recipients/afrilabs\n"] {
        assert!(words.contains(line), "{words}");
    }
    let same = report_diff(&diff(root, Some(root)).unwrap(), DiffFormat::Words);
    assert!(same.contains("the same, file by file"), "{same}");
    assert_eq!(purge(difference), compared);
    let removed = gc(root, 1, SystemTime::now() + Duration::from_secs(60)).unwrap();
    assert_eq!(removed.len(), 1);
    assert!(!first.exists());
    let kept = diff(root, None).unwrap();
    assert_eq!(kept.old.id(), removed[0]);
    assert_eq!(purge(kept), compared);
}
