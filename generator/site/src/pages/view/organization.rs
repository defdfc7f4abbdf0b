//! Template variables of organizations and recipients, of their lists, and of awards: the same table on the pages of programs,
//! organizations and recipients.

use std::cmp::Reverse;

use html::Rule;
use html::view::{Link, Text, variables};
use minijinja::{Value, context};
use snapshot::page::detail::amounts;
use snapshot::page::money::paid;
use snapshot::record::{ORGANIZATION, RECIPIENT};
use snapshot::truncate::at_word;

use super::{ABOUT, SUMMARY, outside_address};
use crate::pages::Local;
use dataset::Table;

/// Maximum number of entries in the list of organizations.
const LISTED: usize = 250;
/// Maximum number of awards on the page of a program or an organization, and on that of a recipient.
pub(in crate::pages) const AWARDS: usize = 10;
pub(in crate::pages) const AWARDS_RECEIVED: usize = 40;
/// Maximum length of the title of a funded project, in characters.
const PROJECT: usize = 100;
/// Maximum length of an amount in the words of its source, in characters.
const STATED: usize = 60;
/// Number of awards on each of the pages that have all of a record.
const AWARDS_A_PAGE: usize = 50;

impl Local<'_> {
    /// Everything about an organization.
    pub(in crate::pages) fn organization_view(&self, organization: usize) -> Value {
        let it = &self.directory.organizations[organization];
        let links = &self.directory.organization_links[organization];
        let about = (it.entity(), self.default_language());
        let post = |post: &usize| {
            let it = &self.directory.posts[*post];
            let href = outside_address(Some(&it.url))?;
            let day = it.published_on.map(|date| self.date(date));
            Some(context! { href, day, title => &it.title })
        };
        let channel = |channel: &usize| {
            let it = &self.directory.channels[*channel];
            let href = outside_address(Some(&it.url))?;
            Some(context! { href, text => it.label.as_deref().unwrap_or(&it.kind) })
        };
        let leader = |leader: &usize| {
            let it = &self.directory.leaders[*leader];
            context! { name => &it.name, role => it.role.as_deref() }
        };
        let number = self.site.index.organizations.named(&it.slug).filter(|_| !links.programs.is_empty());
        let description =
            self.directory.translation(it.entity(), self.locale, "description").or(it.description.as_deref());
        context! {
            name => variables(&self.text(about, "name", &it.name)),
            about => self.lines(about, ("description", it.description.as_deref()), (None, ABOUT)),
            description => description.map(|text| at_word(text, SUMMARY)),
            country => self.country(it.country_code.as_deref()),
            record => self.record(ORGANIZATION, it, about),
            // By state and deadline.
            programs => number.map(|number| self.hole(Rule::Organization, number)),
            programs_all => (links.programs.len() > 1).then(|| {
                let count = self.number(links.programs.len());
                context! {
                    href => self.search(&[("organization", &it.slug)]),
                    text => self.phrase("org_programs_all", &[("n", &count)]),
                }
            }),
            posts => links.posts.iter().take(10).filter_map(post).collect::<Vec<_>>(),
            channels => links.channels.iter().filter_map(channel).collect::<Vec<_>>(),
            leaders => links.leaders.iter().map(leader).collect::<Vec<_>>(),
            awards => self.awards(&links.awards, AWARDS),
            awards_shown => self.shown(&links.awards, AWARDS),
            json => format!("/api/v1/organizations/{}", it.slug),
            json_ld => self.organization_json_ld(it),
        }
    }

    /// The organizations with the most opportunities, by name.
    pub(in crate::pages) fn organizations_view(&self) -> Value {
        let all = &self.directory.organizations;
        let count = |at: usize| self.directory.organization_links[at].programs.len();
        let name = |at: usize| self.directory.text(all[at].entity(), self.locale, "name", &all[at].name);
        let mut most: Vec<usize> = (0..all.len()).collect();
        most.sort_by_key(|at| (Reverse(count(*at)), all[*at].id));
        most.truncate(LISTED);
        most.sort_by_cached_key(|at| (name(*at).to_lowercase(), all[*at].id));
        let item = |at: &usize| {
            context! {
                href => self.here(&format!("/organizations/{}", all[*at].slug)),
                name => variables(&self.text((all[*at].entity(), self.default_language()), "name", &all[*at].name)),
                count => self.number(count(*at)),
            }
        };
        let items: Vec<Value> = most.iter().map(item).collect();
        let (n, m) = (self.number(items.len()), self.number(all.len()));
        context! {
            intro => self.word("organizations_intro"),
            rest => (items.len() < all.len()).then(|| self.phrase("list_rest", &[("n", &n), ("m", &m)])),
            table => format!("/data/{}.csv", Table::Organizations.name()),
            items,
        }
    }

    /// Everything about a recipient.
    pub(in crate::pages) fn recipient_view(&self, recipient: usize) -> Value {
        let it = &self.directory.recipients[recipient];
        let awards = &self.directory.recipient_awards[recipient];
        let about = (it.entity(), self.default_language());
        context! {
            name => variables(&self.text(about, "displayName", &it.display_name)),
            about => self.lines(about, ("biography", it.biography.as_deref()), (None, ABOUT)),
            kind => self.word(&format!("recipient_kind_{}", it.kind.as_str())),
            country => self.country(it.country_code.as_deref()),
            record => self.record(RECIPIENT, it, about),
            awards => self.awards(awards, AWARDS_RECEIVED),
            awards_shown => self.shown(awards, AWARDS_RECEIVED),
            json => format!("/api/v1/recipients/{}", it.slug),
            json_ld => self.recipient_json_ld(it),
        }
    }

    /// A link to each recipient and the number of its awards, those with most awards first.
    pub(in crate::pages) fn listed_recipients(&self) -> Vec<(Link, usize)> {
        let all = &self.directory.recipients;
        let count = |at: usize| self.directory.recipient_awards[at].len();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|at| (Reverse(count(*at)), &all[*at].display_name, all[*at].id));
        let listed = |at: usize| {
            let (it, of) = (&all[at], (all[at].entity(), self.default_language()));
            let Text { text, lang } = self.text(of, "displayName", &it.display_name);
            (Link { href: self.here(&format!("/recipients/{}", it.slug)), text, lang }, count(at))
        };
        order.into_iter().map(listed).collect()
    }

    /// What several awards with an amount paid: the least, the median and the most.
    pub(super) fn paid(&self, awards: &[usize]) -> Option<String> {
        let spread = amounts(self.directory, awards).filter(|[least, _, most, _]| least.0 < most.0)?;
        let [min, median, max, _] = spread.map(|amount| self.money(amount, "USD"));
        Some(self.phrase("awards_spread", &[("min", &min), ("median", &median), ("max", &max)]))
    }

    /// `The latest 12 of 34`, where not all are shown.
    pub(super) fn shown(&self, all: &[usize], most: usize) -> Option<String> {
        let (n, m) = (most.to_string(), self.number(all.len()));
        (all.len() > most).then(|| self.phrase("program_awards_shown", &[("n", &n), ("m", &m)]))
    }

    /// Pages with these awards of a record: path, `Page 2 of 3` if there are several, and template variables.
    pub(in crate::pages) fn award_pages(
        &self,
        record: &str,
        awards: &[usize],
    ) -> Vec<(String, String, Value)> {
        let pages = awards.len().div_ceil(AWARDS_A_PAGE);
        let path = |page: usize| match page {
            1 => format!("{record}/awards"),
            _ => format!("{record}/awards/{page}"),
        };
        let view = |(page, some): (usize, &[usize])| {
            let numbers = [("n", &*page.to_string()), ("m", &*pages.to_string())];
            let number = if pages > 1 { self.phrase("page_of", &numbers) } else { String::new() };
            let link = |page| self.here(&path(page));
            let view = context! {
                record => self.here(record),
                count => self.phrase("awards_other", &[("n", &self.number(awards.len()))]),
                awards => self.awards(some, AWARDS_A_PAGE),
                previous => (page > 1).then(|| link(page - 1)),
                next => (page < pages).then(|| link(page + 1)),
            };
            (path(page), number, view)
        };
        (1..).zip(awards.chunks(AWARDS_A_PAGE)).map(view).collect()
    }

    pub(super) fn awards(&self, awards: &[usize], most: usize) -> Vec<Value> {
        let view = |award: &usize| {
            let it = &self.directory.awards[*award];
            let links = self.directory.award_links[*award];
            let recipient = &self.directory.recipients[links.recipient];
            let program = &self.directory.programs[links.program];
            context! {
                year => it.award_year,
                href => self.here(&format!("/recipients/{}", recipient.slug)),
                name => self.directory.text(recipient.entity(), self.locale, "displayName", &recipient.display_name),
                program_href => self.here(&format!("/programs/{}", program.slug)),
                program => self.directory.text(program.entity(), self.locale, "name", &program.name),
                project => self.directory.translation(it.entity(), self.locale, "projectTitle").or(it.project_title.as_deref()).map(|text| at_word(text, PROJECT)),
                amount => it.award_amount_usd.map(|amount| self.money(amount, "USD")).or_else(|| {
                    paid(it.public_notes.as_deref()?).map(|text| at_word(text, STATED).into_owned())
                }),
            }
        };
        awards.iter().take(most).map(view).collect()
    }
}
