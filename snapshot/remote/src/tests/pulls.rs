//! Pulls of generations that were built: what travels, and what becomes of faults of the store, the wire and the disk here.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::date;
use store::sections::{SectionWriter, Sections};
use store::{
    ARCHIVE, BuildInfo, Digest, GenerationId, Manifest, NewFile, RecordCounts, RecordIds, Stage, VerifyMode,
    live_id, verify,
};

use super::memory::{Broken, Client, Memory, Objects, run_alone, run_until};
use super::schedules::{as_publisher, unsigned};
use crate::current::CURRENT;
use crate::error::{ErrorClass, RemoteError};
use crate::objects::{MANIFEST, RANGE};
use crate::publish::LocalRoot;
use crate::pull::{Pulled, Puller};
use crate::stores::Target;

/// Bytes that cannot be packed.
fn noise(of: &str, length: usize) -> Vec<u8> {
    (0..length.div_ceil(32)).flat_map(|n| Digest::of(format!("{of} {n}").as_bytes()).0).take(length).collect()
}

/// A root and a store that have the same generations.
struct Site {
    root: tempfile::TempDir,
    memory: Arc<Memory>,
}

impl Site {
    fn new(broken: Broken) -> Self {
        Self { root: tempfile::tempdir().unwrap(), memory: Memory::new(Objects::new(), broken) }
    }

    /// Builds and pushes a generation of some pages and of a small index.
    fn publish(&self, pages: &[(String, Vec<u8>)]) -> Manifest {
        let manifest = build(self.root.path(), pages);
        run_alone(as_publisher(&Client::of(&self.memory), 0, async |publisher| {
            publisher.push(&LocalRoot::open(self.root.path()).unwrap()).await.unwrap();
        }));
        self.memory.take_requests();
        manifest
    }

    fn archive(&self) -> String {
        self.memory.current().live.path(ARCHIVE)
    }

    fn pull(&self, to: &Path) -> Result<Pulled, RemoteError> {
        run_alone(pull(&Client::of(&self.memory), to))
    }

    /// Puts a manifest in the place of the live one, and a CURRENT that names it.
    fn replace_manifest(&self, manifest: &[u8]) {
        let mut current = self.memory.current();
        current.live.manifest = Digest::of(manifest);
        self.memory.put(&current.live.path(MANIFEST), manifest.to_vec());
        current.version += 1;
        self.memory.put(CURRENT, current.to_bytes(None).unwrap());
    }
}

fn build(root: &Path, pages: &[(String, Vec<u8>)]) -> Manifest {
    let stage = Stage::begin(root).unwrap();
    let sum = |(_, body): &(String, Vec<u8>)| body.iter().map(|byte| u64::from(*byte)).sum();
    let sums: Vec<u64> = pages.iter().map(sum).collect();
    for name in ["facets", "lists", "records", "rows", "search", "terms"] {
        let mut index = SectionWriter::default();
        index.put::<u64>("sums", sums.clone());
        stage.put_sections(&format!("index/{name}.bin"), index).unwrap();
    }
    for (path, body) in pages {
        stage.put(NewFile { path, body, holes: &[], inputs: &[] }).unwrap();
    }
    let about = BuildInfo {
        generated_at: "2026-11-20T06:00:00Z".parse().unwrap(),
        as_of: date(2026, 11, 20),
        base_url: "https://example.org".to_owned(),
        source: Digest::of(b"dataset"),
        counts: RecordCounts::default(),
        complete: true,
        ids: RecordIds::default(),
    };
    stage.publish(&about).unwrap().manifest
}

async fn pull(target: &dyn Target, to: &Path) -> Result<Pulled, RemoteError> {
    Puller { target, trust: &unsigned() }.pull(to).await
}

/// `count` pages of `length` bytes, of which some are of another edition.
fn pages(count: usize, length: usize, changed: impl Fn(usize) -> bool) -> Vec<(String, Vec<u8>)> {
    let page = |n| (format!("p/{n:04}.bin"), noise(&format!("{n} {}", changed(n)), length));
    (0..count).map(page).collect()
}

fn folder(root: &Path, id: GenerationId) -> PathBuf {
    root.join("generations").join(id.to_string())
}

/// Both roots have the same live generation, undamaged.
#[track_caller]
fn assert_same(one: &Path, other: &Path) {
    let id = live_id(one).unwrap();
    assert_eq!(live_id(other).unwrap(), id);
    assert!(verify(other, None, VerifyMode::Deep).is_ok());
    for file in [ARCHIVE, MANIFEST, "changes.bin", "index/files.bin", "index/rows.bin"] {
        let [here, there] = [one, other].map(|root| fs::read(folder(root, id).join(file)).unwrap());
        assert!(here == there, "{file}");
    }
    assert!(!other.join("incoming").exists());
}

/// Requests for an object, as they were made.
fn count(requests: &[String], object: &str) -> usize {
    requests.iter().filter(|request| request.split_once(' ').unwrap().1 == object).count()
}

#[test]
fn a_pull_of_one_changed_record_takes_few_requests_and_few_bytes() {
    let (site, to) = (Site::new(Broken::default()), tempfile::tempdir().unwrap());
    // What a record changes lies in many places of the archive: its pages, and lists that name it.
    let first = site.publish(&pages(6_000, 2_000, |_| false));
    site.pull(to.path()).unwrap();
    site.publish(&pages(6_000, 2_000, |n| n % 600 == 7));
    let pulled = site.pull(to.path()).unwrap();
    let requests = site.memory.take_requests();
    let archive = first.stored(ARCHIVE).unwrap().bytes;
    assert!(requests.len() <= 20, "{requests:#?}");
    assert!(pulled.bytes * 10 < archive, "{} of {archive}", pulled.bytes);
    assert_same(site.root.path(), to.path());
    // What is here already is not fetched again.
    assert!(site.pull(to.path()).unwrap().unchanged);
    assert_eq!(site.memory.take_requests().len(), 2);
}

#[test]
fn where_more_than_half_is_new_all_is_fetched_in_the_longest_ranges() {
    for (new, is_whole) in [(3, true), (1, false)] {
        let (site, to) = (Site::new(Broken::default()), tempfile::tempdir().unwrap());
        site.publish(&pages(60, 100_000, |_| false));
        site.pull(to.path()).unwrap();
        let next = site.publish(&pages(60, 100_000, |n| n % 4 < new));
        let pulled = site.pull(to.path()).unwrap();
        assert_same(site.root.path(), to.path());
        let ranges = count(&site.memory.take_requests(), &site.archive());
        let archive = next.stored(ARCHIVE).unwrap().bytes;
        match is_whole {
            // Pages are not cut, so that ranges are shorter than they may be.
            true => assert!(ranges as u64 <= archive / (RANGE - 100_000) + 1, "{ranges} of {archive}"),
            false => assert!(ranges == 15 && pulled.bytes < archive / 3, "{ranges}, {}", pulled.bytes),
        }
    }
}

#[test]
fn a_body_longer_than_a_request_and_empty_ones_are_fetched() {
    let (site, to) = (Site::new(Broken::default()), tempfile::tempdir().unwrap());
    for edition in ["one", "two"] {
        let long = ("a".to_owned(), noise(edition, 5 << 20));
        site.publish(&[long, ("b".to_owned(), Vec::new()), (edition.to_owned(), Vec::new())]);
        site.pull(to.path()).unwrap();
        assert_same(site.root.path(), to.path());
    }
}

#[test]
fn a_store_without_ranges_gives_the_whole_archive() {
    let (site, to) = (Site::new(Broken { ranges: true, ..Broken::default() }), tempfile::tempdir().unwrap());
    for edition in [0, 1] {
        let manifest = site.publish(&pages(50, 10_000, |n| n < edition));
        let pulled = site.pull(to.path()).unwrap();
        assert!(pulled.bytes >= manifest.stored(ARCHIVE).unwrap().bytes);
        let requests = site.memory.take_requests().into_iter();
        assert_eq!(requests.filter(|it| it.starts_with("get ") && it.ends_with(ARCHIVE)).count(), 1);
        assert_same(site.root.path(), to.path());
    }
    // A byte that is wrong once, and one that stays so.
    site.publish(&pages(50, 10_000, |n| n < 9));
    for (times, is_pulled) in [(9, false), (1, true)] {
        spoil(&site.memory, &site.archive(), 15_000, times);
        let pulled = site.pull(to.path());
        assert_eq!(pulled.is_ok(), is_pulled);
    }
    assert_same(site.root.path(), to.path());
}

/// Changes a byte of an object in the next answers that have it.
fn spoil(memory: &Memory, object: &str, at: u64, mut times: usize) {
    let object = object.to_owned();
    *memory.fault.lock().unwrap() = Some(Box::new(move |path, start, bytes| {
        let inside = at.checked_sub(start).filter(|at| *at < bytes.len() as u64);
        let Some(at) = inside.filter(|_| path == object && times > 0) else { return Ok(bytes) };
        times -= 1;
        let mut bytes = bytes.to_vec();
        bytes[at as usize] ^= 1;
        Ok(bytes.into())
    }));
}

#[test]
fn a_wrong_byte_anywhere_is_refused_by_name_and_its_object_fetched_again_once() {
    let site = Site::new(Broken::default());
    site.publish(&pages(40, 5_000, |_| false));
    let before = tempfile::tempdir().unwrap();
    let first = site.pull(before.path()).unwrap().id;
    site.publish(&pages(40, 5_000, |n| n % 8 == 0));
    let live = site.memory.current().live;
    let names: Vec<String> =
        site.memory.names().into_iter().filter(|name| name.starts_with(&live.path(""))).collect();
    assert_eq!(names.len(), 10);
    for name in &names {
        let length = site.memory.object(name).bytes.len() as u64;
        for at in [0, length / 2, length - 1] {
            let to = tempfile::tempdir().unwrap();
            copy(before.path(), to.path());
            spoil(&site.memory, name, at, usize::MAX);
            site.memory.take_requests();
            let pulled = site.pull(to.path());
            let requests = site.memory.take_requests();
            if let Err(error) = pulled {
                let is_named = matches!(&error, RemoteError::Damaged { name: found, .. } if found == name);
                assert!(is_named, "{error}");
                assert_eq!((error.class(), live_id(to.path()).unwrap()), (ErrorClass::Unverified, first));
                assert_eq!(count(&requests, name), 2, "{requests:#?}");
            } else {
                // Headers of entries and what is here already are not fetched.
                assert!(name.ends_with(ARCHIVE));
                assert_same(site.root.path(), to.path());
            }
            *site.memory.fault.lock().unwrap() = None;
            site.pull(to.path()).unwrap();
            assert_same(site.root.path(), to.path());
            let again = site.memory.take_requests();
            let is_kept = |it: &&String| it.ends_with(".gz") && !it.ends_with(name);
            assert!(requests.iter().filter(is_kept).all(|it| !again.contains(it)), "{again:#?}");
        }
    }
}

fn copy(from: &Path, to: &Path) {
    let mut copy = std::process::Command::new("cp");
    assert!(copy.arg("-a").args([&from.join("."), to]).status().unwrap().success());
}

#[test]
fn a_pull_that_is_killed_anywhere_serves_on_and_goes_on_where_it_was() {
    let site = Site::new(Broken::default());
    let before = tempfile::tempdir().unwrap();
    site.publish(&pages(4, 1_000, |_| false));
    let first = site.pull(before.path()).unwrap().id;
    site.publish(&pages(60, 200_000, |_| true));
    let (mut killed, mut whole) = (0, 0);
    for requests in 1.. {
        let to = tempfile::tempdir().unwrap();
        copy(before.path(), to.path());
        site.memory.take_requests();
        if let Some(pulled) = run_until(&site.memory, requests, pull(&Client::of(&site.memory), to.path())) {
            whole = pulled.unwrap().bytes;
            break;
        }
        assert_eq!(live_id(to.path()).unwrap(), first);
        let rest = site.pull(to.path()).unwrap();
        assert_same(site.root.path(), to.path());
        killed += 1;
        // Besides the requests under way all is kept: the last pulls fetch the least.
        whole = rest.bytes;
    }
    assert!(killed > 5 && whole > 11_000_000, "{killed}, {whole}");
}

#[test]
fn hostile_manifests_are_refused() {
    let site = Site::new(Broken::default());
    let manifest = site.publish(&pages(3, 1_000, |_| false)).to_bytes();
    let text = String::from_utf8(manifest).unwrap();
    let with = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    for (bytes, problem) in [
        (with("index/rows.bin", "index/../../CURRENT"), "not one of ours"),
        (with("index/rows.bin", "/etc/passwd"), "not one of ours"),
        (with("\"sequence\": 1", "\"sequence\": 2"), "of another generation"),
        (with("\"format\": ", "\"format\": 9"), "update this program"),
        (with("2026-11-20\"", "2026-11-21\""), "hash does not fit"),
        (vec![b' '; 65 << 10], "is not what was pushed"),
        (b"[]".to_vec(), "not one of ours"),
    ] {
        let to = tempfile::tempdir().unwrap();
        site.replace_manifest(&bytes);
        let error = site.pull(to.path()).unwrap_err();
        assert!(error.class() == ErrorClass::Unverified && error.to_string().contains(problem), "{error}");
        assert!(live_id(to.path()).is_err());
    }
}

/// Another table of files in the place of the live one, and a manifest that names it.
fn replace_table(site: &Site, manifest: &Manifest, change: impl Fn(&mut Vec<u8>)) {
    let path = folder(site.root.path(), manifest.id()).join("index/files.bin");
    let table = Sections::from_bytes(&fs::read(path).unwrap()).unwrap();
    let mut other = SectionWriter::default();
    for name in ["paths", "rows", "holes", "pieces", "slots", "index"] {
        let mut bytes = table.get::<u8>(name).unwrap().to_vec();
        if name == "rows" {
            change(&mut bytes);
        }
        other.put(name, bytes);
    }
    let table = other.finish();
    let mut manifest = manifest.clone();
    let file = manifest.stored.iter_mut().find(|file| file.path == "index/files.bin").unwrap();
    (file.bytes, file.sha256) = (table.bytes().len() as u64, Digest::of(table.bytes()));
    let before = site.memory.current().live;
    site.replace_manifest(&manifest.to_bytes());
    let live = site.memory.current().live;
    for name in site.memory.names().iter().filter(|name| name.starts_with(&before.path(""))) {
        let name = name.strip_prefix(&before.path("")).unwrap();
        if name != MANIFEST {
            site.memory.put(&live.path(name), site.memory.object(&before.path(name)).bytes);
        }
    }
    site.memory.put(&live.path("index/files.bin.gz"), store::gzip(table.bytes()));
}

#[test]
fn an_archive_whose_table_lies_is_refused() {
    /// Bytes of a row, and where its place begins: start, length, CRC-32 of body and data, method, first piece.
    const ROW: usize = 96;
    const PLACE: usize = 64;
    type Lie = fn(&mut Vec<u8>);
    let lies: [(&str, Lie); 6] = [
        ("overlapping", |rows| rows.copy_within(PLACE..PLACE + 8, ROW + PLACE)),
        ("outside", |rows| {
            let last = rows.len() - ROW + PLACE;
            rows[last..last + 8].copy_from_slice(&(1u64 << 40).to_le_bytes());
        }),
        ("at the end of numbers", |rows| {
            let last = rows.len() - ROW + PLACE;
            rows[last..last + 8].copy_from_slice(&u64::MAX.to_le_bytes());
        }),
        ("packed in an unknown way", |rows| rows[PLACE + 20] = 99),
        ("with a gap", |rows| rows[PLACE] += 1),
        ("in the place of a header", |rows| rows[PLACE..PLACE + 8].fill(0)),
    ];
    let site = Site::new(Broken::default());
    for (n, (lie, change)) in lies.into_iter().enumerate() {
        let manifest = site.publish(&pages(10, 2_000, |page| page == n));
        let to = tempfile::tempdir().unwrap();
        replace_table(&site, &manifest, change);
        let error = site.pull(to.path()).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Unverified, "{lie}: {error}");
        assert!(live_id(to.path()).is_err(), "{lie}");
    }
}

#[test]
fn a_bomb_is_bounded_by_the_length_that_its_manifest_states() {
    let (site, to) = (Site::new(Broken::default()), tempfile::tempdir().unwrap());
    site.publish(&pages(3, 1_000, |_| false));
    let name = site.memory.current().live.path("index/rows.bin.gz");
    let bomb = store::gzip(&vec![0; 64 << 20]);
    for object in [bomb, vec![7; 64 << 10], Vec::new()] {
        site.memory.put(&name, object);
        let error = site.pull(to.path()).unwrap_err();
        assert!(matches!(&error, RemoteError::Damaged { name: found, .. } if *found == name), "{error}");
    }
}

/// Answers requests for the files of a folder, at the address that it gives.
#[cfg(feature = "stores")]
pub(crate) fn serve(folder: PathBuf, ranges: bool) -> String {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = move |stream: std::net::TcpStream| -> Option<()> {
        let (mut lines, mut stream) = (BufReader::new(stream.try_clone().ok()?).lines(), stream);
        let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
        let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
        let range = head.iter().find_map(|line| {
            let line = line.to_lowercase();
            let (start, end) = line.strip_prefix("range: bytes=")?.split_once('-')?;
            Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()?))
        });
        let body = fs::read(folder.join(path.trim_start_matches('/'))).ok();
        let (status, body) = match (&body, range.filter(|_| ranges)) {
            (None, _) => ("404 Not Found".to_owned(), &[][..]),
            (Some(body), None) => ("200 OK".to_owned(), &**body),
            (Some(body), Some((start, end))) => {
                let length = body.len();
                (
                    format!("206 Partial Content\r\nContent-Range: bytes {start}-{end}/{length}"),
                    &body[start..=end],
                )
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nETag: \"a\"\r\nLast-Modified: Mon, 23 Nov 2026 00:00:00 GMT\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body).ok()
    };
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

#[cfg(feature = "stores")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_files_is_pulled_from_with_and_without_ranges() {
    let [root, store] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let tos = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let folder_store = crate::stores::open(&format!("file://{}", store.path().display())).unwrap();
    for edition in [0, 1] {
        let manifest = build(root.path(), &pages(60, 100_000, |n| n + edition == 60));
        let archive = manifest.stored(ARCHIVE).unwrap().bytes;
        as_publisher(&Client::of(&Memory::empty()), 0, async |publisher| {
            let publisher = crate::publish::Publisher { target: &*folder_store, ..*publisher };
            publisher.push(&LocalRoot::open(root.path()).unwrap()).await.unwrap();
        })
        .await;
        for (to, ranges) in tos.iter().zip([true, false]) {
            let address = serve(store.path().to_owned(), ranges);
            let pulled = pull(&*crate::stores::open(&address).unwrap(), to.path()).await.unwrap();
            assert_same(root.path(), to.path());
            let is_whole = edition == 0 || !ranges;
            let shown = format!("{edition}, {ranges}: {} of {archive}", pulled.bytes);
            assert_eq!(pulled.bytes > archive / 2, is_whole, "{shown}");
        }
    }
}
