//! Options of a build: output folder, day and public address; and the hashes of its inputs. If they
//! equal those of the live snapshot, there is nothing to build.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use dataset::parallel;
use store::{Body, Digest, Generation, VerifyMode, verify};
use walkdir::{DirEntry, WalkDir};

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
    /// Hash of all inputs. With an equal one there is nothing to build.
    pub made_from: Option<Digest>,
    /// Whether pages are left out.
    pub index_only: bool,
    /// Folder of the theme.
    pub templates: Option<PathBuf>,
}

impl BuildOptions {
    /// Hashes the program, the theme and the dataset. `None` if one of them cannot be read: the build reports why.
    pub fn made_from(&self, data: &Path) -> Option<Digest> {
        let program = std::env::current_exe().and_then(std::fs::read).ok()?;
        let (program, data) = (Digest::of(&program), files(data).ok()?);
        let theme = self.templates.as_deref().map_or_else(|| Ok("none\n".to_owned()), files).ok()?;
        let Self { base_url, as_of, index_only, .. } = self;
        let stored = format!("day {as_of}\nindex only {index_only}");
        Some(Digest::of(format!("program {program}\nbase {base_url}\n{theme}{stored}\n{data}").as_bytes()))
    }

    /// Whether the live generation was built from the same inputs and every file of it is as published. A damaged one
    /// has to be built again.
    pub fn is_unchanged(&self, live: &Generation) -> bool {
        let jobs = std::thread::available_parallelism().map_or(1, Into::into);
        let is_sound = || verify(&self.out, Some(live.id()), VerifyMode::Files, jobs).is_ok();
        self.made_from.is_some() && self.made_from == live.made_from() && is_sound()
    }
}

/// A line of name and hash for every file below a folder, sorted by name, hidden ones too, and how many there are.
fn files(folder: &Path) -> io::Result<String> {
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    let entries: Vec<DirEntry> = entries.into_iter().collect::<Result<_, _>>()?;
    let files: Vec<&DirEntry> = entries.iter().filter(|entry| entry.file_type().is_file()).collect();
    let line = |entry: &&DirEntry| {
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let hash = Body::of_reader(&mut File::open(entry.path())?)?.sha256;
        Ok(format!("{hash} {name:?}\n"))
    };
    let lines: Vec<String> = parallel::map(&files, line).into_iter().collect::<io::Result<_>>()?;
    Ok(format!("{} files\n{}", lines.len(), lines.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> BuildOptions {
        BuildOptions {
            out: "root".into(),
            base_url: "https://directory.example".to_owned(),
            as_of: jiff::civil::date(2026, 11, 20),
            jobs: 1,
            made_from: None,
            index_only: false,
            templates: None,
        }
    }

    #[test]
    fn the_fingerprint_depends_on_every_file_and_on_every_option_that_changes_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        std::fs::write(data.join("dataset.json"), "{}").unwrap();
        let first = options().made_from(data).unwrap();
        let with = |change: &dyn Fn(&mut BuildOptions)| {
            let mut options = options();
            change(&mut options);
            options.made_from(data)
        };
        assert_eq!(with(&|options| options.jobs = 7), Some(first));
        assert_eq!(with(&|options| options.out = "elsewhere".into()), Some(first));
        let theme = tempfile::tempdir().unwrap();
        let changes: [&dyn Fn(&mut BuildOptions); 4] = [
            &|options| options.base_url.push('x'),
            &|options| options.as_of = jiff::civil::date(2026, 11, 21),
            &|options| options.index_only = true,
            &|options| options.templates = Some(theme.path().to_owned()),
        ];
        assert!(changes.iter().all(|change| with(change).is_some_and(|other| other != first)));
        std::fs::write(data.join("programs.csv"), "id").unwrap();
        let second = options().made_from(data).unwrap();
        assert_ne!(second, first);
        std::fs::rename(data.join("programs.csv"), data.join("awards.csv")).unwrap();
        assert!(![first, second].contains(&options().made_from(data).unwrap()));
        assert_eq!(options().made_from(&data.join("absent")), None);
    }
}
