//! Generations in packs: one name with the tree, little written anew, nothing served that is not what was published.

use super::*;

pub(super) const PACKS: Layout = Layout::Packs { level: 3 };

pub(super) fn put(root: &Path, layout: &Layout, pages: &[(String, Vec<u8>)]) -> PublishOutcome {
    let stage = Stage::begin(root, layout).unwrap();
    for (path, body) in pages {
        stage.put(NewFile { path, body, holes: &[], encodings: true }, &tenth).unwrap();
    }
    let mut index = SectionWriter::default();
    index.put("numbers", [1u32, 2, 3]);
    let kept = stage.put_sections("index/rows.bin", index).unwrap();
    let published = stage.publish(&about("2026-11-20T06:00:00Z"), 2).unwrap();
    assert_eq!(*kept.get::<u32>("numbers").unwrap(), [1, 2, 3], "also after publishing");
    published
}

pub(super) fn page(path: &str, body: &str) -> (String, Vec<u8>) {
    (format!("public/{path}"), body.as_bytes().to_vec())
}

/// Text that no two places of have alike.
pub(super) fn noise(len: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'a' + (state >> 59) as u8 % 26
    };
    (0..len).map(|_| next()).collect()
}

/// Names and lengths of the packs of the live generation.
fn packs(root: &Path) -> Vec<(PathBuf, u64)> {
    let live = dir(root, live_id(root).unwrap()).join("packs");
    let mut found: Vec<_> = fs::read_dir(live).unwrap().map(|pack| pack.unwrap().path()).collect();
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let len = fs::metadata(&path).unwrap().len();
            (path, len)
        })
        .collect()
}

fn read(root: &Path, path: &str) -> Vec<u8> {
    let live = Generation::open_current(root).unwrap();
    live.read(live.files().lookup(&[path]).unwrap(), Coding::Identity).unwrap()
}

#[test]
fn a_tree_and_packs_of_one_dataset_have_one_hash_and_the_same_bodies() {
    let [tree_root, pack_root] = [Scratch::new(), Scratch::new()];
    let pages =
        [page("a.json", &long("a")), page("d/b.txt", ""), (String::from("public/big.txt"), noise(400_000))];
    let one = put(&tree_root, &tree("tenth 1"), &pages).manifest;
    let two = put(&pack_root, &PACKS, &pages).manifest;
    assert_eq!(one, two);
    let live = Generation::open_current(&pack_root).unwrap();
    assert!(live.is_packed() && !Generation::open_current(&tree_root).unwrap().is_packed());
    for (path, body) in &pages {
        let entry = live.files().lookup(&[&path["public/".len()..]]).unwrap();
        assert_eq!(live.read(entry, Coding::Identity).unwrap(), *body, "{path}");
        assert!(live.read(entry, Coding::Gzip).unwrap_err().to_string().contains("missing"));
    }
    assert_eq!(*live.index("rows.bin").unwrap().get::<u32>("numbers").unwrap(), [1, 2, 3]);
    let [short, big] = ["a.json", "big.txt"].map(|path| live.files().lookup(&[path]).unwrap());
    assert_eq!(
        [short, big].map(|entry| entry.offers(Coding::Gzip)),
        [false, true],
        "short ones stay as they are"
    );
    assert!(big.offers(Coding::Zstd) && !big.offers(Coding::Brotli));
    let own = fs::read_dir(dir(&pack_root, two.id())).unwrap().map(|file| file.unwrap().file_name());
    let mut own: Vec<_> = own.map(|name| name.into_string().unwrap()).collect();
    own.sort();
    assert_eq!(own, ["history.bin", "manifest.json", "objects.bin", "packs"]);
    assert!(faults(&pack_root, VerifyMode::Deep).is_empty());
}

#[test]
fn an_unchanged_rebuild_publishes_nothing_but_another_layout_is_another_generation_of_one_hash() {
    let root = Scratch::new();
    let pages = [page("a.json", &long("a"))];
    let first = put(&root, &PACKS, &pages);
    let again = put(&root, &PACKS, &pages);
    assert!(again.unchanged && again.manifest == first.manifest);
    let other = put(&root, &tree("tenth 1"), &pages);
    assert_eq!(
        (other.unchanged, other.manifest.sequence, other.manifest.hash),
        (false, 2, first.manifest.hash)
    );
    let back = put(&root, &PACKS, &pages);
    assert_eq!((back.unchanged, back.manifest.sequence, back.manifest.hash), (false, 3, first.manifest.hash));
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

#[test]
fn only_what_is_new_is_written_and_a_change_inside_a_long_body_leaves_most_of_it() {
    let root = Scratch::new();
    let mut body = noise(4_000_000);
    put(&root, &PACKS, &[page("a.json", &long("a")), (String::from("public/big"), body.clone())]);
    let [(pack, length)] = packs(&root).try_into().unwrap();
    body.splice(2_000_000..2_000_000, *b"inserted");
    let second =
        put(&root, &PACKS, &[page("a.json", &long("a")), (String::from("public/big"), body.clone())]);
    assert_eq!(read(&root, "big"), body);
    let now = packs(&root);
    let new = now.iter().find(|(path, _)| path.file_name() != pack.file_name()).unwrap();
    assert!(now.len() == 2 && new.1 * 8 < length, "{} of {length}", new.1);
    assert!(second.linked.bytes > 3_500_000, "{:?}", second.linked);
    let kept = now.iter().find(|(path, _)| path.file_name() == pack.file_name()).unwrap();
    assert_eq!(
        fs::metadata(&pack).unwrap().ino(),
        fs::metadata(&kept.0).unwrap().ino(),
        "linked, not copied"
    );
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

fn family(n: usize, text: &str) -> Vec<(String, Vec<u8>)> {
    let head = String::from_utf8(noise(3000)).unwrap();
    (0..n).map(|n| page(&format!("p/{n}.html"), &format!("{head} {n} {text} {}", n * n))).collect()
}

#[test]
fn a_family_shares_a_dictionary_and_goes_on_with_it() {
    let root = Scratch::new();
    put(&root, &PACKS, &family(63, "one"));
    let without: u64 = packs(&root).iter().map(|(_, length)| length).sum();
    put(&root, &PACKS, &family(300, "two"));
    let with: u64 = packs(&root).iter().map(|(_, length)| length).sum();
    assert!(with * 4 < without * 3, "300 pages with a dictionary, 63 without: {with}, {without}");
    let before = packs(&root).len();
    let third = [
        family(300, "two"),
        vec![page("p/300.html", &format!("{} new", String::from_utf8(noise(3000)).unwrap()))],
    ];
    let third = put(&root, &PACKS, &third.concat());
    assert!(third.linked.files >= 300, "{:?}", third.linked);
    let new = packs(&root);
    assert_eq!(new.len(), before + 1);
    assert!(read(&root, "p/300.html").ends_with(b" new"));
    assert_eq!(read(&root, "p/17.html"), family(300, "two")[17].1);
    assert!(faults(&root, VerifyMode::Deep).is_empty());
}

#[test]
fn packs_that_are_mostly_waste_and_too_many_small_ones_are_made_one() {
    let root = Scratch::new();
    let mut pages: Vec<_> = (0..20).map(|n| (format!("public/{n}"), noise(20_000 + n))).collect();
    put(&root, &PACKS, &pages);
    for (_, body) in &mut pages[..15] {
        body.insert(0, b'x');
    }
    put(&root, &PACKS, &pages);
    assert_eq!(packs(&root).len(), 1, "three quarters of the first were waste");
    for n in 0..12 {
        pages.push((format!("public/more-{n}"), noise(1000 + n)));
        put(&root, &PACKS, &pages);
        assert!(packs(&root).len() <= 10, "{n}");
        assert!(faults(&root, VerifyMode::Deep).is_empty());
    }
    assert!(packs(&root).len() < 9);
    assert_eq!(read(&root, "19"), noise(20_019));
}

#[test]
fn a_damaged_pack_is_named_not_served_and_made_anew_by_the_next_build() {
    let root = Scratch::new();
    let pages = [page("a.json", &long("abcdefgh")), (String::from("public/big"), noise(300_000))];
    let first = put(&root, &PACKS, &pages).manifest;
    let [(pack, _)] = packs(&root).try_into().unwrap();
    let good = fs::read(&pack).unwrap();
    let reader = Generation::open_current(&root).unwrap();
    let entry = reader.files().lookup(&["a.json"]).unwrap();
    let name = pack.file_name().unwrap().to_str().unwrap();
    let mut bad = good.clone();
    bad[20] ^= 1;
    overwrite(&pack, &bad);
    assert!(reader.read(entry, Coding::Identity).is_err());
    assert_fault(&root, VerifyMode::Deep, name, "SHA-256");
    overwrite(&pack, &good[..18]);
    let cut = reader.read(entry, Coding::Identity).unwrap_err();
    assert!(cut.to_string().contains("18 bytes long") && cut.may_pass(), "{cut}");
    assert!(reader.check_presence().unwrap_err().to_string().contains("18 bytes long"));
    fs::remove_file(&pack).unwrap();
    assert!(reader.check_presence().unwrap_err().to_string().contains("missing"));
    overwrite(&pack, &bad);
    let again = put(&root, &PACKS, &pages);
    assert_eq!((again.unchanged, again.repaired, again.manifest.hash), (false, 1, first.hash));
    assert!(faults(&root, VerifyMode::Deep).is_empty());
    let live = dir(&root, again.manifest.id());
    fs::write(live.join("packs/other.pack"), "x").unwrap();
    assert_fault(&root, VerifyMode::Fast, "packs/other.pack", "not listed");
}

#[test]
fn rollback_and_gc_leave_every_pack_that_is_referenced() {
    let root = Scratch::new();
    let ids = ["a", "b", "c"]
        .map(|body| put(&root, &PACKS, &[page("a.json", body), page("kept", "kept")]).manifest.id());
    let [back, _] = rollback(&root, Some(ids[0]), DAY).unwrap();
    assert_eq!((back, read(&root, "a.json")), (GenerationId { sequence: 4, ..ids[0] }, b"a".to_vec()));
    let later = SystemTime::now() + std::time::Duration::from_secs(60);
    assert_eq!(gc(&root, 1, later).unwrap().len(), 3);
    assert!(faults(&root, VerifyMode::Deep).is_empty());
    assert_eq!(read(&root, "kept"), b"kept");
    let changes = diff(&root, Some(&root)).unwrap().pages;
    assert!(changes.is_empty());
}

#[test]
fn a_forged_table_of_objects_is_refused_or_read_without_panic() {
    let root = Scratch::new();
    let id = put(&root, &PACKS, &[page("a.json", &long("a")), (String::from("public/big"), noise(140_000))])
        .manifest
        .id();
    let path = dir(&root, id).join("objects.bin");
    let good = fs::read(&path).unwrap();
    let mut refused = 0;
    for at in 16..good.len() {
        let mut forged = good.clone();
        forged[at] ^= 1 << (at % 8);
        let checksum = xxhash_rust::xxh3::xxh3_64(&forged[16..]);
        forged[8..16].copy_from_slice(&checksum.to_le_bytes());
        overwrite(&path, &forged);
        let Ok(generation) = Generation::open_current(&root) else {
            refused += 1;
            continue;
        };
        for entry in generation.files().entries() {
            if let Ok(body) = generation.read(entry, Coding::Identity) {
                assert_eq!(Digest::of(&body), entry.identity().sha256, "byte {at}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
