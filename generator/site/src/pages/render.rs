//! What every page is rendered with: the inputs, addresses in a language, words, and templates.

use std::sync::{Arc, OnceLock};

use html::{Filler, Html};
use minijinja::value::Object;
use minijinja::{Value, context};
use rustc_hash::FxHashMap;
use snapshot::page::hole::{Filled, Syntax, cut};
use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site};
use snapshot::record::{Directory, Locale, Organization};

use crate::downloads::Download;
use crate::files::File;
use crate::theme::{SCRIPTS, Theme};

/// Names of the languages in Open Graph.
const OPEN_GRAPH: [&str; 2] = ["en_US", "es_ES"];

/// What pages share, of each language, made at its first use.
#[derive(Clone, Default)]
pub struct PageCache(Arc<[SharedParts; 2]>);

#[derive(Default)]
struct SharedParts {
    /// The variables that every page has.
    every: OnceLock<Arc<Variables>>,
    /// Links to searches for facet values, by their numbers.
    links: OnceLock<Vec<OnceLock<Value>>>,
}

type Variables = FxHashMap<&'static str, Value>;

/// The inputs of pages.
#[derive(Clone)]
pub struct Pages<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// Numbers of programs and cycles.
    pub numbers: &'a Numbers,
    /// Labels of facet values.
    pub site: &'a Site,
    /// Fragments of pages, once they are prepared.
    pub html: Option<&'a Html>,
    /// Templates, words and assets.
    pub theme: &'a Theme,
    /// Scheme and authority of the public address.
    pub base_url: &'a str,
    /// The written tables.
    pub downloads: &'a [Download],
    /// What its pages share; nothing of another site.
    pub cache: PageCache,
}

/// The variables of a page: those that every page has, and its own, among them `title` and addresses.
#[derive(Debug)]
struct Scope {
    every: Arc<Variables>,
    addresses: [(&'static str, Value); 5],
    own: Value,
}

impl Object for Scope {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let address = || self.addresses.iter().find(|(name, _)| *name == key).map(|(_, value)| value);
        let own = || self.own.get_attr(key).ok().filter(|value| !value.is_undefined());
        self.every.get(key).or_else(address).cloned().or_else(own)
    }
}

/// Address of a page in a language.
pub(super) fn here(path: &str, locale: Locale) -> String {
    match (locale, path) {
        (Locale::Es, "/") => "/es".to_owned(),
        _ => format!("{}{path}", prefix(locale)),
    }
}

/// Prefix of the paths of a language.
pub(super) const fn prefix(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "",
        Locale::Es => "/es",
    }
}

/// File of a page.
pub(super) fn file(path: &str, locale: Locale) -> String {
    let path = if path == "/" { "/index" } else { path };
    format!("public{}{path}.html", prefix(locale))
}

impl<'a> Pages<'a> {
    pub(super) fn word(&self, locale: Locale, key: &str) -> &'a str {
        self.theme.word(locale, key)
    }

    /// A phrase with each `{name}` replaced.
    pub(super) fn phrase(&self, locale: Locale, key: &str, values: &[(&str, &str)]) -> String {
        values.iter().fold(self.word(locale, key).to_owned(), |phrase, (name, value)| {
            phrase.replace(&format!("{{{name}}}"), value)
        })
    }

    /// The organization of a program.
    pub(super) fn organization_of(&self, program: usize) -> &'a Organization {
        &self.directory.organizations[self.directory.program_links[program].organization]
    }

    /// The languages of the site.
    pub(super) fn locales(&self) -> &'a [Locale] {
        &self.directory.dataset.locales
    }

    /// The language of what there is once.
    pub(super) fn main_locale(&self) -> Locale {
        self.site.lists.about.only_locale.unwrap_or(Locale::En)
    }

    /// Renders a template with the values that every page needs.
    pub(super) fn render(
        &self,
        template: &str,
        locale: Locale,
        (path, title): (&str, &str),
        more: Value,
    ) -> Result<String, minijinja::Error> {
        let other = |of| Value::from(self.locales().contains(&of).then(|| here(path, of)));
        let addresses = [
            ("title", Value::from(title)),
            ("path", Value::from(path)),
            ("here", Value::from(here(path, locale))),
            ("english", other(Locale::En)),
            ("spanish", other(Locale::Es)),
        ];
        let every = self.cache.0[locale as usize].every.get_or_init(|| Arc::new(self.every(locale)));
        let scope = Scope { every: Arc::clone(every), addresses, own: more };
        self.theme.environment.get_template(template)?.render(Value::from_object(scope))
    }

    /// The variables that every page of a language has.
    fn every(&self, locale: Locale) -> Variables {
        let published = self.directory.dataset.published_at.to_zoned(jiff::tz::TimeZone::UTC).date();
        let nav: Vec<Value> = [
            ("/programs", "nav_search"),
            ("/deadlines", "nav_deadlines"),
            ("/data", "nav_data"),
            ("/docs/api", "nav_api"),
            ("/about", "nav_about"),
        ]
        .map(|(path, key)| context! { href => here(path, locale), text => self.word(locale, key) })
        .into();
        let scripts = SCRIPTS.iter().zip(&self.theme.scripts);
        let scripts = scripts.map(|((variable, ..), script)| (*variable, Value::from(script.path())));
        let every = [
            ("t", self.theme.words(locale)),
            ("lang", Value::from(locale.as_str())),
            ("og_locale", Value::from(OPEN_GRAPH[locale as usize])),
            ("og_other", Value::from(OPEN_GRAPH[1 - locale as usize])),
            ("site_name", Value::from(&self.directory.dataset.title)),
            ("base_url", Value::from(self.base_url)),
            ("prefix", Value::from(prefix(locale))),
            ("home", Value::from(here("/", locale))),
            ("css", Value::from(self.theme.css.path())),
            ("logo", Value::from(&self.theme.brand[0])),
            ("icon", Value::from(&self.theme.brand[1])),
            ("nav", Value::from(nav)),
            ("published", Value::from(self.date_words(published, locale))),
        ];
        every.into_iter().chain(scripts).collect()
    }

    /// A link to the search for a facet value with a number, made once.
    pub(super) fn shared_link(
        &self,
        number: u32,
        locale: Locale,
        make: impl FnOnce() -> Value,
    ) -> Option<Value> {
        let all = self.site.index.values.ordinals();
        let links = &self.cache.0[locale as usize].links;
        let links = links.get_or_init(|| (0..all).map(|_| OnceLock::new()).collect());
        Some(links.get(number as usize)?.get_or_init(make).clone())
    }

    /// Finds the placeholders of a page and fills them for the day of the build.
    pub(super) fn finish(&self, path: &str, locale: Locale, page: &str, dated: &Dated) -> Vec<File> {
        vec![(file(path, locale), self.cut(page, dated))]
    }

    pub(super) fn cut(&self, page: &str, dated: &Dated) -> Filled {
        match self.html {
            Some(html) => cut(page.as_bytes(), Syntax::Text, &Filler { html, dated }),
            None => cut(page.as_bytes(), Syntax::Text, dated),
        }
    }
}
