//! Template variables of awards, the same table on the pages of programs, organizations and recipients; of a recipient, and
//! the entries of the list of recipients.

use std::cmp::Reverse;

use html::templates::here;
use html::view::Link;
use minijinja::{Value, context};
use snapshot::page::money::paid;
use snapshot::page::text::grouped;
use snapshot::record::{Locale, Number, RECIPIENT};
use snapshot::truncate::at_word;

use super::ABOUT;
use crate::pages::Pages;

/// Maximum number of awards on the page of a program or an organization, and on that of a recipient.
pub(in crate::pages) const AWARDS: usize = 10;
pub(in crate::pages) const AWARDS_RECEIVED: usize = 40;
/// Maximum length of the title of a funded project, in characters.
const PROJECT: usize = 100;
/// Maximum length of an amount in the words of its source, in characters.
const STATED: usize = 60;
/// Number of awards on each of the pages that have all of a record.
const AWARDS_A_PAGE: usize = 50;

/// Minimum, median and maximum of some amounts; of an even number, the lower median.
fn spread(mut amounts: Vec<Number>) -> Option<[Number; 3]> {
    amounts.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some([*amounts.first()?, amounts[(amounts.len() - 1) / 2], *amounts.last()?])
}

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

    /// What several awards with an amount paid: the least, the median and the most.
    pub(super) fn paid(&self, awards: &[usize], locale: Locale) -> Option<String> {
        let amounts = awards.iter().filter_map(|award| self.directory.awards[*award].award_amount_usd);
        let amounts: Vec<Number> = amounts.collect();
        let spread = spread(amounts).filter(|[least, _, most]| least.0 < most.0)?;
        let [min, median, max] = spread.map(|amount| self.money(amount, locale));
        Some(self.phrase(locale, "awards_spread", &[("min", &min), ("median", &median), ("max", &max)]))
    }

    /// `The latest 12 of 34`, where not all are shown.
    pub(super) fn shown(&self, all: &[usize], most: usize, locale: Locale) -> Option<String> {
        let (n, m) = (most.to_string(), grouped(all.len() as u64, locale));
        (all.len() > most).then(|| self.phrase(locale, "program_awards_shown", &[("n", &n), ("m", &m)]))
    }

    /// Pages with these awards of a record: path, `Page 2 of 3` if there are several, and template variables.
    pub(in crate::pages) fn award_pages(
        &self,
        record: &str,
        awards: &[usize],
        locale: Locale,
    ) -> Vec<(String, String, Value)> {
        let pages = awards.len().div_ceil(AWARDS_A_PAGE);
        let path = |page: usize| match page {
            1 => format!("{record}/awards"),
            _ => format!("{record}/awards/{page}"),
        };
        let view = |(page, some): (usize, &[usize])| {
            let numbers = [("n", &*page.to_string()), ("m", &*pages.to_string())];
            let number = if pages > 1 { self.phrase(locale, "page_of", &numbers) } else { String::new() };
            let link = |page| here(&path(page), locale);
            let view = context! {
                record => here(record, locale),
                count => self.phrase(locale, "awards_other", &[("n", &grouped(awards.len() as u64, locale))]),
                awards => self.awards(some, AWARDS_A_PAGE, locale),
                previous => (page > 1).then(|| link(page - 1)),
                next => (page < pages).then(|| link(page + 1)),
            };
            (path(page), number, view)
        };
        (1..).zip(awards.chunks(AWARDS_A_PAGE)).map(view).collect()
    }

    pub(super) fn awards(&self, awards: &[usize], most: usize, locale: Locale) -> Vec<Value> {
        let view = |award: &usize| {
            let it = &self.directory.awards[*award];
            let links = self.directory.award_links[*award];
            let recipient = &self.directory.recipients[links.recipient];
            let program = &self.directory.programs[links.program];
            context! {
                year => it.award_year,
                href => here(&format!("/recipients/{}", recipient.slug), locale),
                name => self.directory.text(recipient.entity(), locale, "displayName", &recipient.display_name),
                program_href => here(&format!("/programs/{}", program.slug), locale),
                program => self.directory.text(program.entity(), locale, "name", &program.name),
                project => self.directory.optional_text(it.entity(), locale, "projectTitle", it.project_title.as_deref()).map(|text| at_word(text, PROJECT)),
                amount => it.award_amount_usd.map(|amount| self.money(amount, locale)).or_else(|| {
                    paid(it.public_notes.as_deref()?).map(|text| at_word(text, STATED).into_owned())
                }),
            }
        };
        awards.iter().take(most).map(view).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_one_of_the_amounts() {
        let of = |amounts: &[f64]| {
            spread(amounts.iter().map(|it| Number(*it)).collect()).map(|it| it.map(|it| it.0))
        };
        assert_eq!(of(&[5.0, 1.0, 3.0]), Some([1.0, 3.0, 5.0]));
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Some([1.0, 2.0, 4.0]));
        assert_eq!(of(&[]), None);
    }
}
