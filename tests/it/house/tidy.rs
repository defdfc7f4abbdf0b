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

/// Which modules of `snapshot` each of its modules may name. `search` and `page` name `store` for the
/// section format of their files only; a test below holds them to it.
const ARROWS: [(&str, &[&str]); 9] = [
    ("brief", &[]),
    ("record", &[]),
    ("place", &["record"]),
    ("time", &["record"]),
    ("facet", &["place", "record", "time"]),
    ("query", &["brief", "facet", "place", "record", "time"]),
    ("store", &[]),
    ("search", &["facet", "place", "query", "record", "store", "time"]),
    ("page", &["brief", "facet", "place", "query", "record", "search", "store", "time"]),
];

/// What of the edge stands on nothing else of it.
const GROUND_FLOOR: [&str; 7] = ["client", "clock", "connection", "encode", "limit", "refusal", "searches"];

/// Who beside the table names facets, by which variants, and why that cannot be a row of it.
const FACETS_NAMED: [(&str, &str); 9] = [
    ("edge/src/mcp/search.rs: Countries", "a place that words were taken for"),
    ("generator/src/link/labels.rs: Careers Fields Types", "what of a record has labels, beside its facts"),
    (
        "generator/src/link/spelling.rs: Careers Fields Types",
        "what of a record is compared, beside its facts",
    ),
    ("generator/src/site/prepare.rs: Types", "the kind of each program in the list of its organization"),
    ("generator/src/site/view/program.rs: Lifecycles Types", "words of a type and of a lifecycle"),
    ("snapshot/src/page/html/search/chips.rs: Countries", "a place that words were taken for"),
    ("snapshot/src/page/plain.rs: Lifecycles", "words of a lifecycle that was observed"),
    ("snapshot/src/search/build.rs: FundingShapes", "whether a program gives money"),
    ("snapshot/src/search/today.rs: OpenStates", "what is derived anew each day"),
];

/// Names of facets that are also names of something else, and where.
const NAMESAKES: [(&str, &str); 9] = [
    ("edge/src/mcp/brief.rs", "fields"),          // a list of a record
    ("generator/src/data/describe.rs", "fields"), // columns of a Data Package
    ("generator/src/import/draft/columns.rs", "countries"), // a column of a sheet
    ("generator/src/import/draft/columns.rs", "topics"), // a column of a sheet
    ("generator/src/import/draft/columns.rs", "fields"), // a field of a program
    ("generator/src/link/labels.rs", "fields"),   // a field of a program
    ("generator/src/link/rules.rs", "fields"),    // the texts of a translation
    ("generator/src/link/spelling.rs", "fields"), // a field of a program
    ("snapshot/src/record/program.rs", "fields"), // a field of a program
];

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
    let plain = ["store::Hole;", "store::Changed;"];
    let is_plain = |line: &str| plain.iter().any(|name| line.ends_with(name));
    let other = named.filter(|line| !line.contains("store::sections::") && !is_plain(line));
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
    let others = files.iter().filter(|file| !file.path.starts_with("generator/src/preview"));
    assert_none("the edge, seen from", others.flat_map(|file| file.naming(&["edge::"])));
}

#[test]
fn the_way_to_stores_stands_on_the_snapshot_alone_and_only_one_file_names_their_crate() {
    let manifest = std::fs::read_to_string(root().join("remote/Cargo.toml")).unwrap();
    let names = dependencies(&manifest, "[dependencies]");
    assert!(names.contains("snapshot") && !names.contains("edge") && !names.contains("generator"));
    let below = std::fs::read_to_string(root().join("snapshot/Cargo.toml")).unwrap();
    assert!(!dependencies(&below, "[dependencies]").contains("remote"));
    let others = rust(&["edge", "generator", "remote"]);
    let others = others.into_iter().filter(|file| file.path != "remote/src/target/stores.rs");
    assert_none(
        "stores, seen from",
        others.flat_map(|f| f.naming(&["object_store::", "reqwest::", "rustls::"])),
    );
    let files = shipped(&["remote/src"]);
    let clocks = ["Timestamp::now", "SystemTime::now", "Instant::now"];
    assert_none("a clock that nobody handed over", files.iter().flat_map(|file| file.naming(&clocks)));
}

#[test]
fn the_ground_floor_of_the_edge_names_nothing_above_it() {
    let mut found = Vec::new();
    for module in GROUND_FLOOR {
        let files =
            shipped(&[&format!("edge/src/{module}.rs") as &str, &format!("edge/src/{module}") as &str]);
        assert!(!files.is_empty(), "{module} is not there");
        for file in &files {
            let others = file.code().filter(|(_, line)| modules_named(line).any(|named| named != module));
            found.extend(others.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())));
        }
    }
    assert_none("arrows that go up in the edge", found);
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
    let others = rust(&["edge", "generator", "remote", "snapshot"])
        .into_iter()
        .filter(|f| f.path != "edge/src/service.rs");
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
    let mut named = BTreeSet::new();
    let shipped = shipped(&["snapshot/src", "generator/src", "edge/src"]);
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
    let silent =
        rust(&["edge", "generator", "remote", "snapshot", "tests"]).into_iter().filter(|file| !starts(file));
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
    for file in rust(&["edge", "generator", "remote", "snapshot", "tests"]) {
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
    let files = shipped(&["edge/src", "generator/src", "remote/src", "snapshot/src"]);
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
    for member in ["edge", "generator", "remote", "snapshot", "tests"] {
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
