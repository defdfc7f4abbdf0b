//! The source of this repository as the rules of the house read it: which files there are, which of them are
//! shipped, and which of their lines are code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders that fuzzing by hand leaves behind.
const LEFT: [&str; 3] = ["tests/fuzz/artifacts", "tests/fuzz/corpus", "tests/fuzz/coverage"];

/// A source file of the repository.
pub(crate) struct File {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether all of it is tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.starts_with("tests/") || self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// Its lines of code with their numbers: without comments, and without the tests at its end.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = ["\n#[cfg(test)]\nmod tests {", "\n#[cfg(test)]\npub(crate) mod tests {"];
        let end = tests.iter().find_map(|start| self.text.find(start)).unwrap_or(self.text.len());
        self.text[..end]
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// `path:line: code` of every line of code that holds one of the words.
    pub(crate) fn naming(&self, words: &[&str]) -> Vec<String> {
        let lines = self.code().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        lines.map(|(number, line)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }

    /// The same of every line of text that is so.
    pub(crate) fn lines(&self, is_so: impl Fn(&str) -> bool) -> Vec<String> {
        let lines = (1..).zip(self.text.lines()).filter(|(_, line)| is_so(line));
        lines.map(|(number, line): (usize, _)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of a file of the repository.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Every text file below some folders or files of the repository.
pub(crate) fn files(of: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    of.iter().for_each(|name| walk(&root().join(name), name, &mut files));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn walk(at: &Path, name: &str, files: &mut Vec<File>) {
    // Cargo marks its build folders so.
    if LEFT.contains(&name) || at.join("CACHEDIR.TAG").exists() {
        return;
    }
    let Ok(entries) = std::fs::read_dir(at) else {
        if let Ok(text) = std::fs::read_to_string(at) {
            files.push(File { path: name.to_owned(), text });
        }
        return;
    };
    for entry in entries.map(Result::unwrap) {
        let child = entry.file_name().into_string().unwrap();
        walk(&entry.path(), &format!("{name}/{child}"), files);
    }
}

pub(crate) fn rust(of: &[&str]) -> Vec<File> {
    files(of).into_iter().filter(File::is_rust).collect()
}

/// The files that are not tests.
pub(crate) fn shipped(of: &[&str]) -> Vec<File> {
    rust(of).into_iter().filter(|file| !file.is_test()).collect()
}

pub(crate) fn everything() -> Vec<File> {
    files(&[
        ".cargo",
        ".ci",
        ".github",
        ".gitignore",
        "Cargo.toml",
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "edge",
        "generator",
        "rustfmt.toml",
        "schemas",
        "snapshot",
        "tests",
    ])
}

#[track_caller]
pub(crate) fn assert_none(what: &str, found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Holds what was found to a list of what may stand, each with its reason; and the list to what was found.
#[track_caller]
pub(crate) fn assert_only(what: &str, allowed: &[(&str, &str)], found: BTreeSet<String>) {
    let gone = allowed.iter().map(|(name, _)| *name).filter(|name| !found.contains(*name));
    assert_none(&format!("{what}: listed, and no longer there"), gone.map(str::to_owned));
    let others = found.into_iter().filter(|found| allowed.iter().all(|(name, _)| name != found));
    assert_none(what, others);
}

pub(crate) fn is_function(line: &str) -> bool {
    const BEFORE: [&str; 7] = ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern"];
    let mut words = line.split_whitespace();
    words.find(|word| !BEFORE.contains(word)) == Some("fn")
}
