//! The READMEs are true: their commands can be typed, name programs, packages and scripts that exist, and the tests they
//! refer to exist. Their requests are sent to a running preview in `cli/generator.rs`.

use std::collections::BTreeSet;

use clap::Parser as _;

use super::packages::PACKAGES;
use super::source::{assert_none, everything, read, root};

/// Most lines and bytes of the README at the root.
const ROOT_README: (usize, usize) = (160, 11_000);
/// Files whose requests `cli/generator.rs` sends.
const REQUESTS: [&str; 2] = ["README.md", "edge/README.md"];

/// A command shown in a README or a workflow.
struct Shown {
    /// `path:line`.
    at: String,
    folder: String,
    words: Vec<String>,
}

/// Commands in blocks of shell in Markdown, and in steps of workflows; each part of a pipe is one.
fn commands() -> Vec<Shown> {
    let mut commands = Vec::new();
    for file in everything() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_workflow = file.path.ends_with(".yml");
        let mut is_shell = false;
        for (number, line) in file.text.lines().enumerate() {
            let step = line.trim_start().strip_prefix("- run: ").filter(|_| is_workflow);
            if file.path.ends_with(".md") && line.starts_with("```") {
                is_shell = line == "```sh";
            } else if let Some(line) = step.or(is_shell.then_some(line)) {
                let line = line.split(" #").next().unwrap();
                commands.extend(line.split(" | ").map(|command| Shown {
                    at: format!("{}:{}", file.path, number + 1),
                    folder: folder.to_owned(),
                    words: command.split_whitespace().map(str::to_owned).collect(),
                }));
            }
        }
    }
    commands
}

impl Shown {
    /// What is wrong with it; `None` also for programs of others.
    fn fault(&self) -> Option<String> {
        let is_setting = |word: &&String| word.contains('=') && !word.starts_with('-');
        let words = self.words.iter().skip_while(is_setting).map(String::as_str);
        // What follows is the shell's.
        let words: Vec<&str> = words.take_while(|word| *word != ">").collect();
        let wrong = match *words.first()? {
            "opdir" => generator::Cli::try_parse_from(&words).err().map(|error| error.to_string()),
            "opdir-edge" => edge::Command::try_parse_from(&words).err().map(|error| error.to_string()),
            "cargo" => self.cargo_fault(&words),
            "curl" => {
                let is_sent = REQUESTS.iter().any(|path| self.at.starts_with(&format!("{path}:")));
                (!is_sent).then(|| "no test sends it: list the file in `REQUESTS`".to_owned())
            }
            path if path.contains('/') && !path.contains(['\'', '\\', ':']) => {
                (!self.exists(path)).then(|| format!("no file {path}"))
            }
            _ => None,
        };
        wrong.map(|wrong| format!("{}: {}: {wrong}", self.at, self.words.join(" ")))
    }

    /// Whether a path exists from the root, from the folder of the README, or where the instruments are.
    fn exists(&self, path: &str) -> bool {
        ["", &self.folder, "tests/instruments"].iter().any(|folder| root().join(folder).join(path).exists())
    }

    /// A package, program, test or benchmark that is not there, or wrong arguments of `opdir`.
    fn cargo_fault(&self, words: &[&str]) -> Option<String> {
        let own = words.iter().position(|word| *word == "--");
        let (cargo, own) = own.map_or((words, [].as_slice()), |at| (&words[..at], &words[at + 1..]));
        let is_package = |name: &str| {
            let named = |folder: &str| folder.rsplit('/').next() == Some(name);
            ["NAME", "tests"].contains(&name) || PACKAGES.iter().any(|package| named(package.folder))
        };
        for option in cargo.windows(2) {
            let is_there = match option[0] {
                "-p" | "--package" => is_package(option[1]),
                "--bin" => ["", ".rs"].iter().any(|end| self.exists(&format!("src/bin/{}{end}", option[1]))),
                "--bench" => self.exists(&format!("bench/{}.rs", option[1])),
                "--test" => self.exists(&format!("tests/{}/main.rs", option[1])),
                _ => true,
            };
            if !is_there {
                return Some(format!("no {} {}", option[0].trim_start_matches('-'), option[1]));
            }
        }
        let runs_opdir = cargo.contains(&"run") && !cargo.contains(&"--bin");
        let arguments = ["opdir"].iter().chain(own);
        let error = generator::Cli::try_parse_from(arguments).err().filter(|_| runs_opdir);
        error.map(|error| error.to_string())
    }
}

#[test]
fn every_command_can_be_typed() {
    let commands = commands();
    let files: BTreeSet<&str> = commands.iter().filter_map(|shown| shown.at.split(':').next()).collect();
    assert!(files.len() >= 10 && commands.len() >= 60, "{} commands in {files:?}", commands.len());
    assert_none("commands that do not work", commands.iter().filter_map(Shown::fault));
}

#[test]
fn the_first_readme_is_short_and_begins_with_two_commands() {
    let text = read("README.md");
    for command in ["cargo run -- preview ", "\ncargo test --workspace\n"] {
        assert!(text.contains(command), "{command}");
    }
    let (lines, bytes) = (text.lines().count(), text.len());
    assert!(lines <= ROOT_README.0 && bytes <= ROOT_README.1, "{lines} lines, {bytes} bytes");
}

#[test]
fn the_tests_that_show_promises_exist() {
    let text = read("tests/README.md");
    let (_, promises) = text.split_once("the test that shows it").unwrap();
    let table = promises.split("\n\n").nth(1).unwrap();
    let mut count = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let mut source = String::new();
        for quoted in row.rsplit('|').nth(1).unwrap().split('`').skip(1).step_by(2) {
            if quoted.contains('/') {
                source =
                    std::fs::read_to_string(root().join(quoted)).unwrap_or_else(|_| panic!("no {quoted}"));
            } else {
                assert!(source.contains(&format!("fn {quoted}(")), "no test {quoted}");
            }
            count += 1;
        }
    }
    assert!(count > 10, "only {count} tests were found");
}

/// Code in quotes that is a path from the README's folder or the root, as in its tables.
#[test]
fn the_files_that_package_readmes_point_to_exist() {
    let mut wrong = Vec::new();
    let packages = PACKAGES.iter().map(|package| package.folder).chain(["tests", "tests/instruments"]);
    for folder in packages {
        let text = read(&format!("{folder}/README.md"));
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            let shown = |path: &str| root().join(folder).join(path).exists() || root().join(path).exists();
            let paths = row.split('`').skip(1).step_by(2).filter(|path| path.starts_with("src/"));
            wrong.extend(paths.filter(|path| !shown(path)).map(|path| format!("{folder}/README.md: {path}")));
        }
    }
    assert_none("files that do not exist", wrong);
}

#[test]
fn package_readmes_name_the_packages_they_depend_on() {
    let mut wrong = Vec::new();
    for package in &PACKAGES {
        let text = read(&format!("{}/README.md", package.folder));
        let Some((_, named)) = text.split_once("Of this workspace it depends on ") else { continue };
        let named: Vec<&str> = named.split(" only").next().unwrap().split('`').skip(1).step_by(2).collect();
        if named != package.uses {
            wrong.push(format!("{}/README.md: {named:?}, expected {:?}", package.folder, package.uses));
        }
    }
    assert_none("dependencies in READMEs", wrong);
}
