//! What the README says is true: its commands are commands, and the tests it points to exist. Its
//! requests are asked of a running preview, in `cli/generator.rs`.

use std::path::{Path, PathBuf};

use clap::Parser as _;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

#[test]
fn its_two_commands_stand_there() {
    let text = readme();
    for command in ["cargo run --release -- preview ", "\ncargo test --workspace\n"] {
        assert!(text.contains(command), "{command}");
    }
}

#[test]
fn its_commands_can_be_typed() {
    let mut count = 0;
    for line in readme().lines() {
        let line = line.trim_start().trim_start_matches("- run: ");
        let words: Vec<&str> = line.split(" #").next().unwrap().split_whitespace().collect();
        let wrong = match words.first() {
            Some(&"opdir") => generator::Cli::try_parse_from(&words).err(),
            Some(&"opdir-edge") => edge::Command::try_parse_from(&words).err(),
            _ => continue,
        };
        assert!(wrong.is_none(), "{line}: {}", wrong.unwrap());
        count += 1;
    }
    assert!(count > 10, "only {count} commands were found");
}

#[test]
fn the_tests_it_points_to_exist() {
    let text = readme();
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
