//! Progress of a build on standard error: bars on a terminal, plain lines elsewhere, nothing in quiet mode.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, MultiProgress, ProgressBar, ProgressStyle};

/// Shows steps and their times. Several may run at once.
pub struct Progress {
    quiet: bool,
    terminal: bool,
    bars: MultiProgress,
}

impl Progress {
    /// Shows bars if standard error is a terminal.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, terminal: std::io::stderr().is_terminal(), bars: MultiProgress::new() }
    }

    /// Runs a step of unknown length.
    ///
    /// # Errors
    ///
    /// Those of `run`.
    pub fn step<T, E>(&self, name: &'static str, run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.timed(name, (0, String::new()), |_| run())
    }

    /// Runs a step over a number of items, such as `pages`; `run` calls its argument after each.
    ///
    /// # Errors
    ///
    /// Those of `run`.
    pub(crate) fn each<T, E>(
        &self,
        name: &'static str,
        (count, items): (usize, &str),
        run: impl FnOnce(&(dyn Fn() + Sync)) -> Result<T, E>,
    ) -> Result<T, E> {
        let what = format!("{} {items}", HumanCount(count as u64));
        self.timed(name, (count as u64, what), |bar| run(&|| bar.inc(1)))
    }

    fn timed<T, E>(
        &self,
        name: &'static str,
        (count, what): (u64, String),
        run: impl FnOnce(&ProgressBar) -> Result<T, E>,
    ) -> Result<T, E> {
        let (bar, start) = (self.bar(name, count), Instant::now());
        let result = run(&bar);
        bar.finish_and_clear();
        result.inspect(|_| self.line(name, &what, start.elapsed()))
    }

    /// Prints a finished step.
    pub(crate) fn line(&self, name: &str, what: &str, time: Duration) {
        if !self.quiet {
            self.bars.suspend(|| anstream::eprintln!("  {name:<14} {what:>16} {:>10}", seconds(time)));
        }
    }

    fn bar(&self, name: &'static str, count: u64) -> ProgressBar {
        if self.quiet || !self.terminal {
            return ProgressBar::hidden();
        }
        let template = if count == 0 {
            "  {msg:14} {spinner}"
        } else {
            "  {msg:14} {wide_bar} {human_pos}/{human_len} {eta}"
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = self.bars.add(ProgressBar::new(count)).with_style(style).with_message(name);
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
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
