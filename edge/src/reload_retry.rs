//! A generation that is not taken: why, and when it is looked at again.

use std::time::{Duration, Instant};

use snapshot::store::RootStat;

/// Longest time between two attempts at what may pass.
const LONGEST: Duration = Duration::from_secs(60);

/// What is told of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Name of the generation, or `CURRENT`.
    pub generation: String,
    /// What is wrong.
    pub reason: String,
    /// Whether it may pass by itself, and is tried again: files that are not there yet, a disk that does not
    /// answer. Otherwise it was read and is not what was published.
    pub may_pass: bool,
}

/// A refusal, and what it takes to try again.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// What is told of it.
    pub(crate) told: Refused,
    /// How the root looked before the attempt.
    stat_root: RootStat,
    /// How often in a row it was refused.
    attempts: u32,
    /// When it is tried again though nothing changed; never, if it cannot pass.
    again: Option<Instant>,
}

impl Refusal {
    /// After an attempt that ended at `now`, over a root that looked so before it. `before` is the refusal
    /// that stood until then.
    pub(crate) fn new(told: Refused, stat_root: RootStat, before: Option<&Self>, now: Instant) -> Self {
        let same = before.filter(|before| before.told.generation == told.generation);
        let attempts = same.map_or(1, |before| before.attempts.saturating_add(1));
        let again = told.may_pass.then(|| now + wait(attempts));
        Self { told, stat_root, attempts, again }
    }

    /// Whether a generation is to be tried now that the root looks so.
    pub(crate) fn is_over(&self, generation: &str, stat_root: &RootStat, now: Instant) -> bool {
        let due = self.again.is_some_and(|again| again <= now);
        due || self.told.generation != generation || self.stat_root != *stat_root
    }

    /// When it is tried again though nothing changed.
    pub(crate) fn again(&self) -> Option<Instant> {
        self.again
    }
}

/// 1, 2, 4 … 60 seconds after the first attempt, the second, the third …
fn wait(attempts: u32) -> Duration {
    let seconds = 1u64.checked_shl(attempts.saturating_sub(1)).unwrap_or(u64::MAX);
    Duration::from_secs(seconds).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(generation: &str, may_pass: bool) -> Refused {
        Refused { generation: generation.to_owned(), reason: "gone".to_owned(), may_pass }
    }

    #[test]
    fn what_may_pass_is_tried_after_1_2_4_up_to_60_seconds() {
        let start = Instant::now();
        let mut now = start;
        let mut refusal = Refusal::new(told("a", true), RootStat::default(), None, now);
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            let again = refusal.again().unwrap();
            assert_eq!(again - now, Duration::from_secs(seconds));
            assert!(!refusal.is_over("a", &RootStat::default(), again - Duration::from_millis(1)));
            assert!(refusal.is_over("a", &RootStat::default(), again));
            now = again;
            refusal = Refusal::new(told("a", true), RootStat::default(), Some(&refusal), now);
        }
        let other = Refusal::new(told("b", true), RootStat::default(), Some(&refusal), now);
        assert_eq!(other.again(), Some(now + Duration::from_secs(1)), "another generation begins anew");
        assert_eq!(wait(u32::MAX), LONGEST);
    }

    #[test]
    fn what_verification_refused_waits_until_something_changes() {
        let now = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let before = snapshot::store::stat_root(folder.path());
        let refusal = Refusal::new(told("a", false), before.clone(), None, now);
        let later = now + Duration::from_secs(1_000_000);
        assert_eq!(refusal.again(), None);
        assert!(!refusal.is_over("a", &before, later));
        assert!(refusal.is_over("b", &before, now), "CURRENT names another");
        #[expect(clippy::disallowed_methods, reason = "what the edge may not do to files, its tests do")]
        std::fs::write(folder.path().join("CURRENT"), "x").unwrap();
        assert!(refusal.is_over("a", &snapshot::store::stat_root(folder.path()), now));
    }
}
