//! Dates of pages only go forward.

use super::*;

/// The dates of change of a page and of any page in the live generation.
fn dates(root: &Path) -> [i64; 2] {
    let live = Generation::open_current(root).unwrap();
    [live.files().lookup(&["a.json"]).unwrap().changed(), live.files().latest_change().unwrap()]
}

#[test]
fn dates_go_on_where_the_live_generation_cannot_be_read() {
    let root = Scratch::new();
    let ids = ["a", "b", "c"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    assert_eq!(dates(&root), [SIX + 2; 2]);
    fs::write(dir(&root, ids[2]).join("manifest.json"), "{}").unwrap();
    let next = publish(&root, &[("a.json", "b")]);
    assert_eq!((next.manifest.parent, dates(&root)), (None, [SIX + 3; 2]));
    fs::write(root.join("CURRENT"), "").unwrap();
    rollback(&root, Some(ids[1]), DAY).unwrap();
    assert_eq!(dates(&root), [SIX + 4; 2]);
}

#[test]
fn dates_of_a_damaged_record_of_changes_do_not_count() {
    let root = Scratch::new();
    let ids = ["a", "b"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    let other = section("changed", [SIX + 999]).finish();
    overwrite(&dir(&root, ids[1]).join("changes.bin"), other.bytes());
    publish(&root, &[("a.json", "c")]);
    assert_eq!(dates(&root), [SIX + 1; 2]);
}
