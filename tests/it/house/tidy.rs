//! Rules for every file: its first line, its length, and what it may not contain. Clippy counts the lines of functions.

use std::collections::BTreeSet;

use dataset::diagnostics::Code;
use snapshot::facet::FACETS;

use super::source::{File, assert_none, assert_only, everything, files, read, rust, shipped};

/// Most lines of code of a shipped file, except the root of a package.
const FILE: usize = 500;

/// Texts, with commas between, that files of a folder may not contain.
const FORBIDDEN: [(&str, &str); 2] = [
    (
        "snapshot/src",
        "SystemTime::now,Instant::now,std::env,std::net,std::process,std::thread::sleep,tokio,async fn,println!,eprintln!,\
         std::fs,fs::,File::",
    ),
    ("snapshot/remote/src", "Timestamp::now,SystemTime::now,Instant::now"),
];

/// Files that name variants of facets besides the table, which ones, and why that is no column of the table.
const FACETS_NAMED: [(&str, &str); 15] = [
    ("edge/mcp/src/search.rs: Countries", "a place that words of the query name"),
    (
        "generator/dataset/src/facet_values.rs: Careers Fields Types",
        "fields of a record that hold facet values, beside its facts",
    ),
    (
        "generator/site/src/pages/view/program.rs: Applicants Audiences Countries FundingShapes Lifecycles Topics Types",
        "labels of a type and of a lifecycle, whom it serves, a state that is no country, and what is similar",
    ),
    (
        "generator/site/src/pages/view/row.rs: Countries Destinations Types",
        "the label of a type, and where applicants go",
    ),
    ("snapshot/html/src/search/chips.rs: Countries", "a place that words of the query name"),
    ("snapshot/html/src/search/notes.rs: Countries", "the same"),
    ("snapshot/html/src/search/facets.rs: OpenStates", "closing soon, which has a button of its own"),
    (
        "snapshot/src/facet/applicants.rs: Applicants Audiences Citizenships Countries Residences",
        "what each states of applicants",
    ),
    ("snapshot/src/facet/eligibility.rs: Applicants", "whether a record states any"),
    ("snapshot/src/page/mcp_row.rs: FundingShapes", "how a program pays, where that is no grant"),
    ("snapshot/src/page/status_text.rs: Lifecycles", "the label of an observed lifecycle"),
    ("snapshot/src/search/build.rs: FundingShapes", "whether a program gives money"),
    (
        "snapshot/src/search/entities.rs: Benefits Citizenships Destinations Residences",
        "what a place in a query may mean",
    ),
    ("snapshot/src/search/rank/reading.rs: Countries", "a place that a word of the query may name"),
    ("snapshot/src/search/today.rs: OpenStates", "the facet that is computed for each day"),
];

/// Names of facets that are also names of something else, and where.
const NAMESAKES: [(&str, &str); 5] = [
    ("generator/site/src/downloads/describe.rs", "fields"), // columns of a Data Package
    ("generator/dataset/src/link/rules.rs", "fields"),      // the texts of a translation
    ("generator/import/src/import.rs", "fields"),           // the same
    ("generator/dataset/src/facet_values.rs", "fields"),    // a field of a program
    ("snapshot/src/record/program.rs", "fields"),           // a field of a program
];

#[test]
fn clocks_environment_sockets_and_files_are_used_only_where_they_may_be() {
    for (folder, forbidden) in FORBIDDEN {
        let forbidden: Vec<&str> = forbidden.split(',').collect();
        assert_none(folder, shipped(&[folder]).into_iter().flat_map(|file| file.naming(&forbidden)));
    }
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
fn every_source_file_begins_with_what_it_is_for() {
    let begins =
        |file: &File| ["//! ", "#![doc = include_str!("].iter().any(|start| file.text.starts_with(start));
    let files = rust(&[".ci", "edge", "generator", "snapshot", "tests"]).into_iter();
    assert_none("files without a first line", files.filter(|file| !begins(file)).map(|file| file.path));
}

#[test]
fn nothing_is_left_undone() {
    let marks = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
        ["unimplemented", "!("].concat(),
    ];
    let found = |file: &File| file.lines(|line| marks.iter().any(|mark| line.contains(mark.as_str())));
    let files = everything();
    // The list of what texts should not have names such marks.
    let flaws = "generator/dataset/src/link/texts/flaws.csv";
    let written =
        files.iter().filter(|file| !file.path.starts_with("generator/dataset/sample/") && file.path != flaws);
    assert_none("left undone", written.flat_map(found));
}

#[test]
fn no_file_holds_a_path_of_a_machine() {
    let folders = ["tmp", "work", "home", "root", "Users"].map(|folder| format!("/{folder}/"));
    let is_path = |line: &str, folder: &str| {
        line.match_indices(folder)
            .any(|(start, _)| !line[..start].ends_with(|c: char| c.is_alphanumeric() || "-_.~%/".contains(c)))
    };
    let has_path = |line: &str| folders.iter().any(|folder| is_path(line, folder));
    assert_none("paths of a machine", everything().iter().flat_map(|file| file.lines(has_path)));
}

#[test]
fn no_module_of_this_binary_is_forgotten() {
    let main = read("tests/it/main.rs");
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
        None => read(&format!("tests/it/{folder}.rs")),
    }
}

#[test]
fn every_code_of_a_problem_is_given_by_some_test() {
    let tests: Vec<File> = rust(&["generator/dataset", "generator/import", "tests/it/data"])
        .into_iter()
        .filter(File::is_test)
        .collect();
    let is_given = |code: &&Code| tests.iter().any(|file| file.text.contains(&format!("\"{}", code.id())));
    assert_none(
        "codes that no test gives",
        Code::ALL.iter().filter(|code| !is_given(code)).map(|code| code.id().to_owned()),
    );
}

#[test]
fn shipped_files_hold_one_thing_each() {
    let length = |file: &File| file.code().filter(|(_, line)| !line.trim().is_empty()).count();
    let is_root =
        |file: &File| ["/lib.rs", "/main.rs", "/build.rs"].iter().any(|end| file.path.ends_with(end));
    let files = shipped(&["edge", "generator", "snapshot"]).into_iter().filter(|file| !is_root(file));
    let long = files.filter(|file| length(file) > FILE);
    assert_none(
        "files of more lines than allowed",
        long.map(|file| format!("{}: {} lines of code", file.path, length(&file))),
    );
}

#[test]
fn alerts_name_only_metrics_of_the_edge() {
    let counted = [read("edge/src/admin.rs"), read("edge/src/metrics.rs")].concat();
    let rules = read("edge/deploy/alerts.yml");
    let names: Vec<&str> = rules
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            word.starts_with("edge_") || word.starts_with("process_") || word.starts_with("http_server")
        })
        .collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        // Those of a histogram are made of its name.
        let name =
            ["_bucket", "_count"].iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
        assert!(counted.contains(&format!("\"{name}\"")), "{name}");
    }
}

/// Markup is in templates, where the engine escapes what it holds. The feed of changes has to be there without pages.
#[test]
fn no_rust_string_holds_markup() {
    let opens = |line: &str| {
        let strings = line.split('"').skip(1).step_by(2);
        let begins = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        strings.flat_map(|text| text.split('<').skip(1)).any(begins)
    };
    // A link of a header field (RFC 8288) stands between the same brackets.
    let is_link = |line: &str| line.contains("rel=\\\"");
    let marked = |file: File| {
        let lines = file.code().filter(|(_, line)| opens(line) && !is_link(line) && !line.contains("::<"));
        lines.map(|(number, _)| format!("{}:{number}", file.path)).collect::<Vec<_>>()
    };
    assert_none(
        "markup in code",
        shipped(&["snapshot/html", "generator/site", "edge"]).into_iter().flat_map(marked),
    );
}

/// Files that make text of which templates escape nothing, and what it is.
const UNESCAPED: [(&str, &str); 4] = [
    ("generator/site/src/pages.rs", "marks of holes"),
    ("generator/site/src/pages/linked.rs", "JSON without brackets and ampersands"),
    ("generator/site/src/pages/view/program.rs", "marks of holes"),
    ("snapshot/html/src/functions.rs", "attributes, phrases and addresses, escaped there"),
];

#[test]
fn templates_escape_everything_but_what_is_listed() {
    let folders = ["snapshot/html", "generator/site", "edge"];
    let unescaped =
        shipped(&folders).into_iter().filter(|file| !file.naming(&["from_safe_string"]).is_empty());
    assert_only("text that is not escaped", &UNESCAPED, unescaped.map(|file| file.path).collect());
    let says_safe = |file: &File| file.text.contains("safe") || file.text.contains("autoescape");
    let templates = files(&["snapshot/html/templates", "generator/site/starter"]).into_iter();
    assert_none("templates that escape nothing", templates.filter(says_safe).map(|file| file.path));
}
