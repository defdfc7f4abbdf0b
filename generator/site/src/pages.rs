//! HTML pages in English and Spanish, feeds, and files for machines. A page is rendered from a template, the
//! words of a language and a view of some records; parts that depend on the day are placeholders.

mod docs;
mod linked;
mod prepared;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use html::calendar::calendar;
use html::feed::{Feed, feed, feed_path};
use html::templates::{Templates, here, prefix};
use html::view::DayText;
use html::{Filler, Html, PageOptions, Rule, search_address, search_page};
use jiff::civil::Date;
use minijinja::{Error, Value, context};
use snapshot::facet::{FACETS, Facet, FacetSpec, admits_any_nationality, place_label};
use snapshot::page::facet::options;
use snapshot::page::findings::Findings;
use snapshot::page::hole::{self, Filled, cut};
use snapshot::page::list::Numbers;
use snapshot::page::text::grouped;
use snapshot::page::{Dated, Site};
use snapshot::query::{FacetValue, List, Query};
use snapshot::record::{Directory, Locale, Organization};

use crate::downloads::Download;
use crate::files::{Family, File, Rendered, whole};
use crate::theme::{Theme, ThemeFile};

use docs::SINGLES;
use view::{AWARDS, AWARDS_RECEIVED, ProgramPage};

/// Maximum number of a facet's values on the page of all facets.
const BROWSE: usize = 12;

/// A page that every dataset has: where it is, its template, the locale keys of its title and of its description for search
/// engines, whether it shows records and so changes with the dataset, and its view.
type Fixed = (&'static str, &'static str, [&'static str; 2], bool, View);

/// Template variables of a page.
type View = fn(&Local<'_>) -> Value;

/// The view of a page that shows its words alone.
const NOTHING: View = |_| context! {};

/// Where the page for missing pages is.
const MISSING: &str = "/404";

/// The pages that every dataset has. The shortlist is stored in the browser.
static FIXED: [Fixed; 10] = [
    ("/", "home.html", ["site_tagline", "about_1"], true, |it| it.home()),
    ("/deadlines", "deadlines.html", ["deadlines_title", "deadlines_intro"], true, |it| it.deadlines_view(0)),
    ("/browse", "browse.html", ["browse_title", "browse_intro"], true, |it| it.browse_view()),
    ("/organizations", "list.html", ["organizations_title", "organizations_intro"], true, |it| {
        it.organizations_view()
    }),
    ("/shortlist", "shortlist.html", ["shortlist_title", "shortlist_intro"], false, NOTHING),
    ("/data", "data.html", ["data_title", "data_intro"], true, |it| it.data_view()),
    ("/docs/api", "api.html", ["api_title", "api_intro"], false, |it| it.api_view()),
    ("/docs/mcp", "mcp.html", ["mcp_title", "mcp_intro"], false, |it| it.mcp_view()),
    ("/about", "about.html", ["about_title", "about_1"], false, NOTHING),
    (MISSING, "error.html", ["error_title", "error_text"], false, NOTHING),
];

/// What is made once of each facet value, by its number.
type ByValue<T> = OnceLock<Vec<OnceLock<T>>>;

/// What pages of a site share.
#[derive(Default)]
pub struct PageCache {
    /// Links to searches for facet values, of each language.
    links: [ByValue<Value>; 2],
    /// The words of their English labels.
    words: ByValue<Arc<[String]>>,
    /// What tells programs of one name apart.
    namesakes: OnceLock<HashMap<usize, String>>,
}

/// The inputs of pages.
pub struct Pages<'a> {
    /// The records.
    pub directory: &'a Directory,
    /// What is read from the texts of each program.
    pub findings: &'a [Findings<'a>],
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

    fn default_language(&self) -> &'static str {
        self.directory.dataset.language().as_str()
    }

    /// The language of what there is once.
    pub(super) fn main_locale(&self) -> Locale {
        self.site.lists.about.only_locale.unwrap_or(Locale::En)
    }

    pub(super) fn local(&self, locale: Locale) -> Local<'_> {
        Local { pages: self, locale }
    }

    /// Each language of the site.
    fn locals(&self) -> impl Iterator<Item = Local<'_>> {
        self.locales().iter().map(|locale| self.local(*locale))
    }

    /// Finds the placeholders of a page and fills them for the day of the build.
    fn cut(&self, page: &str) -> Result<Filled, Error> {
        let Some(html) = self.html else { return Ok(cut(page.as_bytes(), hole::TEXT, self.dated)) };
        let filler = Filler::new(html, self.dated);
        let filled = cut(page.as_bytes(), hole::TEXT, &filler);
        filler.failed().map_or(Ok(filled), Err)
    }

    /// The page of a program, the same as Markdown, and its calendar.
    ///
    /// # Errors
    /// When a template fails.
    pub fn program(&self, program: usize, locale: Locale) -> Rendered {
        let it = self.local(locale).program(program);
        let path = format!("/programs/{}", it.it.slug);
        let page = it.page();
        let awards = (&it.links.awards[..], AWARDS, ["recipient", "project"]);
        let mut files = it.record_pages(("program.html", &path), &page, awards)?;
        let title = page.get_attr("name")?.get_attr("text")?.to_string();
        let twin = self.templates.page("program.md", locale, (&path, &title), page)?;
        files.push((format!("{}{path}.md", prefix(locale)), self.cut(&twin)?));
        // Who subscribed to it in an earlier season gets the next one.
        if it.deadlines().next().is_some() {
            let calendar = calendar(self.templates, locale, ("", None), [it.view()]);
            files.push(whole(format!("{}{path}.ics", prefix(locale)), calendar));
        }
        Ok(files)
    }

    /// The months with a deadline, starting with the month of the build's day.
    fn months(&self) -> Vec<Date> {
        let since = self.dated.day().date().map(Date::first_of_month);
        let months = self.directory.cycles.iter().filter_map(|cycle| cycle.deadline_on);
        let ahead = months.map(Date::first_of_month).filter(|month| Some(*month) >= since);
        ahead.collect::<BTreeSet<Date>>().into_iter().collect()
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

    /// What is made of a facet value.
    fn once<T: Clone>(&self, made: &ByValue<T>, of: (Facet, &str), make: impl FnOnce() -> T) -> T {
        let values = &self.site.index.values;
        let Some(number) = values.find(of.0, of.1) else { return make() };
        let made = made.get_or_init(|| (0..values.ordinals()).map(|_| OnceLock::new()).collect());
        made[number as usize].get_or_init(make).clone()
    }

    /// Some files, and a page in every language of the site.
    fn in_each_language(&self, mut files: Vec<File>, page: impl Fn(Local<'_>) -> Rendered) -> Rendered {
        self.locals().try_for_each(|it| page(it).map(|page| files.extend(page)))?;
        Ok(files)
    }

    /// One of each in every language of the site.
    fn each<T: Copy>(&self, of: impl IntoIterator<Item = T>) -> Vec<(T, Local<'_>)> {
        of.into_iter().flat_map(|of| self.locals().map(move |it| (of, it))).collect()
    }

    /// Every page and every file beside them, by family.
    pub(crate) fn families(&'a self) -> Vec<Family<'a>> {
        let directory = self.directory;
        // As a file, the rows of every program would be the export once more.
        let files = Feed::ALL.into_iter().filter(|feed| *feed != Feed::Rows);
        let feeds = self.each([None].into_iter().chain(files.map(Some)));
        let maps = self.sitemaps();
        let theme = self.theme.assets.iter().map(|(_, file)| file).chain(&self.theme.extras);
        let mut families = vec![
            Family::new("programs", (0..directory.programs.len()).collect(), move |&at| {
                self.in_each_language(self.rest_program(at), |it| self.program(at, it.locale))
            }),
            Family::new("organizations", (0..directory.organizations.len()).collect(), move |&at| {
                self.in_each_language(self.rest_organization(at), |it| it.organization(at))
            }),
            Family::new("recipients", (0..directory.recipients.len()).collect(), move |&at| {
                self.in_each_language(self.rest_recipient(at), |it| it.recipient(at))
            }),
            Family::new("facet pages", self.each(&FACETS), |(spec, it)| it.facet(spec)),
            Family::new("months", self.each(self.months()), |(month, it)| it.month(*month)),
            Family::new("site pages", self.each(&FIXED), |(page, it)| it.fixed(page)),
            Family::new("sitemap index", vec![maps.len()], |maps| {
                Ok(vec![("/sitemap.xml".to_owned(), self.part("sitemap.xml", context! { maps })?)])
            }),
            Family::new("sitemaps", (1..).zip(maps).collect(), |(number, listed)| {
                Ok(vec![(format!("/sitemap-{number}.xml"), self.sitemap(listed)?)])
            }),
            Family::new("site files", Vec::from_iter(&SINGLES), |(path, write)| {
                Ok(vec![((*path).to_owned(), write(self)?)])
            }),
            Family::new("theme files", theme.collect(), |file: &&ThemeFile| {
                Ok(vec![whole(file.path.clone(), file.bytes.clone())])
            }),
            Family::new("facets", Vec::from_iter(&FACETS), |spec| Ok(vec![self.rest_facet(spec)])),
            Family::new("lists", List::ALL.to_vec(), |of| Ok(vec![self.rest_list(*of)])),
        ];
        if let Some(html) = self.html {
            families.push(Family::new("search pages", feeds, |(feed, it)| it.searched(html, *feed)));
        }
        families.retain(|family| family.count > 0);
        families
    }
}

/// Pages in one of their languages.
#[derive(Clone, Copy)]
pub(crate) struct Local<'a> {
    pages: &'a Pages<'a>,
    locale: Locale,
}

impl<'a> Deref for Local<'a> {
    type Target = Pages<'a>;

    fn deref(&self) -> &Pages<'a> {
        self.pages
    }
}

impl<'a> Local<'a> {
    pub(crate) fn word(&self, key: &str) -> &'a str {
        self.pages.templates.word(self.locale, key)
    }

    /// A phrase with each `{name}` replaced.
    fn phrase(&self, key: &str, values: &[(&str, &str)]) -> String {
        self.templates.phrase(self.locale, key, values)
    }

    fn number(&self, number: usize) -> String {
        grouped(number as u64, self.locale)
    }

    fn day(&self, date: Date) -> DayText {
        self.templates.day(date, self.locale)
    }

    fn here(&self, path: &str) -> String {
        here(path, self.locale)
    }

    /// The address of a page with that of the site.
    fn address(&self, path: &str) -> String {
        format!("{}{}", self.base_url(), self.here(path))
    }

    /// The address of a search.
    fn search(&self, pairs: &[(&str, &str)]) -> String {
        search_address(self.locale, "", pairs)
    }

    /// A placeholder.
    fn hole(&self, rule: Rule, number: u32) -> Value {
        Value::from_safe_string(rule.mark(number as usize, self.locale))
    }

    /// A page at an address in English, with its title.
    fn page(&self, template: &str, (path, title): (&str, &str), view: Value) -> Rendered {
        let page = self.templates.page(template, self.locale, (path, title), view)?;
        Ok(vec![(file(path, self.locale), self.cut(&page)?)])
    }

    /// The page of an organization.
    fn organization(&self, organization: usize) -> Rendered {
        let path = format!("/organizations/{}", self.directory.organizations[organization].slug);
        let awards = &self.directory.organization_links[organization].awards;
        let awards = (&awards[..], AWARDS, ["program", "recipient"]);
        self.record_pages(("organization.html", &path), &self.organization_view(organization), awards)
    }

    /// The page of a recipient.
    fn recipient(&self, recipient: usize) -> Rendered {
        let path = format!("/recipients/{}", self.directory.recipients[recipient].slug);
        let awards = &self.directory.recipient_awards[recipient];
        let awards = (&awards[..], AWARDS_RECEIVED, ["program", "project"]);
        self.record_pages(("recipient.html", &path), &self.recipient_view(recipient), awards)
    }

    /// The page of a record, and those with all of its awards where it shows only the latest.
    fn record_pages(
        &self,
        (template, path): (&str, &str),
        view: &Value,
        (awards, most, columns): (&[usize], usize, [&'static str; 2]),
    ) -> Rendered {
        let name = view.get_attr("name")?;
        let title = name.get_attr("text")?.to_string();
        let mut files = self.page(template, (path, &title), view.clone())?;
        let all = if awards.len() > most { awards } else { &[] };
        for (path, number, rest) in self.award_pages(path, all) {
            let title = format!("{}: {title} {number}", self.word("org_awards"));
            let view = context! { columns, number, name => &name, ..rest };
            files.extend(self.page("awards.html", (&path, title.trim_end()), view)?);
        }
        Ok(files)
    }

    /// All values of a facet.
    fn facet(&self, spec: &FacetSpec) -> Rendered {
        let title = self.word(&format!("facet_{}", spec.name));
        let description = format!("{title}. {}", self.word("facet_intro"));
        let view = context! { items => self.values(spec, usize::MAX).0, description };
        self.page("facet.html", (&format!("/facets/{}", spec.name), title), view)
    }

    /// A page that every dataset has.
    fn fixed(&self, &(path, template, [title, description], _, view): &Fixed) -> Rendered {
        // The language link of the page for missing pages leads to the home page.
        let shown = if path == MISSING { "/" } else { path };
        let view = context! { description => self.word(description), ..view(self) };
        let page = self.templates.page(template, self.locale, (shown, self.word(title)), view)?;
        // Static hosts serve these two from the root.
        let is_root = matches!(path, "/" | MISSING) && self.main_locale() != Locale::En;
        let locales = [self.locale, Locale::En].into_iter().take(1 + usize::from(is_root));
        locales.map(|locale| Ok((file(path, locale), self.cut(&page)?))).collect()
    }

    /// The deadlines of a month.
    fn month(&self, month: Date) -> Rendered {
        let name = self.templates.month(month, self.locale);
        let title = format!("{}: {name}", self.word("deadlines_title"));
        let description = format!("{title}. {}", self.word("deadlines_intro"));
        let view = context! { description, ..self.deadlines_view(html::month_number(month)) };
        self.page("deadlines.html", (&html::month_path(Locale::En, month), &title), view)
    }

    /// The deadlines of a month by its number, or the next ones for 0.
    fn deadlines_view(&self, month: u32) -> Value {
        context! {
            deadlines => self.hole(Rule::Deadlines, month),
            today => self.hole(Rule::Day, 0),
            month => month > 0,
        }
    }

    fn browse_view(&self) -> Value {
        let groups = FACETS.iter().filter_map(|spec| self.browse(spec));
        context! { groups => groups.collect::<Vec<_>>(), has_recipients => self.has_recipients() }
    }

    fn home(&self) -> Value {
        let [programs, organizations] = [self.directory.programs.len(), self.directory.organizations.len()]
            .map(|count| self.number(count));
        context! {
            totals => self.phrase("home_programs", &[("n", &programs), ("m", &organizations)]),
            open_count => self.hole(Rule::OpenCount, 0),
            entry => self.hole(Rule::Entry, 0),
            closing => self.hole(Rule::Closing, 0),
            opened => self.hole(Rule::Opened, 0),
            months => self.hole(Rule::Months, 0),
            today => self.hole(Rule::Day, 0),
            has_recipients => self.has_recipients(),
        }
    }

    fn has_recipients(&self) -> bool {
        !self.directory.recipients.is_empty()
    }

    /// The most frequent values of a facet, and the number of values. Statuses and their counts change with the
    /// day: all are listed, without a count.
    fn values(&self, spec: &FacetSpec, most: usize) -> (Vec<Value>, usize) {
        let find = |state: &&str| self.site.index.values.find(spec.facet, state).map(FacetValue::Value);
        let all: Vec<(FacetValue, Option<u32>)> = if spec.is_daily {
            spec.facet.fixed_values().iter().filter_map(find).map(|pick| (pick, None)).collect()
        } else {
            let counted = options(self.site, self.dated, spec.facet, "", self.locale).into_iter();
            counted.map(|(pick, count)| (pick, Some(count))).collect()
        };
        let item = |(pick, count): &(FacetValue, Option<u32>)| {
            let value = self.site.index.value_text(pick);
            let (text, lang) = self.spoken_label(spec.facet, value);
            let count = count.map(|count| self.number(count as usize));
            context! { href => self.search(&[(spec.parameter, value)]), text, lang, count }
        };
        (all.iter().take(most).map(item).collect(), all.len())
    }

    /// The most frequent values of a facet; `None` if there are none.
    fn browse(&self, spec: &FacetSpec) -> Option<Value> {
        let (items, all) = self.values(spec, BROWSE);
        (!items.is_empty()).then(|| {
            context! {
                items,
                more => all > BROWSE,
                name => self.word(&format!("facet_{}", spec.name)),
                href => self.here(&format!("/facets/{}", spec.name)),
            }
        })
    }

    /// The search page and the list of recipients, or a feed, for an empty query.
    fn searched(&self, html: &Html, as_feed: Option<Feed>) -> Rendered {
        let locale = self.locale;
        let (query, extras) = (Query { locale, ..Query::default() }, PageOptions::default());
        Ok(match as_feed {
            None => {
                let search = search_page(self.site, html, self.dated, (&query, &extras), &[])?;
                let recipients = html.recipients_page(locale, ("", 1, &[]))?;
                vec![whole(file("/programs", locale), search), whole(file("/recipients", locale), recipients)]
            }
            Some(kind) => {
                let feed = feed(self.site, html, self.dated, (&query, &extras, &[]), kind)?;
                vec![whole(feed_path(locale, kind), feed.bytes)]
            }
        })
    }

    /// Label of a facet value.
    fn label(&self, facet: Facet, value: &str) -> String {
        self.spoken_label(facet, value).0
    }

    /// The label of a facet value, and its language if that is another one. A value without a label in the dataset
    /// gets the program's word for it, else a readable form of the value itself.
    fn spoken_label(&self, facet: Facet, value: &str) -> (String, Option<&'static str>) {
        if admits_any_nationality(facet, value) {
            return (self.word("any_nationality").to_owned(), None);
        }
        let stated = self.stated_label(facet, value, self.locale);
        let own = facet.spec().is_place || !facet.fixed_values().is_empty();
        let foreign = !own && self.locale == Locale::Es && !self.is_translated(facet, value);
        if own || stated != value && !foreign {
            return (stated, None);
        }
        match self.word(&format!("value_{value}")) {
            word if !word.is_empty() => (word.to_owned(), None),
            _ if stated == value => (readable(value), foreign.then_some("en")),
            _ => (stated, foreign.then_some("en")),
        }
    }
}

/// A readable form of a value without a label: `cascade-funding` is `Cascade funding`.
fn readable(value: &str) -> String {
    let is_slug = value.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    if !is_slug {
        return value.to_owned();
    }
    let words = value.replace('-', " ");
    let mut rest = words.chars();
    rest.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests;
