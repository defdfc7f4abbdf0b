//! Template variables of a recipient, and the entries of the list of recipients.

use std::cmp::Reverse;

use minijinja::{Value, context};
use snapshot::page::text::{escaped, grouped};
use snapshot::record::{Locale, RECIPIENT};

use super::ABOUT;
use super::award::AWARDS_RECEIVED;
use crate::pages::{Pages, here};

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

    /// The name and the list item of each recipient, those with most awards first.
    pub(in crate::pages) fn listed_recipients(&self, locale: Locale) -> Vec<[String; 2]> {
        let all = &self.directory.recipients;
        let count = |at: usize| self.directory.recipient_awards[at].len();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|at| (Reverse(count(*at)), &all[*at].display_name, all[*at].id));
        let listed = |at: usize| {
            let (it, of) = (&all[at], (all[at].entity(), self.default_language()));
            let name = self.directory.text(of.0, locale, "displayName", &it.display_name);
            let lang = self.foreign(of, locale, "displayName").map(|lang| format!(" lang=\"{lang}\""));
            let (lang, href) = (lang.unwrap_or_default(), here(&format!("/recipients/{}", it.slug), locale));
            let link = format!("<a href=\"{href}\"{lang} dir=\"auto\">{}</a>", escaped(name));
            let count = grouped(count(at) as u64, locale);
            [name.to_owned(), format!("<li>{link} <span class=\"dim\">{count}</span></li>\n")]
        };
        order.into_iter().map(listed).collect()
    }
}
