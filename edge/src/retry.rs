//! When a generation that cannot be served is tried again, and why it cannot.

use std::time::{Duration, Instant};

use serde::Serialize;

/// First and longest time between two attempts.
const WAIT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Why the generation that CURRENT names is not served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReloadFailure {
    /// Name of the generation, or `CURRENT`.
    pub generation: String,
    /// What is wrong.
    pub reason: String,
    /// Whether it may pass by itself: files that are not there yet, a disk that does not answer. Otherwise it was read
    /// and is not what was published.
    #[serde(skip)]
    pub is_transient: bool,
}

/// A failure, and when the next attempt is due.
#[derive(Debug)]
pub(crate) struct Retry {
    pub(crate) failure: ReloadFailure,
    /// Time to the next attempt: twice the one before.
    wait: Duration,
    pub(crate) due: Instant,
}

impl Retry {
    /// After an attempt that ended at `now`. `before` is the failure of the attempt before it.
    pub(crate) fn new(failure: ReloadFailure, before: Option<&Self>, now: Instant) -> Self {
        let same = before.filter(|before| before.failure.generation == failure.generation);
        let wait = same.map_or(WAIT.0, |before| (before.wait * 2).min(WAIT.1));
        Self { failure, wait, due: now + wait }
    }

    /// Whether to try a generation now.
    pub(crate) fn is_due(&self, generation: &str, now: Instant) -> bool {
        self.due <= now || self.failure.generation != generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_retried_after_1_2_4_up_to_60_seconds() {
        let failure = |generation: &str| ReloadFailure {
            generation: generation.to_owned(),
            reason: "gone".to_owned(),
            is_transient: true,
        };
        let mut now = Instant::now();
        let mut retry = Retry::new(failure("a"), None, now);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            assert_eq!(retry.due - now, Duration::from_secs(seconds));
            assert!(!retry.is_due("a", retry.due - Duration::from_millis(1)));
            assert!(retry.is_due("a", retry.due) && retry.is_due("b", now));
            now = retry.due;
            retry = Retry::new(failure("a"), Some(&retry), now);
        }
        let other = Retry::new(failure("b"), Some(&retry), now);
        assert_eq!(other.due, now + Duration::from_secs(1), "another generation starts at 1 s");
    }
}
