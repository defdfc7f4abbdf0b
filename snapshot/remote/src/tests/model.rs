//! All interleavings, up to a number of switches and faults, of two pushes, removing garbage twice with a week in
//! between, and a pull: whoever reads finds a whole generation at any moment. And each rule that this rests on, once
//! taken away, is missed.

use std::collections::{BTreeMap, HashSet};
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use bytes::Bytes;
use jiff::Timestamp;
use snapshot::store::{Digest, GenerationId};
use uuid::Uuid;

use crate::current::{self, CURRENT, Current};
use crate::error::RemoteError;
use crate::gc::Retention;
use crate::index::{GenerationIndex, Pack, Table};
use crate::keys::Trust;
use crate::publish::{PackedSource, Publisher, PushSource};
use crate::target::Target;
use crate::target::memory::{Broken, Client, Memory};
use crate::uploads::PENDING;

/// `date -d 2026-11-20T06:00:00Z +%s`
pub(super) const NOW: i64 = 1_795_154_400;
const WEEK: i64 = 8 * 86_400;
/// What a reader who found nothing whole leaves among the requests.
const GAVE_UP: &str = "gave up";

/// A generation of two packs: one that all have, and its own.
pub(super) struct Fake {
    sequence: u64,
    own: &'static str,
    /// Whether its packs have names that no other push has.
    salted: bool,
    packs: BTreeMap<Digest, Bytes>,
}

impl Fake {
    pub(super) fn new(sequence: u64, own: &'static str) -> Self {
        Self { sequence, own, salted: true, packs: BTreeMap::new() }
    }
}

impl PushSource for Fake {
    fn generation(&self) -> GenerationId {
        GenerationId::new(self.sequence, &Digest::of(format!("{} {}", self.own, self.sequence).as_bytes()))
    }

    fn is_upon(&self, _: Uuid, _: GenerationId) -> bool {
        true
    }

    /// The table of objects is a line for each pack: what it holds, and its name.
    fn pack(&mut self, before: Option<&[u8]>, push: Uuid) -> Result<PackedSource, RemoteError> {
        let before = String::from_utf8(before.unwrap_or_default().to_vec()).unwrap();
        let there: BTreeMap<&str, Digest> = before
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(held, name)| (held, name.parse().unwrap()))
            .collect();
        let (mut table, mut packs, mut new) = (String::new(), Vec::new(), Vec::new());
        for held in ["common", self.own] {
            let sha256 = there.get(held).copied().unwrap_or_else(|| {
                let salt = if self.salted { push.to_string() } else { String::new() };
                let bytes = Bytes::from(format!("{held} {salt}"));
                let sha256 = Digest::of(&bytes);
                self.packs.insert(sha256, bytes);
                new.push(sha256);
                sha256
            });
            table += &format!("{held} {sha256}\n");
            packs.push(Pack { sha256, length: 1 });
        }
        let tables = [table.into_bytes(), b"history".to_vec()];
        Ok(PackedSource { manifest: self.own.to_owned(), tables, packs, new, plain: Vec::new() })
    }

    fn pack_bytes(&self, sha256: &Digest) -> Result<Bytes, RemoteError> {
        Ok(self.packs[sha256].clone())
    }

    fn plain_bytes(&self, _: &str) -> Result<Bytes, RemoteError> {
        unreachable!("there are none")
    }
}

pub(super) type Actor = Pin<Box<dyn Future<Output = ()>>>;

pub(super) fn trust() -> Trust {
    Trust::of(&[], true).unwrap()
}

pub(super) async fn push(client: Client, mut source: Fake, outcome: Arc<Mutex<Vec<GenerationId>>>) {
    let (trust, memory) = (trust(), Arc::clone(&client.memory));
    let clock = move || Timestamp::from_second(*memory.now.lock().unwrap()).unwrap();
    let publisher = Publisher { target: &client, trust: &trust, sign: None, valid_for: None, clock: &clock };
    if publisher.push(&mut source).await.is_ok() {
        outcome.lock().unwrap().push(source.generation());
    }
}

pub(super) async fn collect(client: Client, times: usize) {
    let (trust, memory) = (trust(), Arc::clone(&client.memory));
    let clock = move || Timestamp::from_second(*memory.now.lock().unwrap()).unwrap();
    let publisher = Publisher { target: &client, trust: &trust, sign: None, valid_for: None, clock: &clock };
    for time in 0..times {
        if time > 0 {
            *client.memory.now.lock().unwrap() += WEEK;
        }
        let _ = publisher.collect(Retention { newest: 1, since: Timestamp::MAX }).await;
    }
}

/// Reads as a pull does, of an edge that takes what is rolled out or of one that does not: begins anew when something
/// is gone, and finds a whole generation in the end.
pub(super) async fn read(client: Client, early: bool) {
    for _ in 0..3 {
        let Ok(Some(read)) = current::fetch(&client, &trust(), None).await else { continue };
        let is_it = |edge: &String| {
            let next = read.pointer.next.as_ref();
            next.is_none_or(|next| next.is_for(read.pointer.root, edge) == early)
        };
        let edge = (0..).map(|number: u32| number.to_string()).find(is_it);
        let named = read.pointer.of_edge(edge.as_deref());
        let Ok(contents) = GenerationIndex::fetch(&client, named).await else { continue };
        let names = contents.names(named);
        let mut found = 0;
        for name in &names {
            found += usize::from(client.get(name, None, 1 << 20).await.is_ok());
        }
        if found == names.len() {
            return;
        }
    }
    client.memory.requests.lock().unwrap().push(GAVE_UP.to_owned());
}

/// What lies in a store.
pub(super) type Objects = BTreeMap<String, (Bytes, u64)>;

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// A request of this actor.
    Go(usize),
    /// The same, and its answer is lost.
    Lose(usize),
    /// This actor is no more.
    Crash(usize),
}

/// A world: who acts in it, on what.
pub(super) struct World {
    memory: Arc<Memory>,
    clients: Vec<Client>,
    actors: Vec<Option<Actor>>,
    published: Arc<Mutex<Vec<GenerationId>>>,
}

/// What lies in a store to which two generations were pushed.
pub(super) fn pushed(salted: bool) -> Objects {
    let quiet = Arc::new(Memory { now: Mutex::new(NOW), ..Memory::default() });
    for (sequence, own) in [(1, "first"), (2, "second")] {
        let source = Fake { salted, ..Fake::new(sequence, own) };
        run_alone(push(Client::of(&quiet), source, Arc::default()));
    }
    quiet.objects.lock().unwrap().clone()
}

/// Makes one over what lies there.
fn world(objects: &Objects, broken: Broken, actors: &dyn Fn(&mut World)) -> World {
    let (objects, now) = (Mutex::new(objects.clone()), Mutex::new(NOW));
    let memory = Memory { objects, now, broken, ..Memory::default() };
    memory.start_from(1000);
    let mut world = World {
        memory: Arc::new(memory),
        clients: Vec::new(),
        actors: Vec::new(),
        published: Arc::default(),
    };
    actors(&mut world);
    world
}

impl World {
    pub(super) fn add(&mut self, actor: impl FnOnce(Client, Arc<Mutex<Vec<GenerationId>>>) -> Actor) {
        let client = Client::of(&self.memory);
        self.clients.push(client.clone());
        self.actors.push(Some(actor(client, Arc::clone(&self.published))));
    }

    /// Does a step; tells what broke.
    fn step(&mut self, step: Step) {
        let (Step::Go(who) | Step::Lose(who) | Step::Crash(who)) = step;
        if matches!(step, Step::Crash(_)) {
            self.actors[who] = None;
            return;
        }
        self.clients[who].loses.store(matches!(step, Step::Lose(_)), Relaxed);
        let Some(actor) = &mut self.actors[who] else { return };
        if actor.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            self.actors[who] = None;
        }
        self.clients[who].loses.store(false, Relaxed);
    }

    /// Whether all that CURRENT names is there.
    fn fault(&self) -> Option<String> {
        let objects = self.memory.objects.lock().unwrap();
        let (pointer, _, _) = Current::read("", &objects[CURRENT].0, &trust()).unwrap();
        for named in pointer.whole() {
            let path = crate::index::contents_path(named);
            let Some((bytes, _)) = objects.get(&path) else { return Some(format!("no {path}")) };
            let contents: GenerationIndex = serde_json::from_slice(bytes).unwrap();
            let missing = contents.names(named).into_iter().find(|name| !objects.contains_key(name));
            if let Some(missing) = missing {
                return Some(format!("{} needs {missing}", named.generation));
            }
        }
        None
    }
}

pub(super) fn run_alone(actor: impl Future<Output = ()>) {
    let mut actor = Box::pin(actor);
    while actor.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {}
}

/// What a run came to: the steps that were taken, who else could have gone at each where that matters, and what broke.
struct Run {
    steps: Vec<Step>,
    others: Vec<Option<Vec<usize>>>,
    fault: Option<String>,
}

/// Whether a request meets those of others: not what a push writes under names that nobody knows yet.
fn is_shared(request: &str) -> bool {
    let (what, path) = request.split_once(' ').unwrap_or_default();
    path == CURRENT || path == PENDING || what == "delete" || what == "get" && path.ends_with("contents.json")
}

/// Goes through a world, the first steps as told, then each actor to its end.
fn run(mut world: World, told: &[Step]) -> Run {
    let mut run = Run { steps: Vec::new(), others: Vec::new(), fault: None };
    let (mut versions, mut last, mut store_error) = (vec![], 0, 0);
    loop {
        let going: Vec<usize> = (0..world.actors.len()).filter(|n| world.actors[*n].is_some()).collect();
        let next = match told.get(run.steps.len()) {
            Some(step) => *step,
            None if going.contains(&last) => Step::Go(last),
            None => match going.first() {
                Some(first) => Step::Go(*first),
                None => break,
            },
        };
        world.step(next);
        let (Step::Go(who) | Step::Lose(who) | Step::Crash(who)) = next;
        last = who;
        let requests = world.memory.requests.lock().unwrap()[store_error..].to_vec();
        store_error += requests.len();
        let others = going.into_iter().filter(|n| *n != who).collect();
        run.others.push(requests.iter().any(|request| is_shared(request)).then_some(others));
        run.steps.push(next);
        if requests.iter().any(|request| request == GAVE_UP) {
            run.fault = Some("a reader found nothing whole".to_owned());
            return run;
        }
        // Nothing else takes from what is whole.
        if !requests.iter().any(|request| request.starts_with("delete ") || request.ends_with(CURRENT)) {
            continue;
        }
        run.fault = world.fault();
        if run.fault.is_some() {
            return run;
        }
        let bytes = world.memory.objects.lock().unwrap()[CURRENT].0.clone();
        let (pointer, line, _) = Current::read("", &bytes, &trust()).unwrap();
        if versions.last().is_none_or(|(_, before)| *before != line) {
            versions.push((pointer.version, line));
        }
    }
    let one_more = versions.array_windows().all(|[(before, _), (after, _)]| *after == before + 1);
    if !one_more {
        run.fault = Some(format!("versions went {:?}", versions.iter().map(|v| v.0).collect::<Vec<_>>()));
    } else if versions.len() < world.published.lock().unwrap().len() + 1 {
        run.fault = Some("a push said that it published, and was never live".to_owned());
    }
    run
}

/// Tries all schedules with at most so many switches to another actor before one has ended, and so many faults; gives
/// how many there were, and the first that broke something.
fn explore(
    objects: &Objects,
    broken: Broken,
    actors: &dyn Fn(&mut World),
    (switches, faults): (usize, usize),
) -> (usize, Option<(Vec<Step>, String)>) {
    let (mut count, mut open, mut seen) = (0, vec![(Vec::new(), 0, 0)], HashSet::new());
    while let Some((told, switched, failed)) = open.pop() {
        let run = run(world(objects, broken, actors), &told);
        count += 1;
        if let Some(fault) = run.fault {
            return (count, Some((run.steps, fault)));
        }
        for at in told.len()..run.steps.len() {
            let (Step::Go(who), Some(others)) = (run.steps[at], &run.others[at]) else { continue };
            let mut branch = |step: Step, switched: usize, failed: usize| {
                let next = [&run.steps[..at], &[step]].concat();
                if switched <= switches && failed <= faults && seen.insert(next.clone()) {
                    open.push((next, switched, failed));
                }
            };
            let running = at > 0 && matches!(run.steps[at - 1], Step::Go(last) if last == who);
            others.iter().for_each(|other| branch(Step::Go(*other), switched + usize::from(running), failed));
            branch(Step::Lose(who), switched, failed + 1);
            branch(Step::Crash(who), switched, failed + 1);
        }
    }
    (count, None)
}

/// Two pushes, the second of what was live first; garbage twice; a pull.
fn everybody(world: &mut World) {
    world.add(|client, done| Box::pin(push(client, Fake::new(3, "third"), done)));
    world.add(|client, _| Box::pin(collect(client, 2)));
    world.add(|client, done| Box::pin(push(client, Fake::new(4, "first"), done)));
    world.add(|client, _| Box::pin(read(client, false)));
}

/// The same without the pull, which takes nothing away by crashing: what it finds, the other test asks.
fn writers(world: &mut World) {
    everybody(world);
    world.actors.pop();
    world.clients.pop();
}

fn holds(actors: &dyn Fn(&mut World), bounds: (usize, usize), at_least: usize) {
    holds_over(&pushed(true), actors, bounds, at_least);
}

#[track_caller]
pub(super) fn holds_over(
    objects: &Objects,
    actors: &dyn Fn(&mut World),
    bounds: (usize, usize),
    at_least: usize,
) {
    let (count, broke) = explore(objects, Broken::default(), actors, bounds);
    assert!(broke.is_none(), "{broke:#?}");
    assert!(count >= at_least, "only {count} schedules");
}

#[test]
fn whoever_reads_finds_a_whole_generation_whatever_goes_between() {
    holds(&everybody, (2, 0), 500);
}

#[test]
fn whoever_reads_finds_a_whole_generation_whoever_crashes_or_hears_no_answer() {
    holds(&writers, (1, 1), 500);
}

#[track_caller]
fn is_missed(broken: Broken, actors: &dyn Fn(&mut World), what: &str) {
    is_missed_over(&pushed(true), broken, actors, what);
}

#[track_caller]
fn is_missed_over(objects: &Objects, broken: Broken, actors: &dyn Fn(&mut World), what: &str) {
    let (count, broke) = explore(objects, broken, actors, (2, 0));
    let (_, fault) = broke.unwrap_or_else(|| panic!("nothing broke in {count} schedules"));
    assert!(fault.contains(what), "{fault}");
}

#[test]
fn without_conditions_a_push_is_lost() {
    is_missed(Broken { conditions: true, ..Broken::default() }, &everybody, "versions went");
}

#[test]
fn without_the_order_of_writes_readers_find_half_a_generation() {
    is_missed(Broken { order: true, ..Broken::default() }, &everybody, "needs p/");
}

#[test]
fn without_the_week_of_grace_a_push_loses_what_it_uploads() {
    let actors = |world: &mut World| {
        // Twice until nothing is left to be given up: then CURRENT stays as it is, and the push is not held up by that.
        world.add(|client, _| Box::pin(collect(client, 4)));
        world.add(|client, done| {
            // Its clock is right: only who removes garbage is misled.
            let clock = Client::of(&Arc::new(Memory { now: Mutex::new(NOW), ..Memory::default() }));
            Box::pin(push_by(client, clock, Fake::new(3, "third"), done))
        });
    };
    is_missed(Broken { time: true, ..Broken::default() }, &actors, "000003-");
}

async fn push_by(client: Client, clock: Client, mut source: Fake, outcome: Arc<Mutex<Vec<GenerationId>>>) {
    let trust = trust();
    let clock = move || Timestamp::from_second(*clock.memory.now.lock().unwrap()).unwrap();
    let publisher = Publisher { target: &client, trust: &trust, sign: None, valid_for: None, clock: &clock };
    if publisher.push(&mut source).await.is_ok() {
        outcome.lock().unwrap().push(source.generation());
    }
}

#[test]
fn with_a_name_that_was_given_up_a_generation_loses_a_pack() {
    let actors = |salted: bool| {
        move |world: &mut World| {
            world.add(|client, _| Box::pin(collect(client, 2)));
            world.add(move |client, done| {
                Box::pin(push(client, Fake { salted, ..Fake::new(3, "first") }, done))
            });
        }
    };
    let (_, broke) = explore(&pushed(true), Broken::default(), &actors(true), (2, 0));
    assert!(broke.is_none(), "{broke:#?}");
    // Then its own pack has the name that the first generation's has, which was given up.
    is_missed_over(&pushed(false), Broken::default(), &actors(false), "needs p/");
}

#[test]
fn what_nobody_needs_is_gone_after_a_week_and_not_before() {
    let memory = Arc::new(Memory { now: Mutex::new(NOW), ..Memory::default() });
    let done: Arc<Mutex<Vec<GenerationId>>> = Arc::default();
    for (sequence, own) in [(1, "first"), (2, "second"), (3, "third")] {
        run_alone(push(Client::of(&memory), Fake::new(sequence, own), Arc::clone(&done)));
    }
    assert_eq!(done.lock().unwrap().len(), 3);
    // A push that was killed after its packs.
    let mut killed: Actor = Box::pin(push(Client::of(&memory), Fake::new(4, "fourth"), done));
    let count = || memory.objects.lock().unwrap().len();
    let whole = count();
    while count() < whole + 2 {
        assert!(killed.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    drop(killed);
    run_alone(collect(Client::of(&memory), 1));
    assert!(count() > whole, "a list more, nothing less");
    *memory.now.lock().unwrap() += 6 * 86_400;
    run_alone(collect(Client::of(&memory), 1));
    assert!(count() > whole, "six days are no week");
    run_alone(collect(Client::of(&memory), 4));
    // CURRENT, pending, two packs, two tables and what describes them.
    let left: Vec<String> = memory.objects.lock().unwrap().keys().cloned().collect();
    assert_eq!(left.len(), 7, "{left:#?}");
}

#[test]
fn a_first_push_asks_whether_conditions_hold() {
    for (conditions, expected) in [(false, 1), (true, 0)] {
        let memory = Memory { broken: Broken { conditions, ..Broken::default() }, ..Memory::default() };
        let (memory, done) = (Arc::new(memory), Arc::<Mutex<Vec<GenerationId>>>::default());
        run_alone(push(Client::of(&memory), Fake::new(1, "first"), Arc::clone(&done)));
        assert_eq!(done.lock().unwrap().len(), expected);
        assert_eq!(memory.objects.lock().unwrap().contains_key(CURRENT), !conditions);
        assert!(!memory.objects.lock().unwrap().keys().any(|name| name.starts_with("probe-")));
    }
}

#[test]
fn a_table_is_unpacked_to_just_what_it_was() {
    let bytes = b"objects ".repeat(1000);
    let (table, stored) = Table::pack(&bytes).unwrap();
    assert_eq!(table.unpack(&stored), Some(bytes));
    for length in [table.length - 1, table.length + 1, u64::MAX] {
        assert_eq!(Table { length, ..table.clone() }.unpack(&stored), None);
    }
    assert_eq!(table.unpack(&stored[..stored.len() - 1]), None);
}
