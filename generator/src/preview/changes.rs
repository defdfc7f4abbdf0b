//! Changes of files in folders, waited for until they are over.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// Editors write in several steps: nothing is done until nothing changed for this long.
const QUIET: Duration = Duration::from_millis(100);
/// How often it is seen whether a folder was put in the place of one that is watched.
const LOOK: Duration = Duration::from_secs(1);

/// Watches folders until it is dropped.
pub(super) struct Changes {
    events: Receiver<notify::Result<Event>>,
    watcher: RecommendedWatcher,
    folders: Vec<(PathBuf, Option<Identity>)>,
}

/// Device and inode of a folder: another folder of the same name differs in them.
type Identity = (u64, u64);

fn identity(folder: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let of = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some((of.dev(), of.ino()))
}

impl Changes {
    /// Watches folders from now on.
    pub(super) fn of(folders: &[&Path]) -> notify::Result<Self> {
        let (sender, events) = channel();
        let mut watcher = notify::recommended_watcher(move |event| {
            // The receiver is dropped when the preview ends; later events are of no use.
            let _ = sender.send(event);
        })?;
        for folder in folders {
            watcher.watch(folder, RecursiveMode::Recursive)?;
        }
        let folders = folders.iter().map(|folder| (folder.to_path_buf(), identity(folder))).collect();
        Ok(Self { events, watcher, folders })
    }

    /// Waits until something was written and then nothing more; false once the watcher has ended.
    pub(super) fn wait(&mut self) -> bool {
        loop {
            match self.events.recv_timeout(LOOK) {
                Ok(event) if is_written(&event) => break,
                Err(RecvTimeoutError::Timeout) if self.is_replaced() => break,
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        loop {
            match self.events.recv_timeout(QUIET) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Whether a folder went, or another one took its place, which is watched from now on.
    fn is_replaced(&mut self) -> bool {
        let mut replaced = false;
        for (folder, known) in &mut self.folders {
            let now = identity(folder);
            if now != *known {
                *known = now;
                replaced = true;
                // What is not there cannot be watched; it is looked for again.
                let _ = self.watcher.unwatch(folder);
                let _ = self.watcher.watch(folder, RecursiveMode::Recursive);
            }
        }
        replaced
    }
}

/// Whether an event is of content, and not only of what an editor keeps beside it.
fn is_written(event: &notify::Result<Event>) -> bool {
    let Ok(event) = event else { return false };
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with('.') || name.ends_with('~')
    };
    let aside = !event.paths.is_empty() && event.paths.iter().all(is_aside);
    !aside && !event.kind.is_access() && !event.kind.is_other()
}
