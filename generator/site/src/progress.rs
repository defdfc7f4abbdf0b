//! Progress of a build on standard error: a line for each finished step and, on a terminal, one that shows what runs.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use snapshot::page::text::grouped;
use snapshot::record::Locale;

/// Puts the cursor at the start of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// Shows steps and their times. Several may run at once.
pub struct Progress {
    quiet: bool,
    terminal: bool,
}

impl Progress {
    /// Shows what runs if standard error is a terminal.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, terminal: !quiet && std::io::stderr().is_terminal() }
    }

    /// Runs a step of unknown length.
    ///
    /// # Errors
    ///
    /// Those of `run`.
    pub fn step<T, E>(&self, name: &'static str, run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.show(name, "");
        self.timed(name, "", run)
    }

    /// Runs a step over a number of pages in parallel; stops at the first error.
    pub(crate) fn each<E: Send>(
        &self,
        name: &'static str,
        count: usize,
        page: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let what = format!("{} pages", number(count as u64));
        let done = AtomicUsize::new(0);
        let each = |at| {
            page(at)?;
            let before = done.fetch_add(1, Ordering::Relaxed);
            let percent = |done: usize| done * 100 / count;
            if percent(before + 1) > percent(before) {
                self.show(name, &format!("{what}, {} %", percent(before + 1)));
            }
            Ok(())
        };
        self.timed(name, &what, || (0..count).into_par_iter().try_for_each(each))
    }

    fn timed<T, E>(&self, name: &str, what: &str, run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let start = Instant::now();
        let result = run();
        if self.terminal {
            anstream::eprint!("{CLEAR}");
        }
        result.inspect(|_| {
            if !self.quiet {
                anstream::eprintln!("  {name:<14} {what:>16} {:>10}", seconds(start.elapsed()));
            }
        })
    }

    /// Shows a step that runs, in place of what was shown before.
    fn show(&self, name: &str, what: &str) {
        if self.terminal {
            anstream::eprint!("{CLEAR}  {name:<14} {what}");
        }
    }
}

/// A time for people.
pub fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

/// A number for people.
pub fn number(number: u64) -> String {
    grouped(number, Locale::En)
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (bytes.max(1).ilog2() / 10).min(4);
    match power {
        0 => format!("{bytes} B"),
        _ => format!("{:.2} {}", bytes as f64 / 1024_f64.powi(power as i32), UNITS[power as usize]),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_binary_units() {
        let sizes = [(0, "0 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (302 << 20, "302.00 MiB")];
        assert_eq!(sizes.map(|(bytes, _)| size(bytes)), sizes.map(|(_, text)| text.to_owned()));
        assert_eq!(size(u64::MAX), "16777216.00 TiB");
    }
}
