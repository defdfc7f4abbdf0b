//! Rollouts as publishers meet them, over a folder as a store: what the edges of some names get before all others, and
//! each of the ways in which a step is refused.

use std::fs;

use remote::current::{CURRENT, Current};
use remote::keys::Trust;

use super::Place;

impl Place {
    /// A name of an edge that takes what is rolled out, or one that does not.
    fn edge(&self, early: bool) -> String {
        let bytes = fs::read(self.path("store").join(CURRENT)).unwrap();
        let public = self.opdir(&["keys", "public", "key"]).succeeds();
        let trust = Trust::of(&[public], false).unwrap();
        let (pointer, _, _) = Current::read("", &bytes, &trust).unwrap();
        let next = pointer.next.unwrap();
        let mut names = (0..).map(|number| format!("edge-{number}"));
        names.find(|name| next.is_for(pointer.root, name) == early).unwrap()
    }

    fn roll_out(&self, step: &[&str]) -> super::Ran {
        self.opdir(&[&["rollout", &self.store(), "--key", "key"], step].concat())
    }

    /// Pulls as an edge of a name; gives what was said and the number of what is live there then.
    fn pull_as(&self, root: &str, name: &str) -> (String, u64) {
        let pull = ["pull", &self.store(), root, "--trust", "key.pub", "--name", name];
        let said = self.opdir(&pull).succeeds();
        self.opdir(&["verify", root]).succeeds();
        let live = fs::read_to_string(self.path(root).join("CURRENT")).unwrap();
        (said, live[..6].parse().unwrap())
    }

    fn push_part(&self, more: &[&str]) -> super::Ran {
        self.opdir(&[&["push", "root", &self.store(), "--key", "key"], more].concat())
    }
}

#[test]
fn what_is_rolled_out_comes_to_some_edges_and_then_to_none_or_to_all() {
    let place = Place::with_snapshot();
    let key = place.key();
    let first = place.live();
    place.push().succeeds();
    place.build_day("root", "2026-11-22");
    let said = place.push_part(&["--percent", "50"]).succeeds();
    let expected = format!("{} goes to 50 % of the edges, {first} is live in file://", place.live());
    assert!(said.starts_with(&expected), "{said}");
    let (inside, outside) = (place.edge(true), place.edge(false));
    assert_eq!(place.pull_as("inside", &inside).1, 2);
    assert_eq!(place.pull_as("outside", &outside).1, 1);
    place.pull("builder", &key).succeeds();
    assert!(fs::read_to_string(place.path("builder/CURRENT")).unwrap().starts_with("000001-"));
    place.push_part(&[]).fails(6, &["000002-", "goes to 50 % of the edges", "`--abort`"]);
    assert!(place.roll_out(&["--abort"]).succeeds().starts_with(&format!("{first} is live in file://")));
    assert_eq!(place.pull_as("inside", &inside).1, 1);
    assert!(place.pull_as("outside", &outside).0.starts_with("unchanged: "));
    // Whoever builds upon what is live would give the number again.
    place.build_day("builder", "2026-11-23");
    let again = ["push", "builder", &place.store(), "--key", "key"];
    place.opdir(&again).fails(6, &["000002-", "was aborted", "--rebase"]);
    place.push_part(&["--percent", "1"]).fails(6, &["was aborted"]);
    place.push_part(&["--percent", "1", "--rebase"]).succeeds();
    assert!(place.live().starts_with("000003-"), "{}", place.live());
    assert!(place.roll_out(&["--percent", "50"]).succeeds().contains("goes to 50 % of the edges"));
    let (inside, outside) = (place.edge(true), place.edge(false));
    assert_eq!(place.pull_as("early", &inside).1, 3);
    let promoted = place.roll_out(&["--promote"]).succeeds();
    assert!(promoted.starts_with(&format!("{} is live in file://", place.live())), "{promoted}");
    assert!(place.pull_as("early", &inside).0.starts_with("unchanged: "), "it is there already");
    assert_eq!(place.pull_as("outside", &outside).1, 3);
    place.build_day("root", "2026-11-24");
    place.push().succeeds();
}

#[test]
fn steps_that_cannot_be_taken_are_refused_and_nothing_is_written() {
    let place = Place::with_snapshot();
    place.key();
    place.opdir(&["keys", "new", "stranger"]).succeeds();
    place.roll_out(&["--promote"]).fails(3, &["nothing was pushed here"]);
    place.push_part(&["--percent", "5"]).fails(2, &["push without --percent first"]);
    place.push().succeeds();
    for step in [&["--promote"][..], &["--abort"], &["--percent", "5"]] {
        place.roll_out(step).fails(6, &["no rollout is under way", &place.live(), "push --percent N"]);
    }
    place.build_day("root", "2026-11-22");
    place.push_part(&["--percent", "5"]).succeeds();
    let current = fs::read(place.path("store/CURRENT")).unwrap();
    for (percent, told) in [
        ("0", "`opdir rollout URL --abort`"),
        ("100", "`opdir rollout URL --promote`"),
        ("101", "from 1 to 99"),
        ("5.5", "from 1 to 99"),
    ] {
        place.roll_out(&["--percent", percent]).fails(2, &[told]);
        place.push_part(&["--percent", percent]).fails(2, &[told]);
    }
    place.roll_out(&[]).fails(2, &["--promote"]);
    place.roll_out(&["--promote", "--abort"]).fails(2, &["cannot be used with"]);
    let step = |more: &[&str]| place.opdir(&[&["rollout", &place.store(), "--promote"], more].concat());
    step(&[]).fails(5, &["is signed", "--trust"]);
    step(&["--key", "stranger"]).fails(5, &["not signed by a key"]);
    place.opdir(&["rollout", "s3://bucket/site", "--promote"]).fails(2, &["nothing would be signed"]);
    place.opdir(&["gc", &place.store(), "--key", "key", "--keep", "1", "--days", "0"]).succeeds();
    assert!(fs::read(place.path("store/CURRENT")).unwrap() == current, "nothing was written");
    place.push_part(&["--percent", "5"]).fails(6, &["goes to 5 % of the edges"]);
    place.pull_as("inside", &place.edge(true));
}
