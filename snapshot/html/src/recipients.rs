//! The list of recipients: those with most awards first, or those whose names have all words of a text.

use minijinja::{Error, Value, context};
use snapshot::page::text::grouped;
use snapshot::query::Page;
use snapshot::record::Locale;
use snapshot::text::words_of;

use crate::index::Html;
use crate::templates::here;
use crate::view::{Link, page_links, variables};

/// Path of the list in English.
const PATH: &str = "/recipients";

/// Number of recipients on a page.
const A_PAGE: u64 = 100;

impl Html {
    /// A page of the recipients for a text, which may be empty, and what was left out of the query.
    ///
    /// # Errors
    ///
    /// If a template fails.
    pub fn recipients_page(&self, locale: Locale, of: (&str, u64, &[String])) -> Result<Vec<u8>, Error> {
        let (text, page, invalid) = of;
        let (language, words) = (self.language(locale), words_of(text));
        let has_all = |at: &usize| words.iter().all(|word| self.recipients.text(*at).contains(word.as_str()));
        let found: Vec<usize> = (0..self.recipients.count()).filter(has_all).collect();
        let shown = Page { offset: (page - 1) * A_PAGE, limit: A_PAGE }.range(found.len());
        let item = |at: &usize| {
            let (link, count): (Link, u64) = serde_json::from_slice(language.recipients.get(*at)).ok()?;
            Some(context! { link => variables(&link), count => grouped(count, locale) })
        };
        let key = if found.len() == 1 { "recipients_one" } else { "recipients_other" };
        let path = here(PATH, locale);
        let pages = (page, (found.len() as u64).div_ceil(A_PAGE));
        let view = context! {
            text,
            invalid => variables(&invalid),
            question => question(text, page),
            count => self.templates.phrase(locale, key, &[("n", &grouped(found.len() as u64, locale))]),
            items => found[shown].iter().filter_map(item).collect::<Vec<Value>>(),
            pages => page_links(pages, |page| format!("{path}{}", question(text, page))),
        };
        let title = self.templates.word(locale, "recipients_title");
        self.templates.page("recipients.html", locale, (PATH, title), view).map(String::into_bytes)
    }
}

/// A link to the recipients whose names have a word.
pub(crate) fn named(word: &str, locale: Locale) -> String {
    here(PATH, locale) + &question(word, 1)
}

/// The query string of a page: `?…`, or empty.
fn question(text: &str, page: u64) -> String {
    let page = (page > 1).then(|| page.to_string());
    let pairs = [("q", Some(text).filter(|text| !text.is_empty())), ("page", page.as_deref())];
    let stated = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let pairs = form_urlencoded::Serializer::new(String::new()).extend_pairs(stated).finish();
    if pairs.is_empty() { pairs } else { format!("?{pairs}") }
}
