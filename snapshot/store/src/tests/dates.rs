//! Dates of pages only go forward.

use super::*;

/// The dates of change of a page and of any page in the live generation.
fn dates(root: &Path) -> [i64; 2] {
    let live = Generation::open_current(root).unwrap();
    [live.files().lookup(&["a.json"]).unwrap().changed(), live.files().latest_change().unwrap()]
}

#[test]
fn dates_move_forward_with_every_edit_day_and_rollback_and_never_back() {
    let root = Scratch::new();
    let publish = |body, about: &BuildInfo| {
        let stage = stage(&root, &[("public/a.json", body), ("public/b.json", "b")]);
        stage.publish(about, 1).unwrap().manifest.id()
    };
    let today = about("2026-11-20T06:00:00Z");
    let tomorrow = BuildInfo { as_of: date(2026, 11, 21), ..today.clone() };
    let midnight = SIX + 18 * 3600;
    let first = publish("one", &today);
    assert_eq!(dates(&root), [SIX, SIX]);
    let second = publish("two", &today);
    assert_eq!(dates(&root), [SIX + 1; 2], "edited, though `publishedAt` is the same");
    publish("three", &tomorrow);
    assert_eq!(dates(&root), [midnight + 1; 2], "a new day");
    publish("four", &today);
    assert_eq!(dates(&root), [midnight + 2; 2], "built for an earlier day");
    rollback(&root, Some(first), date(2026, 11, 21)).unwrap();
    assert_eq!(dates(&root), [midnight + 3; 2], "rolled back");
    let live = Generation::open_current(&root).unwrap();
    assert_eq!(live.files().lookup(&["b.json"]).unwrap().changed(), SIX, "it was the same all the time");
    let day_after = midnight + 86_400;
    rollback(&root, Some(second), date(2026, 11, 22)).unwrap();
    assert_eq!(dates(&root), [day_after + 1; 2], "readers may have stated this day as the date of a page");
}

#[test]
fn dates_go_on_where_the_live_generation_cannot_be_read() {
    let root = Scratch::new();
    let ids = ["a", "b", "c"].map(|body| publish(&root, &[("public/a.json", body)]).manifest.id());
    assert_eq!(dates(&root), [SIX + 2; 2]);
    fs::write(dir(&root, ids[2]).join("manifest.json"), "{}").unwrap();
    let next = publish(&root, &[("public/a.json", "b")]);
    assert_eq!((next.manifest.parent, dates(&root)), (None, [SIX + 3; 2]));
    fs::write(root.join("CURRENT"), "").unwrap();
    rollback(&root, Some(ids[1]), DAY).unwrap();
    assert_eq!(dates(&root), [SIX + 4; 2]);
}
