//! A failed reload: why, and when it is tried again.

use std::time::{Duration, Instant};

use serde::Serialize;
use store::RootStat;

/// First and longest time between two attempts after a transient failure.
const WAIT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Why the generation that CURRENT names is not served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReloadFailure {
    /// Name of the generation, or `CURRENT`.
    pub generation: String,
    /// What is wrong.
    pub reason: String,
    /// Whether it may pass by itself, and is tried again: files that are not there yet, a disk that does not
    /// answer. Otherwise it was read and is not what was published.
    #[serde(rename = "triedAgain")]
    pub is_transient: bool,
}

/// A failure, and when the next attempt is due.
#[derive(Debug)]
pub(crate) struct Retry {
    pub(crate) failure: ReloadFailure,
    /// State of the root before the attempt.
    seen: RootStat,
    /// Time to the next attempt: twice the one before.
    wait: Duration,
    /// When to try again although nothing changed; never after a permanent failure.
    pub(crate) due: Option<Instant>,
}

impl Retry {
    /// After an attempt that ended at `now`. `before` is the failure of the attempt before it.
    pub(crate) fn new(failure: ReloadFailure, seen: RootStat, before: Option<&Self>, now: Instant) -> Self {
        let same = before.filter(|before| before.failure.generation == failure.generation);
        let wait = same.map_or(WAIT.0, |before| (before.wait * 2).min(WAIT.1));
        let due = failure.is_transient.then(|| now + wait);
        Self { failure, seen, wait, due }
    }

    /// Whether to try a generation now, with the root in this state.
    pub(crate) fn is_due(&self, generation: &str, seen: &RootStat, now: Instant) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        due || self.failure.generation != generation || self.seen != *seen
    }
}

#[cfg(test)]
mod tests {
    use store::stat_root;

    use super::*;

    fn failure(generation: &str, is_transient: bool) -> ReloadFailure {
        ReloadFailure { generation: generation.to_owned(), reason: "gone".to_owned(), is_transient }
    }

    #[test]
    fn a_transient_failure_is_retried_after_1_2_4_up_to_60_seconds() {
        let mut now = Instant::now();
        let mut retry = Retry::new(failure("a", true), RootStat::default(), None, now);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            let due = retry.due.unwrap();
            assert_eq!(due - now, Duration::from_secs(seconds));
            assert!(!retry.is_due("a", &RootStat::default(), due - Duration::from_millis(1)));
            assert!(retry.is_due("a", &RootStat::default(), due));
            now = due;
            retry = Retry::new(failure("a", true), RootStat::default(), Some(&retry), now);
        }
        let other = Retry::new(failure("b", true), RootStat::default(), Some(&retry), now);
        assert_eq!(other.due, Some(now + Duration::from_secs(1)), "another generation starts at 1 s");
    }

    #[test]
    fn a_permanent_failure_is_retried_only_when_the_root_changes() {
        let now = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let before = stat_root(folder.path());
        let retry = Retry::new(failure("a", false), before.clone(), None, now);
        let later = now + Duration::from_secs(1_000_000);
        assert_eq!(retry.due, None);
        assert!(!retry.is_due("a", &before, later));
        assert!(retry.is_due("b", &before, now), "CURRENT names another");
        #[expect(clippy::disallowed_methods, reason = "tests may write files")]
        std::fs::write(folder.path().join("CURRENT"), "x").unwrap();
        assert!(retry.is_due("a", &stat_root(folder.path()), now));
    }
}
