//! The list of recipients: those with most awards first, or those whose names have all words of a text.

use snapshot::page::text::{escaped, grouped, push_escaped};
use snapshot::query::Page;
use snapshot::record::Locale;
use snapshot::text::words_of;

use crate::fragments::{Html, push};
use crate::messages::Message;
use crate::slot::Slot;

/// Path of the list in a language.
pub(crate) fn recipients_path(locale: Locale) -> &'static str {
    if locale == Locale::Es { "/es/recipients" } else { "/recipients" }
}

/// Number of recipients on a page.
const A_PAGE: u64 = 100;

impl Html {
    /// A page of the recipients for a text, which may be empty.
    pub fn recipients_page(&self, locale: Locale, text: &str, page: u64) -> Vec<u8> {
        let (language, words) = (self.language(locale), words_of(text));
        let has_all = |at: &usize| words.iter().all(|word| self.recipients.text(*at).contains(word.as_str()));
        let found: Vec<usize> = (0..self.recipients.count()).filter(has_all).collect();
        let path = recipients_path(locale);
        let address = |page| format!("{path}{}", question(text, page));
        language.list.page(|slot, out| match Slot::of(slot) {
            Some(Slot::Question) => push(out, question(text, page)),
            Some(Slot::Count) => {
                let word = if found.len() == 1 { Message::RecipientsOne } else { Message::RecipientsOther };
                push(out, language.phrase(word, &[("n", &grouped(found.len() as u64, locale))]));
            }
            Some(Slot::Rows) => {
                let shown = Page { offset: (page - 1) * A_PAGE, limit: A_PAGE }.range(found.len());
                found[shown].iter().for_each(|at| out.extend_from_slice(language.recipients.bytes(*at)));
            }
            Some(Slot::Pages) => {
                language.page_links((page, (found.len() as u64).div_ceil(A_PAGE)), address, out);
            }
            Some(_) => {}
            // The only field is that of the text.
            None => push_escaped(out, text),
        })
    }
}

/// The query string of a page, escaped: `?…`, or empty.
fn question(text: &str, page: u64) -> String {
    let page = (page > 1).then(|| page.to_string());
    let pairs = [("q", Some(text).filter(|text| !text.is_empty())), ("page", page.as_deref())];
    let stated = pairs.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let pairs = escaped(&form_urlencoded::Serializer::new(String::new()).extend_pairs(stated).finish());
    if pairs.is_empty() { pairs } else { format!("?{pairs}") }
}
