//! The pages of a record are one object of a pack: stored, reused, fetched and compared together, and read one by one.

use super::packs::{PACKS, noise};
use super::travel::Elsewhere;
use super::*;
use crate::IncomingGeneration;
use crate::sections::Sections;

type Pages = Vec<(String, String)>;

/// The pages of a program in two languages; `change` is what only one of them shows.
fn record(n: usize, change: &str) -> Pages {
    let text: String = (0..40).map(|part| Digest::of(format!("{n} {part}").as_bytes()).to_string()).collect();
    let page = |path: &str, more: &str| (format!("public/{path}"), format!("<{path}>{text}</{path}>{more}"));
    vec![
        page(&format!("programs/p{n}.html"), change),
        page(&format!("es/programs/p{n}.html"), ""),
        page(&format!("api/v1/programs/p{n}.json"), ""),
        page(&format!("es/programs/p{n}/awards.html"), ""),
    ]
}

fn put(root: &Path, layout: &Layout, records: &[Pages]) -> PublishOutcome {
    let stage = Stage::begin(root, layout).unwrap();
    for pages in records {
        let pages = pages.iter().map(|(path, body)| NewFile {
            path,
            body: body.as_bytes(),
            holes: &[],
            encodings: true,
        });
        stage.put_record(&pages.collect::<Vec<_>>(), &tenth).unwrap();
    }
    stage.publish(&about("2026-11-20T06:00:00Z"), 2).unwrap()
}

fn records(change: &str) -> Vec<Pages> {
    (0..100).map(|n| record(n, if n == 50 { change } else { "" })).collect()
}

fn objects_of(root: &Path) -> Vec<codec::Object> {
    let file = fs::read(dir(root, live_id(root).unwrap()).join("objects.bin")).unwrap();
    Sections::from_bytes(&file).unwrap().get::<codec::Object>("objects").unwrap().to_vec()
}

fn assert_bodies(root: &Path, records: &[Pages]) {
    let live = Generation::open_current(root).unwrap();
    for (path, body) in records.iter().flatten() {
        let entry = live.files().find(path.as_bytes()).unwrap();
        assert_eq!(live.read(entry, Coding::Identity).unwrap(), body.as_bytes(), "{path}");
    }
    assert!(faults(root, VerifyMode::Deep).is_empty());
}

#[test]
fn the_pages_of_a_record_are_one_object_and_a_change_of_one_stores_no_other_record() {
    let root = Scratch::new();
    let first = put(&root, &PACKS, &records(""));
    assert_eq!(objects_of(&root).len(), 100 + 2, "records, their dictionary, and the table of files");
    assert_bodies(&root, &records(""));
    let stored = first.written.bytes;
    let second = put(&root, &PACKS, &records("changed"));
    assert_bodies(&root, &records("changed"));
    assert_eq!(second.linked.files, 99, "the other records");
    assert!(second.written.bytes * 3 < stored, "{} of {stored}", second.written.bytes);
}

#[test]
fn many_pages_of_a_record_are_several_objects_of_which_languages_are_neighbours() {
    let root = Scratch::new();
    let text = String::from_utf8(noise(40_000)).unwrap();
    let page =
        |n: usize, es: &str| (format!("public/{es}programs/p/awards/{n}.html"), format!("{n}{es}{text}"));
    let all: Pages = (0..9).map(|n| page(n, "")).chain((0..9).map(|n| page(n, "es/"))).collect();
    let empty = ["a", "b"].map(|name| (format!("public/programs/p/{name}"), String::new()));
    put(&root, &PACKS, &[all.clone(), empty.to_vec()]);
    let objects = objects_of(&root);
    assert!(objects.iter().all(|object| object.length <= 128 << 10));
    // Three pages are an object: both languages of one, and one of the next.
    assert_eq!(objects.len(), 6 + 2, "those, one for empty bodies, and the table of files");
    assert_bodies(&root, &[all, empty.to_vec()]);
}

#[test]
fn a_tree_is_pushed_in_the_objects_that_packs_have() {
    let [packs, tree_root, to] = [Scratch::new(), Scratch::new(), Scratch::new()];
    put(&packs, &PACKS, &records(""));
    put(&tree_root, &tree("tenth 1"), &records(""));
    let store = Elsewhere::default();
    let (first, new) = store.push(&packs, None, 1);
    assert_eq!(new.len(), 1);
    let (second, new) = store.push(&tree_root, Some(&first), 2);
    assert_eq!((new.len(), &second.packs), (0, &first.packs));
    store.pull(&to, &second).unwrap();
    assert_bodies(&to, &records(""));
    let changed = records("changed");
    put(&tree_root, &tree("tenth 1"), &changed);
    let (third, _) = store.push(&tree_root, Some(&second), 3);
    let (before, after) = (objects_of(&to).len(), store.pull(&to, &third).unwrap());
    assert!(after < 30_000, "the table of files and a record: {after}");
    assert_eq!(objects_of(&to).len(), before);
    assert_bodies(&to, &changed);
}

#[test]
fn bodies_in_another_order_than_the_table_says_are_refused() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &records(""));
    let store = Elsewhere::default();
    let (of, _) = store.push(&from, None, 1);
    let file = Sections::from_bytes(&of.objects).unwrap();
    let places = file.get::<places::Place>("bodies").unwrap();
    // Rows of the same object change places; one row is moved to the start of its object; two rows are of other objects.
    let same = (1..places.len()).find(|at| places[*at].object == places[0].object).unwrap();
    let other = (1..places.len()).find(|at| places[*at].object != places[0].object).unwrap();
    let moved = places.iter().position(|place| place.start > 0).unwrap();
    for way in 0..3 {
        let mut forged_places = places.to_vec();
        match way {
            0 => forged_places.swap(0, same),
            1 => forged_places[moved].start = 0,
            _ => forged_places.swap(0, other),
        }
        let mut forged = SectionWriter::default();
        forged.put("table", file.get::<Digest>("table").unwrap().to_vec());
        forged.put("packs", file.get::<places::Pack>("packs").unwrap().to_vec());
        forged.put("objects", file.get::<codec::Object>("objects").unwrap().to_vec());
        forged.put("bodies", forged_places);
        forged.put("parts", file.get::<u32>("parts").unwrap().to_vec());
        forged.put("own", file.get::<places::Place>("own").unwrap().to_vec());
        let forged = forged.finish();
        let mut incoming = IncomingGeneration::begin(&to, &of.manifest, &of.history, forged.bytes()).unwrap();
        let mut refused = false;
        for _ in 0..2 {
            for piece in incoming.missing() {
                refused |= incoming.add(&piece, &store.piece(&piece)).is_err();
            }
        }
        assert!(refused && incoming.publish(2).is_err(), "way {way}");
    }
    assert!(live_id(&to).is_err());
}

#[test]
fn a_wrong_byte_in_an_object_is_reported_for_each_page_in_it() {
    let root = Scratch::new();
    put(&root, &PACKS, &records(""));
    let live = Generation::open_current(&root).unwrap();
    let pack = fs::read_dir(dir(&root, live.id()).join("packs")).unwrap().next().unwrap().unwrap().path();
    let object = objects_of(&root).into_iter().find(|object| object.dictionary != 0).unwrap();
    let mut bytes = fs::read(&pack).unwrap();
    let end = (object.offset + object.stored) as usize;
    bytes[end - 1] ^= 0x40;
    overwrite(&pack, &bytes);
    let rows: Vec<u32> = (0..400).collect();
    let faults = verify::check_bodies(&live, &rows, 2);
    assert!((1..=4).contains(&faults.len()), "{faults:?}");
}
