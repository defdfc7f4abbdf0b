//! Workflows and the action: YAML that a parser reads, and scripts that get every variable they need.

use std::collections::BTreeSet;

use saphyr::{LoadableYamlNode, Yaml};

use super::source::{File, assert_none, everything, read};

const ACTION: &str = ".github/actions/opdir/action.yml";

fn parse(file: &File) -> Result<Vec<Yaml<'_>>, String> {
    Yaml::load_from_str(&file.text).map_err(|error| format!("{}: {error}", file.path))
}

#[test]
fn every_yaml_file_is_read_by_a_parser() {
    let files = everything();
    let is_yaml = |file: &&File| [".yml", ".yaml"].iter().any(|end| file.path.ends_with(end));
    let yaml: Vec<&File> = files.iter().filter(is_yaml).collect();
    assert!(yaml.iter().any(|file| file.path == ACTION));
    assert_none("not YAML", yaml.into_iter().filter_map(|file| parse(file).err()));
}

#[test]
fn each_step_of_the_action_gets_the_variables_of_its_script() {
    let file = File { path: ACTION.to_owned(), text: read(ACTION) };
    let document = parse(&file).unwrap().remove(0);
    let inputs = document["inputs"].as_mapping().unwrap();
    let inputs: BTreeSet<&str> = inputs.keys().map(|name| name.as_str().unwrap()).collect();
    let steps = document["runs"]["steps"].as_sequence().unwrap();
    assert_eq!(steps.len(), 2);
    for step in steps {
        let script = step["run"].as_str().unwrap().rsplit('/').next().unwrap().trim_end_matches('"');
        let given = step["env"].as_mapping().unwrap();
        let names: BTreeSet<&str> = given.keys().map(|name| name.as_str().unwrap()).collect();
        let script = read(&format!(".github/actions/opdir/{script}"));
        let needed = variables(&script);
        assert!(needed.len() > 1, "{needed:?}");
        // The others are set by the forge.
        let is_missing = |name: &&&str| !names.contains(**name) && !is_of_the_forge(name);
        assert_eq!(needed.iter().filter(is_missing).collect::<Vec<_>>(), Vec::<&&str>::new());
        for value in given.values().map(|value| value.as_str().unwrap()) {
            let input = value.split("inputs.").nth(1).map(|rest| rest.split(' ').next().unwrap());
            assert!(input.is_none_or(|input| inputs.contains(input)), "{value}");
        }
    }
}

fn is_of_the_forge(name: &str) -> bool {
    name.starts_with("GITHUB_") || name.starts_with("RUNNER_")
}

/// The environment variables of a script: upper case, as its own are lower case.
fn variables(script: &str) -> BTreeSet<&str> {
    let rest = script.split('$').skip(1).map(|rest| rest.trim_start_matches('{'));
    let names = rest.map(|rest| rest.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap());
    names.filter(|name| name.len() > 1).collect()
}
