//! A generation that comes from elsewhere, part by part.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// A published generation, and its folder.
fn source(root: &Path) -> (Manifest, PathBuf) {
    let manifest = publish(root, &[("a.json", &*long("a")), ("b.json", "b")]).manifest;
    let folder = dir(root, manifest.id());
    (manifest, folder)
}

/// What is begun of it in another root, with its files beside the archive.
fn begin(root: &Path, manifest: &Manifest, folder: &Path) -> IncomingGeneration {
    let incoming = IncomingGeneration::begin(root, manifest.clone()).unwrap();
    for file in incoming.missing_files().unwrap() {
        incoming.add_file(&file, &fs::read(folder.join(&file.path)).unwrap()).unwrap();
    }
    incoming
}

#[test]
fn what_came_whole_is_published_read_only_and_taken_as_it_is_the_next_time() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    let (manifest, folder) = source(&from);
    let mut incoming = begin(&to, &manifest, &folder);
    let missing = incoming.missing_ranges().unwrap();
    assert_eq!(missing.len(), 2);
    incoming.add_range(0, &fs::read(folder.join("site.zip")).unwrap()).unwrap();
    assert_eq!(incoming.missing_ranges().unwrap(), []);
    incoming.publish().unwrap();
    assert!(faults(&to, VerifyMode::Deep).is_empty());
    let mode = fs::metadata(dir(&to, manifest.id()).join("site.zip")).unwrap().permissions().mode();
    assert_eq!(mode & 0o333, 0, "{mode:o}");
    assert_eq!(take_present(&to, &manifest).unwrap(), Some(true));
    let other = Manifest { complete: false, ..manifest };
    assert_eq!(take_present(&to, &other).unwrap(), None, "it has the same name and is another one");
}

#[test]
fn what_is_not_as_the_manifest_says_is_refused() {
    let [from, to, short] = [(); 3].map(|()| Scratch::new());
    let (mut manifest, folder) = source(&from);
    let incoming = IncomingGeneration::begin(&to, manifest.clone()).unwrap();
    let file = incoming.missing_files().unwrap().remove(0);
    let mut bad = fs::read(folder.join(&file.path)).unwrap();
    bad[20] ^= 1;
    let error = incoming.add_file(&file, &bad).unwrap_err().to_string();
    assert!(error.contains(&file.path) && error.contains("SHA-256"), "{error}");

    manifest.stored.iter_mut().filter(|file| file.path == ARCHIVE).for_each(|file| file.bytes = 40);
    let error = begin(&short, &manifest, &folder).missing_ranges().unwrap_err().to_string();
    assert!(error.contains("behind the end of the archive"), "{error}");
}

#[test]
fn a_manifest_without_an_end_is_not_read_to_it() {
    let root = Scratch::new();
    let (_, folder) = source(&root);
    overwrite(&folder.join("manifest.json"), vec![b' '; 1 << 20]);
    let error = Generation::open_current(&root).err().unwrap().to_string();
    assert!(error.contains("longer than 65536 bytes"), "{error}");
}
