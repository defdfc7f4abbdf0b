//! A generation leaves for elsewhere and comes in somewhere: the same name and bodies, little carried twice, and
//! nothing taken that is not what was published.

use std::collections::HashMap;
use std::sync::Mutex;

use super::packs::{PACKS, noise, page, put};
use super::*;
use crate::{IncomingGeneration, PackOptions, PackRange, PackedGeneration, take_present};

/// Packs as they lie elsewhere, by hash.
#[derive(Default)]
pub(super) struct Elsewhere(Mutex<HashMap<Digest, Vec<u8>>>);

impl Elsewhere {
    /// Lets the live generation leave; gives what describes it and the lengths of its new packs.
    pub(super) fn push(
        &self,
        root: &Path,
        before: Option<&PackedGeneration>,
        salt: u64,
    ) -> (PackedGeneration, Vec<usize>) {
        let new = Mutex::new(Vec::new());
        let take = |sha256: Digest, bytes: &[u8]| {
            assert_eq!(bytes[8..16], salt.to_le_bytes(), "no pack may have the name of another push's");
            new.lock().unwrap().push(bytes.len());
            self.0.lock().unwrap().insert(sha256, bytes.to_vec());
            Ok(())
        };
        let live = Generation::open_current(root).unwrap();
        let how = PackOptions { salt, level: 3, jobs: 2 };
        let outgoing = live.outgoing(before.map(|before| &*before.objects), how, &take).unwrap();
        for pack in &outgoing.packs {
            assert_eq!(self.0.lock().unwrap()[&pack.sha256].len() as u64, pack.len);
        }
        (outgoing, new.into_inner().unwrap())
    }

    pub(super) fn piece(&self, piece: &PackRange) -> Vec<u8> {
        let start = piece.offset as usize;
        self.0.lock().unwrap()[&piece.pack][start..start + piece.len as usize].to_vec()
    }

    /// Fetches a generation; gives the bytes that were fetched.
    pub(super) fn pull(&self, root: &Path, of: &PackedGeneration) -> Result<usize, StoreError> {
        let mut incoming = IncomingGeneration::begin(root, &of.manifest, &of.history, &of.objects)?;
        let (mut fetched, mut rounds) = (0, 0);
        loop {
            let missing = incoming.missing();
            if missing.is_empty() {
                break;
            }
            rounds += 1;
            assert!(rounds <= 3, "dictionaries, the table, then all else");
            for piece in missing {
                incoming.add(&piece, &self.piece(&piece))?;
                fetched += piece.len as usize;
            }
        }
        assert!(incoming.missing_files()?.is_empty());
        incoming.publish(2)?;
        Ok(fetched)
    }
}

/// Pages enough for a dictionary, and a body of several objects.
pub(super) fn pages(change: &str) -> Vec<(String, Vec<u8>)> {
    let mut pages: Vec<_> = (0..250)
        .map(|n| {
            page(&format!("p/{n}.html"), &format!("{}<p>{n}</p>{change}", "<nav>all alike</nav>".repeat(20)))
        })
        .collect();
    let mut big = noise(600_000);
    big.splice(300_000..300_000, change.bytes());
    pages.push(("public/big.txt".to_owned(), big));
    pages
}

#[test]
fn what_leaves_a_tree_or_packs_comes_in_under_the_same_name_with_the_same_bodies() {
    for layout in [tree("tenth 1"), PACKS] {
        let [from, to] = [Scratch::new(), Scratch::new()];
        let published = put(&from, &layout, &pages("")).manifest;
        let elsewhere = Elsewhere::default();
        let (outgoing, _) = elsewhere.push(&from, None, 1);
        elsewhere.pull(&to, &outgoing).unwrap();
        let live = Generation::open_current(&to).unwrap();
        assert!(live.is_packed() && *live.manifest() == published);
        assert!(faults(&to, VerifyMode::Deep).is_empty());
        let original = Generation::open_current(&from).unwrap();
        for (one, other) in original.files().entries().zip(live.files().entries()) {
            assert_eq!(one.changed(), other.changed());
            let body = |of: &Generation, entry| of.read(entry, Coding::Identity).unwrap();
            assert!(body(&original, one) == body(&live, other), "{}", one.path());
        }
        assert_eq!(take_present(&to, &outgoing.manifest).unwrap(), Some((published.id(), true)));
    }
}

#[test]
fn only_what_changed_leaves_and_comes_in() {
    for layout in [tree("tenth 1"), PACKS] {
        let [from, to] = [Scratch::new(), Scratch::new()];
        put(&from, &layout, &pages(""));
        let elsewhere = Elsewhere::default();
        let (first, new) = elsewhere.push(&from, None, 1);
        let all: usize = new.iter().sum();
        let fetched_first = elsewhere.pull(&to, &first).unwrap();
        let mut changed = pages("");
        changed[7].1.extend(b"changed");
        put(&from, &layout, &changed);
        let (second, new) = elsewhere.push(&from, Some(&first), 2);
        assert!(new.len() == 1 && new[0] * 10 < all, "{new:?} of {all}");
        assert!(second.packs.iter().any(|pack| first.packs.contains(pack)));
        let fetched = elsewhere.pull(&to, &second).unwrap();
        assert!(fetched * 10 < fetched_first, "{fetched} of {fetched_first}");
        assert!(faults(&to, VerifyMode::Deep).is_empty());
        assert_eq!(live_id(&to).unwrap(), live_id(&from).unwrap());
    }
}

#[test]
fn packs_of_which_little_is_needed_are_left_behind() {
    let from = Scratch::new();
    put(&from, &PACKS, &pages(""));
    let elsewhere = Elsewhere::default();
    let (first, _) = elsewhere.push(&from, None, 1);
    put(&from, &PACKS, &pages("everything is something else now"));
    let (second, _) = elsewhere.push(&from, Some(&first), 2);
    let (third, new) = elsewhere.push(&from, Some(&second), 3);
    assert!(new.is_empty() && third.packs == second.packs, "nothing is new");
    let put_small = |n: usize| {
        let mut pages = pages("");
        pages[0].1.extend(format!("{n}").bytes());
        put(&from, &PACKS, &pages);
    };
    let mut before = first;
    for salt in 0..30 {
        put_small(salt as usize);
        before = elsewhere.push(&from, Some(&before), 10 + salt).0;
        assert!(before.packs.len() <= 10, "{}", before.packs.len());
    }
}

#[test]
fn bytes_that_are_not_what_was_published_are_not_taken_and_the_live_generation_stays() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    put(&from, &PACKS, &pages(""));
    let elsewhere = Elsewhere::default();
    let (first, _) = elsewhere.push(&from, None, 1);
    elsewhere.pull(&to, &first).unwrap();
    let live = live_id(&to).unwrap();
    put(&from, &PACKS, &pages("changed"));
    let (second, _) = elsewhere.push(&from, Some(&first), 2);
    for what in 0..3 {
        let mut wrong = second.clone();
        let bytes = [&mut wrong.manifest, &mut wrong.history, &mut wrong.objects];
        let bytes = bytes.into_iter().nth(what).unwrap();
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
            let kept = std::mem::replace(&mut wrong_byte(&mut wrong, what)[at], 0x55);
            let flipped = wrong_byte(&mut wrong, what)[at] ^ kept;
            if flipped != 0 {
                assert!(elsewhere.pull(&to, &wrong).is_err(), "byte {at} of {what}");
            }
            wrong_byte(&mut wrong, what)[at] = kept;
        }
    }
    let new = second.packs.iter().find(|pack| !first.packs.contains(pack)).unwrap().sha256;
    let length = elsewhere.0.lock().unwrap()[&new].len();
    for at in (16..length - 24 - 40 * 300).step_by(997) {
        // What the pull before fetched undamaged is kept, and would not be fetched again.
        fs::remove_dir_all(to.join("incoming")).unwrap();
        elsewhere.0.lock().unwrap().get_mut(&new).unwrap()[at] ^= 1;
        assert!(elsewhere.pull(&to, &second).is_err(), "byte {at}");
        elsewhere.0.lock().unwrap().get_mut(&new).unwrap()[at] ^= 1;
    }
    assert_eq!(live_id(&to).unwrap(), live);
    assert!(faults(&to, VerifyMode::Deep).is_empty());
    assert_eq!(fs::read_dir(to.join("generations")).unwrap().count(), 1, "nothing is left behind");
    elsewhere.pull(&to, &second).unwrap();
}

fn wrong_byte(of: &mut PackedGeneration, what: usize) -> &mut Vec<u8> {
    match what {
        0 => &mut of.manifest,
        1 => &mut of.history,
        _ => &mut of.objects,
    }
}

#[test]
fn a_generation_that_is_here_is_taken_as_it_is_unless_it_is_damaged() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    let elsewhere = Elsewhere::default();
    put(&from, &PACKS, &pages(""));
    let (first, _) = elsewhere.push(&from, None, 1);
    put(&from, &PACKS, &pages("changed"));
    let (second, _) = elsewhere.push(&from, Some(&first), 2);
    assert_eq!(take_present(&to, &first.manifest).unwrap(), None, "nothing is here");
    elsewhere.pull(&to, &first).unwrap();
    elsewhere.pull(&to, &second).unwrap();
    let [one, two] = [1, 2].map(|sequence| {
        let found = list(&to).unwrap().into_iter().find(|listed| listed.id.sequence == sequence);
        found.unwrap().id
    });
    assert_eq!(take_present(&to, &first.manifest).unwrap(), Some((one, false)), "it was not the live one");
    assert_eq!(live_id(&to).unwrap(), one);
    let pack = fs::read_dir(dir(&to, two).join("packs")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&pack).unwrap();
    overwrite(&pack, &bytes[1..]);
    assert_eq!(take_present(&to, &second.manifest).unwrap(), None, "it is damaged");
    elsewhere.pull(&to, &second).unwrap();
    assert_eq!(live_id(&to).unwrap(), two);
    assert!(faults(&to, VerifyMode::Deep).is_empty());
}
