//! A client that follows the changes has the live records, whatever was published, removed and rolled back before.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::*;

fn path_of(record: &str) -> String {
    format!("api/v1/{record}.json")
}

fn uuid(number: u8) -> Uuid {
    Uuid::from_bytes([number; 16])
}

/// Publishes records, each with a text and the number of its id, if it has one; and a page that is of none.
fn put(root: &Path, records: &[(&str, u8, u8)]) {
    let page = |(record, text, _): &(&str, u8, u8)| (path_of(record), format!("hole {text}"));
    let pages: Vec<(String, String)> = records.iter().map(page).collect();
    let pages = pages.iter().map(|(path, text)| (&**path, &**text)).chain([("index.html", "always")]);
    let with_id = records.iter().filter(|(.., id)| *id > 0);
    let ids = with_id.map(|(record, _, id)| ((*record).to_owned(), uuid(*id))).collect();
    let info = BuildInfo { ids, ..about(MORNING) };
    stage(root, &pages.collect::<Vec<_>>()).publish(&info).unwrap();
}

fn there(record: &str) -> (String, bool) {
    (record.to_owned(), true)
}

fn gone(record: &str) -> (String, bool) {
    (record.to_owned(), false)
}

fn position(sequence: u64) -> ChangePosition {
    ChangePosition { sequence, ..ChangePosition::default() }
}

/// The lines after a publication.
fn after(root: &Path, sequence: u64) -> Vec<(String, bool)> {
    answer(root, &position(sequence), 9).0
}

/// One answer to a client: its lines, as the record and whether it is there, and the next position.
fn answer(root: &Path, at: &ChangePosition, most: usize) -> (Vec<(String, bool)>, ChangePosition) {
    let live = Generation::open_current(root).unwrap();
    let changed = live.changes().after(live.files(), at, most);
    let next = live.changes().next(at, &changed, most);
    let line = |it: &RecordChange<'_>| (format!("{}/{}", it.kind, it.slug), it.version.is_some());
    (changed.iter().map(line).collect(), next)
}

#[test]
fn each_publication_counts_what_it_added_changed_and_removed() {
    let root = Scratch::new();
    put(&root, &[("programs/a", 1, 0), ("programs/b", 1, 0), ("organizations/a", 1, 0)]);
    put(&root, &[("programs/a", 2, 0), ("organizations/a", 1, 0), ("recipients/c-d", 1, 0)]);
    rollback(&root, None, DAY.tomorrow().unwrap()).unwrap();
    let live = Generation::open_current(&root).unwrap();
    let log: Vec<_> = live.changes().log.iter().map(|it| (it.sequence, it.counts)).collect();
    // Organizations, programs, recipients: added, changed, removed.
    let first = [[1, 0, 0], [2, 0, 0], [0, 0, 0]];
    let second = [[0, 0, 0], [0, 1, 1], [1, 0, 0]];
    let third = [[0, 0, 0], [1, 1, 0], [0, 0, 1]];
    assert_eq!(log, [(1, first), (2, second), (3, third)]);
    // A rollback has the day of its content.
    assert!(live.changes().log.iter().all(|it| it.day() == Some(DAY)));
    assert_eq!(after(&root, 2), [gone("recipients/c-d"), there("programs/a"), there("programs/b")]);
}

#[test]
fn a_translation_is_a_change_of_its_record_and_other_pages_are_none() {
    let root = Scratch::new();
    for (spanish, cycles) in [("uno", "1"), ("dos", "2")] {
        let [one, other] = ["api/v1/programs/a.json", "api/v1/programs/a.es.json"];
        publish(&root, &[(one, "one"), (other, spanish), ("api/v1/cycles.json", cycles)]);
    }
    let live = Generation::open_current(&root).unwrap();
    assert_eq!(live.changes().log[1].counts, [[0; 3], [0, 1, 0], [0; 3]]);
    assert_eq!(after(&root, 1), [there("programs/a")]);
}

#[test]
fn removals_are_forgotten_after_400_days_and_older_positions_are_reported() {
    let root = Scratch::new();
    let (a, b) = (("api/v1/programs/a.json", "1"), ("api/v1/programs/b.json", "1"));
    let reaches = |at: &ChangePosition| Generation::open_current(&root).unwrap().changes().reaches(at);
    publish_at(&root, MORNING, &[a, b]);
    publish_at(&root, "2026-11-21T06:00:00Z", &[a]);
    assert_eq!((reaches(&position(1)), after(&root, 1)), (true, vec![gone("programs/b")]));
    publish_at(&root, "2027-12-27T06:00:00Z", &[a, ("x.html", "401 days later")]);
    assert!(!reaches(&position(1)));
    assert_eq!((reaches(&position(2)), after(&root, 2)), (true, vec![]));
    let within = ChangePosition { sequence: 2, record: Some("programs/a".to_owned()), begun: 0 };
    assert!(!reaches(&within), "its rest is forgotten");
    let (lines, next) = answer(&root, &position(0), 1);
    assert_eq!((reaches(&position(0)), lines), (true, vec![there("programs/a")]), "what is live");
    assert!(reaches(&next), "who began after the removal misses nothing");
}

#[test]
fn a_change_has_the_id_of_its_record_also_after_a_removal() {
    let root = Scratch::new();
    let [a, b, c] = ["programs/a", "programs/b", "programs/c"];
    let changes = || {
        let live = Generation::open_current(&root).unwrap();
        let all = live.changes().newest(live.files(), 9);
        all.iter().rev().map(|it| (it.slug.to_owned(), it.version.is_some(), it.id)).collect::<Vec<_>>()
    };
    // From before ids were recorded.
    put(&root, &[(a, 1, 0), (b, 1, 0), (c, 1, 0)]);
    put(&root, &[(a, 1, 1), (b, 1, 2)]);
    let gone = ("c".to_owned(), false, None);
    let there = |slug: &str, id| (slug.to_owned(), true, Some(uuid(id)));
    assert_eq!(changes(), [there("a", 1), there("b", 2), gone.clone()]);
    put(&root, &[(a, 1, 1)]);
    assert_eq!(changes(), [there("a", 1), gone, ("b".to_owned(), false, Some(uuid(2)))]);
}

#[test]
fn a_history_whose_columns_do_not_fit_is_not_read() {
    let root = Scratch::new();
    put(&root, &[("programs/a", 1, 0)]);
    let live = Generation::open_current(&root).unwrap();
    let history = &live.history;
    let open = |removed: usize, path: &[u8]| {
        let mut writer = SectionWriter::default();
        writer.put("root", history.get::<Digest>("root").unwrap().to_vec());
        writer.put("log", history.get::<Publication>("log").unwrap().to_vec());
        writer.put("record", history.get::<u8>("record").unwrap().to_vec());
        writer.put("removed", vec![0u64; 5 * removed]);
        writer.put("removed.path", path);
        writer.put("floor", [0u64]);
        ChangeLog::open(&writer.finish()).map(|changes| changes.newest(live.files(), 9).len())
    };
    assert_eq!(open(0, b"").unwrap(), 1);
    assert_eq!(open(1, b"api/v1/programs/b.json").unwrap(), 2);
    let damaged = [(1, &b""[..]), (0, b"api/v1/programs/b.json"), (1, b"programs/b.html"), (1, b"\xff")];
    for (removed, path) in damaged {
        assert!(open(removed, path).is_err(), "{removed} {path:?}");
    }
}

#[test]
fn folding_slowly_by_id_or_slug_gives_what_is_live_whatever_moves_swaps_or_takes_anothers_slug() {
    for seed in 0..25 {
        let root = Scratch::new();
        let (mut by_slug, mut by_id) = (BTreeMap::new(), BTreeMap::new());
        // Numbers below 4 without a pattern.
        let next = |last: &u64| Some(last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let numbers = std::iter::successors(Some(seed), next).map(|number| (number >> 60) as u8 & 3);
        let (mut at, mut numbers) = (ChangePosition::default(), numbers.skip(3));
        for step in 0..8 {
            let mut free = vec!["programs/a", "programs/b", "programs/c"];
            let mut programs = Vec::new();
            for number in 1..=4 {
                let place = usize::from(numbers.next().unwrap());
                if place < free.len() {
                    programs.push((free.remove(place), 10 * number + numbers.next().unwrap() / 2, number));
                }
            }
            put(&root, &programs);
            if numbers.next() == Some(0) && step > 0 {
                // An unchanged publication is none, and the first has nothing to go back to.
                let _ = rollback(&root, None, DAY);
            }
            let live = published_ids(&root);
            let what = format!("seed {seed}, step {step}");
            let generation = Generation::open_current(&root).unwrap();
            let most = 1 + usize::from(numbers.next().unwrap());
            let pages = if step == 7 { 99 } else { numbers.next().unwrap() };
            let mut has_all = false;
            for _ in 0..pages {
                let changed = generation.changes().after(generation.files(), &at, most);
                at = generation.changes().next(&at, &changed, most);
                for change in &changed {
                    let (slug, id) = (change.slug.to_owned(), change.id.unwrap());
                    match change.version {
                        Some(version) => {
                            by_slug.insert(slug.clone(), (id, version));
                            by_id.insert(id, (slug, version));
                        }
                        None => {
                            assert_eq!(change.moved_to, live.get(&id).map(String::as_str), "{what}");
                            by_slug.remove(&slug);
                            by_id.remove(&id);
                        }
                    }
                }
                has_all = changed.is_empty();
            }
            if !has_all {
                continue;
            }
            let turned = by_slug.iter().map(|(slug, (id, version))| (*id, (slug.clone(), *version)));
            assert_eq!(by_id, turned.collect(), "{what}");
            let ids: BTreeMap<Uuid, String> = by_id.into_iter().map(|(id, (slug, _))| (id, slug)).collect();
            assert_eq!(ids, live, "{what}");
            by_id = by_slug.iter().map(|(slug, (id, version))| (*id, (slug.clone(), *version))).collect();
        }
    }
}

/// The slug of each id that is live, by the pages themselves.
fn published_ids(root: &Path) -> BTreeMap<Uuid, String> {
    let live = Generation::open_current(root).unwrap();
    let found = ["a", "b", "c"].into_iter().filter_map(|slug| {
        let entry = live.files().lookup(&["api/v1/programs/", slug, ".json"])?;
        let text = String::from_utf8(live.read(entry, Coding::Identity).unwrap()).unwrap();
        let number: u8 = text.strip_prefix("hole ")?.parse().ok()?;
        Some((uuid(number / 10), slug.to_owned()))
    });
    found.collect()
}
