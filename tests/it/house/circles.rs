//! Which file of a crate names which: no file is named, by whatever way, by what it names itself.
//!
//! A file and the files in the folder of its name are one thing: the parent gathers its parts, and they take from
//! it what they share. Between the two nothing is an arrow. A name that a parent hands on (`pub use`) leads to the
//! part that it comes from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::source::{File, assert_only, shipped};

/// Circles that may stand, as the test writes them, and why.
const ALLOWED: [(&str, &str); 0] = [];

/// Where a module stands in its crate: `["mcp", "reply"]`; the root is empty.
type Path = Vec<String>;

/// A file as a module.
#[derive(Default)]
struct Module {
    /// Paths of imports by the names they have here, and of what is named in place; both as written.
    imports: BTreeMap<String, Path>,
    named: Vec<Path>,
}

/// The modules of a crate.
struct Crate(BTreeMap<Path, Module>);

impl Crate {
    fn read(folder: &str) -> Self {
        let of = |file: &File| {
            let path = file.path[folder.len() + 1..].trim_end_matches(".rs");
            let path = path.split('/').filter(|name| *name != "lib").map(str::to_owned).collect();
            (path, Module::read(file))
        };
        let files = shipped(&[folder]);
        Self(files.iter().filter(|file| !file.path.ends_with("/main.rs")).map(of).collect())
    }

    /// The path from the root of one that is written in a module; none of what is not of this crate.
    fn absolute(&self, here: &Path, written: &[String]) -> Option<Path> {
        let (first, rest) = written.split_first()?;
        let from = match first.as_str() {
            "crate" => Vec::new(),
            "self" => here.clone(),
            "super" => here.split_last()?.1.to_vec(),
            name => {
                let import = self.0[here].imports.get(name);
                match import.filter(|path| path.first().is_some_and(|first| first != name)) {
                    Some(import) => self.absolute(here, import)?,
                    None if self.0.contains_key(&[here.as_slice(), &[name.to_owned()]].concat()) => {
                        [here.as_slice(), &[name.to_owned()]].concat()
                    }
                    None => return None,
                }
            }
        };
        let above = rest.iter().take_while(|name| *name == "super").count();
        let kept = from.len().checked_sub(above)?;
        Some([&from[..kept], &rest[above..]].concat())
    }

    /// The module in which the thing at a path is written, through whatever hands it on.
    fn home(&self, path: &Path) -> Path {
        let mut path = path.clone();
        // Hands on at most as often as there are modules.
        for _ in 0..self.0.len() {
            let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]));
            let (module, rest) = path.split_at(length.unwrap_or(0));
            let (module, rest) = (module.to_vec(), rest.to_vec());
            let handed = rest.first().and_then(|name| self.0[&module].imports.get(name));
            match handed.and_then(|written| self.absolute(&module, written)) {
                Some(further) if further != path => path = [further, rest[1..].to_vec()].concat(),
                _ => return module,
            }
        }
        path
    }

    /// Which modules each module names, beside those above and below it.
    fn arrows(&self) -> BTreeMap<&Path, BTreeSet<Path>> {
        let named = |(here, module): (&Path, &Module)| -> BTreeSet<Path> {
            let written = module.imports.values().chain(&module.named);
            let homes =
                written.filter_map(|written| self.absolute(here, written)).map(|path| self.home(&path));
            homes.filter(|there| !there.starts_with(here) && !here.starts_with(there)).collect()
        };
        self.0.iter().map(|entry| (entry.0, named(entry))).collect()
    }
}

/// The shortest way along arrows from a module back to itself.
fn circle(arrows: &BTreeMap<&Path, BTreeSet<Path>>, start: &Path) -> Option<Vec<Path>> {
    let mut ways = VecDeque::from([vec![start.clone()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in &arrows[&way[way.len() - 1]] {
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push_back([way.as_slice(), std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

impl Module {
    fn read(file: &File) -> Self {
        let text: String = file.code().map(|(_, line)| format!("{line}\n")).collect();
        let mut module = Self::default();
        let mut rest = String::new();
        for statement in text.split_inclusive(';') {
            let start = statement.rfind("\nuse ").or_else(|| statement.rfind("\npub use "));
            let start = start.or_else(|| statement.rfind("\npub(crate) use "));
            let start = start.or_else(|| statement.rfind("\npub(super) use "));
            let Some(start) = start.or_else(|| statement.starts_with("use ").then_some(0)) else {
                rest.push_str(statement);
                continue;
            };
            rest.push_str(&statement[..start]);
            let (_, tree) = statement[start..].split_once("use ").unwrap();
            module.import(&[], tree.trim_end_matches(';'));
        }
        module.named = written_paths(&rest);
        module
    }

    /// Takes in what a tree of imports names.
    fn import(&mut self, before: &[String], tree: &str) {
        let tree = tree.trim();
        if let Some((head, branches)) = tree.split_once('{') {
            let head = [before, &split(head.trim().trim_end_matches("::"))].concat();
            let branches = branches.rsplit_once('}').unwrap().0;
            top_level(branches).for_each(|branch| self.import(&head, branch));
        } else if !tree.is_empty() {
            let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
            let mut path = [before, &split(path)].concat();
            if path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let name = if name.is_empty() { path[path.len() - 1].clone() } else { name.trim().to_owned() };
            // `_` binds no name, and `*` many: what matters is the path.
            let name = if ["_", "*"].contains(&name.as_str()) { path.join("::") } else { name };
            self.imports.insert(name, path);
        }
    }
}

fn split(path: &str) -> Path {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The branches of a tree of imports, at the commas outside of braces.
fn top_level(branches: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    branches.split(move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    })
}

/// Every `name::name…` of a text.
fn written_paths(text: &str) -> Vec<Path> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words.filter(|word| word.contains("::")).map(split).filter(|path| path.len() > 1).collect()
}

#[test]
fn no_modules_of_a_crate_go_round_in_a_circle() {
    let mut circles = BTreeSet::new();
    for name in ["snapshot", "remote", "generator", "edge"] {
        let modules = Crate::read(&format!("{name}/src"));
        let arrows = modules.arrows();
        for circle in arrows.keys().filter_map(|start| circle(&arrows, start)) {
            let first = circle.iter().min().unwrap();
            let at = circle.iter().position(|module| module == first).unwrap();
            let names = circle[at..].iter().chain(&circle[..at]).map(|module| module.join("::"));
            circles.insert(format!("{name}: {}", names.collect::<Vec<_>>().join(" → ")));
        }
    }
    assert_only("circles of modules", &ALLOWED, circles);
}

#[test]
fn imports_lead_to_the_file_where_a_thing_is_written() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let module = |name: &str, text: &str| (split(name), Module::read(&file("x.rs", text)));
    let modules = Crate(BTreeMap::from([
        module("", "mod shop;\n"),
        module("shop", "mod till;\n\npub use till::{Coin as Money, purse::*};\nuse std::fmt;\n"),
        module("shop::till", "use super::super::street::{self, House};\nfn f() { street::door::open() }\n"),
        module("street", "use crate::shop::Money;\n"),
        module("street::door", "//! use crate::shop::till;\n"),
    ]));
    let arrows = modules.arrows();
    assert_eq!(arrows[&split("shop")], BTreeSet::new());
    assert_eq!(arrows[&split("shop::till")], BTreeSet::from([split("street"), split("street::door")]));
    assert_eq!(arrows[&split("street")], BTreeSet::from([split("shop::till")]));
    assert_eq!(circle(&arrows, &split("street")), Some(vec![split("street"), split("shop::till")]));
    assert_eq!(circle(&arrows, &split("street::door")), None);
}
