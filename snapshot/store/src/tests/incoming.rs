//! A generation that comes file by file and range by range, with faults and interruptions on the way.

use super::*;

/// Brings the live generation of one root into another. Gives how many files and bytes of the archive came.
fn pull(from: &Path, to: &Path, spoil: &dyn Fn(u64) -> bool) -> Result<(usize, u64), StoreError> {
    let source = dir(from, live_id(from).unwrap());
    let manifest = fs::read(source.join("manifest.json")).unwrap();
    let mut incoming = IncomingGeneration::begin(to, &manifest)?;
    let missing = incoming.missing_files()?;
    for file in &missing {
        incoming.add_file(file, &fs::read(source.join(&file.path)).unwrap())?;
    }
    let archive = fs::read(source.join("site.zip")).unwrap();
    let ranges = incoming.missing_ranges()?;
    for range in &ranges {
        let mut bytes = archive[range.start as usize..][..range.len as usize].to_vec();
        if spoil(range.start) {
            bytes[0] ^= 1;
        }
        let wrong = incoming.add_range(range.start, &bytes)?;
        assert_eq!(wrong.is_empty(), !spoil(range.start));
    }
    incoming.publish(1)?;
    Ok((missing.len(), ranges.iter().map(|range| range.len).sum()))
}

fn pages(changed: &str) -> Vec<(String, String)> {
    let text = |n: usize| if n == 7 { long(changed) } else { long(&n.to_string()) };
    (0..30).map(|n| (format!("public/p/{n}.html"), text(n))).collect()
}

fn publish_pages(root: &Path, changed: &str) -> GenerationId {
    let pages = pages(changed);
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (&**path, &**text)).collect();
    publish(root, &pages).manifest.id()
}

#[test]
fn only_what_changed_is_fetched_and_the_files_are_the_same() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    for (changed, most) in [("one", u64::MAX), ("two", 100)] {
        let id = publish_pages(&from, changed);
        let (_, bytes) = pull(&from, &to, &|_| false).unwrap();
        assert!(bytes <= most, "{bytes}");
        assert!(faults(&to, VerifyMode::Deep).is_empty());
        for file in ["manifest.json", "site.zip", "changes.bin", "index/files.bin", "index/rows.bin"] {
            let [here, there] = [&from, &to].map(|root| fs::read(dir(root, id).join(file)).unwrap());
            assert!(here == there, "{file}");
        }
        assert!(!to.join("incoming").exists());
    }
}

#[test]
fn a_wrong_byte_is_refused_and_the_next_attempt_goes_on_with_the_rest() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    publish_pages(&from, "one");
    let spoilt = std::cell::Cell::new(0);
    let spoil_first = |start| {
        if spoilt.get() == 0 {
            spoilt.set(start);
        }
        spoilt.get() == start
    };
    let error = pull(&from, &to, &spoil_first).unwrap_err().to_string();
    assert!(error.contains("site.zip") && live_id(&to).is_err(), "{error}");
    pull(&from, &to, &|_| false).unwrap();
    assert!(faults(&to, VerifyMode::Deep).is_empty());
}

#[test]
fn a_generation_that_is_here_is_taken_unless_it_is_damaged() {
    let [from, to] = [Scratch::new(), Scratch::new()];
    let first = publish_pages(&from, "one");
    let manifest = fs::read(dir(&from, first).join("manifest.json")).unwrap();
    assert_eq!(take_present(&to, &manifest).unwrap(), None);
    pull(&from, &to, &|_| false).unwrap();
    publish_pages(&from, "two");
    pull(&from, &to, &|_| false).unwrap();
    assert_eq!(take_present(&to, &manifest).unwrap(), Some((first, false)));
    assert_eq!(take_present(&to, &manifest).unwrap(), Some((first, true)));
    let archive = dir(&to, first).join("site.zip");
    let mut bytes = fs::read(&archive).unwrap();
    bytes[40] ^= 1;
    overwrite(&archive, bytes);
    assert_eq!(take_present(&to, &manifest).unwrap(), None);
}
