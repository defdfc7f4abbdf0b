//! What others do to the files of a published generation, and what a reader makes of it.

use super::*;

#[test]
fn published_files_are_read_only() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", "a")]).manifest.id());
    for file in ["manifest.json", "changes.bin", ARCHIVE, "index/files.bin", "index/rows.bin"] {
        let mode = fs::metadata(live.join(file)).unwrap().mode();
        assert_eq!((mode & 0o333, mode & 0o400), (0, 0o400), "{file}: {mode:o}");
    }
}

/// `tests/cli/edge.rs` cuts the files of an edge that copied them.
#[test]
fn an_index_is_copied_where_all_of_it_is_within_the_limit() {
    let root = Scratch::new();
    let live = dir(&root, publish(&root, &[("a.json", "a")]).manifest.id());
    let own = ["changes.bin", "index/files.bin", "index/rows.bin"];
    let size: u64 = own.iter().map(|name| fs::metadata(live.join(name)).unwrap().len()).sum();
    for (limit, copied) in [(0, false), (size - 1, false), (size, true), (u64::MAX, true)] {
        let opened = Generation::open_current_copying(&root, limit).unwrap();
        let numbers = opened.index("rows.bin").unwrap().get::<u32>("numbers").unwrap();
        assert_eq!((opened.copied, &*numbers), (copied, &[1, 2, 3][..]), "{limit}");
    }
}

#[test]
fn verify_names_every_damage_and_presence_those_that_show_from_outside() {
    let root = Scratch::new();
    let [a, b] = ["a", "b"].map(long);
    let live = dir(&root, publish(&root, &[("a.json", &a), ("d/b.json", &b)]).manifest.id());
    let reader = Generation::open_current(&root).unwrap();
    for extra in [".site.zip.part", "index/other", "public"] {
        let path = live.join(extra);
        if extra == "public" { fs::create_dir(&path) } else { fs::write(&path, "x") }.unwrap();
        let found = faults(&root, VerifyMode::Files);
        assert!(matches!(&*found, [one] if one.contains(extra) && one.contains("not listed")), "{found:?}");
        reader.check_presence().unwrap();
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    }
    for file in ["changes.bin", "index/files.bin", "index/rows.bin", ARCHIVE] {
        let (path, good) = (live.join(file), fs::read(live.join(file)).unwrap());
        fs::write(root.join("outside"), &good).unwrap();
        let (len, mut bad) = (good.len(), good.clone());
        bad[40] ^= 4;
        for (bytes, problem, may_pass) in [
            (None, "missing".to_owned(), true),
            (Some(&good[1..]), format!("{} bytes long, expected {len}", len - 1), true),
            (Some(&*bad), format!("SHA-256 is {}, expected {}", Digest::of(&bad), Digest::of(&good)), false),
            (None, "links are not followed".to_owned(), false),
        ] {
            fs::remove_file(&path).unwrap();
            match bytes {
                Some(bytes) => fs::write(&path, bytes).unwrap(),
                None if !may_pass => symlink(root.join("outside"), &path).unwrap(),
                None => {}
            }
            let mut errors = verify(&root, None, VerifyMode::Files).unwrap_err();
            let seen = reader.check_presence().err();
            assert_eq!(seen.is_none(), bytes.is_some_and(|bytes| bytes.len() == len), "{seen:?}");
            let opened = Generation::open_current(&root).and_then(|it| it.index("rows.bin")).err();
            assert_eq!(opened.is_some(), file != ARCHIVE, "{file} {problem}");
            errors.extend(seen.into_iter().chain(opened.filter(|_| file != "index/rows.bin")));
            for error in errors {
                let text = error.to_string();
                assert!(text.contains(file) && text.contains(&problem), "{file} {problem}: {text}");
                assert_eq!(error.may_pass(), may_pass, "{text}");
            }
            let entry = reader.files().lookup(&["a.json"]).unwrap();
            assert_eq!(reader.read(entry, Coding::Gzip).is_err(), file == ARCHIVE, "{file} {problem}");
            overwrite(&path, &good);
        }
    }
}

#[test]
fn what_the_system_refused_or_is_not_there_yet_may_pass_and_another_version_does_not() {
    let path = || PathBuf::from("x");
    for (error, may_pass) in [
        (StoreError::Io { path: path(), source: rustix::io::Errno::MFILE.into() }, true),
        (StoreError::Unpublished { path: path() }, true),
        (StoreError::NoGeneration { path: path() }, true),
        (StoreError::Version { path: path(), found: 2 }, false),
    ] {
        assert_eq!(error.may_pass(), may_pass, "{error}");
    }
}
