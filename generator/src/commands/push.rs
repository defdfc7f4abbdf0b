//! `push`: the live generation of a folder into a store.

use dataset::text::counted;
use remote::{LocalRoot, Publisher};
use site::size;

use crate::cli::Push;
use crate::exit_codes::Failure;
use crate::stores::{as_publisher, failure, run};

/// Pushes the live generation of a root to a store.
pub(crate) fn push(options: &Push) -> Result<String, Failure> {
    as_publisher(&options.signing, &options.url, |publisher| {
        let publisher = &Publisher { valid_for: options.valid_for, recover: options.recover, ..*publisher };
        let source = LocalRoot::open(&options.root).map_err(failure)?;
        let pushed = run(publisher.push(&source)).map_err(failure)?;
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
