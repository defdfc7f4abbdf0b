//! Lines on standard error: queued, and written by a thread of their own. Nothing that logs waits for the reader of the
//! log, and no failure to write ends anything.

use std::fs::File;
use std::io::{self, Write};
use std::mem;
use std::os::fd::AsFd as _;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use net::lock;

/// Most bytes that wait to be written; as many again are being written.
const QUEUE_MAX: usize = 1 << 20;
/// Longest wait for them at the end of the process.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) static LINES: LazyLock<Lines> = LazyLock::new(Lines::default);

#[derive(Debug, Default)]
pub(crate) struct Lines {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: Vec<u8>,
    is_writing: bool,
    /// Lines that did not fit, or could not be written.
    dropped: u64,
}

/// Where each line is queued.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut queue = lock(&self.queue);
        if queue.bytes.len() + line.len() > QUEUE_MAX {
            queue.dropped += 1;
        } else {
            queue.bytes.extend_from_slice(line);
            self.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Starts to write what is queued to standard error. The lock of the standard library is not taken: a thread that
    /// waits for a reader would hold it.
    pub(crate) fn start(&'static self) {
        let stderr = io::stderr().as_fd().try_clone_to_owned().map(File::from);
        // Without descriptors or threads the process is about to fail anyway; its exit code says so.
        if let Ok(stderr) = stderr {
            let _ = std::thread::Builder::new().name("log".to_owned()).spawn(|| self.write_to(stderr));
        }
    }

    /// Writes lines as they come, for ever. What was dropped is logged once lines can be written again.
    fn write_to(&self, mut out: impl Write) {
        let (mut bytes, mut reported) = (Vec::new(), 0);
        loop {
            let queue = self.changed.wait_while(lock(&self.queue), |queue| queue.bytes.is_empty());
            let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
            mem::swap(&mut queue.bytes, &mut bytes);
            queue.is_writing = true;
            drop(queue);
            let written = out.write_all(&bytes);
            let mut queue = lock(&self.queue);
            queue.is_writing = false;
            if written.is_err() {
                queue.dropped += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
            }
            let dropped = queue.dropped;
            drop(queue);
            self.changed.notify_all();
            if written.is_ok() && dropped > reported {
                tracing::warn!(lines = dropped - reported, "lines of this log were dropped");
                reported = dropped;
            }
            bytes.clear();
        }
    }

    /// Waits, not for long, until what was logged is written. Call at the end of the process.
    pub(crate) fn finish(&self) {
        let is_busy = |queue: &mut Queue| queue.is_writing || !queue.bytes.is_empty();
        drop(self.changed.wait_timeout_while(lock(&self.queue), PATIENCE, is_busy));
    }

    /// Lines that were not written, because nobody read them or they could not be written.
    pub(crate) fn dropped(&self) -> u64 {
        lock(&self.queue).dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    /// A reader that reads once it may, and then a failure.
    struct Slow(Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_million_lines_that_nobody_reads_are_dropped_beyond_a_bound_and_counted() {
        let lines: &'static Lines = Box::leak(Box::default());
        let (read, slow) = channel();
        std::thread::spawn(move || lines.write_to(Slow(slow)));
        let line = [b'x'; 99].into_iter().chain([b'\n']).collect::<Vec<u8>>();
        for _ in 0..1_000_000 {
            (&*lines).write_all(&line).unwrap();
        }
        let queued = lock(&lines.queue).bytes.len();
        assert!((QUEUE_MAX - 100..=QUEUE_MAX).contains(&queued), "{queued}");
        let kept = 1_000_000 - lines.dropped();
        assert!((10_485..=20_970).contains(&kept), "{kept} lines in the queue and in the writing");
        for _ in 0..2 {
            read.send(()).unwrap();
        }
        lines.finish();
        assert!(lock(&lines.queue).bytes.is_empty(), "what was read made room");
        drop(read);
        let before = lines.dropped();
        (&*lines).write_all(b"one\n").unwrap();
        lines.finish();
        (&*lines).write_all(b"two\n").unwrap();
        lines.finish();
        assert_eq!(lines.dropped(), before + 2, "lines that cannot be written are counted");
    }
}
