//! A publisher whose clock is wrong by a year: what waits to be removed waits by the store's clock, no push is lost or
//! late, and only what the publisher itself says of time, how long it is good and when it was pushed, is wrong.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::model::{Fake, NOW, run_alone, trust};
use crate::current::{CURRENT, Current};
use crate::gc::{GRACE, Retention};
use crate::publish::Publisher;
use crate::target::memory::{Client, Memory};

const DAY: i64 = 86_400;
const YEAR: i64 = 365 * DAY;

/// A store at the right time, and a publisher who is so many seconds off.
struct Wrong {
    memory: Arc<Memory>,
    off: AtomicI64,
}

impl Wrong {
    fn by(off: i64) -> Self {
        let memory = Memory { now: Mutex::new(NOW), ..Memory::default() };
        Self { memory: Arc::new(memory), off: AtomicI64::new(off) }
    }

    fn run(&self, work: impl AsyncFnOnce(&Publisher<'_>)) {
        let (client, trust) = (Client::of(&self.memory), trust());
        let clock = || {
            let now = *self.memory.now.lock().unwrap() + self.off.load(Relaxed);
            Timestamp::from_second(now).unwrap()
        };
        let valid_for = Some(std::time::Duration::from_secs(7 * DAY as u64));
        let publisher = Publisher { target: &client, trust: &trust, sign: None, valid_for, clock: &clock };
        run_alone(work(&publisher));
    }

    fn push(&self, sequence: u64, own: &'static str) {
        self.run(async |publisher| {
            publisher.push(&mut Fake::new(sequence, own)).await.unwrap();
        });
    }

    /// Removes what is due; gives how many objects that were, and how many wait.
    fn collect(&self, since: i64) -> (u64, u64) {
        let removed = Mutex::new((0, 0));
        self.run(async |publisher| {
            let keep = Retention { newest: 1, since: Timestamp::from_second(since).unwrap() };
            let done = publisher.collect(keep).await.unwrap();
            *removed.lock().unwrap() = (done.objects, done.waiting);
        });
        removed.into_inner().unwrap()
    }

    fn pass(&self, seconds: i64) {
        *self.memory.now.lock().unwrap() += seconds;
    }

    fn pointer(&self) -> Current {
        let bytes = self.memory.objects.lock().unwrap()[CURRENT].0.clone();
        Current::read("", &bytes, &trust()).unwrap().0
    }
}

#[test]
fn what_was_given_up_waits_a_week_by_the_clock_of_the_store() {
    for off in [-YEAR, 0, YEAR] {
        let wrong = Wrong::by(off);
        wrong.push(1, "first");
        wrong.push(2, "second");
        let (removed, waiting) = wrong.collect(NOW + 2 * YEAR);
        assert!(removed == 0 && waiting > 0, "{off}: {removed} removed");
        wrong.pass(GRACE.as_secs() as i64 - 1);
        assert_eq!(wrong.collect(NOW + 2 * YEAR).0, 0, "{off}");
        // Set right, or wrong the other way: that makes no difference.
        wrong.off.store(-off, Relaxed);
        assert_eq!(wrong.collect(NOW + 2 * YEAR).0, 0, "{off}");
        wrong.pass(2);
        assert!(wrong.collect(NOW + 2 * YEAR).0 > 0, "{off}");
        wrong.push(3, "third");
        assert_eq!(wrong.pointer().live.generation.sequence, 3);
    }
}

#[test]
fn what_a_publisher_says_of_time_is_by_its_own_clock_and_its_next_push_sets_it_right() {
    for (off, is_good) in [(-YEAR, false), (0, true), (YEAR, true)] {
        let wrong = Wrong::by(off);
        wrong.push(1, "first");
        let pointer = wrong.pointer();
        assert_eq!(pointer.live.at.as_second(), NOW + off);
        assert_eq!(pointer.expires.unwrap().as_second(), NOW + off + 7 * DAY);
        // Edges go by theirs, and serve on: see `FetchStats::is_expired`.
        assert_eq!(pointer.expires.unwrap().as_second() > NOW, is_good);
        wrong.off.store(0, Relaxed);
        wrong.push(2, "second");
        assert_eq!(wrong.pointer().expires.unwrap().as_second(), NOW + 7 * DAY);
        // What to keep is told by when it was pushed: a clock that was ahead keeps longer, never shorter than asked.
        wrong.collect(NOW);
        let kept = wrong.pointer().retained.len();
        assert_eq!(kept, usize::from(off >= 0), "{off}");
    }
}

#[test]
fn a_clock_that_is_set_while_a_push_is_under_way_makes_it_late_at_worst() {
    let wrong = Wrong::by(0);
    wrong.push(1, "first");
    let (client, trust) = (Client::of(&wrong.memory), trust());
    for (jump, is_live) in [(YEAR, false), (-YEAR, false), (3600, true)] {
        let store_error = AtomicI64::new(0);
        // Told once when it begins, and then after a year, or a year before.
        let clock = || Timestamp::from_second(NOW + store_error.fetch_add(1, Relaxed).min(1) * jump).unwrap();
        let publisher =
            Publisher { target: &client, trust: &trust, sign: None, valid_for: None, clock: &clock };
        let mut source = Fake::new(2, "second");
        run_alone(async {
            let pushed = publisher.push(&mut source).await;
            assert_eq!(pushed.is_ok(), is_live, "{jump}: {pushed:?}");
        });
        assert_eq!(wrong.pointer().live.generation.sequence, 1 + u64::from(is_live));
    }
}
