//! Themes: templates, words and assets, each from the operator's folder if it has a file of that name, else from
//! the program. A file in the folder that a theme cannot have is an error.

mod check;
mod colors;
mod commands;
mod folder;
mod functions;
mod problem;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Object;
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, escape_formatter,
};
use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};
use snapshot::record::Locale;
use store::Hex;

use self::colors::Palette;
pub(super) use self::folder::ThemeFile;
use self::folder::{ASSETS, TEMPLATES, ThemeFolder, WORDS};
pub(super) use self::functions::{FacetLink, SLOT};
pub use self::problem::ThemeError;
pub(super) use self::problem::ThemeProblem;

/// A file that is named after its content.
pub struct Asset {
    name: String,
    /// Its content.
    pub text: String,
}

impl Asset {
    fn new(name: &str, text: String) -> Self {
        let hash = Sha256::digest(text.as_bytes());
        let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
        Self { name: format!("{stem}-{}.{extension}", Hex(&hash[..5])), text }
    }

    /// Where it is served.
    pub(crate) fn path(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

/// Scripts, by the pages that load them: one each, so that none needs a second request. The variable of its address, its
/// name, and the files that it is made of: positions among the assets.
pub(super) const SCRIPTS: [(&str, &str, &[usize]); 5] = [
    // Pages of records: their star.
    ("stars_js", "stars.js", &[1]),
    // The search page: stars, and results in place as text is typed, which a list of suggestions would cover.
    ("search_js", "site.js", &[1, 2]),
    // The shortlist.
    ("shortlist_js", "shortlist.js", &[1, 3]),
    // The API reference: calls that run where they stand.
    ("api_js", "run.js", &[4]),
    // The home page: suggestions.
    ("home_js", "suggest.js", &[5]),
];

/// Templates, words and assets.
pub struct Theme {
    pub(super) environment: Environment<'static>,
    words: [BTreeMap<String, String>; 2],
    values: [Value; 2],
    /// The style sheet.
    pub css: Asset,
    /// The scripts, in the order of [`SCRIPTS`].
    pub(super) scripts: [Asset; SCRIPTS.len()],
    /// Files of the operator that are published.
    pub extras: Vec<ThemeFile>,
    /// Warnings about the operator's folder.
    pub warnings: Vec<ThemeProblem>,
    /// Addresses of the picture before the name and of the one in the browser's tab.
    pub(super) brand: [Option<String>; 2],
}

impl Theme {
    /// Loads a theme; files of `folder` replace those of the program.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the folder is not a valid theme: then with all its faults.
    pub fn load(folder: Option<&Path>) -> Result<Self, ThemeError> {
        let mut own = folder.map(ThemeFolder::read).transpose()?.unwrap_or_default();
        let mut faults = std::mem::take(&mut own.faults);
        let look = Palette::read(own.text(colors::FILE), &mut faults);
        let pictures = Arc::new(std::mem::take(&mut own.pictures));
        let text = own.text(colors::FILE).unwrap_or_default();
        let brand = look.brand().map(|name| {
            let name = name?;
            let at = check::line(text, &format!("\"{name}\""));
            folder::picture(&pictures, name).map_err(|help| faults.push(help.at(colors::FILE, at))).ok()
        });
        let environment = environment(&own, pictures, &mut faults)?;
        let texts: Vec<&str> = own.templates().map(|(_, text)| text).collect();
        let words = WORDS.map(|(file, text)| check::words((file, text), own.text(file), &texts, &mut faults));
        faults.extend(check::templates(&environment, &own, &words));
        if let Some(folder) = folder.filter(|_| !faults.is_empty()) {
            return Err(ThemeError::Faults(folder.to_owned(), faults));
        }
        let style = own.text(ASSETS[0].0).unwrap_or(ASSETS[0].1);
        let script =
            |part: &usize| own.text(ASSETS[*part].0).map_or_else(|| bare(ASSETS[*part].1), str::to_owned);
        let scripts = SCRIPTS.map(|(_, name, parts)| Asset::new(name, parts.iter().map(script).collect()));
        let added = own.text(folder::STYLE).unwrap_or_default();
        // An icon with the usual name needs no entry in `theme.toml`.
        let usual =
            own.extras.iter().find(|extra| extra.path == "/favicon.ico").map(|extra| extra.path.clone());
        let [logo, icon] = brand;
        Ok(Self {
            values: words.each_ref().map(Words::value),
            words,
            environment,
            css: Asset::new(ASSETS[0].0, format!("{}{style}{added}", look.css())),
            scripts,
            brand: [logo, icon.or(usual)],
            warnings: own.warnings,
            extras: own.extras,
        })
    }

    /// A word. Every key that the program uses is there, which a test checks; a template's own keys are checked when
    /// it is rendered.
    pub fn word(&self, locale: Locale, key: &str) -> &str {
        self.words[locale as usize].get(key).map_or("", String::as_str)
    }

    pub(super) fn words(&self, locale: Locale) -> Value {
        self.values[locale as usize].clone()
    }
}

/// Words as templates read them (`t.search`), by hash and without copies: a page reads hundreds.
#[derive(Debug)]
struct Words(FxHashMap<String, Value>);

impl Words {
    fn value(words: &BTreeMap<String, String>) -> Value {
        Value::from_object(Self(words.iter().map(|(key, word)| (key.clone(), Value::from(word))).collect()))
    }
}

impl Object for Words {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

/// Templates of the program, by their names and with the prefix [`check::PROGRAM`], and the operator's, which
/// replace those of the same name.
fn environment(
    own: &ThemeFolder,
    pictures: Arc<BTreeMap<String, String>>,
    faults: &mut Vec<ThemeProblem>,
) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    functions::add(&mut environment);
    environment.add_function("asset", move |name: &str| {
        let refused = |fault: ThemeProblem| Error::new(ErrorKind::InvalidOperation, fault.to_string());
        folder::picture(&pictures, name).map_err(refused)
    });
    environment.set_formatter(format);
    environment.set_debug(true);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
        environment.add_template_owned(format!("{}{name}", check::PROGRAM), *text)?;
    }
    for (name, text) in own.templates() {
        if let Err(error) = environment.add_template_owned(name, text.to_owned()) {
            faults.push(ThemeProblem::new(name, error.line(), error.to_string()));
        }
    }
    Ok(environment)
}

/// A script of the program without comments and indents, which are for readers of the source.
fn bare(script: &str) -> String {
    let lines = script.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Writes a value, text escaped for HTML.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = value.as_str().filter(|_| *state.auto_escape() == AutoEscape::Html && !value.is_safe());
    match text {
        Some(text) => Ok(functions::escape(out, text)?),
        None => escape_formatter(out, state, value),
    }
}

#[cfg(test)]
mod tests;
