//! How pages look and speak: templates, words and assets, each from the program or, where it has a
//! file of the same name, from the operator's folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, escape_formatter,
};
use sha2::{Digest as _, Sha256};
use snapshot::facet::FACETS;
use snapshot::page::html::{Slot, Word};
use snapshot::query::PARAMETERS;
use snapshot::record::Locale;
use snapshot::store::Hex;

use crate::read::Table;

macro_rules! embedded {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name)))),+]
    };
}

/// The templates, by name. Names that end in `.html` are escaped.
const TEMPLATES: &[(&str, &str)] = embedded!(
    "templates": "base.html", "parts.html", "row.html", "line.html", "home.html", "search.html",
    "program.html", "program.md", "organization.html", "recipient.html", "deadlines.html",
    "shortlist.html", "browse.html", "list.html", "values.html", "facet.html", "data.html", "api.html", "mcp.html", "about.html", "error.html",
);
const WORDS: &[(&str, &str)] = embedded!("locales": "en.json", "es.json");
const ASSETS: &[(&str, &str)] =
    embedded!("assets": "site.css", "stars.js", "site.js", "shortlist.js", "run.js");

/// What stands around a slot's name in a rendered skeleton; records cannot hold it.
pub(super) const SLOT: char = '\u{2}';

/// Why templates or words cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file of the operator's folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file of words is no JSON object of strings.
    #[error("{file}: {source}")]
    Words {
        /// Which.
        file: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// A word is missing.
    #[error("{file} has no `{key}`")]
    Missing {
        /// In which file.
        file: &'static str,
        /// Which.
        key: String,
    },
    /// A template is wrong.
    #[error("{}", told(.0))]
    Template(#[from] Error),
}

/// A template error with its place.
fn told(error: &Error) -> String {
    let place = match (error.name(), error.line()) {
        (Some(name), Some(line)) => format!("{name}:{line}: "),
        _ => String::new(),
    };
    format!("{place}{error}")
}

/// A file that is named after its content.
pub struct Asset {
    name: String,
    /// Its content.
    pub text: String,
}

impl Asset {
    fn new(name: &str, text: Cow<'_, str>) -> Self {
        let hash = Sha256::digest(text.as_bytes());
        let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
        Self { name: format!("{stem}-{}.{extension}", Hex(&hash[..5])), text: text.into_owned() }
    }

    /// Where it is served.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/assets/{}", self.name)
    }
}

/// Scripts, by the pages that load them: one each, so that none needs a second request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Pages of records: their star.
    Records,
    /// The search page: stars and results in place.
    Search,
    /// The shortlist.
    Shortlist,
    /// The API reference: calls that run where they stand.
    Api,
}

impl Script {
    pub(super) const ALL: [Self; 4] = [Self::Records, Self::Search, Self::Shortlist, Self::Api];

    /// Its name, and the files that it is made of: positions among the assets.
    const fn parts(self) -> (&'static str, &'static [usize]) {
        match self {
            Self::Records => ("stars.js", &[1]),
            Self::Search => ("site.js", &[1, 2]),
            Self::Shortlist => ("shortlist.js", &[1, 3]),
            Self::Api => ("run.js", &[4]),
        }
    }

    fn load(self, folder: Option<&Path>) -> Result<Asset, SiteError> {
        let (name, parts) = self.parts();
        let mut text = String::new();
        for (part, own) in parts.iter().map(|part| ASSETS[*part]) {
            text.push_str(&file(folder, part, own)?);
        }
        Ok(Asset::new(name, text.into()))
    }
}

/// Templates, words and assets.
pub struct Theme {
    pub(super) environment: Environment<'static>,
    words: [BTreeMap<String, String>; 2],
    values: [Value; 2],
    /// The style sheet.
    pub css: Asset,
    /// The scripts, in the order of [`Script`].
    scripts: [Asset; Script::ALL.len()],
}

impl Theme {
    /// Loads everything; files of `folder` stand in for those of the program.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, lacks a word, or is no template and no list of words where one belongs.
    pub fn load(folder: Option<&Path>) -> Result<Self, SiteError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
        environment.add_function("slot", slot);
        environment.set_formatter(format);
        for (name, text) in TEMPLATES {
            environment.add_template_owned(*name, file(folder, name, text)?.into_owned())?;
        }
        let words = [load_words(folder, 0)?, load_words(folder, 1)?];
        Ok(Self {
            values: words.each_ref().map(|words| Value::from(words.clone())),
            words,
            environment,
            css: Asset::new(ASSETS[0].0, file(folder, ASSETS[0].0, ASSETS[0].1)?),
            scripts: [
                Script::Records.load(folder)?,
                Script::Search.load(folder)?,
                Script::Shortlist.load(folder)?,
                Script::Api.load(folder)?,
            ],
        })
    }

    /// A word. Every key that the program uses was checked when the words were loaded; a template's
    /// own keys are checked when it is rendered.
    #[must_use]
    pub fn word(&self, locale: Locale, key: &str) -> &str {
        self.words[locale as usize].get(key).map_or("", String::as_str)
    }

    /// A script.
    #[must_use]
    pub const fn script(&self, script: Script) -> &Asset {
        &self.scripts[script as usize]
    }

    pub(super) fn words(&self, locale: Locale) -> Value {
        self.values[locale as usize].clone()
    }
}

fn file<'t>(folder: Option<&Path>, name: &str, text: &'t str) -> Result<Cow<'t, str>, SiteError> {
    let Some(path) = folder.map(|folder| folder.join(name)) else { return Ok(text.into()) };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(text.into()),
        Err(source) => Err(SiteError::Unreadable { path, source }),
    }
}

/// The words of a language: the operator's stand in for the program's, key by key.
fn load_words(folder: Option<&Path>, language: usize) -> Result<BTreeMap<String, String>, SiteError> {
    let (name, text) = WORDS[language];
    let parse = |text: &str| {
        serde_json::from_str::<BTreeMap<String, String>>(text)
            .map_err(|source| SiteError::Words { file: name, source })
    };
    let mut words = parse(text)?;
    words.extend(parse(&file(folder, name, text)?)?);
    check_words(name, &words)?;
    Ok(words)
}

/// Every word of the other language, of the edge, of facets and of parameters must be there.
fn check_words(file: &'static str, words: &BTreeMap<String, String>) -> Result<(), SiteError> {
    let facets = FACETS.iter().map(|spec| format!("facet_{}", spec.name));
    let parameters = PARAMETERS
        .iter()
        .filter(|parameter| FACETS.iter().all(|spec| spec.parameter != parameter.name))
        .map(|parameter| format!("param_{}", parameter.name));
    let tables = Table::ALL.map(|table| format!("table_{}", table.name()));
    let edge = Word::KEYS.iter().map(|key| (*key).to_owned());
    let all: Vec<BTreeMap<String, String>> =
        WORDS.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect();
    let known = all.into_iter().flat_map(BTreeMap::into_keys);
    match facets.chain(parameters).chain(tables).chain(edge).chain(known).find(|key| !words.contains_key(key))
    {
        Some(key) => Err(SiteError::Missing { file, key }),
        None => Ok(()),
    }
}

/// Writes a value with what HTML would read as markup escaped, and not the slashes of every address besides, as
/// the engine's own formatter does.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = value.as_str().filter(|_| *state.auto_escape() == AutoEscape::Html && !value.is_safe());
    let Some(mut text) = text else { return escape_formatter(out, state, value) };
    while let Some(at) = text.find(['&', '<', '>', '"', '\'']) {
        let reference = match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        };
        out.write_str(&text[..at])?;
        out.write_str(reference)?;
        text = &text[at + 1..];
    }
    Ok(out.write_str(text)?)
}

/// `slot("rows")` in the search page: a place that the edge fills.
fn slot(name: &str) -> Result<Value, Error> {
    match Slot::number(name) {
        Some(number) => Ok(Value::from_safe_string(format!("{SLOT}{number}{SLOT}"))),
        None => Err(Error::new(ErrorKind::InvalidOperation, format!("there is no slot `{name}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_word_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut words: BTreeMap<String, String> = serde_json::from_str(WORDS[1].1).unwrap();
        words.remove("when_closes");
        assert!(
            check_words("es.json", &words).unwrap_err().to_string().contains("es.json has no `when_closes`")
        );
        std::fs::write(folder.path().join("base.html"), "{% block").unwrap();
        let error = Theme::load(Some(folder.path())).err().unwrap().to_string();
        assert!(error.starts_with("base.html:1"), "{error}");
    }

    #[test]
    fn style_and_script_fit_into_four_kilobytes() {
        let scripts = Script::ALL.map(|script| (script.parts().0, script.load(None).unwrap().text));
        let style = (ASSETS[0].0, ASSETS[0].1.to_owned());
        for (name, text) in scripts.into_iter().chain([style]) {
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::best());
            let mut out = vec![0; compressor.gzip_compress_bound(text.len())];
            let length = compressor.gzip_compress(text.as_bytes(), &mut out).unwrap();
            assert!(length <= 4 * 1024, "{name}: {length}");
        }
    }

    #[test]
    fn an_operators_words_and_style_stand_in_for_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("en.json"), r#"{"nav_search":"Find"}"#).unwrap();
        std::fs::write(folder.path().join("site.css"), "body{}").unwrap();
        let theme = Theme::load(Some(folder.path())).unwrap();
        assert_eq!(theme.word(Locale::En, "nav_search"), "Find");
        assert_eq!(theme.word(Locale::Es, "nav_search"), "Buscar");
        assert_eq!(theme.css.text, "body{}");
    }
}
