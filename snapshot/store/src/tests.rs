//! The store on a real disk: what is linked, refused, found damaged, rolled back and removed.

mod changes;
mod crash;
mod dates;
mod incoming;
mod others;

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::civil::{Date, date};

use super::archive::LOCAL_HEADER;
use super::layout::FILE_TABLE;
use super::sections::SectionWriter;
use super::*;

/// A directory that is gone after the test.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl std::ops::Deref for Scratch {
    type Target = Path;
    fn deref(&self) -> &Path {
        self.0.path()
    }
}

const MORNING: &str = "2026-11-20T06:00:00Z";
/// `date -d 2026-11-20T06:00:00Z +%s`
const SIX: i64 = 1_795_154_400;
const DAY: Date = date(2026, 11, 20);

pub(super) fn about(generated_at: &str) -> BuildInfo {
    BuildInfo {
        generated_at: generated_at.parse().unwrap(),
        as_of: date(2026, 11, 20),
        base_url: "https://example.org".to_owned(),
        source: Digest::of(b"dataset"),
        counts: RecordCounts { programs: 2, ..RecordCounts::default() },
        complete: true,
        ids: RecordIds::default(),
    }
}

const HOLE: Hole = Hole { start: 0, len: 1, rule: 1, arg: 7 };

fn section<T: bytemuck::Pod>(name: &'static str, elements: impl Into<Vec<T>>) -> SectionWriter {
    let mut file = SectionWriter::default();
    file.put(name, elements);
    file
}

fn stage(root: &Path, pages: &[(&str, &str)]) -> Stage {
    let stage = Stage::begin(root).unwrap();
    stage.put_sections("index/rows.bin", section("numbers", [1u32, 2, 3])).unwrap();
    for (path, body) in pages {
        let holes = &[HOLE][body.is_empty().into()..];
        stage.put(NewFile { path, body: body.as_bytes(), holes, inputs: &[] }).unwrap();
    }
    stage
}

pub(super) fn publish(root: &Path, pages: &[(&str, &str)]) -> PublishOutcome {
    publish_at(root, MORNING, pages)
}

fn publish_at(root: &Path, time: &str, pages: &[(&str, &str)]) -> PublishOutcome {
    stage(root, pages).publish(&about(time)).unwrap()
}

fn long(text: &str) -> String {
    text.repeat(1000 / text.len())
}

fn dir(root: &Path, id: GenerationId) -> PathBuf {
    root.join("generations").join(id.to_string())
}

fn faults(root: &Path, mode: VerifyMode) -> Vec<String> {
    let faults = verify(root, None, mode).err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

/// Overwrites a published file, which is read-only, by replacing it.
fn overwrite(path: &Path, bytes: impl AsRef<[u8]>) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// Changes a bit of a published file.
fn spoil(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    overwrite(path, bytes);
}

#[test]
fn what_was_put_is_read_back() {
    let root = Scratch::new();
    let body = long("abcdefgh ") + &long("ijklmnop ");
    let published = publish(&root, &[("api/v1/programs/a.json", &body), ("short.txt", "short")]);
    let id = published.manifest.id();
    assert_eq!(fs::read_to_string(root.join("CURRENT")).unwrap(), format!("{id}\n"));
    assert_eq!(live_id(&root).unwrap(), id);
    let live = Generation::open_current(&root).unwrap();
    assert_eq!((live.id(), live.manifest()), (id, &published.manifest));
    assert_eq!((id.sequence, live.manifest().parent), (1, None));

    let entry = live.files().lookup(&["api/v1/programs/", "a", ".json"]).unwrap();
    assert_eq!(entry.path(), "api/v1/programs/a.json");
    assert_eq!(live.read(entry, Coding::Identity).unwrap(), body.as_bytes());
    let mut gunzipped = String::new();
    let gzip = live.read(entry, Coding::Gzip).unwrap();
    flate2::read::GzDecoder::new(&*gzip).read_to_string(&mut gunzipped).unwrap();
    assert_eq!((gunzipped, entry.offers(Coding::Gzip)), (body, true));
    assert_eq!(entry.holes(), [HOLE]);
    assert_eq!(entry.changed(), SIX);
    let short = live.files().lookup(&["short.txt"]).unwrap();
    assert_eq!((short.offers(Coding::Gzip), short.identity().len), (false, 5));
    assert!(live.files().lookup(&["api/v1/programs/", "b", ".json"]).is_none());
    assert!(live.files().lookup(&[&"x".repeat(2000)]).is_none());
    assert_eq!(*live.index("rows.bin").unwrap().get::<u32>("numbers").unwrap(), [1, 2, 3]);
    assert!(live.index("other.bin").is_err());
}

#[test]
fn hash_and_archive_do_not_depend_on_the_order_of_bodies_and_on_what_was_published_before() {
    let (fresh, grown) = (Scratch::new(), Scratch::new());
    let texts: Vec<(String, String)> =
        (0..50).map(|n| (format!("p/{n}.html"), long(&n.to_string()))).collect();
    let mut pages: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (&**path, &**text)).collect();
    publish(&grown, &[&pages[..20], &[("p/20.html", "old")]].concat());
    let one = publish(&fresh, &pages).manifest;
    pages.reverse();
    let two = publish(&grown, &pages).manifest;
    assert_eq!((one.hash, one.sequence, two.sequence), (two.hash, 1, 2));
    let archive =
        |root: &Path, manifest: &Manifest| fs::read(dir(root, manifest.id()).join(ARCHIVE)).unwrap();
    assert!(archive(&fresh, &one) == archive(&grown, &two));
    let lines = format!("{}\n2026-11-20\nhttps://example.org\n", one.files.sha256);
    assert_eq!(one.hash, Digest::of(lines.as_bytes()));
    assert!(one.hash.to_string().starts_with(one.id().to_string().strip_prefix("000001-").unwrap()));
}

#[test]
fn an_unchanged_rebuild_is_none_and_an_unchanged_body_is_copied_packed_with_its_date() {
    let root = Scratch::new();
    let [a, b, c] = ["a", "b", "c"].map(long);
    let first = publish(&root, &[("a.json", &a), ("b.json", &b)]);
    let later = |b: &str| publish_at(&root, "2026-11-21T06:00:00Z", &[("a.json", &a), ("b.json", b)]);
    let again = later(&b);
    assert!(again.unchanged && !first.unchanged);
    assert_eq!((&again.manifest, list(&root).unwrap().len()), (&first.manifest, 1));
    let second = later(&c);
    assert_eq!((second.copied, second.manifest.parent), (1, Some(first.manifest.id())));
    let live = Generation::open_current(&root).unwrap();
    let changed = |path| live.files().lookup(&[path]).unwrap().changed();
    assert_eq!(changed("b.json") - changed("a.json"), 86_400);
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

#[test]
fn what_of_a_body_depends_on_the_day_is_part_of_the_hash() {
    let hash = |holes: &[Hole]| {
        let root = Scratch::new();
        let stage = Stage::begin(&root).unwrap();
        stage.put(NewFile { path: "a", body: b"body", holes, inputs: &[] }).unwrap();
        stage.publish(&about(MORNING)).unwrap().manifest.hash
    };
    assert_eq!(hash(&[HOLE]), hash(&[HOLE]));
    assert_ne!(hash(&[HOLE]), hash(&[]));
}

#[test]
fn a_damaged_parent_is_repaired_by_building_again() {
    let root = Scratch::new();
    let pages = [("a.json", &*long("a"))];
    let first = publish(&root, &pages).manifest;
    spoil(&dir(&root, first.id()).join("site.zip"), 40);
    let again = publish(&root, &pages);
    assert_eq!((again.unchanged, again.copied, again.manifest.hash), (false, 0, first.hash));
    assert!(faults(&root, VerifyMode::Deep).is_empty());

    overwrite(&dir(&root, again.manifest.id()).join("manifest.json"), r#"{"format": 4, "old": true}"#);
    let version = Generation::open_current(&root).err().unwrap().to_string();
    let expected = format!("format 4, this program reads {FORMAT}: made by another version; rebuild it");
    assert!(version.contains(&expected), "{version}");
    let third = publish(&root, &pages);
    assert_eq!((third.manifest.sequence, third.manifest.parent), (3, None));
}

/// A table of another layout with the same number would be damage that no build repairs, as the bodies are unchanged.
#[test]
fn the_file_table_of_a_format_has_one_layout() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", "a")]).manifest.id());
    let table = Digest::of(&fs::read(live.join(FILE_TABLE)).unwrap()).to_string();
    assert_eq!((FORMAT, &table[..16]), (9, "598d36a3517f2526"), "raise the number with the layout");
}

#[test]
fn a_part_of_a_long_body_is_read_from_the_pieces_that_hold_it() {
    const MIB: usize = 1 << 20;
    let root = Scratch::new();
    let body: String = (0..3 * MIB / 8 + 1).map(|number| format!("{number:>8}")).collect();
    let live = dir(&root, publish(&root, &[("a.csv", &body), ("b.csv", "short")]).manifest.id());
    let reader = Generation::open_current(&root).unwrap();
    let read = |part: std::ops::Range<usize>| {
        let entry = reader.files().lookup(&["a.csv"]).unwrap();
        reader.read_part(entry, part).map_err(|error| error.to_string())
    };
    let ends = [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB, body.len() - 1, body.len()];
    for (start, end) in ends.into_iter().flat_map(|start| ends.map(|end| (start, end))) {
        let found = read(start..end);
        let expected = body.as_bytes().get(start..end).filter(|part| !part.is_empty());
        assert_eq!(found.ok().as_deref(), expected, "{start}..{end}");
    }
    assert!(read(0..body.len() + 1).is_err());
    let short = reader.files().lookup(&["b.csv"]).unwrap();
    assert_eq!(reader.read_part(short, 1..4).unwrap(), b"hor");
    spoil(&live.join("site.zip"), LOCAL_HEADER as usize + "a.csv".len() + 9);
    assert!(read(0..1).unwrap_err().contains("a.csv: is not what was published"));
    assert_eq!(read(MIB..MIB + 1).unwrap(), &body.as_bytes()[MIB..=MIB], "the others are sound");
}

#[test]
fn a_section_file_is_opened_where_it_lies_written_or_taken_from_the_parent() {
    let root = Scratch::new();
    publish(&root, &[]);
    let stage = Stage::begin(&root).unwrap();
    let same = stage.put_sections("index/rows.bin", section("numbers", [1u32, 2, 3])).unwrap();
    let other = stage.put_sections("index/lists.bin", section("numbers", [4u32, 5, 6])).unwrap();
    assert_eq!(*same.get::<u32>("numbers").unwrap(), [1, 2, 3]);
    assert_eq!(*other.get::<u32>("numbers").unwrap(), [4, 5, 6]);
    let published = stage.publish(&about(MORNING)).unwrap();
    assert!(!published.unchanged);
    assert_eq!(*other.get::<u32>("numbers").unwrap(), [4, 5, 6], "also after publishing");
}

#[test]
fn a_broken_pointer_is_named_and_the_next_build_mends_it() {
    let root = Scratch::new();
    let first = publish(&root, &[("a.json", "a")]).manifest;
    for broken in ["", "000001", "../../etc\n", "000001-0123\n", &format!("{}", first.id())] {
        overwrite(&root.join("CURRENT"), broken);
        let err = Generation::open_current(&root).err().unwrap().to_string();
        assert!(err.contains("CURRENT") && err.contains("expected one generation id"), "{err}");
    }
    let absent = GenerationId { sequence: 7, hash: first.id().hash };
    overwrite(&root.join("CURRENT"), format!("{absent}\n"));
    let err = Generation::open_current(&root).err().unwrap().to_string();
    assert!(err.contains(&absent.to_string()) && err.contains("no such generation"), "{err}");
    let [back, _] = rollback(&root, Some(first.id()), DAY).unwrap();
    assert_eq!(back, GenerationId { sequence: 2, ..first.id() });
    overwrite(&root.join("CURRENT"), format!("{absent}\n"));
    assert_eq!(publish(&root, &[("a.json", "a")]).manifest.sequence, 3);
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

#[test]
fn a_second_publisher_is_refused_while_the_first_is_at_work() {
    let root = Scratch::new();
    let first = Stage::begin(&root).unwrap();
    let err = Stage::begin(&root).err().unwrap();
    assert!(matches!(err, StoreError::Locked { .. }), "{err}");
    assert!(matches!(gc(&root, 1, SystemTime::now()), Err(StoreError::Locked { .. })));
    drop(first);
    assert_eq!(fs::read_dir(root.join("generations")).unwrap().count(), 0);
    assert!(Stage::begin(&root).is_ok());
}

#[test]
fn unsafe_paths_duplicates_and_bad_holes_are_refused() {
    let root = Scratch::new();
    let stage = Stage::begin(&root).unwrap();
    let put = |path, holes| stage.put(NewFile { path, body: b"body", holes, inputs: &[] });
    let long_name = "x".repeat(251);
    for path in ["", "a/", "a//b", "a/../x", "a/./b", "/a", "a b", "ä", "a\n", "a\\b", &long_name] {
        assert!(matches!(put(path, &[]), Err(StoreError::Unfit { .. })), "{path}");
    }
    for holes in [
        &[Hole { start: 3, len: 2, ..HOLE }][..],
        &[HOLE, HOLE],
        &[Hole { start: u32::MAX, len: u32::MAX, ..HOLE }],
    ] {
        assert!(matches!(put("a", holes), Err(StoreError::Unfit { .. })), "{holes:?}");
    }
    put(".well-known/security.txt", &[Hole { start: 3, ..HOLE }]).unwrap();
    put(".well-known/security.txt", &[]).unwrap();
    let twice = stage.publish(&about(MORNING)).unwrap_err().to_string();
    assert!(twice.contains("put twice"), "{twice}");
}

#[test]
fn rollback_publishes_the_parent_or_the_one_named_again_and_refuses_a_damaged_one() {
    let root = Scratch::new();
    let ids = ["a", "b", "c"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    let [back, of] = rollback(&root, None, DAY).unwrap();
    assert_eq!((back, of), (GenerationId { sequence: 4, ..ids[1] }, ids[1]));
    let live = Generation::open_current(&root).unwrap();
    assert_eq!((live.id(), live.manifest().parent), (back, Some(ids[2])));
    assert_eq!(live.read(live.files().lookup(&["a.json"]).unwrap(), Coding::Identity).unwrap(), b"b");
    let inode = |id| fs::metadata(dir(&root, id).join("site.zip")).unwrap().ino();
    assert_eq!(inode(ids[1]), inode(back), "no byte is written twice");
    assert!(faults(&root, VerifyMode::Deep).is_empty());
    assert_eq!(rollback(&root, Some(ids[1]), DAY).unwrap(), [back, ids[1]], "it is live already");
    assert_eq!(rollback(&root, Some(ids[2]), DAY).unwrap()[0], GenerationId { sequence: 5, ..ids[2] });
    let archive = dir(&root, ids[0]).join("site.zip");
    spoil(&archive, 40);
    assert!(rollback(&root, Some(ids[0]), DAY).unwrap_err()[0].to_string().contains("SHA-256"));
    fs::remove_file(&archive).unwrap();
    assert!(rollback(&root, Some(ids[0]), DAY).unwrap_err()[0].to_string().contains("missing"));
    assert_eq!(Generation::open_current(&root).unwrap().id().sequence, 5);
    assert!(list(&root).unwrap().into_iter().map(|id| id.sequence).eq(1..=5));
    assert_eq!(publish(&root, &[("a.json", "d")]).manifest.sequence, 6);
}

#[test]
fn each_rollback_goes_one_back_also_from_a_content_that_was_built_twice() {
    let root = Scratch::new();
    let ids = ["a", "b", "a", "c"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    for of in [2, 1, 0] {
        assert_eq!(rollback(&root, None, DAY).unwrap()[1], ids[of]);
    }
    let none = rollback(&root, None, DAY).unwrap_err().remove(0);
    assert!(matches!(none, StoreError::NoParent { .. }), "{none}");
    // From here on, a build follows the content that is live.
    publish(&root, &[("a.json", "d")]);
    assert_eq!(rollback(&root, None, DAY).unwrap()[0].hash, ids[0].hash);
}

#[test]
fn assets_of_the_two_looks_before_stay_reachable() {
    let root = Scratch::new();
    let publish = |look: &str, page| {
        let path = format!("assets/site-{look}.css");
        publish(&root, &[(&path, look), ("assets/same.js", "same"), ("a.html", page)])
    };
    let earlier = || {
        let assets = Generation::open_current(&root).unwrap().earlier_assets().unwrap();
        let look = |asset: &EarlierAsset| String::from_utf8(asset.bytes.clone()).unwrap();
        let is_whole = |asset: &EarlierAsset| asset.path == format!("assets/site-{}.css", look(asset));
        assert!(assets.iter().all(is_whole));
        assets.iter().map(look).collect::<String>()
    };
    // Another text does not change the look, and what is in use again is no earlier asset.
    for step in ["a1", "b1 a", "b2 a", "b3 a", "b4 a", "c4 ba", "b4 c", "d4 bc"] {
        let (put, expected) = step.split_once(' ').unwrap_or((step, ""));
        publish(&put[..1], &put[1..]);
        assert_eq!(earlier(), expected, "{step}");
    }
    assert!(publish("d", "4").unchanged);
    rollback(&root, None, DAY).unwrap();
    assert_eq!(earlier(), "d", "and c is three looks ago");
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

#[test]
fn gc_keeps_the_live_the_newest_the_recent_and_the_open_ones() {
    let root = Scratch::new();
    let ids = ["a", "b", "c", "d", "e"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    let (long_ago, later) = (SystemTime::UNIX_EPOCH, SystemTime::now() + std::time::Duration::from_secs(60));
    assert_eq!(gc(&root, 1, long_ago).unwrap(), [], "all were live a moment ago");
    let [live, _] = rollback(&root, Some(ids[1]), DAY).unwrap();
    let reader = Generation::open_on(&generation::open_root(&root).unwrap(), ids[0], 0).unwrap();
    assert_eq!(gc(&root, 2, later).unwrap(), [ids[3], ids[2], ids[1]]);
    let left = list(&root).unwrap();
    assert_eq!(left, [ids[0], ids[4], live]);
    drop(reader);
    assert_eq!(gc(&root, 0, later).unwrap(), [ids[4], ids[0]]);
    assert!(faults(&root, VerifyMode::Deep).is_empty(), "links that others share go one by one");
    // Where the live one is gone, the others are what is left.
    fs::remove_dir_all(dir(&root, live)).unwrap();
    let copy = publish(&Scratch::new(), &[("a.json", "x")]).manifest.id();
    fs::create_dir(root.join("generations").join(copy.to_string())).unwrap();
    assert!(matches!(gc(&root, 0, later), Err(StoreError::NoGeneration { .. })));
    assert_eq!(list(&root).unwrap(), [copy]);
}

#[test]
fn leaving_current_restarts_the_rest_that_gc_grants() {
    let root = Scratch::new();
    let ids = ["a", "b"].map(|body| publish(&root, &[("a.json", body)]).manifest.id());
    let old = fs::File::open(dir(&root, ids[1])).unwrap();
    old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    rollback(&root, None, DAY).unwrap();
    let hour_ago = SystemTime::now() - std::time::Duration::from_secs(3600);
    assert_eq!(gc(&root, 0, hour_ago).unwrap(), []);
}
