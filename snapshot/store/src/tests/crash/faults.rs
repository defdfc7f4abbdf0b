//! The publisher on a disk that fails at one operation, or is gone from it on: at each of several hundred.

use rustix::io::Errno;

use super::*;

/// Publishes a generation of many small pages, half of them those of the one before.
fn publish_many(disk: Arc<dyn Disk>, text: &str) -> Result<PublishOutcome, StoreError> {
    let page = |number: i32| {
        let body = if number % 2 == 0 { "always the same".to_owned() } else { format!("{text} {number}") };
        (format!("{}/{number}.json", number % 7), body)
    };
    publish_pages(disk, text, &(0..90).map(page).collect::<Vec<_>>())
}

/// Fails each operation of `act`, which says whether it succeeded, in turn, in each way. Afterwards the live generation
/// must be whole, the former one unless `act` succeeded or failed in its last sync, and publishing must work. Returns
/// how many operations there are.
fn fail_everywhere(before: &Model, act: impl Fn(Arc<dyn Disk>) -> bool) -> usize {
    let counted = before.settled(None);
    assert!(act(counted.clone()));
    let State { operations, before_last_sync: last_sync, .. } = *counted.state();
    let after = current(&*counted).unwrap();
    let old = current(before).unwrap();
    for fault in [Fault::Once(Errno::NOSPC), Fault::Once(Errno::IO), Fault::Killed] {
        for at in 0..operations {
            let disk = before.settled(None);
            disk.state().fault = Some((fault, at));
            let succeeded = act(disk.clone());
            disk.state().fault = None;
            let disk: Arc<dyn Disk> = disk;
            let live = verified(&disk).unwrap_or_else(|faults| panic!("{fault:?} at {at}: {faults:?}"));
            let may_be_new = succeeded || at >= last_sync;
            assert!(live == old || live == after && may_be_new, "{fault:?} at {at}: {live}");
            let next = publish_many(Arc::clone(&disk), "afterwards").unwrap();
            assert_eq!(verified(&disk).unwrap(), next.manifest.id(), "{fault:?} at {at}");
            let mut left = disk.list(GENERATIONS).unwrap().into_iter().chain(disk.list("").unwrap());
            assert!(left.all(|(name, ..)| !name.contains("tmp")), "{fault:?} at {at}");
        }
    }
    operations
}

#[test]
fn a_fault_at_any_operation_leaves_a_complete_live_generation_and_the_next_publisher_recovers() {
    let disk = two_generations();
    publish_many(disk.clone(), "before").unwrap();
    let published = fail_everywhere(&disk, |disk| publish_many(disk, "now").is_ok());
    let back = fail_everywhere(&disk, |disk| rollback_on(&disk, None, date(2026, 11, 20)).is_ok());
    let cleared = fail_everywhere(&disk, |disk| {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        gc_on(&*disk, 1, now).is_ok()
    });
    println!("operations: publish {published}, rollback {back}, gc {cleared}");
}
