//! Templates and words of a site, compiled. The generator renders stored pages with them, the edge search pages, lists
//! and what depends on the day.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
pub use minijinja::Error;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::merge_maps;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, context};
use serde::{Deserialize, Serialize};
use snapshot::page::text::phrase;
use snapshot::record::Locale;

use crate::functions;
use crate::view::DayText;

macro_rules! embedded {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../", $folder, "/", $name)))),+]
    };
}

/// The program's templates, by name.
pub const TEMPLATES: &[(&str, &str)] = embedded!(
    "templates": "base.html", "parts.html", "status.html", "status.md", "day.html", "row.html", "line.html", "home.html",
    "entry.html", "closing.html", "opened.html", "rows.html", "months.html", "due.html", "search.html", "notes.html", "choice.html",
    "chips.html", "facets.html", "found.html", "pages.html", "feed.atom", "program.html", "program.md", "awards.html",
    "organization.html", "recipient.html", "recipients.html", "deadlines.html", "shortlist.html", "browse.html",
    "list.html", "values.html", "facet.html", "data.html", "api.html", "mcp.html", "about.html", "error.html",
    "sitemap.xml", "opensearch.xml",
);
/// The program's words, English and Spanish.
pub const WORDS: [(&str, &str); 2] = *embedded!("locales": "en.json", "es.json");

/// Instructions that one page may take: a hundred times as many as the longest page of the program.
const FUEL: u64 = 5_000_000;

/// Names of the languages in Open Graph.
const OPEN_GRAPH: [&str; 2] = ["en_US", "es_ES"];

/// The pages of the main navigation, with their words.
const NAVIGATION: [(&str, &str); 4] = [
    ("/programs", "nav_search"),
    ("/deadlines", "nav_deadlines"),
    ("/browse", "nav_browse"),
    ("/about", "nav_about"),
];

/// What the pages of a site share besides templates and words.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteInfo {
    /// Name of the site.
    pub title: String,
    /// Scheme and authority of its address.
    pub base_url: String,
    /// Its name in identifiers: the host of that address, without a port, which tag URIs (RFC 4151) do not have.
    pub host: String,
    /// Address that readers write to: `mailto:…` or of a web page.
    pub contact: Option<String>,
    /// When the dataset was published.
    pub published: Timestamp,
    /// Its languages.
    pub locales: Vec<Locale>,
    /// Addresses of the style sheet and of scripts, by the variables that hold them.
    pub assets: BTreeMap<String, String>,
    /// Addresses of the logo and of the icon of the browser's tab.
    pub brand: [Option<String>; 2],
    /// Addresses of the operator's pictures, by name.
    pub pictures: BTreeMap<String, String>,
}

/// A template error with its file, line and expression: those of the template in which it happened, which others include.
pub fn with_location(error: &Error) -> String {
    let mut inner = error;
    while let Some(cause) = std::error::Error::source(inner).and_then(|cause| cause.downcast_ref::<Error>()) {
        inner = cause;
    }
    let place = match (inner.name(), inner.line()) {
        (Some(name), Some(line)) => format!("{name}:{line}: "),
        _ => String::new(),
    };
    let about = inner.range().and_then(|range| inner.template_source()?.get(range));
    let about = about.filter(|about| !about.contains('\n')).map(|about| format!(": `{about}`"));
    format!("{place}{inner}{}", about.unwrap_or_default())
}

/// An environment without templates.
///
/// # Errors
///
/// None that depends on an input.
pub fn environment(pictures: BTreeMap<String, String>) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_auto_escape_callback(|name| match name.rsplit_once('.') {
        Some((_, "md")) => AutoEscape::Custom(functions::MARKDOWN.into()),
        _ => AutoEscape::Html,
    });
    environment.set_fuel(Some(FUEL));
    environment.set_debug(true);
    environment.set_formatter(functions::format);
    functions::add(&mut environment);
    environment.add_function("asset", move |name: &str| {
        let missing = || Error::new(ErrorKind::InvalidOperation, format!("there is no picture `{name}`"));
        pictures.get(name).cloned().ok_or_else(missing)
    });
    Ok(environment)
}

/// Compiled templates, and the words and the variables that every page has.
pub struct Templates {
    environment: Environment<'static>,
    /// Words as templates read them (`t.search`), by hash and without copies: a page reads hundreds.
    words: [Arc<HashMap<String, Value>>; 2],
    /// The variables that every page of a language has.
    frames: [Value; 2],
    /// What the pages share.
    pub site: SiteInfo,
}

/// Address of a page in a language.
pub fn here(path: &str, locale: Locale) -> String {
    match (locale, path) {
        (Locale::Es, "/") => "/es".to_owned(),
        _ => format!("{}{path}", prefix(locale)),
    }
}

/// Prefix of the paths of a language.
pub const fn prefix(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "",
        Locale::Es => "/es",
    }
}

impl Templates {
    /// Words and templates of an environment for a site.
    pub fn new(
        environment: Environment<'static>,
        words: &[BTreeMap<String, String>; 2],
        site: SiteInfo,
    ) -> Self {
        let value = |(key, word): (&String, &String)| (key.clone(), Value::from(word));
        let words = words.each_ref().map(|words| Arc::new(words.iter().map(value).collect()));
        let mut it = Self { environment, words, frames: Default::default(), site };
        it.frames = [Locale::En, Locale::Es].map(|locale| it.frame(locale));
        it
    }

    /// The word with a key in a language. Every key that the program uses is there, which a test checks.
    pub fn word(&self, locale: Locale, key: &str) -> &str {
        self.words[locale as usize].get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A word with each `{name}` replaced.
    pub fn phrase(&self, locale: Locale, key: &str, values: &[(&str, &str)]) -> String {
        phrase(self.word(locale, key), values)
    }

    /// A date in words.
    pub fn day(&self, date: Date, locale: Locale) -> DayText {
        let month = self.word(locale, &format!("month_{}", date.month()));
        let (d, y) = (date.day().to_string(), date.year().to_string());
        let text = self.phrase(locale, "date", &[("d", &d), ("month", month), ("y", &y)]);
        DayText { iso: date.to_string(), text }
    }

    /// A month in words.
    pub fn month(&self, date: Date, locale: Locale) -> String {
        let month = self.word(locale, &format!("month_{}", date.month()));
        self.phrase(locale, "month", &[("month", month), ("y", &date.year().to_string())])
    }

    /// Renders a page; `path` is its address in English.
    ///
    /// # Errors
    ///
    /// If the template fails, with its name and line.
    pub fn page(
        &self,
        template: &str,
        locale: Locale,
        (path, title): (&str, &str),
        own: Value,
    ) -> Result<String, Error> {
        let other = |of| self.site.locales.contains(&of).then(|| here(path, of));
        // What is there where a page has none of its own.
        let others = context! {
            title, path,
            here => here(path, locale),
            english => other(Locale::En),
            spanish => other(Locale::Es),
            // The query of its address.
            question => "",
        };
        let frame = self.frames[locale as usize].clone();
        self.environment.get_template(template)?.render(merge_maps([others, own, frame]))
    }

    /// Renders a part of a page.
    ///
    /// # Errors
    ///
    /// If the template fails, with its name and line.
    pub fn part(&self, template: &str, locale: Locale, own: Value) -> Result<String, Error> {
        self.page(template, locale, ("", ""), own)
    }

    /// The variables that every page of a language has.
    fn frame(&self, locale: Locale) -> Value {
        let site = &self.site;
        let words = Arc::clone(&self.words[locale as usize]);
        let link = |(path, key)| context! { href => here(path, locale), text => self.word(locale, key) };
        let navigation: Vec<Value> = NAVIGATION.into_iter().map(link).collect();
        let own = [
            ("t", Value::from_dyn_object(words)),
            ("lang", Value::from(locale.as_str())),
            ("og_locale", Value::from(OPEN_GRAPH[locale as usize])),
            ("site_name", Value::from(&site.title)),
            ("base_url", Value::from(&site.base_url)),
            ("prefix", Value::from(prefix(locale))),
            ("home", Value::from(here("/", locale))),
            ("contact", Value::from(&site.contact)),
            ("logo", Value::from(&site.brand[0])),
            ("icon", Value::from(&site.brand[1])),
            ("nav", Value::from(navigation)),
            ("published", Value::from(self.day(site.published.to_zoned(TimeZone::UTC).date(), locale).text)),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        let assets = site.assets.iter().map(|(name, path)| (name.clone(), Value::from(path)));
        assets.chain(own).collect::<HashMap<_, _>>().into()
    }
}
