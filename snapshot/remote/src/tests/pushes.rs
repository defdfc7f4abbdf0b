//! A push that is killed at any request, refused any write or left without any answer: CURRENT is untouched or complete,
//! and the next push goes on.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::memory::{Client, Memory, run_alone, run_until};
use super::schedules::{TestSource, as_publisher, needed};
use crate::current::{CURRENT, FetchedCurrent, SignFn, Trust};
use crate::error::{ErrorClass, RemoteError};
use crate::publish::{Publisher, Pushed};

fn push(client: &Client, source: TestSource) -> impl Future<Output = Result<Pushed, RemoteError>> {
    super::schedules::pushed(client, 0, source)
}

/// The number of the live generation; 0 if there is none. All that it needs is there.
fn live(memory: &Memory) -> u64 {
    let objects = memory.objects.lock().unwrap().clone();
    if !objects.contains_key(CURRENT) {
        return 0;
    }
    let current = memory.current();
    assert!(needed(&objects, &current).unwrap().iter().all(|name| objects.contains_key(name)));
    current.live.generation.sequence
}

/// A store to which so many generations were pushed.
fn pushed(generations: u64) -> Arc<Memory> {
    let memory = Memory::empty();
    for sequence in 1..=generations {
        run_alone(push(&Client::of(&memory), TestSource::new(sequence, "own"))).unwrap();
    }
    memory.take_requests();
    memory
}

/// How often an object of a generation was written.
fn writes(memory: &Memory, object: &str) -> usize {
    let requests = memory.requests.lock().unwrap();
    requests.iter().filter(|it| it.starts_with("write g/") && it.ends_with(object)).count()
}

#[test]
fn an_object_of_another_length_is_uploaded_again() {
    let (one, other) = (pushed(1), Memory::empty());
    let name = one.names().into_iter().find(|name| name.ends_with("changes.bin.gz")).unwrap();
    other.put(&name, "cut");
    run_alone(push(&Client::of(&other), TestSource::new(1, "own"))).unwrap();
    assert_eq!(other.object(&name).bytes, one.object(&name).bytes);
}

#[test]
fn a_push_that_is_killed_anywhere_is_finished_by_the_next() {
    for before in [0, 1] {
        for requests in 0..20 {
            let memory = pushed(before);
            let source = || TestSource::new(before + 1, "next");
            let killed = run_until(&memory, requests, push(&Client::of(&memory), source()));
            assert!(live(&memory) == before || killed.is_some() || requests > 7, "{requests}");
            run_alone(push(&Client::of(&memory), source())).unwrap();
            assert_eq!(live(&memory), before + 1);
            // What was uploaded is not uploaded again.
            assert!(["changes.bin.gz", "files.bin.gz", "site.zip"].iter().all(|it| writes(&memory, it) == 1));
            assert!(!memory.names().iter().any(|name| name.starts_with("probe-")) || killed.is_none());
        }
    }
}

#[test]
fn a_push_without_room_or_without_an_answer_is_finished_by_the_next() {
    for at in 0..12 {
        for loses in [false, true] {
            let memory = pushed(1);
            let client = Client::of(&memory);
            let source = || TestSource::new(2, "next");
            let mut work = Box::pin(push(&client, source()));
            let begun = run_until(&memory, at, &mut work).is_none();
            client.loses.store(loses, Relaxed);
            client.is_full.store(!loses, Relaxed);
            let outcome = if begun { run_alone(work) } else { continue };
            client.is_full.store(false, Relaxed);
            match outcome {
                // An answer of a conditional write that is lost is found out.
                Ok(_) => assert!(loses && live(&memory) == 2),
                Err(error) => {
                    let is_expected =
                        matches!(error.class(), ErrorClass::Unwritable | ErrorClass::Unreadable);
                    assert!(is_expected, "{error}");
                    assert_eq!(live(&memory), 1, "{error}");
                    run_alone(push(&client, source())).unwrap();
                    assert_eq!(live(&memory), 2);
                }
            }
        }
    }
}

#[test]
fn of_two_publishers_one_wins_and_the_other_learns_who() {
    for requests in 1..20 {
        let memory = pushed(1);
        let client = Client::of(&memory);
        let mut late = Box::pin(push(&client, TestSource::new(2, "late")));
        if run_until(&memory, requests, &mut late).is_some() {
            break;
        }
        let first = run_alone(push(&Client::of(&memory), TestSource::new(2, "first")));
        let lost = [run_alone(late), first].into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert!(matches!(&*lost, [error] if error.class() == ErrorClass::Conflict), "{requests}: {lost:?}");
        assert_eq!(live(&memory), 2);
    }
}

#[test]
fn a_signed_store_stays_signed_and_a_push_with_a_key_signs_it() {
    let ((sign, public), memory) = (super::current::key(), pushed(1));
    let trust = Trust::new(&[public], true).unwrap();
    let push = |sign: Option<SignFn<'_>>, sequence| {
        let client = Client::of(&memory);
        let trust = &trust;
        run_alone(async move {
            let mut result = None;
            as_publisher(&client, 0, async |publisher| {
                let publisher = Publisher { trust, sign, ..*publisher };
                result = Some((
                    publisher.push(&TestSource::new(sequence, "own")).await,
                    publisher.collect(1, jiff::Timestamp::MIN).await,
                ));
            })
            .await;
            result.unwrap()
        })
    };
    let is_signed = || memory.object(CURRENT).bytes.iter().filter(|byte| **byte == b'\n').count() > 1;
    assert!(!is_signed() && push(None, 1).0.is_ok() && !is_signed());
    assert!(
        push(Some(&sign), 1).0.unwrap().unchanged && is_signed(),
        "the generation that is live gets a signature"
    );
    let (pushed, collected) = push(None, 2);
    for error in [pushed.unwrap_err(), collected.unwrap_err()] {
        assert_eq!(error.class(), ErrorClass::Usage);
        assert!(error.to_string().ends_with("name the key with --key"), "{error}");
    }
    let live = FetchedCurrent::parse("", &memory.object(CURRENT), &trust).unwrap().current.live;
    assert!(is_signed() && live.generation.sequence == 1);
}
