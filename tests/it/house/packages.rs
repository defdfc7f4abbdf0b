//! The walls between packages: which may depend on which, and which dependency has one user.

use std::collections::BTreeSet;

use super::source::{assert_none, assert_only, read, rust, shipped};

/// A shipped package.
pub(super) struct Package {
    pub(super) folder: &'static str,
    /// Packages of this workspace it may depend on.
    pub(super) uses: &'static [&'static str],
}

const fn package(folder: &'static str, uses: &'static [&'static str]) -> Package {
    Package { folder, uses }
}

pub(super) const PACKAGES: [Package; 11] = [
    package("snapshot/store", &[]),
    package("snapshot", &["store"]),
    package("snapshot/html", &["snapshot", "store"]),
    package("snapshot/remote", &["store"]),
    package("generator/dataset", &["snapshot", "store"]),
    package("generator/import", &["dataset", "snapshot"]),
    package("generator/site", &["dataset", "html", "snapshot", "store"]),
    package("edge/net", &["store"]),
    package("edge/mcp", &["net", "snapshot", "store"]),
    package("edge", &["html", "mcp", "net", "remote", "snapshot", "store"]),
    package("generator", &["dataset", "edge", "import", "mcp", "net", "remote", "site", "snapshot", "store"]),
];

/// Crates that one file may name.
const HOMES: [(&str, &str); 3] = [
    ("object_store", "snapshot/remote/src/stores/object_stores.rs"),
    ("reqwest", "snapshot/remote/src/stores/object_stores.rs"),
    ("rustls", "snapshot/remote/src/stores/object_stores.rs"),
];

/// Dependencies that no source file names, and why they are declared.
const UNNAMED: [(&str, &str); 1] =
    [("generator/dataset: idna_adapter", "its version chooses the smaller Unicode tables for `url`")];

#[test]
fn packages_depend_only_on_those_below_them() {
    let name = |package: &Package| package.folder.rsplit('/').next().unwrap();
    let mut wrong = Vec::new();
    for package in &PACKAGES {
        let used = dependencies(&read(&format!("{}/Cargo.toml", package.folder)), "[dependencies]");
        let of_workspace = PACKAGES.iter().map(name).filter(|name| used.contains(*name));
        let others = of_workspace.filter(|name| !package.uses.contains(name));
        wrong.extend(others.map(|other| format!("{} depends on {other}", package.folder)));
    }
    assert_none("dependencies that the plan of the packages does not have", wrong);
}

#[test]
fn only_preview_of_the_generator_uses_the_edge() {
    let files = shipped(&["generator/src"]);
    let others = files.iter().filter(|file| !file.path.starts_with("generator/src/preview"));
    assert_none("uses of the edge", others.flat_map(|file| file.naming(&["edge::"])));
}

#[test]
fn a_crate_with_one_home_is_named_nowhere_else() {
    let files = rust(&["edge", "generator", "snapshot"]);
    for (name, home) in HOMES {
        let others = files.iter().filter(|file| !file.path.starts_with(home));
        assert_none(name, others.flat_map(|file| file.naming(&[&format!("{name}::")])));
    }
}

#[test]
fn every_dependency_is_used_by_the_package_that_declares_it() {
    let mut declared = BTreeSet::new();
    let mut unused = BTreeSet::new();
    for folder in PACKAGES.iter().map(|package| package.folder).chain(["tests"]) {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let headings = manifest.lines().filter(|line| line.ends_with("dependencies]"));
        let names: BTreeSet<String> = headings.flat_map(|heading| dependencies(&manifest, heading)).collect();
        // Tests of the programs are attached from tests/cli.
        let files = rust(&[folder, "tests/cli"]).into_iter();
        let source: String = files.map(|file| file.text).collect();
        let missing = names.iter().filter(|name| !names_crate(&source, &name.replace('-', "_")));
        unused.extend(missing.map(|name| format!("{folder}: {name}")));
        declared.extend(names);
    }
    let workspace = dependencies(&read("Cargo.toml"), "[workspace.dependencies]");
    unused.extend(workspace.difference(&declared).map(|name| format!("workspace: {name}")));
    assert_only("dependencies that are not used", &UNNAMED, unused);
}

/// Names of the dependencies under a heading of a manifest.
fn dependencies(manifest: &str, heading: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty() && *name != "#").map(str::to_owned).collect()
}

fn names_crate(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(start, _)| {
        let (before, after) = (&source[..start], &source[start + name.len()..]);
        let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        is_whole && ["::", " as ", ";"].iter().any(|next| after.starts_with(next))
    })
}

/// Whether a line begins an item that other packages can name.
pub(super) fn is_public(line: &str) -> bool {
    const ITEMS: [&str; 11] =
        ["fn", "struct", "enum", "const", "static", "trait", "type", "mod", "use", "unsafe", "async"];
    let item = line.strip_prefix("pub ").and_then(|rest| rest.split([' ', '<']).next());
    item.is_some_and(|item| ITEMS.contains(&item))
}
