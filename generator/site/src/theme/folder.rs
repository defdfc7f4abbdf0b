//! The files of an operator's folder. A file that a theme cannot have is reported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dataset::text::slug_of;
use sha2::{Digest as _, Sha256};
use store::Hex;
use walkdir::WalkDir;

use html::templates::{TEMPLATES, WORDS};

use super::colors;
use super::problem::{ThemeError, ThemeProblem};

macro_rules! embedded {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name)))),+]
    };
}

pub(super) const ASSETS: &[(&str, &str)] =
    embedded!("assets": "site.css", "stars.js", "site.js", "shortlist.js", "run.js", "suggest.js");

/// A style sheet that is appended to the program's.
pub(super) const STYLE: &str = "theme.css";
/// Folder of pictures, which are published under names with a hash of their content.
const PICTURES: &str = "assets/";
/// Folder of files that are published under their own names.
const FIXED: &str = "static/";
/// Extensions of pictures that pages can show.
const KINDS: [&str; 6] = ["svg", "png", "jpg", "jpeg", "webp", "ico"];
/// Extensions of files below `.well-known/`.
const KNOWN: [&str; 3] = ["txt", "json", "xml"];
/// Maximum size of a file in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// A file of an operator that is published: its path and its bytes.
pub(crate) struct ThemeFile {
    /// Where it is served.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl ThemeFile {
    /// A file that is named after its content.
    pub(super) fn hashed(stem: &str, kind: &str, bytes: Vec<u8>) -> Self {
        Self { path: format!("/assets/{stem}-{}.{kind}", Hex(&Sha256::digest(&bytes)[..5])), bytes }
    }
}

/// The files of a folder.
#[derive(Default)]
pub(super) struct ThemeFolder {
    /// Texts that replace the program's or are appended to them, by name.
    texts: BTreeMap<String, String>,
    /// Paths of pictures by name, and files published as they are.
    pub(super) pictures: BTreeMap<String, String>,
    pub(super) extras: Vec<ThemeFile>,
    pub(super) faults: Vec<ThemeProblem>,
    pub(super) warnings: Vec<ThemeProblem>,
}

impl ThemeFolder {
    pub(super) fn read(folder: &Path) -> Result<Self, ThemeError> {
        let unreadable = |path: &Path, source| ThemeError::Unreadable(path.to_owned(), source);
        std::fs::read_dir(folder).map_err(|source| unreadable(folder, source))?;
        let mut own = Self::default();
        let hidden = |name: &str| name == "README.md" || name.starts_with('.') && name != ".well-known";
        let walk = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
        let shown = walk.filter_entry(|it| it.depth() == 0 || !hidden(&it.file_name().to_string_lossy()));
        for entry in shown {
            let entry = entry.map_err(|error| unreadable(folder, error.into()))?;
            if entry.file_type().is_dir() {
                continue;
            }
            let refused = |reason| Err(unreadable(entry.path(), std::io::Error::other(reason)));
            if !entry.file_type().is_file() {
                return refused("it is no regular file");
            }
            // Its content would be published.
            let whole = |path: &Path| path.canonicalize().map_err(|source| unreadable(path, source));
            if !whole(entry.path())?.starts_with(whole(folder)?) {
                return refused("the link leaves the theme; copy the file into it");
            }
            let path: PathBuf = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_owned();
            let name = path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            if entry.metadata().is_ok_and(|about| about.len() > BYTES_MAX) {
                own.faults.push(ThemeProblem::new(&name, None, "is larger than 1 MiB"));
                continue;
            }
            let bytes = std::fs::read(entry.path()).map_err(|source| unreadable(entry.path(), source))?;
            own.take(&name, bytes);
        }
        own.unused();
        Ok(own)
    }

    fn take(&mut self, name: &str, bytes: Vec<u8>) {
        let kind = name.rsplit_once('.').map_or("", |(_, kind)| kind);
        if let Some(picture) = name.strip_prefix(PICTURES) {
            if !KINDS.contains(&kind) {
                let fault = ThemeProblem::new(name, None, "is no picture that pages can show");
                return self.faults.push(fault.known(kind, KINDS));
            }
            let (stem, _) = picture.rsplit_once('.').unwrap_or((picture, ""));
            let file = ThemeFile::hashed(&slug_of(stem), kind, bytes);
            self.pictures.insert(picture.to_owned(), file.path.clone());
            return self.extras.push(file);
        }
        if let Some(fixed) = name.strip_prefix(FIXED) {
            let is_known = fixed.starts_with(".well-known/") && KNOWN.contains(&kind);
            if fixed != "favicon.ico" && !is_known {
                let fault =
                    ThemeProblem::new(name, None, "is nothing that can be published under its own name");
                let known = "`static/favicon.ico` can, and .txt, .json and .xml below `static/.well-known/`";
                return self.faults.push(fault.help(known));
            }
            return self.extras.push(ThemeFile { path: format!("/{fixed}"), bytes });
        }
        if !names().any(|known| known == name) {
            let fault = ThemeProblem::new(name, None, "is no file of a theme");
            return self.faults.push(fault.known(name, names()));
        }
        match String::from_utf8(bytes) {
            Ok(text) => drop(self.texts.insert(name.to_owned(), text)),
            Err(_) => self.faults.push(ThemeProblem::new(name, None, "is no text in UTF-8")),
        }
    }

    /// Warns of pictures that no page shows.
    fn unused(&mut self) {
        let is_named = |picture: &String| self.texts.values().any(|text| text.contains(picture.as_str()));
        let unused = self.pictures.keys().filter(|picture| !is_named(picture));
        let fault = |picture: &String| {
            ThemeProblem::new(&format!("{PICTURES}{picture}"), None, "is shown nowhere").help(format!(
                "name it in {} under [brand], or in a template as {{{{ asset(\"{picture}\") }}}}",
                colors::FILE
            ))
        };
        self.warnings = unused.map(fault).collect();
    }

    /// A text of the operator.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Templates of the operator, by name.
    pub(super) fn templates(&self) -> impl Iterator<Item = (&'static str, &str)> {
        TEMPLATES.iter().filter_map(|(name, _)| Some((*name, self.text(name)?)))
    }
}

/// Names of the files that a theme can have besides pictures and static files.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let all = TEMPLATES.iter().chain(&WORDS).chain(ASSETS).map(|(name, _)| *name);
    all.chain([colors::FILE, STYLE])
}
