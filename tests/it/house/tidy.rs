//! The rules of the house as tests: which way the arrows point, what each crate may not name, and
//! what no file may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use snapshot::facet::FACETS;

/// Longest function, in lines.
const LONGEST_FUNCTION: usize = 70;

/// Which modules of `snapshot` each of its modules may name. `search` and `page` name `store` for the
/// section format of their files only; a test below holds them to it.
const ARROWS: [(&str, &[&str]); 8] = [
    ("record", &[]),
    ("place", &["record"]),
    ("time", &["record"]),
    ("facet", &["place", "record", "time"]),
    ("query", &["facet", "place", "record", "time"]),
    ("store", &[]),
    ("search", &["facet", "place", "query", "record", "store", "time"]),
    ("page", &["facet", "place", "query", "record", "search", "store", "time"]),
];

/// Names of facets that are also names of something else, and where.
const NAMESAKES: [(&str, &str); 2] = [
    ("generator/src/data/describe.rs", "fields"), // columns of a Data Package
    ("snapshot/src/record/program.rs", "fields"), // a field of a program
];

/// Folders that fuzzing by hand leaves behind.
const LEFT: [&str; 4] =
    ["tests/fuzz/artifacts", "tests/fuzz/corpus", "tests/fuzz/coverage", "tests/fuzz/target"];

/// A source file of the repository.
struct File {
    /// Path from the root, with `/`.
    path: String,
    text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether all of it is tests.
    fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.contains("/tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.ends_with("/crash.rs")
            || self.path.contains("/crash/")
    }

    /// Its lines of code with their numbers: without comments, and without the tests at its end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        self.text[..end]
            .lines()
            .enumerate()
            .map(|(number, line)| (number + 1, line))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// `path:line: code` of every line of code that holds one of the words.
    fn naming(&self, words: &[&str]) -> Vec<String> {
        let lines = self.code().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        lines.map(|(number, line)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every text file below some folders or files of the repository.
fn files(of: &[&str]) -> Vec<File> {
    let mut files = Vec::new();
    of.iter().for_each(|name| walk(&root().join(name), name, &mut files));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn walk(at: &Path, name: &str, files: &mut Vec<File>) {
    if LEFT.contains(&name) {
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

fn rust(of: &[&str]) -> Vec<File> {
    files(of).into_iter().filter(File::is_rust).collect()
}

/// The files that are not tests.
fn shipped(of: &[&str]) -> Vec<File> {
    rust(of).into_iter().filter(|file| !file.is_test()).collect()
}

fn everything() -> Vec<File> {
    files(&[
        ".cargo",
        ".ci",
        ".github",
        ".gitignore",
        "Cargo.toml",
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
fn assert_none(what: &str, found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Modules named as `crate::<module>` in a line.
fn modules_named(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn arrows_in_snapshot_only_go_down() {
    let mut wrong = Vec::new();
    for file in shipped(&["snapshot/src"]) {
        let module = file.path["snapshot/src/".len()..].trim_end_matches(".rs").split('/').next().unwrap();
        if module == "lib" {
            continue;
        }
        let row = ARROWS.iter().find(|(name, _)| *name == module);
        let (_, below) = row.unwrap_or_else(|| panic!("{module} has no place among the arrows"));
        for (number, line) in file.code() {
            let upward = modules_named(line).filter(|named| *named != module && !below.contains(named));
            wrong.extend(upward.map(|named| format!("{}:{number}: {module} names {named}", file.path)));
        }
    }
    assert_none("arrows that go up or sideways", wrong);
}

#[test]
fn search_and_page_know_the_section_format_but_no_files() {
    let files = shipped(&[
        "snapshot/src/search.rs",
        "snapshot/src/search",
        "snapshot/src/page.rs",
        "snapshot/src/page",
    ]);
    let named = files.iter().flat_map(|file| file.naming(&["crate::store"]));
    let other = named.filter(|line| !line.contains("store::sections::") && !line.ends_with("store::Hole;"));
    assert_none("more of the store than its formats", other);
}

#[test]
fn snapshot_knows_no_clock_environment_socket_or_async() {
    let words = [
        "SystemTime::now",
        "Instant::now",
        "std::env",
        "std::net",
        "std::process",
        "std::thread::sleep",
        "tokio",
        "async fn",
        "println!",
        "eprintln!",
    ];
    let files = shipped(&["snapshot/src"]);
    assert_none("what snapshot may not know", files.iter().flat_map(|file| file.naming(&words)));
}

#[test]
fn only_the_store_touches_files() {
    let words = ["std::fs", "fs::", "File::", "rustix", "memmap2"];
    let files = shipped(&["snapshot/src"]);
    let others = files.iter().filter(|file| !file.path.starts_with("snapshot/src/store"));
    assert_none("files outside store", others.flat_map(|file| file.naming(&words)));
}

#[test]
fn only_preview_of_the_generator_looks_at_the_edge() {
    let files = shipped(&["generator/src"]);
    let others = files.iter().filter(|file| file.path != "generator/src/preview.rs");
    assert_none("the edge, seen from", others.flat_map(|file| file.naming(&["edge::"])));
}

#[test]
fn the_edge_knows_neither_generator_nor_csv_nor_templates_and_names_warp_once() {
    let manifest = std::fs::read_to_string(root().join("edge/Cargo.toml")).unwrap();
    let names = dependencies(&manifest, "[dependencies]");
    for banned in ["generator", "csv", "minijinja"] {
        assert!(!names.contains(banned), "edge depends on {banned}");
    }
    let files = shipped(&["edge/src"]);
    assert_none(
        "what the edge may not know",
        files.iter().flat_map(|file| file.naming(&["generator::", "csv::", "minijinja::"])),
    );
    let others =
        rust(&["edge", "generator", "snapshot"]).into_iter().filter(|f| f.path != "edge/src/service.rs");
    assert_none("warp outside edge/src/service.rs", others.flat_map(|f| f.naming(&["warp::", "use warp"])));
}

#[test]
fn no_modules_of_the_edge_name_each_other_in_a_circle() {
    for (folder, parent) in
        [("edge/src", "crate::"), ("edge/src/connection", "super::"), ("edge/src/mcp", "super::")]
    {
        assert_none("modules in a circle, or above one", circle(arrows(folder, parent)));
    }
}

/// The modules of a folder, and what each names as a part of their parent.
fn arrows(folder: &str, parent: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in shipped(&[folder]) {
        let path = file.path[folder.len() + 1..].trim_end_matches(".rs");
        let named = arrows.entry(path.split('/').next().unwrap().to_owned()).or_default();
        for (_, line) in file.code() {
            named.extend(named_after(line, parent));
        }
    }
    arrows
}

/// What a line names right after `crate::` or `super::`, also in braces.
fn named_after(line: &str, parent: &str) -> Vec<String> {
    let ends = |c: char| !c.is_ascii_lowercase() && c != '_';
    let word = |text: &str| text[..text.find(ends).unwrap_or(text.len())].to_owned();
    let mut named = Vec::new();
    for rest in line.split(parent).skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => named.extend(list.split(", ").map(word)),
            None => named.push(word(rest)),
        }
    }
    named
}

/// What is left once the modules that name no other are taken away, and those that then name no other.
fn circle(mut arrows: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    loop {
        let left: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.retain(|module, named| named.iter().any(|other| other != module && left.contains(other)));
        if arrows.len() == left.len() {
            return arrows.into_keys().collect();
        }
    }
}

#[test]
fn only_the_facet_table_names_facets() {
    let mut found = Vec::new();
    for file in shipped(&["snapshot/src", "generator/src", "edge/src"]) {
        let names = FACETS.iter().map(|spec| spec.name);
        let names = names.filter(|name| !NAMESAKES.contains(&(file.path.as_str(), name)));
        let literals: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        let literals: Vec<&str> = literals.iter().map(String::as_str).collect();
        if file.path != "snapshot/src/facet.rs" {
            found.extend(file.naming(&literals));
        }
    }
    assert_none("facets named outside snapshot/src/facet.rs", found);
}

#[test]
fn every_source_file_says_what_it_is() {
    let starts =
        |file: &File| file.text.starts_with("//! ") || file.text.starts_with("#![doc = include_str!(");
    let silent = rust(&["edge", "generator", "snapshot", "tests"]).into_iter().filter(|file| !starts(file));
    assert_none("files without a first line that says what they are", silent.map(|file| file.path));
}

#[test]
fn nothing_is_left_undone() {
    let marks = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
        ["unimplemented", "!("].concat(),
    ];
    let found = |file: &File| {
        let lines = file.text.lines().enumerate();
        let left = lines.filter(|(_, line)| marks.iter().any(|mark| has_word(line, mark)));
        left.map(|(number, line)| format!("{}:{}: {}", file.path, number + 1, line.trim()))
            .collect::<Vec<_>>()
    };
    let files = everything();
    let written = files.iter().filter(|file| !file.path.starts_with("generator/sample/"));
    assert_none("left undone", written.flat_map(found));
}

/// Whether a word stands in a line, not as part of another.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + word.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

#[test]
fn no_file_holds_a_path_of_somebodys_machine() {
    let folders = ["tmp", "work", "home", "root", "Users"].map(|folder| format!("/{folder}/"));
    let is_path = |line: &str, folder: &str| {
        line.match_indices(folder)
            .any(|(start, _)| !line[..start].ends_with(|c: char| c.is_alphanumeric() || "-_.~%/".contains(c)))
    };
    let mut found = Vec::new();
    for file in everything() {
        let lines = file.text.lines().enumerate();
        let lines = lines.filter(|(_, line)| folders.iter().any(|folder| is_path(line, folder)));
        found.extend(lines.map(|(number, line)| format!("{}:{}: {line}", file.path, number + 1)));
    }
    assert_none("paths of a machine", found);
}

#[test]
fn no_module_of_this_binary_is_forgotten() {
    let main = std::fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    let mut forgotten = Vec::new();
    for file in rust(&["tests/it"]) {
        let module = file.path["tests/it/".len()..].trim_end_matches(".rs");
        let listed = match module.split_once('/') {
            None => module == "main" || main.contains(&format!("\nmod {module};\n")),
            Some((folder, module)) => list_of(&main, folder)
                .lines()
                .any(|line| line.trim_start().trim_start_matches("pub(crate) ") == format!("mod {module};")),
        };
        if !listed {
            forgotten.push(file.path);
        }
    }
    assert_none("modules that are not listed", forgotten);
}

/// The modules of a folder of this binary: a block of main.rs, or what the file of that name lists.
fn list_of(main: &str, folder: &str) -> String {
    match main.split_once(&format!("\nmod {folder} {{\n")) {
        Some((_, block)) => block.split("\n}").next().unwrap().to_owned(),
        None => std::fs::read_to_string(root().join(format!("tests/it/{folder}.rs"))).unwrap(),
    }
}

#[test]
fn no_function_is_longer_than_a_screen() {
    let mut long = Vec::new();
    for file in rust(&["edge", "generator", "snapshot", "tests"]) {
        let lines: Vec<&str> = file.text.lines().collect();
        let too_long = functions(&lines).into_iter().filter(|range| range.len() > LONGEST_FUNCTION);
        long.extend(too_long.map(|range| {
            format!("{}:{}: {} lines: {}", file.path, range.start + 1, range.len(), lines[range.start].trim())
        }));
    }
    assert_none("functions of more lines than allowed", long);
}

/// Lines of each function: from its `fn` to the brace at the same depth.
fn functions(lines: &[&str]) -> Vec<Range<usize>> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let starts = lines.iter().enumerate().filter(|(_, line)| is_function(line));
    starts
        .filter_map(|(start, line)| {
            let closes = |end: &&str| end.trim_start().starts_with('}') && depth(end) == depth(line);
            let one_line = line.trim_end().ends_with(['}', ';']);
            let length = if one_line { 1 } else { 1 + lines[start..].iter().position(closes)? };
            Some(start..start + length)
        })
        .collect()
}

fn is_function(line: &str) -> bool {
    const BEFORE: [&str; 7] = ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern"];
    let mut words = line.split_whitespace();
    words.find(|word| !BEFORE.contains(word)) == Some("fn")
}

/// Names of the dependencies under a heading of a manifest.
fn dependencies(manifest: &str, heading: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && *name != "#");
    names.map(str::to_owned).collect()
}

#[test]
fn every_dependency_is_used_by_who_declares_it() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let mut declared = BTreeSet::new();
    let mut idle = Vec::new();
    for member in ["edge", "generator", "snapshot", "tests"] {
        let manifest = read(&format!("{member}/Cargo.toml"));
        let headings = manifest.lines().filter(|line| line.ends_with("dependencies]"));
        let names: BTreeSet<String> = headings.flat_map(|heading| dependencies(&manifest, heading)).collect();
        // The real programs' tests are attached from there.
        let source: String = rust(&[member, "tests/cli"]).into_iter().map(|file| file.text).collect();
        let unused = |name: &&String| !names_crate(&source, &name.replace('-', "_"));
        idle.extend(names.iter().filter(unused).map(|name| format!("{member}: {name}")));
        declared.extend(names);
    }
    let workspace = dependencies(&read("Cargo.toml"), "[workspace.dependencies]");
    idle.extend(workspace.difference(&declared).map(|name| format!("workspace: {name}")));
    assert_none("dependencies that nobody uses", idle);
}

fn names_crate(source: &str, name: &str) -> bool {
    let paths = source.match_indices(name);
    paths.into_iter().any(|(start, _)| {
        let (before, after) = (&source[..start], &source[start + name.len()..]);
        let whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        whole && (after.starts_with("::") || after.starts_with(" as ") || after.starts_with(';'))
    })
}
