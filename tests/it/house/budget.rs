//! The budget: how much a developer has to read. A change that needs more removes something else: no figure rises.

use super::packages::{PACKAGES, is_public};
use super::source::{File, everything, files, rust, shipped};

/// What is counted, and the most of it: what was there on 2026-11-30, rounded up to the next 50.
///
/// Lines are those that hold neither nothing nor a comment alone. Tests are files below `tests`, `tests.rs`, and the module
/// `tests` at the end of a file; words are what `wc -w` counts.
const MOST: [(&str, usize); 6] = [
    ("lines of shipped Rust", 42_200),
    ("lines of templates, styles and scripts", 2_450),
    ("lines of tests in Rust", 28_900),
    ("lines of tests in other languages", 2_750),
    ("public items of shipped packages", 1_000),
    ("words of READMEs and guides", 9_000),
];

const SHIPPED: [&str; 3] = ["edge", "generator", "snapshot"];

#[test]
fn there_is_no_more_of_anything_than_the_budget_has() {
    let counted =
        [shipped_lines(), other_lines(false), test_lines(), other_lines(true), public_items(), words()];
    let lines = MOST.iter().zip(counted);
    let over: Vec<String> = lines
        .filter(|((_, most), counted)| counted > most)
        .map(|((what, most), counted)| format!("{what}: {counted}, allowed {most}"))
        .collect();
    assert!(over.is_empty(), "{}", over.join("\n"));
}

fn shipped_lines() -> usize {
    let lines = |file: &File| file.code().filter(|(_, line)| !line.trim().is_empty()).count();
    shipped(&SHIPPED).iter().map(lines).sum()
}

fn test_lines() -> usize {
    let all: usize = rust(&[&SHIPPED[..], &["tests"]].concat()).iter().map(|file| written(&file.text)).sum();
    all - shipped_lines()
}

/// Lines of pages, styles and scripts. Those of `edge/deploy` but `purge.sh` are tests.
fn other_lines(of_tests: bool) -> usize {
    const KINDS: [&str; 8] = ["html", "css", "js", "mjs", "ts", "py", "sh", "lua"];
    let is_kind = |path: &str| {
        let kind = path.rsplit_once('.').map_or("", |(_, kind)| kind);
        KINDS.contains(&kind) || [".ci/", ".github/actions/"].iter().any(|at| path.starts_with(at))
    };
    let is_test = |file: &File| {
        let is_script = file.path.starts_with("edge/deploy/") && file.path != "edge/deploy/purge.sh";
        file.is_test() || is_script
    };
    let files = files(&[&SHIPPED[..], &[".ci", ".github", "tests"]].concat()).into_iter();
    let files = files.filter(|file| is_kind(&file.path) && is_test(file) == of_tests);
    files.map(|file| written(&file.text)).sum()
}

fn written(text: &str) -> usize {
    let is_comment = |line: &str| {
        let begins = ["//", "/*", "<!--", "{#", "# ", "#!/"];
        begins.iter().any(|begin| line.starts_with(begin))
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).count()
}

fn public_items() -> usize {
    let folders = PACKAGES.iter().flat_map(|package| shipped(&[&format!("{}/src", package.folder)]));
    folders.map(|file| file.code().filter(|(_, line)| is_public(line.trim_start())).count()).sum()
}

/// Words of the texts that people read to use or change the program. Others are texts of the program itself (templates and
/// codes), what it prints (the reference and the ten minutes of imports), the history, and a licence's list of sources.
fn words() -> usize {
    const OTHERS: [&str; 6] =
        ["/templates/", "/codes.md", "/reference.md", "/ten-minutes.md", "/ATTRIBUTION.md", "CHANGELOG.md"];
    let texts = everything().into_iter().filter(|file| file.path.ends_with(".md"));
    let texts = texts.filter(|file| OTHERS.iter().all(|other| !file.path.contains(other)));
    texts.map(|file| file.text.split_whitespace().count()).sum()
}
