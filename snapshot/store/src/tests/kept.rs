//! A pull that failed and a root that is damaged: what is whole is not fetched a second time.

use std::cmp::Reverse;

use super::packs::{PACKS, put};
use super::travel::{Elsewhere, pages};
use super::*;
use crate::sections::Sections;
use crate::{IncomingGeneration, PackedGeneration, take_present};

/// Fetches what is missing, but the first byte of one object is another one each time; gives the bytes that were fetched.
fn pull_with_damage(packs: &Elsewhere, root: &Path, of: &PackedGeneration) -> usize {
    let objects = Sections::from_bytes(&of.objects).unwrap().get::<codec::Object>("objects").unwrap();
    let pages = objects.iter().filter(|object| object.dictionary != 0);
    let damaged_at = pages.map(|object| u64::from(object.offset)).max().unwrap();
    let mut incoming = IncomingGeneration::begin(root, &of.manifest, &of.history, &of.objects).unwrap();
    let (mut fetched, mut damaged) = (0, 0);
    while damaged == 0 {
        for piece in incoming.missing() {
            let mut stored = packs.piece(&piece);
            fetched += stored.len();
            let is_damaged = piece.offset == damaged_at;
            damaged += usize::from(is_damaged);
            stored[0] ^= u8::from(is_damaged);
            assert_eq!(incoming.add(&piece, &stored).is_err(), is_damaged, "a wrong byte is an error");
        }
    }
    fetched
}

#[test]
fn a_pull_goes_on_where_the_one_before_failed() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &pages(""));
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    let first = pull_with_damage(&packs, &to, &outgoing);
    let second = pull_with_damage(&packs, &to, &outgoing);
    assert!(second * 5 < first, "{second} after {first}");
    let third = packs.pull(&to, &outgoing).unwrap();
    assert!(third == second, "only the damaged object: {third}");
    assert!(faults(&to, VerifyMode::Deep).is_empty());
    assert!(!to.join("incoming").exists(), "nothing is left behind");
}

#[test]
fn a_pull_that_is_killed_loses_little() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &large());
    let packs = Elsewhere::default();
    let (of, _) = packs.push(&from, None, 1);
    let mut incoming = IncomingGeneration::begin(&to, &of.manifest, &of.history, &of.objects).unwrap();
    let mut fetched = 0;
    while let missing = incoming.missing()
        && !missing.is_empty()
    {
        for piece in missing {
            incoming.add(&piece, &packs.piece(&piece)).unwrap();
            fetched += u64::from(piece.len);
            let on_disk = fs::read_dir(to.join("incoming")).unwrap();
            let on_disk: u64 = on_disk.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
            assert!(fetched < on_disk + (5 << 20), "{fetched} fetched, {on_disk} on disk");
        }
    }
    assert!(fetched > 30 << 20, "{fetched}");
}

#[test]
fn a_kept_pack_that_is_cut_is_fetched_again() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &pages(""));
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    pull_with_damage(&packs, &to, &outgoing);
    for kept in fs::read_dir(to.join("incoming")).unwrap().map(|entry| entry.unwrap().path()) {
        let bytes = fs::read(&kept).unwrap();
        overwrite(&kept, &bytes[..bytes.len() - 1]);
    }
    fs::write(to.join("incoming/other"), "x").unwrap();
    packs.pull(&to, &outgoing).unwrap();
    assert!(faults(&to, VerifyMode::Deep).is_empty());
}

/// Pages and enough noise for several packs.
fn large() -> Vec<(String, Vec<u8>)> {
    let mut all = pages("");
    // A pack is closed at 16 MiB.
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    all.extend((0..9).map(|n| (format!("public/noise-{n}.bin"), (0..4 << 20).map(|_| next()).collect())));
    all
}

#[test]
fn a_damaged_root_keeps_its_whole_packs() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &large());
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    let all = packs.pull(&to, &outgoing).unwrap();
    let generation = || dir(&to, live_id(&to).unwrap());
    // By size: 0 is the largest. The dictionaries of the last one's objects are in the largest.
    let pack = |number: usize| {
        let entries = fs::read_dir(generation().join("packs")).unwrap();
        let mut packs: Vec<_> = entries.map(|entry| entry.unwrap()).collect();
        packs.sort_by_key(|entry| Reverse((entry.metadata().unwrap().len(), entry.file_name())));
        packs[number].path()
    };
    let remove_pack = |number: usize| fs::remove_file(pack(number)).unwrap();
    type Damage<'a> = (&'a str, bool, Box<dyn Fn() + 'a>);
    let damages: [Damage<'_>; 8] = [
        ("the largest pack is gone", false, Box::new(|| remove_pack(0))),
        (
            "a byte of the largest pack is another",
            false,
            Box::new(|| {
                let mut bytes = fs::read(pack(0)).unwrap();
                bytes[1000] ^= 1;
                overwrite(&pack(0), &bytes);
            }),
        ),
        ("the second pack is gone", false, Box::new(|| remove_pack(1))),
        ("the third pack is gone", false, Box::new(|| remove_pack(2))),
        (
            "objects.bin is gone",
            true,
            Box::new(|| fs::remove_file(generation().join("objects.bin")).unwrap()),
        ),
        ("the manifest is empty", true, Box::new(|| overwrite(&generation().join("manifest.json"), b""))),
        (
            "history.bin is gone",
            true,
            Box::new(|| fs::remove_file(generation().join("history.bin")).unwrap()),
        ),
        ("CURRENT is gone", true, Box::new(|| fs::remove_file(to.join("CURRENT")).unwrap())),
    ];
    for (name, keeps_all, damage) in damages {
        damage();
        let present = take_present(&to, &outgoing.manifest).unwrap();
        assert!(present.is_none() || name.starts_with("CURRENT"), "{name}: {present:?}");
        let fetched = packs.pull(&to, &outgoing).unwrap();
        assert!(fetched * 2 < all && (!keeps_all || fetched == 0), "{name}: {fetched} of {all}");
        assert!(faults(&to, VerifyMode::Deep).is_empty(), "{name}");
    }
}

#[test]
fn a_root_that_lost_its_generations_is_filled_again() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &pages(""));
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    packs.pull(&to, &outgoing).unwrap();
    fs::write(to.join("accepted"), "{}").unwrap();
    fs::remove_dir_all(to.join("generations")).unwrap();
    packs.pull(&to, &outgoing).unwrap();
    assert!(faults(&to, VerifyMode::Deep).is_empty());
}

#[test]
fn a_table_that_names_one_object_many_times_is_refused_before_it_is_decoded() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &pages(""));
    let packs = Elsewhere::default();
    let (outgoing, _) = packs.push(&from, None, 1);
    let file = Sections::from_bytes(&outgoing.objects).unwrap();
    let mut forged = SectionWriter::default();
    let longest = {
        let objects = file.get::<codec::Object>("objects").unwrap();
        let at = (0..objects.len()).max_by_key(|at| objects[*at].length).unwrap();
        forged.put("objects", objects.to_vec());
        at as u32
    };
    forged.put("table", file.get::<Digest>("table").unwrap().to_vec());
    forged.put("packs", file.get::<places::Pack>("packs").unwrap().to_vec());
    forged.put("bodies", file.get::<places::Place>("bodies").unwrap().to_vec());
    let mut parts = file.get::<u32>("parts").unwrap().to_vec();
    let own = places::Place { object: 1 << 31 | parts.len() as u32, start: 32_768 };
    parts.extend(std::iter::repeat_n(longest, 32_768));
    forged.put("parts", parts);
    forged.put("own", [own]);
    let forged = PackedGeneration { objects: forged.finish().bytes().to_vec(), ..outgoing };
    let error = packs.pull(&to, &forged).unwrap_err().to_string();
    assert!(error.contains("longer than a table of so many rows"), "{error}");
}
