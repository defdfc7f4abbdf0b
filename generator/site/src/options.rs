//! Options of a build: output folder, day, public address, and how files are stored.

use std::path::PathBuf;

use store::{Layout, MadeFrom};

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
    /// Hashes of the inputs. With them, unchanged pages are taken from the live snapshot.
    pub made_from: Option<MadeFrom>,
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
