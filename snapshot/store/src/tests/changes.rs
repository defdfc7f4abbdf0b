//! A client that follows the changes has the live records, whatever was published, removed and rolled back before.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::*;

fn path_of(record: &str) -> String {
    format!("api/v1/{record}.json")
}

/// What is live, by the pages themselves.
fn live(root: &Path) -> Vec<String> {
    let live = Generation::open_current(root).unwrap();
    let records = ["organizations/a", "programs/a", "programs/b", "recipients/c-d"].map(str::to_owned);
    let is_there = |record: &String| live.files().lookup(&[&*path_of(record)]).is_some();
    records.into_iter().filter(is_there).collect()
}

fn put(root: &Path, records: &[(&str, u8)]) -> PublishOutcome {
    let pages: Vec<(String, String)> =
        records.iter().map(|(record, text)| (path_of(record), format!("hole {text}"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (&**path, &**text)).collect();
    publish(root, &[&pages[..], &[("index.html", "always")]].concat())
}

/// Numbers below 4 without a pattern.
fn numbers(seed: u64) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(seed), |last| {
        Some(last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
    })
    .map(|number| (number >> 60) as u8 & 3)
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
fn a_client_gets_no_removal_from_before_it_began() {
    let root = Scratch::new();
    let (there, gone) = (|record: &str| (record.to_owned(), true), |record: &str| (record.to_owned(), false));
    let [a, b, x] = ["organizations/a", "programs/b", "programs/x"];
    put(&root, &[(a, 1), (b, 1), (x, 1)]);
    put(&root, &[(a, 1), (b, 1)]);
    let (lines, first) = answer(&root, &ChangePosition::default(), 1);
    assert_eq!(lines, [there(a)]);
    put(&root, &[(b, 1)]);
    let (lines, next) = answer(&root, &first, 9);
    assert_eq!(lines, [there(b), gone(a)]);
    assert_eq!(answer(&root, &next, 9).0, []);
}

#[test]
fn a_client_that_reads_slowly_while_others_publish_has_what_is_live_in_the_end() {
    let names = ["programs/a", "programs/b", "organizations/a", "recipients/c-d"];
    for seed in 0..20 {
        let root = Scratch::new();
        let (mut copy, mut at) = (BTreeMap::new(), ChangePosition::default());
        let read = |at: &mut ChangePosition, copy: &mut BTreeMap<String, bool>| {
            let (lines, next) = answer(&root, at, 1);
            *at = next;
            let ended = lines.is_empty();
            copy.extend(lines);
            ended
        };
        let mut numbers = numbers(seed).skip(3);
        for _ in 0..12 {
            let texts = names.into_iter().zip(numbers.by_ref());
            put(&root, &texts.filter(|(_, text)| *text > 0).collect::<Vec<_>>());
            for _ in 0..numbers.next().unwrap() {
                read(&mut at, &mut copy);
            }
        }
        while !read(&mut at, &mut copy) {}
        let held = copy.into_iter().filter(|(_, is_there)| *is_there).map(|(record, _)| record);
        assert_eq!(held.collect::<Vec<_>>(), live(&root), "seed {seed}");
    }
}

#[test]
fn each_publication_counts_what_it_added_changed_and_removed() {
    let root = Scratch::new();
    put(&root, &[("programs/a", 1), ("programs/b", 1), ("organizations/a", 1)]);
    put(&root, &[("programs/a", 2), ("organizations/a", 1), ("recipients/c-d", 1)]);
    rollback(&root, None, DAY).unwrap();
    let live = Generation::open_current(&root).unwrap();
    let log: Vec<_> = live.changes().log.iter().map(|it| (it.sequence, it.counts)).collect();
    // Organizations, programs, recipients: added, changed, removed.
    let first = [[1, 0, 0], [2, 0, 0], [0, 0, 0]];
    let second = [[0, 0, 0], [0, 1, 1], [1, 0, 0]];
    let third = [[0, 0, 0], [1, 1, 0], [0, 0, 1]];
    assert_eq!(log, [(1, first), (2, second), (3, third)]);
    let since =
        live.changes().after(live.files(), &ChangePosition { sequence: 2, ..ChangePosition::default() }, 9);
    let since: Vec<_> = since.iter().map(|it| (it.kind, it.slug, it.version.is_some())).collect();
    assert_eq!(since, [("recipients", "c-d", false), ("programs", "a", true), ("programs", "b", true)]);
}

#[test]
fn a_translation_is_a_change_of_its_record_and_other_pages_are_none() {
    let root = Scratch::new();
    let page = |path: &'static str, body: &'static str| (path, body);
    let english = page("api/v1/programs/a.json", "one");
    publish(&root, &[english, page("api/v1/programs/a.es.json", "uno"), page("api/v1/cycles.json", "1")]);
    publish(&root, &[english, page("api/v1/programs/a.es.json", "dos"), page("api/v1/cycles.json", "2")]);
    let live = Generation::open_current(&root).unwrap();
    assert_eq!(live.changes().log[1].counts, [[0; 3], [0, 1, 0], [0; 3]]);
    let since =
        live.changes().after(live.files(), &ChangePosition { sequence: 1, ..ChangePosition::default() }, 9);
    assert_eq!(since.iter().map(|it| it.slug).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn the_turn_of_the_day_changes_no_record() {
    let root = Scratch::new();
    let publish_with = |body: &str, inputs: &[u8], day| {
        let stage = Stage::begin(&root).unwrap();
        let holes = [Hole { start: 6, len: body.len() as u32 - 6, rule: 0, arg: 0 }];
        let (path, body, holes) = ("api/v1/programs/a.json", body.as_bytes(), &holes);
        stage.put(NewFile { path, body, holes, inputs }).unwrap();
        stage.publish(&BuildInfo { as_of: day, ..about("2026-11-20T06:00:00Z") }, 1).unwrap();
        Generation::open_current(&root).unwrap().changes().log.last().unwrap().counts[1]
    };
    let publish = |body: &str, day| publish_with(body, b"2026-11-20", day);
    assert_eq!(publish("state open", date(2026, 11, 20)), [1, 0, 0]);
    assert_eq!(publish("state closed", date(2026, 11, 21)), [0, 0, 0]);
    assert_eq!(publish("other closed", date(2026, 11, 21)), [0, 1, 0]);
    let other = publish_with("other open", b"2027-03-01", date(2026, 11, 21));
    assert_eq!(other, [0, 1, 0], "another deadline, which today's state follows from");
}

#[test]
fn removals_are_forgotten_after_400_days_and_older_positions_are_reported() {
    let root = Scratch::new();
    let at = |text: &str, pages: &[(&str, &str)]| stage(&root, pages).publish(&about(text), 1).unwrap();
    let (a, b) = (("api/v1/programs/a.json", "1"), ("api/v1/programs/b.json", "1"));
    at("2026-11-20T06:00:00Z", &[a, b]);
    at("2026-11-21T06:00:00Z", &[a]);
    let known = |sequence| {
        let live = Generation::open_current(&root).unwrap();
        let from = ChangePosition { sequence, ..ChangePosition::default() };
        (live.changes().reaches(&from), live.changes().after(live.files(), &from, 9).len())
    };
    assert_eq!(known(1), (true, 1), "the removal");
    at("2027-12-27T06:00:00Z", &[a, ("x.html", "401 days later")]);
    assert!(!known(1).0);
    assert_eq!(known(2), (true, 0));
    let live = Generation::open_current(&root).unwrap();
    let within = ChangePosition { sequence: 2, record: Some("programs/a".to_owned()), begun: 0 };
    assert!(!live.changes().reaches(&within), "its rest is forgotten");
    assert_eq!(known(0), (true, 1), "from the beginning there is what is live");
    let beginning = live.changes().after(live.files(), &ChangePosition::default(), 1);
    let next = live.changes().next(&ChangePosition::default(), &beginning, 1);
    assert!(live.changes().reaches(&next), "who began after the removal misses nothing");
}

#[test]
fn a_change_has_the_id_of_its_record_also_after_a_removal_and_a_rollback() {
    let root = Scratch::new();
    let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let put = |records: &[(&str, &str)], ids: &[(&str, Uuid)]| {
        let ids = ids.iter().map(|(record, id)| ((*record).to_owned(), *id)).collect();
        let about = BuildInfo { ids, ..about("2026-11-20T06:00:00Z") };
        stage(&root, records).publish(&about, 1).unwrap();
    };
    let changes = || {
        let live = Generation::open_current(&root).unwrap();
        let all = live.changes().newest(live.files(), 9);
        all.iter().rev().map(|it| (it.slug.to_owned(), it.version.is_some(), it.id)).collect::<Vec<_>>()
    };
    let (a, b) = (("api/v1/programs/a.json", "1"), ("api/v1/programs/b.json", "1"));
    // From before ids were recorded.
    put(&[a, b, ("api/v1/programs/c.json", "1")], &[]);
    put(&[a, b], &[("programs/a", one), ("programs/b", two)]);
    let gone = ("c".to_owned(), false, None);
    let there = |slug: &str, id| (slug.to_owned(), true, Some(id));
    assert_eq!(changes(), [there("a", one), there("b", two), gone.clone()]);
    put(&[a], &[("programs/a", one)]);
    assert_eq!(changes(), [there("a", one), gone, ("b".to_owned(), false, Some(two))]);
    rollback(&root, None, DAY).unwrap();
    assert!(changes().contains(&there("b", two)), "{:?}", changes());
    let live = Generation::open_current(&root).unwrap();
    let newest = live.changes().newest(live.files(), 2);
    assert_eq!(newest.iter().map(|it| it.slug).collect::<Vec<_>>(), ["b", "c"], "the newest first");
}

#[test]
fn a_later_publication_has_a_later_time_whatever_its_dataset_states() {
    let root = Scratch::new();
    let put = |text: &str, body: &str| {
        let body = format!("hole {body}");
        let pages = [("api/v1/programs/a.json", &*body)];
        stage(&root, &pages).publish(&about(text), 1).unwrap();
        let live = Generation::open_current(&root).unwrap();
        live.changes().newest(live.files(), 1)[0].at.to_string()
    };
    assert_eq!(put("2026-11-20T06:00:00Z", "1"), "2026-11-20T06:00:00Z");
    assert_eq!(put("2026-11-20T06:00:00Z", "2"), "2026-11-20T06:00:01Z");
    assert_eq!(put("2026-11-19T06:00:00Z", "3"), "2026-11-20T06:00:02Z");
    assert_eq!(put("2026-11-21T06:00:00Z", "4"), "2026-11-21T06:00:00Z");
    rollback(&root, None, DAY).unwrap();
    let live = Generation::open_current(&root).unwrap();
    assert_eq!(live.changes().newest(live.files(), 1)[0].at.to_string(), "2026-11-21T06:00:01Z");
}

#[test]
fn a_history_whose_columns_do_not_fit_is_not_read() {
    let root = Scratch::new();
    put(&root, &[("programs/a", 1)]);
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

/// Publishes programs that have ids and texts, by slug; returns the slug of each id.
fn put_ids(root: &Path, programs: &[(&str, u8, u8)]) -> BTreeMap<Uuid, String> {
    let id = |number: u8| Uuid::from_bytes([number; 16]);
    let pages: Vec<(String, String)> = programs
        .iter()
        .map(|(slug, number, text)| (path_of(&format!("programs/{slug}")), format!("hole {number} {text}")))
        .collect();
    let mut pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (&**path, &**text)).collect();
    pages.push(("index.html", "always"));
    let ids = programs.iter().map(|(slug, number, _)| (format!("programs/{slug}"), id(*number))).collect();
    let info = BuildInfo { ids, ..about("2026-11-20T06:00:00Z") };
    stage(root, &pages).publish(&info, 1).unwrap();
    programs.iter().map(|(slug, number, _)| (id(*number), (*slug).to_owned())).collect()
}

#[test]
fn folding_by_id_and_by_slug_gives_the_same_copy_whatever_moves_swaps_or_takes_anothers_slug() {
    for seed in 0..25 {
        let root = Scratch::new();
        let (mut by_slug, mut by_id) = (BTreeMap::new(), BTreeMap::new());
        let (mut at, mut numbers) = (ChangePosition::default(), numbers(seed).skip(3));
        let mut publications: Vec<BTreeMap<Uuid, String>> = Vec::new();
        for step in 0..8 {
            let mut free = vec!["a", "b", "c"];
            let mut programs = Vec::new();
            for number in 1..=4 {
                let place = usize::from(numbers.next().unwrap());
                if place < free.len() {
                    programs.push((free.remove(place), number, numbers.next().unwrap() / 2));
                }
            }
            let before = publications.last().cloned();
            let mut live = put_ids(&root, &programs);
            if numbers.next() == Some(0) && before.is_some() && rollback(&root, None, DAY).is_ok() {
                // An unchanged publication is none, and then the one before it is live.
                live = published_ids(&root);
            }
            publications.push(live.clone());
            if numbers.next() == Some(0) {
                continue;
            }
            let what = format!("seed {seed}, step {step}");
            let generation = Generation::open_current(&root).unwrap();
            let most = 1 + usize::from(numbers.next().unwrap());
            loop {
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
                if changed.is_empty() {
                    break;
                }
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
        let number = text.split(' ').nth(1)?.parse().ok()?;
        Some((Uuid::from_bytes([number; 16]), slug.to_owned()))
    });
    found.collect()
}
