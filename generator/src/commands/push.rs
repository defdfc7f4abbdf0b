//! `push`: the live generation of a folder into a store.

use dataset::text::counted;
use remote::{FetchBudget, LocalRoot, Publisher, Puller, Pushed};
use site::size;

use crate::cli::Push;
use crate::exit_codes::{Failure, fail};
use crate::load::today;
use crate::stores::{as_publisher, failure, jobs, run};

/// Pushes the live generation of a root to a store.
pub(crate) fn push(options: &Push) -> Result<String, Failure> {
    as_publisher(&options.signing, &options.url, |publisher| {
        let publisher = &Publisher { valid_for: options.valid_for, recover: options.recover, ..*publisher };
        let pushed = push_or_rebase(options, publisher)?;
        let current = pushed.current.current;
        let (live, url) = (current.live.generation, publisher.target.place());
        let valid = current.expires.map(|expires| format!(", valid until {expires}")).unwrap_or_default();
        Ok(match pushed.unchanged {
            true => format!("unchanged: {live} is live in {url} already{valid}"),
            false => {
                let objects = counted(pushed.objects as usize, "object");
                format!("{live} is live in {url}: {objects}, {} sent", size(pushed.bytes))
            }
        })
    })
}

/// Pushes; with `--rebase`, where another publisher was first, pulls its generation and pushes the one here after it.
fn push_or_rebase(options: &Push, publisher: &Publisher<'_>) -> Result<Pushed, Failure> {
    /// How often other publishers may be first.
    const TRIES: usize = 5;
    let own = store::live_id(&options.root).map_err(|error| failure(error.into()))?;
    for tries in 1.. {
        let source = LocalRoot::open(&options.root, jobs()).map_err(failure)?;
        match run(publisher.push(&source)) {
            Err(error) if options.rebase && error.is_behind() && tries < TRIES => {
                let (target, trust) = (publisher.target, publisher.trust);
                let budget = FetchBudget::default();
                let puller = Puller { target, trust, jobs: jobs(), budget: &budget };
                run(puller.pull(&options.root, None)).map_err(failure)?;
                // Nothing is rendered: the same files under the next number.
                store::rollback(&options.root, Some(own), today()).map_err(|faults| {
                    fail(Failure::Output, faults.first().map(ToString::to_string).unwrap_or_default())
                })?;
            }
            pushed => return pushed.map_err(failure),
        }
    }
    Err(Failure::HeldBack)
}
