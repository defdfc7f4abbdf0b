//! Modules of a package form no circle. A parent and its children count too: a parent whose items its children use
//! uses nothing of theirs. A re-exported name counts for the module that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::packages::PACKAGES;
use super::source::{File, assert_none, shipped};

/// Path of a module or an item from the root of its package: `["store", "stage"]`; the root is empty.
type Path = Vec<String>;

/// What a file imports, by local name, and the paths it names in place.
#[derive(Default)]
struct Module {
    imports: BTreeMap<String, Path>,
    named: Vec<Path>,
}

struct Package(BTreeMap<Path, Module>);

impl Package {
    fn read(folder: &str) -> Self {
        let module = |file: &File| {
            let path = file.path[folder.len() + 1..].trim_end_matches(".rs").split('/');
            let text: String = file.code().map(|(_, line)| format!("{line}\n")).collect();
            (path.filter(|name| *name != "lib").map(str::to_owned).collect(), Module::read(&text))
        };
        let files = shipped(&[folder]);
        Self(files.iter().filter(|file| !file.path.ends_with("/main.rs")).map(module).collect())
    }

    /// The path from the root of a path as written in a module; `None` if it leads out of the package.
    fn absolute(&self, module: &Path, written: &[String]) -> Option<Path> {
        let (first, rest) = written.split_first()?;
        let child = || [module.as_slice(), std::slice::from_ref(first)].concat();
        let base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module.split_last()?.1.to_vec(),
            _ => match self.0[module].imports.get(first).filter(|path| path.first() != Some(first)) {
                Some(import) => self.absolute(module, import)?,
                None => Some(child()).filter(|child| self.0.contains_key(child))?,
            },
        };
        let above = rest.iter().take_while(|name| *name == "super").count();
        Some([&base[..base.len().checked_sub(above)?], &rest[above..]].concat())
    }

    /// The module that defines the item at a path: re-exports are followed.
    fn home(&self, path: &Path) -> Path {
        let mut path = path.clone();
        for _ in 0..self.0.len() {
            let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]));
            let (module, rest) = path.split_at(length.unwrap_or(0));
            let module = module.to_vec();
            let import = rest.first().and_then(|name| self.0[&module].imports.get(name));
            match import.and_then(|import| self.absolute(&module, import)) {
                Some(next) if next != path => path = [&next, &rest[1..]].concat(),
                _ => return module,
            }
        }
        path
    }

    /// The modules that each module uses.
    fn uses(&self) -> BTreeMap<&Path, BTreeSet<Path>> {
        let of = |(path, module): (&Path, &Module)| {
            let written = module.imports.values().chain(&module.named);
            let homes = written.filter_map(|written| Some(self.home(&self.absolute(path, written)?)));
            homes.filter(|home| home != path).collect()
        };
        self.0.iter().map(|entry| (entry.0, of(entry))).collect()
    }

    /// Modules that use each other, directly or through others.
    fn circles(&self) -> Vec<String> {
        let uses = self.uses();
        let reached = |from: &Path| {
            let (mut all, mut next) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(path) = next.pop() {
                next.extend(uses[&path].iter().filter(|path| all.insert((*path).clone())).cloned());
            }
            all
        };
        let reached: BTreeMap<&Path, BTreeSet<Path>> =
            self.0.keys().map(|path| (path, reached(path))).collect();
        let circle = |path: &&Path| {
            let others = reached[path].iter().filter(|other| reached[other].contains(*path));
            others.map(|path| format!("{}.rs", path.join("/"))).collect::<Vec<_>>().join(" ")
        };
        let circles: BTreeSet<String> = self.0.keys().map(|path| circle(&path)).collect();
        circles.into_iter().filter(|circle| !circle.is_empty()).collect()
    }
}

impl Module {
    fn read(text: &str) -> Self {
        let mut module = Self::default();
        for statement in text.split(';') {
            let Some((before, tree)) = statement.rsplit_once("use ").filter(|(before, _)| is_import(before))
            else {
                module.name(statement);
                continue;
            };
            module.name(before);
            module.import(&[], tree);
        }
        module
    }

    /// Adds the paths that code names in place; `pub(in …)` says who may use an item, not what is used.
    fn name(&mut self, code: &str) {
        let code: String =
            [")", code].concat().split("(in ").map(|part| part.trim_start_matches(|c| c != ')')).collect();
        let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        self.named.extend(words.filter(|word| word.contains("::")).map(split).filter(|path| path.len() > 1));
    }

    fn import(&mut self, before: &[String], tree: &str) {
        let tree = tree.trim();
        if let Some((head, branches)) = tree.split_once('{') {
            let head = [before, &split(head)].concat();
            let branches = branches.rsplit_once('}').unwrap().0;
            let mut depth = 0;
            let branches = branches.split(|c: char| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                c == ',' && depth == 0
            });
            branches.for_each(|branch| self.import(&head, branch));
        } else if !tree.is_empty() {
            let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
            let path: Path =
                before.iter().cloned().chain(split(path)).filter(|name| name != "self").collect();
            let name = if alias.is_empty() { path.last().unwrap().clone() } else { alias.trim().to_owned() };
            // `_` and `*` bind no single name.
            let name = if ["_", "*"].contains(&name.as_str()) { path.join("::") } else { name };
            self.imports.insert(name, path);
        }
    }
}

/// Whether what stands before `use` makes it an import.
fn is_import(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    line.is_empty() || line.starts_with("pub")
}

fn split(path: &str) -> Path {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[test]
fn modules_of_a_package_form_no_circle() {
    let mut circles = BTreeSet::new();
    for package in &PACKAGES {
        let found = Package::read(&format!("{}/src", package.folder)).circles();
        circles.extend(found.into_iter().map(|circle| format!("{}/src: {circle}", package.folder)));
    }
    assert_none("circles of modules", circles);
}

#[test]
fn a_parent_and_a_child_that_use_each_other_are_a_circle_and_reexports_are_followed() {
    let package = |files: [(&str, &str); 4]| {
        Package(files.into_iter().map(|(path, text)| (split(path), Module::read(text))).collect())
    };
    let root = ("", "mod shop;\npub use shop::Coin;\n");
    let shop = |text| ("shop", text);
    let till = ("shop::till", "use super::{Price, street::House};\n");
    let street = ("shop::street", "use crate::Coin;\npub struct House;\n");
    let circles = |text| package([root, shop(text), till, street]).circles();
    assert_eq!(circles("mod till;\npub struct Price;\npub struct Coin;\n"), [""; 0]);
    assert_eq!(circles("use till::Coin;\npub struct Price;\n"), ["shop.rs shop/street.rs shop/till.rs"]);
}
