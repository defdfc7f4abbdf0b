//! Plain words: what STYLE in CONTRIBUTING bans does not appear in shipped code, texts and READMEs, nor in the names
//! of tests.

use std::collections::BTreeSet;

use super::source::{File, assert_none, everything, is_function, rust, shipped};

/// Words that appear nowhere.
const BANNED: [&str; 9] =
    ["told", "said", "asked", "somebody", "whoever", "whomever", "upon", "whereupon", "whosoever"];
/// Words that are no part of an identifier.
const NO_NAMES: [&str; 9] = ["tell", "tells", "telling", "say", "says", "saying", "ask", "asks", "asking"];
/// Phrases that appear nowhere.
const RIDDLES: [&str; 3] = ["begins anew", "passed by", "word is taken"];

#[test]
fn no_banned_word_appears_in_shipped_code_texts_and_readmes() {
    let is_text = |file: &File| {
        let data = [
            "generator/dataset/sample/",
            "generator/site/locales/es.json",
            "snapshot/data/words.txt",
            "tests/",
        ];
        data.iter().all(|folder| !file.path.starts_with(folder)) || file.path.ends_with(".md")
    };
    let is_banned = |line: &str| {
        let line = line.to_lowercase();
        let has_word = words(&line).any(|word| BANNED.contains(&word));
        has_word || RIDDLES.iter().any(|phrase| line.contains(phrase))
    };
    let texts = everything().into_iter().filter(|file| is_text(file) && !file.is_test());
    assert_none("banned words", texts.flat_map(|file| file.lines(is_banned)));
}

#[test]
fn identifiers_and_names_of_tests_are_plain() {
    let mut found = BTreeSet::new();
    for file in shipped(&["edge", "generator", "snapshot", ".ci"]) {
        for (number, line) in file.code() {
            let code = line.split(" // ").next().unwrap().split('"').step_by(2);
            for name in code.flat_map(|code| code.split(|c: char| !(c.is_alphanumeric() || c == '_'))) {
                if !is_plain(name) {
                    found.insert(format!("{}:{number}: {name}", file.path));
                }
            }
        }
    }
    for file in rust(&["edge", "generator", "snapshot", "tests"]) {
        let is_banned = |line: &str| words(&line.replace('_', " ")).any(|word| BANNED.contains(&word));
        let tests = file.text.lines().filter(|line| is_function(line) && is_banned(line));
        found.extend(tests.map(|line| format!("{}: {}", file.path, line.trim())));
    }
    assert_none("names with banned words", found);
}

/// Whether no part of an identifier is banned: parts begin at `_` and at capitals.
fn is_plain(name: &str) -> bool {
    let mut parts = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            parts.push(' ');
        }
        parts.extend(c.to_lowercase());
    }
    words(&parts).all(|word| !BANNED.contains(&word) && !NO_NAMES.contains(&word))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}
