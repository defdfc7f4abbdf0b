//! Template variables of a recipient, and of the list of recipients.

use std::cmp::Reverse;

use minijinja::{Value, context};
use snapshot::page::text::grouped;
use snapshot::record::{Locale, RECIPIENT};

use super::award::AWARDS_RECEIVED;
use super::{ABOUT, LISTED};
use crate::pages::{Pages, here};
use dataset::Table;

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
            years_of => self.years(awards, locale),
            awards_shown => self.shown(awards, AWARDS_RECEIVED, locale),
            json => format!("/api/v1/recipients/{}", it.slug),
            json_ld => self.recipient_json_ld(recipient, locale),
        }
    }

    /// The recipients with the most awards.
    pub(in crate::pages) fn recipients_view(&self, locale: Locale) -> Value {
        let all = &self.directory.recipients;
        let count = |at: usize| self.directory.recipient_awards[at].len();
        let mut most: Vec<usize> = (0..all.len()).collect();
        most.sort_by_key(|at| (Reverse(count(*at)), &all[*at].display_name, all[*at].id));
        most.truncate(LISTED);
        let item = |at: &usize| {
            let (it, about) = (&all[*at], (all[*at].entity(), self.default_language()));
            context! {
                href => here(&format!("/recipients/{}", it.slug), locale),
                name => self.text(about, locale, "displayName", &it.display_name),
                count => grouped(count(*at) as u64, locale),
            }
        };
        let items: Vec<Value> = most.iter().map(item).collect();
        self.list(items, all.len(), ("recipients_intro", Table::Recipients), locale)
    }
}
