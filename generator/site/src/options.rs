//! Options of a build: output folder, day, public address, and how files are stored.

use std::path::PathBuf;

use store::{Digest, Layout};

use crate::encode::Effort;

/// How bodies are stored. The generation and its name do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Storage {
    /// One file for each URL, for any static host
    #[default]
    Tree,
    /// A few compressed packs, for the edge server: a tenth of the size
    Pack,
}

/// Hashes of everything that a snapshot is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The program, the theme, the base URL and the day.
    pub tools: Digest,
    /// The same with every file of the dataset and the storage options.
    pub whole: Digest,
}

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The folder that holds `CURRENT`.
    pub out: PathBuf,
    /// Scheme and authority of the public address.
    pub base_url: String,
    /// The UTC day for which pages are rendered.
    pub as_of: jiff::civil::Date,
    /// Number of threads; 0 is one for each core.
    pub jobs: usize,
    /// Compression effort.
    pub effort: Effort,
    /// How bodies are stored.
    pub layout: Storage,
    /// The inputs' fingerprint. With it, unchanged pages are taken from the live snapshot.
    pub fingerprint: Option<Fingerprint>,
    /// Whether pages are left out.
    pub index_only: bool,
    /// Folder of the theme.
    pub templates: Option<PathBuf>,
}

impl BuildOptions {
    /// The store's layout.
    pub(crate) fn layout(&self) -> Layout {
        match self.layout {
            Storage::Tree => Layout::Tree { encoder: self.effort.name() },
            Storage::Pack => Layout::Packs { level: self.effort.pack_level() },
        }
    }
}
