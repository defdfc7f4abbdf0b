//! Rollouts: what each step makes of CURRENT and what it refuses; and all interleavings, up to a number of switches and
//! faults, of their steps with pushes and with removing garbage, while edges inside and outside of the percent read.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use jiff::Timestamp;
use snapshot::store::GenerationId;

use super::model::{Fake, NOW, Objects, World, collect, holds_over, push, pushed, read, run_alone, trust};
use crate::current::{CURRENT, Current, RETAINED};
use crate::error::{ErrorClass, RemoteError};
use crate::publish::Publisher;
use crate::rollout::Step;
use crate::target::memory::{Client, Memory};

type Outcome = Arc<Mutex<Vec<GenerationId>>>;

async fn with_publisher(client: &Client, work: impl AsyncFnOnce(&Publisher<'_>)) {
    let (trust, memory) = (trust(), Arc::clone(&client.memory));
    let clock = move || Timestamp::from_second(*memory.now.lock().unwrap()).unwrap();
    let publisher = Publisher { target: client, trust: &trust, sign: None, valid_for: None, clock: &clock };
    work(&publisher).await;
}

/// Begins a rollout to every other edge.
async fn begin(client: Client, mut source: Fake, outcome: Outcome) {
    let work = async |publisher: &Publisher<'_>| {
        if let Ok(pushed) = publisher.begin(&mut source, 50).await {
            outcome.lock().unwrap().push(pushed.read.pointer.live.generation);
        }
    };
    with_publisher(&client, work).await;
}

async fn roll_out(client: Client, step: Step, outcome: Outcome) {
    let work = async |publisher: &Publisher<'_>| {
        if let Ok(read) = publisher.roll_out(step).await {
            outcome.lock().unwrap().push(read.pointer.live.generation);
        }
    };
    with_publisher(&client, work).await;
}

/// What lies in a store that a third generation is rolled out of.
fn rolling() -> Objects {
    let memory = Arc::new(Memory { now: Mutex::new(NOW), ..Memory::default() });
    *memory.objects.lock().unwrap() = pushed(true);
    memory.start_from(500);
    run_alone(begin(Client::of(&memory), Fake::new(3, "third"), Outcome::default()));
    memory.objects.lock().unwrap().clone()
}

/// A rollout from its push to its end, while another pushes and garbage is removed.
fn beginners(world: &mut World) {
    world.add(|client, done| {
        Box::pin(async move {
            begin(client.clone(), Fake::new(3, "third"), Arc::clone(&done)).await;
            roll_out(client, Step::Promote, done).await;
        })
    });
    world.add(|client, _| Box::pin(collect(client, 2)));
    world.add(|client, done| Box::pin(push(client, Fake::new(4, "first"), done)));
}

/// One who promotes and one who aborts, garbage twice, and a push of what was live first.
fn enders(world: &mut World) {
    world.add(|client, done| {
        Box::pin(async move {
            roll_out(client.clone(), Step::Percent(99), Arc::clone(&done)).await;
            roll_out(client, Step::Promote, done).await;
        })
    });
    world.add(|client, _| Box::pin(collect(client, 2)));
    world.add(|client, done| Box::pin(roll_out(client, Step::Abort, done)));
    world.add(|client, done| Box::pin(push(client, Fake::new(4, "first"), done)));
}

#[test]
fn edges_inside_and_outside_of_the_percent_find_a_whole_generation_whatever_goes_between() {
    for early in [true, false] {
        let reading = |writers: fn(&mut World)| {
            move |world: &mut World| {
                writers(world);
                world.add(move |client, _| Box::pin(read(client, early)));
            }
        };
        holds_over(&pushed(true), &reading(beginners), (1, 0), 100);
        holds_over(&rolling(), &reading(enders), (1, 0), 100);
    }
}

#[test]
fn a_rollout_leaves_all_whole_whoever_crashes_or_hears_no_answer() {
    holds_over(&pushed(true), &beginners, (1, 1), 500);
    holds_over(&rolling(), &enders, (1, 1), 500);
}

/// A store that steps are taken in, one after the other.
struct Store(Arc<Memory>);

impl Store {
    fn new() -> Self {
        Self(Arc::new(Memory { now: Mutex::new(NOW), ..Memory::default() }))
    }

    fn run(&self, work: impl AsyncFnOnce(&Publisher<'_>)) {
        run_alone(async { with_publisher(&Client::of(&self.0), work).await });
    }

    fn push(&self, sequence: u64, percent: Option<u8>) -> Result<(), RemoteError> {
        let mut told = Ok(());
        let mut source = Fake::new(sequence, "own");
        self.run(async |publisher| {
            let pushed = match percent {
                Some(percent) => publisher.begin(&mut source, percent).await,
                None => publisher.push(&mut source).await,
            };
            told = pushed.map(drop);
        });
        told
    }

    fn step(&self, step: Step) -> Result<(), RemoteError> {
        let mut told = Ok(());
        self.run(async |publisher| told = publisher.roll_out(step).await.map(drop));
        told
    }

    fn pointer(&self) -> Current {
        let bytes = self.0.objects.lock().unwrap()[CURRENT].0.clone();
        Current::read("", &bytes, &trust()).unwrap().0
    }

    /// Numbers: of the version, of what is live, of what is rolled out and its percent, and of what is kept beside.
    fn numbers(&self) -> (u64, u64, Option<(u64, u8)>, Vec<u64>) {
        let pointer = self.pointer();
        let next = pointer.next.map(|next| (next.named.generation.sequence, next.percent));
        let retained = pointer.retained.iter().map(|named| named.generation.sequence).collect();
        (pointer.version, pointer.live.generation.sequence, next, retained)
    }
}

#[track_caller]
fn is_refused(told: Result<(), RemoteError>, kind: ErrorClass, what: &str) {
    let error = told.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(what), "{error}");
}

#[test]
fn each_step_of_a_rollout_is_one_version_and_leaves_what_is_live_until_it_is_promoted() {
    let store = Store::new();
    is_refused(store.step(Step::Promote), ErrorClass::Unreadable, "nothing was pushed here");
    is_refused(store.push(1, Some(5)), ErrorClass::Usage, "push without --percent first");
    store.push(1, None).unwrap();
    is_refused(store.step(Step::Percent(5)), ErrorClass::HeldBack, "no rollout is under way, 000001-");
    store.push(2, Some(5)).unwrap();
    assert_eq!(store.numbers(), (2, 1, Some((2, 5)), vec![]));
    is_refused(store.push(3, None), ErrorClass::HeldBack, "000002-");
    is_refused(store.push(3, Some(50)), ErrorClass::HeldBack, "goes to 5 % of the edges; end that first");
    store.step(Step::Percent(50)).unwrap();
    assert_eq!(store.numbers(), (3, 1, Some((2, 50)), vec![]));
    store.step(Step::Percent(50)).unwrap();
    assert_eq!(store.numbers().0, 3, "it is so already");
    store.step(Step::Promote).unwrap();
    assert_eq!(store.numbers(), (4, 2, None, vec![1]));
    is_refused(store.step(Step::Abort), ErrorClass::HeldBack, "no rollout is under way, 000002-");
    store.push(3, None).unwrap();
    assert_eq!(store.numbers(), (5, 3, None, vec![1, 2]));
}

#[test]
fn what_was_aborted_is_kept_beside_and_its_number_goes_to_no_other() {
    let store = Store::new();
    store.push(1, None).unwrap();
    store.push(3, Some(5)).unwrap();
    store.step(Step::Abort).unwrap();
    assert_eq!(store.numbers(), (3, 1, None, vec![3]));
    for sequence in [2, 3] {
        is_refused(store.push(sequence, None), ErrorClass::HeldBack, "push with --rebase");
        is_refused(store.push(sequence, Some(5)), ErrorClass::HeldBack, "push with --rebase");
    }
    store.push(4, Some(5)).unwrap();
    store.step(Step::Abort).unwrap();
    is_refused(store.push(4, None), ErrorClass::HeldBack, "push with --rebase");
    store.push(5, None).unwrap();
    assert_eq!(store.numbers(), (6, 5, None, vec![3, 4, 1]));
    assert_eq!(store.pointer().spent, None, "what comes later is after what is live");
}

/// Lets somebody else act after each request of a push or a step, too late or not; gives all that it was told.
fn told_when_interrupted(
    before: &Objects,
    work: &impl AsyncFn(&Publisher<'_>) -> Result<(), RemoteError>,
    others: &dyn Fn(&Store),
) -> BTreeSet<String> {
    let told = Mutex::new(BTreeSet::new());
    for requests in 0.. {
        let store = Store::new();
        *store.0.objects.lock().unwrap() = before.clone();
        store.0.start_from(900);
        let client = Client::of(&store.0);
        let mut actor = Box::pin(with_publisher(&client, async |publisher| {
            let said =
                work(publisher).await.err().map_or_else(|| "done".to_owned(), |error| error.to_string());
            told.lock().unwrap().insert(said);
        }));
        let mut go = || actor.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        if (0..requests).any(|_| go()) {
            break;
        }
        others(&store);
        run_alone(actor);
    }
    told.into_inner().unwrap()
}

#[test]
fn who_was_overtaken_is_told_by_what() {
    let push = async |publisher: &Publisher<'_>| publisher.push(&mut Fake::new(4, "own")).await.map(drop);
    let promote = async |publisher: &Publisher<'_>| publisher.roll_out(Step::Promote).await.map(drop);
    let begins = told_when_interrupted(&pushed(true), &push, &|store| drop(store.push(3, Some(50))));
    assert!(begins.iter().all(|told| told == "done" || told.contains("goes to 50 %")), "{begins:?}");
    let pushes = told_when_interrupted(&pushed(true), &push, &|store| drop(store.push(3, None)));
    assert!(pushes.iter().any(|told| told.contains("000003-") && told.contains("was not built upon it")));
    let aborts = told_when_interrupted(&rolling(), &promote, &|store| drop(store.step(Step::Abort)));
    let expected = ["no rollout is under way", "look, and try again", "done"];
    assert!(expected.iter().all(|words| aborts.iter().any(|told| told.contains(words))), "{aborts:?}");
    assert_eq!((begins.len(), aborts.len()), (2, 3));
}

#[test]
fn what_there_is_no_room_for_after_a_rollout_is_found_by_who_removes_garbage() {
    let most = RETAINED as u64;
    let store = Store::new();
    (1..=most + 1).for_each(|sequence| store.push(sequence, None).unwrap());
    let named = |sequence: u64| {
        let names = store.0.objects.lock().unwrap();
        names.keys().filter(|name| name.starts_with(&format!("g/{sequence:06}-"))).count()
    };
    let collect = || {
        run_alone(collect(Client::of(&store.0), 1));
        *store.0.now.lock().unwrap() += 8 * 86_400;
    };
    for (gone, step) in [(1, Step::Promote), (2, Step::Abort)] {
        store.push(most + 1 + gone, Some(5)).unwrap();
        assert_eq!(store.numbers().3.first(), Some(&gone), "a rollout takes no room");
        store.step(step).unwrap();
        assert_eq!((store.numbers().3.len(), store.numbers().3[0]), (RETAINED, gone + 1));
        assert_eq!(named(gone), 3);
    }
    (0..3).for_each(|_| collect());
    assert_eq!((named(1), named(2), named(most + 2)), (0, 0, 3));
}
