//! Clients that ask without pause, and hold every answer against what was recorded.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::Place;
use super::client::{Answer, Client};
use crate::synth::rng::Rng;

/// What may be asked, and each generation's answers to it.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Request targets.
    pub targets: Vec<String>,
    /// For each generation, the answer to each target.
    pub answers: Vec<Vec<Answer>>,
}

impl Expected {
    /// Nothing recorded yet.
    #[must_use]
    pub fn of(targets: Vec<String>) -> Self {
        Self { targets, answers: Vec::new() }
    }

    /// Records what an edge at rest answers.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached.
    pub fn record(&mut self, place: &Place) -> io::Result<()> {
        let mut client = Client::new(place);
        let answers = self.targets.iter().map(|target| client.get(target)).collect::<io::Result<_>>()?;
        self.answers.push(answers);
        Ok(())
    }

    /// The generation that gave this answer to a target.
    fn generation_of(&self, target: usize, answer: &Answer) -> Option<usize> {
        self.answers.iter().position(|answers| answers[target] == *answer)
    }

    /// Waits until a generation answers; false when it does not within a minute.
    #[must_use]
    pub fn await_generation(&self, place: &Place, generation: usize) -> bool {
        let began = Instant::now();
        let mut client = Client::new(place);
        while began.elapsed() < Duration::from_secs(60) {
            let answer = client.get(&self.targets[0]);
            if answer.is_ok_and(|answer| self.generation_of(0, &answer) == Some(generation)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

/// What came of a load.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Answers of each generation.
    pub answered: Vec<u64>,
    /// Requests without an answer, and why the first of them had none.
    pub failed: u64,
    /// Answers that no generation gives.
    pub mixed: u64,
    /// The first that went wrong.
    pub first_fault: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.answered.resize(self.answered.len().max(other.answered.len()), 0);
        for (sum, more) in self.answered.iter_mut().zip(&other.answered) {
            *sum += more;
        }
        self.failed += other.failed;
        self.mixed += other.mixed;
        self.first_fault = self.first_fault.take().or(other.first_fault);
    }
}

/// Runs clients while `act` runs.
pub fn during(place: &Place, expected: &Expected, clients: u64, act: impl FnOnce()) -> Tally {
    let stop = AtomicBool::new(false);
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let stop = &stop;
        let one = |seed: u64| move || ask_until(place, expected, seed, stop);
        let threads: Vec<_> = (0..clients).map(|seed| scope.spawn(one(seed))).collect();
        // Whatever becomes of `act`, the clients have to end.
        let stopping = Stopping(stop);
        act();
        drop(stopping);
        for thread in threads {
            all.add(thread.join().unwrap_or_default());
        }
    });
    all
}

struct Stopping<'a>(&'a AtomicBool);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn ask_until(place: &Place, expected: &Expected, seed: u64, stop: &AtomicBool) -> Tally {
    let mut rng = Rng::new(&[seed, 0x5707]);
    let mut client = Client::new(place);
    let mut tally = Tally { answered: vec![0; expected.answers.len()], ..Tally::default() };
    // Once at least: what is done beside it may end before this thread begins.
    loop {
        let target = rng.below(expected.targets.len());
        let fault = match client.get(&expected.targets[target]) {
            Ok(answer) => match expected.generation_of(target, &answer) {
                Some(generation) => {
                    tally.answered[generation] += 1;
                    None
                }
                None => {
                    tally.mixed += 1;
                    Some(format!("{}: no generation answers {answer:?}", expected.targets[target]))
                }
            },
            Err(error) => {
                tally.failed += 1;
                Some(format!("{}: {error}", expected.targets[target]))
            }
        };
        tally.first_fault = tally.first_fault.or(fault);
        if stop.load(Relaxed) {
            break;
        }
    }
    tally
}
