//! What templates are given about awards: the same table on the pages of programs, organizations and
//! recipients.

use minijinja::{Value, context};
use snapshot::brief::cut;
use snapshot::page::html::grouped;
use snapshot::record::Locale;

use crate::site::{Pages, here};

/// Awards on the page of a program or an organization; the API has all.
pub(super) const AWARDS: usize = 12;
/// Characters of the title of a project that was funded.
const PROJECT: usize = 100;

impl Pages<'_> {
    /// `The latest 12 of 34`, where not all are shown.
    pub(super) fn shown(&self, all: &[usize], most: usize, locale: Locale) -> Option<String> {
        let (n, m) = (most.to_string(), grouped(all.len() as u64, locale));
        (all.len() > most).then(|| self.phrase(locale, "program_awards_shown", &[("n", &n), ("m", &m)]))
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
                project => self.directory.optional_text(it.entity(), locale, "projectTitle", it.project_title.as_deref()).map(|text| cut(text, PROJECT)),
                amount => it.award_amount_usd.map(|amount| self.money(amount, locale)),
            }
        };
        awards.iter().take(most).map(view).collect()
    }
}
