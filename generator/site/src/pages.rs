//! HTML pages in English and Spanish, feeds, and files for machines. A page is rendered from a template, the
//! words of a language and a view of some records; parts that depend on the day are placeholders.

mod docs;
mod linked;
mod page;
mod prepared;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use html::calendar::calendar;
use html::feed::{Feed, feed, feed_path};
use html::templates::{Templates, here, prefix};
use html::{Filler, Html, PageOptions, Rule, search_address, search_page};
use jiff::civil::Date;
use minijinja::{Error, Value, context};
use snapshot::facet::{FACETS, Facet, FacetSpec, admits_any_nationality, place_label};
use snapshot::page::facet::options;
use snapshot::page::hole::{Filled, Syntax, cut};
use snapshot::page::list::Numbers;
use snapshot::page::text::grouped;
use snapshot::page::{Dated, Site};
use snapshot::query::{FacetValue, Query};
use snapshot::record::{Directory, Locale, Organization};

use crate::downloads::Download;
use crate::files::{File, Rendered, whole};
use crate::theme::Theme;

use page::{Fixed, MISSING};
use view::{AWARDS, AWARDS_RECEIVED, namesakes};

/// Maximum number of a facet's values on the page of all facets.
const BROWSE: usize = 12;

/// What pages of a site share.
#[derive(Default)]
pub struct PageCache {
    /// Links to searches for facet values, by their numbers, of each language.
    links: [OnceLock<Vec<OnceLock<Value>>>; 2],
    /// What tells programs of one name apart.
    namesakes: OnceLock<HashMap<usize, String>>,
}

/// The inputs of pages.
pub struct Pages<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// Numbers of programs and cycles.
    pub numbers: &'a Numbers,
    /// Labels of facet values, and prepared rows.
    pub site: &'a Site,
    /// The day.
    pub dated: &'a Dated,
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
fn file(path: &str, locale: Locale) -> String {
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
        let links = &self.cache.links[locale as usize];
        let links = links.get_or_init(|| (0..all).map(|_| OnceLock::new()).collect());
        Some(links.get(number as usize)?.get_or_init(make).clone())
    }

    /// What tells a program from others of its name.
    pub(super) fn mark_of(&self, program: usize) -> Option<String> {
        self.cache.namesakes.get_or_init(|| namesakes(self.directory)).get(&program).cloned()
    }

    /// Finds the placeholders of a page and fills them for the day of the build.
    fn finish(&self, path: &str, locale: Locale, page: &str) -> Rendered {
        Ok(vec![(file(path, locale), self.cut(page)?)])
    }

    fn cut(&self, page: &str) -> Result<Filled, Error> {
        let Some(html) = self.html else { return Ok(cut(page.as_bytes(), Syntax::Text, self.dated)) };
        let filler = Filler::new(html, self.dated);
        let filled = cut(page.as_bytes(), Syntax::Text, &filler);
        filler.failed().map_or(Ok(filled), Err)
    }

    /// The page of a program, the same as Markdown, and in the main language also its calendar.
    ///
    /// # Errors
    /// When a template fails.
    pub fn program(&self, program: usize, locale: Locale) -> Rendered {
        let path = format!("/programs/{}", self.directory.programs[program].slug);
        let (view, awards) =
            (self.program_view(program, locale), &self.directory.program_links[program].awards);
        let awards = (&awards[..], AWARDS, ["recipient", "project"]);
        let mut files = self.record_pages(("program.html", &path), &view, awards, locale)?;
        let name = view.get_attr("name")?.get_attr("text")?;
        let twin =
            self.templates.page("program.md", locale, (&path, name.as_str().unwrap_or_default()), view)?;
        files.push((format!("{}{path}.md", prefix(locale)), self.cut(&twin)?));
        if locale == self.main_locale() {
            let view = self.view(program, locale);
            let calendar =
                (!view.seasons.is_empty()).then(|| calendar(self.templates, locale, ("", None), [view]));
            files.extend(calendar.map(|calendar| whole(format!("{path}.ics"), calendar)));
        }
        Ok(files)
    }

    /// The page of an organization.
    fn organization(&self, organization: usize, locale: Locale) -> Rendered {
        let path = format!("/organizations/{}", self.directory.organizations[organization].slug);
        let awards = &self.directory.organization_links[organization].awards;
        let awards = (&awards[..], AWARDS, ["program", "recipient"]);
        let view = self.organization_view(organization, locale);
        self.record_pages(("organization.html", &path), &view, awards, locale)
    }

    /// The page of a recipient.
    fn recipient(&self, recipient: usize, locale: Locale) -> Rendered {
        let path = format!("/recipients/{}", self.directory.recipients[recipient].slug);
        let awards =
            (&self.directory.recipient_awards[recipient][..], AWARDS_RECEIVED, ["program", "project"]);
        let view = self.recipient_view(recipient, locale);
        self.record_pages(("recipient.html", &path), &view, awards, locale)
    }

    /// The page of a record, and those with all of its awards where it shows only the latest.
    fn record_pages(
        &self,
        (template, path): (&str, &str),
        view: &Value,
        (awards, most, columns): (&[usize], usize, [&'static str; 2]),
        locale: Locale,
    ) -> Rendered {
        let name = view.get_attr("name")?.get_attr("text")?.to_string();
        let page = self.templates.page(template, locale, (path, &name), view.clone())?;
        let mut files = self.finish(path, locale, &page)?;
        let all = if awards.len() > most { awards } else { &[] };
        for (path, number, rest) in self.award_pages(path, all, locale) {
            let title = format!("{}: {name} {number}", self.word(locale, "org_awards"));
            let view = context! { columns, number, name => view.get_attr("name")?, ..rest };
            let page = self.templates.page("awards.html", locale, (&path, title.trim_end()), view)?;
            files.extend(self.finish(&path, locale, &page)?);
        }
        Ok(files)
    }

    /// All values of a facet.
    fn facet(&self, spec: &FacetSpec, locale: Locale) -> Rendered {
        let path = format!("/facets/{}", spec.name);
        let title = self.word(locale, &format!("facet_{}", spec.name));
        let items: Vec<Value> = self.values(spec, usize::MAX, locale).0;
        let description = format!("{title}. {}", self.word(locale, "facet_intro"));
        let page =
            self.templates.page("facet.html", locale, (&path, title), context! { items, description })?;
        self.finish(&path, locale, &page)
    }

    /// A page that every dataset has.
    fn fixed(&self, fixed: &Fixed, locale: Locale) -> Rendered {
        let &(path, template, [title, description], _, view) = fixed;
        // The language link of the page for missing pages leads to the home page.
        let shown = if path == MISSING { "/" } else { path };
        let view = context! { description => self.word(locale, description), ..view(self, locale) };
        let page = self.templates.page(template, locale, (shown, self.word(locale, title)), view)?;
        // Static hosts serve these two from the root.
        let is_root = matches!(path, "/" | MISSING) && self.main_locale() != Locale::En;
        let locales = [locale, Locale::En].into_iter().take(1 + usize::from(is_root));
        let files: Vec<Vec<File>> =
            locales.map(|locale| self.finish(path, locale, &page)).collect::<Result<_, _>>()?;
        Ok(files.concat())
    }

    /// The months with a deadline, starting with the month of the build's day.
    fn months(&self) -> Vec<Date> {
        let since = self.dated.day().date().map(Date::first_of_month);
        let months = self.directory.cycles.iter().filter_map(|cycle| cycle.deadline_on);
        let ahead = months.map(Date::first_of_month).filter(|month| Some(*month) >= since);
        ahead.collect::<BTreeSet<Date>>().into_iter().collect()
    }

    /// The deadlines of a month.
    fn month(&self, month: Date, locale: Locale) -> Rendered {
        let name = self.templates.month(month, locale);
        let title = format!("{}: {name}", self.word(locale, "deadlines_title"));
        let path = html::month_path(Locale::En, month);
        let description = format!("{title}. {}", self.word(locale, "deadlines_intro"));
        let view = context! { description, ..self.deadlines_view(html::month_number(month), locale) };
        let page = self.templates.page("deadlines.html", locale, (&path, &title), view)?;
        self.finish(&path, locale, &page)
    }

    /// The deadlines of a month by its number, or the next ones for 0.
    fn deadlines_view(&self, month: u32, locale: Locale) -> Value {
        context! {
            deadlines => Value::from_safe_string(Rule::Deadlines.mark(month as usize, locale)),
            today => Value::from_safe_string(Rule::Day.mark(0, locale)),
            month => month > 0,
        }
    }

    fn browse_view(&self, locale: Locale) -> Value {
        let groups = FACETS.iter().filter_map(|spec| self.browse(spec.facet, locale));
        context! { groups => groups.collect::<Vec<_>>() }
    }

    fn home(&self, locale: Locale) -> Value {
        let [programs, organizations] = [self.directory.programs.len(), self.directory.organizations.len()]
            .map(|count| grouped(count as u64, locale));
        let numbers = [("n", &*programs), ("m", &*organizations)];
        context! {
            totals => self.phrase(locale, "home_programs", &numbers),
            open_count => Value::from_safe_string(Rule::OpenCount.mark(0, locale)),
            entry => Value::from_safe_string(Rule::Entry.mark(0, locale)),
            closing => Value::from_safe_string(Rule::Closing.mark(0, locale)),
            opened => Value::from_safe_string(Rule::Opened.mark(0, locale)),
            months => Value::from_safe_string(Rule::Months.mark(0, locale)),
            today => Value::from_safe_string(Rule::Day.mark(0, locale)),
        }
    }

    /// The most frequent values of a facet, and the number of values. Statuses and their counts change with the
    /// day: all are listed, without a count.
    fn values(&self, spec: &FacetSpec, most: usize, locale: Locale) -> (Vec<Value>, usize) {
        let find = |state: &&str| self.site.index.values.find(spec.facet, state).map(FacetValue::Value);
        let all: Vec<(FacetValue, Option<u32>)> = if spec.is_daily {
            spec.facet.fixed_values().iter().filter_map(find).map(|pick| (pick, None)).collect()
        } else {
            let counted = options(self.site, self.dated, spec.facet, "", locale).into_iter();
            counted.map(|(pick, count)| (pick, Some(count))).collect()
        };
        let item = |(pick, count): &(FacetValue, Option<u32>)| {
            let value = self.site.index.value_text(pick);
            let (text, lang) = self.spoken_label(spec.facet, value, locale);
            context! {
                href => search_address(locale, "", &[(spec.parameter, value)]),
                text, lang,
                count => count.map(|count| grouped(count.into(), locale)),
            }
        };
        (all.iter().take(most).map(item).collect(), all.len())
    }

    /// The most frequent values of a facet; `None` if there are none.
    fn browse(&self, facet: Facet, locale: Locale) -> Option<Value> {
        let spec = facet.spec();
        let (items, all) = self.values(spec, BROWSE, locale);
        (!items.is_empty()).then(|| {
            context! {
                items,
                more => all > BROWSE,
                name => self.word(locale, &format!("facet_{}", spec.name)),
                href => here(&format!("/facets/{}", spec.name), locale),
            }
        })
    }

    /// The search page of a language and its list of recipients, or one of its feeds, for an empty query.
    fn search(&self, html: &Html, as_feed: Option<Feed>, locale: Locale) -> Rendered {
        let (query, extras) = (Query { locale, ..Query::default() }, PageOptions::default());
        Ok(match as_feed {
            None => vec![
                whole(
                    file("/programs", locale),
                    search_page(self.site, html, self.dated, (&query, &extras), &[])?,
                ),
                whole(file("/recipients", locale), html.recipients_page(locale, "", 1)?),
            ],
            Some(kind) => {
                vec![whole(
                    feed_path(locale, kind),
                    feed(self.site, html, self.dated, (&query, &[]), kind)?.bytes,
                )]
            }
        })
    }

    /// Label of a facet value in a language.
    fn label(&self, facet: Facet, value: &str, locale: Locale) -> String {
        self.spoken_label(facet, value, locale).0
    }

    /// The label of a facet value, and its language if that is another one. A value without a label in the dataset
    /// gets the program's word for it, else a readable form of the value itself.
    fn spoken_label(&self, facet: Facet, value: &str, locale: Locale) -> (String, Option<&'static str>) {
        if admits_any_nationality(facet, value) {
            return (self.word(locale, "any_nationality").to_owned(), None);
        }
        let stated = self.stated_label(facet, value, locale);
        let own = facet.spec().is_place || !facet.fixed_values().is_empty();
        let foreign = !own && locale == Locale::Es && !self.is_translated(facet, value);
        if own || stated != value && !foreign {
            return (stated, None);
        }
        match self.word(locale, &format!("value_{value}")) {
            word if !word.is_empty() => (word.to_owned(), None),
            _ if stated == value => (readable(value), foreign.then_some("en")),
            _ => (stated, foreign.then_some("en")),
        }
    }

    /// Whether the dataset has a Spanish label for a value.
    fn is_translated(&self, facet: Facet, value: &str) -> bool {
        let label = |locale| self.stated_label(facet, value, locale);
        let of = |term: &&snapshot::record::Term| term.facet == facet.spec().name && term.value == value;
        let term = || self.directory.vocabulary.iter().find(of);
        label(Locale::En) != label(Locale::Es) || term().is_some_and(|term| term.label_es.is_some())
    }

    fn stated_label(&self, facet: Facet, value: &str, locale: Locale) -> String {
        match self.site.index.values.find(facet, value) {
            Some(ordinal) => self.site.rows.label(facet, &FacetValue::Value(ordinal), locale).to_owned(),
            None => place_label(facet, value, locale).unwrap_or(value).to_owned(),
        }
    }
}

/// A readable form of a value without a label: `cascade-funding` is `Cascade funding`.
fn readable(value: &str) -> String {
    let is_slug =
        value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_slug {
        return value.to_owned();
    }
    let words = value.replace('-', " ");
    let mut rest = words.chars();
    rest.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests;
