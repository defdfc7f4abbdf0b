//! How a root looks from outside: what a reader that refused a generation compares before it tries again.

use std::path::Path;

use super::generation::{current, directory_of, open_root};
use super::vfs::Stamp;
use super::{CURRENT, FILE_LIST, HISTORY, INDEX_DIR, MANIFEST, OBJECTS, PACKS, SIBLINGS};

/// `CURRENT` and the files that opening the generation it names reads, from outside. Equal while none of them
/// was written, replaced or given to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootStat(Vec<Option<Stamp>>);

/// Looks at a root. Nothing is read but `CURRENT`; what cannot be seen counts as not there.
#[must_use]
pub fn stat_root(root: &Path) -> RootStat {
    let Ok(vfs) = open_root(root) else { return RootStat::default() };
    let mut stamps = vec![vfs.stamp(CURRENT)];
    if let Ok(id) = current(&*vfs) {
        let dir = directory_of(id);
        let own = [MANIFEST, FILE_LIST, HISTORY, SIBLINGS, OBJECTS].map(|name| format!("{dir}/{name}"));
        let below = [INDEX_DIR, PACKS].map(|name| format!("{dir}/{name}"));
        let below = below.iter().flat_map(|dir| {
            let found = vfs.list(dir).unwrap_or_default().into_iter();
            found.map(move |(name, _)| format!("{dir}/{name}"))
        });
        stamps.extend(own.into_iter().chain(below).map(|name| vfs.stamp(&name)));
    }
    RootStat(stamps)
}
