//! A temporary folder for a `static`. It needs nothing of this library: the tests of the real programs take it in as a
//! file.

use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder that is gone when it is dropped or when this process ends, however that is: nobody drops a
/// `static`, and what is served for all tests of a run is hundreds of megabytes.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    // Reads until the other end of its input is closed, which the end of this process does.
    let guard = Command::new("sh")
        .args(["-c", "trap '' INT TERM HUP; cat; rm -rf -- \"$0\""])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    std::mem::forget(guard);
    folder
}
