//! `gc`: removes old snapshots of a folder or a store.

use std::path::Path;
use std::time::{Duration, SystemTime};

use dataset::text::counted;

use crate::cli::SigningOptions;
use crate::exit_codes::{Failure, print_line, store_failure};
use crate::stores;

pub(crate) fn gc(root: &Path, keep: usize, days: u64, signing: &SigningOptions) -> Result<(), Failure> {
    let age = Duration::from_secs(days.saturating_mul(86_400));
    if let Some(url) = stores::is_store(root) {
        return stores::collect(url, signing, keep, age).map(print_line);
    }
    let since = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
    let removed = store::gc(root, keep, since).map_err(|error| store_failure(&[error], Failure::Output))?;
    removed.iter().for_each(|id| print_line(format_args!("removed {id}")));
    print_line(format_args!("{} removed", counted(removed.len(), "generation")));
    Ok(())
}
