//! The scripted agent at its tasks.

use generator::read::Input;
use tests::agents::play::{BUDGET, play};
use tests::agents::{Host, Set};
use tests::judge::desk;
use tests::snapshots;

use crate::server::real_data;

/// Every task is answered rightly, in two calls and within its budget.
fn all_right(host: &Host<'_>, set: Set) {
    let report = play(host, &set.tasks());
    assert!(report.0.len() >= 20);
    for played in &report.0 {
        assert!(played.is_right && played.calls <= 2 && played.tokens <= BUDGET, "{report}");
    }
}

#[test]
fn the_scripted_agent_answers_every_task_in_two_calls() {
    all_right(&Host::new(snapshots::sample()), Set::Sample);
    if let Some(data) = real_data() {
        let (_folder, live) = desk::publish(&Input::Folder(data));
        all_right(&Host::new(&live), Set::Published);
    }
}
