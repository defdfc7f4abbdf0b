//! `pull`: the live generation of a store into a folder.

use dataset::text::counted;
use jiff::Timestamp;
use remote::Puller;
use site::size;

use crate::cli::Pull;
use crate::exit_codes::Failure;
use crate::stores::{failure, run, trust};

/// Brings the live generation of a store into a root.
pub(crate) fn pull(options: &Pull) -> Result<String, Failure> {
    let trust = trust(&options.trust, &options.url, &[])?;
    let target = remote::open(&options.url).map_err(failure)?;
    let puller = Puller { target: &*target, trust: &trust };
    let pulled = run(puller.pull(&options.root)).map_err(failure)?;
    let expired = pulled.current.current.expires.filter(|expires| *expires < Timestamp::now());
    if let Some(expires) = expired {
        anstream::eprintln!(
            "warning: the store's content was valid until {expires}; find out why no push followed"
        );
    }
    let (id, root) = (pulled.id, options.root.display());
    Ok(match pulled.unchanged {
        true => format!("unchanged: {id} is live in {root} already"),
        false => {
            let requests = counted(pulled.requests as usize, "request");
            format!("{id} is live in {root}: {requests}, {} fetched", size(pulled.bytes))
        }
    })
}
