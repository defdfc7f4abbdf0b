//! Whatever stands in `CURRENT`, in a manifest or in a file list is refused with a reason that names the
//! file, or is what it says.

use std::path::{Path, PathBuf};

use dataset::Input;
use site::BuildOptions;
use site::Effort;
use store::sections::{SectionWriter, Sections};
use store::{Digest, Generation, StoreError, list};
use tempfile::TempDir;

use crate::snapshots::{build, folder, load, options};

/// Puts another file in the place of a published one, which is read-only.
fn overwrite(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Which file of a root is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// `CURRENT`.
    Current,
    /// The live generation's manifest, with a history that fits it.
    Manifest,
    /// The live generation's list of files.
    FileList,
    /// The live generation's history.
    History,
}

impl Other {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Current, Self::Manifest, Self::FileList, Self::History];
}

/// A root with one generation of the sample, without pages.
pub struct Root {
    root: TempDir,
    generation: PathBuf,
}

impl Default for Root {
    fn default() -> Self {
        Self::new()
    }
}

impl Root {
    /// Publishes it into a folder of its own.
    pub fn new() -> Self {
        let root = folder();
        let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
        let options = BuildOptions { index_only: true, ..options(root.path(), Effort::None) };
        let id = build(&directory, source, &options).manifest.id();
        Self { generation: root.path().join("generations").join(id.to_string()), root }
    }

    /// Where one of the files is.
    pub fn path(&self, of: Other) -> PathBuf {
        match of {
            Other::Current => self.root.path().join("CURRENT"),
            Other::Manifest => self.generation.join("manifest.json"),
            Other::FileList => self.generation.join("files.sha256"),
            Other::History => self.generation.join("history.bin"),
        }
    }

    /// Does something while other bytes stand in a file.
    pub fn with<T>(&self, path: &Path, bytes: &[u8], then: impl FnOnce(&Path) -> T) -> T {
        let good = std::fs::read(path).unwrap();
        overwrite(path, bytes);
        let result = then(self.root.path());
        overwrite(path, &good);
        result
    }

    /// Reads the root with other bytes in a file.
    pub fn holds(&self, other: Other, bytes: &[u8]) {
        let path = self.path(other);
        let opened = self.with(&path, bytes, |root| match other {
            Other::Manifest => self.with(&self.path(Other::History), &self.sealed(bytes), opened),
            _ => opened(root),
        });
        match opened {
            Ok(generation) => {
                let written = match other {
                    Other::Current => format!("{}\n", generation.id()).into_bytes(),
                    Other::Manifest => generation.manifest().to_bytes(),
                    Other::FileList | Other::History => std::fs::read(&path).unwrap(),
                };
                let same = written == bytes || other == Other::History;
                assert!(same, "{other:?}: {}", String::from_utf8_lossy(bytes));
            }
            Err(StoreError::Io { path, source }) => panic!("{}: {source}", path.display()),
            Err(error) => {
                assert!(error.to_string().starts_with(&*self.root.path().to_string_lossy()), "{error}");
            }
        }
    }

    /// The history of the generation, had it another manifest.
    fn sealed(&self, manifest: &[u8]) -> Vec<u8> {
        let history = Sections::open(&self.path(Other::History)).unwrap();
        let mut writer = SectionWriter::default();
        writer.put("changed", &*history.get::<i64>("changed").unwrap());
        writer.put::<Digest>("recipe", Vec::new());
        writer.put("manifest", [Digest::of(manifest)]);
        writer.finish().bytes().to_vec()
    }
}

fn opened(root: &Path) -> Result<Generation, StoreError> {
    let _ = list(root);
    Generation::open_current(root)
}
