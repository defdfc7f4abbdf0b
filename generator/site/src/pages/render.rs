//! What every page is rendered with: the inputs, addresses in a language, words, and templates.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use html::templates::{Templates, prefix};
use html::{Filler, Html};
use minijinja::{Error, Value};
use snapshot::page::hole::{Filled, Syntax, cut};
use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site};
use snapshot::record::{Directory, Locale, Organization};

use super::view::namesakes;
use crate::downloads::Download;
use crate::files::Rendered;
use crate::theme::Theme;

/// What pages of a site share.
#[derive(Clone, Default)]
pub struct PageCache(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Links to searches for facet values, by their numbers, of each language.
    links: [OnceLock<Vec<OnceLock<Value>>>; 2],
    /// What tells programs of one name apart.
    namesakes: OnceLock<HashMap<usize, String>>,
}

/// The inputs of pages.
#[derive(Clone)]
pub struct Pages<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// Numbers of programs and cycles.
    pub numbers: &'a Numbers,
    /// Labels of facet values.
    pub site: &'a Site,
    /// What depends on the day is rendered from, once it is prepared.
    pub html: Option<&'a Html>,
    /// Files of the site's look.
    pub theme: &'a Theme,
    /// Its templates and words, see [`Theme::compile`].
    pub templates: &'a Templates,
    /// The written tables.
    pub downloads: &'a [Download],
    /// What its pages share; nothing of another site.
    pub cache: PageCache,
}

/// File of a page.
pub(super) fn file(path: &str, locale: Locale) -> String {
    let path = if path == "/" { "/index" } else { path };
    format!("{}{path}.html", prefix(locale))
}

impl<'a> Pages<'a> {
    pub(super) fn word(&self, locale: Locale, key: &str) -> &'a str {
        self.templates.word(locale, key)
    }

    /// A phrase with each `{name}` replaced.
    pub(super) fn phrase(&self, locale: Locale, key: &str, values: &[(&str, &str)]) -> String {
        self.templates.phrase(locale, key, values)
    }

    pub(super) fn base_url(&self) -> &'a str {
        &self.templates.site.base_url
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

    /// A link to the search for a facet value with a number, made once.
    pub(super) fn shared_link(
        &self,
        number: u32,
        locale: Locale,
        make: impl FnOnce() -> Value,
    ) -> Option<Value> {
        let all = self.site.index.values.ordinals();
        let links = &self.cache.0.links[locale as usize];
        let links = links.get_or_init(|| (0..all).map(|_| OnceLock::new()).collect());
        Some(links.get(number as usize)?.get_or_init(make).clone())
    }

    /// What tells a program from others of its name.
    pub(super) fn mark_of(&self, program: usize) -> Option<String> {
        self.cache.0.namesakes.get_or_init(|| namesakes(self.directory)).get(&program).cloned()
    }

    /// Finds the placeholders of a page and fills them for the day of the build.
    pub(super) fn finish(&self, path: &str, locale: Locale, page: &str, dated: &Dated) -> Rendered {
        Ok(vec![(file(path, locale), self.cut(page, dated)?)])
    }

    pub(super) fn cut(&self, page: &str, dated: &Dated) -> Result<Filled, Error> {
        let Some(html) = self.html else { return Ok(cut(page.as_bytes(), Syntax::Text, dated)) };
        let filler = Filler::new(html, dated);
        let filled = cut(page.as_bytes(), Syntax::Text, &filler);
        filler.failed().map_or(Ok(filled), Err)
    }
}
