//! Changes of files in folders, waited for until they are over.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use walkdir::WalkDir;

/// How often the files are looked at. Editors write in several steps: a change is over when two looks see the same.
const LOOK: Duration = Duration::from_millis(100);
/// Of many files a look takes long: this many times as long passes until the next.
const REST: u32 = 20;

/// Inode, length and time of the last change in seconds and nanoseconds.
type State = (u64, u64, i64, i64);

/// The files of folders, as they were when last waited for.
pub(super) struct Changes {
    folders: Vec<PathBuf>,
    files: BTreeMap<PathBuf, State>,
}

impl Changes {
    /// Watches folders from now on, and the sheets that a mapping in them names.
    pub(super) fn of(folders: Vec<PathBuf>) -> Self {
        Self { files: files(&folders), folders }
    }

    /// Waits until something was written and then nothing more.
    pub(super) fn wait(&mut self) {
        let mut last = self.files.clone();
        let mut rest = LOOK;
        loop {
            sleep(rest);
            let start = Instant::now();
            let now = files(&self.folders);
            rest = LOOK.max(start.elapsed() * REST);
            if now == last && now != self.files {
                self.files = now;
                return;
            }
            last = now;
        }
    }
}

/// Every file, but for what an editor keeps beside it. What cannot be read is not there.
fn files(folders: &[PathBuf]) -> BTreeMap<PathBuf, State> {
    let state = |of: Metadata| (of.ino(), of.len(), of.mtime(), of.mtime_nsec());
    let paths = folders.iter().flat_map(|it| {
        let sheets = dataset::sources(it).into_iter().map(|name| it.join(name));
        sheets.chain([it.clone()])
    });
    let entries = paths.flat_map(|path| WalkDir::new(path).follow_links(true)).filter_map(Result::ok);
    let content = entries.filter(|entry| {
        let name = entry.file_name().as_encoded_bytes();
        entry.file_type().is_file() && !name.starts_with(b".") && !name.ends_with(b"~")
    });
    content.filter_map(|entry| entry.metadata().ok().map(|of| (entry.into_path(), state(of)))).collect()
}
