//! Styles, scripts and pictures of the pages before, in `changes.bin`. Caches and open tabs hold pages for a while after a
//! new generation is live, and those pages name assets that no page names any more. Outside the hash of a generation, so
//! that a build gives the same name whatever was published before it.
//!
//! ```text
//! asset.list  u8   JSON: path, length and age of each: how many times the set of assets has changed since it was in use
//! asset       u8   their bytes, one after the other
//! ```

use std::collections::BTreeSet;

use super::body::Coding;
use super::error::StoreError;
use super::generation::Generation;
use super::layout::CHANGES;
use super::sections::{SectionError, SectionWriter, Sections, ensure};

/// Where assets are; their names change with their content.
const FOLDER: &str = "assets/";
/// Sets of assets that are kept besides the one in use.
const SETS: u8 = 2;
/// Most bytes of one asset, and of all.
const LONGEST: u64 = 1 << 20;
const BYTES_MAX: usize = 8 << 20;

/// An asset that pages of an earlier generation name.
pub struct EarlierAsset {
    /// Its path.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    age: u8,
}

/// Writes what is kept beside the assets among these paths. What cannot be read of the live generation is left out.
pub(super) fn write<'a>(
    live: &Generation,
    paths: impl Iterator<Item = &'a str>,
    history: &mut SectionWriter,
) {
    let own: BTreeSet<&str> = paths.filter(|path| path.starts_with(FOLDER)).collect();
    let before = || live.files().entries().filter(|entry| entry.path().starts_with(FOLDER));
    let is_same = before().map(|entry| entry.path()).eq(own.iter().copied());
    let mut kept = Vec::new();
    if !is_same {
        for entry in before().filter(|entry| !own.contains(entry.path()) && entry.identity().len <= LONGEST) {
            let body = live.read(entry, Coding::Identity);
            kept.extend(body.map(|bytes| EarlierAsset { path: entry.path().to_owned(), bytes, age: 1 }));
        }
    }
    for asset in live.earlier_assets().unwrap_or_default() {
        let age = asset.age + u8::from(!is_same);
        let is_known = own.contains(&*asset.path) || kept.iter().any(|known| known.path == asset.path);
        if age <= SETS && !is_known {
            kept.push(EarlierAsset { age, ..asset });
        }
    }
    let mut left = BYTES_MAX;
    kept.retain(|asset| left.checked_sub(asset.bytes.len()).inspect(|rest| left = *rest).is_some());
    let list: Vec<_> = kept.iter().map(|it| (&*it.path, it.bytes.len(), it.age)).collect();
    // Strings and numbers: serde_json cannot fail.
    history.put::<u8>("asset.list", serde_json::to_vec(&list).unwrap_or_default());
    history.put::<u8>("asset", kept.into_iter().flat_map(|it| it.bytes).collect::<Vec<_>>());
}

impl Generation {
    /// Assets that pages of earlier generations name, and its own do not.
    ///
    /// # Errors
    ///
    /// If its history is damaged.
    pub fn earlier_assets(&self) -> Result<Vec<EarlierAsset>, StoreError> {
        read(&self.history).map_err(|problem| self.damaged(CHANGES, problem))
    }
}

/// Reads what [`write`] wrote; the first generation has nothing.
fn read(history: &Sections) -> Result<Vec<EarlierAsset>, SectionError> {
    let Ok(list) = history.get::<u8>("asset.list") else { return Ok(Vec::new()) };
    let wrong = || SectionError("asset.list", "does not fit `asset`");
    let list: Vec<(String, usize, u8)> = serde_json::from_slice(&list).map_err(|_| wrong())?;
    let all = history.get::<u8>("asset")?;
    let mut rest = &all[..];
    let mut assets = Vec::with_capacity(list.len());
    for (path, length, age) in list {
        let (bytes, after) = rest.split_at_checked(length).ok_or_else(wrong)?;
        ensure(path.starts_with(FOLDER), "asset.list", "names another file")?;
        assets.push(EarlierAsset { path, bytes: bytes.to_vec(), age });
        rest = after;
    }
    Ok(assets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_does_not_fit_its_bytes_is_not_read() {
        let read_list = |list: &str| {
            let mut writer = SectionWriter::default();
            writer.put("asset.list", list.as_bytes());
            writer.put("asset", *b"body");
            read(&writer.finish()).map(|assets| assets.len())
        };
        assert_eq!(read_list(r#"[["assets/a.css",3,1],["assets/b.css",1,2]]"#).unwrap(), 2);
        for list in ["", "[", r#"[["assets/a.css",5,1]]"#, r#"[["api/v1/programs.json",3,1]]"#] {
            assert!(read_list(list).is_err(), "{list}");
        }
    }
}
