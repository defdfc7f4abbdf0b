//! What others do to the files of a published generation, and what a reader makes of it.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Every file below a directory.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn published_files_are_read_only_and_can_be_linked_and_removed_all_the_same() {
    let root = Scratch::new();
    let kept = long("a");
    let ids = ["b", "c"].map(|other| publish(&root, &[("a.json", &kept), ("b.json", other)]).manifest.id());
    for file in ids.iter().flat_map(|id| files_below(&dir(&root, *id))) {
        let mode = fs::metadata(&file).unwrap().mode();
        assert_eq!(mode & 0o333, 0, "{}: {mode:o}", file.display());
        assert_ne!(mode & 0o400, 0, "{}: {mode:o}", file.display());
    }
    let later = SystemTime::now() + std::time::Duration::from_secs(60);
    assert_eq!(gc(&root, 1, later).unwrap(), [ids[0]]);
    assert!(faults(&root, VerifyMode::Deep).is_empty());
    fs::remove_dir_all(&*root).unwrap();
}

#[test]
fn a_copied_index_is_what_was_published_whatever_becomes_of_its_files() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", "a")]).manifest.id());
    let own = ["changes.bin", "index/files.bin", "index/rows.bin"].map(|name| live.join(name));
    let size: u64 = own.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let numbers =
        |generation: &Generation| generation.index("rows.bin").unwrap().get::<u32>("numbers").unwrap();
    for (limit, copied) in [(0, false), (size - 1, false), (size, true), (u64::MAX, true)] {
        let opened = Generation::open_current_copying(&root, limit).unwrap();
        assert_eq!((opened.is_copied(), &*numbers(&opened)), (copied, &[1, 2, 3][..]), "{limit}");
    }
    let opened = Generation::open_current_copying(&root, size).unwrap();
    let numbers = numbers(&opened);
    for path in own {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    }
    assert_eq!(*numbers, [1, 2, 3]);
    let entry = opened.files().lookup(&["a.json"]).unwrap();
    assert_eq!(opened.read(entry, Coding::Identity).unwrap(), b"a");
}

#[test]
fn presence_is_every_listed_file_with_its_size_and_no_more() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", &*long("a"))]).manifest.id());
    let reader = Generation::open_current(&root).unwrap();
    fs::write(live.join(".site.zip.part"), "x").unwrap();
    reader.check_presence().unwrap();
    for file in ["index/rows.bin", "site.zip"] {
        let (path, good) = (live.join(file), fs::read(live.join(file)).unwrap());
        let assert_error = |what: &str| {
            let error = reader.check_presence().unwrap_err();
            assert_eq!(error.may_pass(), !what.contains("links"), "{error}");
            assert!(error.to_string().contains(file) && error.to_string().contains(what), "{error}");
        };
        fs::remove_file(&path).unwrap();
        assert_error("missing");
        fs::write(&path, &good[1..]).unwrap();
        assert_error(&format!("{} bytes long, expected {}", good.len() - 1, good.len()));
        fs::remove_file(&path).unwrap();
        symlink("/dev/null", &path).unwrap();
        assert_error("links are not followed");
        overwrite(&path, good);
    }
    reader.check_presence().unwrap();
}

#[test]
fn what_the_system_refused_or_a_copy_still_brings_may_pass_and_what_was_read_does_not() {
    use rustix::io::Errno;
    let path = || PathBuf::from("x");
    for errno in [Errno::MFILE, Errno::NFILE, Errno::ACCESS, Errno::IO, Errno::STALE, Errno::TIMEDOUT] {
        assert!(StoreError::Io { path: path(), source: errno.into() }.may_pass(), "{errno}");
    }
    let digest = Digest::of(b"");
    for (problem, may_pass) in [
        (FileProblem::Missing, true),
        (FileProblem::Length { expected: 2, found: 1 }, true),
        (FileProblem::Section(SectionError::Table), false),
        (FileProblem::Hash { expected: digest, found: digest }, false),
        (FileProblem::Format(String::new()), false),
        (FileProblem::NotAFile, false),
    ] {
        assert_eq!(StoreError::Damaged { path: path(), problem }.may_pass(), may_pass);
    }
    assert!(StoreError::Unpublished { path: path() }.may_pass());
    assert!(StoreError::NoGeneration { path: path() }.may_pass());
    assert!(!StoreError::Version { path: path(), found: 2 }.may_pass());
}

#[test]
fn a_file_that_a_copy_has_not_brought_whole_may_pass_and_another_one_does_not() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", "a")]).manifest.id());
    for file in ["changes.bin", "index/files.bin"] {
        let good = fs::read(live.join(file)).unwrap();
        for (bytes, may_pass) in [(good[..good.len() / 2].to_vec(), true), (vec![7; good.len()], false)] {
            overwrite(&live.join(file), bytes);
            assert_eq!(Generation::open_current(&root).err().unwrap().may_pass(), may_pass, "{file}");
        }
        overwrite(&live.join(file), good);
    }
}
