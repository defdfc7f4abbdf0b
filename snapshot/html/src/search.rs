//! The search page: its template joined with the rows, facets, chips and page links of one query.

mod chips;
mod display_query;
mod extras;
mod facets;
mod places;
mod results;
mod suggestions;

pub(super) use self::display_query::DisplayQuery;
use self::extras::ALL;
pub use self::extras::PageOptions;
use crate::fragments::{Html, Language, push};
use crate::highlight::Highlighter;
use crate::slot::Slot;
use crate::status::plain;
use form_urlencoded::byte_serialize;
use snapshot::page::text::{escaped, push_escaped};
use snapshot::page::{Dated, Site};
use snapshot::query::{PARAMETERS, Query};
use snapshot::record::Locale;
use snapshot::search::{RankOptions, RankedPage};

/// Maximum number of values shown for a facet; selected values are always shown.
const VALUES_MAX: usize = 6;

/// The state that has a quick filter of its own.
const CLOSING_SOON: &str = "closing_soon";

/// Path of the search page in a language.
pub const fn search_path(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "/programs",
        Locale::Es => "/es/programs",
    }
}

/// A query and its results while the page is written.
struct Splice<'a> {
    site: &'a Site,
    html: &'a Html,
    language: &'a Language,
    dated: &'a Dated,
    query: &'a Query,
    extras: &'a PageOptions,
    /// How it is ranked, limited to the documents of the organization in the query.
    options: RankOptions<'a>,
    invalid: &'a [String],
    answer: RankedPage,
    /// Number of full matches that a search for what is open finds, and whose openness nothing recent confirms.
    doubtful: usize,
    /// Marks the matching words, if there are any.
    highlighter: Option<Highlighter>,
    /// The query in words.
    display: DisplayQuery<'a>,
    /// Path and query string of the page, for attributes.
    address: String,
}

/// The search page for a query, in the query's language.
pub fn search_page(
    site: &Site,
    html: &Html,
    dated: &Dated,
    (query, extras): (&Query, &PageOptions),
    invalid: &[String],
) -> Vec<u8> {
    let query_string = extras.query_string(site, html, query);
    let language = html.language(query.locale);
    let display = DisplayQuery::new(site, html, language, &query_string);
    let among = extras.among(html);
    let options = RankOptions {
        by_relevance: extras.by_relevance(query),
        literal: &extras.plain,
        with_unstated: extras.with_unstated,
        complete_last_word: true,
        partial_unless_named: !extras.with_near,
        shown_values: VALUES_MAX,
        among: among.as_ref(),
        ..RankOptions::default()
    };
    let answer = site.index.ranked(query, &dated.today, options);
    let splice = Splice {
        site,
        html,
        language,
        dated,
        query,
        extras,
        options,
        invalid,
        highlighter: Highlighter::new(&site.index, options.literal, &answer),
        doubtful: answer.unconfirmed(query),
        answer,
        address: display.address(search_path(query.locale), None, None),
        display,
    };
    language.search.page(|slot, out| splice.slot(slot, out))
}

impl Splice<'_> {
    fn slot(&self, number: u32, out: &mut Vec<u8>) {
        let checked = |on: bool| if on { " checked" } else { "" };
        let has =
            |name: &str, value: &str| self.display.pairs.iter().any(|pair| pair.0 == name && pair.1 == value);
        if let Some(parameter) = PARAMETERS.get(number as usize) {
            let value = self.display.pairs.iter().find(|(name, _)| name == parameter.name);
            push_escaped(out, value.map_or("", |(_, value)| value));
        }
        let Some(slot) = Slot::of(number) else { return };
        match slot {
            Slot::Question => out.extend_from_slice(self.question().as_bytes()),
            Slot::Encoded => {
                let question = self.question().replace("&amp;", "&");
                byte_serialize(question.as_bytes()).for_each(|part| out.extend_from_slice(part.as_bytes()));
            }
            Slot::Count => push(out, self.count()),
            Slot::Invalid => {
                self.invalid(out);
                self.word_notes(out);
            }
            Slot::Chips => self.chips(out),
            Slot::Rows => self.rows(out),
            Slot::Pages => self.pages(out),
            Slot::Facets => self.facets(out),
            Slot::Sort => self.sort(out),
            Slot::Open => push(out, checked(self.query.open)),
            Slot::Funded => push(out, checked(self.query.funded)),
            Slot::Rolling => push(out, checked(self.query.rolling)),
            Slot::Soon => push(out, checked(has("openState", CLOSING_SOON))),
            Slot::Applied => {
                let is_text = |at: &usize| self.display.pairs.get(*at).is_some_and(|(name, _)| name == "q");
                let count = self.display.filters().filter(|at| !is_text(at)).count();
                push(out, if count > 0 { format!(" ({count})") } else { String::new() });
            }
            Slot::Organization => push(out, self.organization()),
            Slot::Title => push(out, self.title()),
            Slot::Bounds => push(out, if self.is_bounded() { " open" } else { "" }),
        }
    }

    /// The value of the organization field: its name if that is unique, else its slug.
    fn organization(&self) -> String {
        let Some(number) = self.extras.organization else {
            // Keep an unknown name in the field, so that the reader can correct it.
            return escaped(self.unknown_organization().unwrap_or_default());
        };
        let organizations = &self.html.organizations;
        let name = organizations.name(number, self.query.locale);
        let is_unique = organizations.find(&plain(name)) == Some(number);
        let value = if is_unique { name } else { organizations.slug(number) };
        value.to_owned()
    }

    /// Whether the query limits numbers or dates.
    fn is_bounded(&self) -> bool {
        let query = self.query;
        let dates = query.deadline_from.or(query.deadline_to).is_some();
        dates || query.measures.iter().any(Option::is_some)
    }

    /// The query string of the page, for an attribute.
    fn question(&self) -> &str {
        &self.address[search_path(self.query.locale).len()..]
    }
}
