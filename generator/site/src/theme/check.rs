//! Checks that the words, variables, blocks and templates named by an operator's files exist. Faults are reported
//! with their line before anything is rendered.

use std::collections::{BTreeMap, BTreeSet};

use html::templates::{TEMPLATES, WORDS};
use minijinja::Environment;
use snapshot::facet::VALUE_WORDS;

use super::folder::ThemeFolder;
use super::problem::ThemeProblem;

/// Prefix of the name of a template that means the program's own.
pub(super) const PROGRAM: &str = "@opdir/";
/// Functions of templates.
const FUNCTIONS: [&str; 4] = ["asset", "super", "caller", "tongue"];
/// Variables of templates that none of the program's own templates uses.
pub(super) const GIVEN: [&str; 3] = ["published", "base_url", "site_name"];

/// Words of a language: the program's, with the operator's `overrides`. `texts` are those of the operator's templates.
pub(super) fn words(
    (file, own): (&str, &str),
    overrides: Option<&str>,
    texts: &[&str],
    faults: &mut Vec<ThemeProblem>,
) -> BTreeMap<String, String> {
    let mut words: BTreeMap<String, String> = serde_json::from_str(own).unwrap_or_default();
    let language = usize::from(file == WORDS[1].0);
    words.extend(
        VALUE_WORDS.iter().map(|(value, words)| (format!("value_{value}"), words[language].to_owned())),
    );
    let Some(text) = overrides else { return words };
    let put: BTreeMap<String, String> = match serde_json::from_str(text) {
        Ok(put) => put,
        Err(error) => {
            faults.push(ThemeProblem::new(file, Some(error.line()), error.to_string()));
            return words;
        }
    };
    // `_` is a comment.
    for (key, value) in put.into_iter().filter(|(key, _)| key != "_") {
        let at = line(text, &format!("\"{key}\""));
        let own = words.get(&key);
        let is_used = || texts.iter().any(|text| text.contains(&format!("t.{key}")));
        if own.is_none() && !key.starts_with("value_") && !is_used() {
            let fault = ThemeProblem::new(file, at, format!("there is no word `{key}`"));
            faults.push(fault.known(&key, words.keys().map(String::as_str)));
            continue;
        }
        let filled = own.map(|own| holes(own)).unwrap_or_default();
        if let Some(hole) = own.and_then(|_| holes(&value).into_iter().find(|hole| !filled.contains(hole))) {
            let fault = ThemeProblem::new(file, at, format!("nothing fills `{{{hole}}}` in `{key}`"));
            faults.push(fault.known(hole, filled.iter().copied()));
        }
        words.insert(key, value);
    }
    words
}

/// Names in braces.
fn holes(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// Unknown words, variables, blocks and templates in the operator's templates. `environment` has these templates
/// and the program's.
pub(super) fn templates(
    environment: &Environment<'_>,
    own: &ThemeFolder,
    words: &[BTreeMap<String, String>; 2],
) -> Vec<ThemeProblem> {
    let of_program = |text| environment.template_from_str(text).map(|it| it.undeclared_variables(true));
    let all: BTreeSet<String> =
        TEMPLATES.iter().flat_map(|(_, text)| of_program(text).unwrap_or_default()).collect();
    let root = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let roots: BTreeSet<String> = all.iter().map(|name| root(name)).collect();
    let given = || roots.iter().map(String::as_str).chain(GIVEN).chain(FUNCTIONS);
    let mut faults = Vec::new();
    for (file, text) in own.templates() {
        let used = environment.get_template(file).map(|it| it.undeclared_variables(true));
        for name in BTreeSet::from_iter(used.unwrap_or_default()) {
            if let Some(word) = name.strip_prefix("t.") {
                for ((language, _), words) in WORDS.iter().zip(words) {
                    if !words.contains_key(word) {
                        let what = format!("`{word}` is no word of {language}");
                        let fault = ThemeProblem::new(file, line(text, &name), what);
                        faults.push(fault.known(word, words.keys().map(String::as_str)));
                    }
                }
                continue;
            }
            let name = root(&name);
            if !given().any(|given| given == name) {
                let what = format!("`{name}` is given by nothing");
                faults.push(ThemeProblem::new(file, line(text, &name), what).known(&name, given()));
            }
        }
        faults.extend(blocks(file, text));
        faults.extend(named(file, text));
    }
    faults
}

/// References to unknown templates.
fn named(file: &str, text: &str) -> Vec<ThemeProblem> {
    let known: Vec<String> =
        TEMPLATES.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("{PROGRAM}{name}")]).collect();
    let named = ["extends", "include", "from", "import"].iter().flat_map(|tag| tags(text, tag));
    let named =
        named.filter_map(|(at, rest)| Some((at, rest.trim_start().strip_prefix('"')?.split('"').next()?)));
    let missing = named.filter(|(_, name)| !known.iter().any(|known| known == name));
    let fault = |(at, name): (usize, &str)| {
        ThemeProblem::new(file, Some(at), format!("there is no template `{name}`"))
            .known(name, known.iter().map(String::as_str))
    };
    missing.map(fault).collect()
}

/// Blocks that no extended template has, so that they would never be shown; and a base template without a block
/// for the content of pages.
fn blocks(file: &str, text: &str) -> Vec<ThemeProblem> {
    let Some((_, rest)) = tags(text, "extends").next() else {
        let is_whole = tags(text, "block").any(|(_, rest)| first_word(rest) == "main");
        let help =
            format!("every page shows itself there; or begin with {{% extends \"{PROGRAM}base.html\" %}}");
        let fault = || ThemeProblem::new(file, None, "has no block `main`").help(help);
        return (file == "base.html" && !is_whole).then(fault).into_iter().collect();
    };
    let parent = rest.trim_start().trim_start_matches('"').split('"').next().unwrap_or_default();
    let parent = parent.strip_prefix(PROGRAM).unwrap_or(parent);
    if parent == file && !rest.contains(PROGRAM) {
        let fault = ThemeProblem::new(file, line(text, "extends"), "goes on from itself");
        return vec![fault.help(format!("the program's own is `{PROGRAM}{file}`"))];
    }
    let both = TEMPLATES.iter().filter(|(name, _)| [parent, "base.html"].contains(name));
    let known: BTreeSet<&str> =
        both.flat_map(|(_, text)| tags(text, "block")).map(|(_, rest)| first_word(rest)).collect();
    // A block that replaces another may contain new blocks.
    let mut depth = 0usize;
    let mut faults = Vec::new();
    for (at, tag, rest) in all_tags(text) {
        match tag {
            "block" => {
                let name = first_word(rest);
                if depth == 0 && !known.contains(name) {
                    let what = format!("`{parent}` has no block `{name}`");
                    faults.push(ThemeProblem::new(file, Some(at), what).known(name, known.iter().copied()));
                }
                depth += 1;
            }
            "endblock" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    faults
}

fn first_word(rest: &str) -> &str {
    rest.split_whitespace().next().unwrap_or_default()
}

/// Tags of a template: line, name and what follows it.
fn all_tags(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.match_indices("{%").filter_map(move |(at, _)| {
        let inside = text[at + 2..].split("%}").next()?.trim_matches(['-', '+']).trim();
        let (name, rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        Some((text[..at].lines().count().max(1) + usize::from(text[..at].ends_with('\n')), name, rest))
    })
}

/// Tags of one name.
fn tags<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    all_tags(text).filter(move |(_, tag, _)| *tag == name).map(|(at, _, rest)| (at, rest))
}

/// The line of the first occurrence.
pub(super) fn line(text: &str, what: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(what)).map(|at| at + 1)
}
