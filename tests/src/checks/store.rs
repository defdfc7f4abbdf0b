//! Whatever stands in `CURRENT`, in a manifest, a table of files or a record of changes is refused with a reason that names the
//! file, or is what it says.

use std::path::{Path, PathBuf};

use dataset::Input;
use site::BuildOptions;
use store::{Generation, StoreError, list};
use tempfile::TempDir;

use crate::entry::replace;
use crate::snapshots::{build, folder, load, options};

/// Which file of a root is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// `CURRENT`.
    Current,
    /// The live generation's manifest.
    Manifest,
    /// The live generation's table of files.
    Table,
    /// The live generation's changes.
    Changes,
}

impl Other {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Current, Self::Manifest, Self::Table, Self::Changes];
}

/// A root with one generation of the sample, without pages.
pub struct Root {
    root: TempDir,
    generation: PathBuf,
}

impl Default for Root {
    /// Publishes it into a folder of its own.
    fn default() -> Self {
        let root = folder();
        let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
        let options = BuildOptions { index_only: true, ..options(root.path()) };
        let id = build(&directory, source, &options).manifest.id();
        Self { generation: root.path().join("generations").join(id.to_string()), root }
    }
}

impl Root {
    /// Where one of the files is.
    pub fn path(&self, of: Other) -> PathBuf {
        match of {
            Other::Current => self.root.path().join("CURRENT"),
            Other::Manifest => self.generation.join("manifest.json"),
            Other::Table => self.generation.join("index/files.bin"),
            Other::Changes => self.generation.join("changes.bin"),
        }
    }

    /// Does something while other bytes stand in a file.
    pub fn with<T>(&self, path: &Path, bytes: &[u8], then: impl FnOnce(&Path) -> T) -> T {
        let good = std::fs::read(path).unwrap();
        replace(path, bytes);
        let result = then(self.root.path());
        replace(path, &good);
        result
    }

    /// Reads the root with other bytes in a file.
    pub fn holds(&self, other: Other, bytes: &[u8]) {
        let path = self.path(other);
        let opened = self.with(&path, bytes, opened);
        match opened {
            Ok(generation) => {
                let written = match other {
                    Other::Current => format!("{}\n", generation.id()).into_bytes(),
                    Other::Manifest => generation.manifest().to_bytes(),
                    Other::Table | Other::Changes => std::fs::read(&path).unwrap(),
                };
                assert!(written == bytes, "{other:?}: {}", String::from_utf8_lossy(bytes));
            }
            Err(StoreError::Io { path, source }) => panic!("{}: {source}", path.display()),
            Err(error) => {
                assert!(error.to_string().starts_with(&*self.root.path().to_string_lossy()), "{error}");
            }
        }
    }
}

fn opened(root: &Path) -> Result<Generation, StoreError> {
    let _ = list(root);
    Generation::open_current(root)
}
