//! The search page: the view of one query, which the template `search.html` shows.

mod chips;
mod display_query;
mod facets;
mod notes;
mod options;
mod results;

use std::cell::RefCell;

use form_urlencoded::byte_serialize;
use minijinja::{Error, Value, context};
use rustc_hash::FxHashMap;
use snapshot::page::{Dated, Site};
use snapshot::query::{PARAMETERS, ParameterKind, Query};
use snapshot::record::Locale;
use snapshot::search::{RankOptions, RankedPage};
use snapshot::time::Day;

pub(crate) use self::display_query::DisplayQuery;
pub use self::options::PageOptions;
use crate::index::Html;
use crate::status::Words;
use crate::templates::here;

/// Maximum number of values shown for a facet; selected values are always shown.
const VALUES_MAX: usize = 6;

/// The state that has a quick filter of its own.
const CLOSING_SOON: &str = "closing_soon";

/// Path of the search page in a language.
pub fn search_path(locale: Locale) -> String {
    here("/programs", locale)
}

/// A query and its results.
struct Search<'a> {
    site: &'a Site,
    html: &'a Html,
    dated: &'a Dated,
    query: &'a Query,
    extras: &'a PageOptions,
    words: Words<'a>,
    /// How it is ranked.
    options: RankOptions<'a>,
    invalid: &'a [String],
    answer: RankedPage,
    /// The query in words.
    display: DisplayQuery<'a>,
    /// Path and query string of the page.
    address: String,
    /// Words of the query as it spells them: most rows of a page lack the same.
    spelled: RefCell<FxHashMap<String, String>>,
}

/// The search page for a query, in the query's language.
///
/// # Errors
///
/// If a template fails.
pub fn search_page(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras): (&Query, &PageOptions),
    invalid: &[String],
) -> Result<Vec<u8>, Error> {
    let query_string = extras.query_string(site, query);
    let words = html.words(query.locale);
    let display = DisplayQuery::new(site, html, words, &query_string);
    let options = RankOptions {
        by_relevance: extras.by_relevance(query),
        open_first: true,
        literal: &extras.plain,
        with_unstated: true,
        partial_unless_named: !extras.with_near,
        loosen: true,
        shown_values: VALUES_MAX,
        ..RankOptions::default()
    };
    let answer = site.index.ranked(query, &dated.today, options);
    let search = Search {
        site,
        html,
        dated,
        query,
        extras,
        words,
        options,
        invalid,
        answer,
        address: display.address(&search_path(query.locale), None, None),
        spelled: RefCell::default(),
        display,
    };
    let title = words.word("search_title");
    let page = html.templates.page("search.html", query.locale, ("/programs", title), search.view())?;
    Ok(page.into_bytes())
}

/// Price of rendering a page of results, in units of the search: 0.7 ms.
const PAGE_UNITS: u64 = 420_000;

/// Price of a page of results: its search, and rendering.
pub fn page_units(site: &Site, query: &Query) -> u64 {
    site.index.ranked_cost(query) + PAGE_UNITS
}

impl Html {
    /// Renders the search page of each language once, so that templates that fail are found when they are opened.
    ///
    /// # Errors
    ///
    /// If a template fails.
    pub fn try_out(&self, site: &Site, day: Day) -> Result<(), Error> {
        let dated = site.dated(day);
        Locale::ALL.iter().try_for_each(|locale| {
            let (query, extras) = (Query { locale: *locale, ..Query::default() }, PageOptions::default());
            search_page(site, self, &dated, (&query, &extras), &[]).map(drop)
        })
    }
}

impl Search<'_> {
    /// The variables of the template.
    fn view(&self) -> Value {
        let question = &self.address[search_path(self.query.locale).len()..];
        let is_text = |at: &usize| self.display.pairs.get(*at).is_some_and(|(name, _)| name == "q");
        let soon =
            self.display.pairs.iter().any(|(name, value)| name == "openState" && value == CLOSING_SOON);
        let Query { open, rolling, funded, deadline_from, deadline_to, .. } = *self.query;
        let has_dates = deadline_from.or(deadline_to).is_some();
        context! {
            // The query string of the page, `?…` or empty, and the same percent-encoded for the value of a parameter.
            question,
            encoded => byte_serialize(question.as_bytes()).collect::<String>(),
            // The query in words, for the page title.
            heading => self.title(),
            description => self.words.word("home_what"),
            count => self.count(),
            open => self.open(),
            text => self.value("q"),
            // Whether quick filters are on.
            on => context! { open, soon, rolling, funded },
            // The number of applied filters.
            applied => self.display.filters().filter(|at| !is_text(at)).count(),
            organizations => self.organizations(),
            order => self.order(),
            fields => self.fields(),
            // Whether the query limits numbers or dates.
            is_bounded => has_dates || self.query.measures.iter().any(Option::is_some),
            // Number of programs by the most that one award pays.
            sums => &self.html.language(self.query.locale).sums,
            groups => self.groups(),
            invalid => self.invalid(),
            notes => self.notes(),
            chips => self.chips(),
            understood => self.understood(),
            results => self.results(),
            pages => self.pages(),
        }
    }

    /// The value of a parameter.
    fn value(&self, parameter: &str) -> &str {
        let value = self.display.pairs.iter().find(|(name, _)| name == parameter);
        value.map_or("", |(_, value)| value)
    }

    /// The organizations in the query: the name of each if that is unique, else its slug; then an empty field for one more.
    fn organizations(&self) -> Vec<String> {
        let all = &self.site.index.organizations;
        let name = |slug: &String| {
            let number = all.named(slug);
            let name = number.map(|number| all.name(number, self.query.locale));
            name.filter(|name| all.named(name) == number).unwrap_or(slug).to_owned()
        };
        let mut names: Vec<String> = self.query.organizations.iter().map(name).collect();
        // Keep unknown names in fields, so that the reader can correct them.
        names.extend(self.unknown_organizations().map(str::to_owned));
        names.push(String::new());
        names
    }

    /// The fields of the form that take a number or a date.
    fn fields(&self) -> Vec<Value> {
        // Programs ask for what changed: the form keeps it, and does not offer it.
        let is_kept = |name: &str| !self.value(name).is_empty();
        let place = |kind: ParameterKind, name: &str| match kind {
            ParameterKind::Least(measure) | ParameterKind::Most(measure) => {
                Some((measure.spec().search_page_rank, "number"))
            }
            ParameterKind::DeadlineFrom | ParameterKind::DeadlineTo => Some((1, "date")),
            ParameterKind::UpdatedFrom | ParameterKind::UpdatedTo => {
                is_kept(name).then_some((u8::MAX, "date"))
            }
            _ => None,
        };
        let placed = PARAMETERS
            .iter()
            .filter_map(|it| place(it.kind, it.name).map(|(at, input)| (at, it.name, input)));
        let mut fields: Vec<_> = placed.collect();
        fields.sort_by_key(|(at, ..)| *at);
        let field = |(_, name, input): (u8, &str, &str)| {
            let text = self.words.word(&format!("param_{name}"));
            context! { name, type => input, text, value => self.value(name) }
        };
        fields.into_iter().map(field).collect()
    }

    /// `climate · Grant · Open now: 12 opportunities`; the title of the search for an empty query.
    fn title(&self) -> String {
        match self.display.name() {
            name if name.is_empty() => self.words.word("search_title").to_owned(),
            name => format!("{name}: {}", self.count()),
        }
    }

    /// The address of the first page of a query.
    fn first_page(&self, query: Query, more: &[(&str, &str)]) -> String {
        let query = Query { page: Query::default().page, ..query };
        let query_string = self.extras.query_string(self.site, &query);
        search_address(self.query.locale, &query_string, more)
    }
}

/// The address of the search page for a query string and some more pairs.
pub fn search_address(locale: Locale, query_string: &str, more: &[(&str, &str)]) -> String {
    let mut pairs = form_urlencoded::Serializer::new(query_string.to_owned());
    let all = pairs.extend_pairs(more).finish();
    let mark = if all.is_empty() { "" } else { "?" };
    format!("{}{mark}{all}", search_path(locale))
}
