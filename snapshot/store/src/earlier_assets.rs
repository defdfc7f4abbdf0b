//! Styles, scripts and pictures of the pages before, in `changes.bin`. Caches and open tabs hold pages for a while after a
//! new generation is live, and those pages name assets that no page names any more. Outside the hash of a generation, so
//! that a build gives the same name whatever was published before it.
//!
//! ```text
//! asset.path  u8   paths, a line each
//! asset.age   u8   of each, how many times the set of assets has changed since it was in use
//! asset.len   u64  length of each
//! asset       u8   their bytes, one after the other
//! ```

use std::collections::BTreeSet;

use super::body::Coding;
use super::generation::Generation;
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
    history.put::<u8>(
        "asset.path",
        kept.iter().flat_map(|it| [it.path.as_bytes(), b"\n"].concat()).collect::<Vec<_>>(),
    );
    history.put::<u8>("asset.age", kept.iter().map(|it| it.age).collect::<Vec<_>>());
    history.put::<u64>("asset.len", kept.iter().map(|it| it.bytes.len() as u64).collect::<Vec<_>>());
    history.put::<u8>("asset", kept.into_iter().flat_map(|it| it.bytes).collect::<Vec<_>>());
}

/// Reads what [`write`] wrote.
pub(super) fn read(history: &Sections) -> Result<Vec<EarlierAsset>, SectionError> {
    let paths = match history.get::<u8>("asset.path") {
        // The first generation has none.
        Err(SectionError::Missing(_)) => return Ok(Vec::new()),
        paths => paths?,
    };
    let (ages, lengths) = (history.get::<u8>("asset.age")?, history.get::<u64>("asset.len")?);
    let paths: Vec<&str> = std::str::from_utf8(&paths).unwrap_or_default().lines().collect();
    let fits = paths.len() == ages.len() && paths.len() == lengths.len();
    ensure(
        fits && paths.iter().all(|path| path.starts_with(FOLDER)),
        "asset.path",
        "not one for each asset",
    )?;
    let all = history.get::<u8>("asset")?;
    let mut rest = &all[..];
    let mut assets = Vec::with_capacity(paths.len());
    for ((path, age), length) in paths.into_iter().zip(ages.iter()).zip(lengths.iter()) {
        let split = usize::try_from(*length).ok().and_then(|length| rest.split_at_checked(length));
        let (bytes, after) = split.ok_or(SectionError::Content("asset", "is too short"))?;
        assets.push(EarlierAsset { path: path.to_owned(), bytes: bytes.to_vec(), age: *age });
        rest = after;
    }
    Ok(assets)
}
