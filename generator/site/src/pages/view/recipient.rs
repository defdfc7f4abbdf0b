//! Template variables of a recipient, and the entries of the list of recipients.

use std::cmp::Reverse;

use html::templates::here;
use html::view::Link;
use minijinja::{Value, context};
use snapshot::record::{Locale, RECIPIENT};

use super::ABOUT;
use super::award::AWARDS_RECEIVED;
use crate::pages::Pages;

impl Pages<'_> {
    /// Everything about a recipient.
    pub(in crate::pages) fn recipient_view(&self, recipient: usize, locale: Locale) -> Value {
        let it = &self.directory.recipients[recipient];
        let awards = &self.directory.recipient_awards[recipient];
        let about = (it.entity(), self.default_language());
        context! {
            name => self.text(about, locale, "displayName", &it.display_name),
            about => self.lines(about, locale, ("biography", it.biography.as_deref()), (None, ABOUT)),
            kind => self.word(locale, &format!("recipient_kind_{}", it.kind.as_str())),
            country => self.country(it.country_code.as_deref(), locale),
            record => self.record(RECIPIENT, it, about, locale),
            awards => self.awards(awards, AWARDS_RECEIVED, locale),
            awards_shown => self.shown(awards, AWARDS_RECEIVED, locale),
            json => format!("/api/v1/recipients/{}", it.slug),
            json_ld => self.recipient_json_ld(recipient, locale),
        }
    }

    /// A link to each recipient and the number of its awards, those with most awards first.
    pub(in crate::pages) fn listed_recipients(&self, locale: Locale) -> Vec<(Link, usize)> {
        let all = &self.directory.recipients;
        let count = |at: usize| self.directory.recipient_awards[at].len();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|at| (Reverse(count(*at)), &all[*at].display_name, all[*at].id));
        let listed = |at: usize| {
            let (it, of) = (&all[at], (all[at].entity(), self.default_language()));
            let text = self.directory.text(of.0, locale, "displayName", &it.display_name).to_owned();
            let href = here(&format!("/recipients/{}", it.slug), locale);
            (Link { href, text, lang: self.foreign(of, locale, "displayName") }, count(at))
        };
        order.into_iter().map(listed).collect()
    }
}
