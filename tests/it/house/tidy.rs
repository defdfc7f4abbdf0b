//! The rules of the house as tests: which way the arrows point, what each crate may not name, and
//! what no file may hold.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use snapshot::facet::FACETS;

use super::source::{File, assert_none, assert_only, everything, root, rust, shipped};

/// Longest function, in lines.
const LONGEST_FUNCTION: usize = 60;
/// Longest shipped file, in lines of code.
const LONGEST_FILE: usize = 500;

/// Files that may be longer, and why.
const LONG_FILES: [(&str, &str); 0] = [];

/// Every shipped package: its folder, and the packages of this workspace that it may depend on.
const PACKAGES: [(&str, &[&str]); 10] = [
    ("snapshot", &[]),
    ("snapshot/html", &["snapshot"]),
    ("snapshot/remote", &["snapshot"]),
    ("generator/dataset", &["snapshot"]),
    ("generator/import", &["dataset", "snapshot"]),
    ("generator/site", &["dataset", "html", "snapshot"]),
    ("edge/net", &["snapshot"]),
    ("edge/mcp", &["net", "snapshot"]),
    ("edge", &["html", "mcp", "net", "remote", "snapshot"]),
    ("generator", &["dataset", "edge", "import", "mcp", "net", "remote", "site", "snapshot"]),
];

/// Crates with one home: the file or folder that names them.
const HOMES: [(&str, &str); 3] = [
    ("object_store", "snapshot/remote/src/target/object_stores.rs"),
    ("reqwest", "snapshot/remote/src/target/object_stores.rs"),
    ("rustls", "snapshot/remote/src/target/object_stores.rs"),
];

/// Who beside the table names facets, by which variants, and why that cannot be a row of it.
const FACETS_NAMED: [(&str, &str); 9] = [
    ("edge/mcp/src/search.rs: Countries", "a place that words were taken for"),
    (
        "generator/dataset/src/link/labels.rs: Careers Fields Types",
        "what of a record has labels, beside its facts",
    ),
    (
        "generator/dataset/src/link/spelling.rs: Careers Fields Types",
        "what of a record is compared, beside its facts",
    ),
    (
        "generator/site/src/pages/prepare.rs: Types",
        "the kind of each program in the list of its organization",
    ),
    ("generator/site/src/pages/view/program.rs: Lifecycles Types", "words of a type and of a lifecycle"),
    ("snapshot/html/src/search/chips.rs: Countries", "a place that words were taken for"),
    ("snapshot/src/page/status_text.rs: Lifecycles", "words of a lifecycle that was observed"),
    ("snapshot/src/search/build.rs: FundingShapes", "whether a program gives money"),
    ("snapshot/src/search/today.rs: OpenStates", "what is derived anew each day"),
];

/// Names of facets that are also names of something else, and where.
const NAMESAKES: [(&str, &str); 9] = [
    ("edge/mcp/src/concise.rs", "fields"), // a list of a record
    ("generator/site/src/downloads/describe.rs", "fields"), // columns of a Data Package
    ("generator/import/src/draft/columns.rs", "countries"), // a column of a sheet
    ("generator/import/src/draft/columns.rs", "topics"), // a column of a sheet
    ("generator/import/src/draft/columns.rs", "fields"), // a field of a program
    ("generator/dataset/src/link/labels.rs", "fields"), // a field of a program
    ("generator/dataset/src/link/rules.rs", "fields"), // the texts of a translation
    ("generator/dataset/src/link/spelling.rs", "fields"), // a field of a program
    ("snapshot/src/record/program.rs", "fields"), // a field of a program
];

#[test]
fn packages_depend_on_those_below_them_only() {
    let mut wrong = Vec::new();
    for (folder, allowed) in PACKAGES {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let names = dependencies(&manifest, "[dependencies]");
        let own = names.iter().filter(|name| PACKAGES.iter().any(|(folder, _)| package_of(folder) == **name));
        wrong.extend(
            own.filter(|name| !allowed.contains(&name.as_str())).map(|name| format!("{folder}: {name}")),
        );
    }
    assert_none("dependencies that go up or sideways", wrong);
}

/// Name of the package in a folder.
fn package_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

#[test]
fn a_crate_with_one_home_is_named_nowhere_else() {
    for (name, home) in HOMES {
        let files =
            rust(&["edge", "generator", "snapshot"]).into_iter().filter(|file| !file.path.starts_with(home));
        assert_none(name, files.flat_map(|file| file.naming(&[&format!("{name}::") as &str])));
    }
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
    let others = files.iter().filter(|file| !file.path.starts_with("generator/src/preview"));
    assert_none("the edge, seen from", others.flat_map(|file| file.naming(&["edge::"])));
}

#[test]
fn remote_reads_no_clock() {
    let clocks = ["Timestamp::now", "SystemTime::now", "Instant::now"];
    assert_none("a clock", shipped(&["snapshot/remote/src"]).iter().flat_map(|file| file.naming(&clocks)));
}

#[test]
fn only_the_facet_table_names_facets() {
    let mut found = Vec::new();
    let mut named = BTreeSet::new();
    let shipped = shipped(&["snapshot", "generator", "edge"]);
    for file in shipped.iter().filter(|file| file.path != "snapshot/src/facet.rs") {
        let names = FACETS.iter().map(|spec| spec.name);
        let names = names.filter(|name| !NAMESAKES.contains(&(file.path.as_str(), name)));
        let literals: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        let literals: Vec<&str> = literals.iter().map(String::as_str).collect();
        found.extend(file.naming(&literals));
        let variants = variants_named(file);
        if !variants.is_empty() {
            named.insert(format!("{}: {}", file.path, variants.into_iter().collect::<Vec<_>>().join(" ")));
        }
    }
    assert_none("facets named outside snapshot/src/facet.rs", found);
    assert_only("variants of facets named outside snapshot/src/facet.rs", &FACETS_NAMED, named);
}

/// The variants of `Facet` that a file's code names.
fn variants_named(file: &File) -> BTreeSet<String> {
    let variants: Vec<String> = FACETS.iter().map(|spec| format!("{:?}", spec.facet)).collect();
    let after = file.code().flat_map(|(_, line)| line.split("Facet::").skip(1));
    let words = after.map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default());
    words.filter(|word| variants.iter().any(|variant| variant == word)).map(str::to_owned).collect()
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
    let written = files.iter().filter(|file| !file.path.starts_with("generator/dataset/sample/"));
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

#[test]
fn no_shipped_file_holds_more_than_one_thing() {
    let length = |file: &File| file.code().filter(|(_, line)| !line.trim().is_empty()).count();
    let files = shipped(&["edge", "generator", "snapshot"]);
    let long = files.into_iter().filter(|file| length(file) > LONGEST_FILE);
    assert_only(
        "files of more lines of code than allowed",
        &LONG_FILES,
        long.map(|file| file.path).collect(),
    );
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
        let source: String = rust(&[&format!("{member}/src") as &str, member, "tests/cli"])
            .into_iter()
            .map(|file| file.text)
            .collect();
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

#[test]
fn alerts_ask_for_nothing_that_the_edge_does_not_count() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let counted = [read("edge/src/admin.rs"), read("edge/src/metrics.rs")].concat();
    let rules = read("edge/deploy/alerts.yml");
    let names: Vec<&str> = rules
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("edge_"))
        .collect();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        assert!(counted.contains(&format!("\"{name}\"")), "{name}");
    }
}
